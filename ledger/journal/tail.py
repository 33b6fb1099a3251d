"""The end of a journal, read backwards: where it is sound, what hangs over, which batch is unfinished.

An append needs no more of the journal than this.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Final, Literal

import msgspec
from msgspec import Struct

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.chain import MAX_LINE, own_id_fits
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.digests import leaf_hash

__all__ = [
    "TORN_CAUSE",
    "Overhang",
    "Tail",
    "check_last",
    "check_order",
    "check_start",
    "damage_of",
    "damaged",
    "joined",
    "line_before",
    "read_tail",
    "torn_cause",
]

_CHUNK: Final = 1 << 16
_FIRST: Final = b'{"actor":{"id":"'
_CONFLICT_MARKERS: Final = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")

_RESTORE: Final = (
    "run `t2c ledger verify` for the whole list, then restore the journal from Git, a backup or a bundle"
)
_UNJOIN: Final = (
    "bring our side back (in a merge: git restore --source=HEAD --staged --worktree .t2c; once it is committed: "
    "--source=HEAD^), then take in the other: t2c ledger merge git:BRANCH"
)
_JOINED: Final = ("conflict_marker", "fork")
"""Kinds of damage that a merge of two journals as text leaves."""
_LOOKED_BACK: Final = 1 << 18

TORN_CAUSE = Literal["torn_line", "unwritten_blocks", "incomplete_batch"]


class Overhang(Struct, frozen=True):
    """Bytes after the sound end that nobody was ever told were recorded."""

    offset: int
    length: int
    cause: TORN_CAUSE


class Tail(Struct, frozen=True):
    """`position` is after the last event that counts, `line` its bytes without LF, `ts` its time.

    `overhang` is what comes after it.
    """

    position: Position
    line: bytes
    ts: str
    overhang: Overhang | None


class _Part(msgspec.Struct):
    seq: int
    ts: str
    batch: tuple[int, int] | None = None


class _Seq(msgspec.Struct, gc=False):
    seq: int


_decode_part = msgspec.json.Decoder(_Part).decode
_decode_seqs: Final = msgspec.json.Decoder(_Seq).decode_lines


def damaged(what: str, where: str, **details: object) -> Corrupt:
    """A Corrupt error about a complete line, with the remedy that fits its `kind`."""
    return Corrupt(
        what,
        where=where,
        safe="every line before it; nothing was changed",
        remedy=_UNJOIN if details.get("kind") in _JOINED else _RESTORE,
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
    first = os.pread(fd, len(_FIRST), 0)
    if first and not first.startswith(_FIRST[: len(first)]):
        kind, what = damage_of(first, True)
        raise damaged(what, f"{name}:1", kind=kind)


def check_last(tail: Tail, name: str) -> None:
    """Raise Corrupt if the last line does not fit its own id: no later line vouches for it yet.

    A writer that linked onto a changed last line would make the change look sound for ever.
    """
    if tail.position != START and not own_id_fits(tail.line):
        what = f"seq {tail.position.seq}, the last event, does not fit its own id, so it was changed"
        raise damaged(what, f"{name}, seq {tail.position.seq}")


def check_order(fd: int, end: int, name: str) -> None:
    """Raise Corrupt if lines of two branches were joined behind one another in the last part before byte `end`.

    A merge of journals as text (`merge=union`) leaves two events that claim one seq, and a last line that is sound.
    """
    begin = max(0, end - _LOOKED_BACK)
    lines = os.pread(fd, end - begin, begin).split(b"\n")[1 if begin else 0 : -1]
    marked = next((line for line in lines if line.startswith(_CONFLICT_MARKERS)), None)
    if marked is not None:
        raise damaged(damage_of(marked, False)[1], name, kind="conflict_marker")
    try:
        seqs = [part.seq for part in _decode_seqs(b"\n".join(lines))]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    for before, seq in pairwise(seqs):
        if seq <= before:
            raise joined(seq, before, name)


def joined(seq: int, after: int, name: str) -> Corrupt:
    """What to raise where event `seq` stands again behind event `after`."""
    what = f"two events claim seq {seq}, the second after seq {after}: lines of two branches were joined"
    return damaged(what, f"{name}, seq {seq}", kind="fork")


def torn_cause(last: bytes) -> TORN_CAUSE:
    """Why a last line has no LF: a power failure leaves zero bytes, which no JSON text holds."""
    return "unwritten_blocks" if last.endswith(b"\0") else "torn_line"


def read_tail(fd: int, size: int, name: str) -> Tail:
    """Find the sound end of the journal behind `fd`, which is `size` bytes long.

    Raises Corrupt if the last complete line is no event or ends in CR LF: a complete line is never cut, but for
    those of a batch of which the rest is missing.
    """
    end = _after_last_newline(fd, size)
    overhang = None
    if end < size:
        overhang = Overhang(end, size - end, torn_cause(os.pread(fd, 1, size - 1)))
    if end == 0:
        return Tail(START, b"", "", overhang)
    start, line = line_before(fd, end, name)
    if line.endswith(b"\r") and len(line) > 1:
        # To a JSON decoder the CR is white space, but every hash is of other bytes than were recorded.
        what = "the lines of the journal end in CR LF: an editor or Git converted them"
        raise damaged(what, f"{name}, byte {start}", kind="crlf")
    part = _part(line, name, start)
    if _is_open(part):
        end = _batch_start(fd, start, line, part, name)
        overhang = Overhang(end, size - end, "incomplete_batch")
        if end == 0:
            return Tail(START, b"", "", overhang)
        start, line = line_before(fd, end, name)
        part = _part(line, name, start)
        if _is_open(part):
            raise _broken_batch(name, start)
    return Tail(Position(part.seq, leaf_hash(line), end), line, part.ts, overhang)


def _is_open(part: _Part) -> bool:
    return part.batch is not None and part.batch[0] < part.batch[1]


def _batch_start(fd: int, start: int, line: bytes, part: _Part, name: str) -> int:
    """The byte at which the batch begins whose last line there is `line`.

    Its lines are about to be cut, so each must be what it says: the next part of one batch, fitting its own id.
    Otherwise one changed member would be enough to make the writer cut acknowledged events.
    """
    while True:
        if part.batch is None or not own_id_fits(line):
            raise _broken_batch(name, start)
        number, size = part.batch
        if number == 1:
            return start
        if start == 0:
            raise _broken_batch(name, start)
        start, line = line_before(fd, start, name)
        before = _part(line, name, start)
        if before.batch != (number - 1, size) or before.seq != part.seq - 1:
            raise _broken_batch(name, start)
        part = before


def _broken_batch(name: str, offset: int) -> Corrupt:
    return damaged("the last atomic batch of the journal does not hang together", f"{name}, byte {offset}")


def _part(line: bytes, name: str, offset: int) -> _Part:
    try:
        return _decode_part(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    kind, what = damage_of(line, offset == 0)
    if kind == "not_json":
        what = "the last line of the journal is not an event"
    raise damaged(what, f"{name}, byte {offset}", kind=kind)


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
    """The complete line that ends (LF included) at byte `end`: its offset and its bytes without LF.

    Raises Corrupt if it is longer than a line may be; no more than that is read.
    """
    reach = 4096
    while True:
        begin = max(0, end - reach)
        block = os.pread(fd, end - 1 - begin, begin)
        at = block.rfind(b"\n")
        if at >= 0 or begin == 0:
            line = block[at + 1 :]
            if len(line) < MAX_LINE:
                return begin + at + 1, line
        if reach > MAX_LINE or begin == 0:
            raise damaged("a line of the journal is longer than a line may be", f"{name}, byte {begin}")
        reach = min(4 * reach, MAX_LINE + 1)
