"""`t2c link`: list, show, accept, reject, calibration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.links import Calibration, LinkList, LinkRow

__all__ = ["GROUP", "accept", "calibration", "listed", "reject", "show"]

GROUP = Branch(
    "Look at relations and say which are right. What you say is an event, and makes others more or less sure.",
    (
        Entry("list", "t2c.cli.commands.link:listed", "List relations, the least sure first."),
        Entry("show", "t2c.cli.commands.link:show", "Show one relation and why it was drawn."),
        Entry("accept", "t2c.cli.commands.link:accept", "Say that a relation is right."),
        Entry("reject", "t2c.cli.commands.link:reject", "Say that a relation is wrong."),
        Entry("calibration", "t2c.cli.commands.link:calibration", "Show how sure each kind of evidence is."),
    ),
)

_Relation = Annotated[str, typer.Argument(metavar="REL-…", help="The id, or its first digits.")]


def listed(
    ctx: typer.Context,
    asked: Annotated[
        str | None,
        typer.Argument(metavar="RECORD|PATH|TICKET", help="Only those around this; a commit or a name, too."),
    ] = None,
    type: Annotated[
        str | None, typer.Option(metavar="TYPE", help="Only of this type: releases, tests …")
    ] = None,
    below: Annotated[
        float | None, typer.Option(metavar="P", help="Only those less sure than this.", min=0, max=1)
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many at most; --json has all.", min=1)
    ] = 40,
    at: At = None,
    json: Json = False,
) -> None:
    """List relations, the least sure first, each as a sentence with its reasons.

    Examples:

        t2c link list
        t2c link list --type releases --below 0.97
        t2c link list src/app.py --json
    """
    from typing import get_args

    from t2c.cli.actions import links as action
    from t2c.ledger.errors import Usage
    from t2c.ledger.events.record import RelationType

    if type is not None and type not in get_args(RelationType):
        raise Usage(
            f"there is no type of relation {type!r}", remedy=f"there are {', '.join(get_args(RelationType))}"
        )
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.listed(context, asked, type=type, below=below, at=at)
    invocation.emit(found, lambda style: joined(_list(found, style, limit)))


def show(ctx: typer.Context, relation: _Relation, at: At = None, json: Json = False) -> None:
    """Show one relation: its ends, its rule, what was seen, how sure it is, and what was said of it.

    Examples:

        t2c link show REL-0123456789abcdef0123
        t2c link show REL-0123abcd --json
    """
    from t2c.cli.actions import links as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.shown(context, relation, at)
    invocation.emit(found, lambda style: joined(_row(found, style)))


def accept(
    ctx: typer.Context,
    relation: _Relation,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why it is right.")] = "",
    json: Json = False,
) -> None:
    """Say that a relation is right. The next scan marks it, and is surer of others of its kind.

    Examples:

        t2c link accept REL-0123456789abcdef0123
        t2c link accept REL-0123abcd --reason "I wrote both"
    """
    _judge(ctx, relation, "right", reason)


def reject(
    ctx: typer.Context,
    relation: _Relation,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why it is wrong.")],
    json: Json = False,
) -> None:
    """Say that a relation is wrong. The next scan takes it away and is less sure of others of its kind.

    Examples:

        t2c link reject REL-0123456789abcdef0123 --reason "the commit only renames the file"
    """
    _judge(ctx, relation, "wrong", reason)


def calibration(ctx: typer.Context, at: At = None, json: Json = False) -> None:
    """Show how sure each kind of evidence makes: its prior, what people judged, and what it is now.

    Ten judgements weigh as much as a prior. --json has how it changed with each judgement.

    Examples:

        t2c link calibration
        t2c link calibration --json
    """
    from t2c.cli.actions import links as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.calibration(context, at)
    invocation.emit(found, lambda style: joined(_grades(found, style)))


def _judge(ctx: typer.Context, relation: str, verdict: Literal["right", "wrong"], reason: str) -> None:
    from t2c.cli.actions import links as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.judge(context, relation, verdict, reason)
    invocation.output.recorded = f"the verdict is recorded as seq {found.seq}"
    invocation.emit(
        found,
        lambda style: (
            f"{found.relation} is judged {found.verdict} by event {found.seq}\n  {found.sentence}\n"
            + style.faint("  `t2c scan` takes it into account")
        ),
    )


def _list(found: LinkList, style: Style, limit: int) -> Iterator[str]:
    if not found.links:
        yield f"no relation is so, of {found.total:,} that stand"
        return
    yield f"{len(found.links):,} of {found.total:,} relations, the least sure first"
    for row in found.links[:limit]:
        said = "" if row.verdict is None else f"  {style.doubtful('judged ' + row.verdict)}"
        yield f"{row.id}  {row.confidence:.3f}{said}"
        yield f"  {row.source} {row.sentence}"
    if len(found.links) > limit:
        yield style.faint(f"… and {len(found.links) - limit:,} more (--limit, or --json for all)")


def _row(row: LinkRow, style: Style) -> Iterator[str]:
    yield f"{row.id}: {row.type}, {row.confidence:.3f} sure, by the rule {row.rule}"
    yield f"  from   {row.source}  {style.faint(row.from_record)}"
    yield f"  to     {row.to}  {style.faint(row.to_record)}"
    yield f"  reads  {row.sentence}"
    yield f"  basis  {', '.join(row.basis)}"
    for name, value in row.signals:
        yield f"  saw    {name}: {value}"
    if row.verdict is not None:
        yield f"  judged {row.verdict}" + (f": {row.reason}" if row.reason else "")


def _grades(found: Calibration, style: Style) -> Iterator[str]:
    yield f"{found.judged:,} judgement{'' if found.judged == 1 else 's'} as of seq {found.seq}"
    yield f"{'rule':<12} {'grade':<28} {'relations':>9} {'prior':>6} {'right':>5} {'wrong':>5} {'now':>6}"
    for row in found.grades:
        prior, now = row.prior or 0.0, row.now or 0.0
        moved = f"{now:>6.3f}" if row.right or row.wrong else style.faint(f"{now:>6.3f}")
        yield (
            f"{row.rule:<12} {row.grade:<28} {row.relations:>9,} {prior:>6.3f} {row.right:>5} {row.wrong:>5} {moved}"
        )
