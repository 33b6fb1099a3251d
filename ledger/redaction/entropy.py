"""Whether a value that stands where a secret could stand looks like one: drawn by a machine, not written by a person.

A value is judged by itself, so the same value is a secret or none wherever it stands. Nothing here knows formats.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

__all__ = ["SHORTEST", "placeholder", "random_looking"]

SHORTEST: Final = 16
"""Characters below which a value of no known format is never taken for a secret."""

_LEAST_BITS: Final = 2.75
_LEAST_TURNS: Final = 0.17
_LEAST_TURNS_OF_LETTERS: Final = 0.3

_STAND_INS: Final = re.compile(
    r"x{4}|\*{3}|\.{3}|…|[<>{}]|\$[({]|^\$\w+$|%(?![0-9a-f]{2})|example|change.?me|your[_-]?|dummy|placeholder|redacted|fixme|replace.?me|sample"
    r"|not.?a.?real|0{8}|1234567890|12345678(?![0-9])|abcdefgh|deadbeef",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(
    r"(?:[~.]{0,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]{1,20}://|sha(?:1|224|256|384|512)[-:])"
)
_OPENS_A_WORD: Final = re.compile(r"(?<![A-Z])[A-Z](?=[a-z]{2})")
_OWN: Final = re.compile(r"(?:EVT|REL|INT-[A-Z]+)-[0-9a-f]{20}\Z")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?\Z")


def placeholder(value: str) -> bool:
    """True for what documents write where a secret would stand: `xxxx`, `<token>`, `${VAR}`, `changeme`."""
    return bool(_STAND_INS.search(value)) or len(set(value)) < 4


def random_looking(value: str) -> bool:
    """True if the value is long enough and as mixed as chance makes it; a name, a path, a time or a URL is not."""
    if len(value) < SHORTEST or placeholder(value):
        return False
    if _WHERE.match(value) or _OWN.match(value) or _TIME.match(value):
        return False
    turns = _turns(value)
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    if letters < 2 or turns < (_LEAST_TURNS if digits else _LEAST_TURNS_OF_LETTERS):
        return False
    return _bits(value) >= _LEAST_BITS


def _turns(value: str) -> float:
    """The share of neighbours of different kinds (upper, lower, digit); a separator is no neighbour.

    Chance gives 0.3 to 0.6. Words joined to a name change at their ends only, and the capitals that open them are
    how people join words.
    """
    kinds = _kinds(_OPENS_A_WORD.sub("a", value))
    pairs = [pair for pair in pairwise(kinds) if "-" not in pair]
    return sum(left != right for left, right in pairs) / len(pairs) if pairs else 0.0


def _kinds(value: str) -> str:
    return "".join(
        "d" if char.isdigit() else "-" if not char.isalpha() else "U" if char.isupper() else "l"
        for char in value
    )


def _bits(value: str) -> float:
    """Shannon entropy, in bits a character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())
