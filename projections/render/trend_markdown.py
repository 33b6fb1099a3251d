"""A comparison of a workspace with its base as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from t2c.projections.render.markdown import inline

__all__ = ["trend_lines", "trend_markdown"]

_RATES: Final = (
    ("aligned topics", "alignmentRate", "aligned", "topics"),
    ("declared topics that are implemented", "implementationCoverage", "implementationAlignedTopics", "declaredTopics"),
    ("observed topics with a plan", "plannedCodeCoverage", "implementationAlignedTopics", "observedTopics"),
    ("observed topics with documentation", "documentedCodeCoverage", None, "observedTopics"),
)  # fmt: skip
_MOST: Final = 100


def trend_markdown(comparison: Mapping[str, Any]) -> bytes:
    """`trend.md` of a `t2c.workspace-comparison/v1` document."""
    return ("\n".join(_page(comparison)) + "\n").encode()


def _page(comparison: Mapping[str, Any]) -> Iterator[str]:
    base, workspace = comparison["base"], comparison["workspace"]
    yield "# Workspace beside its base"
    yield ""
    yield f"- Base: {inline(base['ref'])} at {inline(base['commit'])}"
    yield (
        f"- Workspace: {inline(workspace['headCommit'])}, {workspace['ahead']:,} ahead, {workspace['behind']:,} behind"
    )
    yield f"- Trend: **{comparison['trend']['direction']}**"
    yield ""
    yield "| | base | workspace |"
    yield "|---|--:|--:|"
    for name, before, after in trend_lines(comparison):
        yield f"| {name} | {before} | {after} |"
    files = workspace["changedFiles"]
    yield from ("", "## Changed files before the analysis", "")
    yield from (f"- {inline(path, 300)}" for path in files[:_MOST])
    if len(files) > _MOST:
        yield f"- … and {len(files) - _MOST:,} more"
    if not files:
        yield "None."


def trend_lines(comparison: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What is compared, with the values of the base and of the workspace in words."""
    sides = [comparison[side]["coverage"] for side in ("base", "workspace")]
    if all(side is not None for side in sides):
        for name, rate, part, whole in _RATES:
            before, after = (_rate(side, rate, part, whole) for side in sides)
            yield name, before, after
        yield "gaps", *(f"{side['gaps']:,}" for side in sides)  # type: ignore[misc]
        if all(side["diagnostics"] is not None for side in sides):
            for severity in ("blocking", "review_required", "warning", "info"):
                values = [f"{side['diagnostics'].get(severity, 0):,}" for side in sides]
                yield f"findings: {severity}", values[0], values[1]
    summary = comparison["diff"]["summary"]
    unchanged = f"{summary['recordsUnchanged']:,} unchanged"
    yield (
        "records",
        f"{unchanged}, {summary['recordsRemoved']:,} removed",
        f"{summary['recordsAdded']:,} added, {summary['recordsChanged']:,} changed",
    )
    yield (
        "relations",
        f"{summary['relationsUnchanged']:,} unchanged, {summary['relationsRemoved']:,} removed",
        f"{summary['relationsAdded']:,} added",
    )


def _rate(side: Mapping[str, Any], rate: str, part: str | None, whole: str) -> str:
    if side[rate] is None:
        return "no data"
    of = f" of {side[whole]:,}" if part is None else f" ({side[part]:,} of {side[whole]:,})"
    return f"{side[rate] * 100:.1f} %{of}"
