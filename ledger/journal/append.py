"""The writer: under one lock read the head, check, link, write once, sync, answer (journal-engine §2).

Waiting callers of one process share a write and a sync: whoever finds nobody writing leads, the others follow.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from t2c.ledger.errors import Conflict, Environment, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.index import EventIndex
from t2c.ledger.journal.lock import Lock
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.recover import set_aside, unrecorded_repairs
from t2c.ledger.journal.tail import check_last, check_start, damaged, read_tail
from t2c.ledger.journal.turn import Expected, Receipt, Request, Turn
from t2c.ledger.kernel.clock import Clock, rfc3339

__all__ = ["Durability", "Expected", "Receipt", "Writer"]

Durability = Literal["commit", "batch", "none"]
"""commit: acknowledged means synced. batch: synced per `sync()` or close, acknowledged before. none: never synced."""

_SYNC_AFTER: Final = 1000
_UNREAD: Final = Position(0, "", -1)


class Writer:
    """Appends to one journal file. Thread-safe; processes exclude each other through `lock`."""

    def __init__(
        self,
        journal: Path,
        *,
        lock: Lock,
        clock: Clock,
        index: EventIndex,
        objects: Objects,
        durability: Durability = "commit",
    ) -> None:
        self._path = journal
        self._lock = lock
        self._clock = clock
        self._index = index
        self._objects = objects
        self._durability: Durability = durability
        self._pid = os.getpid()
        self._queue = threading.Lock()
        self._waiting: list[Request] = []
        self._led = False
        self._fd: int | None = None
        self._inode = (-1, -1)
        self._head = _UNREAD
        self._line = b""
        self._ts = ""
        self._owed = 0
        self._others = False
        self._dead: str | None = None

    def append(
        self, drafts: Sequence[EventDraft], *, expected: Expected | None = None, atomic: bool = False
    ) -> list[Receipt]:
        """Record drafts in order, all behind one write; returns one receipt each.

        With `atomic` the events carry `batch` and readers see all of them or none. An empty sequence repairs a
        torn end and writes nothing else. A draft whose key and content were recorded before is answered with
        the first receipt, whatever head is expected.

        Raises Conflict if the head is not as expected or a key was used for other content, Usage if an event is
        too long or names a cause that is not there, Corrupt if the journal is damaged, Environment if it cannot
        be written; in each case nothing of this call was recorded, but for a failed sync, which says so.
        """
        if os.getpid() != self._pid:
            raise Usage(
                "this ledger was opened before the process forked",
                safe="nothing was written",
                remedy="open the ledger again in the child process",
            )
        request = Request(drafts, expected, atomic)
        if self._leads(request):
            self._lead(request)
        if request.failure is not None:
            raise request.failure
        return request.receipts

    def sync(self) -> None:
        """Make everything acknowledged so far durable (durability `batch`)."""
        with self._alone():
            self._settle_debt()

    def close(self) -> None:
        """Sync what durability `batch` still owes and let go of the files; a forked child only leaves them be."""
        if os.getpid() != self._pid:
            return
        with self._alone():
            try:
                self._settle_debt()
            finally:
                if self._fd is not None:
                    os.close(self._fd)
                    self._fd = None
                self._index.close()
                self._lock.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Entered while no other thread writes; none can begin to before it is left."""
        self._leads(Request((), None, False, alone=True))
        try:
            yield
        finally:
            self._pass_on()

    def _settle_debt(self) -> None:
        if self._fd is not None and self._owed and self._durability != "none" and self._dead is None:
            self._sync(self._fd)

    def _leads(self, request: Request) -> bool:
        """True when it is this caller's turn to write; False once another has served its request."""
        with self._queue:
            if not self._led:
                self._led = True
                return True
            request.wake.acquire()
            self._waiting.append(request)
        try:
            request.wake.acquire()
        except BaseException:
            self._give_up(request)
            raise
        return not request.settled

    def _give_up(self, request: Request) -> None:
        """Leave the queue after an interrupt; a turn that was given already goes on to the next."""
        with self._queue:
            if request in self._waiting:
                self._waiting.remove(request)
                return
        if request.heir:
            self._pass_on()

    def _pass_on(self) -> None:
        """Wake the one that has waited longest to write next, and nobody else."""
        with self._queue:
            if not self._waiting:
                self._led = False
                return
            heir = self._waiting.pop(0)
            heir.heir = True
        heir.wake.release()

    def _lead(self, request: Request) -> None:
        """Write for this caller and for everybody who waits, then let the next one lead."""
        followers: list[Request] = []
        try:
            with self._queue:
                followers += [other for other in self._waiting if not other.alone]
                self._waiting = [other for other in self._waiting if other.alone]
            self._commit([request, *followers])
        finally:
            self._pass_on()
            for follower in followers:
                if not follower.settled:
                    follower.fail(_interrupted())
                follower.wake.release()

    def _commit(self, group: list[Request]) -> None:
        try:
            with self._lock.held():
                self._write(group)
        except Exception as failure:  # noqa: BLE001 - each waiting caller raises it
            for request in group:
                if not request.settled:
                    request.fail(failure)

    def _write(self, group: list[Request]) -> None:
        if self._dead is not None:
            raise Environment(
                f"this writer stopped after a failure: {self._dead}",
                where=str(self._path),
                safe="every event acknowledged before",
                remedy="open the ledger again; run `t2c ledger verify` first",
            )
        fd, repairs = self._settle()
        durable = self._durability == "commit"
        ts = max(self._ts, rfc3339(self._clock.now()))
        turn = Turn(self._head, ts, self._index, self._objects, durable)
        turn.repair(repairs)
        for request in group:
            try:
                request.receipts = turn.add(request)
            except Exception as failure:  # noqa: BLE001 - its caller raises it; the others go on
                request.fail(failure)
        if turn.lines:
            try:
                self._put(fd, b"".join(turn.lines))
            except Environment:
                if self._dead is None:
                    turn.take_back()
                raise
            self._head, self._line, self._ts = turn.head, turn.lines[-2], turn.ts
            self._owed += turn.count
        if durable:
            # A repeated event may have been written by a process that was killed before its sync.
            if turn.lines or (turn.repeated and (self._owed or self._others)):
                self._sync(fd)
        elif self._durability == "batch" and self._owed >= _SYNC_AFTER:
            self._sync(fd)
        for request in group:
            request.settled = True

    def _settle(self) -> tuple[int, list[EventDraft]]:
        """Make sure that the descriptor is the journal on disk and the head is its head; repair its end."""
        try:
            there = self._path.stat()
            if self._fd is None or self._inode != (there.st_dev, there.st_ino):
                fd = self._reopen()
            else:
                fd = self._fd
                if there.st_size == self._head.offset and self._still_ends(fd):
                    return fd, []
            return fd, self._read_end(fd)
        except FileNotFoundError:
            raise Conflict(
                "the journal is gone",
                where=str(self._path),
                safe="nothing was written",
                remedy="bring it back, or make a new ledger with `t2c init`",
            ) from None
        except OSError as error:
            raise self._unopened(error.strerror or "it cannot be opened") from error

    def _still_ends(self, fd: int) -> bool:
        """True if the last line is still the one that was written or read last, byte for byte."""
        end = self._line + b"\n"
        return os.pread(fd, len(end), self._head.offset - len(end)) == end

    def _read_end(self, fd: int) -> list[EventDraft]:
        self._head = _UNREAD
        name = self._path.name
        check_start(fd, name)
        tail = read_tail(fd, os.fstat(fd).st_size, name)
        check_last(tail, name)
        if tail.position == START:
            if tail.overhang is not None:
                raise damaged("the first event of the journal is not complete", f"{name}:1")
            raise Usage(
                "the journal is empty",
                where=str(self._path),
                safe="nothing was written",
                remedy="make a ledger with `t2c init`, or bring the journal back",
            )
        if tail.overhang is not None:
            set_aside(fd, self._path, tail.overhang)
        repairs = unrecorded_repairs(self._path, tail.position.offset)
        self._head, self._line, self._ts = tail.position, tail.line, tail.ts
        self._others = True
        return repairs

    def _reopen(self) -> int:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        self._head = _UNREAD
        fd = self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
        opened = os.fstat(fd)
        self._inode = (opened.st_dev, opened.st_ino)
        if not stat.S_ISREG(opened.st_mode):
            raise self._unopened("it is not a file")
        return fd

    def _unopened(self, why: str) -> Environment:
        return Environment(
            f"the journal cannot be opened for writing: {why}",
            where=str(self._path),
            safe="nothing was written",
            remedy="check its permissions and that its file system is not read-only",
        )

    def _put(self, fd: int, block: bytes) -> None:
        try:
            written = os.write(fd, block)
            if written == len(block):
                return
            why = f"only {written:,} of {len(block):,} bytes fitted"
        except OSError as error:
            why = error.strerror or "the write failed"
        self._take_back(fd)
        raise Environment(
            f"the journal could not be written: {why}",
            where=str(self._path),
            safe="every event acknowledged before; "
            + ("what had been written of this one was taken back" if self._dead is None else self._dead),
            remedy="make room or repair the disk, then run the command again",
        )

    def _take_back(self, fd: int) -> None:
        """Cut a partial write. The end is read anew next time, so that a repair it held is recorded then."""
        end, self._head = self._head.offset, _UNREAD
        try:
            os.ftruncate(fd, end)
            os.fsync(fd)
        except OSError as error:
            self._dead = f"a partial write could not be taken back ({error.strerror})"

    def _sync(self, fd: int) -> None:
        try:
            os.fdatasync(fd)
        except OSError as error:
            # The kernel may have dropped the pages: another sync of this descriptor would prove nothing.
            self._dead = f"a sync failed ({error.strerror})"
            raise Environment(
                f"the disk refused to make the journal durable: {error.strerror}",
                where=str(self._path),
                safe="every event acknowledged before; whether the last ones are kept is not known",
                remedy="check the disk, then run `t2c ledger verify` and look for the events with `t2c ledger log`",
            ) from error
        self._owed, self._others = 0, False


def _interrupted() -> Environment:
    return Environment(
        "the thread that wrote for this one was interrupted",
        safe="every event acknowledged before; whether these were recorded is not known",
        remedy="look for them with `t2c ledger log`, or send them again with their keys",
    )
