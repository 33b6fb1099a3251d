"""The flat front matter of a task or a ticket: YAML as far as such files go, read line by line.

Scalars (quoted, folded, over several lines), lists in brackets and lists of dashes. A map inside a list is kept
as the text of its lines. Nothing is evaluated and no depth is followed, so that no input can be expensive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

__all__ = ["Field", "FrontMatter", "front_matter"]

_MOST: Final = 1000
"""Lines within which front matter must end."""
_KEY: Final = re.compile(r"([A-Za-z_][\w-]{0,60}):(?:[ \t]++(.*))?$")
_ITEM: Final = re.compile(r"[ \t]*+-(?:[ \t]++(.*))?$")
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[+-]?$")
_COMMENT: Final = re.compile(r"[ \t]++#.*$")
_PARTS: Final = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^']|'')*+)'|([^,\"']++)")


class Field(Struct):
    """What a key holds: one text, or the texts of a list, and the lines where it stands."""

    text: str
    items: list[str]
    start: int
    end: int


class FrontMatter(Struct):
    """The fields by key in lower case, and the number of the line that closes them."""

    fields: dict[str, Field]
    end: int

    def text(self, *keys: str) -> str:
        """The text of the first of these keys that has one, or nothing."""
        return next((held.text for key in keys if (held := self.fields.get(key)) and held.text), "")

    def items(self, *keys: str) -> list[str]:
        """The texts of the first of these keys that is there; a single text is a list of one."""
        for key in keys:
            held = self.fields.get(key)
            if held is not None:
                return held.items or ([held.text] if held.text else [])
        return []


def front_matter(lines: Sequence[str]) -> FrontMatter | None:
    """The fields between two lines of three hyphens at the top of a file; None if there are none.

    The first of two equal keys stands.
    """
    if len(lines) < 2 or lines[0].rstrip() != "---" or not _KEY.match(lines[1].rstrip()):
        return None
    fields: dict[str, Field] = {}
    current: Field | None = None
    for number in range(2, min(len(lines), _MOST) + 1):
        line = lines[number - 1].rstrip()
        if line in ("---", "..."):
            return FrontMatter(fields, number)
        match = _KEY.match(line)
        if match is not None:
            current = _field(match[2] or "", number)
            fields.setdefault(match[1].lower(), current)
        elif current is not None and line:
            _continue(current, line, number)
    return None


def _field(value: str, number: int) -> Field:
    value = value.strip()
    if _BLOCK.match(value):
        value = ""
    if value.startswith("[") and value.endswith("]"):
        return Field("", _parts(value[1:-1]), number, number)
    return Field(_scalar(value), [], number, number)


def _continue(field: Field, line: str, number: int) -> None:
    """A line below a key: an item of its list, or more of its text."""
    item = _ITEM.match(line)
    field.end = number
    if item is not None:
        field.items.append(_scalar((item[1] or "").strip()))
    elif line[0] not in " \t":
        return
    elif field.items:
        field.items[-1] = f"{field.items[-1]} {line.strip()}"
    else:
        field.text = _scalar(f"{field.text} {line.strip()}".strip())


def _parts(text: str) -> list[str]:
    found = (match[1] or match[2] or (match[3] or "").strip() for match in _PARTS.finditer(text))
    return [part for part in found if part]


def _scalar(value: str) -> str:
    quote = value[:1]
    if quote in ("'", '"') and len(value) > 1 and value[-1] == quote:
        inner = value[1:-1]
        return inner.replace("''", "'") if quote == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
    return _COMMENT.sub("", value) if "#" in value else value
