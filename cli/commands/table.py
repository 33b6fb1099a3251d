"""Tables of commands as data: what stands in them is imported when it is first asked for."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Branch", "Entry"]


class Entry(NamedTuple):
    """One row: the name of a command, where it is (`module:attribute`), and one line of help.

    The attribute is a function, which becomes a command, or a Branch, which becomes a group.
    """

    name: str
    target: str
    summary: str


class Branch(NamedTuple):
    """A group: what it is about and the table of its commands."""

    text: str
    entries: tuple[Entry, ...]
