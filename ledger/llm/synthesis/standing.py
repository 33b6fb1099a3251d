"""The syntheses that were recorded: of each kind the latest, folded from events.

A synthesis is a run: what it was made of stands in `run.started`, what it drew in the events of the run, how it went in
`stage.finished`. One whose run did not get so far never was.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.journal.entry import Entry

__all__ = ["HANDLES", "STAGES", "VERBS", "Made", "Syntheses", "apply"]

VERBS: Final = {"summarize": "summary", "todo propose": "tasks"}
"""Verb of a run → the kind of synthesis that it makes."""
STAGES: Final = {"summary": "grounded-summary", "tasks": "task-synthesis"}
"""Kind of synthesis → its stage."""
HANDLES: Final = frozenset({"run.started", "conclusion.drawn", "proposal.raised", "stage.finished"})


class Made(msgspec.Struct):
    """One synthesis. `id` is the digest of all that went in; `asked` holds mode, language, graph, configuration and
    the story of each request. Conclusions and proposals are as recorded, without `generatedAt`."""

    kind: str
    id: str
    asked: dict[str, Any]
    status: str = ""
    counts: dict[str, int] = {}
    detail: str | None = None
    conclusions: list[dict[str, Any]] = []
    proposals: list[dict[str, Any]] = []

    @property
    def drawn(self) -> tuple[str, ...]:
        """Ids of everything in it, in byte order."""
        return tuple(sorted(one["id"] for one in (*self.conclusions, *self.proposals)))


class Syntheses(msgspec.Struct):
    """`latest`: kind → the synthesis that was finished last; `begun`: run → one whose end is still to come."""

    latest: dict[str, Made] = {}
    begun: dict[str, Made] = {}


class _Started(msgspec.Struct, frozen=True):
    verb: str
    options: dict[str, Any] = {}


class _Drawn(msgspec.Struct, frozen=True):
    conclusion: dict[str, Any]


class _Raised(msgspec.Struct, frozen=True):
    proposal: dict[str, Any]


class _Stage(msgspec.Struct, frozen=True):
    stage: str
    status: str
    counts: dict[str, int]
    detail: str | None


_started = msgspec.json.Decoder(_Started).decode
_drawn = msgspec.json.Decoder(_Drawn).decode
_raised = msgspec.json.Decoder(_Raised).decode
_stage = msgspec.json.Decoder(_Stage).decode


def apply(state: Syntheses, entry: Entry) -> None:
    """Take one event in; an event of another run than one that synthesises changes nothing."""
    if entry.run is None:
        return
    if entry.type == "run.started":
        started = _started(entry.data)
        kind, identity = VERBS.get(started.verb), started.options.get("synthesis")
        if kind is not None and isinstance(identity, str):
            state.begun[entry.run] = Made(kind, identity, started.options)
        return
    made = state.begun.get(entry.run)
    if made is None:
        return
    if entry.type == "conclusion.drawn":
        made.conclusions.append(_drawn(entry.data).conclusion)
    elif entry.type == "proposal.raised":
        made.proposals.append(_raised(entry.data).proposal)
    elif entry.type == "stage.finished" and (stage := _stage(entry.data)).stage == STAGES[made.kind]:
        made.status, made.counts, made.detail = stage.status, stage.counts, stage.detail
        state.latest[made.kind] = made
        del state.begun[entry.run]
