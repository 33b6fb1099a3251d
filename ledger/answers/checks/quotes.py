"""Texts that an answer quotes, and the texts of the specification in which they must stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.answers.base import Bench
from t2c.ledger.answers.changes import Tree, squeezed
from t2c.ledger.errors import Environment

__all__ = ["MOST_EVIDENCE", "Location", "Text", "located", "occurs", "paths_in", "quotes_in", "specification"]

_MOST: Final = 1 << 20
MOST_EVIDENCE: Final = 20_000
"""Characters of evidence that are looked up; no place is shown by more than that."""
_SPEC_SUFFIXES: Final = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".feature", ""})
_QUOTED: Final = re.compile(
    r'"([^"\n]{3,2000})"|“([^”\n]{3,2000})”|„([^”“\n]{3,2000})[”“]|«([^»\n]{3,2000})»|`([^`\n]{3,2000})`'
    r"|(?:^|(?<=\s))'([^'\n]{3,2000})'(?=[\s.,;:)]|$)"
)
_BLOCK: Final = re.compile(r"^[ \t]*>[ \t]?(.*)$", re.MULTILINE)
_PATH: Final = re.compile(
    r"(?<![\w./-])((?:[\w.-]{1,100}/){0,20}[\w.-]{0,100}\.\w{1,10})(?::(\d{1,7}))?(?![\w/])"
)


class Text(NamedTuple):
    """A text of the specification; `body` is squeezed, so that where a line was broken makes no difference."""

    name: str
    body: str
    lines: tuple[str, ...]


class Location(NamedTuple):
    """A place that a text names: a path, and a line or 0."""

    path: str
    line: int


def specification(bench: Bench) -> list[Text]:
    """The texts of the specification, those of a folder in byte order. Raises Environment for one that cannot be read."""
    return [_read(file, bench.tree) for given in bench.spec for file in _files(given)]


def _files(given: Path) -> Iterator[Path]:
    if given.is_dir():
        yield from sorted(
            item for item in given.rglob("*") if item.suffix in _SPEC_SUFFIXES and item.is_file()
        )
    else:
        yield given


def _read(file: Path, tree: Path) -> Text:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST + 1)
    except OSError as error:
        raise Environment(
            f"the specification cannot be read: {error.strerror}",
            where=str(file),
            safe="nothing was checked",
            remedy="give --spec a file or a folder that can be read",
        ) from error
    if len(content) > _MOST:
        raise Environment(
            f"the specification has more than {_MOST:,} bytes",
            where=str(file),
            safe="nothing was checked",
            remedy="give --spec the part of it that is meant",
        )
    text = content.decode("utf-8", "replace")
    name = file.relative_to(tree).as_posix() if file.is_relative_to(tree) else file.name
    return Text(name, squeezed(text), tuple(text.splitlines()))


def quotes_in(text: str) -> list[str]:
    """What a text quotes, in its order, each once: in quotation marks of any kind, in backticks, or in lines of `>`."""
    found = ["".join(groups) for groups in _QUOTED.findall(text)]
    block: list[str] = []
    for line in text.splitlines():
        if (match := _BLOCK.match(line)) is not None:
            block.append(match[1])
        elif block:
            found.append(" ".join(block))
            block = []
    if block:
        found.append(" ".join(block))
    return list(dict.fromkeys(quote.strip() for quote in found if quote.strip()))


def occurs(quote: str, texts: Sequence[Text]) -> str | None:
    """The name of the first text in which a quotation stands word for word, but for blanks; None if it is in none."""
    wanted = squeezed(quote)
    return next((text.name for text in texts if wanted and wanted in text.body), None)


def paths_in(text: str) -> list[Location]:
    """The paths that a text names, each with the line behind a colon, in its order and each once."""
    found = (Location(path, int(line or 0)) for path, line in _PATH.findall(text))
    return list(dict.fromkeys(found))


def located(text: str, tree: Tree) -> tuple[list[Location], list[Location]]:
    """The places a text names that are there, and those that are not: no such file, or not so many lines."""
    there: list[Location] = []
    absent: list[Location] = []
    for place in paths_in(text):
        if not tree.has(place.path):
            absent.append(place)
            continue
        content = tree.text(place.path) if place.line else None
        lines = None if content is None else len(content.splitlines())
        (absent if lines is not None and place.line > lines else there).append(place)
    return there, absent
