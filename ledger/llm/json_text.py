"""Whether a text is exactly one JSON value that has one reading, and the name of a place inside it.

JSON parsers keep the last of two equal keys and say nothing; an answer that says two things says nothing
(answers §3.5). Everything here is linear in the text and knows no recursion, so a hostile text costs what it weighs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import orjson

from t2c.ledger.kernel.canon import MAX_DEPTH

__all__ = ["ROOT", "Fault", "depth", "duplicate_key", "json_fault", "place"]

ROOT: Final = "response"
"""What an answer as a whole is called in messages (intent-evidence §6.1)."""

_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\],:]', re.DOTALL)
"""A string, to the end of the text where it is not closed, or a mark of structure: no text is looked at twice."""
_PLAIN: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")
_QUOTE, _OPEN, _CLOSE, _LIST, _END, _COMMA = b'"{}[],'
_SHOWN: Final = 80
_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"


class Fault(NamedTuple):
    """Why a text is not one JSON value with one reading: a reason of `llm.unusable`, and what exactly, in words."""

    reason: Literal["empty", "not_json", "duplicate_key"]
    detail: str


def place(path: Iterable[str | int], root: str = ROOT) -> str:
    """A place in an answer as messages name it: `response.findings[2].severity` (intent-evidence §6.1)."""
    found = [root]
    for step in path:
        if isinstance(step, int):
            found.append(f"[{step}]")
        elif _PLAIN.match(step) and len(step) <= _SHOWN:
            found.append(f".{step}")
        else:
            shown = step if len(step) <= _SHOWN else step[:_SHOWN] + "…"
            found.append(f"[{json.dumps(shown, ensure_ascii=not shown.isprintable())}]")
    return "".join(found)


def duplicate_key(text: bytes) -> str | None:
    """The place of the first key that its object has twice, as `response.findings[2].kind`; None if there is none.

    Keys are compared as they read, however they are escaped. A text that is no JSON is looked at as far as it goes.
    """
    return _walked(text)[0]


def depth(text: bytes) -> int:
    """How deep objects and lists of a JSON text stand in one another; 0 for a number, a text or a constant."""
    return _walked(text)[1]


def json_fault(text: bytes) -> Fault | None:
    """Why the text is not exactly one JSON value with one reading, None if it is one.

    Refused are a byte order mark, bytes that are not UTF-8, lone surrogates, NaN and infinities, anything after the
    value, nesting beyond what an event may hold, and equal keys in one object.
    """
    if text.startswith(_BOM):
        return Fault("not_json", "it begins with a byte order mark")
    if not text.strip(_BLANK):
        return Fault("empty", "there is no text")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return Fault("not_json", f"it is not UTF-8 at byte {error.start}")
    twice, deepest = _walked(text)
    if deepest > MAX_DEPTH:
        return Fault("not_json", f"it is nested deeper than {MAX_DEPTH}")
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return Fault("not_json", f"it is not JSON: {error}")
    if twice is not None:
        return Fault("duplicate_key", f"{twice} stands twice in one object")
    return None


def _walked(text: bytes) -> tuple[str | None, int]:
    """The place of the first duplicate key of the first value, and the depth of what was walked until then."""
    keys: list[set[str] | None] = []
    at: list[str | int] = []
    deepest = 0
    wants_key = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        mark = token[0]
        if mark == _QUOTE:
            if wants_key and (known := keys[-1]) is not None:
                key = _read(token)
                at[-1] = key
                if key in known:
                    return place(at), deepest
                known.add(key)
            elif not keys:
                break
        elif mark == _COMMA:
            if keys:
                wants_key = keys[-1] is not None
                if not wants_key:
                    at[-1] = int(at[-1]) + 1
            continue
        elif mark in (_OPEN, _LIST):
            keys.append(set() if mark == _OPEN else None)
            at.append("" if mark == _OPEN else 0)
            deepest = max(deepest, len(keys))
            wants_key = mark == _OPEN
            continue
        elif mark in (_CLOSE, _END):
            if keys:
                keys.pop()
                at.pop()
            if not keys:
                break
        wants_key = False
    return None, deepest


def _read(token: bytes) -> str:
    """A key as it reads. One that no parser takes stands for itself."""
    if b"\\" in token:
        try:
            return str(json.loads(token))
        except ValueError:
            pass
    return token[1:].removesuffix(b'"').decode("utf-8", "surrogateescape")
