"""What can be wrong with a chain, and the words for it: gap, duplicate, fork, edited, reordered, foreign start."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import msgspec
from msgspec import Struct

from t2c.ledger.journal.chain import MAX_LINE, own_id_fits
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.tail import Overhang, damage_of
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["KINDS", "Fault", "Faults", "Link", "decode_link"]

KINDS: Final = (
    "edited", "gap", "reordered", "duplicate", "fork", "foreign_start", "torn_tail", "incomplete_batch",
    "not_json", "empty_line", "too_long", "bom", "first_bytes", "conflict_marker", "unwritten_blocks", "crlf",
    "empty", "shrank", "segment_cut", "segment_name",
)  # fmt: skip
"""Every kind of fault that level `chain` names."""


class Fault(Struct, frozen=True, order=True):
    """One thing that is wrong. `kind` is a word for machines, `detail` a sentence for people."""

    seq: int
    kind: str
    detail: str


class Link(msgspec.Struct, gc=False):
    """What a line says about its place."""

    seq: int
    prev: str


_decode: Final = msgspec.json.Decoder(Link).decode


def decode_link(line: bytes) -> Link | None:
    """The link of a line; None if it is no event."""
    try:
        link = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return link if link.seq > 0 else None


class Faults:
    """The faults found on a walk, each once, with the memory that naming them rightly takes."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], str] = {}
        self._unread = 0
        self._crlf: tuple[int, int] | None = None
        self._gaps: list[tuple[int, int]] = []
        self._late: set[int] = set()
        self._rival = ""

    def __bool__(self) -> bool:
        return bool(self._found)

    def listed(self) -> list[Fault]:
        """All of them, the lowest seq first."""
        found = dict(self._found)
        if self._crlf is not None:
            seq, count = self._crlf
            found[seq, "crlf"] = f"{count:,} lines end in CR LF: an editor or Git converted them"
        return sorted(Fault(seq, kind, detail) for (seq, kind), detail in found.items())

    def _name(self, seq: int, kind: str, detail: str) -> None:
        self._found.setdefault((seq, kind), detail)

    def stands(self) -> None:
        """A line was accepted: no unread line is pending any more."""
        self._unread = 0

    def crlf(self, seq: int) -> None:
        first, count = self._crlf or (seq, 0)
        self._crlf = first, count + 1

    def unreadable(self, last: int, raw: bytes, *, too_long: bool) -> None:
        """A line after event `last` that is no event."""
        if too_long:
            kind, detail = "too_long", f"a line is longer than {MAX_LINE:,} bytes"
        else:
            kind, detail = damage_of(raw, last == 0)
        self._name(last + 1, kind, detail)
        self._unread += 1

    def disagrees(
        self, link: Link, line: bytes, last: Position, before: bytes, first: str | None = None
    ) -> bool:
        """Name what is wrong with a line after `last` (whose bytes are `before`).

        `first` is the hash of the event that claimed its seq before, where that is at hand. True if the walk goes on from it: it stands in its place, or after a hole.
        """
        expected = last.seq + 1
        if self._unread and link.seq == expected + self._unread:
            return True
        if link.seq == expected:
            self._wrong_prev(link, line, last, before)
            return True
        if link.seq > expected:
            self._name(expected, "gap", f"seq {link.seq} stands where seq {expected} belongs")
            self._gaps.append((expected, link.seq))
            return True
        self._out_of_order(link, line, last, first)
        return False

    def _wrong_prev(self, link: Link, line: bytes, last: Position, before: bytes) -> None:
        if last.seq == 0:
            self._name(1, "foreign_start", "the first line does not start a chain: its prev is not zero")
        elif link.prev == self._rival:
            what = f"seq {link.seq} follows the other of two different events that claim seq {last.seq}"
            self._name(last.seq, "fork", what)
        else:
            self._name(last.seq, "edited", _blame(link, line, last.seq, before))

    def _out_of_order(self, link: Link, line: bytes, last: Position, first: str | None) -> None:
        seq, expected = link.seq, last.seq + 1
        start = self._gap_with(seq)
        if start is not None:
            self._late.add(seq)
            self._found.pop((start, "gap"), None)
            self._name(start, "reordered", f"seq {seq} stands after seq {last.seq}")
        elif first is not None and not self._gaps and first != (found := leaf_hash(line)):
            self._rival = found
            what = "as if lines of two branches were joined (bring one side back, then t2c ledger merge)"
            self._name(expected, "fork", f"two different events claim seq {seq}, {what}")
        else:
            self._name(expected, "duplicate", f"seq {seq} stands a second time, after seq {last.seq}")

    def _gap_with(self, seq: int) -> int | None:
        """The start of the hole that misses `seq`, if it was not found late already."""
        at = bisect_right(self._gaps, (seq, 1 << 62)) - 1
        if at < 0 or seq in self._late:
            return None
        start, stop = self._gaps[at]
        return start if start <= seq < stop else None

    def last_line(self, seq: int, line: bytes) -> None:
        """No later line vouches for the last one, so its own id has to."""
        if not own_id_fits(line):
            self._name(
                seq, "edited", f"seq {seq}, the last event, does not fit its own id, so it was changed"
            )

    def empty(self) -> None:
        self._name(1, "empty", "the journal is empty: not even its first event is there")

    def shrank(self, seq: int) -> None:
        self._name(seq, "shrank", "the file became shorter while it was read")

    def cut_segment(self, seq: int, name: str) -> None:
        self._name(seq, "segment_cut", f"the sealed segment {name} ends inside a line")

    def misnamed(self, seq: int, name: str) -> None:
        self._name(seq, "segment_name", f"the sealed segment {name} holds other events than its name says")

    def unfinished(self, seq: int, overhang: Overhang) -> None:
        """Bytes hang over the sound end; `seq` is the number that they would have had."""
        kind, what = _UNFINISHED[overhang.cause]
        after = "nothing acknowledged stands there, and the next append sets it aside"
        if seq == 1:
            after = "it is the first event, without which nothing can be appended: restore the journal"
        self._name(seq, kind, f"{what} ({overhang.length:,} bytes from byte {overhang.offset}); {after}")


_UNFINISHED: Final = {
    "torn_line": ("torn_tail", "a line without an end"),
    "unwritten_blocks": ("torn_tail", "a line without an end, filled with unwritten blocks (zero bytes)"),
    "incomplete_batch": ("incomplete_batch", "an atomic batch that is not complete"),
}


def _blame(link: Link, line: bytes, last: int, before: bytes) -> str:
    said = f"seq {link.seq} says that it follows another line than seq {last}"
    if not own_id_fits(before):
        return f"{said}; seq {last} does not fit its own id, so it was changed"
    if not own_id_fits(line):
        return f"{said}; seq {link.seq} does not fit its own id, so its prev was changed"
    return f"{said}; both fit their own ids, so seq {last} was replaced or the chain was cut and joined"
