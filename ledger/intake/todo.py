"""Plans from task files: checkboxes, bullets, `T001` lines and tables (intent-evidence §2.5).

Identity rests on the path, the headings, the items around and the words: a toggled checkbox, a new owner of
a neighbour or a blank line above change no id. What looks like a task and has no known shape is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from t2c.ledger.events.record import SourceKind, Status
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Tree, shortened
from t2c.ledger.intake.inline import blanked, plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT, Code, Heading, Item, Paragraph, Row, blocks
from t2c.ledger.intake.mentions import mentions, resolved
from t2c.ledger.intake.text import action_and_object, polarity
from t2c.ledger.intake.textfile import TextFileExtractor
from t2c.ledger.intake.vocabulary import words

__all__ = ["TodoExtractor"]

_BOX: Final = re.compile(r"\[([ xX])\](?:\s++|$)")
_ODD_BOX: Final = re.compile(r"\[.?\](?![(\[:])")
_TASK: Final = re.compile(r"(?:\*\*|`)?(T\d{3,})(?:\*\*|`)?(?::|\.|\s+[-–—])?\s+(?=\S)")
_TASK_CELL: Final = re.compile(r"[*`\[]{0,3}(T\d{3,}|(?:T2C|TASK|TODO)-\d+)[*`\]]{0,3}$")
_TASK_LIST: Final = re.compile(
    r"(?:sub-?tasks?|tasks?|podzadania|zadania)\s*:\s*(T\d{3,}(?:\s*,\s*T\d{3,})*+)\s*\.?$", re.IGNORECASE
)
_LEADING: Final = re.compile(r"[*`\[]{0,3}(T\d{3,})\b")
_TASK_ID: Final = re.compile(r"\bT\d{3,}\b")
_EXPLICIT: Final = re.compile(r"(?<![\w-])(?:T2C|TASK|TODO)-\d+\b")
_TASK_LIKE: Final = re.compile(
    r"(?:[-*+•◦▪‣]\s*)?\[.?\](?![(\[:])|[•◦▪‣☐☑☒✓✔✅❌]|(?:TODO|FIXME)\b|\([A-Z]\) |x \d{4}-\d\d-\d\d |.*\bT\d{3,}\b"
)
_OWNER: Final = re.compile(
    r"(?<![\w-])@?(?:owner|właściciel|wlasciciel|assignee|assigned to)\s*[:=]\s*@?([\w][\w.-]*)",
    re.IGNORECASE,
)
_HANDLE: Final = re.compile(r"(?<![\w@/.])@([A-Za-z0-9](?:[\w-]*\w)?)(?![\w/@]|\.\w)")
_CONTENTS: Final = re.compile(r"\[[^\]]*\]\(#[^)]*\)$")
_STRUCK: Final = re.compile(r"~~.+~~\W*$")
_RULE: Final = re.compile(r":?-+:?$")
_DONE: Final = words(
    "done completed complete finished closed x ✓ ✔ ✅ ☑ [x] yes zrobione gotowe ukończone wykonane zakończone tak"
)
_IN_LISTS: Final = words("markdown_checkbox markdown_bullet")
_TITLES: Final = words("task title description summary what zadanie opis nazwa name")
_STATES: Final = words("status state done stan")
_OWNERS: Final = words("owner assignee właściciel who")


class TodoExtractor(TextFileExtractor):
    """Reads TODO, TODO.md, TODO.txt and tasks.md, in any case and any folder."""

    name = "t2c/markdown-todo@1"
    source: SourceKind = "todo"
    names = re.compile(r"(?:todos?(?:\.(\w+))?|tasks\.md)$", re.IGNORECASE)
    formats = words("md markdown txt")
    unread = words("rst org adoc asciidoc textile")
    what = "task files"

    def lines(self, path: str, content: bytes, notes: Notes) -> Iterator[str] | None:
        """As for any text file; a script that is called `todo` is none."""
        if content.startswith(b"#!"):
            notes.add("executable_script", "a program, not a list of tasks", 1)
            return None
        return super().lines(path, content, notes)

    def statements(
        self, path: str, content: bytes, lines: Iterator[str], tree: Tree, notes: Notes
    ) -> Iterator[Draft]:
        """All tasks of one file, in its order."""
        found = False
        for draft in _Tasks(path, tree, notes).read(lines):
            found = True
            yield draft
        if not found and content.strip():
            notes.add("no_tasks_found", "the file holds text and no task")


class _Around(Struct):
    """An item that holds others: what it says, and whether its nearest checkbox is ticked."""

    text: str
    checked: bool | None


class _Table(Struct):
    """The table that is being read: its header, once a rule below it says so, and where its last row was."""

    header: tuple[str, ...] = ()
    row: tuple[str, ...] = ()
    line: int = 0


class _Tasks(Struct):
    """One pass over the blocks of one file."""

    path: str
    tree: Tree
    notes: Notes
    headings: list[tuple[int, str]] = field(default_factory=list)
    around: list[_Around] = field(default_factory=list)
    table: _Table = field(default_factory=_Table)
    named: set[str] = field(default_factory=set)
    listed: list[tuple[int, Draft]] = field(default_factory=list)

    def read(self, lines: Iterable[str]) -> list[Draft]:
        found: list[tuple[int, Draft]] = []
        for block in blocks(lines, self.notes):
            match block:
                case Item():
                    found += self._item(block)
                case Heading():
                    while self.headings and self.headings[-1][0] >= block.level:
                        self.headings.pop()
                    self.headings.append((block.level, block.text))
                    if _LEADING.match(block.text):
                        self._odd(block.line)
                case Row():
                    found += self._row(block)
                case Paragraph():
                    found += self._paragraph(block)
                case Code():
                    pass
        seen: set[str] = set()
        for line, draft in self.listed:
            if draft.text not in self.named and draft.text not in seen:
                seen.add(draft.text)
                found.append((line, draft))
        if seen:
            found.sort(key=lambda pair: pair[0])
        drafts = [draft for _, draft in found]
        if any("markdown_checkbox" in draft.basis for draft in drafts):
            drafts = [_beside(draft) if "markdown_bullet" in draft.basis else draft for draft in drafts]
        return drafts

    def _item(self, item: Item) -> Iterator[tuple[int, Draft]]:
        del self.around[item.depth :]
        box = _BOX.match(item.text)
        above = self.around[-1].checked if self.around else None
        text = plain(item.text[box.end() :] if box else item.text)
        checked = box[1] != " " if box else None
        self.around.append(_Around(text, above if checked is None else checked))
        if box is None and (_ODD_BOX.match(item.text) or not text or _CONTENTS.match(item.text)):
            if _ODD_BOX.match(item.text):
                self._odd(item.start)
            return
        if not text:
            return
        basis = "markdown_checkbox" if box else "markdown_bullet"
        if box is None and self._task_list(item.start, text):
            return
        yield self._draft(
            text,
            item.raw,
            (item.start, item.end),
            basis,
            checked,
            self._status(text, checked, above),
            more=item.more,
        )

    def _status(self, text: str, checked: bool | None, above: bool | None) -> Status:
        """Ticked is completed; a plain bullet is as the checkbox above it, or as its heading says."""
        if checked is not None:
            return "completed" if checked else "planned"
        if _STRUCK.match(text):
            return "unknown"
        done = above or any(heading.strip(" :").lower() in _DONE for _, heading in self.headings)
        return "completed" if done else "planned"

    def _paragraph(self, paragraph: Paragraph) -> Iterator[tuple[int, Draft]]:
        self.around.clear()
        task: list[str] = []
        first = last = 0
        for number, line in paragraph.lines:
            if _TASK.match(line):
                if task:
                    yield self._line(task, first, last)
                task, first, last = [line], number, number
            elif self._task_list(number, line):
                continue
            elif _TASK_LIKE.match(line) and not (task and not _ODD_BOX.match(line)):
                self._odd(number)
            elif task:
                task.append(line)
                last = number
        if task:
            yield self._line(task, first, last)

    def _line(self, lines: list[str], first: int, last: int) -> tuple[int, Draft]:
        text = plain(" ".join(lines)[: 2 * MAX_STATEMENT])
        return self._draft(text, "\n".join(lines), (first, last), "task_line", None, "planned")

    def _task_list(self, number: int, line: str) -> bool:
        """`Subtasks: T002, T003` names tasks; those that the file does not describe elsewhere are kept."""
        match = _TASK_LIST.match(line)
        if match is None:
            return False
        for name in _TASK_ID.findall(match[1]):
            draft = self._draft(name, line, (number, number), "task_list", None, "planned")[1]
            self.listed.append((number, draft))
        return True

    def _row(self, row: Row) -> Iterator[tuple[int, Draft]]:
        self.around.clear()
        table = self.table
        if row.line != table.line + 1:
            table.header = table.row = ()
        if all(_RULE.match(cell) for cell in row.cells):
            table.header = tuple(cell.lower() for cell in table.row)
        table.row, table.line = row.cells, row.line
        place = next((index for index, cell in enumerate(row.cells) if _TASK_CELL.match(cell)), None)
        if place is None:
            if any(_ODD_BOX.match(cell) for cell in row.cells):
                self._odd(row.line)
            return
        match = _TASK_CELL.match(row.cells[place])
        cells = {
            (table.header[index] if index < len(table.header) else str(index + 1)) or str(index + 1): cell
            for index, cell in enumerate(row.cells)
            if index != place
        }
        title = next((cell for name, cell in cells.items() if name in _TITLES and cell), None)
        title = title or next((cell for cell in row.cells[place + 1 :] if cell), "")
        text = plain(f"{match[1] if match else ''} {title}")
        boxed = next((box for cell in row.cells if (box := _BOX.match(cell))), None)
        state = next((cell.lower() for name, cell in cells.items() if name in _STATES), "")
        ticked = boxed[1] != " " if boxed else None
        status: Status = "completed" if ticked or state in _DONE else "planned"
        owner = next((cell.lstrip("@") for name, cell in cells.items() if name in _OWNERS and cell), None)
        yield self._draft(
            text, row.raw, (row.line, row.line), "markdown_table", ticked, status,
            more=" ".join(cells.values()), owner=owner, extra={"columns": cells},
        )  # fmt: skip

    def _odd(self, line: int) -> None:
        self.notes.add("task_like_line", "looks like a task and has no known shape", line)

    def _draft(
        self,
        text: str,
        raw: str,
        lines: tuple[int, int],
        basis: str,
        checked: bool | None,
        status: Status,
        *,
        more: str = "",
        owner: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> tuple[int, Draft]:
        text = self._bounded(text, lines[0])
        match = _LEADING.match(text)
        explicit = match[1] if match else next(iter(_EXPLICIT.findall(text)), None)
        if explicit and basis != "task_list":
            self.named.add(explicit)
        headings = tuple(heading for _, heading in self.headings)
        holders = [held.text for held in self.around[:-1] if held.text] if basis in _IN_LISTS else []
        done, about = action_and_object(text)
        found = mentions(f"{text} {more}" if more else text)
        confidence = 0.57 if done == "unknown" else 0.90
        metadata: dict[str, Any] = {
            "checked": checked,
            "headingPath": list(headings),
            "explicitId": explicit,
            "parent": holders[-1] if holders else None,
        }
        bases = ("heading_context",) if headings else ()
        draft = Draft(
            kind="todo_item",
            text=text,
            object=about,
            action=done,
            cls="plan",
            status=status,
            confidence=confidence - 0.2 if basis == "markdown_bullet" else confidence,
            basis=("heuristic_action_dictionary", basis, *bases),
            trail=(*headings, *holders),
            lines=lines,
            actor=owner or _owner(text),
            modality="required",
            polarity=polarity(text),
            paths=resolved(found, self.tree, self.path.rpartition("/")[0], headings),
            symbols=found.symbols,
            tickets=found.tickets,
            versions=found.versions,
            excerpt=shortened(raw, MAX_EXCERPT),
            metadata=metadata | (extra or {}),
        )
        return lines[0], draft

    def _bounded(self, text: str, line: int) -> str:
        if len(text) <= MAX_STATEMENT:
            return text
        self.notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", line)
        return shortened(text, MAX_STATEMENT)


def _beside(draft: Draft) -> Draft:
    """A plain bullet of a file that has checkboxes: more often a remark than a plan."""
    return msgspec.structs.replace(draft, basis=(*draft.basis, "beside_checkboxes"))


def _owner(text: str) -> str | None:
    if "@" not in text and ":" not in text and "=" not in text:
        return None
    prose = blanked(text)
    match = _OWNER.search(prose) or _HANDLE.search(prose)
    return match[1].rstrip(".-") if match else None
