"""Level `chain`: every line proven by the one after it, from raw bytes, nothing re-encoded (journal-engine §4).

A break is reported as the lowest `seq` not proven: with `seq` contiguous, the event before the disagreeing
`prev`; with a gap, a swap or a double, the place at which the first line stands wrong. The list is complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.chain import MAX_LINE, id_from_line
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import open_journal
from t2c.ledger.journal.tail import Overhang, damage_of, read_tail

__all__ = ["ChainReport", "Fault", "Visit", "verify_chain"]

Visit = Callable[[int, bytes], None]
"""Called with (seq, line without LF) for each line that stands in its place."""

_LEAVES_AT_ONCE: Final = 4096


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong. `kind` is a word for machines, `detail` a sentence for people."""

    seq: int
    kind: str
    detail: str


@dataclass(slots=True)
class ChainReport:
    """What was read: `root` is over every line in its place, `position` after the last of them."""

    events: int = 0
    root: str = ""
    position: Position = START
    faults: list[Fault] = field(default_factory=list)


class _Link(msgspec.Struct):
    seq: int
    prev: str


class _Chain:
    """The state of the walk: what the next line must say, and what has been found."""

    def __init__(self) -> None:
        self.last = START
        self.line = b""
        self.hexes: list[str] = []
        self.tree = Frontier()
        self.faults: list[Fault] = []
        self.unread = 0
        self._missing: dict[int, int] = {}
        self._named: set[tuple[int, str]] = set()

    def fault(self, seq: int, kind: str, detail: str) -> None:
        if (seq, kind) not in self._named:
            self._named.add((seq, kind))
            self.faults.append(Fault(seq, kind, detail))

    def accept(self, seq: int, line: bytes, offset: int) -> None:
        digest = sha256(b"\0" + line).hexdigest()
        self.hexes.append(digest)
        if len(self.hexes) == _LEAVES_AT_ONCE:
            self.flush()
        self.last, self.line, self.unread = Position(seq, digest, offset), line, 0

    def flush(self) -> None:
        self.tree.extend(bytes.fromhex("".join(self.hexes)))
        self.hexes.clear()

    def unreadable(self, raw: bytes, complete: bool) -> None:
        kind, detail = damage_of(raw, self.last.seq == 0)
        if len(raw) > MAX_LINE or not complete:
            kind, detail = "too_long", f"a line is longer than {MAX_LINE:,} bytes"
        self.fault(self.last.seq + 1, kind, detail)
        self.unread += 1

    def disagree(self, link: _Link, line: bytes) -> bool:
        """Name what is wrong with a parsed line; True if it stands in its place all the same."""
        expected = self.last.seq + 1
        if link.seq == expected + self.unread and self.unread:
            return True
        if link.seq == expected:
            if self.last.seq == 0:
                self.fault(1, "foreign_start", "the first line does not start a chain: its prev is not zero")
            elif not self.unread:
                self.fault(self.last.seq, "edited", self._blame(link, line))
            return True
        if link.seq > expected:
            self.fault(expected, "gap", f"seq {link.seq} stands where seq {expected} belongs")
            for seq in range(expected, min(link.seq, expected + 100_000)):
                self._missing[seq] = expected
            return True
        self._out_of_order(link, line, expected)
        return False

    def _out_of_order(self, link: _Link, line: bytes, expected: int) -> None:
        start = self._missing.pop(link.seq, None)
        if start is not None:
            self.faults = [
                Fault(fault.seq, "reordered", f"seq {link.seq} stands after seq {self.last.seq}")
                if fault.seq == start and fault.kind == "gap"
                else fault
                for fault in self.faults
            ]
            self._named.add((start, "reordered"))
        elif link.seq == self.last.seq and line == self.line:
            self.fault(expected, "duplicate", f"the line of seq {link.seq} stands twice")
        elif link.seq == self.last.seq:
            self.fault(expected, "fork", f"two different events claim seq {link.seq}")
        else:
            self.fault(expected, "reordered", f"seq {link.seq} stands where seq {expected} belongs")

    def _blame(self, link: _Link, line: bytes) -> str:
        before, here = _own_id_fits(self.line), _own_id_fits(line)
        said = f"seq {link.seq} says that it follows another line than seq {self.last.seq}"
        if not before:
            return f"{said}; seq {self.last.seq} does not fit its own id, so it was changed"
        if not here:
            return f"{said}; seq {link.seq} does not fit its own id, so its prev was changed"
        return f"{said}; both fit their own ids, so seq {self.last.seq} was replaced or the chain was cut and joined"


def _own_id_fits(line: bytes) -> bool:
    try:
        claimed = decode_entry(line).id
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return id_from_line(line, claimed) == claimed


def verify_chain(
    path: Path, *, visit: Visit | None = None, progress: Callable[[int, int], None] | None = None
) -> ChainReport:
    """Walk the journal once, in bounded memory, and never write.

    `progress` is called with (bytes done, bytes in all). Raises Usage if there is no journal, Environment if it
    cannot be read.
    """
    chain = _Chain()
    decode = msgspec.json.Decoder(_Link).decode
    overhang: Overhang | None = None
    with open_journal(path) as stream:
        size = end = os.fstat(stream.fileno()).st_size
        try:
            tail = read_tail(stream.fileno(), size, path.name)
            end, overhang = tail.position.offset, tail.overhang
        except Corrupt:
            # The walk below names the damage itself; only an unterminated rest is kept out of it.
            pass
        offset, since = 0, 0
        readline, accept = stream.readline, chain.accept
        while offset < end:
            raw = readline(MAX_LINE + 1)
            offset += len(raw)
            since += 1
            if progress is not None and since == 20_000:
                progress(offset, size)
                since = 0
            line = raw[:-1]
            try:
                link = decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                link = None
            if link is None or not raw.endswith(b"\n"):
                if offset >= size and not raw.endswith(b"\n"):
                    overhang = Overhang(offset - len(raw), len(raw), "torn_line")
                    break
                chain.unreadable(raw, raw.endswith(b"\n"))
                while not raw.endswith(b"\n") and raw:
                    raw = readline(MAX_LINE + 1)
                    offset += len(raw)
                continue
            in_place = link.seq == chain.last.seq + 1 and link.prev == chain.last.hash
            if in_place or chain.disagree(link, line):
                accept(link.seq, line, offset)
                if visit is not None:
                    visit(link.seq, line)
    chain.flush()
    _last_line(chain)
    if overhang is not None:
        _unfinished(chain, overhang)
    return ChainReport(chain.tree.size, chain.tree.root().hex(), chain.last, sorted(chain.faults))


def _last_line(chain: _Chain) -> None:
    """No later line vouches for the last one: recompute its id from its raw bytes."""
    if chain.last.seq and not _own_id_fits(chain.line):
        chain.fault(chain.last.seq, "edited", "the last event does not fit its own id, so it was changed")


def _unfinished(chain: _Chain, overhang: Overhang) -> None:
    if overhang.cause == "incomplete_batch":
        kind, what = "incomplete_batch", "an atomic batch that is not complete"
    elif overhang.cause == "unwritten_blocks":
        kind, what = "torn_tail", "a line without an end, filled with unwritten blocks (zero bytes)"
    else:
        kind, what = "torn_tail", "a line without an end"
    chain.fault(
        chain.last.seq + 1,
        kind,
        f"{what} ({overhang.length:,} bytes from byte {overhang.offset}); nothing acknowledged stands there, "
        "and the next append sets it aside",
    )
