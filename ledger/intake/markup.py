"""The blocks of a Markdown file, as far as headings and lists go: one pass, linear time.

Every extractor of list-like files reads through here, so that two readings of one file cannot differ.
Taken from CommonMark: fences, comments, ATX and setext headings, lazy continuation lines. Wider than
CommonMark, because authors are: `##Heading` without a space (from two signs on), and any indentation of two
columns or more nests an item.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from msgspec import Struct

from t2c.ledger.intake.base import MAX_EXCERPT, shortened
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes

__all__ = ["MAX_DEPTH", "MAX_STATEMENT", "Block", "Code", "Heading", "Item", "Paragraph", "Row", "blocks"]

MAX_STATEMENT: Final = 4000
"""Characters of one statement; what is longer is cut and noted as `statement_truncated`."""
MAX_DEPTH: Final = 16
"""Levels of list nesting; deeper items are read as lying on the last, and noted as `nesting_capped`."""
_FRONT_MATTER: Final = 100
"""Lines within which front matter must end."""
_PARAGRAPH: Final = 1000
"""Lines after which a paragraph is handed over, so that memory stays bounded."""


class Heading(NamedTuple):
    """A heading of level 1 to 6 (setext: 1 and 2)."""

    level: int
    text: str
    line: int


class Row(NamedTuple):
    """One line of a table, the delimiter row included."""

    cells: tuple[str, ...]
    line: int
    raw: str


class Code(NamedTuple):
    """The start of fenced or indented code, whose lines are not read. One in an item comes before the item."""

    line: int


class Paragraph(NamedTuple):
    """Lines of running text with their numbers, white space at both ends gone."""

    lines: tuple[tuple[int, str], ...]


class Item(Struct):
    """A list item: its first paragraph, joined with single spaces, and where that stands.

    `depth` counts the items around it, from 0. `more` is the text of its further paragraphs, which is about
    the same thing without being the statement. `raw` is the source of the first paragraph.
    """

    depth: int
    text: str
    raw: str
    start: int
    end: int
    more: str = ""


Block = Heading | Item | Row | Paragraph | Code

_ITEM: Final = re.compile(r"(?:[-*+]|(\d{1,9})[.)])(?:[ \t]++(.*)|$)", re.DOTALL)
_DEFINITION: Final = re.compile(r"\[(?![ xX]?\])[^\[\]]{1,200}\]:(?:\s|$)")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_KEY: Final = re.compile(r"[A-Za-z_][\w -]*+:(?:\s|$)")


def blocks(lines: Iterable[str], notes: Notes) -> Iterator[Block]:
    """The headings, list items, table rows, paragraphs and places of code of a file, in order.

    What code holds, comments, link definitions and front matter yield nothing. A fence or comment
    that never ends is noted, for it hides the rest of the file; so are statements and excerpts cut short.
    """
    reader = _Reader(notes)
    done = reader.done
    for number, line in _after_front_matter(lines):
        reader.feed(number, line)
        if done:
            yield from done
            done.clear()
    reader.finish()
    yield from done


def _after_front_matter(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    numbered = enumerate(lines, 1)
    head = list(itertools.islice(numbered, 1))
    if head and head[0][1].rstrip() == "---":
        for number, line in itertools.islice(numbered, _FRONT_MATTER):
            head.append((number, line))
            if number == 2 and not _KEY.match(line):
                break
            if line.rstrip() in ("---", "..."):
                head.clear()
                break
    return itertools.chain(head, numbered)


class _Reader:
    """Takes lines in order; closed blocks appear in `done`. After the last line, `finish` closes the rest."""

    def __init__(self, notes: Notes) -> None:
        self.done: list[Block] = []
        self._notes = notes
        self._item: Item | None = None
        self._open = False  # the first paragraph of the item still takes lines
        self._indents: list[int] = []  # of the item and those around it
        self._ordered: list[bool] = []  # of the same items: numbered or not
        self._paragraph: list[tuple[int, str]] = []
        self._fence = ""  # empty while a comment hides the lines
        self._fence_floor = 0
        self._hidden_since = 0
        self._indented = False  # the line before was indented code

    def feed(self, number: int, line: str) -> None:
        body = line.strip()
        if self._hidden_since and self._still_hidden(line, body):
            return
        if not body:
            self._pause()
            return
        first = body[0]
        if self._indented and line[0] not in " \t":
            self._indented = False
        if first in "-*+" or first.isdigit():
            if not self._marker_line(number, line, body, first):
                self._text(number, line, body)
        elif first.isalpha() or not self._signed_line(number, line, body, first):
            self._text(number, line, body)

    def finish(self) -> None:
        if self._hidden_since:
            what = "fence" if self._fence else "comment"
            detail = f"a {what} opens here and never ends; the rest was not read"
            self._notes.add(f"unclosed_{what}", detail, self._hidden_since)
        self._close()

    def _still_hidden(self, line: str, body: str) -> bool:
        if not self._fence:
            if "-->" in body:
                self._hidden_since = 0
            return True
        if body.startswith(self._fence) and not body.strip(self._fence[0]):
            self._hidden_since = 0
            return True
        if body and _indent(line) < self._fence_floor:
            self._hidden_since = 0  # the item that holds the fence is over, and so is the fence
        return bool(self._hidden_since)

    def _signed_line(self, number: int, line: str, body: str, first: str) -> bool:
        """A line that begins with neither a letter nor a list marker: True if it is no running text."""
        match first:
            case "`" | "~" if _opens_fence(body):
                self._fence = body[: len(body) - len(body.lstrip(first))]
                inside = bool(self._indents) and _indent(line) > self._indents[-1]
                self._fence_floor = self._indents[-1] + 1 if inside else 0
                self._hidden_since = number
                self._pause()
                self.done.append(Code(number))
            case "#":
                return self._heading(number, line, body)
            case "<" if body.startswith("<!--"):
                self._pause()
                if "-->" not in body[4:]:
                    self._fence = ""
                    self._hidden_since = number
            case "<":
                return body[-1] == ">" and not self._open and not self._paragraph
            case "|" if body.count("|") > 1:
                self._close()
                cells = _CELL_END.split(body[1:-1] if body[-1] == "|" else body[1:])
                self.done.append(Row(tuple(cell.strip() for cell in cells), number, line))
            case "[" if _DEFINITION.match(body):
                self._pause()
            case "=" if self._paragraph and len(body) > 1 and not body.strip("="):
                self._setext(1)
            case "_" if body.count("_") > 2 and _is_rule(body, first):
                self._close()
            case _:
                return False
        return True

    def _heading(self, number: int, line: str, body: str) -> bool:
        text = body.lstrip("#")
        level = len(body) - len(text)
        spaced = text[:1] in ("", " ", "\t")
        indent = _indent(line)
        inside = indent > 3 or (self._indents and indent >= self._indents[-1] + 2)
        if level > 6 or inside or not (spaced or level > 1):
            return False
        bare = text.rstrip("#")
        self._close()
        self.done.append(
            Heading(
                level, plain(shortened(bare if bare[-1:] in ("", " ", "\t") else text, MAX_STATEMENT)), number
            )
        )
        return True

    def _setext(self, level: int) -> None:
        text = shortened(" ".join(part for _, part in self._paragraph), MAX_STATEMENT)
        line = self._paragraph[0][0]
        self._paragraph = []
        self._close()
        self.done.append(Heading(level, plain(text), line))

    def _marker_line(self, number: int, line: str, body: str, first: str) -> bool:
        """A line that may begin with a list marker: True if it is an underline, a rule or an item."""
        if first in "-*" and body[1:3].strip(" \t") in (first, first * 2, "") and _is_rule(body, first):
            if first == "-" and self._paragraph and " " not in body and "\t" not in body:
                self._setext(2)
                return True
            if body.count(first) > 2:
                self._close()
                return True
        if body[1:2] == " " and not first.isdigit():
            ordinal, text = None, body[2:].lstrip()
        else:
            match = _ITEM.match(body)
            if match is None:
                return False
            ordinal, text = match[1], match[2] or ""
            if ordinal and ordinal != "1" and not any(self._ordered) and (self._open or self._paragraph):
                return False
        indent = _indent(line) if line[0] in " \t" else 0
        if indent > 3 and not self._indents and text[:1] != "[":
            return False
        self._end_block()
        self._nest(indent, ordinal is not None, number)
        depth = len(self._indents) - 1
        self._item = Item(depth, text[: MAX_STATEMENT + 1], line[: MAX_EXCERPT + 1], number, number)
        self._open = True
        return True

    def _nest(self, indent: int, ordered: bool, number: int) -> None:
        indents = self._indents
        while indents and indent < indents[-1] + 2:
            indents.pop()
        if len(indents) >= MAX_DEPTH:
            self._notes.add("nesting_capped", f"lists nested deeper than {MAX_DEPTH} levels", number)
            indents.pop()
        indents.append(indent)
        del self._ordered[len(indents) - 1 :]
        self._ordered.append(ordered)

    def _text(self, number: int, line: str, body: str) -> None:
        item = self._item
        if item is not None and self._open:
            item.end = number
            if len(item.text) <= MAX_STATEMENT:
                item.text = f"{item.text} {body[:MAX_STATEMENT]}" if item.text else body[: MAX_STATEMENT + 1]
            if len(item.raw) <= MAX_EXCERPT:
                item.raw = f"{item.raw}\n{line[:MAX_EXCERPT]}"
            return
        if item is not None:
            beyond = _indent(line) - self._indents[-1]
            if beyond >= 2:
                if beyond < 6 and len(item.more) < MAX_STATEMENT:  # from six on it is code
                    item.more = shortened(f"{item.more} {body}", MAX_STATEMENT)
                return
        if not self._paragraph:
            if item is None and _indent(line) > 3:
                if not self._indented:
                    self._indented = True
                    self.done.append(Code(number))
                return
            self._close()
        self._paragraph.append((number, body))
        if len(self._paragraph) >= _PARAGRAPH:
            self._end_block()

    def _pause(self) -> None:
        """A blank line, or something that ends a paragraph but not the item around it."""
        self._open = False
        if self._paragraph:
            self._end_block()

    def _end_block(self) -> None:
        item = self._item
        if item is not None:
            if len(item.text) > MAX_STATEMENT:
                item.text = shortened(item.text, MAX_STATEMENT)
                self._notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", item.start)
            if len(item.raw) > MAX_EXCERPT:
                item.raw = shortened(item.raw, MAX_EXCERPT)
                self._notes.add("excerpt_truncated", f"longer than {MAX_EXCERPT} characters", item.start)
            self.done.append(item)
            self._item = None
        elif self._paragraph:
            self.done.append(Paragraph(tuple(self._paragraph)))
            self._paragraph = []
        self._open = False

    def _close(self) -> None:
        """End the block and every list around it."""
        self._end_block()
        self._indents.clear()
        self._ordered.clear()


def _opens_fence(body: str) -> bool:
    return body.startswith("~~~") or (body.startswith("```") and "`" not in body.lstrip("`"))


def _is_rule(body: str, sign: str) -> bool:
    """True if a line consists of nothing but one sign, two or more times, and white space."""
    return len(body) > 1 and not body.strip(sign + " \t")


def _indent(line: str) -> int:
    """Columns of white space at the start, with a tab stop at every fourth column."""
    rest = line.lstrip(" \t")
    lead = line[: len(line) - len(rest)]
    return len(lead.expandtabs(4)) if "\t" in lead else len(lead)
