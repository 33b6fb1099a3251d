"""What stands as evidence: the decider's state over a journal, kept between processes as a snapshot.

A snapshot is trusted only for the position that it names; without one the same state comes out of the journal.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import orjson

from t2c.ledger.commands.evidence import EVIDENCE, HANDLED, STATE_VERSION, EvidenceState, Observation, evolve
from t2c.ledger.engine import Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.files import read_regular, write_atomically
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.canon import NotCanonical
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["Standing", "catch_up", "keep", "kept", "load", "snapshot_of", "take"]


_MOST: Final = 1 << 32
"""Bytes that a snapshot could have."""
_ANOTHER_SHAPE: Final = (msgspec.ValidationError, KeyError, TypeError, AttributeError, NotCanonical)
_NO_TEXT: Final = (msgspec.DecodeError, orjson.JSONDecodeError, UnicodeDecodeError, RecursionError)


class Standing(NamedTuple):
    """What stands after an event."""

    position: Position
    state: EvidenceState


class _Snapshot(msgspec.Struct, array_like=True):
    position: tuple[int, str, int]
    state: EvidenceState


def load(ledger: Ledger) -> Standing:
    """What stands now, from the last snapshot and the events since."""
    return catch_up(ledger, kept(ledger) or Standing(START, EvidenceState()))


def kept(ledger: Ledger) -> Standing | None:
    """The last snapshot as it is, whether the journal still holds its position or not; None if there is none."""
    try:
        found = msgspec.msgpack.decode(read_regular(snapshot_of(ledger), _MOST), type=_Snapshot)
    except (OSError, msgspec.DecodeError):
        return None
    return Standing(Position(*found.position), found.state)


def catch_up(ledger: Ledger, standing: Standing, known: Mapping[str, Observation] | None = None) -> Standing:
    """`standing` with the events since; made anew if the journal is no longer the one it was read from.

    The state is changed in place. `known` holds observations whose digests need not be worked out again.
    A payload of another shape than its type's makes nothing stand (decisions A13); raises Corrupt, naming the
    seq, for bytes that are no JSON text.
    """
    if not ledger.journal.holds(standing.position):
        standing = Standing(START, EvidenceState())
    position, state = standing
    last: tuple[int, bytes, int] | None = None
    for offset, line, entry in ledger.journal.lines(position):
        take(state, offset, entry, known)
        last = (entry.seq, line, offset + len(line))
    if last is None:
        return standing
    return Standing(Position(last[0], leaf_hash(last[1][:-1]), last[2]), state)


def take(
    state: EvidenceState, offset: int, entry: Entry, known: Mapping[str, Observation] | None = None
) -> None:
    """Take one event, whose line starts at byte `offset`, into the state. Raises and ignores as `catch_up` does.

    What another ledger recorded speaks of another repository: no scan of this one could confirm or retract it.
    """
    if entry.type not in HANDLED or not CATALOGUE.knows(entry.type, entry.v):
        return
    if entry.origin is not None and not entry.is_ours(state.ledger):
        return
    if entry.type in EVIDENCE:
        state.changed = entry.seq
    elif entry.type == "relation.judged":
        state.judged = entry.seq
    try:
        evolve(state, entry.type, bytes(entry.data), offset, entry.run, known)
    except _ANOTHER_SHAPE:
        # Level `schema` names it; here invalid evidence only leaves less standing.
        pass
    except _NO_TEXT as error:
        what = f"the payload of an event cannot be read: {error}"
        raise damaged(what, f"seq {entry.seq}") from None


def keep(ledger: Ledger, standing: Standing) -> None:
    """Keep a snapshot for the next process; a cache that cannot be written is none."""
    target = snapshot_of(ledger)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, msgspec.msgpack.encode(_Snapshot(*standing)), durable=False)


def snapshot_of(ledger: Ledger) -> Path:
    """Where the snapshot is kept."""
    return ledger.cache / "states" / f"evidence.v{STATE_VERSION}.msgpack"
