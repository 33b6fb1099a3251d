"""Whether a workspace is nearer to what it declares than its base, from the reality of both (intent-evidence §5.4).

The direction follows alignment, the three coverages and the number of gaps; findings by severity are shown beside it
and do not decide (decisions C1). What one side cannot measure decides nothing either: nothing of nothing is no number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from t2c.projections.facts import SEVERITIES

__all__ = ["Coverage", "Direction", "Trend", "coverage", "trend"]

Direction = Literal["improved", "regressed", "mixed", "unchanged"]
Number = int | float | None

_PLACES: Final = 4


class Coverage(Struct, frozen=True):
    """The totals of a reality, how many of its topics are aligned, and findings by severity, None if unknown."""

    totals: Mapping[str, Any]
    alignmentRate: Number
    diagnostics: Mapping[str, int] | None

    def document(self) -> dict[str, Any]:
        """As published: the totals and both others, side by side."""
        return {**self.totals, "alignmentRate": self.alignmentRate, "diagnostics": self.diagnostics}


class Trend(Struct, frozen=True):
    """The workspace less its base; None where a side has no number."""

    direction: Direction
    alignmentRateDelta: Number
    implementationCoverageDelta: Number
    plannedCodeCoverageDelta: Number
    documentedCodeCoverageDelta: Number
    alignedDelta: int
    gapsDelta: int
    diagnosticsDelta: Mapping[str, int] | None


def coverage(totals: Mapping[str, Any], diagnostics: Mapping[str, int] | None) -> Coverage:
    """The coverage of one side, from `totals` of its reality and `counts` of its findings."""
    topics = totals["topics"]
    rate = None if topics == 0 else round(totals["aligned"] / topics, _PLACES)
    return Coverage(totals, rate, diagnostics)


def trend(base: Coverage, workspace: Coverage) -> Trend:
    """The direction from one side to the other: better in some and worse in others is `mixed`."""
    deltas = {
        "alignmentRateDelta": _less(workspace.alignmentRate, base.alignmentRate),
        **{
            f"{name}Delta": _less(workspace.totals[name], base.totals[name])
            for name in ("implementationCoverage", "plannedCodeCoverage", "documentedCodeCoverage")
        },
    }
    gaps = int(workspace.totals["gaps"] - base.totals["gaps"])
    signs = [delta for delta in (*deltas.values(), -gaps) if delta]
    better, worse = any(sign > 0 for sign in signs), any(sign < 0 for sign in signs)
    found = None
    if base.diagnostics is not None and workspace.diagnostics is not None:
        found = {
            name: workspace.diagnostics.get(name, 0) - base.diagnostics.get(name, 0) for name in SEVERITIES
        }
    return Trend(
        direction="mixed"
        if better and worse
        else "improved"
        if better
        else "regressed"
        if worse
        else "unchanged",
        alignedDelta=int(workspace.totals["aligned"] - base.totals["aligned"]),
        gapsDelta=gaps,
        diagnosticsDelta=found,
        **deltas,
    )


def _less(one: Number, other: Number) -> Number:
    return None if one is None or other is None else round(one - other, _PLACES)
