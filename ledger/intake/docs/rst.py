"""reStructuredText to the blocks of a document, through the block reader that changelogs use too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from t2c.ledger.intake import markup, rst
from t2c.ledger.intake.docs.blocks import Block, Code, Document, Heading, Text
from t2c.ledger.intake.lines import Notes

__all__ = ["read_rst"]

_LANGUAGE: Final = re.compile(r"\s*\.\. (?:code|code-block|sourcecode)::\s+([\w+#.-]{1,30})\s*$")
_INCLUDED: Final = re.compile(r"\s*\.\. literalinclude::\s+(\S+)\s*$")
_OPTION: Final = re.compile(r"\s+:language:\s+([\w+#.-]{1,30})\s*$")
_OPTIONS: Final = 8
"""Lines below a directive in which its options stand."""
_CODE: Final = 200
"""Lines of code that are kept of one block."""


def read_rst(lines: Iterable[str], notes: Notes) -> Document:
    """The blocks of a reStructuredText file, in its order; inline markup is that of Markdown."""
    written = list(lines)
    header: tuple[str, ...] = ()
    found: list[Block] = []
    for block in rst.blocks(written, notes):
        match block:
            case markup.Heading():
                found.append(Heading(block.level, block.text, block.line))
            case markup.Item():
                found.append(
                    Text(
                        "item",
                        (block.text,),
                        block.start,
                        block.end,
                        depth=block.depth,
                        raw="\n".join(written[block.start - 1 : block.end]),
                        more=block.more,
                    )
                )
            case markup.Paragraph():
                start, end = block.lines[0][0], block.lines[-1][0]
                text = tuple(line for _, line in block.lines)
                raw = "\n".join(written[start - 1 : end])
                found.append(Text("paragraph", text, start, end, raw=raw))
            case markup.Row():
                if all(not cell.strip("-=:") for cell in block.cells):
                    header = _header(found)
                    continue
                header = header if len(header) == len(block.cells) else ()
                told = tuple(cell for cell in block.cells if cell)
                found.append(
                    Text("row", told, block.line, block.line, cells=block.cells, header=header, raw=block.raw)
                )
            case markup.Code():
                code = _code(written, block.line)
                if code is not None:
                    found.append(code)
    return Document({}, {}, found, "rst")


def _header(found: list[Block]) -> tuple[str, ...]:
    """The row above a delimiter, taken back: it names the columns."""
    last = found[-1] if found else None
    if not isinstance(last, Text) or last.kind != "row":
        return ()
    found.pop()
    return last.cells


def _code(lines: list[str], line: int) -> Code | None:
    """The code that a directive names the language of, or includes; None for other literal blocks."""
    first = lines[line - 1] if line <= len(lines) else ""
    included = _INCLUDED.match(first)
    if included:
        options = (_OPTION.match(option) for option in lines[line : line + _OPTIONS])
        language = next((match[1] for match in options if match), included[1].rpartition(".")[2])
        return Code(language.lower(), (), line, line, included[1])
    named = _LANGUAGE.match(first)
    if named is None:
        return None
    margin = len(first) - len(first.lstrip())
    held: list[str] = []
    for below in lines[line : line + _CODE]:
        body = below.lstrip()
        if body and len(below) - len(body) <= margin:
            break
        held.append(below)
    while held and not held[-1].strip():
        held.pop()
    told = tuple(row.strip() for row in held if not row.lstrip().startswith(":"))
    return Code(named[1].lower(), told, line, line + len(held))
