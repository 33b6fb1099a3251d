"""`t2c ledger checkpoint`: size and root of the ledger as one signed text, to be kept where no writer comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.anchors.files import keep_beside, keep_local, local
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import open_tree, sign_head, state_of
from t2c.ledger.engine import JOURNAL
from t2c.ledger.journal.note import SignedNote
from t2c.ledger.journal.read import JournalFile

if TYPE_CHECKING:
    from t2c.cli.actions.anchor import Anchored

__all__ = ["CheckpointResult", "checkpoint", "due"]


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """The ledger's first `size` events have the Merkle root `root` (hex); `note` says so in the text of a checkpoint.

    If it is signed, `key` is the id of the key, `seq` the event that records it, `path` where it is kept beside the
    journal and `local` where in the user's state folder; `new` is False if it had been signed before.
    `anchors` are those that the settings asked for and that were made, `warnings` tell of the others.
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
    anchors: Sequence[Anchored] = ()
    warnings: Sequence[str] = ()


def checkpoint(context: Context, sign: bool, key: str | None, state: Path | None) -> CheckpointResult:
    """The checkpoint of the head; with `sign` it is signed, recorded, kept and anchored as the settings say.

    Without, nothing is written but caches. Signing again when nothing happened since gives the same one. `state` is
    the user's state folder. Raises Usage if there is no key to sign with, Corrupt if the journal lost what an
    earlier checkpoint vouches for, and what a required anchor raises.
    """
    if not sign or state is None:
        return _unsigned(context)
    result = _signed(context, key, state)
    anchor = context.settings.anchor
    if result.new or "required" in (anchor.git, anchor.rfc3161):
        from t2c.cli.actions.anchor import run_anchors

        run = run_anchors(context)
        return replace(result, anchors=run.done, warnings=run.warnings)
    return result


def due(context: Context) -> bool:
    """True if, by the setting `anchor.every`, so many events came since the last checkpoint that one is to be signed."""
    every = context.settings.anchor.every
    if not every or not (context.workspace / JOURNAL).exists():
        return False
    kept = (context.workspace / "checkpoints").glob("*.txt")
    sizes = (path.stem.partition("-")[0] for path in kept)
    newest = max((int(size) for size in sizes if size.isdecimal()), default=0)
    return JournalFile(context.workspace / JOURNAL).head().seq - newest >= every


def _unsigned(context: Context) -> CheckpointResult:
    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        with open_tree(ledger, context.progress) as tree:
            made = state_of(tree, ledger_id)
            return CheckpointResult(ledger_id, made.size, made.root.hex(), False, SignedNote.of(made).note)


def _signed(context: Context, key: str | None, state: Path) -> CheckpointResult:
    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        keyring = Keyring(state, ledger_id)
        with open_tree(ledger, context.progress) as tree:
            known = local(state, ledger_id, ledger.workspace).anchors
            signed = sign_head(ledger, tree, keyring, context.clock.now(), known=known, wanted=key)
        beside = keep_beside(ledger.workspace / "checkpoints", signed.note)
        kept = keep_local(state, signed.note, ledger.workspace)
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
