"""`t2c runs`: what runs did, and their folders made again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.runs import RunsList, ShownRun

__all__ = ["GROUP", "list_runs", "show"]

GROUP = Branch(
    "Runs: each is an act that the journal tells of, from its start to its end or to the stage where it stopped.",
    (
        Entry("list", "t2c.cli.commands.runs:list_runs", "List the runs, the newest first."),
        Entry("show", "t2c.cli.commands.runs:show", "Show one run, or make its folder again."),
    ),
)


def list_runs(
    ctx: typer.Context,
    participant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only those at whose end a record of NAME stood.")
    ] = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Only those at whose end a record of that role stood.")
    ] = None,
    ticket: Annotated[
        str | None, typer.Option(metavar="TICKET", help="Only those at whose end a record of it stood.")
    ] = None,
    severity: Annotated[
        str | None,
        typer.Option(
            metavar="SEVERITY",
            help="Only those at whose end there was a finding so severe: info, warning, review_required, blocking.",
        ),
    ] = None,
    verb: Annotated[
        str | None, typer.Option(metavar="VERB", help="Only runs of it, such as run, scan or summarize.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(metavar="STATUS", help="succeeded, partial (or degraded), failed.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Look at the N newest; 0: all.", min=0)] = 20,
    at: At = None,
    json: Json = False,
) -> None:
    """List the runs of this ledger, the newest first, and the manifests that another system left in .intent/runs.

    A run that began and never ended is a failed one: it got as far as the stage that is named. With several conditions
    a run must have at its end a record that fits all of them. Of other systems' runs only the manifest is known; one
    from before manifests told of stages is marked legacy.

    Examples:

        t2c runs list
        t2c runs list --verb run --status failed
        t2c runs list --ticket ACME-7 --severity blocking --limit 0
        t2c runs list --at 2h --json
    """
    from t2c.cli.actions import runs as action

    invocation = Invocation.of(ctx)
    asked = action.RunsAsked(participant, role, ticket, severity, verb, status, at, limit)
    with invocation.context() as context:
        found = action.listed(context, asked)
    if found.unreadable:
        first = found.unreadable[0]
        count = len(found.unreadable)
        invocation.output.warn(
            f"{count:,} manifest{'' if count == 1 else 's'} could not be read; {first['path']}: {first['why']}"
        )
    invocation.emit(found, lambda style: joined(_list(found, style)))


def show(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Its id, the beginning of it, or latest.")],
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Make its folder again, as DIR, which must not exist yet."),
    ] = None,
    json: Json = False,
) -> None:
    """Show how one run went, stage by stage; --out makes its folder again, the same bytes, from the journal alone.

    Examples:

        t2c runs show latest
        t2c runs show 20260105T100000Z-0123abcd --json
        t2c runs show latest --out build/run
    """
    from t2c.cli.actions import runs as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.shown(context, run, out)
    invocation.emit(found, lambda style: joined(_shown(found, out, style)))


def _list(found: RunsList, style: Style) -> Iterator[str]:
    if not found.runs and not found.foreign:
        yield "no run fits"
    for one in found.runs:
        failed = f" at {one.failed_at}" if one.failed_at is not None else ""
        said = f"{_marked(one.status, style)}{failed}"
        yield f"{one.run}  {one.verb}  {said}  {style.faint(f'seq {one.seq}, {one.appended:,} events')}"
    if found.more:
        yield style.faint(f"… and {found.more:,} older (--limit)")
    for other in found.foreign:
        status = "legacy" if other.legacy else other.status or "unknown"
        yield f"{other.run}  {style.faint(other.path)}  {_marked(status, style)}"


def _shown(found: ShownRun, out: str | None, style: Style) -> Iterator[str]:
    told = found.told
    failed = f" at {told['failedAt']}" if told["failedAt"] is not None else ""
    yield f"run {found.run}: t2c {told['verb']}, {_marked(told['status'], style)}{failed}"
    yield style.faint(f"  by {told['requestedBy']}, {told['tool']}, from {told['began']['ts']}")
    if told["detail"]:
        yield f"  {told['detail']}"
    for stage in told["stages"]:
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(stage["counts"].items()) if count)
        why = f"  {stage['detail']}" if stage["detail"] else ""
        yield f"  {stage['stage']:<26} {_marked(stage['status'], style)}  {style.faint(counts)}{why}".rstrip()
    if found.manifest is not None and found.manifest["graphFingerprint"]:
        yield style.faint(f"  graph {found.manifest['graphFingerprint']}")
    if found.written:
        yield f"wrote {len(found.written):,} files to {out}"


def _marked(status: str, style: Style) -> str:
    if status == "succeeded":
        return style.good(status)
    return style.bad(status) if status == "failed" else style.doubtful(status)
