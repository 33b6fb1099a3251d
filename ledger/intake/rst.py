"""The blocks of a reStructuredText file in the shapes of `markup`: one pass, linear time.

Taken from docutils: sections by the order in which their adornments first appear, lists by indentation, literal
blocks, explicit markup, tables. Wider than docutils, because authors are: a list needs no blank line before it,
and an underline may be short. Inline markup is handed on as Markdown (`rst_inline`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from t2c.ledger.intake.base import MAX_EXCERPT, shortened
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import (
    MAX_DEPTH,
    MAX_STATEMENT,
    Block,
    Code,
    Heading,
    Item,
    Paragraph,
)
from t2c.ledger.intake.rst_inline import markdown_of
from t2c.ledger.intake.rst_tables import Grid, Simple, begins_grid, begins_simple
from t2c.ledger.intake.vocabulary import words

__all__ = ["blocks", "looks_like_rst"]

_SIGNS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_PARAGRAPH: Final = 1000
"""Lines after which a paragraph is handed over, so that memory stays bounded."""
_LEVELS: Final = 6
_TITLE: Final = 300
"""Characters of the longest line that may be a title."""
_RUBRIC: Final = 6
_ITEM: Final = re.compile(r"(?:([-*+•‣⁃])|\(?(?:\d{1,9}|#)[.)])(?:[ \t]++|$)")
_DIRECTIVE: Final = re.compile(r"\.\. (?:\|[^|]+\|\s+)?([\w.+-]+(?::[\w.+-]+)*+)::(?:\s+(.*))?$")
_FIELD: Final = re.compile(r":([^:`\s][^:`]{0,80}):(?:\s+(.*)|$)")
_CODE: Final = words(
    "code code-block sourcecode parsed-literal literalinclude math prompt ipython doctest testcode testoutput"
    " productionlist console graphviz digraph graph plantuml mermaid uml jupyter-execute command-output"
)
_SKIPPED: Final = words(
    "image figure contents toctree raw highlight meta tabularcolumns index default-role role replace unicode date"
    " automodule autoclass autofunction automethod autodata autoexception autosummary program sectnum currentmodule"
    " module target-notes sectionauthor codeauthor class title header footer py:module py:currentmodule restructuredtext"
)
_TABLES: Final = words("list-table csv-table table flat-table")
_VERSIONED: Final = words("versionadded versionchanged deprecated versionremoved")
_VERSION: Final = re.compile(r"[vV]?[\w.-]+\s*")
_UNMARKED: Final = re.compile(r"^(?:\.\. [\w|:_-]|.*:[\w+.-]{1,30}:`|([~^'\"*+`#])\1{3,}\s*$)", re.MULTILINE)


def looks_like_rst(text: str) -> bool:
    """True if the beginning of a file without a telling name has marks that Markdown does not know."""
    return _UNMARKED.search(text) is not None


def blocks(lines: Iterable[str], notes: Notes) -> Iterator[Block]:
    """The headings, list items, table rows, paragraphs and places of code of a file, in order.

    Headings have the level of their style's first appearance, at most 6. What code holds, comments, targets and
    substitutions yield nothing; an included file and a table written as a directive are noted, for they hold text.
    """
    reader = _Reader(notes)
    done = reader.done
    for number, line in enumerate(lines, 1):
        reader.feed(number, line.rstrip())
        if done:
            yield from done
            done.clear()
    reader.finish()
    yield from done


class _Reader:
    """The state between two lines: the open block, the lists around it, and what is being skipped."""

    def __init__(self, notes: Notes) -> None:
        self.done: list[Block] = []
        self._notes = notes
        self._styles: dict[tuple[str, bool], int] = {}
        self._paragraph: list[tuple[int, str]] = []
        self._margin = 0  # columns before the first line of the paragraph
        self._over: str | None = None  # the line above, if it may be an overline
        self._item: Item | None = None
        self._open = False
        self._column = 0  # where the text of the item begins
        self._indents: list[int] = []
        self._hidden: int | None = None  # lines indented deeper than this are skipped
        self._literal: int | None = None  # likewise, if the next line is
        self._options = False  # options of a directive may follow
        self._table: Grid | Simple | None = None

    def feed(self, number: int, line: str) -> None:
        body = line.lstrip()
        if self._table is not None and self._tabled(number, line):
            return
        if not body:
            self._pause()
            return
        indent = len(line) - len(body)
        if "\t" in line[:indent]:
            indent = len(line[:indent].expandtabs(8))
        if self._skips(indent, number):
            return
        first = body[0]
        telling = first in _SIGNS or first.isdigit() or first in "•‣⁃"
        if telling and self._signed(number, line, body, indent):
            return
        self._options = False
        self._text(number, line, body, indent)

    def finish(self) -> None:
        if self._table is not None:
            self.done += self._table.finish()
        self._close()

    def _tabled(self, number: int, line: str) -> bool:
        """True if the line belongs to the table that is being read."""
        table = self._table
        inside = table is not None and table.feed(number, line)
        if table is not None:
            self.done += table.done
            table.done.clear()
        if not inside:
            self._table = None
        return inside

    def _skips(self, indent: int, number: int) -> bool:
        if self._hidden is not None:
            if indent > self._hidden:
                return True
            self._hidden = None
        if self._literal is not None and not self._open and not self._paragraph:
            base, self._literal = self._literal, None
            if indent > base:
                self._hidden = base
                self.done.append(Code(number))
                return True
        return False

    def _signed(self, number: int, line: str, body: str, indent: int) -> bool:
        """A line that begins with no letter: True if it is no running text."""
        first = body[0]
        if first == "." and (body == ".." or body.startswith((".. ", "..\t"))):
            self._explicit(number, body, indent)
            return True
        if first in _SIGNS and len(body) > 1 and body == first * len(body) and indent == 0:
            return self._adornment(number, body)
        if first == "+" and begins_grid(body):
            self._close_to(indent)
            self._table = Grid(number, line)
            return True
        if first == "=" and begins_simple(body):
            self._close_to(indent)
            self._table = Simple(number, line)
            return True
        if first == ">" and body.startswith(">>> ") and not self._paragraph and not self._open:
            self.done.append(Code(number))
            self._hidden = indent - 1 if indent else None
            return True
        if first == ":" and (field := _FIELD.match(body)):
            if self._options:
                return True
            self._pause_paragraph()
            if field[2]:
                self._text(number, line, f"{field[1]}: {field[2]}", indent)
            return True
        match = _ITEM.match(body)
        if match is None:
            return False
        wraps = self._paragraph or (self._item is not None and self._open and not self._numbered(self._item))
        if wraps and match[1] is None and not body.startswith(("1.", "1)", "#.")):
            return False
        self._begin_item(number, line, body[match.end() :], indent, indent + match.end())
        return True

    def _explicit(self, number: int, body: str, indent: int) -> None:
        """A directive, or else a comment, a target, a footnote: those say nothing."""
        self._pause()
        directive = _DIRECTIVE.match(body)
        if indent == 0 and (directive is None or self._item is None):
            self._close()
        if directive is None:
            self._hidden = indent
            return
        name, argument = directive[1].lower(), (directive[2] or "").strip()
        if name in _CODE:
            self.done.append(Code(number))
        elif name in _TABLES:
            self._notes.add("table_not_read", "a table written as a directive", number)
        elif name == "include":
            self._notes.add("include_not_read", "another file is included here", number)
        elif name == "rubric":
            self._close()
            self.done.append(Heading(_RUBRIC, plain(markdown_of(shortened(argument, MAX_STATEMENT))), number))
        elif name not in _SKIPPED and "|" not in body[:4]:
            # The content of an admonition or of a described object is text like any other.
            self._options = True
            if name in _VERSIONED:
                match = _VERSION.match(argument)
                argument = argument[match.end() :] if match else argument
            if argument and ":" not in name:
                self._text(number, body, argument, indent + 3)
            return
        self._hidden = indent

    def _adornment(self, number: int, body: str) -> bool:
        """A line of one sign: an underline, the line over a title, or a transition."""
        title = self._title_above(body)
        if title is not None:
            line, text = title
            style = (body[0], self._over is not None and self._over[0] == body[0])
            level = self._styles.setdefault(style, len(self._styles) + 1)
            self._item, self._open, self._paragraph, self._over = None, False, [], None
            self._close()
            self.done.append(
                Heading(min(level, _LEVELS), plain(markdown_of(shortened(text, MAX_STATEMENT))), line)
            )
            return True
        if len(body) < 3 or body in ("...", "::") or (self._paragraph and len(body) < 4):
            return False
        self._close()
        self._over = body
        return True

    def _title_above(self, body: str) -> tuple[int, str] | None:
        """The one line above that an adornment makes a title."""
        item = self._item
        if self._paragraph:
            if len(self._paragraph) > 1 or (self._margin and self._over is None):
                return None
            number, text = self._paragraph[0]
        elif item is not None and self._open and item.start == item.end and self._numbered(item):
            number, text = item.start, item.raw
        else:
            return None
        return (number, text) if len(text) <= _TITLE and len(body) >= min(len(text), 3) else None

    @staticmethod
    def _numbered(item: Item) -> bool:
        return item.raw.lstrip()[0] in "(0123456789#"

    def _begin_item(self, number: int, line: str, text: str, indent: int, column: int) -> None:
        self._end_block()
        self._over, self._options = None, False
        indents = self._indents
        while indents and indent < indents[-1] + 2:
            indents.pop()
        if len(indents) >= MAX_DEPTH:
            self._notes.add("nesting_capped", f"lists nested deeper than {MAX_DEPTH} levels", number)
            indents.pop()
        indents.append(indent)
        self._item = Item(
            len(indents) - 1, text[: MAX_STATEMENT + 1], line[: MAX_EXCERPT + 1], number, number
        )
        self._open, self._column = True, column

    def _text(self, number: int, line: str, body: str, indent: int) -> None:
        item = self._item
        if item is not None and indent > self._indents[-1]:
            if self._open:
                item.end = number
                if len(item.text) <= MAX_STATEMENT:
                    item.text = (
                        f"{item.text} {body[:MAX_STATEMENT]}" if item.text else body[: MAX_STATEMENT + 1]
                    )
                if len(item.raw) <= MAX_EXCERPT:
                    item.raw = f"{item.raw}\n{line[:MAX_EXCERPT]}"
            else:
                if len(item.more) < MAX_STATEMENT:
                    item.more = shortened(f"{item.more} {body}", MAX_STATEMENT)
                if body.endswith("::"):
                    self._literal = indent
            return
        if not self._paragraph:
            self._close_to(indent)
            self._margin = indent
        elif indent != self._margin:
            self._end_block()
            self._margin = indent
        self._paragraph.append((number, body.removeprefix("| ")))
        if len(self._paragraph) >= _PARAGRAPH:
            self._end_block()

    def _pause(self) -> None:
        """A blank line: it ends a paragraph but not the item around it."""
        if self._item is not None and self._open and self._item.text.endswith("::"):
            self._literal = self._column
        self._open = self._options = False
        self._pause_paragraph()

    def _pause_paragraph(self) -> None:
        self._over = None
        if self._paragraph:
            self._end_block()

    def _end_block(self) -> None:
        item = self._item
        if item is not None:
            if len(item.text) > MAX_STATEMENT:
                self._notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", item.start)
            if len(item.raw) > MAX_EXCERPT:
                item.raw = shortened(item.raw, MAX_EXCERPT)
                self._notes.add("excerpt_truncated", f"longer than {MAX_EXCERPT} characters", item.start)
            item.text = shortened(markdown_of(_without_colons(item.text)), MAX_STATEMENT)
            if item.more:
                item.more = markdown_of(item.more)
            self.done.append(item)
            self._item = None
        elif self._paragraph:
            last, text = self._paragraph[-1]
            if text.endswith("::"):
                self._literal = self._margin
                self._paragraph[-1] = (last, _without_colons(text))
            told = tuple((number, markdown_of(line).strip()) for number, line in self._paragraph)
            if said := tuple(pair for pair in told if pair[1]):
                self.done.append(Paragraph(said))
            self._paragraph = []
        self._open = False

    def _close_to(self, indent: int) -> None:
        """End the block, and the lists that something at this indentation cannot be part of."""
        self._end_block()
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()

    def _close(self) -> None:
        self._end_block()
        self._over = None
        self._indents.clear()


def _without_colons(text: str) -> str:
    """The text without the sign that a literal block follows: `such as::` says `such as:`."""
    if not text.endswith("::"):
        return text
    bare = text[:-2]
    return bare.rstrip() if not bare or bare[-1].isspace() else bare + ":"
