"""`t2c change`: evaluate, close."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.evaluating import ClosingResult, EvaluationResult

__all__ = ["close", "evaluate"]

_PLAN = "A plan, by its id or the first digits of it."


def evaluate(
    ctx: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help=_PLAN)],
    json: Json = False,
) -> None:
    """Hold a plan against what the last scan saw, and record what was found. Exit code 1 if it is not accepted.

    Each condition that the plan is about is judged again for the same statement, wherever that stands now. It is cleared
    only if the statement stands, was read whole, and code in the files of the plan, or a commit that changed one of them,
    came since the plan and shows it. That a finding is gone, suppressed or ticked off proves nothing. Accepted is a plan
    with all of them cleared and no new blocking finding; nothing is done or ticked by it.

    Examples:

        t2c change evaluate CPLAN-0123456789abcdef0123
        t2c change evaluate CPLAN-01234567 --json
    """
    from t2c.cli.actions import evaluating as action
    from t2c.ledger.errors import Findings

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.evaluate(context, plan)
    for notice in found.notices:
        invocation.output.warn(notice)
    invocation.output.recorded = f"the evaluation is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_evaluated(found, style)))
    if not found.accepted:
        raise typer.Exit(Findings.code)


def close(
    ctx: typer.Context,
    plans: Annotated[list[str] | None, typer.Argument(metavar="PLAN…", help=_PLAN)] = None,
    every: Annotated[bool, typer.Option("--all", help="All plans that are open.")] = False,
    json: Json = False,
) -> None:
    """Evaluate plans and close them together: all, if each of them is accepted, or none. Exit code 1 for none.

    A plan that is closed already is left as it is. Closing says that its conditions were seen fulfilled; whether the work
    is done is for a person to say, and no task is ticked by it.

    Examples:

        t2c change close CPLAN-0123456789abcdef0123
        t2c change close --all --json
    """
    from t2c.cli.actions import evaluating as action
    from t2c.ledger.errors import Findings, Usage

    if bool(plans) == every:
        raise Usage("say which plans to close", remedy="name one or several, or give --all")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.close(context, plans or (), every=every)
    for notice in dict.fromkeys(notice for one in found.evaluations for notice in one.notices):
        invocation.output.warn(notice)
    if found.seq is not None:
        invocation.output.recorded = f"the closing is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_closed(found, style)))
    if not found.closed:
        raise typer.Exit(Findings.code)


def _evaluated(found: EvaluationResult, style: Style) -> Iterator[str]:
    verdict = "accepted" if found.accepted else style.doubtful("not accepted")
    yield f"{found.plan}  {found.title}"
    yield f"  {verdict}, seq {found.seq}{' (as before: nothing was recorded)' if found.again else ''}"
    if found.closed is not None:
        open_again = f", and open again since seq {found.since}" if found.stance == "reopened" else ""
        yield f"  closed at seq {found.closed}{open_again}"
    told = {f"{one.diagnostic} is {one.state}: {one.reason}" for one in found.subjects}
    for one in found.subjects:
        yield ""
        state = one.state if one.state == "cleared" else style.doubtful(one.state)
        yield f"  {state}  {one.code or 'unknown finding'}  {style.faint(one.diagnostic)}"
        yield f"    {one.reason}"
    others = [reason for reason in found.acceptance["reasons"] if reason not in told]
    if others:
        yield ""
    yield from (f"  {reason}" for reason in others)
    if found.accepted and found.closed is None:
        yield ""
        yield style.faint(f"  t2c change close {found.plan} closes it; nothing is ticked by that")


def _closed(found: ClosingResult, style: Style) -> Iterator[str]:
    for one in found.evaluations:
        yield from _evaluated(one, style)
        yield ""
    for plan in found.already:
        yield f"{plan} is closed already; nothing was recorded"
    if found.evaluations:
        count = len(found.evaluations)
        if found.closed:
            yield f"{'the plan is' if count == 1 else f'{count:,} plans are'} closed, seq {found.seq}"
        else:
            missing = sum(not one.accepted for one in found.evaluations)
            yield style.doubtful(f"nothing was closed: {missing:,} of {count:,} not accepted")
