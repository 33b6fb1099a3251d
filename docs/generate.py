"""Writes the pages of docs/ that are made from the code: events.md, cli.md and sources.md.

python docs/generate.py            write them
python docs/generate.py --check    exit with 1 and name those that differ
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from examples import evidence

from t2c.cli.app import TREE
from t2c.cli.commands.table import Branch
from t2c.cli.present.errors import CODES
from t2c.cli.settings import DEFAULTS, KEYS
from t2c.ledger.events.catalogue import CATALOGUE, RESERVED
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.registry import file_extractors
from t2c.ledger.linking.registry import BOOKS

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
                f"| `{field.alias or member}` | `{_type(_written(payload, member))}` |"
                for member, field in payload.model_fields.items()
            ]
    return "\n".join(lines) + "\n"


def _written(payload: type, member: str) -> str:
    """The annotation of a member as it is written, in the class or in one that it is made from."""
    held = (vars(base).get("__annotations__", {}) for base in payload.__mro__)
    return str(next(found[member] for found in held if member in found))


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


def sources_page() -> str:
    """What is read: the stages of a scan, the kinds of records they make, the languages, the settings."""
    lines = [
        "# Sources",
        "",
        NOTICE,
        "What the words mean is told in the [guide](guide/sources.md), what is left out and why in",
        "[omissions.md](omissions.md).",
        *_kinds(),
        *_languages(),
        *_settings(),
    ]
    return "\n".join(lines) + "\n"


def _kinds() -> Iterator[str]:
    """What t2c finds in a repository that holds one of everything."""
    yield from (
        "",
        "## Kinds of records",
        "",
        "What `docs/examples/evidence.py` makes is read, stage by stage, and each kind is shown with every class and",
        "lifecycle that comes out, and with the first record of it.",
        "",
        "| stage | source | kind | class: lifecycle | for example |",
        "|---|---|---|---|---|",
    )
    with tempfile.TemporaryDirectory(prefix="t2c-docs-") as folder:
        evidence.make(Path(folder))
        for stage in (*file_extractors(DEFAULTS.scan), "git"):
            given = sorted(evidence.GIVEN) if stage == "nl" else []
            given += ["night.autonom-cycle.json"] if stage == "cycle" else []
            found: dict[str, list[dict[str, Any]]] = {}
            for record in _extracted(Path(folder), stage, *given):
                found.setdefault(record["statement"]["kind"], []).append(record)
            for kind in sorted(found):
                yield _row(stage, kind, found[kind])


def _row(stage: str, kind: str, records: list[dict[str, Any]]) -> str:
    classes: dict[str, set[str]] = {}
    for record in records:
        classes.setdefault(record["epistemic"]["class"], set()).add(record["lifecycle"]["status"])
    told = "; ".join(f"{cls}: {', '.join(sorted(classes[cls]))}" for cls in sorted(classes))
    first = records[0]
    text = first["statement"]["text"].replace("|", "\\|").replace("`", "")
    place = f"`{first['source']['path']}`: " if first["source"]["path"] else ""
    return f"| {stage} | {first['source']['kind']} | `{kind}` | {told} | {place}{text} |"


def _extracted(folder: Path, stage: str, *files: str) -> list[dict[str, Any]]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("T2C_")}
    done = subprocess.run(
        [sys.executable, "-m", "t2c.cli", "--root", str(folder), "extract", stage, *files, "--jsonl"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**environ, "XDG_CONFIG_HOME": str(folder / ".config")},
        check=True,
    )
    if "reader_failed" in done.stderr:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _languages() -> Iterator[str]:
    yield from (
        "",
        "## Languages",
        "",
        "Code in any other language, and in files of other names, is counted (`unsupported_language`). What `.h` holds",
        "decides whether it is C or C++. A file without an ending is told by the program that its first line names.",
        "",
        "| language | endings | whole names | programs | grammar | extractor |",
        "|---|---|---|---|---|---|",
    )
    for language in LANGUAGES.values():
        endings = " ".join(f"`.{ending}`" for ending in language.endings)
        names = " ".join(f"`{name}`" for name in language.names)
        programs = " ".join(f"`{program}`" for program in language.programs)
        title = f"{language.title} ({language.name})" if language.name == "tsx" else language.title
        row = (title, endings, names, programs, f"`{language.package}`", f"`{language.extractor}`")
        yield f"| {' | '.join(row)} |".replace("|  |", "| |").replace("|  |", "| |")


def _settings() -> Iterator[str]:
    yield from (
        "",
        "## Settings",
        "",
        "In `t2c.toml`, in `[tool.t2c]` of `pyproject.toml` or in the environment (`T2C_SCAN_COMMITS`).",
        "`t2c config show --origin` says what is in force and where it comes from.",
        "",
        "| setting | default | what it means |",
        "|---|---|---|",
    )
    for key in (key for key in KEYS.values() if not key.hidden):
        if key.name.startswith("scan."):
            yield f"| `{key.name}` | `{json.dumps(key.default)}` | {key.meaning} |"


def grades_page() -> str:
    """Every grade of evidence by which a relation is drawn, and every reason for drawing none."""
    lines = [
        "# Grades of evidence",
        "",
        "<!-- made by docs/generate.py; change the code, not this page -->",
        "",
        "What each type of relation means is told in [links.md](links.md). Here stands how sure each grade of each rule makes,",
        "and why. They are priors, set by judgement, but for `described`, whose confidence is measured for each relation;",
        "`t2c link calibration` shows what judgements made of them.",
        "",
        "| rule | grade | confidence | why |",
        "|---|---|---|---|",
    ]
    for book in BOOKS:
        lines += [
            f"| {book.name} | `{grade}` | {prior.confidence:g} | {prior.why} |"
            for grade, prior in book.priors.items()
        ]
    lines += ["", "## Where a rule draws nothing", "", "| rule | reason | what it counts |", "|---|---|---|"]
    for book in BOOKS:
        lines += [f"| {book.name} | `{reason}` | {told} |" for reason, told in book.omitted.items()]
    return "\n".join(lines) + "\n"


PAGES = {"events.md": events_page, "cli.md": cli_page, "sources.md": sources_page, "grades.md": grades_page}


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
