"""The lines of a journal some hundreds at a time, each proven by the one after it: what a copy of a million costs.

A block whose lines all stand in their place is taken as a whole; any other is read line by line, which names what is
wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

import msgspec

from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.parts import open_parts
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import damaged
from t2c.ledger.journal.walk import blocks, is_utf8, leaves_of
from t2c.ledger.transfer.citations import Payload

__all__ = ["Block", "Member", "proven_blocks"]

_BUFFER: Final = 1 << 18


class Member(msgspec.Struct, gc=False):
    """What a copy needs to know of a line. Of the payload it is which objects it names."""

    seq: int
    prev: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]
    type: str
    v: int
    data: Payload | None = None
    data_hash: str | None = None


class Block(NamedTuple):
    """Whole lines that follow one another: `raw` with their line feeds, `lines` without, their leaf hashes in a row.

    `end` is the position after the last of them.
    """

    raw: bytes
    lines: list[bytes]
    members: list[Member]
    leaves: bytes
    end: Position


_decode: Final = msgspec.json.Decoder(Member).decode_lines


def proven_blocks(journal: JournalFile, after: Position, until: int) -> Iterator[Block]:
    """The lines after a position, up to and with seq `until`.

    Raises Corrupt at the first line that is no event or does not follow from the one before it.
    """
    at = after
    with open_parts(journal.path, journal.segments, _BUFFER) as parts:
        end = parts.tail().position.offset
        for part in parts.all:
            stop = min(part.end, end)
            if stop <= at.offset or at.seq >= until:
                continue
            for _, raw in blocks(parts.stream(part), max(at.offset, part.base) - part.base, stop - part.base):
                found = _block(raw, at, until)
                if found is None:
                    yield from _one_by_one(journal, at, until)
                    return
                yield found
                at = found.end
                if at.seq >= until:
                    return


def _block(raw: bytes, after: Position, until: int) -> Block | None:
    """The lines if they all stand in their place."""
    if not raw.endswith(b"\n") or not is_utf8(raw):
        return None
    try:
        members = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    lines = raw.split(b"\n")
    lines.pop()
    count = until - after.seq
    if count < len(lines):
        del lines[count:], members[count:]
        raw = b"\n".join(lines) + b"\n"
    if len(members) != len(lines) or max(map(len, lines)) >= MAX_LINE:
        return None
    leaves = leaves_of(lines)
    hashes, first = leaves.hex(), after.seq + 1
    if [member.seq for member in members] != list(range(first, first + len(lines))):
        return None
    if "".join([member.prev for member in members]) != after.hash + hashes[:-64]:
        return None
    return Block(
        raw, lines, members, leaves, Position(after.seq + len(lines), hashes[-64:], after.offset + len(raw))
    )


def _one_by_one(journal: JournalFile, after: Position, until: int) -> Iterator[Block]:
    head = after.hash
    for offset, line, entry in journal.lines(after, until):
        if entry.prev != head:
            what = f"seq {entry.seq} does not follow from the line before it: one of the two was changed"
            raise damaged(what, f"seq {entry.seq}")
        bare = line[:-1]
        leaf = leaves_of([bare])
        head = leaf.hex()
        try:
            payload = msgspec.json.decode(entry.data, type=Payload | None)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            payload = None
        member = Member(entry.seq, entry.prev, entry.type, entry.v, payload, entry.data_hash)
        yield Block(line, [bare], [member], leaf, Position(entry.seq, head, offset + len(line)))
