"""Requirements of StrictDoc (`.sdoc`): nodes of `FIELD: value` lines, with sections around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from t2c.ledger.intake.docs.blocks import Text
from t2c.ledger.intake.lines import Notes

__all__ = ["Node", "nodes"]

_NODE: Final = re.compile(r"\[{1,2}(/?)([A-Z][A-Z_]{1,40})\]{1,2}\s*$")
_FIELD: Final = re.compile(r"([A-Z][A-Z_]{1,40}):(?:\s+(.*))?$")
_VALUE: Final = re.compile(r"\s*(?:-\s+)?(TYPE|VALUE|ROLE):\s+(.+)$")
_NO_REQUIREMENT: Final = frozenset(
    {"DOCUMENT", "SECTION", "TEXT", "GRAMMAR", "FREETEXT", "COMPOSITE_REQUIREMENT_END"}
)


class Node(Struct):
    """A node with a statement: its fields, its relations as (type, value), and the titles of the sections around."""

    kind: str
    line: int
    end: int
    trail: tuple[str, ...]
    fields: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[str, str]] = field(default_factory=list)

    @property
    def statement(self) -> str:
        """What the node requires; its title if it has no statement."""
        return self.fields.get("STATEMENT") or self.fields.get("TITLE", "")

    def block(self) -> Text:
        """The node as a block of text."""
        lines = tuple(line.strip() for line in self.statement.split("\n") if line.strip())
        return Text("paragraph", lines, self.line, self.end, raw=self.statement)


def nodes(lines: Iterable[str], notes: Notes) -> Iterator[Node]:
    """Every node of a file that may require something, in its order."""
    titles: list[str] = []
    node: Node | None = None
    section: Node | None = None
    name = ""
    open_since = 0
    relation = ""
    number = 0
    for number, line in enumerate(lines, 1):
        if open_since and node is not None:
            if line.strip() == "<<<":
                open_since = 0
            else:
                node.fields[name] = f"{node.fields[name]}\n{line}" if node.fields[name] else line
            node.end = number
            continue
        found = _NODE.match(line)
        if found:
            if node is not None and node.kind not in _NO_REQUIREMENT:
                yield node
            node, relation = None, ""
            kind = found[2]
            if found[1]:
                if kind == "SECTION" and titles:
                    titles.pop()
            else:
                node = Node(kind, number, number, tuple(title for title in titles if title))
                section = node if kind == "SECTION" else None
                if section is not None:
                    titles.append("")
            continue
        if node is None:
            continue
        pair = _VALUE.match(line)
        if pair:
            if pair[1] == "TYPE":
                relation = pair[2].strip()
            elif pair[1] == "VALUE":
                node.relations.append((relation, pair[2].strip()))
            node.end = number
            continue
        value = _FIELD.match(line)
        if value:
            name = value[1]
            text = (value[2] or "").strip()
            open_since = number if text == ">>>" else 0
            node.fields[name] = "" if open_since else text
            node.end = number
            if section is not None and name == "TITLE":
                titles[-1] = text
    if open_since:
        notes.add(
            "unclosed_text", "a text opens here and never ends; the rest was read as part of it", open_since
        )
    if node is not None and node.kind not in _NO_REQUIREMENT:
        yield node
