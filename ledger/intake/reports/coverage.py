"""Coverage as Cobertura, LCOV and coverage.py tell it: per file, the lines that ran and the lines there are.

A share is kept as its two numbers. A file that a report names twice counts once: a line ran if it ran in either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct, field

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.results import COMMIT_UNKNOWN
from t2c.ledger.intake.reports.xml_stream import Element, XmlFault, read_xml

__all__ = ["MAX_FILES", "Covered", "coverage_drafts", "read_cobertura", "read_coverage_json", "read_lcov"]

MAX_FILES: Final = 20_000
_MAX_LINES: Final = 2_000_000
"""Lines of all files of one report whose hits are held."""


class Covered(Struct):
    """One file of a report. `hits` are its lines by number, or `counts` its two numbers where no more is told."""

    name: str
    start: int | None = None
    end: int | None = None
    hits: dict[int, bool] = field(default_factory=dict)
    counts: tuple[int, int] | None = None
    branches: tuple[int, int] | None = None

    def lines(self) -> tuple[int, int]:
        """(lines that ran, lines there are)."""
        if self.hits:
            return sum(self.hits.values()), len(self.hits)
        return self.counts or (0, 0)


class _Cobertura:
    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.files: dict[str, Covered] = {}
        self.sources: list[str] = []
        self.file: Covered | None = None
        self.methods = 0
        self.held = 0

    def opened(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag == "class":
            name = attributes.get("filename", "").strip()
            self.file = self.files.setdefault(name, Covered(name, line)) if name else None
            if not name:
                self.notes.add("coverage_unnamed", "a class without a file", line)
        elif tag == "methods":
            self.methods += 1
        elif tag == "line" and self.file is not None and not self.methods:
            number, hits = _whole(attributes.get("number")), _whole(attributes.get("hits"))
            if number is None or hits is None or self.held >= _MAX_LINES:
                self.notes.add("coverage_line_unread", "a line without number or hits, or one too many", line)
                return
            self.held += 1
            self.file.hits[number] = self.file.hits.get(number, False) or hits > 0
            ran, _, there = (
                attributes.get("condition-coverage", "").partition("(")[2].rstrip(") ").partition("/")
            )
            counted = _whole(ran), _whole(there)
            if counted[0] is not None and counted[1] is not None:
                before = self.file.branches or (0, 0)
                self.file.branches = (before[0] + counted[0], before[1] + counted[1])

    def closed(self, element: Element) -> None:
        if element.tag == "class" and self.file is not None:
            self.file.end = element.end
            self.file = None
        elif element.tag == "methods":
            self.methods -= 1
        elif element.tag == "source" and element.text.strip():
            self.sources.append(element.text.strip())


def read_cobertura(content: bytes, notes: Notes) -> tuple[list[Covered], list[str]] | XmlFault:
    """(files, source roots) of a Cobertura document."""
    read = _Cobertura(notes)
    fault = read_xml(content, read.opened, read.closed)
    return fault if fault is not None else (list(read.files.values()), read.sources)


def _whole(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def read_lcov(lines: Iterator[str], notes: Notes) -> list[Covered]:
    """The files of an LCOV tracefile; totals (`LF`, `LH`) stand where no lines are told."""
    files: dict[str, Covered] = {}
    file: Covered | None = None
    told: dict[str, int] = {}
    held = number = 0
    for number, line in enumerate(lines, 1):
        key, _, value = line.strip().partition(":")
        if key == "SF":
            file = files.setdefault(value, Covered(value, number)) if value else None
            told = {}
        elif key == "end_of_record":
            if file is not None:
                _finish(file, told, number)
            file = None
        elif file is not None and key == "DA":
            at, _, rest = value.partition(",")
            line_number, hits = _whole(at), _whole(rest.partition(",")[0].lstrip("-"))
            if line_number is None or hits is None or held >= _MAX_LINES:
                notes.add("coverage_line_unread", "a line without number or hits, or one too many", number)
                continue
            held += 1
            file.hits[line_number] = file.hits.get(line_number, False) or (
                hits > 0 and not rest.startswith("-")
            )
        elif file is not None and key in ("LF", "LH", "BRF", "BRH"):
            told[key] = _whole(value) or 0
    if file is not None:
        notes.add("report_truncated", "a file whose record never ends", number)
        _finish(file, told, number)
    return list(files.values())


def _finish(file: Covered, told: Mapping[str, int], line: int) -> None:
    file.end = line
    if not file.hits and "LF" in told:
        file.counts = (told.get("LH", 0), told["LF"])
    if told.get("BRF"):
        before = file.branches or (0, 0)
        file.branches = (before[0] + told.get("BRH", 0), before[1] + told["BRF"])


def read_coverage_json(document: Any, notes: Notes) -> list[Covered] | None:
    """The files of coverage.py's JSON; None if the document is none."""
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(files, dict):
        return None
    found = []
    for name, told in files.items():
        summary = told.get("summary") if isinstance(told, dict) else None
        counts = _pair(summary, "covered_lines", "num_statements")
        if counts is None or not name:
            notes.add("coverage_line_unread", "a file without a summary")
            continue
        found.append(
            Covered(name, None, None, {}, counts, _pair(summary, "covered_branches", "num_branches"))
        )
    return found


def _pair(summary: Any, ran: str, there: str) -> tuple[int, int] | None:
    if not isinstance(summary, dict):
        return None
    values = summary.get(ran), summary.get(there)
    if not all(
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 for value in values
    ):
        return None
    return values  # type: ignore[return-value]


def coverage_drafts(
    files: list[Covered], framework: str, places: Places, notes: Notes, measured: Mapping[str, Any]
) -> tuple[Draft, ...]:
    """One `coverage_fact` a file, by name; `measured` is what the report says of the whole."""
    if len(files) > MAX_FILES:
        notes.add(
            "coverage_files_capped", f"a report gives {MAX_FILES} files at most", count=len(files) - MAX_FILES
        )
        files = files[:MAX_FILES]
    drafts = []
    for file in files:
        path = places.file(file.name)
        if path is None:
            notes.add("coverage_file_unknown", "a file that the repository does not hold", file.start)
        covered, total = file.lines()
        about = path or file.name[:400]
        branches = {"covered": file.branches[0], "total": file.branches[1]} if file.branches else None
        drafts.append(
            Draft(
                kind="coverage_fact",
                text=f"coverage of {about}",
                object=about,
                action="test",
                cls="fact",
                status="verified" if covered else "unknown",
                confidence=0.98,
                basis=(f"{framework}_report", COMMIT_UNKNOWN),
                lines=(file.start, file.end or file.start) if file.start else None,
                modality="observed",
                paths=(path,) if path and not path.startswith("~") else (),
                metadata={
                    "framework": framework,
                    "commit": None,
                    "lines": {"covered": covered, "total": total},
                    "branches": branches,
                    **measured,
                },
            )
        )
    return tuple(sorted(drafts, key=lambda draft: draft.text))
