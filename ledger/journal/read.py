"""Streaming read of a journal: in order, in bounded memory, up to the sound end. Never repairs, never writes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.tail import Tail, check_start, damaged, line_before, read_tail
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["JournalFile", "open_journal"]

_BUFFER: Final = 1 << 18
_DISK: Final = (errno.EIO, errno.ESTALE)
_POINT: Final = 1 << 13
"""Bytes read at once where single lines are picked out."""


@contextmanager
def open_journal(path: Path, buffering: int = _BUFFER) -> Iterator[BinaryIO]:
    """Open the journal for reading. Raises Usage if there is none, Environment if it cannot be read."""
    try:
        # Without O_NONBLOCK the opening of a pipe in the journal's place would wait for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise Usage(
            f"there is no ledger at {path.parent}", remedy="make one with `t2c init` or `t2c scan`"
        ) from None
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be opened") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _unreadable(path, "it is not a file")
    with os.fdopen(fd, "rb", buffering=buffering) as stream:
        try:
            yield stream
        except OSError as error:
            if error.errno not in _DISK:
                raise
            raise _unreadable(path, error.strerror or "the disk failed") from error


def _unreadable(path: Path, why: str) -> Environment:
    return Environment(
        f"the journal cannot be read: {why}",
        where=str(path),
        safe="nothing was read or written",
        remedy="check its permissions and what stands in its place",
    )


class JournalFile:
    """A journal on disk as its readers see it: events in order, found by `seq`, up to the sound end."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def tail(self) -> Tail:
        """The sound end and what hangs over it."""
        with open_journal(self.path) as stream:
            return self._tail(stream)

    def _tail(self, stream: BinaryIO) -> Tail:
        fd = stream.fileno()
        check_start(fd, self.path.name)
        return read_tail(fd, os.fstat(fd).st_size, self.path.name)

    def head(self) -> Position:
        """The position after the last event that counts."""
        return self.tail().position

    def lines(self, after: Position = START, until: int | None = None) -> Iterator[tuple[int, bytes, Entry]]:
        """(offset, line with LF, entry) of every event after `after`, up to and with seq `until`.

        Raises Corrupt at the first line that is no event or whose `seq` is out of place. Events appended while
        reading are not seen.
        """
        with open_journal(self.path) as stream:
            end = self._tail(stream).position.offset
            offset, expected = after.offset, after.seq + 1
            stream.seek(offset)
            while offset < end and (until is None or expected <= until):
                line = stream.readline(MAX_LINE + 1)
                entry = self._entry(line, expected)
                yield offset, line, entry
                offset += len(line)
                expected += 1

    def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
        """Every event after `after`, up to and with seq `until`."""
        for _, _, entry in self.lines(after or START, until):
            yield entry

    def line_at(self, offset: int) -> bytes:
        """The line that starts at byte `offset`, LF excluded."""
        with open_journal(self.path, _POINT) as stream:
            stream.seek(offset)
            return stream.readline(MAX_LINE + 1).rstrip(b"\n")

    def many(self, offsets: Iterable[int]) -> Iterator[Entry]:
        """The events whose lines start at these bytes, in the order asked for."""
        with open_journal(self.path, _POINT) as stream:
            for offset in offsets:
                stream.seek(offset)
                yield self._entry(stream.readline(MAX_LINE + 1), None)

    def _entry(self, line: bytes, expected: int | None) -> Entry:
        if len(line) > MAX_LINE:
            raise damaged("a line of the journal is longer than a line may be", self._place(expected))
        try:
            if not line.isascii():
                # The decoder skips payloads, so it would not see what of them is no text.
                line.decode()
            entry = decode_entry(line)
        except UnicodeDecodeError as error:
            what = f"a line of the journal is not an event: not UTF-8 at byte {error.start}"
            raise damaged(what, self._place(expected)) from None
        except msgspec.DecodeError as error:
            what = f"a line of the journal is not an event: {error}"
            raise damaged(what, self._place(expected)) from None
        if expected is not None and entry.seq != expected:
            what = f"the journal goes from seq {expected - 1} to seq {entry.seq}"
            raise damaged(what, self._place(expected))
        return entry

    def _place(self, expected: int | None) -> str:
        return self.path.name if expected is None else f"seq {expected}"

    def holds(self, position: Position) -> bool:
        """True if the line that ends at `position` is there, with its seq and hash; no line before it is read."""
        if position == START:
            return True
        with open_journal(self.path, _POINT) as stream:
            fd = stream.fileno()
            if not 0 < position.offset <= os.fstat(fd).st_size:
                return False
            if os.pread(fd, 1, position.offset - 1) != b"\n":
                return False
            try:
                _, line = line_before(fd, position.offset, self.path.name)
                return leaf_hash(line) == position.hash and self._entry(line, None).seq == position.seq
            except Corrupt:
                return False

    def position(self, seq: int) -> Position | None:
        """The position after event `seq`, found by bisection; None if there is no such event."""
        if seq < 1:
            return START if seq == 0 else None
        with open_journal(self.path, _POINT) as stream:
            low, high = 0, self._tail(stream).position.offset
            while low < high:
                middle = (low + high) // 2
                stream.seek(max(0, middle - 1))
                if middle:
                    stream.readline(MAX_LINE + 1)
                offset = stream.tell()
                if offset >= high:
                    high = middle
                    continue
                line = stream.readline(MAX_LINE + 1)
                found = self._entry(line, None).seq
                if found == seq:
                    return Position(seq, leaf_hash(line[:-1]), offset + len(line))
                if found < seq:
                    low = offset + len(line)
                else:
                    high = offset
        return None
