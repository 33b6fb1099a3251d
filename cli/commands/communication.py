"""`t2c communication`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.communication import CommunicationView
    from t2c.projections.communication.model import Issue

__all__ = ["communication"]

_SEVEREST_FIRST: Final = ("blocking", "review_required", "warning", "info")
_DETAIL: Final = 400
_NAME: Final = 32


def communication(
    ctx: typer.Context,
    ticket: Annotated[
        str | None, typer.Option("--ticket", metavar="TICKET", help="Only what was said about this ticket.")
    ] = None,
    participant: Annotated[
        str | None,
        typer.Option(
            "--participant", metavar="NAME", help="Only what concerns this participant, by id or name."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Issues shown of each code; --json has all.", min=0)
    ] = 5,
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="en or pl.")] = "en",
    at: At = None,
    json: Json = False,
) -> None:
    """Show what in the words of people and agents does not fit, and who must respond.

    Reports are held against commits, tests and files that are recorded; decisions that agents report against what
    people wrote. An issue says what is there and what is not, never who is to blame. --json prints
    t2c.communication-analysis/v1.

    Examples:

        t2c communication
        t2c communication --ticket ticket-004
        t2c communication --participant codex --limit 50
        t2c communication --json | jq '.issues[] | select(.severity == "blocking")'
    """
    from t2c.cli.actions import communication as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.communication(context, action.CommunicationRequest(ticket, participant, at, language))
    if json:
        invocation.output.raw(found.document)
    else:
        output = invocation.output
        output.text(joined(_text(found, output.style, limit)))


def _text(found: CommunicationView, style: Style, limit: int) -> Iterator[str]:
    from t2c.projections.render.reality_reading import counted, plain

    made = found.analysis
    if not made.participants:
        yield "no data: nobody speaks about a ticket in the project folder"
        return
    counts = ", ".join(
        f"{made.counts[name]:,} {name.replace('_', ' ')}" for name in _SEVEREST_FIRST if made.counts[name]
    )
    yield (
        f"{counted(len(made.participants), 'participant')}, {counted(len(made.tickets), 'ticket')}, "
        f"{counted(len(made.issues), 'issue')} as of seq {found.seq}{f': {counts}' if counts else ''}"
    )
    marks = {"blocking": style.bad, "review_required": style.doubtful, "warning": style.doubtful}
    by_code = sorted(
        made.issues, key=lambda one: (_SEVEREST_FIRST.index(one.severity), one.code, one.ticket, one.id)
    )
    for code, issues in groupby(by_code, key=lambda one: one.code):
        told = list(issues)
        yield ""
        yield f"{marks.get(told[0].severity, str)(code)}  {len(told):,}"
        for issue in told[:limit]:
            yield from _issue(issue, style)
        if len(told) > limit:
            yield style.faint(f"  … and {len(told) - limit:,} more (--limit, or --json for all)")
    yield ""
    yield style.faint(
        f"{'participant':<{_NAME}}  {'role':<7}  {'said':>6}  {'plans':>6}  {'claims':>6}  {'commits':>7}  {'issues':>6}"
    )
    for row in made.participants:
        yield (
            f"{plain(row.participant, _NAME):<{_NAME}}  {row.role:<7}  {row.communicationRecords:>6,}  {row.plans:>6,}"
            f"  {row.claims:>6,}  {row.matchedGitCommits:>7,}  {len(row.issueIds):>6,}"
        )
    if made.syntheses:
        yield ""
        yield style.faint("in sum, as a model reads it; its words raise no issue and settle none")
    for one in made.syntheses:
        yield f"  {plain(str(one.get('participant')), _NAME)}  {plain(str(one.get('summary')), _DETAIL)}"


def _issue(issue: Issue, style: Style) -> Iterator[str]:
    from t2c.projections.render.reality_reading import plain

    asked = ", ".join(plain(one, _NAME) for one in issue.responseRequiredFrom)
    yield f"  {plain(issue.ticket, _NAME)}  {plain(issue.detail, _DETAIL)}"
    yield f"    → {asked}: {plain(issue.suggestedAction, _DETAIL)}  {style.faint(issue.id)}"
