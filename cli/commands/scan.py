"""`t2c scan`: observe the repository and record what changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.init import warn_of_overwriting
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json, Llm
from t2c.cli.present.style import Style
from t2c.ledger.errors import Findings, Model, Usage

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context
    from t2c.cli.actions.scan import StageRow

__all__ = ["scan"]


def scan(
    ctx: typer.Context,
    folder: Annotated[
        str | None, typer.Argument(metavar="ROOT", help="The repository; the same as t2c --root ROOT scan.")
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
    llm: Llm = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the requests that --llm would send of what is recorded, one a line; send and record nothing.",
        ),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was left out.")] = False,
    json: Json = False,
) -> None:
    """Read every source of the repository, record what changed, link it, and make the views of a scan.

    Sources are tasks, comments, changelogs, documents, code, configuration, what a team wrote about its tickets, and
    the history. A second scan of an unchanged repository appends nothing. What cannot be read is counted and named,
    never dropped. Makes the ledger if there is none. What --task, --report and --cycle name stands until it is given
    again.

    With --llm a model is asked how it reads tasks, changelogs, documents, tickets and what a team wrote: a layer over the
    records, whose ids, sources and classes stay. `t2c llm log` shows what was asked, and docs/guide/models.md how it works.

    Examples:

        t2c scan
        t2c scan ../service --json
        t2c scan --strict
        t2c scan --llm record
        t2c scan --llm record --dry-run
        t2c scan --task ticket.md --report build/junit.xml --commit "$(git rev-parse HEAD)"
    """
    from t2c.cli.actions import scan as action
    from t2c.cli.actions.given import given_files
    from t2c.cli.actions.state import state_dir
    from t2c.ledger.intake.base import REMARKS

    invocation = Invocation.of(ctx)
    if folder is not None:
        if invocation.root not in (None, folder):
            raise Usage(f"two roots were given: {invocation.root} and {folder}", remedy="give one of them")
        invocation.root = folder
    with invocation.context({"scan.commits": commits, "llm.mode": llm}) as context:
        if dry_run:
            if task or report or cycle:
                raise Usage(
                    "--dry-run shows what would be sent of what is recorded, and reads no file",
                    remedy="scan them first, without --llm",
                )
            _previewed(invocation, context)
            return
        if commit is not None and not report:
            raise Usage("--commit was given without a report", remedy="give the report too: --report FILE")
        given = [
            *given_files(context, "nl", task or ()),
            *given_files(context, "tests", report or (), commit),
            *given_files(context, "cycle", cycle or ()),
        ]
        asks = context.settings.llm.mode != "off"
        scanned = action.scan(context, given, state_dir(invocation.environ) if asks else None)
        if scanned.failure is None:
            keep_up(invocation, context)
        if scanned.result.made:
            warn_of_overwriting(invocation, context)
        summary = Path(".t2c", "projections", "summary", "summary.md")
    for notice in (
        *scanned.notices,
        *(text for audit in scanned.result.interpretation for text in audit.warnings),
    ):
        invocation.output.warn(notice)
    result = scanned.result
    if isinstance(scanned.failure, Model) and invocation.output.json:
        # One document is printed, and the failed audit stands in that of the error (decisions D10).
        scanned.failure.details["scan"] = result
        raise scanned.failure
    invocation.emit(result, lambda style: _text(result, summary, style))
    if scanned.failure is not None:
        raise scanned.failure
    missed = {reason: count for reason, count in result.omissions.items() if reason not in REMARKS}
    left_out = sum(missed.values())
    if strict and left_out:
        raise Findings(
            f"{left_out:,} thing{' was' if left_out == 1 else 's were'} left out: {_counts(missed)}",
            safe="everything that could be read is recorded",
            remedy="see `t2c ledger log --type omission.noted`, and docs/omissions.md for what each means",
        )


def _previewed(invocation: Invocation, context: Context) -> None:
    """The bodies as they are, and what they come to on stderr."""
    from t2c.cli.actions.previewing import preview
    from t2c.cli.actions.state import state_dir

    seen = preview(context, state_dir(invocation.environ))
    if invocation.output.json:
        invocation.emit(seen, lambda style: "")
    else:
        for request in seen.requests:
            invocation.output.raw(request.body.encode() + b"\n")
    for stage in seen.stages:
        known = f", {stage.known:,} answered in the record" if stage.known else ""
        invocation.output.say(
            f"{stage.stage.replace('_', ' ')}: {stage.requests:,} requests, {stage.bytes:,} bytes, {stage.shown:,} "
            f"records shown to {stage.model}{known}"
        )
    invocation.output.say("nothing was sent or recorded")


def _text(result: object, summary: Path, style: Style) -> str:
    from t2c.cli.actions.scan import ScanResult

    assert isinstance(result, ScanResult)
    lines = []
    if result.made:
        lines.append(f"made ledger {result.ledger}")
    if result.run is None and not result.appended:
        lines.append(style.good("nothing changed: nothing was appended") + f" (seq {result.seq})")
    elif result.interpreted_by is not None:
        total = sum(result.appended.values())
        runs = ", ".join(run for run in (result.run, result.interpreted_by) if run is not None)
        plural = "runs" if result.run is not None else "run"
        lines.append(f"{plural} {runs}: {total:,} events appended (seq {result.seq})")
        if result.run is None:
            lines.append("  the sources are unchanged; a model was asked about the records")
        lines.append("  appended   " + _counts(result.appended))
    elif result.run is None:
        lines.append(f"nothing changed; runs that had stopped were closed (seq {result.seq})")
    else:
        total = sum(result.appended.values())
        lines.append(f"run {result.run}: {total:,} events appended (seq {result.seq})")
        lines.append("  appended   " + _counts(result.appended))
    lines.append("  records    " + (_counts(result.records) or "none"))
    lines.append(f"  relations  {result.relations:,}")
    if result.omissions:
        lines.append("  " + style.doubtful("left out") + "   " + _counts(result.omissions))
    lines += ["", *_table(result.table, style), ""]
    for audit in result.interpretation:
        if audit.recordCount:
            by = f", read by {audit.model}" if audit.model else ""
            lines.append(
                f"  {audit.stage.replace('_', ' ')}: {audit.status}, {audit.interpreted:,} of "
                f"{audit.recordCount:,} records{by}"
            )
    lines.append(f"  read       {summary.as_posix()}")
    return "\n".join(lines)


def _table(stages: Sequence[StageRow], style: Style) -> list[str]:
    """One line a stage: what it read, what it found and how it went. Stages with nothing to do are left out."""
    rows = [("stage", "files", "unchanged", "records", "left out", "")]
    rows += [
        (
            stage.name,
            f"{stage.files:,}",
            f"{stage.unchanged:,}",
            f"{stage.records:,}",
            f"{stage.omissions:,}",
            stage.status if stage.status != "succeeded" else "",
        )
        for stage in stages
        if stage.files or stage.records or stage.omissions or stage.status != "succeeded"
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:5], widths[1:], strict=True)),
        ]
        line = "  " + "  ".join(cells)
        lines.append(style.faint(line) if number == 0 else f"{line}  {style.doubtful(row[5])}".rstrip())
    return lines


def _counts(counts: object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))
