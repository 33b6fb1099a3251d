"""Level `chain`: every line proven by the one after it, from raw bytes, nothing re-encoded (journal-engine §4).

A break is reported as the lowest `seq` not proven: with `seq` contiguous, the event before the disagreeing
`prev`; with a gap, a swap or a double, the place at which the first line stands wrong (so a line that stands
twice is reported at the second place, not under its own number). The list is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.faults import Fault, decode_link
from t2c.ledger.journal.merkle import Subtree, root_over
from t2c.ledger.journal.parts import Parts, open_parts
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.sealed import Proven
from t2c.ledger.journal.stretch import BUFFER, Halves, Progress, walk_parts
from t2c.ledger.journal.tail import Overhang
from t2c.ledger.journal.walk import Visit, Walk

__all__ = ["ChainReport", "Fault", "Prefix", "Visit", "verify_chain"]


class ChainReport(Struct):
    """What was read: `root` is over every line in its place, `position` after the last of them.

    `roots` maps each size that was asked for, as far as the journal goes, to the root at that size, `marks` to the
    subtrees under it. Events up to `trusted` were not read: something else vouches for them.

    Without faults it promises that no line was changed since the one after it was written. A journal whose end
    was cut off, or that was written anew from some event on with every later hash made again, has no faults
    either: only `root`, `position` or an earlier head kept elsewhere tell.
    """

    events: int = 0
    root: str = ""
    position: Position = START
    faults: list[Fault] = field(default_factory=list)
    roots: dict[int, bytes] = field(default_factory=dict)
    trusted: int = 0
    marks: dict[int, list[Subtree]] = field(default_factory=dict)


class Prefix(Struct, frozen=True):
    """Events up to and with those at `position`, which `subtrees` cover and something else vouches for."""

    position: Position
    subtrees: list[Subtree]


def verify_chain(
    journal: Path | JournalFile,
    *,
    visit: Visit | None = None,
    progress: Progress | None = None,
    sizes: Iterable[int] = (),
    processes: int = 1,
    cache: Path | None = None,
    after: Prefix | None = None,
) -> ChainReport:
    """Walk the journal once, in bounded memory, and never write to it.

    `progress` is called with (bytes done, bytes in all). With two `processes` a large journal is walked from its
    start and from its middle at once, unless there is a `visit`. `cache` is a file in which to keep what was proven
    of sealed segments: those that have not changed since are not read again. With `after`, only what comes after it
    is read.

    Raises Usage if there is no journal, Environment if it cannot be read.
    """
    source = JournalFile(journal) if isinstance(journal, Path) else journal
    wanted = set(sizes)
    with open_parts(source.path, source.segments, BUFFER) as parts:
        end, overhang = parts.size, None
        try:
            tail = parts.tail()
            end, overhang = tail.position.offset, tail.overhang
        except Corrupt:
            # The walk below names the damage itself; only an unterminated rest is kept out of it.
            pass
        proven = None if cache is None or visit is not None or after is not None else Proven(cache, parts)
        walk = Walk(visit, wanted if proven is None else wanted.union(proven.sizes))
        if after is not None:
            _, line = parts.line_before(after.position.offset)
            walk.join(line, after.position, after.subtrees, {})
        elif proven is not None:
            proven.skip(walk, parts, wanted)
        trusted = walk.last.seq
        if processes > 1 and visit is None:
            _walk_halves(walk, source, parts, end, progress, wanted)
        overhang = walk_parts(walk, parts, end, progress) or overhang
        _check_names(walk, parts)
        if overhang is not None and _stays(source, overhang):
            walk.faults.unfinished(walk.last.seq + 1, overhang)
        if walk.last.seq > trusted:
            walk.faults.last_line(walk.last.seq, walk.line)
        elif not walk.last.seq and not walk.faults and overhang is None:
            walk.faults.empty()
        walk.flush()
        faults = walk.faults.listed()
        if proven is not None and not faults:
            proven.keep(walk, parts)
    marks = {size: subtrees for size, subtrees in walk.marks.items() if size in wanted}
    return ChainReport(
        events=walk.tree.size,
        root=walk.tree.root().hex(),
        position=walk.last,
        faults=faults,
        roots={size: root_over(subtrees) for size, subtrees in sorted(marks.items())},
        trusted=trusted,
        marks=marks,
    )


def _walk_halves(
    walk: Walk, source: JournalFile, parts: Parts, end: int, progress: Progress | None, sizes: Iterable[int]
) -> None:
    halves = Halves(source, parts, walk.last, end, sorted(sizes))
    try:
        if halves.middle is not None:
            shown = None if progress is None else lambda done, size: progress(min(2 * done, size), size)
            walk_parts(walk, parts, halves.middle.offset, shown)
            halves.join(walk)
    finally:
        halves.close()


def _check_names(walk: Walk, parts: Parts) -> None:
    """The name of a segment is a claim like any other."""
    for part in parts.all:
        if part.segment is not None and part.end > part.base:
            stream = parts.stream(part)
            stream.seek(0)
            first = decode_link(stream.readline())
            _, line = parts.line_before(part.end)
            last = decode_link(line)
            held = (first and first.seq, last and last.seq)
            if held != (part.segment.first, part.segment.last):
                walk.faults.misnamed(part.segment.first, part.path.name)


def _stays(source: JournalFile, overhang: Overhang) -> bool:
    """True if an unfinished end is not just a writer at work: it looks the same a moment later."""
    for _ in range(2):
        time.sleep(0.05)
        try:
            tail = source.tail()
        except Corrupt:
            return True
        if tail.position.offset > overhang.offset or tail.overhang is None:
            return False
    return True
