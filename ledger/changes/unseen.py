"""Characters that a reader does not see, or that move what is read: they are named, so that what is read is what is there."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["unseen", "unseen_in_lines"]

_HIDDEN: Final = frozenset({"Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
"""What is drawn as nothing though it counts as a letter, a mark or a symbol."""
_PLAIN: Final = frozenset("\n\t")


def _is_unseen(char: str) -> bool:
    if char in _PLAIN:
        return False
    kind = unicodedata.category(char)
    spaced = kind == "Zs" and char != " "
    selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return kind in _HIDDEN or spaced or selector or char in _BLANK


def unseen(text: str) -> Mapping[str, int]:
    """How often each such character stands in a text, by its name, such as `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    if text.isascii() and text.isprintable():
        return {}
    counts: dict[str, int] = {}
    for char in text:
        if (not char.isascii() or not char.isprintable()) and _is_unseen(char):
            name = f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def unseen_in_lines(text: str) -> Iterator[tuple[int, Mapping[str, int]]]:
    """Number from 1 and what is unseen, for each line that holds such; a CR before the line feed is not counted."""
    if text.isascii() and "\r" not in text and text.replace("\n", "").replace("\t", "").isprintable():
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = unseen(line.removesuffix("\r"))
        if found:
            yield number, found
