"""`t2c init`: make a ledger."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json

__all__ = ["init"]


def init(
    ctx: typer.Context,
    track: Annotated[
        bool, typer.Option("--track", help="Let Git track the record (not the views and caches).")
    ] = False,
    json: Json = False,
) -> None:
    """Make a ledger in .t2c at the root. One that is there already is left as it is.

    Examples:

        t2c init
        t2c init --track
        t2c --root ../service init
    """
    from t2c.cli.actions import init as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        made = action.init(context, track=track)
    words = "made" if made.made else "found"
    tracked = "tracked by Git" if made.tracked else "ignored by Git"
    invocation.emit(made, lambda style: f"{words} ledger {made.ledger} in {made.workspace} ({tracked})")
    if made.made:
        invocation.output.say("next: `t2c scan` reads the repository")
