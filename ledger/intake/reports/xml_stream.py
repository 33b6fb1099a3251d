"""XML as a stream of elements with lines: no tree, no entities, nothing fetched, any depth bounded.

A document type is allowed (Cobertura names one), a declaration of an entity in it is not: that is how a small file
becomes a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

__all__ = ["MAX_DEPTH", "Element", "XmlFault", "read_xml"]

MAX_DEPTH: Final = 200
"""Levels of nesting of elements."""
_MAX_TEXT: Final = 4096
"""Characters of an element's own text that are kept."""


class Element(NamedTuple):
    """An element that has ended: its name without namespace, attributes, own text, first and last line."""

    tag: str
    attributes: Mapping[str, str]
    text: str
    start: int
    end: int


class XmlFault(NamedTuple):
    """Why a document is not read, and where."""

    what: str
    line: int | None
    column: int | None
    reason: str


class _Refused(Exception):
    """Stops the parser from within a handler."""


class _Open:
    __slots__ = ("attributes", "line", "size", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.text: list[str] = []
        self.size = 0


def read_xml(
    content: bytes,
    opened: Callable[[str, Mapping[str, str], int], None],
    closed: Callable[[Element], None],
) -> XmlFault | None:
    """Call back for each element as it begins and as it ends, in the order of the document. Never raises."""
    from xml.parsers import expat

    stack: list[_Open] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) >= MAX_DEPTH:
            raise _Refused(f"nested deeper than {MAX_DEPTH} elements", "xml_too_deep")
        name = tag.rpartition(":")[2]
        line = parser.CurrentLineNumber
        stack.append(_Open(name, attributes, line))
        opened(name, attributes, line)

    def end(tag: str) -> None:
        done = stack.pop()
        closed(Element(done.tag, done.attributes, "".join(done.text), done.line, parser.CurrentLineNumber))

    def data(text: str) -> None:
        top = stack[-1]
        if top.size < _MAX_TEXT:
            top.text.append(text[: _MAX_TEXT - top.size])
            top.size += len(text)

    def entity(*_: object) -> None:
        raise _Refused("declares entities, which are not expanded", "xml_entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    parser.EntityDeclHandler = entity
    parser.UnparsedEntityDeclHandler = entity
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code) or "not well-formed"
        return XmlFault(f"no XML: {message}", error.lineno, error.offset + 1, "xml_unparsed")
    except _Refused as refusal:
        what, reason = refusal.args
        return XmlFault(what, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1, reason)
    except (LookupError, ValueError):
        return XmlFault("no XML: an encoding that is not known", 1, 1, "xml_unparsed")
    return None
