"""Checkpoints of a branch that was merged: they vouch for its chain, whose events are in this one under new places.

An anchor that does not fit is explained if every event that it vouches for is here: the lines up to the fork, and
behind them the hashes of the old lines, each made again, give its root (docs/adr/0006). A file beside the journal
is explained already, where it shows accidents only, if the event that recorded it was taken in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from t2c.ledger.anchors.base import Anchor
from t2c.ledger.errors import Usage
from t2c.ledger.journal.entry import Entry, Place, decode_entry
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.origin import NoOrigin, again
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.digests import ZERO, leaf_hash

__all__ = ["of_merged_branches"]


class _Signed(msgspec.Struct):
    note: str


class _Branches:
    """The old places of events taken in from branches of this ledger: hash of a line → its seq and prev."""

    def __init__(self, journal: JournalFile) -> None:
        self.places: dict[str, tuple[int, str]] = {}
        self.notes: set[str] = set()
        own = journal.ledger()
        for entry in journal.entries():
            if entry.origin is None or not entry.is_ours(own):
                continue
            for place, digest in _old_places(entry):
                self.places[digest] = place.seq, place.prev
            if entry.type == "checkpoint.signed":
                self.notes.add(_note(entry))

    def chain(self, tip: str) -> tuple[int, str, list[str]]:
        """The lines up to `tip` that are not of this chain: the seq and hash that they follow, and their hashes."""
        found: list[str] = []
        seq, prev = self.places[tip]
        found.append(tip)
        while prev in self.places and self.places[prev][0] == seq - 1:
            found.append(prev)
            seq, prev = self.places[prev]
        return seq - 1, prev, found[::-1]


def _old_places(entry: Entry) -> Iterator[tuple[Place, str]]:
    """Where an event stood before, each with the hash of its line there, made again: what is only claimed is nothing."""
    while entry.origin is not None:
        try:
            line = again(entry).line
            before = decode_entry(line)
        except (NoOrigin, msgspec.DecodeError, ValueError, Usage):
            return
        yield entry.origin, leaf_hash(line)
        entry = before


def _note(entry: Entry) -> str:
    try:
        return msgspec.json.decode(entry.data, type=_Signed).note
    except msgspec.DecodeError:
        return ""


def of_merged_branches(
    journal: JournalFile, anchors: Collection[Anchor], *, accidents_only: bool
) -> frozenset[Anchor]:
    """Those of the anchors that vouch for the chain of a branch that was taken in. Reads the whole journal.

    With `accidents_only`, no file beside the journal is to prove anything against somebody who forges.
    """
    if not anchors:
        return frozenset()
    branches = _Branches(journal)
    explained = {
        anchor
        for anchor in anchors
        if accidents_only and anchor.strength == "beside" and anchor.note in branches.notes
    }
    tips: dict[int, list[str]] = {}
    for digest, (seq, _) in branches.places.items():
        tips.setdefault(seq, []).append(digest)
    chains: dict[Anchor, list[tuple[int, list[str]]]] = {}
    for anchor in set(anchors) - explained:
        for tip in tips.get(anchor.checkpoint.size, ()):
            common, prev, hashes = branches.chain(tip)
            place = journal.position(common)
            if place is not None and (place.hash if common else ZERO) == prev:
                chains.setdefault(anchor, []).append((common, hashes))
    marks = verify_chain(journal, sizes={common for found in chains.values() for common, _ in found}).marks
    for anchor, found in chains.items():
        for common, hashes in found:
            tree = Frontier().with_added(marks.get(common, ()))
            tree.extend(bytes.fromhex("".join(hashes)))
            if tree.size == anchor.checkpoint.size and tree.root() == anchor.checkpoint.root:
                explained.add(anchor)
    return frozenset(explained)
