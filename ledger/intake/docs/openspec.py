"""Sections of OpenSpec: what a delta heading does to the requirements below it, and headings that are near misses."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, NamedTuple

from t2c.ledger.events.record import Action
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.text import fold

__all__ = ["DELTAS", "Renaming", "UnknownSections", "delta_of", "near_sections", "renaming"]

DELTAS: Final[dict[str, Action]] = {
    "added": "add", "modified": "change", "removed": "remove", "renamed": "change",
}  # fmt: skip
"""What each delta section does to its requirements."""
_DELTA: Final = re.compile(r"(added|modified|removed|renamed) requirements$")
_KNOWN: Final = (
    "ADDED Requirements", "MODIFIED Requirements", "REMOVED Requirements", "RENAMED Requirements", "Requirements",
    "Wymagania",
)  # fmt: skip
_SECTIONS: Final = frozenset(name.lower() for name in _KNOWN)
_RENAMED: Final = re.compile(
    r"(from|to)\s*:\s*`?#{0,6}\s*(?:requirement\s*:\s*)?(.{1,300}?)`?$", re.IGNORECASE
)
_TOLD: Final = 10
_NEAR: Final = 0.6
"""Likeness from which a heading counts as a misspelling."""


class Renaming(NamedTuple):
    """One half of a renamed requirement: its old name (`from`) or its new one (`to`)."""

    side: str
    name: str


def delta_of(heading: str) -> str | None:
    """`added`, `modified`, `removed` or `renamed`, in any case; None for every other section."""
    match = _DELTA.match(fold(heading))
    return match[1] if match else None


@lru_cache(maxsize=512)
def near_sections(heading: str, *, strictly: bool) -> tuple[str, ...] | None:
    """The known sections that a section of requirements may have meant; None if it is a known one itself.

    `strictly`, outside OpenSpec, only what begins like one of its deltas counts as near.
    """
    name = fold(heading)[:100]
    if name in _SECTIONS:
        return None
    if strictly and not get_close_matches(name.partition(" ")[0], sorted(DELTAS), n=1, cutoff=_NEAR):
        return ()
    close = get_close_matches(name, sorted(_SECTIONS), n=2, cutoff=_NEAR)
    return tuple(known for known in _KNOWN if known.lower() in close)


class UnknownSections:
    """Sections of requirements whose name is no known one, each once, with what it may have meant."""

    def __init__(self) -> None:
        self._found: dict[int, str] = {}

    def add(self, line: int, heading: str, near: tuple[str, ...]) -> None:
        """Take in the heading at a line and the known sections that are near to it."""
        meant = f"; near matches: {', '.join(near)}" if near else ""
        self._found.setdefault(line, f"{heading[:80]!r} is no known section of requirements{meant}")

    def tell(self, notes: Notes) -> None:
        """Note them all; where there are several, the detail says of which line each is."""
        said = [
            text if len(self._found) == 1 else f"line {line}: {text}" for line, text in self._found.items()
        ]
        detail = " | ".join(said[:_TOLD]) + (" | …" if len(said) > _TOLD else "")
        for line in self._found:
            notes.add("unknown_section", detail, line)


def renaming(item: str) -> Renaming | None:
    """A half of a renaming: `FROM: ### Requirement: Old` or `TO: …`."""
    match = _RENAMED.match(item.strip("*_ "))
    return Renaming(match[1].lower(), match[2].strip("` ")) if match else None
