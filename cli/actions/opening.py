"""Opening the ledger of a context, made on first use where a verb may make one."""

from __future__ import annotations

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Created, Ledger, create
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["funnel_of", "make_ledger", "open_ledger"]


def open_ledger(context: Context, *, hold: bool = False) -> Ledger:
    """The ledger at the context's root. Raises Usage, naming how to make one, if there is none."""
    settings = context.settings
    return Ledger(
        context.workspace,
        clock=context.clock,
        durability=settings.durability,
        hold=hold,
        allow_network=settings.allow_network_filesystem,
        funnel=funnel_of(context),
    )


def funnel_of(context: Context) -> Funnel:
    """What the settings say about secrets: known values of the environment, and what is detected or allowed."""
    redact = context.settings.redact
    return Funnel(context.settings.secrets, allow=redact.allow, detect=redact.detect)


def make_ledger(context: Context, *, track: bool = False) -> Created:
    """Make a ledger at the context's root, or find the one that is there."""
    return create(
        context.workspace,
        clock=context.clock,
        track=track,
        allow_network=context.settings.allow_network_filesystem,
    )
