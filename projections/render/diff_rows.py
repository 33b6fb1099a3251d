"""The rows in which two sides of a diff stand beside each other, and text that is safe in XML and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from t2c.projections.diffs.file_diff import DiffLine, FileDiff

__all__ = ["DEFAULT_ROWS", "MARKS", "MOST_ROWS", "Row", "escaped", "rows", "said"]

DEFAULT_ROWS: Final = 400
MOST_ROWS: Final = 4000
MARKS: Final = {"equal": "", "delete": "−", "insert": "+"}
"""What stands beside the number of a line, since colour alone tells not everybody."""
_TAB: Final = 4

_UNFIT: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What XML cannot hold, and what would change the order in which the rest is read."""
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_ACTING: Final = re.compile("[&<>\"']")


class Row(NamedTuple):
    """`left` and `right` are lines; None where a side has none. Of a heading `left` alone is the text."""

    kind: Literal["file", "hunk", "lines"]
    left: DiffLine | str | None
    right: DiffLine | None = None


def escaped(text: str, most: int | None = None) -> str:
    """Text of any origin as content or attribute: tabs spread, what cannot be shown as �, markup inert."""
    text = text[: 4 * most] if most is not None else text
    plain = _UNFIT.sub("\ufffd", text.expandtabs(_TAB).replace("\n", " "))
    if most is not None and len(plain) > most:
        plain = plain[: most - 1] + "…"
    return _ACTING.sub(lambda found: _MARKUP[found[0]], plain)


def said(diff: FileDiff) -> str:
    """The heading of a file: its names and how much changed."""
    moved = diff.beforePath != diff.afterPath
    name = f"{diff.beforePath} → {diff.afterPath}" if moved else diff.path
    cut = ", replaced as a whole: too long to compare" if diff.truncated else ""
    return f"{name}  +{diff.summary.added} −{diff.summary.removed}{cut}"


def rows(diffs: Sequence[FileDiff]) -> Iterator[Row]:
    """All rows in order. Lines that went stand beside those that came in their place."""
    for diff in diffs:
        yield Row("file", said(diff))
        for hunk in diff.hunks:
            yield Row("hunk", f"line {hunk.beforeStart} → {hunk.afterStart}")
            gone: list[DiffLine] = []
            new: list[DiffLine] = []
            for line in hunk.lines:
                if line.type == "delete":
                    gone.append(line)
                elif line.type == "insert":
                    new.append(line)
                else:
                    yield from _beside(gone, new)
                    gone, new = [], []
                    yield Row("lines", line, line)
            yield from _beside(gone, new)


def _beside(gone: list[DiffLine], new: list[DiffLine]) -> Iterator[Row]:
    for left, right in zip_longest(gone, new):
        yield Row("lines", left, right)
