"""Versions of other things than this project: `Python 2.7`, `Django >= 4.2`, `macOS 12.3 and 13.0`."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.intake.vocabulary import PRODUCTS, VERBS, words

__all__ = ["without_product_versions"]

_NUMBER: Final = re.compile(
    r"(?<![\w./]|(?<!\d)-)[vV]?\d++(?:\.(?:\d++|[x*]))++(?:[-.]?(?:alpha|beta|post|dev|rc|a|b)[.-]?\d*+)?+(?![\w\\]|/\D)"
)
_BEFORE: Final = re.compile(
    r"(?<![\w/@-])([^\W\d_][\w.+#-]*+)[\"'`*)\]]*+"
    r"(?:\s+(?:versions?\s+)?(?:[<>=~^!]{1,3}\s*)?|[<>=~^!]{1,3}\s*)\Z"
)
_NEXT: Final = re.compile(
    r"[+\"'`*]*+(?:\s*+[,/&–-]|\s+(?:and|or|to|through|oraz|i|lub|do)\b)+\s*+(?:[<>=~^!]{1,3}\s*+)?\Z"
)
_PACKAGE: Final = re.compile(r"[\w./-]+\Z")
_WINDOW: Final = 60
"""Characters before a number in which the name that it belongs to is looked for."""
_RUNTIMES: Final = PRODUCTS | words(
    "python python2 python3 pypy node npm yarn pnpm bun deno ruby rust rustc go golang java jdk jre kotlin scala"
    " php perl lua swift gcc clang glibc musl cmake make bash zsh git curl libcurl pip setuptools wheel poetry uv"
    " conda tox nox pytest mypy django flask rails react vue angular express typescript redis nginx apache docker"
    " kubernetes helm terraform linux ubuntu debian fedora alpine windows android chrome firefox safari edge zlib"
    " unicode"
)
_OWN: Final = words(
    "version versions release releases released ver v wersja wersji wydanie wydania tag changelog"
)
"""Words before a version of the project itself, also where they are written with a capital letter."""
_ENDS: Final = frozenset({"", ".", ":", "!", "?", ";", "-", "—", "–"})


def without_product_versions(text: str, home: str | None = None) -> str:
    """The text with the versions cut out that stand right after the name of something else, or in a list there.

    A name is a known runtime or a word with a capital letter that is no verb and not `home`, the lower-case
    name of the project itself; where a sentence begins, the first letter's case tells nothing.
    """
    if "." not in text:
        return text
    parts: list[str] = []
    kept = 0
    last: int | None = None  # where the latest version of a product ended
    for match in _NUMBER.finditer(text):
        start = match.start()
        listed = last is not None and start - last <= _WINDOW and _NEXT.match(text[last:start])
        if (
            listed
            or _is_of_package(text, start, home)
            or _names_product(text[max(0, start - _WINDOW) : start], home)
        ):
            parts.append(text[kept:start])
            kept = last = match.end()
        else:
            last = None
    return "".join((*parts, text[kept:])) if parts else text


def _is_of_package(text: str, start: int, home: str | None) -> bool:
    """True for `name@1.2.3` and `name@~1.2.3`."""
    at = start - 1 if text[start - 1 : start] not in ("~", "^", "=") else start - 2
    if at < 1 or text[at] != "@":
        return False
    match = _PACKAGE.search(text, max(0, at - _WINDOW), at)
    return match is not None and match[0].lower() != home


def _names_product(before: str, home: str | None) -> bool:
    match = _BEFORE.search(before)
    if match is None:
        return False
    word = match[1]
    lower = word.lower()
    if lower == home or lower in _OWN:
        return False
    begins = before[: match.start()].rstrip(" \t\n*_([")[-1:] in _ENDS
    capital = any(map(str.isupper, word[1:] if begins else word))
    return lower in _RUNTIMES or (capital and lower not in VERBS)
