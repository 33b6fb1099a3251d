"""`t2c ledger checkpoint`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.ledger.errors import Usage

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context

__all__ = ["checkpoint", "keep_up"]


def checkpoint(
    ctx: typer.Context,
    sign: Annotated[bool, typer.Option("--sign", help="Sign it, record it and keep it.")] = False,
    key: Annotated[
        str | None, typer.Option(metavar="ID", help="Sign with this key (default: the newest that is here).")
    ] = None,
    json: Json = False,
) -> None:
    """Print the checkpoint of the ledger: its id, the number of events and their Merkle root.

    Kept where no writer of this ledger comes, it shows later whether anything was lost or made anew. With --sign
    it is also recorded as checkpoint.signed and kept in .t2c/checkpoints/ and in your state folder; signing again
    when nothing happened since prints the same one. The settings anchor.git and anchor.rfc3161 have a signed one
    anchored outside the journal too.

    Examples:

        t2c ledger checkpoint
        t2c ledger checkpoint --sign > /mnt/elsewhere/checkpoint.txt
        t2c ledger verify --checkpoint /mnt/elsewhere/checkpoint.txt --key "$(t2c ledger key export)"
    """
    from t2c.cli.actions import checkpoint as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    if key is not None and not sign:
        raise Usage("--key says whose signature it is, and nothing is signed", remedy="add --sign")
    with invocation.context() as context:
        state = state_dir(invocation.environ) if sign else None
        found = action.checkpoint(context, sign, key, state)
    if found.seq is not None:
        invocation.output.recorded = f"the checkpoint is recorded as seq {found.seq}"
    for warning in found.warnings:
        invocation.output.warn(warning)
    invocation.emit(found, lambda style: found.note)


def keep_up(invocation: Invocation, context: Context) -> None:
    """At the end of a command that records: sign a checkpoint if the setting `anchor.every` says that one is due.

    That there is no key to sign with is a warning: what the command did is recorded.
    """
    if not context.settings.anchor.every:
        return
    from t2c.cli.actions import checkpoint as action
    from t2c.cli.actions.state import state_dir

    if not action.due(context):
        return
    try:
        signed = action.checkpoint(context, True, None, state_dir(invocation.environ))
    except Usage as error:
        invocation.output.warn(f"no checkpoint was signed: {error.what} ({error.remedy})")
        return
    for warning in signed.warnings:
        invocation.output.warn(warning)
    if signed.new:
        invocation.output.say(f"signed a checkpoint of {signed.size:,} events: {signed.path}")
