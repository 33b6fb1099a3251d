"""What the journal says of applies: which are open, who wrote a file last, what was receipted already.

Kept between processes as a snapshot that is trusted only for the position it names.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

import msgspec

from t2c.ledger.engine import Ledger
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.files import read_regular, write_atomically
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["Announced", "FileTold", "History", "Outcome", "event_of", "history"]

_VERSION: Final = 2
_MOST: Final = 1 << 30
_OUTCOMES: Final = frozenset({"apply.receipted", "apply.failed"})
_STRANGE: Final = (msgspec.MsgspecError, KeyError, TypeError, ValueError)


class FileTold(msgspec.Struct, frozen=True):
    """One file of an announcement: digests and permissions in octal."""

    path: str
    before: str | None
    after: str | None
    before_mode: str | None = None
    after_mode: str | None = None


class _Payload(msgspec.Struct):
    purpose: str
    files: tuple[FileTold, ...]
    subject: str | None = None
    digest: str | None = None
    approval: str | None = None
    requested_by: str | None = None


class _Settled(msgspec.Struct):
    announced: str
    files: tuple[FileTold, ...] = ()


class Announced(msgspec.Struct, frozen=True):
    """An `apply.announced`, as far as it matters afterwards."""

    id: str
    seq: int
    ts: str
    purpose: str
    files: tuple[FileTold, ...]
    subject: str | None
    digest: str | None
    requested_by: str | None
    run: str | None = None

    @property
    def after(self) -> dict[str, str | None]:
        """What each path was to hold."""
        return {file.path: file.after for file in self.files}


class Outcome(msgspec.Struct, frozen=True):
    """A receipt: its event and what it is the receipt of."""

    event: str
    seq: int
    ts: str
    announced: Announced


class _State(msgspec.Struct):
    open: dict[str, Announced] = {}
    last: dict[str, Outcome] = {}
    """The receipt that tells what a path holds, by path."""
    done: dict[str, Outcome] = {}
    """The last receipt of a thing, by purpose, subject and digest."""


class _Snapshot(msgspec.Struct, array_like=True):
    position: tuple[int, str, int]
    state: _State


class History:
    """Applies of this ledger up to a position; `open` are those without an outcome, by event id, in order."""

    def __init__(self, position: Position, state: _State) -> None:
        self.position = position
        self._state = state
        self.open = state.open

    def writer_of(self, path: str, content: str | None) -> Outcome | None:
        """The receipt that says that a path holds this, if it is the last one of the path."""
        found = self._state.last.get(path)
        return found if found is not None and found.announced.after.get(path) == content else None

    def receipt_of(self, purpose: str, subject: str | None, digest: str | None) -> Outcome | None:
        """The last receipt of the same thing for the same purpose."""
        return self._state.done.get(_thing(purpose, subject, digest))

    def take(self, entry: Entry) -> bool:
        """Take in one event; True if it changed anything. What came from elsewhere is none of ours: it
        is of another tree."""
        try:
            if entry.type == "apply.announced" and entry.origin is None:
                data = msgspec.json.decode(entry.data, type=_Payload)
                self.open[entry.id] = Announced(
                    entry.id, entry.seq, entry.ts, data.purpose, data.files, data.subject, data.digest,
                    data.requested_by, entry.run,
                )  # fmt: skip
                return True
            if entry.type in _OUTCOMES and entry.origin is None:
                settled = msgspec.json.decode(entry.data, type=_Settled)
                announced = self.open.pop(settled.announced, None)
                if announced is not None and entry.type == "apply.receipted":
                    self._receipted(Outcome(entry.id, entry.seq, entry.ts, announced))
                return announced is not None
        except _STRANGE:
            return False  # a payload of another shape: `verify` names it (decisions A13)
        return False

    def _receipted(self, outcome: Outcome) -> None:
        one = outcome.announced
        self._state.done[_thing(one.purpose, one.subject, one.digest)] = outcome
        for file in one.files:
            self._state.last[file.path] = outcome


def _thing(purpose: str, subject: str | None, digest: str | None) -> str:
    return msgspec.json.encode([purpose, subject, digest]).decode()


def history(ledger: Ledger, known: History | None = None) -> History:
    """Applies as they stand now: `known` or the last snapshot, and the events since. Raises Corrupt for damage."""
    found = known or _kept(ledger) or History(START, _State())
    if not ledger.journal.holds(found.position):
        found = History(START, _State())
    last: tuple[int, bytes, int] | None = None
    changed = 0
    for offset, line, entry in ledger.journal.lines(found.position):
        last = (entry.seq, line, offset + len(line))
        if entry.type.startswith("apply."):
            changed += found.take(entry)
    if last is not None:
        read = last[0] - found.position.seq
        found.position = Position(last[0], leaf_hash(last[1][:-1]), last[2])
        if changed or read > 1000:
            _keep(ledger, found)
    return found


def _place(ledger: Ledger) -> Path:
    return ledger.cache / "states" / f"applies.v{_VERSION}.msgpack"


def _kept(ledger: Ledger) -> History | None:
    try:
        found = msgspec.msgpack.decode(read_regular(_place(ledger), _MOST), type=_Snapshot)
    except (OSError, msgspec.MsgspecError):
        return None
    return History(Position(*found.position), found.state)


def _keep(ledger: Ledger, found: History) -> None:
    """A cache that cannot be written is none."""
    target = _place(ledger)
    snapshot = _Snapshot((found.position.seq, found.position.hash, found.position.offset), found._state)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, msgspec.msgpack.encode(snapshot), durable=False)


def event_of(ledger: Ledger, event: str) -> Entry | None:
    """The event with this id; None if there is none."""
    offset = ledger.index.offset(event)
    return None if offset is None else next(ledger.journal.many([offset]))
