"""Markdown to blocks, by CommonMark with tables; nothing is rendered and inline markup stays as it is written.

Wider than CommonMark where authors are: `###Heading` without a space (from two signs on), and the notes of site
generators (`!!! note` with an indented body, `:::tip`, `{{% note %}}`), whose bodies are read like all text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from t2c.ledger.intake.docs.blocks import Block, Code, Document, Heading, Text
from t2c.ledger.intake.frontmatter import front_matter
from t2c.ledger.intake.lines import Notes

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["MAX_NESTING", "read_markdown"]

MAX_NESTING: Final = 40
"""Levels of quotes and lists within one another; what lies deeper is not read, and noted as `nesting_capped`."""
_REMARKS: Final = 20
"""Lines of remarks that may stand above the first field of front matter."""
_CLOSE_UP: Final = re.compile(r"( {0,3}#{2,6})(?=[^\W\d_])")
_NOTE: Final = re.compile(r"(?:!!!|\?\?\?\+?|===\+?) ?[\w\"]")
_FRAME: Final = re.compile(r":{3,}(?!\s*\S+:::)|\{%.*%\}$")
_INSERT: Final = re.compile(r"\{\{[%<][^{}]{0,300}[%>]\}\}")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")
_MODULE: Final = re.compile(r"(?:import|export)\s+[\w{*\"']")
_MARKUP: Final = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>|&\w+;", re.DOTALL)
_TITLE: Final = re.compile(
    r"<h([1-6])\b[^<>]*>(?P<text>[^<>]{1,300}(?:<[^<>]*>[^<>]{0,300}){0,8})</h\1>\Z", re.IGNORECASE
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    return parser.disable(["inline", "text_join"], True)


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """The fields of YAML front matter as texts, keys in lower case, and the number of its lines.

    Remarks above the first field, as templates have them, hide none.
    """
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    remarks = next((at for at, line in enumerate(lines[1:_REMARKS]) if line[:1] != "#" and line.strip()), 0)
    found = front_matter([lines[0], *lines[1 + remarks :]] if remarks else lines)
    if found is None:
        return {}, 0
    return {
        key: held.text or ", ".join(held.items) for key, held in found.fields.items()
    }, found.end + remarks


def read_markdown(lines: Iterable[str], notes: Notes, *, modules: bool = False) -> Document:
    """The blocks of a Markdown file, in its order. With `modules`, imports and exports (MDX) are no text."""
    written = list(lines)
    front, skipped = _front_matter(written)
    written[:skipped] = [""] * skipped
    environment: dict[str, Any] = {}
    tokens = _parser().parse("\n".join(_smoothed(written)), environment)
    blocks = _Walk(written, notes, modules).walk(tokens)
    references = environment.get("references") or {}
    hrefs = {label: str(found.get("href", "")) for label, found in references.items()}
    return Document(front, hrefs, blocks)


def _smoothed(lines: list[str]) -> Iterable[str]:
    """The lines with the dialects of authors and site generators turned into CommonMark, one for one."""
    fence = ""
    shifts: list[int] = []  # columns at which the notes around begin
    for line in lines:
        body = line.lstrip()
        if not body:
            yield line
            continue
        indent = len(line) - len(body)
        while shifts and indent < shifts[-1] + 4:
            shifts.pop()
        line = line[4 * len(shifts) :] if shifts and line.isascii() and "\t" not in line[:indent] else line
        first = body[0]
        if first in "`~":
            match = _FENCE.match(body)
            if match and not fence:
                fence = match[1]
            elif match and body.startswith(fence) and not body.strip(fence[0] + " \t"):
                fence = ""
        elif fence:
            pass
        elif first == "#":
            line = _CLOSE_UP.sub(r"\1 ", line)
        elif first in "!?=" and _NOTE.match(body):
            shifts.append(indent)
            line = ""
        elif "{{" in line and _INSERT.search(line):
            line = _INSERT.sub("", line)
        elif first in ":{" and _FRAME.match(body.rstrip()):
            line = ""
        yield line


class _Walk:
    """One pass over the tokens of a file."""

    def __init__(self, lines: list[str], notes: Notes, modules: bool) -> None:
        self._lines = lines
        self._notes = notes
        self._modules = modules
        self._blocks: list[Block] = []
        self._items: list[bool] = []  # the list items around: True while their first paragraph is awaited
        self._quotes = 0
        self._header: tuple[str, ...] = ()

    def walk(self, tokens: list[Token]) -> list[Block]:
        within, level, row = "", 1, 0
        cells: list[str] = []
        for token in tokens:
            if token.nesting == 1 and token.level >= MAX_NESTING - 1:
                place = token.map[0] + 1 if token.map else None
                self._notes.add("nesting_capped", f"nested deeper than {MAX_NESTING} levels", place)
            match token.type:
                case "inline":
                    if within in ("th", "td"):
                        cells.append(token.content.strip())
                    elif within == "heading":
                        self._heading(level, token)
                    else:
                        self._text(token)
                case "heading_open":
                    within, level = "heading", int(token.tag[1])
                case "th_open" | "td_open":
                    within = token.tag
                case "heading_close" | "th_close" | "td_close":
                    within = ""
                case "tr_open":
                    cells = []
                    row = token.map[0] if token.map else 0
                case "tr_close":
                    self._row(tuple(cells), row)
                case "table_open":
                    self._header = ()
                case "list_item_open":
                    self._items.append(True)
                case "list_item_close":
                    self._items.pop()
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "fence":
                    self._fence(token)
                case "html_block":
                    self._html(token)
                case _:
                    pass
        return self._blocks

    def _heading(self, level: int, token: Token) -> None:
        line = token.map[0] + 1 if token.map else 1
        self._blocks.append(Heading(level, " ".join(token.content.split("\n")), line))

    def _text(self, token: Token) -> None:
        start, stop = token.map or (0, 1)
        if self._modules and _MODULE.match(token.content):
            return
        first = bool(self._items) and self._items[-1]
        if first:
            self._items[-1] = False
        self._blocks.append(
            Text(
                "item" if first else "paragraph",
                tuple(line.strip() for line in token.content.split("\n")),
                start + 1,
                stop,
                depth=len(self._items) - first,
                quoted=self._quotes > 0,
                raw="\n".join(self._lines[start:stop]),
            )
        )

    def _row(self, cells: tuple[str, ...], line: int) -> None:
        if not self._header:
            self._header = cells
            return
        raw = self._lines[line] if line < len(self._lines) else ""
        self._blocks.append(
            Text(
                "row",
                tuple(cell for cell in cells if cell),
                line + 1,
                line + 1,
                quoted=self._quotes > 0,
                cells=cells,
                header=self._header,
                raw=raw,
            )
        )

    def _fence(self, token: Token) -> None:
        if token.map is None:
            return
        start, stop = token.map
        last = self._lines[stop - 1].strip(" \t>") if start < stop <= len(self._lines) else ""
        if stop >= len(self._lines) and (stop - 1 == start or not last.startswith(token.markup)):
            self._unclosed("fence", start + 1)
        language = token.info.strip().split(" ", 1)[0].split("{", 1)[0].strip("{}.").lower()
        if language:
            self._blocks.append(Code(language, tuple(token.content.split("\n")), start + 1, stop))

    def _html(self, token: Token) -> None:
        """Comments and bare tags say nothing; words within tags are not read, and counted."""
        place = token.map[0] + 1 if token.map else 1
        if token.content.lstrip().startswith("<!--") and "-->" not in token.content:
            self._unclosed("comment", place)
        elif title := _TITLE.match(token.content.strip()):
            self._blocks.append(Heading(int(title[1]), " ".join(title["text"].split()), place))
        elif _LETTERS.search(_MARKUP.sub(" ", token.content)):
            self._notes.add("html_not_read", "text within HTML tags; it is not read as a statement", place)

    def _unclosed(self, what: str, line: int) -> None:
        detail = f"a {what} opens here and never ends; the rest was not read"
        self._notes.add(f"unclosed_{what}", detail, line)
