"""Findings as SARIF 2.1.0, for code scanning: one run, stable rules, paths relative to the repository.

The limits of its readers are kept, and what they leave out is counted in the run's own words.
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
    results = [_result(finding, index) for finding in found[:MOST_RESULTS]]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "t2c",
                "version": version,
                "rules": [
                    {
                        "id": code,
                        "name": "".join(word.capitalize() for word in code.split("_")),
                        "shortDescription": {"text": titles.get(code, code)},
                    }
                    for code in codes
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "results": results,
    }
    if revision is not None:
        run["properties"] = {"revision": revision}
    left = len(found) - len(results)
    if left:
        run["invocations"] = [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "warning",
                        "message": {"text": f"{left} findings beyond {MOST_RESULTS} are left out"},
                    }
                ],
            }
        ]
    return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}


def _result(finding: Shown, index: Mapping[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.title}. {finding.detail} Next: {finding.action}"},
        "partialFingerprints": {"t2cFinding/v1": finding.id},
        "rank": min(100.0, finding.weight / 1000),
        "properties": {"severity": finding.severity, "cause": finding.cause},
    }
    locations = [
        _location(place.path, place.line, place.end) for place in finding.places if place.path is not None
    ][:MOST_LOCATIONS]
    if locations:
        result["locations"], others = locations[:1], locations[1:]
        if others:
            result["relatedLocations"] = [{"id": n, **one} for n, one in enumerate(others, 1)]
    if finding.suppressed is not None:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": finding.suppressed.reason}
        ]
    return result


def _location(path: str, line: int | None, end: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path), "uriBaseId": _ROOT}}
    if line is not None:
        physical["region"] = {"startLine": line, "endLine": end or line}
    return {"physicalLocation": physical}
