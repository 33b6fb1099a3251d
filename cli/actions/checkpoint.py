"""`t2c ledger checkpoint`: size and root of the ledger as one signed text, to be kept where no writer comes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.anchors.files import keep_beside, keep_local, local
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import open_tree, sign_head, signer, state_of
from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import SignedNote

__all__ = ["CheckpointResult", "checkpoint"]


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """The ledger's first `size` events have the Merkle root `root` (hex); `note` says so in the text of a checkpoint.

    If it is signed, `key` is the id of the key, `seq` the event that records it, `path` where it is kept beside the
    journal and `local` where in the user's state folder; `new` is False if it had been signed before.
    """

    schema: ClassVar[str] = "t2c.checkpoint/v1"
    ledger: str
    size: int
    root: str
    signed: bool
    note: str
    key: str | None = None
    seq: int | None = None
    new: bool = False
    path: str | None = None
    local: str | None = None


def checkpoint(context: Context, sign: bool, key: str | None, state: Path | None) -> CheckpointResult:
    """The checkpoint of the head; with `sign` it is signed, recorded and kept, else nothing is written but caches.

    Signing again when nothing happened since gives the same one. `state` is the user's state folder. Raises Usage
    if there is no key to sign with, Corrupt if the journal lost what an earlier checkpoint vouches for.
    """
    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        with open_tree(ledger) as tree:
            if not sign or state is None:
                made = state_of(tree, ledger_id)
                return CheckpointResult(
                    ledger_id, made.size, made.root.hex(), False, SignedNote.of(made).note
                )
            if tree.size == 0:
                raise Usage("the ledger has no event to vouch for")
            keyring = Keyring(state, ledger_id)
            chosen = signer(ledger, keyring, context.clock.now(), key)
            known = list(local(state, ledger_id).anchors)
            signed = sign_head(ledger, tree, keyring, chosen, known)
        beside = keep_beside(ledger.workspace / "checkpoints", signed.note)
        kept = keep_local(state, signed.note)
        found = signed.note.checkpoint
        return CheckpointResult(
            ledger_id,
            found.size,
            found.root.hex(),
            True,
            signed.note.note,
            signed.key,
            signed.seq,
            signed.new,
            beside.relative_to(context.root).as_posix(),
            str(kept),
        )
