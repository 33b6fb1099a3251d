"""The writer: under one lock read the head, check, link, write once, sync, answer (journal-engine §2).

Waiting callers of one process share a write and a sync: whoever finds nobody writing leads, the others follow.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from t2c.ledger.errors import Conflict, Environment, T2cError, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.index import EventIndex, Keyed
from t2c.ledger.journal.lock import Lock
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.recover import set_aside, unrecorded_repairs
from t2c.ledger.journal.tail import check_start, read_tail
from t2c.ledger.kernel.clock import Clock, rfc3339

__all__ = ["Durability", "Expected", "Receipt", "Writer"]

Durability = Literal["commit", "batch", "none"]
"""commit: acknowledged means synced. batch: synced per `sync()` or close, acknowledged before. none: never synced."""

_SYNC_AFTER: Final = 1000


class Receipt(NamedTuple):
    """What an append is answered with. `hash` is what the next line's `prev` holds; `offset` its first byte.

    `repeated` says that the idempotency key had been recorded before and this is the first event's receipt.
    """

    seq: int
    id: str
    hash: str
    durable: bool
    offset: int = -1
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """The head that the caller's decision was based on."""

    seq: int | None = None
    hash: str | None = None


@dataclass(slots=True, eq=False)
class _Request:
    drafts: Sequence[EventDraft]
    expected: Expected | None
    atomic: bool
    receipts: list[Receipt] = field(default_factory=list)
    failure: BaseException | None = None
    settled: bool = False

    def fail(self, failure: BaseException) -> None:
        self.failure, self.settled = failure, True


