"""Tasks one to a line: todo.txt, and the data files of Taskwarrior.

Dates, priorities and fields may change without the task becoming another one, so they are no part of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.tasks.draft import bounded, task
from t2c.ledger.intake.tasks.states import State, state_of
from t2c.ledger.intake.vocabulary import words

__all__ = ["is_todotxt", "tasks", "taskwarrior"]

_DAY: Final = r"\d{4}-\d\d-\d\d"
_LINE: Final = re.compile(rf"(?:(x) (?:({_DAY}) )?)?(?:\(([A-Z])\) )?(?:({_DAY}) )?(?:({_DAY}) )?(\S.*)$")
_SIGN: Final = re.compile(rf"x (?:{_DAY} |\()|\([A-Z]\) |{_DAY} \S")
_TAGGED: Final = re.compile(r"(?<!\S)([+@])(\w\S*)")
_PROJECT: Final = re.compile(r"(?<!\S)\+[A-Za-z]\w*")
_LISTED: Final = re.compile(r"\s*(?:[-*#>|]|\d+[.)]\s|```)")
_FIELD: Final = re.compile(r"(?<!\S)([a-z]\w{0,19}):([^\s/:]\S*)")
_SCHEMES: Final = words("http https file mailto")
_ATTRIBUTE: Final = re.compile(r"([\w.]+):\"((?:[^\"\\]|\\.)*+)\"")


def is_todotxt(lines: Sequence[str]) -> bool:
    """True if no line is of a list or a heading, and one has a priority, a date or a project as todo.txt writes it."""
    signed = False
    for line in lines:
        if _LISTED.match(line):
            return False
        signed = signed or bool(_SIGN.match(line)) or _PROJECT.search(line) is not None
    return signed


def tasks(lines: Sequence[str], place: tuple[str, Tree], notes: Notes) -> Iterator[Draft]:
    """The task of each line of a todo.txt file."""
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line.strip())
        if match is None:
            continue
        done, second, priority, created, other, rest = match.groups()
        fields = {name: value for name, value in _FIELD.findall(rest) if name not in _SCHEMES}
        text = " ".join(_FIELD.sub(_without_field, rest).split())
        if not text:
            notes.add("task_like_line", "a task without words", number)
            continue
        days = {"completed": second, "created": created or other}
        extra: dict[str, Any] = {name: day for name, day in days.items() if day}
        for key, value in (("priority", priority), ("fields", fields)):
            if value:
                extra[key] = value
        for sign, key in (("+", "projects"), ("@", "contexts")):
            found = sorted({name for mark, name in _TAGGED.findall(text) if mark == sign})
            if found:
                extra[key] = found
        yield task(
            bounded(text, number, notes), line, (number, number), "todo_txt", State("completed" if done else "planned"),
            place=place, checked=bool(done), explicit=fields.get("id"), owner=fields.get("owner", ""), extra=extra,
        )  # fmt: skip


def taskwarrior(lines: Sequence[str], place: tuple[str, Tree], notes: Notes) -> Iterator[Draft]:
    """The task of each line of `pending.data` or `completed.data`; a line of another shape is counted."""
    for number, line in enumerate(lines, 1):
        body = line.strip()
        held = {key: _unescaped(value) for key, value in _ATTRIBUTE.findall(body)} if body[:1] == "[" else {}
        text = " ".join(held.get("description", "").split())
        if not text:
            if body:
                notes.add("task_like_line", "no task of Taskwarrior", number)
            continue
        state = state_of({"deleted": "cancelled"}.get(held.get("status", ""), held.get("status", "")))
        if state.status == "planned" and "start" in held:
            state = State("in_progress", "started")
        extra: dict[str, Any] = {
            key: held[key] for key in ("priority", "due", "entry", "end") if held.get(key)
        }
        if held.get("tags"):
            extra["labels"] = sorted(set(held["tags"].split(",")))
        if held.get("depends"):
            extra["dependencies"] = sorted(set(held["depends"].split(",")))
        above = (held["project"],) if held.get("project") else ()
        identity = next((held[key] for key in held if key[1:] == "uid"), None)
        yield task(
            bounded(text, number, notes), line, (number, number), "taskwarrior", state, place=place, above=above,
            checked=state.status == "completed", explicit=identity, owner="", extra=extra,
        )  # fmt: skip


def _without_field(match: re.Match[str]) -> str:
    return match[0] if match[1] in _SCHEMES else ""


def _unescaped(value: str) -> str:
    return value.replace("&open;", "[").replace("&close;", "]").replace('\\"', '"').replace("\\/", "/")
