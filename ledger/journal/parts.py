"""The files of a journal as one stream of bytes: sealed segments first, the active file last.

Offsets count over all of them, so that sealing moves no event. What is opened is one moment of the journal: the
active file is opened before the segments are listed, and a segment that the active file still holds is left aside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.segments import Segment, listed
from t2c.ledger.journal.tail import Overhang, Tail, check_order, check_start, damaged, line_before, read_tail

__all__ = ["Part", "Parts", "first_seq", "open_parts"]

_DISK: Final = (errno.EIO, errno.ESTALE)


class Part(NamedTuple):
    """One file: its bytes are those from `base` to `end` of the journal; `segment` is None for the active one."""

    path: Path
    base: int
    end: int
    segment: Segment | None


class _Seq(msgspec.Struct):
    seq: int


_decode_seq: Final = msgspec.json.Decoder(_Seq).decode


def first_seq(fd: int) -> int | None:
    """The seq of the first line of an open file; None if there is no such line."""
    reach = 4096
    while True:
        block = os.pread(fd, reach, 0)
        at = block.find(b"\n")
        if at >= 0:
            try:
                return _decode_seq(block[:at]).seq
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return None
        if len(block) < reach or reach > MAX_LINE:
            return None
        reach *= 16


class Parts:
    """An open journal. `segments` come before the active file, whose first byte is at `base`.

    `stale` are segments that the active file still holds; `inode` is the active file's (device, inode).
    """

    def __init__(self, path: Path, active: BinaryIO, found: list[Segment], buffering: int) -> None:
        first = first_seq(active.fileno()) if found else None
        segments = [segment for segment in found if first is None or segment.last < first]
        self._active = active
        self._buffering = buffering
        self._opened = ExitStack()
        self._streams: dict[Path, BinaryIO] = {path: active}
        self.name = path.name
        self.segments = segments
        self.stale = found[len(segments) :]
        self.all: list[Part] = []
        base = 0
        for segment in segments:
            self.all.append(Part(segment.path, base, base + segment.size, segment))
            base += segment.size
        self.base = base
        status = os.fstat(active.fileno())
        self.inode = status.st_dev, status.st_ino
        self.all.append(Part(path, base, base + status.st_size, None))

    def close(self) -> None:
        self._opened.close()

    @property
    def size(self) -> int:
        """Bytes of the whole journal, as it was opened."""
        return self.all[-1].end

    def stream(self, part: Part) -> BinaryIO:
        """The open file of a part, at whatever place it was left."""
        found = self._streams.get(part.path)
        if found is None:
            found = self._streams[part.path] = self._opened.enter_context(_opened(part.path, self._buffering))
        return found

    def part_at(self, offset: int) -> Part:
        """The part that holds the byte at `offset`; the active one for what lies beyond."""
        for part in self.all:
            if offset < part.end:
                return part
        return self.all[-1]

    def tail(self) -> Tail:
        """The sound end of the journal and what hangs over it, in offsets of the whole."""
        fd = self._active.fileno()
        if not self.segments:
            check_start(fd, self.name)
            return read_tail(fd, self.size, self.name)
        found = read_tail(fd, self.size - self.base, self.name)
        if found.position != START:
            # Without one whole line it is a first write behind a fresh seal that did not come to its end.
            check_start(fd, self.name)
        over = found.overhang
        if over is not None:
            over = Overhang(over.offset + self.base, over.length, over.cause)
        if found.position != START:
            seq, digest, offset = found.position
            return Tail(Position(seq, digest, offset + self.base), found.line, found.ts, over)
        last = self.all[-2]
        stream = self.stream(last)
        sealed = read_tail(stream.fileno(), last.end - last.base, last.path.name)
        if sealed.overhang is not None or sealed.position == START:
            raise damaged("a sealed segment of the journal is cut off", last.path.name)
        seq, digest, offset = sealed.position
        return Tail(Position(seq, digest, offset + last.base), sealed.line, sealed.ts, over)

    def check_order(self, end: int) -> None:
        """Raise Corrupt if lines of two branches were joined in the last part of the active file before `end`."""
        check_order(self._active.fileno(), max(0, end - self.base), self.name)

    def line_before(self, end: int) -> tuple[int, bytes]:
        """The complete line that ends (LF included) at byte `end`: its offset and its bytes without LF."""
        part = self.part_at(end - 1)
        start, line = line_before(self.stream(part).fileno(), end - part.base, part.path.name)
        return start + part.base, line


@contextmanager
def open_parts(path: Path, folder: Path, buffering: int) -> Iterator[Parts]:
    """Open a journal for reading. Raises Usage if there is none, Environment if it cannot be read."""
    with _opened(path, buffering) as active:
        parts = Parts(path, active, listed(folder), buffering)
        try:
            yield parts
        finally:
            parts.close()


@contextmanager
def _opened(path: Path, buffering: int) -> Iterator[BinaryIO]:
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
