"""Definitions by line where a grammar fails: approximate, and marked so (code-facts §5.7).

Some grammars give up on forms that are common in their language; without this, whole files would seem empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from t2c.ledger.intake.code.traits import LinePattern

__all__ = ["approximations"]

_MAX_INDENT = 100


def approximations(
    text: bytes, ranges: Sequence[tuple[int, int]], patterns: Sequence[LinePattern]
) -> Iterator[tuple[LinePattern, re.Match[bytes], int]]:
    """What the patterns find in these ranges, from the start of their first lines, and where each seems to end.

    A definition seems to end before the next line that is indented no deeper, or with it if it only closes.
    """
    done = 0
    for start, end in ranges:
        start = max(done, text.rfind(b"\n", 0, start) + 1)
        for pattern in patterns:
            for match in pattern.pattern.finditer(text, start, end):
                yield pattern, match, _end(text, match)
        done = max(done, end)


def _end(text: bytes, match: re.Match[bytes]) -> int:
    line = text.rfind(b"\n", 0, match.start("n")) + 1
    indent = min(
        len(text[line : match.start("n")]) - len(text[line : match.start("n")].lstrip()), _MAX_INDENT
    )
    next_line = text.find(b"\n", match.end())
    if next_line < 0:
        return len(text)
    found = _outdent(indent).search(text, next_line + 1)
    if found is None:
        return len(text)
    return found.end() if found.group(1) else found.start()


@lru_cache(maxsize=_MAX_INDENT + 1)
def _outdent(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"^[ \t]{0,%d}(?:([})\]]+|end\b)|[^\s})\]#/*])" % indent, re.MULTILINE)
