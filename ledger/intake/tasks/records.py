"""Tasks that have a file, or an object in a file, of their own: Backlog.md, spec-kitty, Taskmaster, Taskwarrior.

The title is the task; its state, owner, dependencies and paths come from the fields. Boxes in the body of a task's
file are tasks of their own, held by the task. A file that cannot be parsed gives no record and says where it broke.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from t2c.ledger.events.record import SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree
from t2c.ledger.intake.conflicts import without_marks
from t2c.ledger.intake.frontmatter import FrontMatter, front_matter
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.markup import MAX_STATEMENT, Block, Heading, Paragraph, blocks
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.tasks import taskmaster, todotxt
from t2c.ledger.intake.tasks.draft import bounded, task
from t2c.ledger.intake.tasks.markdown import Tasks, explicit_id
from t2c.ledger.intake.tasks.states import State, state_of

__all__ = ["TaskRecordExtractor"]

_FILE: Final = re.compile(r"(?:[A-Za-z]{1,16}-\d[\d.]{0,12} - .+|WP\d{2,4}(?![0-9A-Za-z])[^/]*)\.md$")
_FOLDERS: Final = re.compile(r"(?:^|/)(?:tasks|completed|drafts)/(?:[^/]+/)?$")
_JSON: Final = re.compile(r"(?:^|/)(?:\.taskmaster/tasks|tasks)/tasks\.json$")
_DATA: Final = re.compile(r"(?:^|/)\.?task/(?:pending|completed|backlog)\.data$")
_LANE: Final = re.compile(r"\blane: ['\"]?([\w-]+)")
_LINES: Final = re.compile(r":\d+(?:-\d+)?$")
_ABOUT: Final = re.compile(r"(?:description|objectives?|goals?|summary|opis|cel)\b", re.IGNORECASE)
_PATHS: Final = ("modified_files", "owned_files", "affected_files", "files")
_KEPT: Final = ("priority", "milestone", "phase", "type")

_DEPENDS: Final = ("dependencies", "depends_on", "depends-on", "dependson", "depends")
_BLOCKED_BY: Final = ("blocked_by", "blocked-by", "blockedby", "blocked_on", "waits_for", "waiting_for")
_BLOCKS: Final = ("blocks", "blocking")


class TaskRecordExtractor:
    """Reads `tasks/task-12 - title.md`, `tasks/WP01-title.md`, `.taskmaster/tasks/tasks.json`, `.task/pending.data`."""

    name = "t2c/task-record@3"
    source: SourceKind = "todo"

    def wants(self, path: str) -> bool:
        """True for the files of these tools, told by folder and name."""
        if path.endswith(".md"):
            folder, _, base = path.rpartition("/")
            return (
                (base[:2] == "WP" or " - " in base)
                and _FILE.match(base) is not None
                and _FOLDERS.search(f"{folder}/") is not None
            )
        if path.endswith("tasks.json"):
            return _JSON.search(path) is not None
        return path.endswith(".data") and _DATA.search(path) is not None

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All tasks of one file, in its order. Incomplete if it is binary or cannot be parsed."""
        notes, scope = Notes(self.source, path), Scope(self.source, path)
        lines = text_lines(content, notes)
        if lines is None:
            return Reading(scope, self.name, (), notes.warnings(), complete=False)
        held = list(lines if path.endswith(".json") else without_marks(lines, notes))
        if path.endswith(".json"):
            found = taskmaster.tasks("\n".join(held), content, (path, tree), notes)
            if found is None:
                return Reading(scope, self.name, (), notes.warnings(), complete=False)
            return Reading(scope, self.name, tuple(found), notes.warnings())
        if path.endswith(".data"):
            records = tuple(todotxt.taskwarrior(held, (path, tree), notes))
        else:
            records = tuple(_record(held, (path, tree), notes))
        return Reading(scope, self.name, records, notes.warnings())


def _record(lines: list[str], place: tuple[str, Tree], notes: Notes) -> Iterator[Draft]:
    """The task that a file is about, then the boxes of its body."""
    matter = front_matter(lines)
    title = matter.text("title") if matter else ""
    if matter is None or not title:
        notes.add("task_without_title", "a file of a task without a title in its front matter", 1)
        return
    body = [""] * matter.end + lines[matter.end :]
    found = list(blocks(body, notes))
    identity = matter.text("id", "work_package_id", "wp_code", "wp_id") or explicit_id(title)
    state = _state(matter)
    yield _of_matter(matter, title, identity, _described(found), state, place, notes)
    inner = Tasks(*place, notes, above=(identity or title,), strict=True, state=state)
    for draft in inner.read(found):
        yield _held(draft, identity, title)


def _of_matter(
    matter: FrontMatter,
    title: str,
    identity: str | None,
    about: str,
    state: State,
    place: tuple[str, Tree],
    notes: Notes,
) -> Draft:
    field = matter.fields["title"]
    owners = [name for name in matter.items("assignee", "assigned_to", "agent", "owner") if name]
    extra: dict[str, Any] = {
        "dependencies": _others(matter, _DEPENDS),
        "labels": matter.items("labels", "tags"),
        **{key: matter.text(key) for key in _KEPT if matter.text(key)},
    }
    for key, names in (("blockedBy", _BLOCKED_BY), ("blocks", _BLOCKS)):
        if named := _others(matter, names):
            extra[key] = named
    if parent := matter.text("parent_task_id", "parent"):
        extra["parentTask"] = parent
    subtasks = matter.items("subtasks")
    if subtasks:
        extra["subtasks"] = subtasks
    files = [_LINES.sub("", path) for path in matter.items(*_PATHS)]
    return task(
        bounded(plain(title), field.start, notes), title, (field.start, field.end), "task_front_matter", state,
        place=place, checked=state.status == "completed", explicit=identity, more=about,
        owner=owners[0].lstrip("@") if owners else "", extra=extra,
        paths=tuple(path for name in files for path in mentions(f"`{name}`").paths),
    )  # fmt: skip


def _others(matter: FrontMatter, keys: tuple[str, ...]) -> list[str]:
    """The tasks that any of these fields names, each once, in the order of the keys."""
    written = (name.strip() for key in keys for one in matter.items(key) for name in one.split(","))
    return list(dict.fromkeys(filter(None, written)))


def _state(matter: FrontMatter) -> State:
    """The state that the front matter names, or the last lane of its history."""
    lanes = _LANE.findall(" ".join(matter.items("history")))
    return state_of(matter.text("status", "lane") or (lanes[-1] if lanes else ""))


def _described(found: list[Block]) -> str:
    """The text of the section that says what the task is about, as far as statements go."""
    parts: list[str] = []
    inside = False
    for block in found:
        if isinstance(block, Heading):
            inside = _ABOUT.match(block.text) is not None
        elif inside and isinstance(block, Paragraph):
            parts += [line for _, line in block.lines]
    return " ".join(parts)[:MAX_STATEMENT]


def _held(draft: Draft, identity: str | None, title: str) -> Draft:
    """A box in the body of a task: it says which task holds it."""
    held = draft.metadata["parent"] or title
    return replace(draft, metadata={**draft.metadata, "parent": held, "parentTask": identity})
