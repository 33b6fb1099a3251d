"""`t2c run`: every stage, and the folder that tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.init import warn_of_overwriting
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json, Llm
from t2c.cli.present.style import Style
from t2c.ledger.errors import Usage

if TYPE_CHECKING:
    from t2c.cli.actions.run import RunResult

__all__ = ["run"]


def run(
    ctx: typer.Context,
    folder: Annotated[
        str | None, typer.Argument(metavar="ROOT", help="The repository; the same as t2c --root ROOT run.")
    ] = None,
    commits: Annotated[
        int | None, typer.Option(metavar="N", help="Read the N newest commits; 0: all (scan.commits).", min=0)
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A task or ticket to read as well; may be repeated."),
    ] = None,
    report: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A report of tests, coverage or findings to read as well."),
    ] = None,
    commit: Annotated[
        str | None, typer.Option(metavar="SHA", help="The commit that the reports are about.")
    ] = None,
    cycle: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="What a runtime cycle observed, to read as well.")
    ] = None,
    task_synthesis: Annotated[
        str | None,
        typer.Option(
            "--task-synthesis", metavar="MODE", help="disabled (default), prefer-llm or require-llm."
        ),
    ] = None,
    summary: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="deterministic, prefer-llm or require-llm (llm.summary)."),
    ] = None,
    no_communication: Annotated[
        bool,
        typer.Option("--no-communication", help="Leave the page on what a team wrote out of the folder."),
    ] = False,
    llm: Llm = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Where runs/ and latest.json go, inside the root (default: .t2c)."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Do every stage: scan, link, diagnose, propose tasks, summarise; and write a folder that tells of all of it.

    The folder is DIR/runs/RUN, with a manifest of the stages; DIR/latest.json names the last run that came to its end.
    A run that fails leaves a manifest that says where, and latest.json as it was. `t2c runs show RUN --out DIR` makes
    the same files again, at any time, from the journal alone.

    Examples:

        t2c run
        t2c run ../service --json
        t2c run --task ticket.md --summary deterministic
        t2c run --llm record --task-synthesis prefer-llm
        t2c run --out build/evidence
    """
    from t2c.cli.actions import run as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    if folder is not None:
        if invocation.root not in (None, folder):
            raise Usage(f"two roots were given: {invocation.root} and {folder}", remedy="give one of them")
        invocation.root = folder
    if commit is not None and not report:
        raise Usage("--commit was given without a report", remedy="give the report too: --report FILE")
    request = action.RunRequest(
        tasks=task or (),
        reports=report or (),
        commit=commit,
        cycles=cycle or (),
        task_synthesis=task_synthesis,
        summary=summary,
        communication=not no_communication,
        out=out,
    )
    with invocation.context({"scan.commits": commits, "llm.mode": llm}) as context:
        found = action.run(context, request, state_dir(invocation.environ))
        keep_up(invocation, context)
        if found.made:
            warn_of_overwriting(invocation, context)
    for notice in found.notices:
        invocation.output.warn(notice)
    invocation.emit(found, lambda style: _text(found, style))


def _text(found: RunResult, style: Style) -> str:
    said = style.good(found.status) if found.status == "succeeded" else style.doubtful(found.status)
    lines = [f"run {found.run}: {said} (seq {found.seq})"]
    for name, audit in found.manifest["stages"].items():
        by = f", by {audit['model']}" if audit["effectiveMode"] == "llm" and audit["model"] else ""
        why = f": {audit['reason']['message']}" if audit["reason"] else ""
        line = f"  {name:<26} {audit['status']}{by}{why}"
        lines.append(style.faint(line) if audit["status"] == "skipped" else line)
    lines.append(f"  read  {found.folder}/team-summary.md")
    lines.append(style.faint(f"  all   {found.folder}/manifest.json"))
    return "\n".join(lines)
