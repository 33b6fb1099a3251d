"""The walk of level `chain`: line after line from raw bytes, what stands proven so far, and what is wrong.

A block whose lines all stand in their place is taken as a whole; any other is looked at line by line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, BinaryIO, Final

import msgspec

from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.faults import Faults, Link, decode_link
from t2c.ledger.journal.merkle import Frontier, Subtree
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash, leaf_state

__all__ = ["Visit", "Walk", "blocks", "is_utf8", "leaves_of"]

Visit = Callable[[int, bytes], None]
"""Called with (seq, line without LF) for each line that stands in its place."""

_BLOCK: Final = 1 << 18
_LEAVES_AT_ONCE: Final = 4096 * 32


class _Prev(msgspec.Struct, gc=False):
    seq: int
    prev: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]


_decode_block: Final = msgspec.json.Decoder(_Prev).decode_lines


class Walk:
    """The state of a walk that goes on after `start`; `sizes` are those of the tree whose subtrees are kept.

    `last` and `line` are the last event in its place, `tree` holds the leaves since `start`, `marks` maps each of
    the sizes that was passed to the subtrees that cover the leaves since `start` up to it.
    """

    def __init__(
        self, visit: Visit | None = None, sizes: Iterable[int] = (), start: Position = START
    ) -> None:
        self.last = start
        self.line = b""
        self.faults = Faults()
        self.tree = Frontier(start.seq)
        self.marks: dict[int, list[Subtree]] = {}
        self._sizes = sorted({size for size in sizes if size > start.seq})
        self._leaves = bytearray()
        self._recent = b""
        self._visit = visit

    def take(self, block: bytes, offset: int) -> bool:
        """Accept whole lines that all stand in their place; False, and nothing done, if one of them does not."""
        lines = block.split(b"\n")
        lines.pop()
        if len(block) > MAX_LINE or lines[-1].endswith(b"\r") or not is_utf8(block):
            return False
        try:
            links = _decode_block(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        leaves = leaves_of(lines)
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
            link = decode_link(line) if len(raw) < MAX_LINE and is_utf8(line) else None
            if link is None:
                self.faults.unreadable(self.last.seq, raw, too_long=len(raw) >= MAX_LINE)
            elif self._fits(link) or self.faults.disagrees(
                link, line, self.last, self.line, self._hash_of(link.seq)
            ):
                self.last, self.line = Position(link.seq, leaf_hash(line), offset), line
                self._grow(bytes.fromhex(self.last.hash))
                self.faults.stands()
                if self._visit is not None:
                    self._visit(link.seq, line)

    def _fits(self, link: Link) -> bool:
        return link.seq == self.last.seq + 1 and link.prev == self.last.hash

    def _hash_of(self, seq: int) -> str | None:
        """The hash of one of the last thousands of events; None for an earlier one."""
        behind = (self.last.seq - seq) * 32
        for kept in (self._leaves, self._recent):
            at = len(kept) - behind - 32
            if 0 <= at < len(kept):
                return kept[at : at + 32].hex()
            behind -= len(kept)
        return None

    def join(
        self, line: bytes, last: Position, tree: Iterable[Subtree], marks: dict[int, list[Subtree]]
    ) -> None:
        """Go on after `last`, whose line is `line`, with what another walk found from here on."""
        self.flush()
        for size, found in marks.items():
            self.marks[size] = self.tree.with_added(found).subtrees()
        self._sizes = [size for size in self._sizes if size > last.seq]
        self.tree = self.tree.with_added(tree)
        self.last, self.line = last, line

    def _grow(self, leaves: bytes) -> None:
        self._leaves += leaves
        if len(self._leaves) >= _LEAVES_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Bring the tree up to the last event."""
        leaves, size = bytes(self._leaves), self.tree.size
        self._recent = leaves
        self._leaves.clear()
        upto = bisect_right(self._sizes, size + len(leaves) // 32)
        for mark in self._sizes[:upto]:
            at = (mark - self.tree.size) * 32
            self.tree.extend(leaves[:at])
            leaves = leaves[at:]
            self.marks[mark] = self.tree.subtrees()
        del self._sizes[:upto]
        self.tree.extend(leaves)


def leaves_of(lines: Iterable[bytes]) -> bytes:
    """The leaf hashes of lines without LF, one behind the other."""
    hashes: list[bytes] = []
    for line in lines:
        leaf = leaf_state()
        leaf.update(line)
        hashes.append(leaf.digest())
    return b"".join(hashes)


def is_utf8(text: bytes) -> bool:
    """True if bytes are text; of ASCII, which most lines are, at the speed of memory."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def blocks(stream: BinaryIO, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of whole lines from byte `start` of a file up to `end`.

    Without an LF, it is the first bytes of a line that is too long or unfinished; no bytes at all say that the
    file ended before `end`.
    """
    stream.seek(start)
    rest, skipping = b"", False
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
