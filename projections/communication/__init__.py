"""Communication: what people and agents said about tickets, against each other and against what is recorded.

(intent-evidence §2.11) Facts and who must respond, never guilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.communication.claims import unconfirmed, without_evidence
from t2c.projections.communication.conflicts import conflicts
from t2c.projections.communication.messages import Language, told
from t2c.projections.communication.model import SCHEMA, Analysis, Issue, Raised, counted, ordered
from t2c.projections.communication.people import People, rows, statements, unresolved
from t2c.projections.communication.requests import outside, unanswered
from t2c.projections.communication.syntheses import syntheses
from t2c.projections.facts import Facts
from t2c.projections.graph import fingerprint

__all__ = ["SCHEMA", "CommunicationProjection", "analysed", "issues_of", "raised_of"]

Render = Callable[[Analysis], bytes]


class Nothing(msgspec.Struct):
    """The analysis keeps no state of its own: it is made of other views."""


class CommunicationProjection:
    """`communication.json` and `communication.md`; `render` makes the second, since rendering stands above."""

    name = "communication"
    version = 2
    inputs: tuple[str, ...] = ("graph", "records")
    handles: frozenset[str] = frozenset()
    state_type = Nothing

    def __init__(self, render: Render) -> None:
        self._render = render

    def start(self) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, entry: Entry) -> None:
        """Nothing is handled."""

    def finish(self, state: Nothing, inputs: Inputs) -> Artifacts:
        found = analysed(inputs)
        return {
            "communication.json": pretty(msgspec.to_builtins(found)),
            "communication.md": self._render(found),
        }


class _Read(msgspec.Struct, frozen=True):
    """What the issues were raised from; made once for all views of a fold."""

    people: People
    raised: tuple[Raised, ...]


def _read(inputs: Inputs) -> _Read:
    found = inputs.made.get("communication")
    if not isinstance(found, _Read):
        facts = Facts.of(inputs)
        people = People(facts, statements(facts), inputs.states["records"].live)
        found = inputs.made["communication"] = _Read(people, ordered(_issues(people, facts)))
    return found


def _issues(people: People, facts: Facts) -> Iterator[Raised]:
    if not people.said:
        return iter(())
    return chain(
        unresolved(people.said),
        conflicts(people),
        unanswered(people, facts),
        unconfirmed(people),
        without_evidence(people, facts),
        outside(people, facts),
    )


def raised_of(inputs: Inputs) -> Sequence[Raised]:
    """All issues before they are put into words, the more severe first, then by id."""
    return _read(inputs).raised


def issues_of(inputs: Inputs, language: Language = "en") -> Sequence[Issue]:
    """The same in words."""
    return [told(one, language) for one in raised_of(inputs)]


def analysed(inputs: Inputs, language: Language = "en") -> Analysis:
    """The whole analysis, from the folded states of `records` and `graph`."""
    read = _read(inputs)
    return Analysis(
        inputs.ts,
        fingerprint(inputs),
        tuple(sorted({one.ticket for one in read.people.said})),
        rows(read.people, Facts.of(inputs), read.raised),
        tuple(told(one, language) for one in read.raised),
        counted(read.raised),
        syntheses(inputs),
    )
