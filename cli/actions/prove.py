"""`t2c ledger prove`: an event, or the growth of the ledger, as one document that can be checked without it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from t2c.cli.actions.context import Context
from t2c.cli.actions.notes import read_checkpoint
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.anchors.signing import open_tree, signed_beside
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.files import write_atomically
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint
from t2c.ledger.journal.tree import Tree
from t2c.ledger.kernel.digests import leaf_hash
from t2c.ledger.kernel.paths import is_invisible, repo_path

__all__ = ["Proof", "prove_consistency", "prove_inclusion", "save"]

_SIZE: Final = re.compile(r"[0-9]{1,16}\Z")


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof of RFC 6962 with all that checking it takes but the public key.

    `inclusion`: `line` is the event's line, LF excluded, and leaf `leaf_index` (from 0) of the tree of `tree_size`
    events. `consistency`: the ledger of `tree_size` events begins with the one of `old_checkpoint`. `hashes` are in
    hex, `checkpoint` is the text of the one of `tree_size`; `signed` says whether it holds a signature.
    """

    schema: ClassVar[str] = "t2c.proof/v1"
    kind: Literal["inclusion", "consistency"]
    ledger: str
    tree_size: int
    hashes: Sequence[str]
    checkpoint: str
    signed: bool
    line: str | None = None
    leaf_index: int | None = None
    old_checkpoint: str | None = None


def prove_inclusion(context: Context, ref: str, checkpoint: str | None) -> Proof:
    """The proof that an event (seq or id) is in the ledger, to a checkpoint in a file or the newest signed one kept.

    If no signed one that holds the event is kept, it goes to a checkpoint of the head that nobody signed, for which
    the whole journal is read. Raises Usage if there is no such event or checkpoint, Corrupt if the journal has faults
    or is not the one that the checkpoint vouches for.
    """
    with open_ledger(context) as ledger:
        ledger_id, last = ledger.id(), ledger.head().seq
        seq = _seq(ledger, last, ref)
        if checkpoint is not None:
            note: SignedNote | None = _given(context, ledger_id, last, checkpoint)
            if note is not None and note.checkpoint.size < seq:
                raise Usage(
                    f"event {seq} came after the {note.checkpoint.size} events of the checkpoint",
                    where=checkpoint,
                    remedy="give a later checkpoint",
                )
        else:
            note = _kept(ledger, seq, last)
        with _tree(context, ledger, note) as tree:
            note = note or _bare(tree, ledger_id, tree.size)
            line = _line(ledger, seq)
            path = tree.inclusion(seq - 1, tree.size, bytes.fromhex(leaf_hash(line)))
            return Proof(
                "inclusion",
                ledger_id,
                tree.size,
                [node.hex() for node in path],
                note.note,
                bool(note.signatures),
                line=line.decode(),
                leaf_index=seq - 1,
            )


def prove_consistency(context: Context, old: str, new: str, checkpoint: str | None) -> Proof:
    """The proof that the ledger of `new` events begins with that of `old`; each is a size or a checkpoint file.

    `checkpoint` is one that stands for `new`, if that is a size. Raises like `prove_inclusion`.
    """
    with open_ledger(context) as ledger:
        ledger_id, last = ledger.id(), ledger.head().seq
        before, old_size = _side(context, ledger, ledger_id, last, old)
        after, size = _side(context, ledger, ledger_id, last, new)
        if checkpoint is not None:
            after = _given(context, ledger_id, last, checkpoint)
            if after.checkpoint.size != size:
                raise Usage(
                    f"the checkpoint is of {after.checkpoint.size} events, not of {size}", where=checkpoint
                )
        if old_size > size:
            raise Usage(
                f"a tree of {old_size} events is no beginning of one of {size}",
                remedy="give the smaller size first",
            )
        with _tree(context, ledger, after) as tree:
            for note in (before, after):
                if note is not None and tree.root(note.checkpoint.size) != note.checkpoint.root:
                    raise _another(note)
            before = before or _bare(tree, ledger_id, old_size)
            after = after or _bare(tree, ledger_id, size)
            path = tree.consistency(old_size, size)
            return Proof(
                "consistency",
                ledger_id,
                size,
                [node.hex() for node in path],
                after.note,
                bool(after.signatures),
                old_checkpoint=before.note,
            )


