"""The writer: under one lock read the head, check, link, write once, sync, answer (journal-engine §2).

Waiting callers of one process share a write and a sync: whoever finds nobody writing leads, the others follow.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Literal

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.active import ActiveFile
from t2c.ledger.journal.index import EventIndex
from t2c.ledger.journal.lock import Lock
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import DEFAULT_RULE, SealRule
from t2c.ledger.journal.syncing import Syncing
from t2c.ledger.journal.turn import Expected, Receipt, Request, Turn
from t2c.ledger.kernel.clock import Clock, rfc3339

__all__ = ["Durability", "Expected", "Receipt", "Writer"]

Durability = Literal["commit", "batch", "none"]
"""commit: acknowledged means synced. batch: synced per `sync()` or close, acknowledged before. none: never synced."""

_SYNC_AFTER: Final = 1000


class Writer:
    """Appends to one journal file. Thread-safe; processes exclude each other through `lock`."""

    def __init__(
        self,
        journal: JournalFile,
        *,
        lock: Lock,
        clock: Clock,
        index: EventIndex,
        objects: Objects,
        durability: Durability = "commit",
        rule: SealRule = DEFAULT_RULE,
    ) -> None:
        self._lock = lock
        self._clock = clock
        self._index = index
        self._objects = objects
        self._durability: Durability = durability
        self._pid = os.getpid()
        self._queue = threading.Lock()
        self._waiting: list[Request] = []
        self._led = False
        self._file = ActiveFile(journal, rule)
        self._owed = 0

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
        self._check_process()
        request = Request(drafts, expected, atomic)
        if self._leads(request):
            self._lead(request)
        if request.failure is not None:
            raise request.failure
        return request.receipts

    def append_all(
        self,
        batches: Iterable[Sequence[EventDraft]],
        acknowledge: Callable[[list[Receipt]], object] | None = None,
    ) -> None:
        """Record batch after batch, each behind one write; one is synced while the next is made and written.

        `acknowledge` is called with the receipts of each batch, in order, when it is as durable as this writer
        makes things. Other threads wait until the last batch is recorded, so `batches` must not append to the same
        ledger. Raises like `append`, for the first batch that cannot be recorded: none after it is, and whether
        one before it that was not acknowledged is kept may be unknown.
        """
        self._check_process()
        with self._alone():
            syncing, waiting = Syncing(), None
            try:
                for drafts in batches:
                    request = Request(drafts, None, False)
                    with self._lock.held():
                        try:
                            _, before = self._link([request])
                        finally:
                            self._finish(syncing, waiting, acknowledge)
                            waiting = None
                        if request.failure is not None:
                            raise request.failure
                        self._file.seal(before)
                    if self._durability == "commit":
                        self._file.begin_sync(syncing)
                    waiting = request
                self._finish(syncing, waiting, acknowledge)
            finally:
                syncing.close()

    def _finish(
        self,
        syncing: Syncing,
        request: Request | None,
        acknowledge: Callable[[list[Receipt]], object] | None,
    ) -> None:
        """Wait for the sync of the batch before, and say that it is recorded."""
        self._file.end_sync(syncing)
        if request is not None and acknowledge is not None:
            acknowledge(request.receipts)

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
                self._file.close()
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
        if self._owed and self._durability != "none" and self._file.dead is None:
            self._sync()

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise Usage(
                "this ledger was opened before the process forked",
                safe="nothing was written",
                remedy="open the ledger again in the child process",
            )

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
        turn, before = self._link(group)
        durable = self._durability == "commit"
        if durable:
            # A repeated event may have been written by a process that was killed before its sync.
            if turn.lines or (turn.repeated and (self._owed or self._file.others)):
                self._sync()
        elif self._durability == "batch" and self._owed >= _SYNC_AFTER:
            self._sync()
        for request in group:
            request.settled = True
        if turn.lines:
            self._file.seal(before)

    def _link(self, group: list[Request]) -> tuple[Turn, int]:
        """Write what a group wants recorded; returns the turn and the seq before it. Call under the lock."""
        repairs = self._file.settle()
        head = self._file.head
        ts = max(self._file.ts, rfc3339(self._clock.now()))
        turn = Turn(head, ts, self._index, self._objects, self._durability == "commit")
        turn.repair(repairs)
        for request in group:
            try:
                request.receipts = turn.add(request)
            except Exception as failure:  # noqa: BLE001 - its caller raises it; the others go on
                request.fail(failure)
        if turn.lines:
            try:
                self._file.put(b"".join(turn.lines), turn.head, turn.lines[-2], turn.ts)
            except Environment:
                if self._file.dead is None:
                    turn.take_back()
                raise
            self._owed += turn.count
        return turn, head.seq

    def _sync(self) -> None:
        self._file.sync()
        self._owed = 0


def _interrupted() -> Environment:
    return Environment(
        "the thread that wrote for this one was interrupted",
        safe="every event acknowledged before; whether these were recorded is not known",
        remedy="look for them with `t2c ledger log`, or send them again with their keys",
    )
