"""What an earlier verify proved of sealed segments, kept in a cache so that the next one reads only what is new.

A segment counts as unchanged while the system says that it is the same file, of the same size and times. Whoever
does not want to rely on that reads everything (`--full`); the cache is safe to delete.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from t2c.ledger.journal.files import write_atomically
from t2c.ledger.journal.merkle import Subtree
from t2c.ledger.journal.parts import Part, Parts
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.walk import Walk
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["Proven"]


class _Row(msgspec.Struct, array_like=True):
    """The journal up to the end of one segment: `subtrees` cover all events up to `seq`."""

    name: str
    identity: tuple[int, ...]
    seq: int
    hash: str
    subtrees: list[Subtree]


class Proven:
    """The rows of the segments, the oldest first; each stands on those before it."""

    def __init__(self, path: Path, parts: Parts) -> None:
        self._path = path
        self._sealed = [part for part in parts.all if part.segment is not None]
        # What is read later is vouched for as it is now: a change in between shows the next time.
        self._identities = [_identity(parts, part) for part in self._sealed]
        self._kept: list[_Row] = []
        with contextlib.suppress(OSError, msgspec.DecodeError):
            self._kept = msgspec.msgpack.decode(path.read_bytes(), type=list[_Row])

    @property
    def sizes(self) -> list[int]:
        """The sizes of the tree at the ends of the segments."""
        return [part.segment.last for part in self._sealed if part.segment is not None]

    def skip(self, walk: Walk, parts: Parts, sizes: Iterable[int]) -> None:
        """Let the walk begin after the last segment that is known to be sound.

        No further than the first of the `sizes` at which the root is wanted, unless a segment ends there.
        """
        found: list[_Row] = []
        for part, identity, row in zip(self._sealed, self._identities, self._kept, strict=False):
            if (row.name, row.identity) != (part.path.name, identity):
                break
            found.append(row)
        ends = {row.seq for row in found}
        wanted = min((size for size in sizes if size not in ends), default=None)
        while found and wanted is not None and found[-1].seq >= wanted:
            found.pop()
        if not found:
            return
        end = self._sealed[len(found) - 1].end
        last = found[-1]
        _, line = parts.line_before(end)
        walk.join(
            line, Position(last.seq, last.hash, end), last.subtrees, {row.seq: row.subtrees for row in found}
        )

    def keep(self, walk: Walk, parts: Parts) -> None:
        """Remember a walk without faults; a cache that cannot be written is none."""
        rows = []
        for part, identity in zip(self._sealed, self._identities, strict=True):
            subtrees = walk.marks.get(part.segment.last) if part.segment is not None else None
            if part.segment is None or subtrees is None:
                return
            _, line = parts.line_before(part.end)
            rows.append(_Row(part.path.name, identity, part.segment.last, leaf_hash(line), subtrees))
        if rows and rows != self._kept:
            with contextlib.suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(self._path, msgspec.msgpack.encode(rows), durable=False)


def _identity(parts: Parts, part: Part) -> tuple[int, ...]:
    status = os.fstat(parts.stream(part).fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
