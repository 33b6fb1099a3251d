"""Whether a text shows something of a secret test: its hash, its path, or a line of it (answers §5.1).

Lines are compared without their white space and backslashes, so a line counts however it is indented or wrapped, and in
whatever it is quoted: as JSON, as JSON within JSON, in a diff, behind a number. One pass over the text finds how lines begin that may
stand in it, and only those are looked for. What is not found: a line that was changed, words of it, a short line alone,
and an encoding that `readings` does not know.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha1, sha256
from itertools import chain
from typing import Final, Literal, NamedTuple

from t2c.ledger.answers.quoting import readings, straightened, strings
from t2c.ledger.llm.base import Shown

__all__ = [
    "RUN", "SHORTEST", "How", "Secret", "Secrets", "Sign", "bare", "can_be_found", "telling_lines", "telling_runs",
]  # fmt: skip

SHORTEST: Final = 24
"""Non-blank characters from which on a line is one that tells of its test."""
RUN: Final = 5
"""Consecutive shorter lines that tell of their test together."""
How = Literal["hash", "path", "line"]

_BEGIN: Final = 16
_TELLING_NAME: Final = 12
"""Characters of a file's name, without what follows its first dot, from which on it tells of the file by itself."""
_ANYWHERE: Final = frozenset({"configuration.py", "dependencies.py", "requirements.txt"})
_HEX_DIGEST: Final = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?(?![0-9a-fA-F])")
_MARGIN: Final = re.compile(
    r"^[ \t]{0,40}(?:\d{1,7}[ \t]{0,8}[|:]?[ \t]{0,8})?[-+>|]|^[ \t]{0,40}\d{1,7}[ \t|:]", re.MULTILINE
)
"""What stands before a quoted line: its number, the mark of a diff or of a quotation."""


class Secret(NamedTuple):
    """A test that must not be shown: the event that sealed it and its number there, its path and its body.

    `common` are the numbers of lines, from 1, that everybody could read anyway; `marks` are the commitments to it. Of
    one that cannot be opened here those alone are known: then its path and body are empty.
    """

    sealed: str
    file: int
    path: str
    body: bytes
    common: frozenset[int] = frozenset()
    marks: tuple[str, ...] = ()


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


def telling_runs(body: bytes) -> Iterator[tuple[int, str]]:
    """What consecutive lines, each too short to tell of the test, say together: the number of the first, and all bare.

    Blank lines between them do not count. Runs that say less than a telling line does are none.
    """
    run: list[tuple[int, str]] = []
    for number, line in enumerate(body.decode("utf-8", "replace").splitlines(), 1):
        if not (found := bare(line)):
            continue
        if len("".join(line.split())) >= SHORTEST:
            run = []
            continue
        run = [*run[-RUN + 1 :], (number, found)]
        if len(run) == RUN and len(whole := "".join(text for _, text in run)) >= SHORTEST:
            yield run[0][0], whole


def can_be_found(body: bytes, common: Container[int] = ()) -> bool:
    """True if some line, or run of short lines, of a test could be found in a text that quotes it."""
    return any(number not in common for number, _ in chain(telling_lines(body), telling_runs(body)))


