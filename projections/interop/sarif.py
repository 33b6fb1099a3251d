"""Findings as SARIF 2.1.0, for code scanning: one run, stable rules, paths relative to the repository.

The limits of its readers are kept, and what they leave out is counted in the run's own words. They refuse a whole log for
one result that stands in no file, so a finding without a file is a notification of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from t2c.projections.findings.model import Group, Shown

__all__ = ["MOST_LOCATIONS", "MOST_RESULTS", "SCHEMA_URI", "sarif"]

SCHEMA_URI: Final = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS: Final = 25_000
MOST_LOCATIONS: Final = 100
"""Locations that readers show of one result."""
_LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {"blocking": "error", "review_required": "warning", "warning": "warning", "info": "note"}
)
_ROOT: Final = "SRCROOT"


def sarif(
    groups: Sequence[Group],
    suppressed: Sequence[Shown],
    titles: Mapping[str, str],
    version: str,
    revision: str | None = None,
) -> dict[str, Any]:
    """A log of one run. `titles` maps each code to what it means; suppressed findings are in it once, marked as such."""
    told = [finding for group in groups for finding in group.findings]
    found = list({finding.id: finding for finding in (*told, *suppressed)}.values())
    codes = sorted({finding.code for finding in found})
    index = {code: place for place, code in enumerate(codes)}
    placed = [finding for finding in found if _locations(finding)]
    results = [_result(finding, index) for finding in placed[:MOST_RESULTS]]
    notes = [_note(finding, index) for finding in found if not _locations(finding)]
    left = len(placed) - len(results)
    if left:
        text = f"{left} findings beyond {MOST_RESULTS} are left out"
        notes.append({"level": "warning", "message": {"text": text}})
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "t2c",
                "version": version,
                "rules": [_rule(code, titles.get(code, code)) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "results": results,
    }
    if revision is not None:
        run["properties"] = {"revision": revision}
    if notes:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}


def _rule(code: str, title: str) -> dict[str, Any]:
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in code.split("_")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": title},
        "help": {"text": f"`t2c diagnose --code {code}` shows all of them, with what to do next."},
    }


def _note(finding: Shown, index: Mapping[str, int]) -> dict[str, Any]:
    """A finding about the repository as a whole or about commits alone; `none` is the level of what is suppressed."""
    return {
        "level": _LEVELS[finding.severity] if finding.suppressed is None else "none",
        "message": {"text": _message(finding)},
        "associatedRule": {"id": finding.code, "index": index[finding.code]},
        "properties": {"finding": finding.id, "severity": finding.severity, "cause": finding.cause},
    }


def _message(finding: Shown) -> str:
    return f"{finding.title}. {finding.detail} Next: {finding.action}"


def _result(finding: Shown, index: Mapping[str, int]) -> dict[str, Any]:
    first, *others = _locations(finding)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [first],
        "partialFingerprints": {"t2cFinding/v1": finding.id},
        "rank": min(100.0, finding.weight / 1000),
        "properties": {"severity": finding.severity, "cause": finding.cause},
    }
    if others:
        result["relatedLocations"] = [{"id": n, **one} for n, one in enumerate(others, 1)]
    if finding.suppressed is not None:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": finding.suppressed.reason}
        ]
    return result


def _locations(finding: Shown) -> Sequence[dict[str, Any]]:
    found = [place for place in finding.places if place.path is not None]
    return [_location(str(place.path), place.line, place.end) for place in found[:MOST_LOCATIONS]]


def _location(path: str, line: int | None, end: int | None) -> dict[str, Any]:
    """What stands in a file as a whole is shown at its first line, since readers ask for one."""
    first = line or 1
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path), "uriBaseId": _ROOT},
            "region": {"startLine": first, "endLine": max(first, end or first)},
        }
    }
