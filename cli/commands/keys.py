"""`t2c ledger key`: new, add, revoke, list, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style

__all__ = ["GROUP", "add", "export", "listed", "new", "revoke"]

GROUP = Branch(
    "Keys that sign checkpoints and approvals. The public half is an event, the private half stays with its owner.",
    (
        Entry("new", "t2c.cli.commands.keys:new", "Make a key and register its public half."),
        Entry("add", "t2c.cli.commands.keys:add", "Register an SSH key that signs approvals."),
        Entry("revoke", "t2c.cli.commands.keys:revoke", "Say that a key signs no more."),
        Entry("list", "t2c.cli.commands.keys:listed", "List the registered keys."),
        Entry("export", "t2c.cli.commands.keys:export", "Print the public half of a key."),
    ),
)


def new(
    ctx: typer.Context,
    participant: Annotated[
        str | None,
        typer.Option(metavar="KIND:ID", help="For whom it signs approvals too, as human:ada; a pseudonym."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when, as a date or RFC 3339 (default: no end).")
    ] = None,
    json: Json = False,
) -> None:
    """Make an Ed25519 key and register its public half with key.registered.

    The private half is kept in $XDG_STATE_HOME/t2c/keys (~/.local/state/t2c/keys), readable by you alone, and never
    in the ledger's folder.

    Examples:

        t2c ledger key new
        t2c ledger key new --participant human:ada --expires 2027-12-31
    """
    from t2c.cli.actions import keys as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.new_key(context, state_dir(invocation.environ), participant, expires)
    invocation.output.recorded = f"the key is registered as seq {found.seq}"
    invocation.emit(found, lambda style: f"key {found.id} is registered as seq {found.seq}\n{found.public}")


def add(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.pub", help="The public half of an SSH key.")],
    participant: Annotated[
        str, typer.Option(metavar="KIND:ID", help="Whose approvals it signs, as human:ada.")
    ],
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when, as a date or RFC 3339 (default: no end).")
    ] = None,
    actor: Annotated[
        str | None, typer.Option(metavar="KIND:ID", help="Who says so (setting actor); only a person can.")
    ] = None,
    json: Json = False,
) -> None:
    """Register an SSH key for a participant: from here on it may sign their approvals.

    Ed25519, ECDSA and RSA (2048 bits or more). Its comment is not kept. Only people register keys. Signatures are
    checked without OpenSSH, also from an exported bundle.

    Examples:

        t2c ledger key add ~/.ssh/id_ed25519.pub --participant human:ada
        t2c ledger key add ada.pub --participant human:ada --expires 2027-12-31
    """
    from t2c.cli.actions import keys as action

    invocation = Invocation.of(ctx)
    with invocation.context({"actor": actor}) as context:
        found = action.add_key(context, file, participant, expires)
    invocation.output.recorded = f"the key is registered as seq {found.seq}"
    invocation.emit(
        found, lambda style: f"key {found.id} is registered for {found.participant}, seq {found.seq}"
    )


def revoke(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its id, or 8 and more characters of it.")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    actor: Annotated[
        str | None, typer.Option(metavar="KIND:ID", help="Who says so (setting actor); only a person can.")
    ] = None,
    json: Json = False,
) -> None:
    """Say that a key signs no more. What it signed before still counts, what it signs after counts for nothing.

    Approvals that were signed with it and are to hold no more are taken back with `t2c withdraw`.

    Examples:

        t2c ledger key revoke SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE --reason "the laptop is lost"
        t2c ledger key revoke 1f0c3a9b --reason "replaced"
    """
    from t2c.cli.actions import keys as action

    invocation = Invocation.of(ctx)
    with invocation.context({"actor": actor}) as context:
        found = action.revoke_key(context, key, reason)
    invocation.output.recorded = f"the key is revoked as of seq {found.seq}"
    invocation.emit(found, lambda style: f"key {found.id} signs no more, as of seq {found.seq}")


def listed(ctx: typer.Context, json: Json = False) -> None:
    """List the keys of this ledger, the oldest first, for whom they sign, until when, and which were revoked.

    Keys that came with events of other ledgers stand at the end, marked as foreign.

    Examples:

        t2c ledger key list
        t2c ledger key list --json
    """
    from t2c.cli.actions import keys as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.list_keys(context, state_dir(invocation.environ))
    invocation.emit(
        found, lambda style: "\n".join(_row(key, style) for key in found.keys) or "no key is registered"
    )


def _row(key: object, style: Style) -> str:
    from t2c.cli.actions.keys import KeyInfo

    assert isinstance(key, KeyInfo)
    until = f"until {key.expires}" if key.expires else "without end"
    state = (
        style.bad("expired") if key.expired else style.good("can sign here") if key.private else "not here"
    )
    if key.algorithm == "ssh" and not key.expired:
        state = "signs approvals"
    if key.revoked is not None:
        state = style.bad("revoked") + f" (seq {key.revoked})"
    if key.foreign:
        state = style.bad("foreign") + " (of another ledger: it signs nothing here)"
    whose = f"  {key.participant}" if key.participant else ""
    return f"{key.id}  {key.algorithm}  seq {key.seq}  {key.registered}  {until}  {state}{whose}"


def export(
    ctx: typer.Context,
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="The id of a key (default: the newest that can sign here)."),
    ] = None,
    pem: Annotated[bool, typer.Option("--pem", help="As a PEM file that openssl takes.")] = False,
    json: Json = False,
) -> None:
    """Print the public half of a key, which checks its signatures. The private half is never printed.

    Give it to whoever is to check your checkpoints on another way than the ledger itself.

    Examples:

        t2c ledger key export > ledger.key
        t2c ledger key export --pem > ledger.pem
    """
    from t2c.cli.actions import keys as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.export_key(context, state_dir(invocation.environ), key)
    invocation.emit(found, lambda style: found.pem if pem else found.public)
