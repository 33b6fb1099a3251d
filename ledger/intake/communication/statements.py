"""The statements of a message, a sentence each, with their kind, trail and lines."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.base import shortened
from t2c.ledger.intake.communication.names import MessageType, Role
from t2c.ledger.intake.communication.sections import section_type
from t2c.ledger.intake.inline import code_spans, plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT, Code, Heading, Item, Paragraph, Row, blocks

__all__ = ["Reader", "Said", "sentences"]

_BREAK: Final = re.compile(r"(?<=[.!?;])[\"'”’)\]*_]{0,3}\s+(?=[\"'„“(\[*_`]{0,3}[^\W_a-zà-öø-ÿąćęłńóśźż])")
_SHORT_FORM: Final = re.compile(
    r"(?<![\w.])(?:e\.g|i\.e|etc|vs|cf|no|nr|np|itp|itd|tzn|tj|m\.in|ok|por|str|dr|mr|mrs|ms|st|approx|(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(
    r"(?:none|brak|n/a|nothing|nic)[.!]?|[\W_]*|[#\s]*\d+(?:[.):_-]+\d+)*[.):_-]*", re.IGNORECASE
)
_BOX: Final = re.compile(r"\[[ xX]\]\s++")
_HEADER_FIELD: Final = re.compile(r"(?:\*\*|__)?[^\W\d_][\w /-]{0,40}(?:\*\*|__)?:(?:\*\*|__)?(?:\s|$)")
_PROJECTED: Final = re.compile(r"Message \d{1,15}\Z")
_SHORTEST: Final = 3


class Said(NamedTuple):
    """One statement. `trail` are the headings and items above it, `section` says that a heading gave the kind."""

    type: MessageType
    text: str
    raw: str
    lines: tuple[int, int]
    trail: tuple[str, ...]
    headings: tuple[str, ...]
    section: bool


class Reader(Struct):
    """One pass over the text of a file.

    `default` is the kind of what no heading gives one; None if only headings give kinds, so that other text is left out
    and noted. With a `role` headings of level 2 to 6 may give the kind of what stands below, sub-headings included.
    """

    notes: Notes
    role: Role
    default: MessageType | None
    sections: bool
    projected: bool = False
    headings: list[tuple[int, str, MessageType | None]] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    text_seen: bool = False

    def read(self, lines: Iterable[str]) -> Iterator[Said]:
        """All statements, in the order of the file."""
        for block in blocks(lines, self.notes):
            match block:
                case Heading():
                    self._heading(block)
                case Item():
                    yield from self._item(block)
                case Paragraph():
                    yield from self._paragraph(block)
                case Row():
                    self.text_seen = True
                    self.notes.add("table_not_read", "tables of a message are not read", block.line)
                case Code():
                    self.text_seen = True
                    self.notes.add("code_not_read", "code in a message is no statement", block.line)

    def _heading(self, heading: Heading) -> None:
        while self.headings and self.headings[-1][0] >= heading.level:
            self.headings.pop()
        kind = section_type(heading.text, self.role) if self.sections and heading.level > 1 else None
        if kind is None and self.headings:
            kind = self.headings[-1][2]
        self.headings.append((heading.level, heading.text, kind))
        self.around.clear()

    def _kind(self, text: str, line: int) -> tuple[MessageType, bool] | None:
        """The kind of a text and whether a heading gave it; None, with a note, if nothing says."""
        given = self.headings[-1][2] if self.headings else None
        if given is not None:
            return given, True
        if self.default is not None:
            return self.default, False
        if len(self.headings) > 1 or not _HEADER_FIELD.match(text):
            self.notes.add(
                "unclassified_section", "text under no heading that says what kind of statement it is", line
            )
        return None

    def _item(self, item: Item) -> Iterator[Said]:
        del self.around[item.depth :]
        box = _BOX.match(item.text)
        text = item.text[box.end() :] if box else item.text
        whole = plain(text)
        self.around.append(whole)
        if _says_nothing(whole):
            return
        holders = tuple(held for held in self.around[:-1] if held)
        yield from self._all(_lines_of(item, text), holders, item)

    def _paragraph(self, paragraph: Paragraph) -> Iterator[Said]:
        self.around.clear()
        yield from self._all(paragraph.lines, (), None)

    def _all(
        self, lines: Sequence[tuple[int, str]], holders: tuple[str, ...], item: Item | None
    ) -> Iterator[Said]:
        """The sentences of one block. An item of one sentence keeps its marker in the excerpt."""
        joined = " ".join(line for _, line in lines)
        if _says_nothing(joined):
            return
        self.text_seen = True
        kind = self._kind(joined, lines[0][0])
        if kind is None:
            return
        starts = [0, *itertools.accumulate(len(line) + 1 for _, line in lines[:-1])]
        for start, end in sentences(joined):
            raw = joined[start:end]
            text = plain(raw)
            if _says_nothing(text):
                continue
            first = lines[bisect_right(starts, start) - 1][0]
            last = lines[bisect_right(starts, end - 1) - 1][0]
            if item is not None and end - start == len(joined):
                raw, last = item.raw, item.end
            yield self._said(kind, text, raw, (first, last), holders)

    def _said(
        self,
        kind: tuple[MessageType, bool],
        text: str,
        raw: str,
        lines: tuple[int, int],
        holders: tuple[str, ...],
    ) -> Said:
        if len(text) > MAX_STATEMENT:
            self.notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", lines[0])
            text = shortened(text, MAX_STATEMENT)
        headings = tuple(
            heading for _, heading, _ in self.headings if not (self.projected and _PROJECTED.match(heading))
        )
        return Said(kind[0], text, raw, lines, (*headings, *holders), headings, kind[1])


def _lines_of(item: Item, text: str) -> Sequence[tuple[int, str]]:
    """The text of an item by its lines; all of it on the first if they cannot be told apart."""
    rest = [line.strip() for line in item.raw.split("\n")[1:]]
    tail = " ".join(rest)
    if not rest or len(rest) != item.end - item.start or not text.endswith(" " + tail):
        return [(item.start, text)]
    return [(item.start, text[: -len(tail) - 1]), *enumerate(rest, item.start + 1)]


def _says_nothing(text: str) -> bool:
    return len(text) < _SHORTEST or (len(text) < 40 and _NOTHING.fullmatch(text) is not None)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a running text begin and end. Nothing ends within code or after a short form."""
    spans = code_spans(text)
    begins = [start for start, _, _ in spans]
    start = 0
    for found in _BREAK.finditer(text):
        at = bisect_right(begins, found.start()) - 1
        if at >= 0 and found.start() < spans[at][1]:
            continue
        if _SHORT_FORM.search(text, max(start, found.start() - 12), found.start()):
            continue
        yield start, found.end() - _blank_tail(found[0])
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _blank_tail(text: str) -> int:
    return len(text) - len(text.rstrip())
