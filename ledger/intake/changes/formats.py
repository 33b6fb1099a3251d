"""How a changelog is written: Markdown, reStructuredText or the outline of GNU's NEWS, and what is no changelog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from t2c.ledger.intake import markup, rst
from t2c.ledger.intake.base import MAX_EXCERPT, shortened
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import MAX_STATEMENT, Block, Heading, Item, Paragraph

__all__ = ["Format", "blocks_of", "format_of", "item_of", "unfit"]

Format = Literal["markdown", "rst", "outline", "text"]
"""`text` has no marks of either: titles, lists and paragraphs by indentation, which is how `rst` reads too."""

_HEAD: Final = 1 << 16
"""Bytes from the top that tell how a file without a telling name is written."""
_OUTLINE: Final = re.compile(r"^\* (?=.*\d\.\d)(?:.*\n){1,200}?\*\* \S", re.MULTILINE)
_MARKDOWN: Final = re.compile(r"^(?:#{1,6} ?\S|```|> |\[[^\]\n]{1,100}\]: )|\]\(", re.MULTILINE)
_STARS: Final = re.compile(r"(\*{1,6}) +(?=\S)")
_COMMIT_LOG: Final = re.compile(
    rb"\s*(?:#.*\n)*\d{4}-\d\d-\d\d[ \t]+[^\s\d<][^<\n]{0,100}<[^<>\s]{3,100}>[ \t]*\r?\n"
)
_PACKAGE_LOG: Final = re.compile(
    rb"\s*[a-z0-9][a-z0-9+.-]{1,100} \([^()\s]{1,100}\) [\w -]{1,100}; ?urgency="
)


def unfit(path: str, content: bytes) -> str | None:
    """Why a file of a changelog's name is none: a log of commits by day, or of a distribution's package."""
    if _COMMIT_LOG.match(content, 0, _HEAD):
        return "a log of commits by day tells of no releases"
    if _PACKAGE_LOG.match(content, 0, _HEAD):
        return "the log of a distribution's package is not read"
    return None


def format_of(path: str, content: bytes) -> Format:
    """By the ending of the name; without a telling one by the marks that the file begins with."""
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    if suffix in ("md", "markdown"):
        return "markdown"
    if suffix == "rst":
        return "rst"
    head = content[:_HEAD].decode("utf-8", "replace").replace("\r\n", "\n")
    if _OUTLINE.search(head):
        return "outline"
    if rst.looks_like_rst(head):
        return "rst"
    return "markdown" if _MARKDOWN.search(head) else "text"


def blocks_of(written: Format, lines: Iterable[str], notes: Notes) -> Iterator[Block]:
    """The blocks of a file that is written so."""
    if written in ("rst", "text"):
        return rst.blocks(lines, notes)
    if written == "outline":
        return _entries(markup.blocks(map(_headed, lines), notes), notes)
    return markup.blocks(lines, notes)


def _headed(line: str) -> str:
    """`* Changes in 1.2` and `** Bug fixes` at the margin are headings of an outline."""
    stars = _STARS.match(line)
    return "#" * len(stars[1]) + line[len(stars[1]) :] if stars else line


def _entries(blocks: Iterable[Block], notes: Notes) -> Iterator[Block]:
    """In an outline each paragraph below a category is an entry."""
    level = 0
    for block in blocks:
        if isinstance(block, Heading):
            level = block.level
        yield item_of(block, notes) if isinstance(block, Paragraph) and level > 1 else block


def item_of(paragraph: Paragraph, notes: Notes, more: str = "") -> Item:
    """A paragraph that is a statement of its own; what is cut short is noted, as in a list."""
    text = " ".join(line for _, line in paragraph.lines)
    raw = "\n".join(line for _, line in paragraph.lines)
    first, last = paragraph.lines[0][0], paragraph.lines[-1][0]
    if len(text) > MAX_STATEMENT:
        notes.add("statement_truncated", f"longer than {MAX_STATEMENT} characters", first)
    if len(raw) > MAX_EXCERPT:
        notes.add("excerpt_truncated", f"longer than {MAX_EXCERPT} characters", first)
    return Item(
        0,
        shortened(text, MAX_STATEMENT),
        shortened(raw, MAX_EXCERPT),
        first,
        last,
        shortened(more, MAX_STATEMENT),
    )
