"""`t2c ledger prove inclusion | consistency` and `t2c ledger verify-proof`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context
    from t2c.cli.actions.prove import Proof

__all__ = ["GROUP", "consistency", "inclusion", "verify_proof"]

GROUP = Branch(
    "Proofs that can be checked without the ledger, with `t2c ledger verify-proof`.",
    (
        Entry("inclusion", "t2c.cli.commands.prove:inclusion", "Prove that an event is in the ledger."),
        Entry("consistency", "t2c.cli.commands.prove:consistency", "Prove that the ledger only grew."),
    ),
)

Checkpoint = Annotated[
    str | None, typer.Option(metavar="FILE", help="Prove it to this checkpoint, which may lie anywhere.")
]
Out = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the proof to this file inside the root.")
]


def inclusion(
    ctx: typer.Context,
    event: Annotated[str, typer.Argument(metavar="SEQ|ID", help="The event, by seq or id.")],
    checkpoint: Checkpoint = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Prove that an event is in the ledger: one JSON document with its line, hashes and a checkpoint.

    The proof goes to the newest signed checkpoint in .t2c/checkpoints that holds the event, else to a checkpoint of
    the head that nobody signed, which shows little to others.

    Examples:

        t2c ledger prove inclusion 42 > proof.json
        t2c ledger prove inclusion EVT-0123456789abcdef0123 --checkpoint /mnt/elsewhere/checkpoint.txt
        t2c ledger verify-proof proof.json --key ledger.key
    """
    from t2c.cli.actions import prove as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        _give(invocation, context, action.prove_inclusion(context, event, checkpoint), out)


def consistency(
    ctx: typer.Context,
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="The smaller ledger: its size or a checkpoint file.")
    ],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The greater one: its size or a checkpoint file.")
    ],
    checkpoint: Checkpoint = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Prove that the ledger of NEW events begins with the ledger of OLD events: it only grew.

    Examples:

        t2c ledger prove consistency 100 250
        t2c ledger prove consistency /mnt/elsewhere/january.txt /mnt/elsewhere/june.txt --out proof.json
    """
    from t2c.cli.actions import prove as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        _give(invocation, context, action.prove_consistency(context, old, new, checkpoint), out)


def _give(invocation: Invocation, context: Context, proof: Proof, out: str | None) -> None:
    from t2c.cli.actions.prove import save
    from t2c.cli.present.output import document, encode

    if not proof.signed:
        invocation.output.warn(
            f"nobody signed the checkpoint of {proof.tree_size} events that the proof goes to; "
            "`t2c ledger checkpoint --sign` makes one that counts"
        )
    content = encode(document(proof), indent=True) + b"\n"
    if out is None:
        # The document is the answer, asked for as JSON or not.
        invocation.output.json = True
        invocation.emit(proof, lambda style: "")
        return
    save(context, out, content)
    invocation.emit(proof, lambda style: f"wrote {out}: {proof.kind} in {proof.tree_size} events")


def verify_proof(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A proof, as `t2c ledger prove` makes it.")],
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY|FILE", help="A public key of the ledger: its text, or a file with one a line."
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A checkpoint that you trust, instead of the proof's own."),
    ] = None,
    json: Json = False,
) -> None:
    """Check a proof by itself: no ledger is needed, and none is read.

    Exit code 0 if it holds, 1 if it does not, 2 if the file is no proof. What is not shown is said.

    Examples:

        t2c ledger verify-proof proof.json --key ledger.key
        t2c ledger verify-proof proof.json --checkpoint checkpoint.txt --json
    """
    from pathlib import Path

    from t2c.cli.actions import proof_check as action

    invocation = Invocation.of(ctx)
    found = action.verify_proof(Path.cwd(), file, tuple(key or ()), checkpoint)

    def text(style: Style) -> str:
        word = style.bad("not proven")
        if found.ok:
            word = style.good("proven") if found.trusted else "fits together, of unknown origin"
        if found.event is not None:
            said = (
                f"event {found.event.seq} ({found.event.id}, {found.event.type}, {found.event.ts}) is among"
            )
        else:
            said = f"a ledger of {found.old_size} events begins"
        lines = [
            f"{word}: {said} the first {found.size} events of ledger {found.ledger}",
            f"  root  {found.root}",
        ]
        lines += [f"  signed by key {key}" for key in found.keys]
        lines += [f"  {style.bad('fault')} {fault}" for fault in found.faults]
        return "\n".join(lines + [f"  not shown: {sentence}" for sentence in found.unproven])

    invocation.emit(found, text)
    if not found.ok:
        raise typer.Exit(1)
