"""`t2c suppress`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.suppress import SuppressionList, SuppressionRow

__all__ = ["suppress"]


def suppress(
    ctx: typer.Context,
    target: Annotated[
        str | None,
        typer.Argument(metavar="FINDING|CAUSE", help="DIAG-… or its first digits, or a whole cause."),
    ] = None,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; it stands beside what it hides.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Until when: a date, a time, or 30d. Without it for good."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show what is suppressed, why and until when.")
    ] = False,
    withdraw: Annotated[
        str | None,
        typer.Option("--withdraw", metavar="EVT-…", help="End the suppression that this event granted."),
    ] = None,
    json: Json = False,
) -> None:
    """Decide not to be told of a finding, or of every finding of one cause. It is an event, with you as its actor.

    What is suppressed is counted in each answer and shown by `t2c diagnose --suppressed`; it comes back when its time
    is over, which is so from the first event that is recorded after it.

    Examples:

        t2c suppress DIAG-0123456789abcdef0123 --reason "kept for old clients" --until 2027-01-31
        t2c suppress --list
        t2c suppress --withdraw EVT-0123456789abcdef0123 --reason "old clients are gone"
    """
    from t2c.cli.actions import suppress as action
    from t2c.ledger.errors import Usage

    if sum((target is not None, listed, withdraw is not None)) != 1:
        raise Usage("say one thing", remedy="name a finding, or give --list, or --withdraw EVT-…")
    if not listed and not (reason or "").strip():
        raise Usage("a reason is missing", remedy='add --reason "…"')
    if target is None and until is not None:
        raise Usage("--until belongs to a finding that is to be suppressed", remedy="leave it out")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        if listed:
            found = action.listed(context)
            invocation.emit(found, lambda style: _all(found, style))
            return
        if withdraw is not None:
            row = action.withdraw(context, withdraw, reason or "")
        else:
            row = action.suppress(context, target or "", reason or "", until)
    said = "withdrawn" if withdraw is not None else "suppressed"
    invocation.emit(
        row, lambda style: f"{row.finding or row.cause} is {said}{_until(row) if withdraw is None else ''}"
    )


def _all(found: SuppressionList, style: Style) -> str:
    if not found.suppressions:
        return "nothing is suppressed"
    count = len(found.suppressions)
    lines = [f"{count:,} suppression{'' if count == 1 else 's'} as of {found.ts}"]
    for row in found.suppressions:
        lines.append(f"  {row.finding or row.cause}{_until(row)}")
        lines.append(f"    {row.reason}")
        over = "" if row.holds else style.doubtful("  over")
        lines.append(style.faint(f"    {row.event}, seq {row.seq}, by {row.by}") + over)
    return "\n".join(lines)


def _until(row: SuppressionRow) -> str:
    return "" if row.expires is None else f" until {row.expires}"
