"""The tasks of a Taskmaster `tasks.json`, with or without tags, their subtasks below them.

An object is a task if it has a title and an id. The text is parsed strictly; where it breaks nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_DEPTH, MAX_STATEMENT
from t2c.ledger.intake.tasks.draft import bounded, task
from t2c.ledger.intake.tasks.states import state_of
from t2c.ledger.kernel.canon import NotCanonical, loads

__all__ = ["tasks"]

_Waiting = tuple[Any, str, tuple[str, ...], str]
"""An object that may be a task: its tag, the titles around it, and what its id begins with."""
_MAIN: Final = "master"
"""The tag that stands for no tag."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{\n]', re.DOTALL)
_BROKEN: Final = re.compile(r"at line (\d+)")


def tasks(text: str, content: bytes, place: tuple[str, Tree], notes: Notes) -> list[Draft] | None:
    """All tasks in the order of the file; None, with a note that says where, if its text is no such JSON.

    Nothing is made up for what cannot be parsed: the note keeps the digest of `content`, the bytes of the file.
    """
    try:
        value = loads(text)
    except NotCanonical as error:
        match = _BROKEN.search(str(error))
        digest = sha256(content).hexdigest()
        notes.add("json_not_read", f"{str(error)[:200]}; SHA-256 {digest}", int(match[1]) if match else None)
        return None
    lines = _lines_of(value, _object_lines(text))
    if isinstance(value, dict) and isinstance(value.get("tasks"), list):
        waiting: list[_Waiting] = [(task_, "", (), "") for task_ in reversed(value["tasks"])]
    elif isinstance(value, dict) and any(_tagged(held) for held in value.values()):
        waiting = [
            (task_, "" if tag == _MAIN else tag, (), "")
            for tag, held in reversed(value.items())
            if _tagged(held)
            for task_ in reversed(held["tasks"])
        ]
    else:
        notes.add("no_tasks_found", "the file holds JSON and no list of tasks", 1)
        return []
    return list(_walk(waiting, lines, place, notes))


def _tagged(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("tasks"), list)


def _walk(
    waiting: list[_Waiting],
    lines: dict[int, int],
    place: tuple[str, Tree],
    notes: Notes,
) -> Iterator[Draft]:
    while waiting:
        value, tag, holders, prefix = waiting.pop()
        line = lines.get(id(value), 1)
        title = value.get("title") if isinstance(value, dict) else None
        number = value.get("id") if isinstance(value, dict) else None
        if not isinstance(title, str) or not title.strip() or not isinstance(number, int | str):
            notes.add("task_like_line", "an entry of a list of tasks without a title or an id", line)
            continue
        name = f"{prefix}{number}"
        text = " ".join(title.split())
        yield _draft(
            value, bounded(text, line, notes), line, f"{tag}:{name}" if tag else name, tag, holders, place
        )
        below = value.get("subtasks")
        if isinstance(below, list):
            if len(holders) < MAX_DEPTH:
                waiting += [(held, tag, (*holders, text), f"{name}.") for held in reversed(below)]
            elif below:
                notes.add("nesting_capped", f"tasks nested deeper than {MAX_DEPTH} levels", line, len(below))


def _draft(
    value: dict[str, Any],
    text: str,
    line: int,
    name: str,
    tag: str,
    holders: tuple[str, ...],
    place: tuple[str, Tree],
) -> Draft:
    state = state_of(_text(value, "status"))
    told = " ".join(_text(value, key) for key in ("description", "details", "testStrategy"))
    depends = value.get("dependencies")
    extra: dict[str, Any] = {
        "dependencies": [str(one) for one in depends if isinstance(one, int | str)]
        if isinstance(depends, list)
        else [],
        "tag": tag or None,
        **({"parentTask": name.rpartition(".")[0]} if holders else {}),
    }
    if priority := _text(value, "priority"):
        extra["priority"] = priority
    return task(
        text, f"{text}\n{_text(value, 'description')}".rstrip(), (line, line), "task_json", state, place=place,
        above=(tag,) if tag else (), holders=holders, checked=state.status == "completed", explicit=name,
        more=told[:MAX_STATEMENT], owner=_text(value, "assignee").lstrip("@"), extra=extra,
    )  # fmt: skip


def _text(value: dict[str, Any], key: str) -> str:
    held = value.get(key)
    return held if isinstance(held, str) else ""


def _object_lines(text: str) -> Iterator[int]:
    """The line of each opening brace outside of strings, in order."""
    line = 1
    for match in _TOKEN.finditer(text):
        if match[0] == "\n":
            line += 1
        elif match[0] == "{":
            yield line
        else:
            line += match[0].count("\n")


def _lines_of(value: Any, lines: Iterator[int]) -> dict[int, int]:
    """The line of each object: the order in which they open is that of a walk, members first."""
    found: dict[int, int] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found[id(one)] = next(lines, 1)
            waiting += reversed(one.values())
        elif isinstance(one, list):
            waiting += reversed(one)
    return found
