"""`t2c init`: make a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style
from t2c.ledger.errors import Usage

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context

__all__ = ["init", "warn_of_overwriting"]


def init(
    ctx: typer.Context,
    track: Annotated[
        bool, typer.Option("--track", help="Let Git track the record (not the views and caches).")
    ] = False,
    git_merge_driver: Annotated[
        bool,
        typer.Option("--git-merge-driver", help="Print what makes Git merge tracked journals with t2c."),
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="With --git-merge-driver: set it in this clone.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a ledger in .t2c at the root. One that is there already is left as it is.

    With --git-merge-driver, say how Git is told to merge tracked journals with t2c instead: a line of .gitattributes,
    to be committed, and settings that each clone needs for itself.

    Examples:

        t2c init
        t2c init --track
        t2c init --git-merge-driver --write
        t2c --root ../service init
    """
    from t2c.cli.actions import init as action

    invocation = Invocation.of(ctx)
    if write and not git_merge_driver:
        raise Usage("--write belongs to --git-merge-driver")
    if git_merge_driver:
        if track:
            raise Usage(
                "--git-merge-driver is for a ledger that is tracked already; give --track alone first"
            )
        _set_up(invocation, write)
        return
    with invocation.context() as context:
        made = action.init(context, track=track)
    words = "made" if made.made else "found"
    tracked = "tracked by Git" if made.tracked else "ignored by Git"
    invocation.emit(made, lambda style: f"{words} ledger {made.ledger} in {made.workspace} ({tracked})")
    if made.expendable is not None:
        warn_of_overwriting(invocation, context)
    if made.made:
        invocation.output.say("next: `t2c scan` reads the repository")


def warn_of_overwriting(invocation: Invocation, context: Context) -> None:
    """Where a ledger was made: warn if Git, which ignores it, would overwrite it with one that a branch tracks."""
    from t2c.cli.actions import git_checks

    warning = git_checks.warning(context)
    if warning is not None:
        invocation.output.warn(warning)


def _set_up(invocation: Invocation, write: bool) -> None:
    from t2c.cli.actions import git_driver

    with invocation.context() as context:
        done = git_driver.set_up(context, write=write)

    def text(style: Style) -> str:
        if not done.written:
            return "\n".join(
                [f"# a line of {done.file}, below the others", done.line, "# in each clone", *done.commands]
            )
        changed = "as it was" if done.sha256_before == done.sha256_after else "written"
        lines = [f"{done.file} {changed}: sha256 {done.sha256_before} -> {done.sha256_after}"]
        return "\n".join([*lines, *(f"ran: {command}" for command in done.commands)])

    invocation.emit(done, text)
    if done.why is not None:
        invocation.output.say(done.why)
