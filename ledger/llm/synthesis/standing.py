"""The syntheses that were recorded: of each kind the latest, folded from events.

A synthesis is a run: what it was made of stands in `run.started`, what it drew in the events of the run, how it went in
`stage.finished`. One whose run did not get so far never was.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.ledger.llm.synthesis.contract import Kind, Mode, Priority, Severity

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


class _Generation(msgspec.Struct, frozen=True):
    model: str | None


class _Conclusion(msgspec.Struct, frozen=True):
    """What of a conclusion views rely on; a payload holds any object at all."""

    id: str
    kind: Kind
    title: str
    detail: str
    severity: Severity
    diagnosticIds: list[str]
    recordIds: list[str]
    confidence: float
    generation: _Generation


class _Target(msgspec.Struct, frozen=True):
    paths: list[str]
    symbols: list[str]
    tickets: list[str]
    versions: list[str]


class _Proposal(msgspec.Struct, frozen=True):
    """What of a proposal views rely on."""

    id: str
    title: str
    description: str
    priority: Priority
    target: _Target
    acceptanceCriteria: list[str]
    dependencies: list[str]
    conclusionIds: list[str]
    diagnosticIds: list[str]
    recordIds: list[str]
    confidence: float
    generation: _Generation


class _Response(msgspec.Struct, frozen=True):
    responseId: str | None
    model: str
    provider: str | None
    promptTokens: int | None
    completionTokens: int | None
    totalTokens: int | None
    costMicros: int | None
    durationMs: int


class _Left(msgspec.Struct, frozen=True):
    title: str
    why: str


class _Options(msgspec.Struct, frozen=True):
    """What of a run's options views rely on."""

    synthesis: str
    mode: Mode
    configuration: dict[str, Any]
    responses: list[_Response]
    abstained: list[_Left] = []


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
    """Take one event in; an event of another run than one that synthesises changes nothing.

    Raises msgspec.DecodeError for one of another shape.
    """
    if entry.run is None:
        return
    if entry.type == "run.started":
        started = _started(entry.data)
        kind = VERBS.get(started.verb)
        if kind is not None and "synthesis" in started.options:
            asked = msgspec.convert(started.options, _Options)
            state.begun[entry.run] = Made(kind, asked.synthesis, started.options)
        return
    made = state.begun.get(entry.run)
    if made is None:
        return
    if entry.type == "conclusion.drawn":
        conclusion = _drawn(entry.data).conclusion
        msgspec.convert(conclusion, _Conclusion)
        made.conclusions.append(conclusion)
    elif entry.type == "proposal.raised":
        proposal = _raised(entry.data).proposal
        msgspec.convert(proposal, _Proposal)
        made.proposals.append(proposal)
    elif entry.type == "stage.finished" and (stage := _stage(entry.data)).stage == STAGES[made.kind]:
        made.status, made.counts, made.detail = stage.status, stage.counts, stage.detail
        state.latest[made.kind] = made
        del state.begun[entry.run]
