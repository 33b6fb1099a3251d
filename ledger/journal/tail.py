"""The end of a journal, read backwards: where it is sound, what hangs over, which batch is unfinished.

An append needs no more of the journal than this.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = [
    "TORN_CAUSE",
    "Overhang",
    "Tail",
    "check_start",
    "damage_of",
    "damaged",
    "line_before",
    "read_tail",
    "torn_cause",
]

_CHUNK: Final = 1 << 16
_FIRST: Final = b'{"actor":{"id":"'
_CONFLICT_MARKERS: Final = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")

TORN_CAUSE = Literal["torn_line", "unwritten_blocks", "incomplete_batch"]


@dataclass(frozen=True, slots=True)
class Overhang:
    """Bytes after the sound end that nobody was ever told were recorded."""

    offset: int
    length: int
    cause: TORN_CAUSE


@dataclass(frozen=True, slots=True)
class Tail:
    """`position` is after the last event that counts, `ts` its time; `overhang` is what comes after it."""

    position: Position
    ts: str
    overhang: Overhang | None


def damaged(what: str, where: str, **details: object) -> Corrupt:
    """A Corrupt error about a complete line, with the remedy that fits all of them."""
    return Corrupt(
        what,
        where=where,
        safe="every line before it; nothing was changed",
        remedy="run `t2c ledger verify` for the whole list, then restore the journal from Git, a backup or a bundle",
        **details,
    )


def damage_of(raw: bytes, first: bool) -> tuple[str, str]:
    """(kind, sentence) for a line that cannot be read as an event; `first` if it begins the file."""
    if first and raw.startswith(b"\xef\xbb\xbf"):
        return "bom", "the first bytes changed: the journal begins with a byte order mark"
    if raw.startswith(_CONFLICT_MARKERS):
        return "conflict_marker", "a merge conflict marker stands in the journal"
    if b"\0" in raw[:_CHUNK]:
        return "unwritten_blocks", "zero bytes stand where an event belongs (unwritten blocks)"
    if not raw.strip():
        return "empty_line", "an empty line stands in the journal"
    if first:
        return "first_bytes", "the first bytes changed: the journal does not begin with an event"
    return "not_json", "the line is not an event in JSON"


def check_start(fd: int, name: str) -> None:
    """Raise Corrupt if the first bytes are not those of a journal (an editor's BOM, a merge's markers)."""
    first = os.pread(fd, 16, 0)
    if first and not first.startswith(_FIRST[: len(first)]):
        raise damaged(damage_of(first, True)[1], f"{name}:1")


def torn_cause(last: bytes) -> TORN_CAUSE:
    """Why a last line has no LF: a power failure leaves zero bytes, which no JSON text holds."""
    return "unwritten_blocks" if last.endswith(b"\0") else "torn_line"


def read_tail(fd: int, size: int, name: str) -> Tail:
    """Find the sound end of the journal behind `fd`, which is `size` bytes long.

    Raises Corrupt if the last complete line is no event: a complete line is never cut.
    """
    end = _after_last_newline(fd, size)
    overhang = None
    if end < size:
        overhang = Overhang(end, size - end, torn_cause(os.pread(fd, 1, size - 1)))
    if end == 0:
        return Tail(START, "", overhang)
    start, line = line_before(fd, end, name)
    head = _envelope(line, name, start)
    batch = head.get("batch")
    if isinstance(batch, list) and batch[0] < batch[1]:
        cut = end
        for _ in range(batch[0]):
            cut, _line = line_before(fd, cut, name)
        overhang = Overhang(cut, size - cut, "incomplete_batch")
        start, line = line_before(fd, cut, name)
        head, end = _envelope(line, name, start), cut
    return Tail(Position(head["seq"], leaf_hash(line), end), head["ts"], overhang)


def _envelope(line: bytes, name: str, offset: int) -> dict[str, Any]:
    try:
        parsed = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise damaged(damage_of(line, offset == 0)[1], f"{name}, byte {offset}") from None
    if (
        not isinstance(parsed, dict)
        or not isinstance(parsed.get("seq"), int)
        or not isinstance(parsed.get("ts"), str)
    ):
        raise damaged("the last line of the journal is not an event", f"{name}, byte {offset}")
    return parsed


def _after_last_newline(fd: int, size: int) -> int:
    end = size
    while end > 0:
        begin = max(0, end - _CHUNK)
        at = os.pread(fd, end - begin, begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0


def line_before(fd: int, end: int, name: str) -> tuple[int, bytes]:
    """The complete line that ends (LF included) at byte `end`: its offset and its bytes without LF."""
    begin = max(0, end - 4096)
    while True:
        block = os.pread(fd, end - 1 - begin, begin)
        at = block.rfind(b"\n")
        if at >= 0:
            return begin + at + 1, block[at + 1 :]
        if begin == 0:
            return 0, block
        if end - begin > MAX_LINE:
            raise damaged("a line of the journal is longer than a line may be", f"{name}, byte {begin}")
        begin = max(0, begin - 4 * (end - begin))
