"""Opening the ledger of a context, made on first use where a verb may make one."""

from __future__ import annotations

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Created, Ledger, create

__all__ = ["make_ledger", "open_ledger"]


def open_ledger(context: Context, *, hold: bool = False) -> Ledger:
    """The ledger at the context's root. Raises Usage, naming how to make one, if there is none."""
    settings = context.settings
    return Ledger(
        context.workspace,
        clock=context.clock,
        durability=settings.durability,
        hold=hold,
        allow_network=settings.allow_network_filesystem,
    )


def make_ledger(context: Context, *, track: bool = False) -> Created:
    """Make a ledger at the context's root, or find the one that is there."""
    return create(
        context.workspace,
        clock=context.clock,
        track=track,
        allow_network=context.settings.allow_network_filesystem,
    )
