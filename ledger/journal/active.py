"""The file that a writer appends to: its descriptor, the head of the chain in it, and what the disk is owed."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import Final

from t2c.ledger.errors import Conflict, Environment, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.parts import first_seq, open_parts
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.recover import set_aside, unrecorded_repairs
from t2c.ledger.journal.segments import DEFAULT_RULE, SealRule, finish_sealing, seal_segment
from t2c.ledger.journal.syncing import Syncing
from t2c.ledger.journal.tail import check_last, damaged

__all__ = ["ActiveFile"]

_UNREAD: Final = Position(0, "", -1)
_BUFFER: Final = 1 << 13


class ActiveFile:
    """What a writer knows of the journal's end. Every method but `close` is called under the ledger's lock.

    `head`, `line` and `ts` are of the last event; `dead` says why nothing may be written any more; `others` is
    True while the end holds what this writer did not see synced.
    """

    def __init__(self, journal: JournalFile, rule: SealRule = DEFAULT_RULE) -> None:
        self._journal = journal
        self._path = journal.path
        self._name = str(journal.path)
        self._rule = rule
        self._fd: int | None = None
        self._inode = (-1, -1)
        self._base = 0
        self.head = _UNREAD
        self.line = b""
        self.ts = ""
        self.dead: str | None = None
        self.others = False

    def settle(self) -> list[EventDraft]:
        """Make sure that the descriptor is the journal on disk and the head is its head.

        What hangs over the end is set aside; returned are the events that repairs still wait for.
        """
        if self.dead is not None:
            raise Environment(
                f"this writer stopped after a failure: {self.dead}",
                where=str(self._path),
                safe="every event acknowledged before",
                remedy="open the ledger again; run `t2c ledger verify` first",
            )
        try:
            there = os.stat(self._name)  # noqa: PTH116 - for every turn, and a Path takes four times as long
            if self._fd is None or self._inode != (there.st_dev, there.st_ino):
                self._reopen()
            elif there.st_size == self.head.offset - self._base and self._still_ends():
                return []
            return self._read_end()
        except FileNotFoundError:
            raise Conflict(
                "the journal is gone",
                where=str(self._path),
                safe="nothing was written",
                remedy="bring it back, or make a new ledger with `t2c init`",
            ) from None
        except OSError as error:
            raise self._unopened(error.strerror or "it cannot be opened") from error

    def _still_ends(self) -> bool:
        """True if the last line is still the one that was written or read last, byte for byte."""
        end = self.head.offset - self._base
        if end <= 0:
            return end == 0
        last = self.line + b"\n"
        return os.pread(self._opened, len(last), end - len(last)) == last

    def _read_end(self) -> list[EventDraft]:
        self.head = _UNREAD
        name = self._path.name
        with open_parts(self._path, self._journal.segments, _BUFFER) as parts:
            if parts.inode != self._inode:
                raise Conflict(
                    "the journal was replaced while it was opened",
                    where=str(self._path),
                    safe="nothing was written",
                    remedy="run the command again",
                )
            if parts.stale:
                finish_sealing(self._path, self._opened, parts.stale[-1])
                self._reopen()
                return self._read_end()
            self._base = parts.base
            tail = parts.tail()
            parts.check_order(tail.position.offset)
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
            set_aside(self._opened, self._path, tail.overhang, self._base)
        repairs = unrecorded_repairs(self._path, tail.position.offset)
        self.head, self.line, self.ts = tail.position, tail.line, tail.ts
        self.others = True
        return repairs

    @property
    def _opened(self) -> int:
        assert self._fd is not None
        return self._fd

    def _reopen(self) -> None:
        self.close()
        fd = self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
        opened = os.fstat(fd)
        self._inode = (opened.st_dev, opened.st_ino)
        if not stat.S_ISREG(opened.st_mode):
            raise self._unopened("it is not a file")

    def close(self) -> None:
        """Let go of the file; the next `settle` opens it again."""
        self.head = _UNREAD
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _unopened(self, why: str) -> Environment:
        return Environment(
            f"the journal cannot be opened for writing: {why}",
            where=str(self._path),
            safe="nothing was written",
            remedy="check its permissions and that its file system is not read-only",
        )

    def put(self, block: bytes, head: Position, line: bytes, ts: str) -> None:
        """Write whole lines behind the head, in one write; `head`, `line` and `ts` are then those of the last.

        Raises Environment if the disk does not take all of it; what it took is taken back.
        """
        try:
            written = os.write(self._opened, block)
            if written == len(block):
                self.head, self.line, self.ts = head, line, ts
                return
            why = f"only {written:,} of {len(block):,} bytes fitted"
        except OSError as error:
            why = error.strerror or "the write failed"
        self._take_back()
        raise Environment(
            f"the journal could not be written: {why}",
            where=str(self._path),
            safe="every event acknowledged before; "
            + ("what had been written of this one was taken back" if self.dead is None else self.dead),
            remedy="make room or repair the disk, then run the command again",
        )

    def _take_back(self) -> None:
        """Cut a partial write. The end is read anew next time, so that a repair it held is recorded then."""
        end, self.head = self.head.offset - self._base, _UNREAD
        try:
            os.ftruncate(self._opened, end)
            os.fsync(self._opened)
        except OSError as error:
            self.dead = f"a partial write could not be taken back ({error.strerror})"

    def sync(self) -> None:
        """Make everything written so far durable. Raises Environment if the disk refuses; the writer is dead then."""
        if self._fd is None:
            return
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            raise self._unsynced(error) from error
        self.others = False

    def begin_sync(self, syncing: Syncing) -> None:
        """Begin what `sync` does in a thread of its own."""
        if self._fd is not None:
            syncing.start(self._fd)

    def end_sync(self, syncing: Syncing) -> None:
        """Wait for what was begun. Raises like `sync`."""
        try:
            syncing.wait()
        except OSError as error:
            raise self._unsynced(error) from error

    def _unsynced(self, error: OSError) -> Environment:
        # The kernel may have dropped the pages: another sync of this descriptor would prove nothing.
        self.dead = f"a sync failed ({error.strerror})"
        return Environment(
            f"the disk refused to make the journal durable: {error.strerror}",
            where=str(self._path),
            safe="every event acknowledged before; whether the last ones are kept is not known",
            remedy="check the disk, then run `t2c ledger verify` and look for the events with `t2c ledger log`",
        )

    def seal(self, before: int) -> None:
        """Seal the file if, since event `before`, it came to a place where that is due.

        The events are recorded whatever becomes of this: a failure leaves the file to the next such place.
        """
        due = self.head.seq // self._rule.events * self._rule.events
        if due <= before or self.head.offset - self._base < self._rule.bytes:
            return
        self.sync()
        with contextlib.suppress(OSError, Environment):
            at = self._journal.position(due)
            first = first_seq(self._opened)
            if at is None or first is None or at.offset - self._base < self._rule.bytes:
                return
            cut = at.offset - self._base
            seal_segment(self._path, self._opened, self._journal.segments, first, due, cut)
        self.close()
