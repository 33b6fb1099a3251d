"""JSON and JSON with comments, as entries with lines.

Comments and trailing commas are blanked by one linear pass, then `orjson` judges the text, so that nothing is
read from a file that is no JSON; a second pass over its tokens finds the places. Nothing here recurses.
"""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.intake.config.entries import EACH, Entry, Fault, Shape
from t2c.ledger.intake.lines import Notes

__all__ = ["MAX_DEPTH", "entries_of_json"]

MAX_DEPTH: Final = 100
"""Levels of nesting that a configuration file may have in any format."""
_MAX_ENTRIES: Final = 100_000

_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"?+'
"""A string, or what is left of a line that never ends it: no place is looked at twice."""
_REMARK: Final = re.compile(rf"{_STRING}|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?+")
_TRAILING: Final = re.compile(rf"{_STRING}|,(?=\s*+[\]}}}}])")
_TOKEN: Final = re.compile(rf'({_STRING})|([{{}}\[\],:])|([^\s{{}}\[\],:"]++)|(\n)')
_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_JSON5: Final = re.compile(r"(?m)^[ \t]*(?:'[^'\n]*'|[A-Za-z_$][\w$]*)[ \t]*:|:[ \t]*'")


def entries_of_json(text: str, notes: Notes) -> list[Entry] | Fault:
    """All keys of a JSON or JSONC text in its order, nested ones and those within lists included."""
    import orjson

    plain = text
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        plain = _without_remarks(text)
        try:
            orjson.loads(plain)
        except orjson.JSONDecodeError as error:
            return _fault(plain, error.msg, error.lineno, error.colno)
    return _walked(plain, notes)


def _fault(text: str, what: str, line: int, column: int) -> Fault:
    if _JSON5.search(text):
        return Fault("JSON5 is not read", line, column, "unsupported_format")
    return Fault(f"no JSON: {what.partition(':')[0]}", line, column)


def _without_remarks(text: str) -> str:
    """The text with comments and trailing commas as spaces, every line where it was."""
    return _TRAILING.sub(_no_comma, _REMARK.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    return _NOT_NEWLINE.sub(" ", found) if found[0] == "/" else found


def _no_comma(match: re.Match[str]) -> str:
    return " " if match[0] == "," else match[0]


def _walked(text: str, notes: Notes) -> list[Entry] | Fault:
    """One pass over the tokens of a text that is known to be JSON."""
    import orjson

    found: list[Entry] = []
    stack: list[tuple[tuple[str, ...], bool, int, set[str]]] = []  # path, is a map, place of its entry, keys
    path: tuple[str, ...] = ()
    line = 1
    key: str | None = None
    key_line = 1
    for match in _TOKEN.finditer(text):
        string, sign, word, newline = match.groups()
        if newline:
            line += 1
            continue
        in_map = bool(stack) and stack[-1][1]
        if sign and sign in ",:":
            continue
        if sign and sign in "]}":
            _, _, place, _ = stack.pop()
            if place >= 0:
                found[place] = found[place]._replace(end=line)
            continue
        if string is not None and in_map and key is None:
            named: str = orjson.loads(string)
            key, key_line = named, line
            if named in stack[-1][3]:
                notes.add("duplicate_key", "a key that stands twice in one object; the last one counts", line)
            stack[-1][3].add(named)
            continue
        base = stack[-1][0] if stack else ()
        path = (*base, key if key is not None else EACH) if stack else ()
        start = key_line if key is not None else line
        place = len(found) if path else -1
        if sign:
            if len(stack) >= MAX_DEPTH:
                return Fault(f"nested deeper than {MAX_DEPTH} levels", line, None, "configuration_too_deep")
            if path:
                found.append(Entry(path, start, line, "map" if sign == "{" else "list"))
            stack.append((path, sign == "{", place, set()))
        elif path:
            shape, value = _scalar(string, word)
            if value is not None and shape == "text":
                value = orjson.loads(value)
            found.append(Entry(path, start, line, shape, value))
        if len(found) > _MAX_ENTRIES:
            return Fault(f"more than {_MAX_ENTRIES} keys and members", line, None, "configuration_too_large")
        key = None
    return found


def _scalar(string: str | None, word: str | None) -> tuple[Shape, str | None]:
    if string is not None:
        return "text", string
    word = word or ""
    if word in ("true", "false"):
        return "boolean", word
    if word == "null":
        return "null", None
    return ("real" if any(sign in word for sign in ".eE") else "integer"), word
