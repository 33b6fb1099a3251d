"""Tasks of an Org outline: headings with a keyword, and items with a box.

Plain items are tasks only where no heading around them has a keyword: below a task they are notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_DEPTH, MAX_STATEMENT
from t2c.ledger.intake.tasks.draft import bounded, task
from t2c.ledger.intake.tasks.states import MARKS, State, state_of
from t2c.ledger.intake.vocabulary import words

__all__ = ["tasks"]

_HEADING: Final = re.compile(r"(\*+)[ \t]++(\S.*)$")
_KEYWORD: Final = re.compile(r"([A-Z][A-Z_-]{2,})(?:[ \t]++|$)")
_COOKIE: Final = re.compile(r"\[#[A-Z0-9]\][ \t]*+|\[\d*(?:/\d*|%)\][ \t]*+")
_TAGS: Final = re.compile(r"[ \t]++(:(?:[\w@#%]++:)++)[ \t]*+$")
_ITEM: Final = re.compile(r"([ \t]*+)(?:[-+]|\d{1,9}[.)]|(?<=[ \t])\*)[ \t]++(?:\[([ Xx-])\][ \t]++)?+(.*)$")
_SEQUENCE: Final = re.compile(r"#\+(?:SEQ_|TYP_)?TODO:\s*+(.*)$", re.IGNORECASE)
_PROPERTY: Final = re.compile(r":(ID|CUSTOM_ID|ASSIGNEE|OWNER|ASSIGNED_TO):[ \t]++(\S.*)$", re.IGNORECASE)
_WHEN: Final = re.compile(r"(DEADLINE|SCHEDULED|CLOSED):[ \t]*+[<\[](\d{4}-\d\d-\d\d)")
_BEGIN: Final = re.compile(r"#\+BEGIN[_:]", re.IGNORECASE)
_END: Final = re.compile(r"#\+END[_:]?", re.IGNORECASE)
_TASK_LIKE: Final = re.compile(r"(?:TODO|FIXME)\b|\[.?\](?![(\[:])")
_LINK: Final = re.compile(r"\[\[([^\[\]]++)\](?:\[([^\[\]]++)\])?+\]")
_OPEN: Final = words(
    "TODO NEXT STARTED DOING INPROGRESS IN-PROGRESS WAITING HOLD SOMEDAY BLOCKED REVIEW WIP FIXME"
)
_CLOSED: Final = words("DONE CANCELLED CANCELED CLOSED FIXED WONTFIX")


class _Task(Struct):
    """A heading with a keyword, until its lines are all seen."""

    text: str
    raw: str
    line: int
    keyword: str
    headings: tuple[str, ...]
    holders: tuple[str, ...]
    extra: dict[str, Any] = field(default_factory=dict)
    explicit: str | None = None
    owner: str | None = None


class _Listed(Struct):
    """An item of a list, until its lines are all seen."""

    text: str
    raw: str
    start: int
    end: int
    indent: int
    box: str | None
    headings: tuple[str, ...]
    holders: tuple[str, ...]


class _Outline(Struct):
    """One pass over the lines of one file."""

    place: tuple[str, Tree]
    notes: Notes
    open: set[str] = field(default_factory=lambda: set(_OPEN))
    closed: set[str] = field(default_factory=lambda: set(_CLOSED))
    headings: list[tuple[int, str, bool]] = field(default_factory=list)
    items: list[tuple[int, str]] = field(default_factory=list)
    current: _Task | None = None
    listed: _Listed | None = None
    hidden: bool = False

    def feed(self, number: int, line: str) -> Iterator[Draft]:
        body = line.strip()
        if self.hidden:
            self.hidden = not _END.match(body)
        elif match := _HEADING.match(line):
            yield from self.finish()
            self._heading(number, line, len(match[1]), match[2].rstrip())
        elif not body:
            yield from self._end_item()
        elif body[:2] == "#+" or body[:2] == "# ":
            yield from self._end_item()
            self.hidden = _BEGIN.match(body) is not None
            if sequence := _SEQUENCE.match(body):
                self._keywords(sequence[1])
        elif self.current is not None and (body[0] == ":" or _WHEN.match(body)):
            self._about(body)
        elif match := _ITEM.match(line):
            yield from self._end_item()
            self._item(number, line, match)
        elif self.listed is not None and line[0] in " \t":
            self.listed.end = number
            if len(self.listed.text) <= MAX_STATEMENT:
                self.listed.text = f"{self.listed.text} {_plain(body)}"
                self.listed.raw = f"{self.listed.raw}\n{line}"
        elif _TASK_LIKE.match(body):
            self.notes.add("task_like_line", "looks like a task and has no known shape", number)

    def finish(self) -> Iterator[Draft]:
        """The item and the heading that are open, with what their lines told of them."""
        yield from self._end_item()
        held, self.current = self.current, None
        self.items.clear()
        if held is not None:
            done = held.keyword in self.closed
            state = state_of(held.keyword)
            if state.status == "unknown" and held.keyword not in ("CANCELLED", "CANCELED", "WONTFIX"):
                state = State("completed" if done else "planned", state.name)
            yield task(
                bounded(held.text, held.line, self.notes), held.raw, (held.line, held.line), "org_heading", state,
                place=self.place, headings=held.headings, holders=held.holders, checked=done, explicit=held.explicit,
                owner=held.owner, extra=held.extra,
            )  # fmt: skip

    def _keywords(self, given: str) -> None:
        before, bar, after = given.partition("|")
        opened = [word.partition("(")[0] for word in before.split()]
        closed = [word.partition("(")[0] for word in after.split()] if bar else opened[-1:]
        self.open.update(opened if bar else opened[:-1])
        self.closed.update(closed)

    def _heading(self, number: int, line: str, level: int, rest: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        match = _KEYWORD.match(rest)
        keyword = match[1] if match and (match[1] in self.open or match[1] in self.closed) else ""
        text = rest[match.end() :] if match and keyword else rest
        tags = _TAGS.search(text)
        text = _plain(_COOKIE.sub("", text[: tags.start()] if tags else text))
        if keyword and text:
            headings = tuple(held for _, held, is_task in self.headings if not is_task)
            holders = tuple(held for _, held, is_task in self.headings if is_task)
            self.current = _Task(text, line, number, keyword, headings, holders)
            if tags:
                self.current.extra["labels"] = sorted(set(tags[1].strip(":").split(":")))
            if priority := re.search(r"\[#([A-Z0-9])\]", rest):
                self.current.extra["priority"] = priority[1]
        elif keyword:
            self.notes.add("task_like_line", "a task without words", number)
        self.headings.append((level, text, bool(keyword)))

    def _about(self, body: str) -> None:
        """A property or a date of the heading above."""
        held = self.current
        if held is None:
            return
        if match := _PROPERTY.match(body):
            if match[1].upper() in ("ID", "CUSTOM_ID"):
                held.explicit = held.explicit or match[2].strip()
            else:
                held.owner = match[2].strip().lstrip("@")
        for kind, day in _WHEN.findall(body):
            held.extra[kind.lower()] = day

    def _item(self, number: int, line: str, match: re.Match[str]) -> None:
        indent = len(match[1].expandtabs(8))
        while self.items and self.items[-1][0] >= indent:
            self.items.pop()
        above = [held for _, held, is_task in self.headings if is_task]
        headings = tuple(held for _, held, is_task in self.headings if not is_task)
        holders = (*above, *(held for _, held in self.items))
        self.listed = _Listed(_plain(match[3]), line, number, number, indent, match[2], headings, holders)

    def _end_item(self) -> Iterator[Draft]:
        held, self.listed = self.listed, None
        if held is None:
            return
        if len(self.items) < MAX_DEPTH:
            self.items.append((held.indent, held.text))
        below_task = any(is_task for _, _, is_task in self.headings)
        if not held.text or (held.box is None and below_task):
            return
        box = held.box
        yield task(
            bounded(held.text, held.start, self.notes), held.raw, (held.start, held.end),
            "org_checkbox" if box else "org_bullet",
            State("in_progress", "half done") if box == "-" else MARKS[box or " "],
            place=self.place, headings=held.headings, holders=held.holders,
            checked=box in ("x", "X") if box else None,
        )  # fmt: skip


def tasks(lines: Sequence[str], place: tuple[str, Tree], notes: Notes) -> Iterator[Draft]:
    """The tasks of an outline, in its order but for headings, which come when all that tells of them is read."""
    outline = _Outline(place, notes)
    found: list[Draft] = []
    for number, line in enumerate(lines, 1):
        found += outline.feed(number, line)
    found += outline.finish()
    yield from sorted(found, key=lambda draft: draft.lines or (0, 0))


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(lambda link: link[2] or link[1], text).split())