class Writer:
    """Appends to one journal file. Thread-safe; processes exclude each other through `lock`."""

    def __init__(
        self, journal: Path, *, lock: Lock, clock: Clock, index: EventIndex, durability: Durability = "commit"
    ) -> None:
        self._path = journal
        self._lock = lock
        self._clock = clock
        self._index = index
        self._durability: Durability = durability
        self._turn = threading.Condition()
        self._waiting: list[_Request] = []
        self._leading = False
        self._fd: int | None = None
        self._inode = (-1, -1)
        self._head = Position(0, "", -1)
        self._ts = ""
        self._unsynced = 0
        self._dead: str | None = None

    def append(
        self, drafts: Sequence[EventDraft], *, expected: Expected | None = None, atomic: bool = False
    ) -> list[Receipt]:
        """Record drafts in order, all behind one write; returns one receipt each.

        With `atomic` the events carry `batch` and readers see all of them or none. An empty sequence repairs a
        torn end and writes nothing else. Raises Conflict if the head is not as expected or a key was used for
        other content, Usage if an event is too long, Corrupt if the journal is damaged, Environment if it
        cannot be written; in each case nothing of this call was recorded, but for a failed sync, which says so.
        """
        request = _Request(drafts, expected, atomic)
        with self._turn:
            self._waiting.append(request)
            while not request.settled:
                if self._leading:
                    self._turn.wait()
                    continue
                self._leading = True
                group, self._waiting = self._waiting, []
                self._turn.release()
                try:
                    self._commit(group)
                finally:
                    self._turn.acquire()
                    self._leading = False
                    self._turn.notify_all()
        if request.failure is not None:
            raise request.failure
        return request.receipts

    def sync(self) -> None:
        """Make everything acknowledged so far durable (durability `batch`)."""
        if self._fd is not None and self._unsynced and self._durability != "none":
            self._sync(self._fd)

    def close(self) -> None:
        """Sync what durability `batch` still owes and let go of the files."""
        try:
            self.sync()
        finally:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None
            self._index.close()
            self._lock.close()

    def _commit(self, group: list[_Request]) -> None:
        try:
            with self._lock.held():
                self._write(group)
        except BaseException as failure:
            for request in group:
                if not request.settled:
                    request.fail(failure)
            if not isinstance(failure, Exception):
                raise

    def _write(self, group: list[_Request]) -> None:
        if self._dead is not None:
            raise Environment(
                f"this writer stopped after a failure: {self._dead}",
                safe="every event acknowledged before",
                remedy="open the ledger again; run `t2c ledger verify` first",
            )
        fd, repairs = self._settle()
        turn = _Turn(self._head, self._ts, rfc3339(self._clock.now()), self._index)
        durable = self._durability == "commit"
        for repair in repairs:
            turn.add([repair], atomic=False)
        for request in group:
            try:
                # A repair is nobody's decision: it does not make the caller's head stale.
                _check(request.expected, turn.head if turn.count > len(repairs) else self._head)
                request.receipts = turn.add(request.drafts, atomic=request.atomic, durable=durable)
            except T2cError as failure:
                request.fail(failure)
        if turn.lines:
            self._put(fd, b"".join(turn.lines))
            self._head, self._ts = turn.head, turn.ts
            self._unsynced += turn.count
            if durable or (self._durability == "batch" and self._unsynced >= _SYNC_AFTER):
                self._sync(fd)
        for request in group:
            request.settled = True

    def _settle(self) -> tuple[int, list[EventDraft]]:
        """Make sure that the descriptor is the journal on disk and the head is its head; repair its end."""
        try:
            there = self._path.stat()
            if self._fd is not None and self._inode == (there.st_dev, there.st_ino):
                if there.st_size == self._head.offset:
                    return self._fd, []
            else:
                self._reopen()
        except FileNotFoundError:
            raise Conflict(
                "the journal is gone",
                where=str(self._path),
                safe="nothing was written",
                remedy="bring it back, or make a new ledger with `t2c init`",
            ) from None
        except OSError as error:
            raise Environment(
                f"the journal cannot be opened for writing: {error.strerror}",
                where=str(self._path),
                safe="nothing was written",
                remedy="check its permissions and that its file system is not read-only",
            ) from error
        fd = self._fd
        assert fd is not None
        size = os.fstat(fd).st_size
        check_start(fd, self._path.name)
        tail = read_tail(fd, size, self._path.name)
        if tail.overhang is not None:
            set_aside(fd, self._path, tail.overhang)
        self._head, self._ts = tail.position, tail.ts
        return fd, unrecorded_repairs(self._path, tail.position.offset)

    def _reopen(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        opened = os.fstat(self._fd)
        self._inode = (opened.st_dev, opened.st_ino)

    def _put(self, fd: int, block: bytes) -> None:
        try:
            written = os.write(fd, block)
        except OSError as error:
            self._undo(fd)
            raise _unwritten(self._path, error.strerror or "write failed") from error
        if written != len(block):
            self._undo(fd)
            raise _unwritten(self._path, f"only {written} of {len(block)} bytes fitted")

    def _undo(self, fd: int) -> None:
        try:
            os.ftruncate(fd, self._head.offset)
            os.fsync(fd)
        except OSError as error:
            self._dead = f"a partial write could not be taken back ({error.strerror})"

    def _sync(self, fd: int) -> None:
        try:
            os.fdatasync(fd)
        except OSError as error:
            self._dead = f"a sync failed ({error.strerror})"
            raise Environment(
                f"the disk refused to make the journal durable: {error.strerror}",
                where=str(self._path),
                safe="every event acknowledged before; whether the last ones are kept is not known",
                remedy="check the disk, then run `t2c ledger verify` and look for the events with `t2c ledger log`",
            ) from error
        self._unsynced = 0


class _Turn:
    """The lines of one turn under the lock."""

    def __init__(self, head: Position, last_ts: str, now: str, index: EventIndex) -> None:
        self.head = self._before = head
        self.ts = max(last_ts, now)
        self.lines: list[bytes] = []
        self.count = 0
        self._index = index
        self._keys: dict[str, Keyed] = {}

    def add(self, drafts: Sequence[EventDraft], *, atomic: bool, durable: bool = False) -> list[Receipt]:
        """Link drafts behind what is there. Leaves everything as it was if one of them is refused."""
        before = (self.head, len(self.lines), self.count, dict(self._keys) if self._keys else {})
        try:
            receipts: list[Receipt] = []
            for part, item in enumerate(drafts, 1):
                batch = (part, len(drafts)) if atomic and len(drafts) > 1 else None
                receipts.append(self._repeat(item, durable) or self._link(item, receipts, batch, durable))
        except T2cError:
            self.head, kept, self.count, self._keys = before
            del self.lines[kept:]
            raise
        return receipts

    def _link(
        self, item: EventDraft, earlier: list[Receipt], batch: tuple[int, int] | None, durable: bool
    ) -> Receipt:
        cause = [earlier[ref].id if isinstance(ref, int) else ref for ref in item.cause]
        for ref in item.cause:
            if isinstance(ref, str) and self._index.offset(ref, self._before) is None:
                raise Usage(
                    f"cause {ref} is no event of this ledger",
                    safe="nothing was written",
                    remedy="find the id with `t2c ledger log --json`",
                )
        sealed = seal(item, seq=self.head.seq + 1, prev=self.head.hash, ts=self.ts, cause=cause, batch=batch)
        receipt = Receipt(sealed.seq, sealed.id, sealed.hash, durable, self.head.offset)
        self.lines += sealed.line, b"\n"
        self.count += 1
        self.head = Position(sealed.seq, sealed.hash, self.head.offset + len(sealed.line) + 1)
        if item.key is not None:
            self._keys[item.key] = Keyed(sealed.seq, sealed.id, sealed.hash, item.content())
        return receipt

    def _repeat(self, item: EventDraft, durable: bool) -> Receipt | None:
        if item.key is None:
            return None
        known = self._keys.get(item.key) or self._index.keyed(item.key, self._before)
        if known is None:
            return None
        if known.content != item.content():
            raise Conflict(
                f"key {item.key!r} was used for other content",
                where=f"seq {known.seq}",
                safe="nothing was written",
                remedy="take a new key, or send the same content to get the first receipt again",
            )
        return Receipt(known.seq, known.id, known.hash, durable, repeated=True)


def _check(expected: Expected | None, head: Position) -> None:
    if expected is None:
        return
    if expected.seq not in (None, head.seq) or expected.hash not in (None, head.hash):
        raise Conflict(
            f"the ledger's head is seq {head.seq}, hash {head.hash}, not the expected one",
            where=f"seq {head.seq}",
            safe="nothing was written",
            remedy="read what is new (`t2c ledger log`), decide again, and give the new head",
            seq=head.seq,
            hash=head.hash,
        )


def _unwritten(path: Path, why: str) -> Environment:
    return Environment(
        f"the journal could not be written: {why}",
        where=str(path),
        safe="every event acknowledged before; what had been written of this one was taken back",
        remedy="make room or repair the disk, then run the command again",
    )
