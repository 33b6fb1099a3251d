"""What words and names a text is made of, in the forms in which two texts about one change agree.

A name counts whole (`=parse_url`) and by its parts (`parse`, `url`), each part as its stem. Words that every English
sentence has are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

__all__ = ["code_names", "name_tokens", "path_tokens", "tokens", "tokens_of_words"]

MAX_TEXT: Final = 4_000
"""Characters of a text that are looked at: beyond them a message quotes and a change lists."""
_WORD: Final = re.compile(
    r"(?<![\w.])v?\d{1,9}(?:\.\d{1,9}){1,5}(?:-?[a-z]{1,8}\.?\d{1,9})?|[^\W\d]\w{0,79}(?:-[^\W\d]\w{0,79}){0,5}"
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_-]+")
_CODE: Final = re.compile(r"`{1,2}([^`\n]{1,120})`{1,2}")
_NAME: Final = re.compile(r"[^\W\d]\w{1,79}(?:-\w{1,79}){0,5}")
_PATH_PART: Final = re.compile(r"[/.]")
_SUFFIXES: Final = (
    *("izations", "ization", "ations", "ation", "ments", "ment", "ings", "ing", "edly", "ness"),
    *("ions", "ion", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y"),
)
"""Endings that are cut, longest first, where at least three letters are left."""
_EMPTY: Final = frozenset(
    word
    for line in (
        "a all also an and any are as at be because been both but by can could did do does done each either for from",
        "had has have how if in into is it its just may me more most my no nor not now of off on once only onto or",
        "our out over own per same shall should so some such than that the their them then there these they this",
        "those through to too under until up upon us very via was we were what when where which while who will with",
        "within without would you your",
    )
    for word in line.split()
)


@lru_cache(maxsize=200_000)
def _of_word(word: str) -> tuple[str, ...]:
    """The tokens of one word or name."""
    lower = word.lower()
    if lower[0].isdigit() or "." in lower:
        return (lower.removeprefix("v"),)
    parts = [part.lower() for part in _HUMP.split(word) if len(part) > 1]
    if len(parts) < 2:
        return () if lower in _EMPTY or len(lower) < 2 else (_stem(lower),)
    return ("=" + lower.replace("-", "_"), *(_stem(part) for part in parts if part not in _EMPTY))


def _stem(word: str) -> str:
    """The word without its ending: `retries`, `retry` → `retr`; `logged`, `logging`, `log` → `log`."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def tokens(text: str) -> list[str]:
    """The tokens of a text in their order, repeats included."""
    return [token for word in _WORD.findall(text[:MAX_TEXT]) for token in _of_word(word)]


def tokens_of_words(text: str) -> dict[str, tuple[str, ...]]:
    """The tokens of each word of a text, in the order of words."""
    return {word: _of_word(word) for word in _WORD.findall(text[:MAX_TEXT])}


def name_tokens(names: Iterable[str]) -> frozenset[str]:
    """The tokens of names that are written by themselves."""
    return frozenset(token for name in names if name for token in _of_word(name))


@lru_cache(maxsize=50_000)
def path_tokens(path: str) -> tuple[str, ...]:
    """The tokens of a path's folders and file, its ending left out; the file's name also whole."""
    parts = _PATH_PART.split(path)
    if "." in path.rpartition("/")[2].lstrip("."):
        parts.pop()
    return tuple(token for part in parts if _WORD.match(part) for token in _of_word(part))


def code_names(text: str) -> frozenset[str]:
    """Names inside `code spans`, in lower case, each part of a dotted one by itself."""
    return frozenset(
        name.lower().replace("-", "_")
        for span in _CODE.findall(text[:MAX_TEXT])
        for name in _NAME.findall(span)
        if name.lower() not in _EMPTY
    )
