"""Definitions by line where a grammar fails: approximate, and marked so (code-facts §5.7).

Some grammars give up on forms that are common in their language; without this, whole files would seem empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.intake.code.traits import LinePattern

__all__ = ["approximations"]

_LINE: Final = re.compile(rb"^[ \t]*(?:([})\]]|end\b)|[^\s#/*])", re.MULTILINE)
"""The start of a line that holds code: its group 1 if it closes something."""


def approximations(
    text: bytes, ranges: Sequence[tuple[int, int]], patterns: Sequence[LinePattern]
) -> Iterator[tuple[LinePattern, re.Match[bytes], int]]:
    """What the patterns find in these ranges, and where each seems to end.

    A definition seems to end before the next line that is indented no deeper, or with it if that only closes.
    """
    found = _found(text, ranges, patterns)
    if not found:
        return
    open_at: list[tuple[int, int]] = []
    for line in _LINE.finditer(text, min(found)):
        start = line.start()
        indent = (line.start(1) if line[1] else line.end() - 1) - start
        while open_at and open_at[-1][0] >= indent:
            deeper, opened = open_at.pop()
            closes = line[1] is not None and deeper == indent
            yield *found.pop(opened), _line_end(text, start) if closes else start
        if start in found:
            open_at.append((indent, start))
        elif not open_at and not found:
            return
    for pattern, match in found.values():
        yield pattern, match, len(text)


def _found(
    text: bytes, ranges: Sequence[tuple[int, int]], patterns: Sequence[LinePattern]
) -> dict[int, tuple[LinePattern, re.Match[bytes]]]:
    """The first match of each line, by the start of the line."""
    found: dict[int, tuple[LinePattern, re.Match[bytes]]] = {}
    for start, end in ranges:
        for pattern in patterns:
            for match in pattern.pattern.finditer(text, text.rfind(b"\n", 0, start) + 1, end):
                found.setdefault(text.rfind(b"\n", 0, match.start("n")) + 1, (pattern, match))
    return found


def _line_end(text: bytes, start: int) -> int:
    end = text.find(b"\n", start)
    return len(text) if end < 0 else end
