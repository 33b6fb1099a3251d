"""Headings inside the items of a changelog: `- [#12](…) Thanks @ada! - ### Bug Fixes`, and `### …` below an item.

Tools that put what somebody wrote in Markdown below a bullet make such items. What such a heading heads are the items
further in: by their indentation, since for Markdown itself the heading would be part of the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from msgspec import Struct, field, structs

from t2c.ledger.intake.changes.lines import Told, told
from t2c.ledger.intake.markup import Item

__all__ = ["Cited", "Labels", "Title", "titled", "unindented"]

_TITLE: Final = re.compile(r"(#{1,6})[ \t]+(?=\S)(.{1,200}?)[ \t#]*$")
_INNER: Final = re.compile(r"#{2,6}[ \t]+[^\s#]")
_MARKER: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_CODE: Final = 6
"""Columns from the marker of an item on at which its text is code."""


class Title(NamedTuple):
    """A heading within an item."""

    level: int
    text: str


def titled(item: Item, said: Told) -> tuple[Title, Item] | None:
    """The heading that an item begins with, and what else its text says; None if it begins with none."""
    if not said.text.startswith("#"):
        return None
    first, _, rest = item.raw.partition("\n")
    alone = told(_MARKER.sub("", first.lstrip(" \t"), count=1)).text if rest else said.text
    match = _TITLE.match(alone)
    if match is None:
        return None
    text = " ".join([*(line.strip() for line in rest.splitlines()), item.more]).strip()
    return Title(len(match[1]), match[2].rstrip(": ") or match[2]), structs.replace(item, text=text, more="")


def unindented(lines: Iterable[str], inner: dict[int, int]) -> Iterator[str]:
    """The same lines, with each heading that lies in an item put at the margin; `inner` learns where, and its indentation."""
    held: int | None = None
    fence = ""
    is_new = True
    for number, line in enumerate(lines, 1):
        body = line.lstrip(" \t")
        if not body:
            is_new = True
            yield line
            continue
        if fence or body.startswith(("```", "~~~")):
            fence = body[:3] if not fence else "" if body.startswith(fence) else fence
            yield line
            continue
        indent = _columns(line, body)
        if held is not None and indent >= held + 2:
            if body[0] == "#" and indent < held + _CODE and _INNER.match(body):
                inner[number] = indent
                line = body
        elif indent <= 3 and _MARKER.match(body):
            held = indent
        elif is_new:
            held = None
        is_new = False
        yield line


class _Label(NamedTuple):
    least: int
    title: Title


class _Lead(NamedTuple):
    least: int
    text: str
    said: Told


class Cited(NamedTuple):
    """The numbers and commits that an entry cites, for the items in it that cite none."""

    tickets: tuple[str, ...]
    commits: tuple[str, ...]


class _Citing(NamedTuple):
    least: int
    cited: Cited


class Labels(Struct):
    """The headings in items that stand over what comes next, what their items say beside them, and what entries cite."""

    _titles: list[_Label] = field(default_factory=list)
    _leads: list[_Lead] = field(default_factory=list)
    _citing: list[_Citing] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The headings, outermost first."""
        return [label.title.text for label in self._titles]

    def clear(self) -> None:
        """Nothing is over what comes next."""
        self._titles.clear()
        self._leads.clear()
        self._citing.clear()

    def leave(self, item: Item) -> bool:
        """Let go of what does not reach as far out as this item; whether any heading did not."""
        if not self._titles and not self._leads and not self._citing:
            return False
        indent = _indent(item)
        place = max(indent, item.depth)
        while self._citing and self._citing[-1].least > place:
            self._citing.pop()
        while self._leads and self._leads[-1].least > indent:
            self._leads.pop()
        before = len(self._titles)
        while self._titles and self._titles[-1].least > indent:
            self._titles.pop()
        return len(self._titles) < before

    def head(self, indent: int, title: Title) -> None:
        """A heading stands over what is indented so or more, in place of those of its level or below."""
        while self._titles and self._titles[-1].title.level >= title.level:
            self._titles.pop()
        self._titles.append(_Label(indent, title))

    def begin(self, item: Item, title: Title, said: Told) -> None:
        """An item that begins with a heading: what it says beside is said of each item in it."""
        least = _indent(item) + 1
        self._titles = [label for label in self._titles if label.least < least]
        self._titles.append(_Label(least, title))
        self._leads.append(_Lead(least, item.text, said))

    @property
    def cited(self) -> Cited | None:
        """What the nearest entry around cites."""
        return self._citing[-1].cited if self._citing else None

    def cite(self, item: Item, cited: Cited) -> None:
        """An entry that cites: what is further in is about the same."""
        self._citing.append(_Citing(max(_indent(item), item.depth) + 1, cited))

    def led(self, item: Item, said: Told) -> tuple[Item, Told]:
        """An item with the numbers, commits and authors that stand beside the heading over it."""
        if not self._leads:
            return item, said
        lead = self._leads[-1]
        more = f"{item.more} {lead.text}" if item.more else lead.text
        authors = tuple(dict.fromkeys((*said.authors, *lead.said.authors)))
        commits = tuple(sorted({*said.commits, *lead.said.commits}))
        return structs.replace(item, more=more), said._replace(authors=authors, commits=commits)


def _indent(item: Item) -> int:
    return _columns(item.raw, item.raw.lstrip(" \t"))


def _columns(line: str, body: str) -> int:
    """Columns of white space at the start, with a tab stop at every fourth column."""
    lead = line[: len(line) - len(body)]
    return len(lead.expandtabs(4)) if "\t" in lead else len(lead)
