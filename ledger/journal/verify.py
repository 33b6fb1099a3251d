"""Level `chain`: every line proven by the one after it, from raw bytes, nothing re-encoded (journal-engine §4).

A break is reported as the lowest `seq` not proven: with `seq` contiguous, the event before the disagreeing
`prev`; with a gap, a swap or a double, the place at which the first line stands wrong (so a line that stands
twice is reported at the second place, not under its own number). The list is complete.

A block whose lines all stand in their place is taken as a whole; any other is looked at line by line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import msgspec
from msgspec import Struct, field

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.faults import Fault, Faults, Link, decode_link
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import open_journal
from t2c.ledger.journal.tail import Overhang, read_tail, torn_cause
from t2c.ledger.kernel.digests import leaf_hash, leaf_state

__all__ = ["ChainReport", "Fault", "Visit", "verify_chain"]

Visit = Callable[[int, bytes], None]
"""Called with (seq, line without LF) for each line that stands in its place."""

_BLOCK: Final = 1 << 18
_LEAVES_AT_ONCE: Final = 4096 * 32
_PROGRESS: Final = 1 << 24


class ChainReport(Struct):
    """What was read: `root` is over every line in its place, `position` after the last of them.

    Without faults it promises that no line was changed since the one after it was written. A journal whose end
    was cut off, or that was written anew from some event on with every later hash made again, has no faults
    either: only `root`, `position` or an earlier head kept elsewhere tell.
    """

    events: int = 0
    root: str = ""
    position: Position = START
    faults: list[Fault] = field(default_factory=list)


class _Prev(msgspec.Struct, gc=False):
    seq: int
    prev: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]


_decode_block: Final = msgspec.json.Decoder(_Prev).decode_lines


class _Walk:
    """The state of the walk: what stands proven so far."""

    def __init__(self, visit: Visit | None) -> None:
        self.last = START
        self.line = b""
        self.faults = Faults()
        self.tree = Frontier()
        self._leaves = bytearray()
        self._visit = visit

    def take(self, block: bytes, offset: int) -> bool:
        """Accept whole lines that all stand in their place; False, and nothing done, if one of them does not."""
        lines = block.split(b"\n")
        lines.pop()
        if len(block) > MAX_LINE or lines[-1].endswith(b"\r") or not _is_utf8(block):
            return False
        try:
            links = _decode_block(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        leaves = _leaves(lines)
        hashes = leaves.hex()
        first = self.last.seq + 1
        if [link.seq for link in links] != list(range(first, first + len(lines))):
            return False
        if "".join([link.prev for link in links]) != self.last.hash + hashes[:-64]:
            return False
        self._grow(leaves)
        self.last = Position(first + len(lines) - 1, hashes[-64:], offset + len(block))
        self.line = lines[-1]
        self.faults.stands()
        if self._visit is not None:
            for seq, line in enumerate(lines, first):
                self._visit(seq, line)
        return True

    def examine(self, block: bytes, offset: int) -> None:
        """Look at whole lines one by one, and name what is wrong with them."""
        for raw in block[:-1].split(b"\n"):
            offset += len(raw) + 1
            line = raw
            if raw.endswith(b"\r") and len(raw) > 1:
                # What an editor or Git added to every line hides nothing else once it is named.
                self.faults.crlf(self.last.seq + 1)
                line = raw[:-1]
            link = decode_link(line) if len(raw) < MAX_LINE and _is_utf8(line) else None
            if link is None:
                self.faults.unreadable(self.last.seq, raw, too_long=len(raw) >= MAX_LINE)
            elif self._fits(link) or self.faults.disagrees(link, line, self.last, self.line):
                self.last, self.line = Position(link.seq, leaf_hash(line), offset), line
                self._grow(bytes.fromhex(self.last.hash))
                self.faults.stands()
                if self._visit is not None:
                    self._visit(link.seq, line)

    def _fits(self, link: Link) -> bool:
        return link.seq == self.last.seq + 1 and link.prev == self.last.hash

    def _grow(self, leaves: bytes) -> None:
        self._leaves += leaves
        if len(self._leaves) >= _LEAVES_AT_ONCE:
            self.tree.extend(bytes(self._leaves))
            self._leaves.clear()

    def report(self) -> ChainReport:
        self.tree.extend(bytes(self._leaves))
        self._leaves.clear()
        return ChainReport(self.tree.size, self.tree.root().hex(), self.last, self.faults.listed())


def _leaves(lines: Iterable[bytes]) -> bytes:
    hashes: list[bytes] = []
    for line in lines:
        leaf = leaf_state()
        leaf.update(line)
        hashes.append(leaf.digest())
    return b"".join(hashes)


def _is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def verify_chain(
    path: Path, *, visit: Visit | None = None, progress: Callable[[int, int], None] | None = None
) -> ChainReport:
    """Walk the journal once, in bounded memory, and never write.

    `progress` is called with (bytes done, bytes in all). Raises Usage if there is no journal, Environment if it
    cannot be read.
    """
    walk = _Walk(visit)
    with open_journal(path) as stream:
        size = end = os.fstat(stream.fileno()).st_size
        overhang: Overhang | None = None
        try:
            tail = read_tail(stream.fileno(), size, path.name)
            end, overhang = tail.position.offset, tail.overhang
        except Corrupt:
            # The walk below names the damage itself; only an unterminated rest is kept out of it.
            pass
        shown = _PROGRESS
        for offset, block in _blocks(stream, end):
            if not block:
                walk.faults.shrank(walk.last.seq + 1)
            elif not block.endswith(b"\n"):
                if offset + len(block) >= end:
                    overhang = Overhang(offset, end - offset, torn_cause(block))
                else:
                    walk.faults.unreadable(walk.last.seq, block, too_long=True)
            elif not walk.take(block, offset):
                walk.examine(block, offset)
            if progress is not None and offset >= shown:
                progress(offset, size)
                shown = offset + _PROGRESS
        if overhang is not None and _stays(stream, path, overhang):
            walk.faults.unfinished(walk.last.seq + 1, overhang)
    if walk.last.seq:
        walk.faults.last_line(walk.last.seq, walk.line)
    elif not walk.faults and overhang is None:
        walk.faults.empty()
    return walk.report()


def _blocks(stream: BinaryIO, end: int) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of whole lines up to `end`.

    Without an LF, it is the first bytes of a line that is too long or unfinished; no bytes at all say that the
    file ended before `end`.
    """
    start, rest, skipping = 0, b"", False
    while start + len(rest) < end:
        chunk = stream.read(min(_BLOCK, end - start - len(rest)))
        if not chunk:
            yield start, b""
            return
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            if skipping:
                start += len(chunk)
                continue
            rest += chunk
            if len(rest) > MAX_LINE:
                yield start, rest
                start, rest, skipping = start + len(rest), b"", True
            continue
        if skipping:
            head = chunk.find(b"\n") + 1
            start, chunk, cut, skipping = start + head, chunk[head:], cut - head, False
        if cut:
            block = rest + chunk[:cut]
            yield start, block
            start += len(block)
            rest = chunk[cut:]
        else:
            rest = chunk
    if rest:
        yield start, rest


def _stays(stream: BinaryIO, path: Path, overhang: Overhang) -> bool:
    """True if an unfinished end is not just a writer at work: it looks the same a moment later."""
    fd = stream.fileno()
    for _ in range(2):
        time.sleep(0.05)
        try:
            tail = read_tail(fd, os.fstat(fd).st_size, path.name)
        except Corrupt:
            return True
        if tail.position.offset > overhang.offset or tail.overhang is None:
            return False
    return True
