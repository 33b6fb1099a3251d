"""Whether a text shows something of a secret test: its hash, its path, or a line of it (answers §5.1).

Lines are compared without their white space and backslashes, so a line counts however it is indented or wrapped, and in
whatever it is quoted: as JSON, as JSON within JSON, in a diff, behind a number. One pass over the text finds how lines begin that may
stand in it, and only those are looked for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

import orjson

from t2c.ledger.llm.base import Shown

__all__ = ["SHORTEST", "How", "Secret", "Secrets", "Sign", "bare", "telling_lines"]

SHORTEST: Final = 24
"""Non-blank characters from which on a line is one that tells of its test."""
How = Literal["hash", "path", "line"]

_LEVELS: Final = 3
_BEGIN: Final = 16
_CODE_POINT: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_HALVES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_MEANT: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


class Secret(NamedTuple):
    """A test that must not be shown: the event that sealed it and its number there, its path and its body.

    `common` are the numbers of lines, from 1, that everybody could read anyway.
    """

    sealed: str
    file: int
    path: str
    body: bytes
    common: frozenset[int] = frozenset()


class Sign(NamedTuple):
    """What of which test a text shows."""

    sealed: str
    file: int
    how: How


def bare(text: str) -> str:
    """A text without its white space and backslashes."""
    return "".join(text.split()).replace("\\", "")


def telling_lines(body: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a test, numbered from 1 and bare, that are long enough to tell of it."""
    for number, line in enumerate(body.decode("utf-8", "replace").splitlines(), 1):
        if len("".join(line.split())) >= SHORTEST and len(found := bare(line)) >= _BEGIN:
            yield number, found


class Secrets:
    """Several secret tests, made ready to be looked for."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._digests: dict[str, set[tuple[str, int]]] = {}
        self._paths: dict[str, tuple[re.Pattern[str], set[tuple[str, int]]]] = {}
        self._lines: dict[str, set[tuple[str, int]]] = {}
        for one in secrets:
            key = one.sealed, one.file
            self._digests.setdefault(sha256(one.body).hexdigest(), set()).add(key)
            path = posixpath.normpath(one.path)
            self._paths.setdefault(path, (_mention(path), set()))[1].add(key)
            for number, line in telling_lines(one.body):
                if number not in one.common:
                    self._lines.setdefault(line, set()).add(key)
        self._begins: dict[str, list[str]] = {}
        for line in self._lines:
            self._begins.setdefault(line[:_BEGIN], []).append(line)

    def signs(self, text: str, shown: Iterable[Shown] = ()) -> list[Sign]:
        """What a text, sent with a list of what it shows, tells of the tests: sorted, each sign once."""
        found: set[Sign] = set()
        items = tuple(shown)
        for item in items:
            found.update(Sign(*key, "hash") for key in self._digests.get(item.digest, ()))
        for variant in _readings("\n".join((_strings(text), *(item.id for item in items)))):
            found.update(Sign(*key, "path") for key in self._named(variant))
            found.update(Sign(*key, "line") for key in self._quoted(variant))
        return sorted(found)

    def _named(self, text: str) -> Iterator[tuple[str, int]]:
        straight = text.replace("\\", "/") if "\\" in text else text
        for path, (mention, keys) in self._paths.items():
            if path in straight and mention.search(straight):
                yield from keys

    def _quoted(self, text: str) -> Iterator[tuple[str, int]]:
        if not self._begins:
            return
        squeezed = bare(text)
        parts = (squeezed[start : start + _BEGIN] for start in range(len(squeezed) - _BEGIN + 1))
        for begin in {part for part in parts if part in self._begins}:
            for line in self._begins[begin]:
                if line in squeezed:
                    yield from self._lines[line]


def _mention(path: str) -> re.Pattern[str]:
    """Where a text names this file: as it is, from the root of the disk, or as a diff does; not a longer path's end."""
    before = r"(?<![\w./~-])(?:(?:\./)+|[ab]/|[/~][\w./~-]*/|[A-Za-z]:/[\w./~-]*/)?"
    return re.compile(before + re.escape(path) + r"(?![\w-]|\.\w)")


def _strings(text: str) -> str:
    """The strings of a JSON text, one after the other; any other text as it is."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return "\n".join(_walked(value))


def _walked(value: Any) -> Iterator[str]:
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            rest.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            rest.extend(reversed(one))


def _readings(text: str) -> Iterator[str]:
    """A text as it is, and as whoever undoes its escapes reads it, once or more often."""
    yield text
    if _CODE_POINT.search(text):
        yield _paired(_CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text))
    for _ in range(_LEVELS):
        if "\\" not in text:
            return
        plain = _ESCAPED.sub(_plain, text)
        if plain == text:
            return
        text = _paired(plain)
        yield text


def _paired(text: str) -> str:
    """A text in which two halves of a character that were escaped one by one are that character."""
    if text.isascii():
        return text
    return _HALVES.sub(lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _plain(match: re.Match[str]) -> str:
    code, char = match.groups()
    return chr(int(code, 16)) if code else _MEANT.get(char, char)
