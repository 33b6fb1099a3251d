"""YAML, as entries with lines: the parser's events, never objects.

Anchors and aliases are not expanded, tags construct nothing, so a file cannot grow while it is read; levels and
nodes are counted. Several documents are read one after the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.config.entries import EACH, Entry, Fault, Shape
from t2c.ledger.intake.config.json_text import MAX_DEPTH
from t2c.ledger.intake.lines import Notes

if TYPE_CHECKING:
    from yaml.events import Event

__all__ = ["entries_of_yaml"]

_MAX_NODES: Final = 100_000
_TEMPLATE: Final = re.compile(r"(?m)^[ \t]*\{\{|\{%|^[ \t]*<%")
_BOOLEAN: Final = {
    "true": "true",
    "false": "false",
    "True": "true",
    "False": "false",
    "TRUE": "true",
    "FALSE": "false",
}
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9]\d*+)\Z", re.ASCII)
_REAL: Final = re.compile(r"[-+]?(?:\d++\.\d*+|\.\d++|\d++)(?:[eE][-+]?\d++)?+\Z", re.ASCII)
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


def entries_of_yaml(text: str, notes: Notes) -> list[Entry] | Fault:
    """All keys of a YAML text in its order, nested ones and those within lists included."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Walk(notes).all(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        what = f"no YAML: {error.problem}"
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        if _TEMPLATE.search(text):
            return Fault("a template of YAML, not YAML", line, column, "configuration_template")
        deep = "nesting" in (error.problem or "")
        return Fault(what, line, column, "configuration_too_deep" if deep else "configuration_unparsed")
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError):
        return Fault("no YAML: a character that YAML does not allow")


class _Level:
    """One mapping or sequence that is open; a mapping alternates between keys and values."""

    __slots__ = ("is_map", "key", "key_line", "keys", "path", "place")

    def __init__(self, path: tuple[str, ...], is_map: bool, place: int) -> None:
        self.path = path
        self.is_map = is_map
        self.place = place
        self.key: str | None = None
        self.key_line = 0
        self.keys: set[str] = set()


class _Walk:
    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.found: list[Entry] = []
        self.stack: list[_Level] = []
        self.documents = 0

    def all(self, events: object) -> list[Entry] | Fault:
        from yaml import events as kinds

        nodes = 0
        for event in events:  # type: ignore[attr-defined]
            if isinstance(event, kinds.NodeEvent):
                nodes += 1
                if nodes > _MAX_NODES:
                    line = _line(event)
                    return Fault(f"more than {_MAX_NODES} nodes", line, None, "configuration_too_large")
            match event:
                case kinds.ScalarEvent():
                    self._scalar(event, event.value, event.style, tagged=event.tag is not None)
                case kinds.AliasEvent():
                    self._alias(event)
                case kinds.MappingStartEvent() | kinds.SequenceStartEvent():
                    if len(self.stack) >= MAX_DEPTH:
                        line = _line(event)
                        return Fault(
                            f"nested deeper than {MAX_DEPTH} levels", line, None, "configuration_too_deep"
                        )
                    self._open(event, isinstance(event, kinds.MappingStartEvent))
                case kinds.MappingEndEvent() | kinds.SequenceEndEvent():
                    self._close()
                case kinds.DocumentStartEvent():
                    self.documents += 1
        return self.found

    def _scalar(self, event: Event, value: str, style: str | None, *, tagged: bool) -> None:
        line = _line(event)
        level = self.stack[-1] if self.stack else None
        if level is not None and level.is_map and level.key is None:
            level.key, level.key_line = value, line
            if value in level.keys and value != "<<":
                self.notes.add(
                    "duplicate_key", "a key that stands twice in one mapping; the last one counts", line
                )
            level.keys.add(value)
            return
        shape: Shape = "text" if style or tagged else _shape(value)
        self._entry(line, max(line, _end(event)), shape, _BOOLEAN[value] if shape == "boolean" else value)

    def _alias(self, event: Event) -> None:
        """An alias stands for a node that was read where it is anchored; here it is only that there is a value."""
        line = _line(event)
        level = self.stack[-1] if self.stack else None
        if level is not None and level.is_map and level.key is None:
            level.key, level.key_line = EACH, line
            self.notes.add("complex_key", "a key that is an alias, a list or a mapping", line)
            return
        self._entry(line, line, "null", None)

    def _open(self, event: Event, is_map: bool) -> None:
        line = _line(event)
        level = self.stack[-1] if self.stack else None
        if level is None:
            self.stack.append(_Level((), is_map, -1))
            return
        if level.is_map and level.key is None:
            level.key, level.key_line = EACH, line
            self.notes.add("complex_key", "a key that is an alias, a list or a mapping", line)
            self.stack.append(_Level((*level.path, EACH), is_map, -2))
            return
        path = (*level.path, level.key if level.key is not None else EACH)
        start = level.key_line if level.is_map else line
        level.key = None
        self.stack.append(_Level(path, is_map, len(self.found)))
        self.found.append(Entry(path, start, line, "map" if is_map else "list"))

    def _close(self) -> None:
        """The mark of a block's end stands where the next one begins, so it ends with its last member."""
        place = self.stack.pop().place
        if place >= 0:
            last = self.found[-1]
            self.found[place] = self.found[place]._replace(end=max(self.found[place].start, last.end))

    def _entry(self, start: int, end: int, shape: Shape, value: str | None) -> None:
        if not self.stack:
            return
        level = self.stack[-1]
        path = (*level.path, level.key if level.key is not None else EACH)
        if level.is_map:
            start = level.key_line
            level.key = None
        self.found.append(Entry(path, start, end, shape, value))


def _line(event: Event) -> int:
    mark = event.start_mark
    return mark.line + 1 if mark else 1


def _end(event: Event) -> int:
    mark = event.end_mark
    return mark.line + (1 if mark.column else 0) if mark else 1


def _shape(value: str) -> Shape:
    if value in _BOOLEAN:
        return "boolean"
    if value in _NULLS:
        return "null"
    if _INTEGER.match(value):
        return "integer"
    return "real" if _REAL.match(value) else "text"
