"""Writes the pages of docs/ that are made from the code: events.md and cli.md.

python docs/generate.py            write them
python docs/generate.py --check    exit with 1 and name those that differ
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from t2c.cli.app import TREE
from t2c.cli.commands.table import Branch
from t2c.cli.present.errors import CODES
from t2c.ledger.events.catalogue import CATALOGUE, RESERVED

DOCS = Path(__file__).parent
NOTICE = "<!-- made by docs/generate.py; change the code, not this page -->\n"


def events_page() -> str:
    """Every event type: what it says, who may say it, its members."""
    lines = [
        "# Events",
        "",
        NOTICE,
        "Every line of the journal is one of these. The envelope is described in [journal.md](journal.md), the exact",
        "shapes are the JSON Schemas in `schemas/events/` (`t2c schemas show TYPE`). *By hand* means that",
        "`t2c ledger append` takes it, always as `asserted`; *reserved* that its shape is fixed and that nothing of this",
        "version writes it. A reader keeps and counts types that it does not know.",
    ]
    for family in dict.fromkeys(CATALOGUE.families.values()):
        lines += ["", f"## Family {family}"]
        for name in sorted(name for name, of in CATALOGUE.families.items() if of == family):
            payload = CATALOGUE.payload(name)
            by_hand = ", by hand" if payload.by_hand else ""
            reserved = ", reserved" if name in RESERVED else ""
            lines += ["", f"### `{name}` v{payload.v} ({payload.trust}{by_hand}{reserved})", ""]
            lines += payload.meaning().splitlines()
            lines += ["", "| member | type |", "|---|---|"]
            lines += [
                f"| `{field.alias or member}` | `{_type(payload.__annotations__[member])}` |"
                for member, field in payload.model_fields.items()
            ]
    return "\n".join(lines) + "\n"


def _type(written: str) -> str:
    """An annotation as it is written, without its limits, which the schema gives exactly."""
    return re.sub(r"Annotated\[(.+?), Field\(.*\)\]", r"\1", " ".join(written.split())).replace("|", "\\|")


def cli_page() -> str:
    """The help of every command, as it is printed."""
    lines = ["# Commands", "", NOTICE, "## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {row.code} | {row.meaning} |" for row in CODES]
    for words in _commands((), TREE):
        lines += ["", f"## `t2c {' '.join(words)}`"]
        lines += ["", "```text", _help(words), "```"]
    return "\n".join(lines) + "\n"


def _commands(words: tuple[str, ...], branch: Branch) -> Iterator[tuple[str, ...]]:
    for entry in branch.entries:
        module, _, attribute = entry.target.partition(":")
        found = getattr(import_module(module), attribute)
        yield (*words, entry.name)
        if isinstance(found, Branch):
            yield from _commands((*words, entry.name), found)


def _help(words: tuple[str, ...]) -> str:
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-m", "t2c.cli", *words, "--help"],
        capture_output=True,
        text=True,
        env=environ,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


PAGES = {"events.md": events_page, "cli.md": cli_page}


def main() -> None:
    differing = []
    for name, make in PAGES.items():
        page, target = make(), DOCS / name
        if not target.exists() or target.read_text(encoding="utf-8") != page:
            differing.append(name)
            if "--check" not in sys.argv[1:]:
                target.write_text(page, encoding="utf-8")
                print(f"wrote docs/{name}")
    if differing and "--check" in sys.argv[1:]:
        sys.exit(f"not what the code says: {', '.join(differing)}; run python docs/generate.py")


if __name__ == "__main__":
    main()
