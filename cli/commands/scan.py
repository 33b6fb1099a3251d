"""`t2c scan`: observe the repository and record what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.init import warn_of_overwriting
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style
from t2c.ledger.errors import Findings, Usage

__all__ = ["scan"]


def scan(
    ctx: typer.Context,
    folder: Annotated[
        str | None, typer.Argument(metavar="ROOT", help="The repository; the same as t2c --root ROOT scan.")
    ] = None,
    commits: Annotated[
        int | None, typer.Option(metavar="N", help="Read the N newest commits (scan.commits).", min=1)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was left out.")] = False,
    json: Json = False,
) -> None:
    """Read tasks, changelogs, Git history and code, record what changed, link it and make the views.

    A second scan of an unchanged repository appends nothing. What cannot be read is counted and named, never
    dropped. Makes the ledger if there is none.

    Examples:

        t2c scan
        t2c scan ../service --json
        t2c scan --strict
    """
    from t2c.cli.actions import scan as action
    from t2c.ledger.intake.base import REMARKS

    invocation = Invocation.of(ctx)
    if folder is not None:
        if invocation.root not in (None, folder):
            raise Usage(f"two roots were given: {invocation.root} and {folder}", remedy="give one of them")
        invocation.root = folder
    with invocation.context({"scan.commits": commits}) as context:
        scanned = action.scan(context)
        if scanned.failure is None:
            keep_up(invocation, context)
        if scanned.result.made:
            warn_of_overwriting(invocation, context)
        summary = Path(".t2c", "projections", "summary", "summary.md")
    result = scanned.result
    invocation.emit(result, lambda style: _text(result, summary, style))
    if scanned.failure is not None:
        raise scanned.failure
    left_out = sum(count for reason, count in result.omissions.items() if reason not in REMARKS)
    if strict and left_out:
        raise Findings(
            f"{left_out} things were left out",
            safe="everything that could be read is recorded",
            remedy="see `t2c ledger log --type omission.noted`",
        )


def _text(result: object, summary: Path, style: Style) -> str:
    from t2c.cli.actions.scan import ScanResult

    assert isinstance(result, ScanResult)
    lines = []
    if result.made:
        lines.append(f"made ledger {result.ledger}")
    if result.run is None and not result.appended:
        lines.append(style.good("nothing changed: nothing was appended") + f" (seq {result.seq})")
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
    poor = [f"{name} {status}" for name, status in result.stages.items() if status != "succeeded"]
    if poor:
        lines.append("  " + style.doubtful("stages") + "     " + ", ".join(poor))
    lines.append(f"  read       {summary.as_posix()}")
    return "\n".join(lines)


def _counts(counts: object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))
