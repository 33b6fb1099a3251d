"""What stands around definitions: line numbers, comments, decorators, and which of them belong to what."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.code.outline import Comment, Found, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, Traits

if TYPE_CHECKING:
    from tree_sitter import Node

    from t2c.ledger.intake.code.outline import Definition

__all__ = ["NEAR", "Surroundings"]

NEAR: Final = 400
"""Bytes that may lie between a comment or a decorator and what it belongs to."""

_MAX_DOCSTRING: Final = 200
_COMMENT_HEAD: Final = 2000
_OPENING: Final = re.compile(r"(?:[rRuUbBfF]{1,2}|~[sS])?(\"\"\"|\'\'\'|[\"'])")
_GAP: Final = b" \t\r\n\f"
_WORDS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ \t\f"


class Surroundings:
    """The text between definitions, told in its order: what was seen last decides what belongs to the next."""

    def __init__(self, traits: Traits, syntax: Syntax) -> None:
        self.traits = traits
        self.text = syntax.text
        self.syntax = syntax
        self.newlines = _newlines(syntax.text)
        self.decorators: list[tuple[int, int, str, tuple[int, int] | None]] = []
        self.block: tuple[int, int] | None = None
        self.above: tuple[tuple[int, int] | None, int] = (None, 0)

    def slice(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.text[start:end].decode("utf-8", "replace")

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_left(self.newlines, offset) + 1

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """First and last line; white space at the end is not counted."""
        text = self.text
        while end > start + 1 and text[end - 1] in _GAP:
            end -= 1
        return self.line(start), self.line(end - 1)

    def lead(self, start: int) -> int:
        """Where the words before a definition on its line start: `export`, `pub`, `static`."""
        line = self.text.rfind(b"\n", max(0, start - NEAR), start) + 1
        before = self.text[line:start]
        if not line and start > NEAR:
            return start  # no line's end is near
        return start - len(before[len(before.rstrip(_WORDS)) :].lstrip())

    def decorator(self, start: int, end: int, top: Definition | None) -> None:
        """Give a decorator to the definition whose header it stands in, or keep it for the next."""
        name = self.traits.decorator(self.slice(start, min(end, start + NEAR)))[:MAX_NAME]
        if not name:
            return
        if top is not None and top.start <= start < top.header_end:
            top.decorators += (name,)
        else:
            self.decorators.append((start, end, name, self.block))

    def pending(self, lead: int) -> tuple[str, ...]:
        """The decorators right above, and their place for the comment that is above them."""
        pending, self.decorators = self.decorators, []
        names: list[str] = []
        anchor, block = lead, self.block
        for start, end, name, before in reversed(pending):
            gap = self.text[end:anchor] if anchor - end < NEAR else b";"
            if block is not None and end <= block[0] and block[1] <= anchor and anchor - end < NEAR:
                gap = self.text[end : block[0]] + self.text[block[1] : anchor]
            if gap.strip():
                break
            names.append(name)
            anchor, block = start, before
        self.above = block, anchor
        return tuple(reversed(names))

    def comment(self, start: int, end: int) -> None:
        """Note a comment; comments on lines that follow each other are one block."""
        text = self.text
        self.syntax.comments.append(Comment(start, end, *self.lines(start, end)))
        if text[text.rfind(b"\n", max(0, start - NEAR), start) + 1 : start][-NEAR:].strip():
            self.block = None
        elif self.block and start - self.block[1] < NEAR and self._is_next(self.block[1], start):
            self.block = (self.block[0], end)
        else:
            self.block = (start, end)

    def _is_next(self, end: int, start: int) -> bool:
        """True if only white space and at most one line's end lie between."""
        gap = self.text[end:start]
        ended = self.text[end - 1 : end] == b"\n"
        return not gap.strip() and gap.count(b"\n") + ended <= 1

    def comment_above(self, found: Found) -> str | None:
        """What the block right above a definition, or right above its decorators, says in its first line."""
        for block, place in (self.above, (self.block, found.lead)):
            if block is not None and 0 <= place - block[1] < NEAR and self._is_next(block[1], place):
                start, end = block
                return self._first_line(self.slice(start, min(end, start + _COMMENT_HEAD)))
        return None

    def _first_line(self, text: str) -> str | None:
        """The first line that says something to people."""
        marks, directives = self.traits.comment_marks, self.traits.directives
        for line in text.splitlines():
            said = marks.sub("", line)
            if said and not directives.match(said):
                return said[:_MAX_DOCSTRING]
        return None

    def string(self, node: Node) -> str | None:
        """What a string that documents something says in its first line."""
        start, end = node.start_byte, node.end_byte
        self.syntax.docstrings.append(Comment(start, end, *self.lines(start, end)))
        written = self.slice(start, min(end, start + _COMMENT_HEAD))
        opening = _OPENING.match(written)
        said = written if opening is None else written[opening.end() :]
        first = next((line.strip() for line in said.splitlines() if line.strip()), "")
        if opening is not None and first.endswith(opening[1]):
            first = first.removesuffix(opening[1]).rstrip()
        return first[:_MAX_DOCSTRING] or None


def _newlines(text: bytes) -> list[int]:
    """The offsets of all line feeds, and of the end of the text."""
    return [end - 1 for end in accumulate(len(line) + 1 for line in text.split(b"\n"))]
