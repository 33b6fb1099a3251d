"""Grid and simple tables of reStructuredText, one row at a time."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.intake.base import MAX_EXCERPT, shortened
from t2c.ledger.intake.markup import Row
from t2c.ledger.intake.rst_inline import markdown_of

__all__ = ["Grid", "Simple", "begins_grid", "begins_simple"]

_GRID: Final = re.compile(r"\+(?:[-=]++\+)++$")
_SIMPLE: Final = re.compile(r"=++(?:[ \t]++=++){1,100}+$")
"""A border of more columns is none: each row is cut into as many cells."""
_ROW: Final = 100
"""Lines of a row of a grid after which it is handed over, so that memory stays bounded."""


def begins_grid(body: str) -> bool:
    """True for the border of a grid table: `+---+---+`."""
    return _GRID.match(body) is not None


def begins_simple(body: str) -> bool:
    """True for the border of a simple table of two columns or more: `===  ===`."""
    return _SIMPLE.match(body) is not None


def _row(cells: list[str], line: int, raw: str) -> Row:
    return Row(
        tuple(markdown_of(" ".join(cell.split())) for cell in cells), line, shortened(raw, MAX_EXCERPT)
    )


class Grid:
    """A grid table from its first border on; a row of several lines is one Row."""

    def __init__(self, number: int, line: str) -> None:
        self.done: list[Row] = []
        self._lines: list[list[str]] = []
        self._first = number
        self._raw = ""

    def feed(self, number: int, line: str) -> bool:
        """Take the next line; False, with what is pending in `done`, if it is no part of the table."""
        body = line.strip()
        if body[:1] == "|" and body[-1:] == "|" and len(body) > 1:
            cells = body[1:-1].split("|")
            if self._lines and (len(self._lines[0]) != len(cells) or len(self._lines) >= _ROW):
                self._flush()
            if not self._lines:
                self._first, self._raw = number, line
            self._lines.append(cells)
            return True
        self._flush()
        if body[:1] != "+":
            return False
        if "=" in body and begins_grid(body):
            self.done.append(Row(("---",) * (body.count("+") - 1), number, line))
        return True

    def finish(self) -> list[Row]:
        """What is pending at the end of the file."""
        self._flush()
        return self.done

    def _flush(self) -> None:
        if self._lines:
            self.done.append(
                _row([" ".join(parts) for parts in zip(*self._lines, strict=True)], self._first, self._raw)
            )
            self._lines = []


class Simple:
    """A simple table from its first border on; it ends at a border that no text follows."""

    def __init__(self, number: int, line: str) -> None:
        self.done: list[Row] = []
        self._starts = [match.start() for match in re.finditer(r"=+", line)]
        self._margin = self._starts[0]
        self._border: int | None = None

    def feed(self, number: int, line: str) -> bool:
        """Take the next line; False if the table is over."""
        body = line.strip()
        if not body:
            return self._border is None
        if len(line) - len(line.lstrip()) < self._margin:
            return False
        if begins_simple(body):
            self._border = number
            return True
        if self._border is not None:
            self.done.append(Row(("---",) * len(self._starts), self._border, ""))
            self._border = None
        if body.strip("- "):
            ends = [*self._starts[1:], len(line)]
            self.done.append(
                _row([line[start:end] for start, end in zip(self._starts, ends, strict=True)], number, line)
            )
        return True

    def finish(self) -> list[Row]:
        """Nothing is ever pending."""
        return self.done
