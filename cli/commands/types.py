"""`t2c ledger types`."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

__all__ = ["types"]


def types(
    ctx: typer.Context,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Only those that ledger append takes.")] = False,
    example: Annotated[
        str | None, typer.Option(metavar="TYPE", help="Print a complete body to start from.")
    ] = None,
    json: Json = False,
) -> None:
    """List the event types, or print a body to start from. Those marked + may be appended by hand.

    The payload of those marked ~ can be kept apart from its line and deleted later (append --redactable).

    Examples:

        t2c ledger types --by-hand
        t2c ledger types --example observation.noted
    """
    from t2c.cli.actions import read

    invocation = Invocation.of(ctx)
    if example is not None:
        invocation.output.raw(read.example(example) + b"\n")
        return
    found = read.types(by_hand_only=by_hand)

    def text(style: Style) -> str:
        width = max(len(row["type"]) for row in found.types)
        return "\n".join(
            f"{'+' if row['by_hand'] else ' '}{'~' if row['redactable'] else ' '} {row['type']:<{width}} v{row['v']}  {' '.join(row['meaning'].split())}"
            for row in found.types
        )

    invocation.emit(found, text)
