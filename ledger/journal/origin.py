"""Events that came from elsewhere: where their line stood, and that line again, byte for byte (docs/adr/0006).

An event that is taken in keeps what it says and gets a new place. Its `origin` holds the rest of the old line, so both
places are provable from the journal alone: the line made again hashes to `origin.hash`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.chain import Sealed, seal
from t2c.ledger.journal.entry import Entry, Origin, Place, decode_entry
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import canonical

__all__ = [
    "MAX_FORMER",
    "NoOrigin",
    "again",
    "original_line",
    "reseal",
    "taken_in",
]

MAX_FORMER: Final = 100
"""Places that an event may have come from before its last one."""


class NoOrigin(ValueError):
    """A line that names no origin, or an event that has moved too often to name another."""


def taken_in(entry: Entry, hash: str, ledger: str, *, lowered: bool, alone: bool = False) -> EventDraft:
    """The draft of an event that stood in the chain of `ledger`, in a line that hashed to `hash`.

    `lowered` makes of `observed` at most `imported` (decisions A12); `alone` takes it out of its atomic batch, for
    when the rest of the batch is not at hand. Raises NoOrigin if it has moved more often than an origin can say.
    """
    before = entry.origin
    former = () if before is None else (_place(before), *before.former)
    if len(former) > MAX_FORMER:
        raise NoOrigin(f"it has come from more than {MAX_FORMER} places before")
    lower = lowered and entry.trust == "observed"
    origin = Origin(
        ledger=ledger,
        seq=entry.seq,
        hash=hash,
        prev=entry.prev,
        id=entry.id,
        ts=entry.ts,
        trust="observed" if lower else None,
        batch=entry.batch if alone else None,
        former=former,
    )
    return _draft(
        entry, "imported" if lower else entry.trust, None if alone else entry.batch, _canonical(origin)
    )


def original_line(line: bytes) -> bytes:
    """The line, LF excluded, that an event taken in stood in before. Raises NoOrigin if it names none.

    That it is the right one is for the caller to see: its hash is `origin.hash`.
    """
    try:
        entry = decode_entry(line)
    except msgspec.DecodeError as error:
        raise NoOrigin(f"the line is not an event: {error}") from None
    return again(entry).line


def again(entry: Entry) -> Sealed:
    """The same, with the id and the hash that the line made again has."""
    origin = entry.origin
    if origin is None:
        raise NoOrigin("the event was recorded here")
    before = None
    if origin.former:
        latest, *rest = origin.former
        before = _canonical(Origin(**_members(latest), former=tuple(rest)))
    batch = origin.batch or entry.batch
    draft = _draft(entry, origin.trust or entry.trust, batch, before)
    return _sealed(draft, seq=origin.seq, prev=origin.prev, ts=origin.ts)


def reseal(entry: Entry) -> Sealed:
    """An event's own line, made from its members again: equal to the line if nothing else stood in it."""
    draft = _draft(
        entry, entry.trust, entry.batch, None if entry.origin is None else _canonical(entry.origin)
    )
    return _sealed(draft, seq=entry.seq, prev=entry.prev, ts=entry.ts)


def _draft(entry: Entry, trust: str, batch: tuple[int, int] | None, origin: bytes | None) -> EventDraft:
    return EventDraft(
        entry.type,
        entry.v,
        bytes(entry.data),
        Actor(entry.actor.kind, entry.actor.id),  # type: ignore[arg-type]
        trust,  # type: ignore[arg-type]
        entry.cause,
        entry.run,
        entry.key,
        origin,
        batch=batch,
        data_hash=entry.data_hash,
    )


def _sealed(draft: EventDraft, *, seq: int, prev: str, ts: str) -> Sealed:
    cause = [ref for ref in draft.cause if isinstance(ref, str)]
    return seal(draft, seq=seq, prev=prev, ts=ts, cause=cause, batch=draft.batch, data_hash=draft.data_hash)


def _place(origin: Origin) -> Place:
    members = _members(origin)
    members.pop("former", None)
    return Place(**members)


def _members(place: Place) -> dict[str, Any]:
    return {name: getattr(place, name) for name in place.__struct_fields__}


def _canonical(origin: Origin) -> bytes:
    return canonical(msgspec.to_builtins(origin))
