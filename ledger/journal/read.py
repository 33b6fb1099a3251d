"""Streaming read of a journal: in order, in bounded memory, up to the sound end. Never repairs, never writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.entry import Entry, decode, decode_entry
from t2c.ledger.journal.parts import Part, Parts, open_parts
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.segments import FOLDER
from t2c.ledger.journal.tail import Tail, damage_of, damaged, joined
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["JournalFile"]

_BUFFER: Final = 1 << 18
_POINT: Final = 1 << 13
"""Bytes read at once where single lines are picked out."""


class _Opened(msgspec.Struct):
    ledger: str


class JournalFile:
    """A journal on disk as its readers see it: events in order, found by `seq`, up to the sound end.

    `path` is the active file; its sealed segments lie in the folder `segments` beside it. Offsets count over all
    of them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.segments = path.with_name(FOLDER)

    def tail(self) -> Tail:
        """The sound end and what hangs over it. Raises Corrupt if lines of two branches were joined there."""
        with open_parts(self.path, self.segments, _BUFFER) as parts:
            tail = parts.tail()
            parts.check_order(tail.position.offset)
            return tail

    def head(self) -> Position:
        """The position after the last event that counts."""
        return self.tail().position

    def lines(self, after: Position = START, until: int | None = None) -> Iterator[tuple[int, bytes, Entry]]:
        """(offset, line with LF, entry) of every event after `after`, up to and with seq `until`.

        Raises Corrupt at the first line that is no event or whose `seq` is out of place. Events appended while
        reading are not seen.
        """
        with open_parts(self.path, self.segments, _BUFFER) as parts:
            end = parts.tail().position.offset
            offset, expected = after.offset, after.seq + 1
            last = sys.maxsize if until is None else until
            while offset < end and expected <= last:
                part = parts.part_at(offset)
                stream, stop = parts.stream(part), min(part.end, end)
                stream.seek(offset - part.base)
                for line in iter(partial(stream.readline, MAX_LINE + 1), b""):
                    try:
                        if not line.isascii():
                            # The decoder skips payloads, so it would not see what of them is no text.
                            line.decode()
                        entry: Entry | None = decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                        entry = None
                    if entry is None or entry.seq != expected or len(line) > MAX_LINE:
                        entry = self._entry(line, expected)
                    yield offset, line, entry
                    offset += len(line)
                    expected += 1
                    if offset >= stop or expected > last:
                        break
                else:
                    raise damaged("the journal became shorter while it was read", self._place(expected))

    def ledger(self) -> str | None:
        """The id of the ledger, as its first event says; None if that does not say one."""
        for entry in self.lines(until=1):
            with suppress(msgspec.DecodeError):
                return msgspec.json.decode(entry[2].data, type=_Opened).ledger
        return None

    def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
        """Every event after `after`, up to and with seq `until`."""
        return map(itemgetter(2), self.lines(after or START, until))

    def line_at(self, offset: int) -> bytes:
        """The line that starts at byte `offset`, LF excluded."""
        with open_parts(self.path, self.segments, _POINT) as parts:
            return _line(parts, offset).rstrip(b"\n")

    def many(self, offsets: Iterable[int]) -> Iterator[Entry]:
        """The events whose lines start at these bytes, in the order asked for."""
        with open_parts(self.path, self.segments, _POINT) as parts:
            for offset in offsets:
                yield self._entry(_line(parts, offset), None)

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
            kind, what = damage_of(line, False)
            if kind == "not_json":
                what = f"a line of the journal is not an event: {error}"
            raise damaged(what, self._place(expected), kind=kind) from None
        if expected is not None and entry.seq != expected:
            if 0 < entry.seq < expected:
                raise joined(entry.seq, expected - 1, self.path.name)
            what = f"the journal goes from seq {expected - 1} to seq {entry.seq}"
            raise damaged(what, self._place(expected))
        return entry

    def _place(self, expected: int | None) -> str:
        return self.path.name if expected is None else f"seq {expected}"

    def holds(self, position: Position) -> bool:
        """True if the line that ends at `position` is there, with its seq and hash; no line before it is read."""
        if position == START:
            return True
        with open_parts(self.path, self.segments, _POINT) as parts:
            if not 0 < position.offset <= parts.size:
                return False
            part = parts.part_at(position.offset - 1)
            stream = parts.stream(part)
            stream.seek(position.offset - 1 - part.base)
            if stream.read(1) != b"\n":
                return False
            try:
                _, line = parts.line_before(position.offset)
                return leaf_hash(line) == position.hash and self._entry(line, None).seq == position.seq
            except Corrupt:
                return False

    def position(self, seq: int) -> Position | None:
        """The position after event `seq`, found by bisection; None if there is no such event."""
        if seq < 1:
            return START if seq == 0 else None
        found = self._last(lambda entry: entry.seq <= seq)
        return found if found.seq == seq else None

    def at_time(self, ts: str) -> Position:
        """The position after the last event that is not later than `ts`, written as events write it.

        Times never go back in a journal (journal-engine §1). START if every event is later.
        """
        return self._last(lambda entry: entry.ts <= ts)

    def _last(self, before: Callable[[Entry], bool]) -> Position:
        """The position after the last event for which `before` holds, which it does up to some event."""
        with open_parts(self.path, self.segments, _POINT) as parts:
            end = parts.tail().position.offset
            found = START
            for part in parts.all:
                stop = min(part.end, end)
                if part.base >= stop or not before(self._entry(_line(parts, part.base), None)):
                    break
                found = self._last_of(parts.stream(part), part, stop, before)
            return found

    def _last_of(self, stream: BinaryIO, part: Part, stop: int, before: Callable[[Entry], bool]) -> Position:
        low, high, found = 0, stop - part.base, START
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
            entry = self._entry(line, None)
            if before(entry):
                low = offset + len(line)
                found = Position(entry.seq, leaf_hash(line[:-1]), part.base + low)
            else:
                high = offset
        return found


def _line(parts: Parts, offset: int) -> bytes:
    part = parts.part_at(offset)
    stream = parts.stream(part)
    stream.seek(offset - part.base)
    return stream.readline(MAX_LINE + 1)
