"""Tasks in the blocks of Markdown and what reads like it: boxes, bullets, `T001` lines, headings and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from t2c.ledger.intake.base import Draft, Tree
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT, Block, Code, Heading, Item, Paragraph, Row
from t2c.ledger.intake.tasks.draft import bounded, task
from t2c.ledger.intake.tasks.states import DONE, MARKS, State, state_of
from t2c.ledger.intake.vocabulary import words

__all__ = ["Tasks", "explicit_id"]

_BOX: Final = re.compile(r"\[([ xX/>!-])\](?:\s++|$)")
_ODD_BOX: Final = re.compile(r"\[.?\](?![(\[:])")
_TASK: Final = re.compile(r"(?:\*\*|`)?(T\d{3,})(?:\*\*|`)?(?::|\.|\s+[-–—])?\s+(?=\S)")
_TASK_CELL: Final = re.compile(r"[*`\[]{0,3}(T\d{3,}|(?:T2C|TASK|TODO)-\d+)[*`\]]{0,3}$")
_LISTED: Final = r"[*_]{0,2}(?:sub-?tasks?|tasks?|podzadania|zadania)\s*(?:\(\d+\)\s*)?(?::[*_]{0,2}|[*_]{0,2}:)\s*(`?T\d{3,}\b`?(?:(?:\s*,|\s*,?\s*(?:and|i|oraz|&))\s*`?T\d{3,}\b`?)*+)(?![-–—\w])"
_TASK_LIST: Final = re.compile(rf"{_LISTED}\s*\.?$", re.IGNORECASE)
_TASK_LIST_WITHIN: Final = re.compile(rf"(?<!\w){_LISTED}", re.IGNORECASE)
_ANOTHER: Final = re.compile(
    r"(?:\*\*|`)?T\d{3,}(?:\*\*|`)?(?::|\.|\s+[-–—])(?:\*\*|`)?\s|\[.?\](?![(\[:])|[-*+]\[.?\]|[•◦▪‣☐☑☒✓✔✅❌]"
)
"""A line that begins a task, although Markdown would have it go on with what the item above it says."""
_TASK_HEADING: Final = re.compile(
    r"(?:sub-?task\s+)?[*`\[]{0,3}(T\d{3,})[*`\]]{0,3}(?:\s*[-–—:.]{1,3}\s*|\s+)(\S.*)$", re.IGNORECASE
)
_LEADING: Final = re.compile(r"[*`\[]{0,3}(T\d{3,})\b")
_TASK_ID: Final = re.compile(r"\bT\d{3,}\b")
_EXPLICIT: Final = re.compile(r"[*_`~\[(]{0,4}((?:T2C|TASK|TODO)-\d+(?:\.\d+){0,3})(?![\w-])")
_TASK_LIKE: Final = re.compile(
    r"(?:[-*+•◦▪‣]\s*)?\[.?\](?![(\[:])|[•◦▪‣☐☑☒✓✔✅❌]|(?:TODO|FIXME)\b|\([A-Z]\) |x \d{4}-\d\d-\d\d |.*\bT\d{3,}\b"
)
_CONTENTS: Final = re.compile(r"\[[^\]]*\]\(#[^)]*\)$")
_DONE_MARK: Final = re.compile(r"^\[?DONE\]?[:\s—–-]\s*(?=\S)|(?<=\S)\s+[\[(—–-]?\s?DONE[\])]?\W*$")
"""A bullet that says itself that it is done; the mark is no part of what it says."""
_STRUCK: Final = re.compile(r"~~.+~~\W*$")
_RULE: Final = re.compile(r":?-+:?$")
_ORDINAL: Final = re.compile(r"#\d+\s+")
_PROPOSED: Final = re.compile(r"\[[ xX]\] .*\(`TPROP-[0-9a-f]{20}`\)$")
"""A task that `t2c todo apply` put there: what is nested in it says how it is done, and is no task of its own."""
_GROUNDS: Final = re.compile(r"(?:Dependencies|Conclusions|Diagnostics|Evidence records): ")
_IN_LISTS: Final = words("markdown_checkbox markdown_bullet")
_TITLES: Final = words("task title description summary what zadanie opis nazwa name")
_STATES: Final = words("status state done stan")
_OWNERS: Final = words("owner assignee właściciel who")
_PLANNED: Final = State("planned")


class _Around(Struct):
    """An item that holds others: what it says, and whether its nearest checkbox is ticked."""

    text: str
    checked: bool | None


class _Table(Struct):
    """The table that is being read: its header, once a rule below it says so, and where its last row was."""

    header: tuple[str, ...] = ()
    row: tuple[str, ...] = ()
    line: int = 0


class Tasks(Struct):
    """One pass over the blocks of one file.

    `above` begins the trail of every task. With `strict`, only boxes and headings with an id are tasks: the file
    is the record of one task in `state`, whose other lists are notes. `source` are the lines as they stand in the file,
    where the blocks come from lines that were put into Markdown.
    """

    path: str
    tree: Tree
    notes: Notes
    above: tuple[str, ...] = ()
    strict: bool = False
    source: Sequence[str] = ()
    state: State = State("planned")
    headings: list[tuple[int, str]] = field(default_factory=list)
    around: list[_Around] = field(default_factory=list)
    table: _Table = field(default_factory=_Table)
    named: set[str] = field(default_factory=set)
    listed: list[tuple[int, Draft]] = field(default_factory=list)

    def read(self, given: Iterable[Block]) -> list[Draft]:
        """The tasks in the order of the file."""
        found: list[tuple[int, Draft]] = []
        for block in _proposals_whole(given):
            match block:
                case Item():
                    found += self._item(block)
                case Heading():
                    self._heading(block)
                case Row():
                    found += self._row(block)
                case Paragraph():
                    found += self._paragraph(block)
                case Code():
                    pass
        seen: set[str] = set()
        for line, draft in self.listed:
            name = draft.metadata["explicitId"]
            if name not in self.named and name not in seen:
                seen.add(name)
                found.append((line, draft))
        if seen:
            found.sort(key=lambda pair: pair[0])
        drafts = [draft for _, draft in found]
        if any("markdown_checkbox" in draft.basis for draft in drafts):
            drafts = [_beside(draft) if "markdown_bullet" in draft.basis else draft for draft in drafts]
        return drafts

    def _heading(self, heading: Heading) -> None:
        """A heading is the trail of what follows; one that begins with an id is a task where no line has that id."""
        while self.headings and self.headings[-1][0] >= heading.level:
            self.headings.pop()
        match = _TASK_HEADING.match(heading.text)
        if match is not None:
            text, line = f"{match[1]} {match[2]}", heading.line
            draft = self._draft(text, heading.text, (line, line), "task_heading", None, self.state)[1]
            self.listed.append((line, draft))
        self.headings.append((heading.level, heading.text))

    def _item(self, item: Item) -> Iterator[tuple[int, Draft]]:
        rest = _parted(item) if item.end > item.start and not self.strict else None
        yield from self._one_item(item)
        if item.more and not self.strict:
            for match in _TASK_LIST_WITHIN.finditer(item.more):
                self._name(match[1], match[0], (item.start, item.end))
        if rest is not None:
            yield from self._paragraph(rest)

    def _one_item(self, item: Item) -> Iterator[tuple[int, Draft]]:
        del self.around[item.depth :]
        box = _BOX.match(item.text)
        above = self.around[-1].checked if self.around else None
        text = plain(item.text[box.end() :] if box else item.text)
        if self.strict:
            text = _ORDINAL.sub("", text, count=1) if text[:1] == "#" else text
        checked = box[1] in "xX" if box else None
        self.around.append(_Around(text, above if checked is None else checked))
        if box is None and (
            _ODD_BOX.match(item.text) or not text or self.strict or _CONTENTS.match(item.text)
        ):
            if _ODD_BOX.match(item.text):
                self._odd(item.start)
            return
        if not text:
            return
        basis = "markdown_checkbox" if box else "markdown_bullet"
        if box is None and self._task_list(item.start, text):
            return
        if box is not None:
            state = MARKS[box[1]]
        elif mark := _DONE_MARK.search(text):
            text = f"{text[: mark.start()]} {text[mark.end() :]}".strip()
            state = State("completed", "done")
        else:
            state = self._state(text, above)
        more = item.more if not self.strict else ""
        yield self._draft(text, item.raw, (item.start, item.end), basis, checked, state, more=more)

    def _state(self, text: str, above: bool | None) -> State:
        """A plain bullet is as the checkbox above it, or as its heading says."""
        if _STRUCK.match(text):
            return State("unknown")
        done = above or any(heading.strip(" :").lower() in DONE for _, heading in self.headings)
        return State("completed") if done else _PLANNED

    def _paragraph(self, paragraph: Paragraph) -> Iterator[tuple[int, Draft]]:
        self.around.clear()
        if self.strict:
            return
        held: list[str] = []
        first = last = 0
        for number, line in paragraph.lines:
            if _TASK.match(line):
                if held:
                    yield self._line(held, first, last)
                held, first, last = [line], number, number
            elif self._task_list(number, line):
                continue
            elif _TASK_LIKE.match(line) and not (held and not _ANOTHER.match(line)):
                self._odd(number)
            elif held:
                held.append(line)
                last = number
        if held:
            yield self._line(held, first, last)

    def _line(self, lines: list[str], first: int, last: int) -> tuple[int, Draft]:
        text = plain(" ".join(lines)[: 2 * MAX_STATEMENT])
        return self._draft(text, "\n".join(lines), (first, last), "task_line", None, _PLANNED)

    def _task_list(self, number: int, line: str) -> bool:
        """`Subtasks: T002, T003` names tasks; those that the file does not describe elsewhere are kept."""
        match = _TASK_LIST.match(line)
        if match is None:
            return False
        self._name(match[1], line, (number, number))
        return True

    def _name(self, names: str, raw: str, lines: tuple[int, int]) -> None:
        for name in _TASK_ID.findall(names):
            draft = self._draft(name, raw, lines, "task_list", None, _PLANNED)[1]
            self.listed.append((lines[0], draft))

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
        said = next((cell for name, cell in cells.items() if name in _STATES and not _BOX.match(cell)), "")
        ticked = boxed[1] in "xX" if boxed else None
        state = MARKS[boxed[1]] if boxed else state_of(plain(said))
        owner = next((cell.lstrip("@") for name, cell in cells.items() if name in _OWNERS and cell), None)
        yield self._draft(
            text, row.raw, (row.line, row.line), "markdown_table", ticked, state,
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
        state: State,
        *,
        more: str = "",
        owner: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> tuple[int, Draft]:
        text = bounded(text, lines[0], self.notes)
        explicit = explicit_id(text)
        if explicit and basis not in ("task_list", "task_heading"):
            self.named.add(explicit)
        draft = task(
            text,
            "\n".join(self.source[lines[0] - 1 : lines[1]]) if self.source else raw,
            lines,
            basis,
            state,
            place=(self.path, self.tree),
            headings=tuple(heading for _, heading in self.headings),
            holders=tuple(held.text for held in self.around[:-1] if held.text) if basis in _IN_LISTS else (),
            above=self.above,
            checked=checked,
            explicit=explicit,
            more=more,
            owner=owner,
            extra=extra,
        )
        return lines[0], draft


def _proposals_whole(given: Iterable[Block]) -> Iterator[Block]:
    """The blocks, in which a proposed task has what is nested in it as more of its text."""
    held: Item | None = None
    more: list[str] = []
    for block in given:
        if held is not None:
            if isinstance(block, Item) and block.depth > held.depth:
                if not _GROUNDS.match(block.text):
                    box = _BOX.match(block.text)
                    more += [block.text[box.end() :] if box else block.text, block.more]
                continue
            held.more = " ".join(part for part in (held.more, *more) if part)
            yield held
            held, more = None, []
        if isinstance(block, Item) and _PROPOSED.match(block.text):
            held = block
        else:
            yield block
    if held is not None:
        held.more = " ".join(part for part in (held.more, *more) if part)
        yield held


def explicit_id(text: str) -> str | None:
    """The id that a task bears itself: the one it begins with. Ids within its words are those of others."""
    match = _LEADING.match(text) or _EXPLICIT.match(text)
    return match[1] if match else None


def _parted(item: Item) -> Paragraph | None:
    """Cut an item before the first of its lines that is a task of its own; the lines from there on, if there is one."""
    lines = item.raw.split("\n")
    if len(lines) != item.end - item.start + 1:
        return None  # too long to be kept as a whole
    for index, line in enumerate(lines[1:], 1):
        body = line.strip()
        if _ANOTHER.match(body) or _TASK_LIST.match(body) or (line == body and _TASK.match(line)):
            rest = tuple((item.start + at, lines[at].strip()) for at in range(index, len(lines)))
            tail = " ".join(part for _, part in rest)
            if not item.text.endswith(tail):
                return None
            item.text = item.text[: -len(tail)].rstrip()
            item.raw, item.end = "\n".join(lines[:index]), item.start + index - 1
            return Paragraph(rest)
    return None


def _beside(draft: Draft) -> Draft:
    """A plain bullet of a file that has checkboxes: more often a remark than a plan."""
    return msgspec.structs.replace(draft, basis=(*draft.basis, "beside_checkboxes"))
