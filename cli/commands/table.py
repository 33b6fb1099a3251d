"""Tables of commands as data: what stands in them is imported when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Branch", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: the name of a command, where it is (`module:attribute`), and one line of help.

    The attribute is a function, which becomes a command, or a Branch, which becomes a group.
    """

    name: str
    target: str
    summary: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A group: what it is about and the table of its commands."""

    text: str
    entries: tuple[Entry, ...]
