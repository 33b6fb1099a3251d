"""Fits the parameters of the linker's ranking on linkbench and writes them.

    python tests/bench/fit_links.py MIRRORS [--data DIR] [--write ledger/linking/parameters.json] [--version N]

MIRRORS holds bare repositories, `OWNER+NAME/repo`. What is not yet built or scanned below DIR is. The result is the same
for the same data: nothing is drawn by chance. Prints what each repository reaches with parameters of the others.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parent))

from linkbench.fitting import fitted, folds, table_of
from linkbench.ledgers import rows, scan
from linkbench.prepare import prepared, repositories

PARAMETERS = Path(__file__).resolve().parents[2] / "ledger" / "linking" / "parameters.json"


def main() -> int:
    """Fit and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--data", type=Path, default=Path(".bench/linkbench"))
    parser.add_argument("--write", type=Path, default=PARAMETERS)
    parser.add_argument("--version", default="1", help="of the parameters; raise it when they change")
    parser.add_argument("--scanned", action="store_true", help="take the scans that are there")
    given = parser.parse_args()
    tables = []
    for repository in repositories():
        data = prepared(repository, given.mirrors, given.data)
        tables.append(
            table_of(repository.name, list(rows(scan(repository.name, data, again=not given.scanned))))
        )
        print(f"{repository.name}: {len(tables[-1].rows)} entries with candidates", flush=True)
    left_out = folds(tables)
    for fold in left_out:
        print(
            f"{fold.name}: {sum(right for _, right in fold.raw) / max(1, len(fold.raw)):.3f} of the first are right"
        )
    found = fitted(tables, left_out, given.version)
    digest = sha256(msgspec.json.encode(found)).hexdigest()[
        :8
    ]  # what was decided by other parameters is decided anew
    shown = msgspec.to_builtins(replace(found, version=f"{given.version}-{digest}"))
    given.write.write_text(_compact(json.dumps(shown, indent=1)) + "\n")
    print(f"accepts from {found.accept}: {given.write}")
    return 0


def _compact(text: str) -> str:
    """JSON with each pair of numbers on one line."""
    return re.sub(r"\[\s+([\d.]+),\s+([\d.]+)\s+\]", r"[\1, \2]", text)


if __name__ == "__main__":
    raise SystemExit(main())