def save(context: Context, name: str, content: bytes) -> Path:
    """Write a proof to a new file inside the root.

    Raises Usage if it lies outside, in a folder of ours or exists already, Environment if it cannot be written.
    """
    path = context.path(name)
    if is_invisible(repo_path(context.root, path)) or os.path.lexists(path):
        what = "is in a folder that only t2c writes" if not os.path.lexists(path) else "exists already"
        raise Usage(f"{name} {what}", where="--out", safe="nothing was written", remedy="name a new file")
    try:
        write_atomically(path, content)
    except OSError as error:
        raise Environment(
            f"the proof cannot be written: {error.strerror}",
            where=name,
            remedy="name a file in a folder that exists",
        ) from error
    return path


def _seq(ledger: Ledger, last: int, ref: str) -> int:
    if _SIZE.match(ref):
        seq = int(ref)
    else:
        offset = ledger.index.offset(ref)
        if offset is None:
            raise Usage(
                f"there is no event {ref[:80]!r}", remedy="give a seq or an event id; see `t2c ledger log`"
            )
        seq = next(ledger.journal.many([offset])).seq
    if not 1 <= seq <= last:
        raise Usage(f"there is no event {seq}: the ledger goes from 1 to {last}", remedy="`t2c ledger head`")
    return seq


def _line(ledger: Ledger, seq: int) -> bytes:
    place = ledger.journal.position(seq - 1)
    if place is not None:
        for _, line, _ in ledger.journal.lines(place, seq):
            return line[:-1]
    raise Corrupt(f"event {seq} cannot be found", where=f"seq {seq}", remedy="run `t2c ledger verify`")


def _tree(context: Context, ledger: Ledger, note: SignedNote | None) -> Tree:
    """The tree under the root of a checkpoint, or of the head, for which the whole journal is read."""
    if note is None:
        return open_tree(ledger, context.progress)
    size, root = note.checkpoint.size, note.checkpoint.root
    position = ledger.journal.position(size)
    if position is None:
        raise _another(note)
    try:
        return Tree.open(
            ledger.cache / "tree",
            ledger.journal,
            lambda done: context.progress("tree", done, size),
            known=(position, root),
        )
    except Corrupt as error:
        raise _another(note) from error


def _side(
    context: Context, ledger: Ledger, ledger_id: str, last: int, given: str
) -> tuple[SignedNote | None, int]:
    if not _SIZE.match(given):
        note = _given(context, ledger_id, last, given)
        return note, note.checkpoint.size
    size = int(given)
    if not 1 <= size <= last:
        raise Usage(
            f"the ledger never had {size} events: it goes from 1 to {last}", remedy="`t2c ledger head`"
        )
    return _kept(ledger, size, size), size


def _given(context: Context, ledger_id: str, last: int, name: str) -> SignedNote:
    note = read_checkpoint(context.cwd, name)
    found = note.checkpoint
    if found.ledger != ledger_id:
        raise Usage(
            f"the checkpoint is of another ledger: {found.origin}",
            where=name,
            remedy=f"this one is {origin_of(ledger_id)}",
        )
    if found.size == 0:
        raise Usage("the checkpoint is of no events, so nothing can be proven with it", where=name)
    if found.size > last:
        raise _another(note)
    return note


def _another(note: SignedNote) -> Corrupt:
    size = note.checkpoint.size
    return Corrupt(
        f"the journal is not the one that the checkpoint of {size} events vouches for",
        where=f"seq {size}",
        safe="nothing was changed",
        remedy="run `t2c ledger verify --checkpoint` with it, which says what is amiss",
    )


def _kept(ledger: Ledger, least: int, most: int) -> SignedNote | None:
    """The greatest checkpoint of these sizes beside the journal that a key of this ledger signed."""
    for anchor in reversed(signed_beside(ledger)):
        if least <= anchor.checkpoint.size <= most:
            return parse_checkpoint(anchor.note)
    return None


def _bare(tree: Tree, ledger_id: str, size: int) -> SignedNote:
    return SignedNote.of(Checkpoint(origin_of(ledger_id), size, tree.root(size)))
