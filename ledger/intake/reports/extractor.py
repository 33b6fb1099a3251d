"""The extractor of reports: what ran, with which outcome, what it covered and what an analyser found (§2.4(22))."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.reports.coverage import coverage_drafts, read_cobertura, read_coverage_json, read_lcov
from t2c.ledger.intake.reports.junit import read_junit
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.pytest_text import read_pytest
from t2c.ledger.intake.reports.results import COMMIT_UNKNOWN, drafts_of
from t2c.ledger.intake.reports.sarif import findings_of
from t2c.ledger.intake.reports.sniff import is_report, sniff
from t2c.ledger.intake.reports.tap import read_tap
from t2c.ledger.intake.reports.xml_stream import XmlFault

__all__ = ["TestReportExtractor", "bound"]

_MAX_BYTES: Final = 200_000_000
_COMMIT_GIVEN: Final = "commit_given"


class TestReportExtractor:
    """Reads reports of tests, coverage and static analysis, whatever their name."""

    __test__ = False

    name: str = "t2c/test-report@1"
    source: SourceKind = "test"

    def wants(self, path: str) -> bool:
        """True for the usual names of reports; one given by hand may have any."""
        return is_report(path)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All results of one report. Incomplete, and empty, if it could not be read as a whole."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        found = _drafts(path, content, tree, notes)
        if found is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        return Reading(scope, self.name, found, notes.warnings())


def bound(reading: Reading, commit: str) -> Reading:
    """The reading with every draft bound to the commit that somebody says was tested; no identity changes.

    What a report itself says stands in `metadata.reportedCommit` if it says another one.
    """
    return msgspec.structs.replace(reading, records=tuple(_bound(draft, commit) for draft in reading.records))


def _bound(draft: Draft, commit: str) -> Draft:
    told = draft.metadata.get("commit")
    metadata: dict[str, Any] = {**draft.metadata, "commit": commit}
    if told and told != commit and not commit.startswith(told):
        metadata["reportedCommit"] = told
    basis = (*(token for token in draft.basis if token not in (COMMIT_UNKNOWN, _COMMIT_GIVEN)), _COMMIT_GIVEN)
    return msgspec.structs.replace(draft, metadata=metadata, basis=basis)


def _drafts(path: str, content: bytes, tree: Tree, notes: Notes) -> tuple[Draft, ...] | None:
    """The drafts of a report; None, with a note, if it is none or cannot be read."""
    if len(content) > _MAX_BYTES:
        notes.add("file_too_large", f"{len(content)} bytes; reports above {_MAX_BYTES} are not read")
        return None
    places = Places(tree, path)
    match sniff(content):
        case "junit":
            report = read_junit(content, places, notes)
            if isinstance(report, XmlFault):
                _refused(report, notes)
                return None
            return drafts_of(report, notes)
        case "cobertura":
            covered = read_cobertura(content, notes)
            if isinstance(covered, XmlFault):
                _refused(covered, notes)
                return None
            files, roots = covered
            return coverage_drafts(files, "cobertura", Places(tree, path, tuple(roots)), notes, {})
        case "sarif" | "coverage-json" as kind:
            return _from_json(kind, content, places, notes)
        case None:
            notes.add("report_not_recognised", "none of the formats that are read")
            return None
        case kind:
            lines = text_lines(content, notes)
            if lines is None:
                return None
            if kind == "lcov":
                return coverage_drafts(read_lcov(lines, notes), kind, places, notes, {})
            return drafts_of((read_tap if kind == "tap" else read_pytest)(lines, places, notes), notes)


def _from_json(kind: str, content: bytes, places: Places, notes: Notes) -> tuple[Draft, ...] | None:
    import orjson

    lines = text_lines(content, notes)
    if lines is None:
        return None
    try:
        document = orjson.loads("\n".join(lines))
    except (orjson.JSONDecodeError, UnicodeError) as error:
        line = getattr(error, "lineno", None)
        notes.add("report_unparsed", f"no JSON: {str(error).partition(':')[0]}; nothing was read", line)
        return None
    if kind == "sarif":
        findings = findings_of(document, places, notes)
        if findings is None:
            notes.add("report_not_recognised", "JSON without the runs of a SARIF log")
        return findings
    files = read_coverage_json(document, notes)
    if files is None:
        notes.add("report_not_recognised", "JSON without the files of a coverage report")
        return None
    return coverage_drafts(files, "coverage.py", places, notes, {})


def _refused(fault: XmlFault, notes: Notes) -> None:
    place = f" (line {fault.line}, column {fault.column})" if fault.line else ""
    reason = "report_unparsed" if fault.reason == "xml_unparsed" else fault.reason
    notes.add(reason, f"{fault.what}{place}; nothing was read", fault.line)
