"""The comments of one file as running text: of code by its syntax, of other files by the marks of their format.

Marks and the stars of a block are gone; the lines stay lines, each with its number. Comments that stand one below
the other at one column are one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from t2c.ledger.intake.code.syntax import Definition, Syntax, syntax_of
from t2c.ledger.intake.comments.formats import Marks, marks_of, scanned

__all__ = ["Comment", "Line", "comments_of", "has_comments"]

_OPEN: Final = re.compile(
    r"\.\.\s|////|///?!?|//!?|/\*[*!]*|\#+!?|--\[=*\[|--+\|?|;+|<!--+|<%(?:--+|\#)|\{\{!(?:--+)?|\{-+|\{\#-?|\{/\*+|@\*+|\(\*+|%+|=begin\b|(?:[rRuUbBfF]{0,2})(?:\"\"\"|''')|@moduledoc\b|@doc\b|<\#"
)
_CLOSE: Final = re.compile(
    r"(?:\*+/\}?|\*+@|(?:--+)?%>|(?:--+)?\}\}|\]=*\]|--+>|-+\}|-?\#\}|\*+\)|=end|\"\"\"|'''|\#>)\s*$"
)
_STAR: Final = re.compile(r"[ \t]*\*+(?!\*)[ \t]?")
_FENCE: Final = re.compile(r"(?:```|~~~)")


class Line(NamedTuple):
    """One line of a comment: its number from 1, the column where its text starts, and the text without marks."""

    number: int
    column: int
    text: str


class Comment(NamedTuple):
    """Lines that belong together. `scope` are the definitions around it; `exact` says that a grammar found it."""

    lines: tuple[Line, ...]
    scope: tuple[str, ...]
    exact: bool


def has_comments(path: str) -> bool:
    """True if files of this path may hold comments that are read."""
    return marks_of(path) is not None


@lru_cache(maxsize=1)
def comments_of(path: str, content: bytes) -> tuple[Comment, ...]:
    """All comments of a file, in its order; none if it is of no format that has any.

    The last answer is kept, for whoever asks about the same file next.
    """
    syntax = syntax_of(path, content)
    if syntax is not None and syntax.refused is None:
        return tuple(_joined(_of_syntax(syntax)))
    marks = marks_of(path)
    if marks is None:
        return ()
    text = content.decode("utf-8", "replace")
    return tuple(_joined(_of_marks(text, marks)))


def _of_syntax(syntax: Syntax) -> Iterator[tuple[Comment, str | None]]:
    """Each comment, and what stands before its text: None if that is no mark alone."""
    text = syntax.text
    places = [(item.start, item.end, item.first) for item in syntax.comments]
    places += [(item.start, item.end, item.first) for item in syntax.docstrings]
    places.sort()
    scopes = _Scopes(syntax.definitions)
    for start, end, first in places:
        before = text[text.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
        raw = text[start:end].decode("utf-8", "replace")
        lines = _lines(raw, first, len(before))
        if lines:
            yield Comment(lines, scopes.around(start), True), _before(before, raw)


def _of_marks(text: str, marks: Marks) -> Iterator[tuple[Comment, str | None]]:
    starts = [0]
    starts += [match.end() for match in re.finditer("\n", text)]
    for start, end in scanned(text, marks):
        row = bisect_right(starts, start) - 1
        before = text[starts[row] : start]
        lines = _lines(text[start:end], row + 1, len(before))
        if lines:
            yield Comment(lines, (), False), _before(before, text[start:end])


def _before(before: str, raw: str) -> str | None:
    """Indent and mark of a comment that stands alone on its lines."""
    opened = _OPEN.match(raw)
    return None if before.strip() else before + (opened[0] if opened else "")


def _lines(raw: str, first: int, column: int) -> tuple[Line, ...]:
    """The text of one comment without its marks, line for line; blank lines are kept, to part what they part."""
    raw = raw.rstrip()
    opened = _OPEN.match(raw)
    width = opened.end() if opened else 0
    closed = _CLOSE.search(raw, width)
    body = raw[width : closed.start() if closed else len(raw)]
    parts = body.split("\n")
    starred = len(parts) > 1 and all(_STAR.match(part) or not part.strip() for part in parts[1:])
    found = []
    for offset, part in enumerate(parts):
        at = column + width if offset == 0 else 0
        star = _STAR.match(part) if starred and offset else None
        if star is not None:
            part = part[star.end() :]
            at += star.end()
        text = part.strip()
        found.append(Line(first + offset, at + len(part) - len(part.lstrip()), text))
    if not any(line.text for line in found):
        return ()
    return tuple(found)


def _without_code(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines of fenced examples are emptied: what they show is no comment of this file."""
    inside = False
    for line in lines:
        fence = _FENCE.match(line.text) is not None
        yield line._replace(text="") if inside or fence else line
        inside ^= fence


def _joined(comments: Iterator[tuple[Comment, str | None]]) -> Iterator[Comment]:
    """Comments of one line each, alone on consecutive lines, with one mark at one column, are one."""
    run: list[Comment] = []
    mark: str | None = None
    for comment, before in comments:
        if run and not (
            before == mark
            and len(comment.lines) == 1
            and comment.lines[0].number == run[-1].lines[-1].number + 1
            and comment.scope == run[-1].scope
        ):
            yield _one(run)
            run = []
        mark = before
        if before is not None and len(comment.lines) == 1:
            run.append(comment)
        else:
            yield _one([comment])
    if run:
        yield _one(run)


def _one(run: Sequence[Comment]) -> Comment:
    lines = tuple(_without_code([line for comment in run for line in comment.lines]))
    return Comment(lines, run[0].scope, run[0].exact)


class _Scopes:
    """Which definitions stand around a place, asked in the order of the file."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._coming = sorted(definitions, key=lambda item: (item.start, -item.end))
        self._at = 0
        self._open: list[Definition] = []

    def around(self, place: int) -> tuple[str, ...]:
        while self._at < len(self._coming) and self._coming[self._at].start <= place:
            self._open.append(self._coming[self._at])
            self._at += 1
        self._open = [item for item in self._open if place < item.end]
        inner = self._open[-1] if self._open else None
        return () if inner is None else tuple(inner.qualified.split("."))
