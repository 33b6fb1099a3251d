"""Lua: what only a whole file tells of its tables: which one is its module, which are classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from t2c.ledger.intake.code.traits import separated

__all__ = ["DOTTED", "Tables", "tables_of"]

DOTTED: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
"""A name, or several with dots between."""

_RETURNED: Final = re.compile(
    rb"^return[ \t]+(?:setmetatable[ \t]*\([ \t]*)?([A-Za-z_]\w*)(?=[ \t]*(?:[,;)]|--|\r?$))", re.MULTILINE
)
_LOCAL: Final = re.compile(rb"^local[ \t]+(?!function\b)([\w, \t<>]{1,1000})", re.MULTILINE)
_BEFORE: Final = rb"^(?:local[ \t]+)?([A-Za-z_][\w.]{0,160})[ \t]*=[ \t]*"
_CLASSES: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rb"^[ \t]*([A-Za-z_][\w.]{0,160})\.__index[ \t]*=[ \t]*\1[ \t]*;?\r?$()",
        _BEFORE + rb"(?:\w+\.){0,3}[Cc]lass[ \t]*\(([^()\n]{0,200})\)",
        _BEFORE + rb"([A-Za-z_][\w.]{0,160}):(?:extend|subclass)[ \t]*\(",
        rb"^---[ \t]*@class[ \t]+(?:\([\w, ]{1,40}\)[ \t]*)?([A-Za-z_][\w.]{0,160})[ \t]*(?::[ \t]*([\w., \t]{1,200}))?",
    )
)
"""How a table is made a class, and what it extends."""

_MADE_CLASS: Final = re.compile(
    rb"^class[ \t]*\(([^,()\n]{0,100}),[^,()\n]{0,100},[ \t]*(\w+)[ \t]*\)", re.MULTILINE
)
_BASE: Final = re.compile(
    rb"^(?:local[ \t]+)?(?:([A-Za-z_][\w.]{0,160})[ \t]*=[ \t]*)?setmetatable[ \t]*\([ \t]*"
    rb"([A-Za-z_][\w.]{0,160}|\{\})[ \t]*,[ \t]*\{[ \t]*__index[ \t]*=[ \t]*([A-Za-z_][\w.]{0,160})[ \t]*\}",
    re.MULTILINE,
)


class Tables(NamedTuple):
    """What only the whole file tells.

    `module` is the table that others get by `require`, so that its name says nothing; empty if it is a class.
    `returned` is what the file returns, `classes` are by name with their bases, `local_names` not functions.
    """

    module: str
    returned: str
    classes: Mapping[str, tuple[str, ...]]
    local_names: frozenset[str]


@lru_cache(maxsize=1)
def tables_of(text: bytes) -> Tables:
    """The tables of one file; the last answer is kept."""
    classes: dict[str, tuple[str, ...]] = {}
    for pattern in _CLASSES:
        for found in pattern.finditer(text):
            _add_class(classes, found[1], found[2])
    for found in _MADE_CLASS.finditer(text):
        _add_class(classes, found[2], found[1])
    for found in _BASE.finditer(text):
        name = (found[1] or b"") if found[2] == b"{}" else found[2]
        if name.decode() in classes and name != found[3]:
            _add_class(classes, name, found[3])
    names = frozenset(
        words[0]
        for found in _LOCAL.finditer(text)
        for part in found[1].decode("utf-8", "replace").split(",")
        if (words := part.replace("<", " ").split())
    )
    returned = ""
    for found in _RETURNED.finditer(text):
        returned = found[1].decode()
    is_table = returned in names or f"\n{returned} =".encode() in text
    return Tables(returned if is_table and returned not in classes else "", returned, classes, names)


def _add_class(classes: dict[str, tuple[str, ...]], name: bytes, bases: bytes | None) -> None:
    written = separated((bases or b"").decode("utf-8", "replace"))
    taken = tuple(base for base in written if base != "nil" and DOTTED.match(base))
    classes[name.decode()] = classes.get(name.decode()) or taken