class Secrets:
    """Several secret tests, made ready to be looked for. `taken` are paths of files that everybody can read: a name of
    one of them alone names no secret test."""

    def __init__(self, secrets: Iterable[Secret], taken: Iterable[str] = ()) -> None:
        self._digests: dict[str, set[tuple[str, int]]] = {}
        self._paths: dict[str, tuple[re.Pattern[str], set[tuple[str, int]]]] = {}
        self._lines: dict[str, set[tuple[str, int]]] = {}
        self._needles: dict[str, str] = {}
        self._runs = False
        names: dict[str, set[str]] = {}
        for path in taken:
            names.setdefault(posixpath.basename(path).lower(), set()).add(path)
        for one in secrets:
            key = one.sealed, one.file
            for mark in (*one.marks, *_digests(one.body)):
                self._digests.setdefault(mark, set()).add(key)
            if one.path:
                self._name(posixpath.normpath(one.path), names, key)
            for number, line in telling_lines(one.body):
                if number not in one.common:
                    self._lines.setdefault(line, set()).add(key)
            for number, line in telling_runs(one.body):
                if number not in one.common:
                    self._runs = True
                    self._lines.setdefault(line, set()).add(key)
        self._begins: dict[str, list[str]] = {}
        for line in self._lines:
            self._begins.setdefault(line[:_BEGIN], []).append(line)

    def _name(self, path: str, names: Mapping[str, set[str]], key: tuple[str, int]) -> None:
        name = posixpath.basename(path).lower()
        alone = (
            len(name.partition(".")[0]) >= _TELLING_NAME
            and not names.get(name, set()) - {path}
            and name not in _ANYWHERE
        )
        needle = name if alone else path.lower()
        self._paths.setdefault(path, (_mention(path, alone), set()))[1].add(key)
        self._needles[path] = needle

    def signs(self, text: str, shown: Iterable[Shown] = ()) -> list[Sign]:
        """What a text, sent with a list of what it shows, tells of the tests: sorted, each sign once."""
        found: set[Sign] = set()
        items = tuple(shown)
        for item in items:
            found.update(Sign(*key, "hash") for key in self._digests.get(item.digest.lower(), ()))
        for variant in readings("\n".join((strings(text), *(item.id for item in items)))):
            found.update(Sign(*key, "hash") for key in self._hashed(variant))
            found.update(Sign(*key, "path") for key in self._named(variant))
            found.update(Sign(*key, "line") for key in self._quoted(variant))
        return sorted(found)

    def _hashed(self, text: str) -> Iterator[tuple[str, int]]:
        for digest in {match[0].lower() for match in _HEX_DIGEST.finditer(text)}:
            yield from self._digests.get(digest, ())

    def _named(self, text: str) -> Iterator[tuple[str, int]]:
        if not self._paths:
            return
        straight = straightened(text.lower())
        for path, (mention, keys) in self._paths.items():
            if self._needles[path] in straight and mention.search(straight):
                yield from keys

    def _quoted(self, text: str) -> Iterator[tuple[str, int]]:
        if not self._begins:
            return
        yield from self._within(bare(text))
        if self._runs and _MARGIN.search(text):
            yield from self._within(bare(_MARGIN.sub("", text)))

    def _within(self, squeezed: str) -> Iterator[tuple[str, int]]:
        parts = (squeezed[start : start + _BEGIN] for start in range(len(squeezed) - _BEGIN + 1))
        for begin in {part for part in parts if part in self._begins}:
            for line in self._begins[begin]:
                if line in squeezed:
                    yield from self._lines[line]


def _digests(body: bytes) -> Iterator[str]:
    """What a file is called by its content: its SHA-256, and the hash of its Git blob, of either kind."""
    if body:
        blob = b"blob %d\0" % len(body) + body
        yield sha256(body).hexdigest()
        yield sha1(blob, usedforsecurity=False).hexdigest()
        yield sha256(blob).hexdigest()


def _mention(path: str, alone: bool) -> re.Pattern[str]:
    """Where a text names this file: as it is, from the root of the disk, or as a diff does; not a longer path's end.

    A name that is told `alone` counts without its folders too, or with some of them.
    """
    before = r"(?<![\w./~-])(?:(?:\.{1,2}/)+|[ab]/|[/~][\w./~-]*/|[a-z]:/[\w./~-]*/)?"
    parts = [re.escape(part) for part in path.lower().split("/")]
    named = "/".join(parts)
    if alone:
        tails = ["/".join(parts[start:]) for start in range(len(parts))]
        named = f"(?:{'|'.join(tails)})"
    return re.compile(before + named + r"(?![\w-]|\.\w)")
