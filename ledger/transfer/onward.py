"""What vouches for a part of a ledger: a later signed checkpoint, and the proof that the part begins its tree.

The proof is made from the lines themselves, read once more from the end of the part on; no cache is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import BinaryIO, NamedTuple

import msgspec

from t2c.ledger.errors import Usage
from t2c.ledger.journal import proofs
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.note import SignedNote
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.transfer.cut import Cut, key_and_notes
from t2c.ledger.transfer.proven import proven_blocks
from t2c.ledger.transfer.verifier.notes import MOST_NOTE, Key, NoteError, parse_key

__all__ = ["Onward", "onward", "own_keys", "signed_by_own"]

_TELLING = frozenset({"key.registered", "checkpoint.signed"})


class Onward(NamedTuple):
    """A checkpoint of more events than the part has, and the path from the root of the one to that of the other."""

    note: SignedNote
    path: list[bytes]


def onward(
    journal: JournalFile, found: Cut, head: int, origin: str, kept: Iterable[SignedNote], spool: BinaryIO
) -> Onward | None:
    """The newest checkpoint up to event `head` that a registered key signed, if it begins with the part.

    `kept` are those beside the journal. `spool` takes the hashes of the lines after the part, 32 bytes each. Raises
    Corrupt at the first line that does not follow from the one before it.
    """
    notes, keys = [*found.notes, *kept], list(found.keys)
    for block in proven_blocks(journal, found.end, head):
        spool.write(block.leaves)
        if _TELLING.isdisjoint({member.type for member in block.members}):
            continue
        for member, line in zip(block.members, block.lines, strict=True):
            if member.type in _TELLING:
                try:
                    key_and_notes(member.type, bytes(decode_entry(line).data), keys, notes)
                except (msgspec.DecodeError, Usage):
                    continue
    known = own_keys(keys, origin)
    later = {
        note.note: note for note in notes if found.last < note.checkpoint.size <= head and note.signatures
    }
    for text, note in sorted(later.items(), key=lambda item: (-item[1].checkpoint.size, item[0])):
        if len(text.encode()) <= MOST_NOTE and signed_by_own(note, origin, known):
            path = _path(found, note.checkpoint.size, spool)
            root = bytes.fromhex(found.root)
            if proofs.extends(found.last, root, note.checkpoint.size, note.checkpoint.root, path):
                return Onward(note, path)
    return None


def own_keys(texts: Iterable[str], origin: str) -> set[Key]:
    """The registered keys that bear the ledger's name: others count for nothing that is said of it."""
    keys = set()
    for text in texts:
        try:
            key = parse_key(text)
        except NoteError:
            continue
        if key.name == origin:
            keys.add(key)
    return keys


def signed_by_own(note: SignedNote, origin: str, keys: Collection[Key]) -> bool:
    """True if a checkpoint of this ledger bears a signature by one of its keys, and none in their name that is not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if note.checkpoint.origin != origin:
        return False
    signed = False
    for line in note.signatures:
        fits = False
        named = [key for key in keys if (key.name, key.id) == (line.name, line.key)]
        for key in named:
            try:
                Ed25519PublicKey.from_public_bytes(key.public).verify(line.signature, note.text.encode())
                fits = True
            except (InvalidSignature, ValueError):
                continue
        if named and not fits:
            return False
        signed = signed or fits
    return signed


def _path(found: Cut, size: int, spool: BinaryIO) -> list[bytes]:
    """The consistency proof from the part's last event to `size`. Each hash of the spool is read once."""
    left = {(subtree.level, subtree.at): subtree.node for subtree in found.subtrees}

    def node(level: int, index: int) -> bytes:
        start = index << level
        if start < found.last:
            return left[level, index]
        stretch = Frontier(start)
        spool.seek((start - found.last) * 32)
        remaining = 32 << level
        while remaining:
            leaves = spool.read(min(remaining, 1 << 17))
            stretch.extend(leaves)
            remaining -= len(leaves)
        return stretch.root()

    return proofs.consistency(node, found.last, size)
