"""The blocks of a document, whatever markup it is written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct, field

__all__ = ["Block", "Code", "Document", "Heading", "Text"]


class Heading(NamedTuple):
    """A heading of level 1 to 6, as it is written."""

    level: int
    text: str
    line: int


class Text(Struct):
    """A paragraph, the first paragraph of a list item, or a table row, joined with single spaces.

    `lines` are its lines as they are written, `depth` the list items around it (the item itself not counted),
    `quoted` says that it stands in a block quote, `cells` are the columns of a row and `header` their names, `more`
    is the text of further paragraphs of an item where these are no blocks of their own.
    """

    kind: Literal["paragraph", "item", "row"]
    lines: tuple[str, ...]
    start: int
    end: int
    depth: int = 0
    quoted: bool = False
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    raw: str = ""
    more: str = ""

    @property
    def text(self) -> str:
        """The lines as one."""
        return " ".join(self.lines)


class Code(NamedTuple):
    """A block of code in a named language, or a directive that includes one (`includes` is then its argument)."""

    language: str
    lines: tuple[str, ...]
    start: int
    end: int
    includes: str | None = None


Block = Heading | Text | Code


class Document(Struct, frozen=True):
    """A document that was read: its front matter, its link definitions (by normalised label) and its blocks."""

    front: Mapping[str, str]
    references: Mapping[str, str]
    blocks: list[Block] = field(default_factory=list)
    markup: Literal["markdown", "rst"] = "markdown"
