"""What was left half done: payloads that a redaction or an append left behind, and announcements without an outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from t2c.ledger.engine import Ledger
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.digests import payload_hash
from t2c.ledger.transfer.citations import cited_in

__all__ = ["Leftovers", "Undecided", "leftovers"]

_OUTCOMES: Final[Mapping[str, str]] = {
    "apply.failed": "announced",
    "apply.receipted": "announced",
    "gate.ran": "announced",
    "llm.answered": "asked",
    "llm.unusable": "asked",
    "variant.ran": "announced",
}
"""Types that tell how something went, and the member that names what was announced."""
_ANNOUNCEMENTS: Final = frozenset({"apply.announced", "gate.announced", "llm.asked", "variant.announced"})


class _Redacted(msgspec.Struct):
    data_hash: str


class _Outcome(msgspec.Struct):
    announced: str | None = None
    asked: str | None = None


_decode: Final = msgspec.json.Decoder(_Redacted).decode
_outcome: Final = msgspec.json.Decoder(_Outcome).decode


class Undecided(msgspec.Struct, frozen=True):
    """Something that was announced and of which nobody knows how it went (decisions A11)."""

    seq: int
    type: str


class Leftovers(msgspec.Struct, frozen=True):
    """`redacted` are the events whose payload is still there though an event redacts it, by seq.

    `uncited` are payload objects that no event cites: the append that filed them was killed before its line.
    `undecided` are announcements of this ledger without an outcome: what they announced was cut off or is under way.
    `objects` are redacted ones that are still there: (seq of an event that cites it, digest).
    """

    redacted: tuple[int, ...]
    uncited: tuple[str, ...]
    undecided: tuple[Undecided, ...] = ()
    objects: tuple[tuple[int, str], ...] = ()


def leftovers(ledger: Ledger) -> Leftovers:
    """Look for all of them in one reading of the journal. Raises what reading raises."""
    there = set(ledger.objects.digests())
    cited: dict[str, int] = {}
    redacted: set[str] = set()
    objects: dict[str, int] = {}
    gone: dict[str, int] = {}
    undecided: dict[int, Undecided] = {}
    announced: dict[str, int] = {}
    own = ledger.journal.ledger()
    for entry in ledger.entries():
        for digest in cited_in(entry.type, entry.data):
            objects[digest] = entry.seq
            gone.pop(digest, None)  # it was filed anew
        if entry.data_hash is not None:
            cited.setdefault(entry.data_hash, entry.seq)
        elif entry.type == "payload.redacted" and entry.is_ours(own):
            try:
                digest = _decode(entry.data).data_hash
                redacted.add(digest)
                if digest in objects:
                    gone[digest] = objects[digest]
            except msgspec.DecodeError:
                continue  # `verify` names it
        elif entry.type in _ANNOUNCEMENTS and entry.is_ours(own):
            undecided[entry.seq] = Undecided(entry.seq, entry.type)
            announced |= dict.fromkeys(_names(entry), entry.seq)
        elif entry.type in _OUTCOMES:
            undecided.pop(announced.get(_settled(entry), 0), None)
    uncited = (
        digest
        for digest in sorted(there - cited.keys())
        if payload_hash(ledger.objects.path(digest).read_bytes()) == digest
    )
    return Leftovers(
        tuple(sorted(cited[digest] for digest in there & redacted if digest in cited)),
        tuple(uncited),
        tuple(undecided.values()),
        tuple(sorted((seq, digest) for digest, seq in gone.items() if digest in there)),
    )


def _names(entry: Entry) -> Iterator[str]:
    """The id of an event, and those that it had in branches that were merged."""
    yield entry.id
    if entry.origin is not None:
        yield from (place.id for place in entry.origin.places)


def _settled(entry: Entry) -> str:
    """The event whose outcome this one tells; empty if it names none."""
    try:
        found: str | None = getattr(_outcome(entry.data), _OUTCOMES[entry.type])
    except msgspec.DecodeError:
        return ""  # `verify` names it
    return found or ""
