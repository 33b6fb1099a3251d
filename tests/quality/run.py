"""What `make quality` runs: the benchmark of links, the labelled cases, and the page of both.

    python tests/quality/run.py [MIRRORS] [--data DIR] [--no-bench] [NAME ...]

MIRRORS is a folder of bare clones, `OWNER+NAME/repo`, of the repositories in
tests/bench/linkbench/repositories.json; without it, or without one of them, nothing is run and the exit status is 6.
Figures go to tests/data/quality, the page to docs/quality.md. The status is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quality import ROOT, gold, page, stamp

BENCH = ROOT / "tests" / "bench" / "linkbench"
ENVIRONMENT = 6
"""The exit status for a missing tool, folder or network, as that of the product."""


def missing(mirrors: Path | None, names: Sequence[str]) -> list[str]:
    """What is not there and must be, each in a line."""
    if mirrors is None:
        return ["MIRRORS is not given: make quality MIRRORS=DIR, a folder of bare clones OWNER+NAME/repo"]
    if not mirrors.is_dir():
        return [f"{mirrors} is no folder"]
    lacking = [
        f"the module {name} is not installed: python -m pip install --group quality"
        for name in ("numpy", "scipy")
        if importlib.util.find_spec(name) is None
    ]
    for one in json.loads((BENCH / "repositories.json").read_text()):
        if not names or one["slug"].partition("/")[2] in names:
            slugs = [one["slug"], *one.get("also", ())]
            if not any((mirrors / slug.replace("/", "+") / "repo").is_dir() for slug in slugs):
                wanted = one["slug"].replace("/", "+")
                lacking.append(
                    f"{mirrors / wanted / 'repo'} is missing: a bare clone of {one['slug']} at {one['head']}"
                )
    return lacking


def benched(given: argparse.Namespace) -> int:
    """Run the benchmark of links as a program and keep its figures."""
    with tempfile.TemporaryDirectory(prefix="t2c-quality-") as scratch:
        out = Path(scratch) / "linkbench.json"
        command = [
            sys.executable,
            str(BENCH / "run.py"),
            str(given.mirrors),
            *given.names,
            "--json",
            str(out),
        ]
        if given.data:
            command += ["--data", str(given.data)]
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if not out.exists():
            return status or 1
        found = json.loads(out.read_text())
    told = " ".join(["make quality MIRRORS=DIR", *(f"({name})" for name in given.names)])
    kept = {"made": stamp(told), **found}
    if not given.names:
        (page.DATA / "linkbench.json").write_text(json.dumps(kept, indent=1) + "\n")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write; 6 if something is missing, 1 if a bar is missed or a forbidden pair related."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", nargs="?", type=lambda text: Path(text) if text else None)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only these repositories; the page keeps the others"
    )
    parser.add_argument("--data", type=Path, help="where the repositories are built")
    parser.add_argument("--no-bench", action="store_true", help="the labelled cases and the page alone")
    given = parser.parse_args(arguments)
    lacking = [] if given.no_bench else missing(given.mirrors, given.names)
    if lacking:
        print("\n".join(f"error: {line}" for line in lacking), file=sys.stderr)
        return ENVIRONMENT
    os.chdir(ROOT)
    status = 0 if given.no_bench else benched(given)
    judged = gold.main(["--json", str(page.DATA / "gold.json")])
    page.main([])
    return int(bool(status or judged))


if __name__ == "__main__":
    sys.exit(main())
