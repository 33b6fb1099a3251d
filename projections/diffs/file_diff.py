"""The difference of two texts, `t2c.filediff/v1`: hunks of lines with some of what stands around (intent-evidence §5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from t2c.projections.diffs.lines import MOST_COMPARED, matched, normal_lines

__all__ = [
    "CONTEXT",
    "MOST_CONTEXT",
    "SCHEMA",
    "DiffLine",
    "FileDiff",
    "Hunk",
    "Summary",
    "exact_diff",
    "file_diff",
]

SCHEMA: Final = "t2c.filediff/v1"
CONTEXT: Final = 3
MOST_CONTEXT: Final = 100


class DiffLine(Struct, frozen=True, gc=False):
    """One line; its number on each side, from 1, None where it does not stand."""

    type: Literal["equal", "insert", "delete"]
    beforeLine: int | None
    afterLine: int | None
    text: str


class Hunk(Struct, frozen=True):
    """Changes that stand together. A side without a line starts at the line before the place, 0 at the top."""

    beforeStart: int
    beforeCount: int
    afterStart: int
    afterCount: int
    lines: tuple[DiffLine, ...]


class Summary(Struct, frozen=True):
    """Lines of the whole files: `removed` + `unchanged` stood before, `added` + `unchanged` stand after."""

    added: int
    removed: int
    unchanged: int


class FileDiff(Struct, frozen=True):
    """`path` is the name to show. `truncated`: a part was too long to compare and is replaced as a whole."""

    schemaVersion: str
    path: str
    beforePath: str
    afterPath: str
    hunks: tuple[Hunk, ...]
    summary: Summary
    truncated: bool


def file_diff(
    before: str,
    after: str,
    before_path: str,
    after_path: str,
    *,
    context: int = CONTEXT,
    most: int = MOST_COMPARED,
) -> FileDiff:
    """Compare two texts line by line.

    `context` lines (0 to 100) are kept around each change, and changes whose surroundings touch are one hunk. Beyond
    `most` lines in the middle (at least 64), that is one replaced block.
    """
    return _diff(normal_lines(before), normal_lines(after), before_path, after_path, context, most)


def exact_diff(
    before: str,
    after: str,
    before_path: str,
    after_path: str,
    *,
    context: int = CONTEXT,
    most: int = MOST_COMPARED,
) -> FileDiff:
    """The same with every character counted: a line holds what ends it, so that a last one may have no line feed."""
    old, new = before.split("\n"), after.split("\n")
    for lines in (old, new):
        lines[:-1] = [f"{line}\n" for line in lines[:-1]]
        if not lines[-1]:
            lines.pop()
    return _diff(old, new, before_path, after_path, context, most)


def _diff(
    old: list[str], new: list[str], before_path: str, after_path: str, context: int, most: int
) -> FileDiff:
    context = min(max(context, 0), MOST_CONTEXT)
    pairs, truncated = matched(old, new, most)
    changes = list(_changes(pairs, len(old), len(new)))
    hunks = tuple(_hunk(old, new, group, context) for group in _grouped(changes, context))
    return FileDiff(
        schemaVersion=SCHEMA,
        path=after_path,
        beforePath=before_path,
        afterPath=after_path,
        hunks=hunks,
        summary=Summary(len(new) - len(pairs), len(old) - len(pairs), len(pairs)),
        truncated=truncated,
    )


class _Change(Struct, frozen=True, gc=False):
    """Lines that stand on one side alone: half-open ranges, with matching lines around both."""

    old: int
    old_end: int
    new: int
    new_end: int


def _changes(pairs: list[tuple[int, int]], old_size: int, new_size: int) -> Iterator[_Change]:
    i = j = 0
    for x, y in [*pairs, (old_size, new_size)]:
        if x > i or y > j:
            yield _Change(i, x, j, y)
        i, j = x + 1, y + 1


def _grouped(changes: list[_Change], context: int) -> Iterator[list[_Change]]:
    """Changes so near to each other that what is kept around them touches."""
    group: list[_Change] = []
    for change in changes:
        if group and change.old - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: list[str], new: list[str], group: list[_Change], context: int) -> Hunk:
    first, last = group[0], group[-1]
    before = min(context, first.old)
    after = min(context, len(old) - last.old_end)
    i, j = first.old - before, first.new - before
    end = last.old_end + after
    lines: list[DiffLine] = []
    start = i, j
    for change in [*group, _Change(end, end, last.new_end + after, last.new_end + after)]:
        for at in range(change.old - i):
            lines.append(DiffLine("equal", i + at + 1, j + at + 1, old[i + at]))
        lines += [DiffLine("delete", at + 1, None, old[at]) for at in range(change.old, change.old_end)]
        lines += [DiffLine("insert", None, at + 1, new[at]) for at in range(change.new, change.new_end)]
        i, j = change.old_end, change.new_end
    counts = i - start[0], j - start[1]
    return Hunk(
        beforeStart=start[0] + bool(counts[0]),
        beforeCount=counts[0],
        afterStart=start[1] + bool(counts[1]),
        afterCount=counts[1],
        lines=tuple(lines),
    )
