"""TOML, as entries with lines: `tomllib` for what it means, one scan of the lines for where it stands.

A key inside an inline table or a list of tables has the line of what holds it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from t2c.ledger.intake.config.entries import EACH, Entry, Fault, Shape
from t2c.ledger.intake.config.json_text import MAX_DEPTH

__all__ = ["entries_of_toml"]

_STEP: Final = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\]|\\.)*+"|'[^']*+')"""
_HEADER: Final = re.compile(rf"\s*+\[\[?\s*+({_STEP}(?:\s*+\.\s*+{_STEP})*+)\s*+\]")
_KEY: Final = re.compile(rf"\s*+({_STEP}(?:\s*+\.\s*+{_STEP})*+)\s*+=")
_STEPS: Final = re.compile(_STEP)
_PIECE: Final = re.compile(
    r'"""(?:[^"\\]|\\(?s:.)|"(?!""))*+(?:"{3,5})?+'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?+"
    r"""|"(?:[^"\\\n]|\\.)*+"?+|'[^'\n]*+'?+|\#[^\n]*+|[\[\]{}\n]"""
)
_PLACE: Final = re.compile(r"line (\d+), column (\d+)")
_MAX_NESTING: Final = 200


def entries_of_toml(text: str) -> list[Entry] | Fault:
    """All keys of a TOML text, in the order of the file."""
    if _deepest(text) > _MAX_NESTING:
        return Fault(f"nested deeper than {MAX_DEPTH} levels", None, None, "configuration_too_deep")
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rpartition(" (at ")
        found = _PLACE.match(place)
        line, column = (int(found[1]), int(found[2])) if found else (text.count("\n") + 1, None)
        return Fault(f"no TOML: {what[:80]}", line, column)
    except (RecursionError, ValueError):
        return Fault("no TOML: a value out of range")
    return list(_Places(text).entries(parsed))


def _deepest(text: str) -> int:
    """How deep brackets nest, outside texts and comments; the parser of values recurses."""
    depth = most = 0
    for match in _PIECE.finditer(text):
        sign = match[0]
        if sign in ("[", "{"):
            depth += 1
            most = max(most, depth)
        elif sign in ("]", "}"):
            depth = max(0, depth - 1)
    return most


class _Places:
    """The lines of every key and header of a text that is known to be TOML."""

    def __init__(self, text: str) -> None:
        self.of: dict[tuple[str, ...], tuple[int, int]] = {}
        self.texts: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        table: tuple[str, ...] = ()
        for line, end, statement, texts in _statements(text):
            header = _HEADER.match(statement)
            if header is not None:
                table = _steps(header[1])
                for upto in range(1, len(table) + 1):
                    self.of.setdefault(table[:upto], (line, line))
                continue
            key = _KEY.match(statement)
            if key is not None:
                steps = _steps(key[1])
                for upto in range(1, len(steps) + 1):
                    self.of.setdefault((*table, *steps[:upto]), (line, end))
                if end > line:
                    self.texts.setdefault((*table, *steps), texts)

    def entries(self, parsed: dict[str, Any]) -> Iterator[Entry]:
        return iter(sorted(_walk(parsed, self.of, self.texts), key=lambda entry: entry.start))


def _statements(text: str) -> Iterator[tuple[int, int, str, list[tuple[int, int]]]]:
    """(first line, last line, text, places of its quoted texts) of each header and each key with its value."""
    line = start = 1
    begin = depth = 0
    texts: list[tuple[int, int]] = []
    for match in _PIECE.finditer(text):
        sign = match[0]
        if sign in ("[", "{"):
            depth += 1
        elif sign in ("]", "}"):
            depth = max(0, depth - 1)
        elif sign == "\n":
            line += 1
            if depth == 0:
                yield start, line - 1, text[begin : match.start()], texts
                begin, start, texts = match.end(), line, []
        elif sign[0] != "#":
            first, line = line, line + sign.count("\n")
            texts.append((first, line))
    yield start, line, text[begin:], texts


def _steps(key: str) -> tuple[str, ...]:
    return tuple(_unquoted(step) for step in _STEPS.findall(key))


def _unquoted(step: str) -> str:
    if step[0] == '"':
        try:
            return next(iter(tomllib.loads(f"{step} = 0")))
        except tomllib.TOMLDecodeError:
            return step[1:-1]
    return step[1:-1] if step[0] == "'" else step


def _walk(
    parsed: dict[str, Any],
    places: Mapping[tuple[str, ...], tuple[int, int]],
    texts: Mapping[tuple[str, ...], list[tuple[int, int]]],
) -> Iterator[Entry]:
    stack: list[tuple[tuple[str, ...], tuple[int, int], Any]] = [
        ((key,), places.get((key,), (1, 1)), value) for key, value in reversed(parsed.items())
    ]
    while stack:
        path, around, value = stack.pop()
        named = tuple(step for step in path if step != EACH)
        place = places.get(named, around) if path[-1] != EACH else around
        shape, text = _shape(value)
        yield Entry(path, *place, shape, text)
        if len(path) > MAX_DEPTH:
            continue
        if isinstance(value, dict):
            stack += [((*path, key), place, item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, list):
            at = texts.get(path, [])
            if len(at) != len(value) or not all(isinstance(item, str) for item in value):
                at = [place] * len(value)
            members = list(zip(at, value, strict=True))
            stack += [((*path, EACH), own, item) for own, item in reversed(members)]


def _shape(value: object) -> tuple[Shape, str | None]:
    match value:
        case bool():
            return "boolean", "true" if value else "false"
        case int():
            return "integer", str(value) if abs(value) < 10**18 else hex(value)
        case float():
            return "real", repr(value)
        case dict():
            return "map", None
        case list():
            return "list", None
        case str():
            return "text", value
        case _:
            return "text", None
