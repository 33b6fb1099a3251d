"""Proposed tasks that a TODO list has already, by four bases (intent-evidence §7.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.llm.synthesis.contract import Target

__all__ = ["Duplicate", "Existing", "Proposed", "duplicates", "words"]

_WORD: Final = re.compile(r"[\w-]{3,}")
_TICKET: Final = 0.25
_SYMBOL: Final = 0.20
_PATH: Final = 0.50
_TEXT: Final = 0.72


class Existing(NamedTuple):
    """An item of a TODO list: its record, what it says and what it is about."""

    record: str
    text: str
    target: Target


class Proposed(NamedTuple):
    """A proposed task: its id, title and description as one text, and what it is about."""

    id: str
    text: str
    target: Target


class Duplicate(NamedTuple):
    """A proposal that is there already: the records that say so, and the basis of the first of them."""

    proposal: str
    records: tuple[str, ...]
    basis: str


def words(text: str) -> frozenset[str]:
    """Runs of at least three letters, digits, `_` or `-`, in lower case."""
    return frozenset(match[0].lower() for match in _WORD.finditer(text))


def duplicates(proposals: Iterable[Proposed], existing: Sequence[Existing]) -> Iterator[Duplicate]:
    """Each proposal that an item says already, with every such item. That both name a ticket alone never suffices."""
    known = [(item, words(item.text)) for item in existing]
    for one in proposals:
        said = words(one.text)
        found = [(item.record, basis) for item, held in known if (basis := _basis(one, said, item, held))]
        if found:
            found.sort()
            yield Duplicate(one.id, tuple(record for record, _ in found), found[0][1])


def _basis(one: Proposed, said: frozenset[str], item: Existing, held: frozenset[str]) -> str | None:
    either = len(said | held)
    alike = len(said & held) / either if either else 0.0
    for name, share, least in (
        ("ticket", (one.target.tickets, item.target.tickets), _TICKET),
        ("symbol", (one.target.symbols, item.target.symbols), _SYMBOL),
        ("path", (one.target.paths, item.target.paths), _PATH),
    ):
        if alike >= least and not set(share[0]).isdisjoint(share[1]):
            return f"shared_{name}_and_text"
    return f"text_similarity:{alike:.3f}" if alike >= _TEXT else None
