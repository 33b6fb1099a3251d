"""A stretch of the journal, walked in this process or in a second one that walks the later half meanwhile.

    python -m t2c.ledger.journal.stretch JOURNAL SEQ OFFSET END SIZE…

is that second process: it prints what it found and decides nothing. Whatever is wrong in its half, or with itself,
makes the first process walk that half too, which names the faults.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from t2c.ledger.errors import T2cError
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.faults import decode_link
from t2c.ledger.journal.merkle import Subtree
from t2c.ledger.journal.parts import Parts, open_parts
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import Overhang, torn_cause
from t2c.ledger.journal.walk import Walk, blocks

__all__ = ["BUFFER", "Halves", "Progress", "walk_parts"]

BUFFER: Final = 1 << 18
_WORTH: Final = 24 << 20
"""Bytes below which a second process costs more than it saves."""
_ALIGNED: Final = 1 << 14
"""A half begins at a multiple of this seq, so that its subtrees fit the tree."""
_PROGRESS: Final = 1 << 24

Progress = Callable[[int, int], None]


def walk_parts(walk: Walk, parts: Parts, end: int, progress: Progress | None = None) -> Overhang | None:
    """Walk from where the walk stands up to byte `end`; returns what of it has no end."""
    overhang: Overhang | None = None
    start = walk.last.offset
    shown = start + _PROGRESS
    for part in parts.all:
        base, stop = part.base, min(part.end, end)
        if stop <= start:
            continue
        for at, block in blocks(parts.stream(part), max(start, base) - base, stop - base):
            offset = base + at
            if not block:
                walk.faults.shrank(walk.last.seq + 1)
            elif not block.endswith(b"\n"):
                if offset + len(block) < stop:
                    walk.faults.unreadable(walk.last.seq, block, too_long=True)
                elif part.segment is not None:
                    walk.faults.cut_segment(walk.last.seq + 1, part.path.name)
                else:
                    overhang = Overhang(offset, stop - offset, torn_cause(block))
            elif not walk.take(block, offset):
                walk.examine(block, offset)
            if progress is not None and offset >= shown:
                progress(offset, parts.size)
                shown = offset + _PROGRESS
    return overhang


class _Found(msgspec.Struct, array_like=True):
    """What the second process found: `prev` is that of its first line, `marks` as a Walk keeps them."""

    prev: str
    last: tuple[int, str, int]
    line: bytes
    tree: list[Subtree]
    marks: dict[int, list[Subtree]]


class Halves:
    """The second process, walking from the middle of what is left to `end`."""

    def __init__(
        self, journal: JournalFile, parts: Parts, after: Position, end: int, sizes: Sequence[int]
    ) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.middle = _middle(journal, parts, after, end)
        if self.middle is not None:
            start = (str(number) for number in (self.middle.seq, self.middle.offset, end, *sizes))
            command = [sys.executable, "-m", "t2c.ledger.journal.stretch", str(journal.path), *start]
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
            except OSError:
                self.middle = None

    def join(self, walk: Walk) -> None:
        """Take over what the second process found, if it goes on from where the walk stands and is sound."""
        if self._process is None:
            return
        printed, _ = self._process.communicate()
        try:
            found = msgspec.msgpack.decode(printed, type=_Found)
        except msgspec.DecodeError:
            return
        if walk.last == (self.middle.seq, found.prev, self.middle.offset) if self.middle else False:
            walk.join(found.line, Position(*found.last), found.tree, found.marks)

    def close(self) -> None:
        """End the second process, if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()


def _middle(journal: JournalFile, parts: Parts, after: Position, end: int) -> Position | None:
    """An event near the middle of what is left, at whose end a half may begin; None if it is not worth it."""
    if end - after.offset < 2 * _WORTH:
        return None
    try:
        offset = (after.offset + end) // 2
        part = parts.part_at(offset)
        stream = parts.stream(part)
        stream.seek(offset - part.base)
        stream.readline(MAX_LINE + 1)
        link = decode_link(stream.readline(MAX_LINE + 1))
        seq = 0 if link is None else (link.seq + _ALIGNED // 2) // _ALIGNED * _ALIGNED
        found = journal.position(seq) if seq > after.seq else None
    except T2cError:
        return None
    return found if found is not None and after.offset < found.offset < end else None


def _main(path: str, *numbers: str) -> None:
    seq, offset, end, *sizes = map(int, numbers)
    journal = JournalFile(Path(path))
    with open_parts(journal.path, journal.segments, BUFFER) as parts:
        part = parts.part_at(offset)
        stream = parts.stream(part)
        stream.seek(offset - part.base)
        first = decode_link(stream.readline(MAX_LINE + 1))
        if first is None:
            return
        walk = Walk(sizes=sizes, start=Position(seq, first.prev, offset))
        overhang = walk_parts(walk, parts, end)
    walk.flush()
    if overhang is None and not walk.faults.listed() and walk.last.offset == end:
        found = _Found(first.prev, walk.last, walk.line, walk.tree.subtrees(), walk.marks)
        sys.stdout.buffer.write(msgspec.msgpack.encode(found))


if __name__ == "__main__":
    _main(*sys.argv[1:])
