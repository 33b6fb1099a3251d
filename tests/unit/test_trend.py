"""The direction of a comparison follows what its rule names, and nothing that nobody measured."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.projections.diffs.trend import coverage, trend

TOTALS: dict[str, Any] = {
    "topics": 10,
    "aligned": 5,
    "gaps": 5,
    "implementationCoverage": 0.5,
    "plannedCodeCoverage": 0.5,
    "documentedCodeCoverage": None,
}


def between(**changes: Any) -> Any:
    """The trend from the totals above to the same with changes."""
    counts = changes.pop("counts", {"blocking": 0})
    return trend(coverage(TOTALS, {"blocking": 2}), coverage({**TOTALS, **changes}, counts))


@pytest.mark.parametrize(
    ("changes", "direction"),
    [
        ({}, "unchanged"),
        ({"aligned": 6}, "improved"),
        ({"gaps": 4}, "improved"),
        ({"gaps": 6}, "regressed"),
        ({"implementationCoverage": 0.4}, "regressed"),
        ({"plannedCodeCoverage": 0.6, "gaps": 4}, "improved"),
        ({"plannedCodeCoverage": 0.4, "gaps": 4}, "mixed"),
        ({"documentedCodeCoverage": 0.9}, "unchanged"),
        ({"topics": 0, "aligned": 5, "implementationCoverage": None}, "unchanged"),
        ({"counts": {"blocking": 9}}, "unchanged"),
        ({"counts": {"blocking": 0}}, "unchanged"),
    ],
    ids=str,
)
def test_the_direction(changes: dict[str, Any], direction: str) -> None:
    assert between(**changes).direction == direction


def test_there_and_back_are_opposite() -> None:
    one, other = coverage(TOTALS, None), coverage({**TOTALS, "aligned": 7, "gaps": 3}, None)
    assert (trend(one, other).direction, trend(other, one).direction) == ("improved", "regressed")
    assert trend(one, other).alignmentRateDelta == 0.2 == -(trend(other, one).alignmentRateDelta or 0)


def test_nothing_of_nothing_is_no_number_and_findings_stand_beside() -> None:
    assert coverage({**TOTALS, "topics": 0, "aligned": 0}, None).alignmentRate is None
    found = between(counts={"blocking": 1, "info": 3})
    assert found.documentedCodeCoverageDelta is None
    assert found.diagnosticsDelta == {"info": 3, "warning": 0, "review_required": 0, "blocking": -1}
    assert trend(coverage(TOTALS, None), coverage(TOTALS, {})).diagnosticsDelta is None
