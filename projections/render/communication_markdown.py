"""The analysis of communication as Markdown: what needs whose answer, then who said how much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from t2c.projections.communication.model import SCHEMA, Analysis, Issue
from t2c.projections.render.markdown import inline

__all__ = ["communication_markdown"]

_MOST: Final = 50
"""Issues of one code that are told; the others are counted."""
_DETAIL: Final = 700
_PARTS: Final = 20
"""Commitments and risks of one participant that are told."""


def communication_markdown(analysis: Analysis) -> bytes:
    """`communication.md` of an analysis."""
    return ("\n".join(_page(analysis)) + "\n").encode()


def _page(analysis: Analysis) -> Iterator[str]:
    yield "# Communication"
    yield ""
    yield f"<!-- {SCHEMA} -->"
    yield f"As of {analysis.generatedAt}: {len(analysis.participants):,} participants, {len(analysis.tickets):,} tickets."
    yield ""
    counts = ", ".join(
        f"{count:,} {severity.replace('_', ' ')}"
        for severity, count in reversed(analysis.counts.items())
        if count
    )
    yield f"Issues: {counts or 'none'}."
    for code, issues in groupby(sorted(analysis.issues, key=_rank), key=lambda issue: issue.code):
        yield from _code(code, list(issues))
    yield from ("", "## Who said how much", "")
    yield "| participant | role | tickets | statements | declarations | plans | claims | commits | evidence | issues |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in analysis.participants:
        yield (
            f"| {inline(row.participant)} | {row.role} | {len(row.tickets):,} | {row.communicationRecords:,} "
            f"| {row.declarations:,} | {row.plans:,} | {row.claims:,} | {row.matchedGitCommits:,} "
            f"| {row.linkedEvidenceRecords:,} | {len(row.issueIds):,} |"
        )
    yield from _syntheses(analysis)


def _syntheses(analysis: Analysis) -> Iterator[str]:
    """What a model says of each participant, in sum, marked as such."""
    if not analysis.syntheses:
        return
    yield from ("", "## In sum, as a model reads it", "")
    yield "A model's words. They raise no issue and settle none."
    yield ""
    for one in analysis.syntheses:
        model = (one.get("generation") or {}).get("model")
        yield (
            f"- **{inline(str(one.get('participant')))}** ({inline(str(one.get('role')))}): "
            f"{inline(str(one.get('summary')), _DETAIL)} — {inline(str(model))}, from {len(one.get('recordIds') or ()):,} statements"
        )
        for name in ("commitments", "risks"):
            for said in list(one.get(name) or ())[:_PARTS]:
                yield f"  - {name}: {inline(str(said), _DETAIL)}"


def _rank(issue: Issue) -> tuple[int, str, str, str]:
    return (
        ("blocking", "review_required", "warning", "info").index(issue.severity),
        issue.code,
        issue.ticket,
        issue.id,
    )


def _code(code: str, issues: list[Issue]) -> Iterator[str]:
    yield from ("", f"## {code} ({len(issues):,})", "")
    for issue in issues[:_MOST]:
        yield f"- **{inline(issue.ticket)}** `{issue.id}`: {inline(issue.detail, _DETAIL)}"
        asked = ", ".join(inline(one) for one in issue.responseRequiredFrom)
        yield f"  {inline(issue.suggestedAction, _DETAIL)} Response is up to: {asked}."
    if len(issues) > _MOST:
        yield f"- … and {len(issues) - _MOST:,} more in `communication.json`"
