"""The statements of a text and where each stands: headings above, items around, the line that leads a list in.

A piece of a list keeps the items around it in its trail. A line that ends in a colon and leads a list in is no
statement of its own: it stands in the trail of what it leads in, and lends it its duty ("The exporter must:").
What is not read (code, rules of tables, fragments) is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import Block, Code, Heading, Item, Paragraph, Row, blocks
from t2c.ledger.intake.nl.letter import STATED, framed
from t2c.ledger.intake.nl.sentences import Numbered, Sentence, sentences
from t2c.ledger.intake.text import action_and_object, modality

__all__ = ["Segment", "segments"]

_BOX: Final = re.compile(r"\[([ xX/!>~-])\]\s++")
_MARKER: Final = re.compile(r"\s*+(?:[-*+]|\d{1,9}[.)])(?:\s++|$)")
_RULE: Final = re.compile(r":?-+:?$")
_URL: Final = re.compile(r"<?\w++://\S++")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ID: Final = re.compile(r"[*`\[]{0,3}([A-Z]{1,10}-?\d{1,6}(?:\.\d{1,4})?)[*`\]]{0,3}$")
_STATED_HEADING: Final = re.compile(r"(?:requirement|wymaganie)\b[^:]{0,20}:\s*+(\S.*)$", re.IGNORECASE)
_DELTA: Final = re.compile(r"(added|modified|removed|renamed) requirements$", re.IGNORECASE)
_NEAR_DELTA: Final = re.compile(r"(add|new|modif|chang|remov|delet|renam)\w* requirements?$", re.IGNORECASE)
_NEAREST: Final = {
    "add": "ADDED", "new": "ADDED", "modif": "MODIFIED", "chang": "MODIFIED", "remov": "REMOVED", "delet": "REMOVED",
    "renam": "RENAMED",
}  # fmt: skip
_OUT: Final = re.compile(
    r"(?:out of scope|non-?goals?|not in scope|poza zakresem|nie (?:jest )?celem|wykluczenia)\b",
    re.IGNORECASE,
)
_BOLD: Final = re.compile(r"(\*\*|__)(?!\s)([^*_]{2,120}?):?\1:?$")
_LABEL_LEVEL: Final = 9
"""Level of a heading that is written as a bold line."""
_TITLE_WORDS: Final = 3
"""Words of the shortest title that may be a statement."""
_LABEL_WORDS: Final = 6
"""Words of a line that ends in a colon and names what follows it, list or not."""
_SHORTEST: Final = 3
"""Characters of the shortest statement (intent-evidence §1.4)."""


class Segment(Struct):
    """One statement: `text` as it reads, `raw` as it stands in the file, and its surroundings."""

    text: str
    raw: str
    lines: tuple[int, int]
    headings: tuple[str, ...]
    holders: tuple[str, ...]
    shape: str
    lead: str | None = None
    checked: bool | None = None
    explicit: str | None = None
    duty: bool = False
    out_of_scope: bool = False
    columns: dict[str, str] = field(default_factory=dict)


def segments(lines: Iterable[str], notes: Notes) -> Iterator[Segment]:
    """The statements of a text in its order."""
    frame = framed(list(lines), notes)
    for top in frame.fields:
        if top.name in STATED:
            columns = {other.name: other.text for other in frame.fields if other.name != top.name}
            yield Segment(plain(top.text), top.text, top.lines, (), (), "ticket_title", columns=columns)
            break
    reader = _Reader(frame.lines, notes, titled=bool(frame.fields))
    last: Block | None = None
    for block in blocks(frame.lines, notes):
        if last is not None:
            yield from reader.read(last, block)
        last = block
    if last is not None:
        yield from reader.read(last, None)


class _Reader(Struct):
    """One pass over the blocks of a text, each seen with the one after it."""

    source: list[str]
    notes: Notes
    headings: list[tuple[int, str]] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    leads: list[str | None] = field(default_factory=list)
    lead: str | None = None
    lender: str | None = None
    led: str = ""
    titled: bool = False
    header: tuple[str, ...] = ()
    row: int = 0

    def read(self, block: Block, after: Block | None) -> Iterator[Segment]:
        match block:
            case Item():
                yield from self._item(block, after)
                return
            case Heading():
                yield from self._heading(block, after)
            case Paragraph():
                self._leave_list()
                bold = _BOLD.match(block.lines[0][1]) if len(block.lines) == 1 else None
                if bold is None:
                    yield from self._paragraph(block, after)
                else:
                    label = Heading(_LABEL_LEVEL, plain(bold[2]), block.lines[0][0])
                    yield from self._heading(label, after)
                    self.lead = None
            case Row():
                yield from self._row(block, after)
            case Code():
                self.notes.add("code_not_read", "code is no statement of intent", block.line)
        if not isinstance(block, Paragraph | Code):
            self.lead = None
        if isinstance(block, Row):
            self.lender = None

    # --- headings -----------------------------------------------------------------------------------------

    def _heading(self, heading: Heading, after: Block | None) -> Iterator[Segment]:
        """A heading is the trail of what follows; one that binds ("Breaker SHALL open") is a statement too.

        One that leads a list in ("The agent may not") lends the list its duty instead.
        """
        self._leave_list()
        self.lender = None
        while self.headings and self.headings[-1][0] >= heading.level:
            self.headings.pop()
        stated = _STATED_HEADING.match(heading.text)
        title = not self.titled and heading.level == 1 and len(heading.text.split()) >= _TITLE_WORDS
        self.titled = True
        near = _NEAR_DELTA.match(heading.text)
        if near and not _DELTA.match(heading.text):
            meant = f"{_NEAREST[near[1].lower()]} Requirements"
            detail = f"the section {heading.text!r} is not known; near: {meant!r}"
            self.notes.add("unknown_section", detail, heading.line)
        duty = modality(heading.text)
        binds = stated is not None or duty == "required"
        done, about = action_and_object(heading.text)
        named = done != "unknown" and about != heading.text  # a verb, not a noun
        if isinstance(after, Item) and duty != "unknown" and not stated and _is_label(heading.text):
            self.lender = heading.text
        elif binds or (title and (named or duty != "unknown")):
            told = Sentence(stated[1] if stated else heading.text, (heading.line, heading.line))
            raw = self.source[heading.line - 1].strip()
            shape = "heading" if binds else "ticket_title"
            yield from self._say([told], shape, raw=raw, duty=stated is not None)
        self.headings.append((heading.level, heading.text))

    def _leave_list(self) -> None:
        self.around.clear()
        self.leads.clear()

    # --- items --------------------------------------------------------------------------------------------

    def _item(self, item: Item, after: Block | None) -> Iterator[Segment]:
        if not item.depth:
            self._leave_list()
            kind = "1" if self.source[item.start - 1].lstrip()[:1].isdigit() else "-"
            if self.lead is not None and self.led not in ("", kind):
                self.lead = None  # a list of another kind is another list
            self.led = kind
        del self.around[item.depth :], self.leads[item.depth :]
        box = _BOX.match(item.text)
        lines = self._lines_of(item, box)
        found = list(sentences(lines))
        text = plain(item.text[box.end() :] if box else item.text)
        nested = isinstance(after, Item) and after.depth > item.depth
        leading = found[-1].text if found and nested and found[-1].text.endswith(":") else None
        spoken = found[:-1] if leading is not None else found
        checked = box[1] in "xX" if box else None
        raw = item.raw if len(found) == 1 else None
        yield from self._say(spoken, "list_item", raw=raw, checked=checked)
        self.around.append(plain(leading) if leading and not spoken else text)
        self.leads.append(leading or self._lending())
        yield from self._more(item, after)

    def _lending(self) -> str | None:
        """What leads in the place that is being read: an item, a line above the list, or a heading."""
        return self.leads[-1] if self.leads else self.lead or self.lender

    def _lines_of(self, item: Item, box: re.Match[str] | None) -> list[Numbered]:
        """The first paragraph of an item, line by line; what was cut of it stays cut."""
        lines: list[Numbered] = []
        left = len(item.text)
        for number in range(item.start, item.end + 1):
            body = self.source[number - 1]
            body = _MARKER.sub("", body, count=1).strip() if number == item.start else body.strip()
            if number == item.start and box is not None:
                body = body[box.end() :]
            if left <= 0:
                break
            lines.append((number, body[:left]))
            left -= len(body) + 1
        return lines

    def _more(self, item: Item, after: Block | None) -> Iterator[Segment]:
        """The further paragraphs of an item, which are held by it."""
        if not item.more:
            return
        stop = _first_line(after) if after is not None else len(self.source) + 1
        held = range(item.end + 1, max(stop, item.end + 1))
        lines = [(number, body) for number in held if (body := self.source[number - 1].strip())]
        if " ".join(body for _, body in lines) != item.more.strip():
            lines = [(item.end, item.more.strip())]
        yield from self._say(sentences(lines), "list_item")

    # --- prose and tables ---------------------------------------------------------------------------------

    def _paragraph(self, paragraph: Paragraph, after: Block | None) -> Iterator[Segment]:
        found = list(sentences(paragraph.lines))
        last = found[-1].text if found else ""
        leads = last.rstrip("*_").endswith(":") and (
            isinstance(after, Item) or (isinstance(after, Paragraph) and _is_label(last))
        )
        under, self.lead, self.lender = (None if self.led else self.lead), None, None
        if under is not None:
            self.around.append(plain(under))
            self.leads.append(under)
        spoken = found[:-1] if leads else found
        yield from self._say(spoken, "prose")
        self._leave_list()
        if leads:
            self.lead, self.led = last, ""

    def _row(self, row: Row, after: Block | None) -> Iterator[Segment]:
        """The cell of a table row that says most; the others are its columns."""
        self._leave_list()
        if row.line != self.row + 1:
            self.header = ()
        self.row = row.line
        if all(_RULE.match(cell) for cell in row.cells):
            return
        if (
            isinstance(after, Row)
            and after.line == row.line + 1
            and all(_RULE.match(cell) for cell in after.cells)
        ):
            self.header = tuple(cell.lower() for cell in row.cells)
            return
        place = max(range(len(row.cells)), key=lambda index: (len(row.cells[index].split()), -index))
        if len(row.cells[place].split()) < 2:
            self.notes.add("table_row_not_read", "no cell of the row is a statement", row.line)
            return
        columns = {
            (self.header[index] if index < len(self.header) else "") or str(index + 1): cell
            for index, cell in enumerate(row.cells)
            if index != place
        }
        explicit = next((match[1] for cell in row.cells if (match := _ID.match(cell))), None)
        told = Sentence(row.cells[place], (row.line, row.line))
        yield from self._say([told], "table_row", raw=row.raw, columns=columns, explicit=explicit)

    # --- all ----------------------------------------------------------------------------------------------

    def _say(
        self,
        told: Iterable[Sentence],
        shape: str,
        *,
        raw: str | None = None,
        checked: bool | None = None,
        duty: bool = False,
        columns: dict[str, str] | None = None,
        explicit: str | None = None,
    ) -> Iterator[Segment]:
        headings = tuple(text for _, text in self.headings)
        above = (self.lead,) if self.lead and shape == "list_item" else ()
        holders = tuple(plain(text) for text in (*above, *self.around) if text)
        lead = self._lending() if shape in ("list_item", "prose") else None
        out = any(_OUT.match(text) for text in (*headings, *holders))
        for one in told:
            text = plain(one.text)
            if len(text) < _SHORTEST or len(_LETTER.findall(_URL.sub("", one.text))) < 2:
                self.notes.add("fragment", "too short to state anything", one.lines[0])
                continue
            yield Segment(
                text, raw or one.text, one.lines, headings, holders, shape, lead, checked, explicit, duty, out,
                columns or {},
            )  # fmt: skip


def _is_label(text: str) -> bool:
    return len(text.split()) <= _LABEL_WORDS


def _first_line(block: Block) -> int:
    match block:
        case Item():
            return block.start
        case Paragraph():
            return block.lines[0][0]
        case _:
            return block.line
