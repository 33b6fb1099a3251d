"""Reality: topic by topic what is wanted, what is there and what is claimed (intent-evidence §5.1).

The contract is kept key by key in `reality.json`; what it rests on, by grade and in both directions, stands beside it in
`reality-grades.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.evidence import graded_of
from t2c.projections.facts import Facts
from t2c.projections.graph import fingerprint
from t2c.projections.reality.grades import grades_of
from t2c.projections.reality.model import Grades, Reality
from t2c.projections.reality.survey import Cited, survey
from t2c.projections.topics import Topics

__all__ = ["RealityProjection", "surveyed"]

Render = Callable[[Reality, Grades], bytes]
Findings = Callable[[Inputs], Iterable[Cited]]


class Nothing(msgspec.Struct):
    """Reality keeps no state of its own: it is made of other views."""


class RealityProjection:
    """`reality.json`, `reality-grades.json` and `reality.md`.

    `render` turns both models into Markdown; `findings` gives the diagnostics of the same fold. Both are given, because
    rendering stands above all projections.
    """

    name = "reality"
    version = 1
    inputs: tuple[str, ...] = ("diagnostics", "graph", "records", "timeline")
    handles: frozenset[str] = frozenset()
    state_type = Nothing

    def __init__(self, render: Render, findings: Findings) -> None:
        self._render = render
        self._findings = findings

    def start(self) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, entry: Entry) -> None:
        """Nothing is handled."""

    def finish(self, state: Nothing, inputs: Inputs) -> Artifacts:
        reality, grades = surveyed(inputs, self._findings(inputs))
        return {
            "reality.json": pretty(msgspec.to_builtins(reality)),
            "reality-grades.json": pretty(msgspec.to_builtins(grades)),
            "reality.md": self._render(reality, grades),
        }


def surveyed(inputs: Inputs, findings: Iterable[Cited]) -> tuple[Reality, Grades]:
    """Both models, from the folded states of records, graph and timeline."""
    graded = graded_of(inputs)
    made = survey(Topics.of(inputs), graded, findings)
    reality = made.reality(inputs.ts, fingerprint(inputs))
    return reality, grades_of(made, Facts.of(inputs), graded, inputs.ts)
