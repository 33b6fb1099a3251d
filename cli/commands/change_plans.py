"""`t2c change plan|list|show|review`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.change_show import ChangeList, ChangeReview, ChangeShown
    from t2c.cli.actions.planning import PlansResult

__all__ = ["listed", "plan", "review", "show"]

_TOLD = 10
"""Findings without a plan that are named; all of them are counted."""


def plan(
    ctx: typer.Context,
    findings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FINDING…]", help="DIAG-… or first digits; all without any."),
    ] = None,
    most: Annotated[int, typer.Option("--max", metavar="N", help="At most so many plans, 1 to 500.")] = 50,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path",
            metavar="PATH[:ACTION]",
            help="A file of the one plan: create, modify or delete. Repeatable.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What the one plan is called.")
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option("--criterion", metavar="TEXT", help="What else shows it done. Repeatable."),
    ] = None,
    json: Json = False,
) -> None:
    """Draw plans of code changes from what is planned, or said to be released, and is not there. No file is changed.

    A plan names the files that the records name, how it will be judged, what can go wrong, and what it rests on. A finding
    that names no file gives none, and is told; --path gives the files of one finding by hand. Suppressed findings give
    none, nor do several comments together. Recorded and shown is only what is new; a plan that nothing came of yet makes
    room for a newer one of the same finding.

    Examples:

        t2c change plan
        t2c change plan --max 5 --json
        t2c change plan DIAG-01234567 --path src/metrics.py --path tests/test_metrics.py:create
    """
    from t2c.cli.actions import planning as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        given = action.given_paths(path or ())
        found = action.plan(
            context, findings or (), most=most, paths=given, title=title, criteria=criterion or ()
        )
    invocation.emit(found, lambda style: joined(_planned(found, style, whole=bool(findings))))


def listed(
    ctx: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Closed and superseded ones, too.")] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """List the plans and where each stands.

    Examples:

        t2c change list
        t2c change list --all --at 2h
        t2c change list --json
    """
    from t2c.cli.actions import change_show as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.listed(context, at, all=all)
    invocation.emit(found, lambda style: joined(_list(found, style)))


def show(
    ctx: typer.Context,
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="CPLAN-…, its hash, event or seq, or first digits.")
    ],
    at: At = None,
    json: Json = False,
) -> None:
    """Show a plan, where it stands and every step that brought it there.

    `t2c ledger log --subject PLAN` lists the events themselves.

    Examples:

        t2c change show CPLAN-0123456789abcdef0123
        t2c change show CPLAN-01234567 --at 2026-01-05
        t2c change show CPLAN-01234567 --json
    """
    from t2c.cli.actions import change_show as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.show(context, plan, at)
    invocation.emit(found, lambda style: joined(_shown(found, style)))


def review(
    ctx: typer.Context,
    plans: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAN…]", help="Plans; all that stand without any.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Write CODE_CHANGE.review.md and .json into DIR, too."),
    ] = None,
    json: Json = False,
) -> None:
    """Render the brief of plans that people read and approve, and record its hash. No file of yours is changed.

    The hash is of exactly the bytes that are printed; the same plans give the same brief, which is recorded once.

    Examples:

        t2c change review
        t2c change review CPLAN-01234567 --out build
        t2c change review --json
    """
    from t2c.cli.actions import change_show as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.review(context, plans or (), out)
    if found.others:
        invocation.output.warn(
            f"{found.others:,} open plan{'' if found.others == 1 else 's'} of another graph or state: not in this brief"
        )
    if found.files:
        invocation.output.say("a scan reads these files like any other, unless Git ignores them")
    invocation.emit(found, lambda style: _reviewed(found, style))


def _planned(found: PlansResult, style: Style, *, whole: bool) -> Iterator[str]:
    """What is new; `whole` with the plans that stood before, of findings that somebody named."""
    new = sum(row.new for row in found.plans)
    count = len(found.plans)
    yield (
        f"{count:,} plan{'' if count == 1 else 's'}, {new:,} new, of {found.considered:,} finding"
        f"{'' if found.considered == 1 else 's'} that ask for code, as of seq {found.seq}"
    )
    for row in found.plans:
        if row.new or whole:
            yield ""
            yield from _plan(row.plan, style)
            yield style.faint(f"    next: t2c change patch {row.plan['id']} --diff FILE")
    if count > new and not whole:
        yield ""
        yield f"{count - new:,} plan{' stands' if count - new == 1 else 's stand'} as before: t2c change list"
    if found.kept:
        yield ""
        yield f"{len(found.kept):,} under way, not drawn again: {', '.join(found.kept[:_TOLD])}"
    if found.left:
        yield ""
        counted = ", ".join(f"{name.replace('_', ' ')} {times:,}" for name, times in found.reasons.items())
        yield style.doubtful(f"No plan for {len(found.left):,}: {counted}")
        for one in found.left[:_TOLD]:
            yield f"  {one['finding']}  {one['place']}  {one['why']}"
        if len(found.left) > _TOLD:
            yield f"  and {len(found.left) - _TOLD:,} more; --json names them all"
        if found.reasons.keys() & {"no_path", "unusable_path", "absent_file", "several_comments"}:
            yield style.faint("  name the files by hand: t2c change plan DIAG-… --path FILE")


def _plan(plan: Mapping[str, Any], style: Style) -> Iterator[str]:
    yield f"{plan['priority']}  {plan['title']}  {style.faint(plan['id'])}"
    yield f"    {plan['description']}"
    for change in plan["changes"]:
        symbols = f" ({', '.join(change['symbols'])})" if change["symbols"] else ""
        yield f"    {change['action']} {change['path']}{symbols}"
    yield f"    risk {plan['risk']['level']}, confidence {plan['confidence']}"
    for criterion in plan["acceptanceCriteria"]:
        yield f"    [ ] {criterion}"
    yield style.faint(f"    hash {plan['planHash']}")


def _list(found: ChangeList, style: Style) -> Iterator[str]:
    if not found.plans:
        yield "no plan stands" + (
            "" if not found.hidden else f"; {found.hidden:,} closed or superseded: --all"
        )
        return
    for one in found.plans:
        yield f"{one['id']}  {one['state']:<12}  {one['priority']}  {one['title']}"
        yield style.faint(f"    seq {one['seq']}; {', '.join(one['paths'])}")
    if found.hidden:
        yield style.faint(f"and {found.hidden:,} closed or superseded: --all")


def _shown(found: ChangeShown, style: Style) -> Iterator[str]:
    yield from _plan(found.plan, style)
    yield f"    taken back by: {found.plan['rollback']}"
    evidence = found.plan["evidence"]
    yield style.faint(f"    rests on {', '.join((*evidence['diagnosticIds'], *evidence['recordIds'][:4]))}")
    yield ""
    by = f": {found.superseded_by}" if found.superseded_by else ""
    yield f"{found.state}: {found.meaning}{by}"
    yield f"  seq {found.planned_seq}  planned by {', '.join(found.proposed_by)}"
    for step in found.steps:
        detail = f"  {step['detail']}" if step["detail"] else ""
        yield f"  seq {step['seq']}  {step['ts']}  {step['state']} by {step['by']}{detail}"


def _reviewed(found: ChangeReview, style: Style) -> str:
    hash = found.review["renderedPatchHash"]
    files = f"\nwritten: {', '.join(found.files)}" if found.files else ""
    return f"{found.markdown}\n{style.faint(f'sha256 {hash}, seq {found.seq}')}{files}"
