"""The summary: what a person wants to know first, with a number behind every sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.canon import canonical
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.graph import Graph, Link, links
from t2c.projections.records import StandingRecords
from t2c.projections.runs import Runs, started
from t2c.projections.summary.model import (
    SCHEMA,
    Example,
    LastRun,
    Links,
    Note,
    Notes,
    Omissions,
    Reason,
    RuleCount,
    Summary,
)
from t2c.projections.summary.survey import Survey, shortened

__all__ = ["State", "SummaryProjection", "summarise"]

_NOTES_KEPT: Final = 5
_EXAMPLES: Final = 6
_PLACES_SHOWN: Final = 3


class Omission(msgspec.Struct, frozen=True):
    """Something left out, keyed (source, path, reason)."""

    source: str
    path: str | None
    reason: str
    count: int
    lines: tuple[int, ...]


class Cleared(msgspec.Struct, frozen=True):
    source: str
    path: str | None
    reason: str


class Observation(msgspec.Struct, frozen=True):
    statement: str
    subject: str | None


class KeptNote(msgspec.Struct, frozen=True):
    """An observation as far as a summary shows it."""

    seq: int
    ts: str
    actor: str
    trust: str
    subject: str | None
    statement: str


class State(msgspec.Struct):
    """`omissions`: key → what is left out now. `notes`: the last few of `noted` observations."""

    omissions: dict[str, Omission] = {}
    noted: int = 0
    notes: list[KeptNote] = []


_omission = msgspec.json.Decoder(Omission).decode
_cleared = msgspec.json.Decoder(Cleared).decode
_observation = msgspec.json.Decoder(Observation).decode


class SummaryProjection:
    """`summary.json` and `summary.md`, the same for machines and for people.

    `render` turns the model into Markdown; it is given, because rendering stands above all projections.
    """

    name = "summary"
    version = 2
    inputs: tuple[str, ...] = ("graph", "records", "runs")
    handles = frozenset({"omission.noted", "omission.cleared", "observation.noted"})
    state_type = State

    def __init__(self, render: Callable[[Summary], bytes]) -> None:
        self._render = render

    def start(self) -> State:
        return State()

    def step(self, state: State, entry: Entry) -> None:
        """An omission noted again replaces the former of its key."""
        if entry.type == "omission.noted":
            omission = _omission(entry.data)
            state.omissions[_key(omission)] = omission
        elif entry.type == "omission.cleared":
            state.omissions.pop(_key(_cleared(entry.data)), None)
        else:
            said = _observation(entry.data)
            subject = None if said.subject is None else shortened(said.subject)
            note = KeptNote(
                entry.seq, entry.ts, str(entry.actor), entry.trust, subject, shortened(said.statement)
            )
            state.noted += 1
            state.notes = [*state.notes, note][-_NOTES_KEPT:]

    def finish(self, state: State, inputs: Inputs) -> Artifacts:
        summary = summarise(state, inputs)
        return {"summary.json": pretty(msgspec.to_builtins(summary)), "summary.md": self._render(summary)}


def _key(omission: Omission | Cleared) -> str:
    return canonical([omission.source, omission.path, omission.reason]).decode()


def summarise(state: State, inputs: Inputs) -> Summary:
    """The model of a summary, from its own state and those of records, graph and runs."""
    standing = StandingRecords.of(inputs)
    by_rule, chosen, linked = _linked(inputs.states["graph"], standing)
    wanted = {end for link in chosen for end in (link.relation.source, link.relation.to)}
    survey = Survey(standing, linked, wanted)
    return Summary(
        schema=SCHEMA,
        generatedAt=inputs.ts,
        records=survey.records,
        plans=survey.plans,
        changelog=survey.changelog,
        commits=survey.commits,
        code=survey.code,
        links=_links(by_rule, chosen, survey),
        omissions=_omissions(state),
        notes=Notes(
            state.noted, tuple(Note(**msgspec.structs.asdict(note)) for note in reversed(state.notes))
        ),
        last_run=_last_run(inputs.states["runs"]),
    )


def _linked(graph: Graph, standing: StandingRecords) -> tuple[Counter[tuple[str, str]], list[Link], set[str]]:
    """Relations counted by rule and type, the most certain of each, and the ids that they touch."""
    by_rule: Counter[tuple[str, str]] = Counter()
    best: dict[tuple[str, str], Link] = {}
    touched: set[str] = set()
    for link in links(graph, standing):
        kind = (link.rule, link.relation.type)
        by_rule[kind] += 1
        touched.update((link.relation.source, link.relation.to))
        if kind not in best or link.relation.confidence > best[kind].relation.confidence:
            best[kind] = link
    order = sorted(by_rule, key=lambda kind: (-by_rule[kind], kind))
    return by_rule, [best[kind] for kind in order[:_EXAMPLES]], touched


def _links(by_rule: Counter[tuple[str, str]], chosen: list[Link], survey: Survey) -> Links:
    examples = [
        Example(
            source=survey.named[link.relation.source],
            type=link.relation.type,
            target=survey.named[link.relation.to],
            rule=link.rule,
            signals=tuple(shortened(f"{signal.name} {signal.value}") for signal in link.signals),
            confidence=link.relation.confidence,
        )
        for link in chosen
        if link.relation.source in survey.named and link.relation.to in survey.named
    ]
    counts = [RuleCount(rule, kind, count) for (rule, kind), count in by_rule.items()]
    return Links(
        relations=by_rule.total(),
        by_rule=tuple(sorted(counts, key=lambda found: (-found.relations, found.rule, found.type))),
        linked=(
            survey.touched("todo", "TODO items with a link"),
            survey.touched("changelog", "changelog entries with a link"),
            survey.touched("git", "commits with a link"),
        ),
        examples=tuple(examples),
    )


def _omissions(state: State) -> Omissions:
    by_reason: dict[str, list[Omission]] = {}
    for key in sorted(state.omissions):
        omission = state.omissions[key]
        by_reason.setdefault(omission.reason, []).append(omission)
    reasons = [
        Reason(
            reason=reason,
            count=sum(omission.count for omission in found),
            places=len(found),
            first=tuple(_place(omission) for omission in found[:_PLACES_SHOWN]),
        )
        for reason, found in by_reason.items()
    ]
    reasons.sort(key=lambda found: (-found.count, found.reason))
    return Omissions(sum(reason.count for reason in reasons), tuple(reasons))


def _place(omission: Omission) -> str:
    place = omission.source if omission.path is None else omission.path
    return f"{place}:{omission.lines[0]}" if omission.lines else place


def _last_run(runs: Runs) -> LastRun | None:
    known = started(runs)
    if not known:
        return None
    identity, run, what, began = known[-1]
    return LastRun(
        id=identity,
        verb=what.verb,
        requested_by=what.requested_by,
        started=began.ts,
        finished=None if run.ended is None else run.ended.ts,
        status=run.status,
        detail=None if run.outcome is None else run.outcome.detail,
        stages=tuple((stage.name, stage.status) for stage in run.stages),
        degradations=len(run.degradations),
    )
