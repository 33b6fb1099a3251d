"""The stream of governed intake in a journal: its state, kept between processes as a snapshot."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from t2c.ledger.commands.intake_stream import (
    HANDLED,
    STATE_VERSION,
    IntakeState,
    captured_text,
    evolve,
    of_person,
)
from t2c.ledger.engine import Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.intake.governed.files import Message
from t2c.ledger.journal.files import write_atomically
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["Stream", "load", "messages"]

_ANOTHER_SHAPE = (msgspec.MsgspecError, KeyError, TypeError, ValueError)


class Stream(NamedTuple):
    """What was accepted up to a position of the journal."""

    position: Position
    state: IntakeState


class _Snapshot(msgspec.Struct, array_like=True):
    position: tuple[int, str, int]
    state: IntakeState


def load(ledger: Ledger, stream: Stream | None = None) -> Stream:
    """The stream as it stands: `stream`, or else the last snapshot, and the events since.

    A snapshot counts only if the journal still holds the position it names. Raises Corrupt if the journal is damaged.
    """
    position, state = stream or _kept(ledger) or Stream(START, IntakeState())
    if not ledger.journal.holds(position):
        position, state = Stream(START, IntakeState())
    if state.ledger is None:
        state.ledger = ledger.journal.ledger()
    last: tuple[int, bytes, int] | None = None
    changed = False
    for offset, line, entry in ledger.journal.lines(position):
        last = (entry.seq, line, offset + len(line))
        if entry.type in HANDLED and CATALOGUE.knows(entry.type, entry.v) and entry.is_ours(state.ledger):
            changed = True
            # A payload of another shape changes nobody; level `schema` of verify names it (decisions A13).
            with contextlib.suppress(*_ANOTHER_SHAPE):
                evolve(state, entry.type, bytes(entry.data), entry, offset)
    if last is None:
        return Stream(position, state)
    found = Stream(Position(last[0], leaf_hash(last[1][:-1]), last[2]), state)
    if changed or last[0] - position.seq > 1000:
        _keep(ledger, found)
    return found


def _place(ledger: Ledger) -> Path:
    return ledger.cache / "states" / f"intake.v{STATE_VERSION}.msgpack"


def _kept(ledger: Ledger) -> Stream | None:
    try:
        found = msgspec.msgpack.decode(_place(ledger).read_bytes(), type=_Snapshot)
    except (OSError, msgspec.MsgspecError):
        return None
    return Stream(Position(*found.position), found.state)


def _keep(ledger: Ledger, stream: Stream) -> None:
    """A cache that cannot be written is none."""
    target = _place(ledger)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, msgspec.msgpack.encode(_Snapshot(*stream)), durable=False)


def messages(ledger: Ledger, state: IntakeState, identity: str, ticket: str) -> list[Message]:
    """A person's messages about a ticket, read back from the journal."""
    said = of_person(state, identity, ticket)
    entries = ledger.journal.many(one.offset for one in said)
    return [
        Message(one.version, captured_text(bytes(entry.data)))
        for one, entry in zip(said, entries, strict=True)
    ]
