"""Per topic: what happened when, who said so, and from when to when plan and evidence stood together.

Time is valid time where a source is dated (the day of a commit, of a test run), else the time at which the ledger saw
it; the place in the journal is given beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.kernel.clock import rfc3339
from t2c.projections.facts import Fact
from t2c.projections.records.commits import instant
from t2c.projections.runs import Runs
from t2c.projections.timeline.state import SAID, Change, Moment, Span, Tie, Timeline, Told
from t2c.projections.topics import Topic, Topics, shortened

__all__ = ["EVIDENCE", "Event", "History", "Phase", "histories"]

EVIDENCE: Final[Mapping[str, tuple[str, str]]] = {
    "implements": ("to", "implemented"),
    "releases": ("from", "implemented"),
    "evidenced_by": ("from", "evidenced"),
    "documents": ("from", "located"),
    "tests": ("to", "tested"),
}
"""Type of relation → which end says something, and what the other end does for it."""
_DONE: Final = frozenset({"implemented", "verified", "released", "completed"})
_DATED: Final = frozenset({"git", "test"})
"""Kinds of sources whose records say when they happened."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened: `at` in UTC, `seq` where the ledger recorded it, None for what it only read about.

    `what` is written, seen, status, retracted, returned, implemented, evidenced, located, tested, contradicted,
    reverted or unlinked. `by` is a person or actor, None where only a scan saw it; `source` a place: `path:line` or a
    commit.
    """

    at: str
    seq: int | None
    what: str
    record: str
    by: str | None
    source: str | None
    detail: str | None = None


class Phase(msgspec.Struct, frozen=True, gc=False):
    """From `since` on a topic was `status`: said, planned, claimed, aligned, conflicting, broken or gone.

    `by` and `source` are those of the event that made it so.
    """

    status: str
    since: str
    by: str | None
    source: str | None


class History(msgspec.Struct, frozen=True, gc=False):
    """A topic over time: its phases and everything that happened to it, the oldest first."""

    key: str
    label: str
    phases: tuple[Phase, ...]
    events: tuple[Event, ...]


class _Held(NamedTuple):
    """What holds of one record from one event to another: `kind` is plan, claim, said, shown or against."""

    record: str
    kind: str
    since: Event
    until: Event | None


def histories(state: Timeline, topics: Topics, runs: Runs) -> Iterator[History]:
    """The history of each topic that says something or once did, by key."""
    teller = _Teller(state, topics, runs)
    said: dict[str, list[str]] = {}
    for identity in sorted(state.told):
        key = topics.key_of.get(identity) or _former_key(state.told[identity], topics)
        said.setdefault(key, []).append(identity)
    for key in sorted(said):
        topic = topics.by_key.get(key)
        held = [one for identity in said[key] for one in teller.holds(identity)]
        held = teller.placed(held)
        if topic is not None:
            held += teller.code(topic)
        events = {event for one in held for event in (one.since, one.until) if event is not None}
        events.update(event for identity in said[key] for event in teller.beside(identity))
        label = topic.label if topic is not None else key.partition(":")[2]
        yield History(key, label, tuple(_phases(held, teller.settled)), tuple(sorted(events, key=_order)))


def _former_key(told: Told, topics: Topics) -> str:
    """The key of a record that is gone, as far as what is kept of it tells."""
    if told.tickets:
        return f"ticket:{min(told.tickets)}"
    if told.paths:
        return f"path:{min(topics.file(path) or path for path in told.paths)}"
    return f"source:{told.path or ''}"


class _Teller:
    """Turns what is kept into events, with the names of people where sources tell them."""

    def __init__(self, state: Timeline, topics: Topics, runs: Runs) -> None:
        self._state = state
        self._facts = topics.facts
        # Who only scanned a repository said and did nothing of what was found in it.
        self._asked = {
            name: None if run.what.verb == "scan" else run.what.requested_by
            for name, run in runs.runs.items()
            if run.what is not None
        }
        ends = {moment.run: moment.ts for moment in state.moments if moment.run is not None}
        self.settled = {moment.seq: ends[moment.run] for moment in state.moments if moment.run is not None}
        first = state.moments[0] if state.moments else None
        self._looked = "" if first is None else ends.get(first.run or "", first.ts)
        self._reverts: dict[str, str] = {}
        self._writes: dict[str, str] = {}
        records = self._facts.records
        for link in self._facts.relations:
            relation = link.relation
            if records[relation.source].source.kind == "git":
                if relation.type == "supersedes":
                    self._reverts[relation.to] = relation.source
                elif relation.type == "declares":
                    self._writes[relation.to] = relation.source
        self._ties: dict[str, list[Tie]] = {}
        for identity in sorted(state.ties):
            tie = state.ties[identity]
            for end in (tie.source, tie.target):
                if end[:-20] in SAID:
                    self._ties.setdefault(end, []).append(tie)

    def holds(self, identity: str) -> Iterator[_Held]:
        """What a record says and what speaks for it or for the tasks that are meant to fulfil it, each with its time."""
        yield from self._said(identity)
        ties = self._ties.get(identity, ())
        for tie in ties:
            if tie.type == "contradicts":
                yield from self._spoken(identity, tie, tie.target, "contradicted", "against")
        yield from self._evidence(identity, identity)
        for tie in ties:
            if tie.type == "plans" and tie.target == identity and tie.spans[-1].until is None:
                yield from self._evidence(tie.source, identity)

    def _evidence(self, identity: str, of: str) -> Iterator[_Held]:
        """What speaks for one record, as speaking for another."""
        for tie in self._ties.get(identity, ()):
            side, what = EVIDENCE.get(tie.type, ("", ""))
            if side and identity == (tie.source if side == "from" else tie.target):
                other = tie.target if side == "from" else tie.source
                yield from self._spoken(of, tie, other, what, "shown")

    def placed(self, held: Sequence[_Held]) -> list[_Held]:
        """What holds, as it counts for the topic.

        What has no day of its own was there when the first thing was done for it, and if the ledger saw it at its first
        look, when the first thing was done for the topic. A criterion of a task with an id of its own is open or not as
        the task is.
        """
        records = self._facts.records
        tasks = {
            one.record
            for one in held
            if one.record in records and isinstance(records[one.record].metadata.explicitId, str)
        }
        shown = [one for one in held if one.kind == "shown"]
        earliest = min((one.since for one in shown), key=_order, default=None)
        own: dict[str, Event] = {}
        for one in sorted(shown, key=lambda one: _order(one.since), reverse=True):
            own[one.record] = one.since
        found = []
        for one in held:
            before = earliest if one.since.at <= self._looked else own.get(one.record)
            if one.since.what == "seen" and before is not None and before.at < one.since.at:
                one = one._replace(since=before)
            if tasks and one.kind == "plan" and one.record not in tasks:
                one = one._replace(kind="said")
            found.append(one)
        return found

    def code(self, topic: Topic) -> Iterator[_Held]:
        """Code of a topic in which nothing is planned: what is said of it is said of what is there."""
        state, records = self._state, self._facts.records
        if any(identity[:-20] in SAID and state.told[identity].role == "plan" for identity in topic.members):
            return
        there = [one for one in topic.members if records[one].source.kind in ("ast", "system")]
        if there:
            first = min(there, key=lambda one: (state.seen[one], one))
            moment = state.moments[state.seen[first]]
            yield _Held("", "shown", self._recorded(moment, "located", first, records[first].where), None)

    def beside(self, identity: str) -> Iterator[Event]:
        """How a record began, and each later status, also where that changes no phase."""
        yield self._began(identity)
        for change in self._state.changes.get(identity, ()):
            if change.what == "status":
                yield self._changed(identity, change)

    def _said(self, identity: str) -> Iterator[_Held]:
        told = self._state.told[identity]
        kind = _kind(told, told.began)
        since: Event | None = self._began(identity)
        for change in self._state.changes.get(identity, ()):
            event = self._changed(identity, change)
            if change.what == "returned":
                since = event
            elif since is not None and change.what == "retracted":
                yield _Held(identity, kind, since, event)
                since = None
            elif change.value is not None and (now := _kind(told, change.value)) != kind:
                if since is not None:
                    yield _Held(identity, kind, since, event)
                    since = event
                kind = now
        if since is not None:
            yield _Held(identity, kind, since, None)

    def _began(self, identity: str) -> Event:
        """When it was written, if the history of commits tells, else when the ledger first saw it."""
        commit = self._writes.get(identity)
        if commit is not None and (dated := self._dated(commit, "written", identity)) is not None:
            return dated
        moment = self._state.moments[self._state.seen[identity]]
        seen = self._recorded(moment, "seen", identity, self._where(identity))
        speaker = self._speaker(identity)
        return seen if speaker is None else msgspec.structs.replace(seen, by=speaker)

    def _speaker(self, identity: str) -> str | None:
        """The participant who said it, where the source tells."""
        fact = self._facts.records.get(identity)
        said = None if fact is None or fact.source.kind != "agent_log" else fact.metadata.participant
        return said if isinstance(said, str) else None

    def _changed(self, identity: str, change: Change) -> Event:
        moment = self._state.moments[change.at]
        detail = change.value if change.heir is None else f"{change.value} as {change.heir}"
        return self._recorded(moment, change.what, identity, self._where(identity), detail)

    def _spoken(self, identity: str, tie: Tie, other: str, what: str, kind: str) -> Iterator[_Held]:
        """The spans of a relation as time in which `other` spoke; a commit speaks from its own day on."""
        fact = self._facts.records.get(other)
        if (
            kind == "shown"
            and fact is not None
            and fact.source.kind == "git"
            and fact.metadata.docOnly is True
        ):
            return
        for number, span in enumerate(tie.spans):
            since = self._dated(other, what, other) if number == 0 else None
            if since is None:
                moment = self._state.moments[span.since]
                since = self._recorded(moment, what, other, self._where(other))
            yield _Held(identity, kind, since, self._ended(span, other))

    def _ended(self, span: Span, other: str) -> Event | None:
        if span.until is not None:
            moment = self._state.moments[span.until]
            return self._recorded(moment, "unlinked", other, self._where(other), span.why)
        revert = self._reverts.get(other)
        return None if revert is None else self._dated(revert, "reverted", other)

    def _dated(self, source: str, what: str, record: str) -> Event | None:
        """An event at the time that a commit or test run gives itself; None if it gives none that can be read."""
        fact = self._facts.records.get(source)
        if fact is None or fact.source.kind not in _DATED:
            return None
        committed = fact.metadata.committedAt
        at = instant(committed if isinstance(committed, str) else fact.observedAt)
        if at is None:
            return None
        return Event(
            rfc3339(at), None, what, record, _author(fact), fact.where, shortened(fact.statement.text)
        )

    def _recorded(
        self, moment: Moment, what: str, record: str, source: str | None, detail: str | None = None
    ) -> Event:
        by = self._asked.get(moment.run or "", moment.actor)
        return Event(moment.ts, moment.seq, what, record, by, source, detail)

    def _where(self, identity: str) -> str | None:
        fact = self._facts.records.get(identity)
        if fact is not None:
            return fact.where
        told = self._state.told.get(identity)
        return None if told is None else told.path


def _kind(told: Told, status: str) -> str:
    return "claim" if told.role == "plan" and status in _DONE else told.role


def _author(fact: Fact) -> str | None:
    author = fact.metadata.author
    return author if isinstance(author, str) else fact.statement.actor


def _order(event: Event) -> tuple[str, int, str, str]:
    return (event.at, event.seq or 0, event.what, event.record)


def _phases(held: Iterable[_Held], settled: Mapping[int, str]) -> Iterator[Phase]:
    """How the status of a topic followed from what held at each time; equal neighbours are one phase.

    What one run recorded counts from its end on (`settled`), for in the midst of a run nothing is complete.
    """

    def placed(event: Event) -> Event:
        at = settled.get(event.seq, event.at) if event.seq is not None else event.at
        return event if at == event.at else msgspec.structs.replace(event, at=at)

    turns: list[tuple[Event, int, str, str]] = []
    for one in held:
        turns.append((placed(one.since), 1, one.record, one.kind))
        if one.until is not None:
            turns.append((placed(one.until), -1, one.record, one.kind))
    turns.sort(key=lambda turn: (*_order(turn[0]), *turn[1:]))
    standing, last = _Standing(), ""
    for place, (event, step, record, kind) in enumerate(turns):
        standing.turn(
            record, kind, step, withdrawn=event.what == "unlinked" and event.detail == "signal_gone"
        )
        if place + 1 < len(turns) and turns[place + 1][0].at == event.at:
            continue
        status = standing.status()
        if status != last and (last or status != "gone"):
            yield Phase(status, event.at, event.by, event.source)
            last = status


class _Standing:
    """What holds of the records of one topic at one time, counted so that each turn costs the same."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], int] = {}
        self._ever_shown: set[str] = set()
        self._counts: dict[str, int] = dict.fromkeys(
            ("plan", "claim", "said", "shown", "against", "open", "lost"), 0
        )

    def turn(self, record: str, kind: str, step: int, *, withdrawn: bool) -> None:
        """Something begins or ends to hold; `withdrawn` if nothing changed but that it is no longer read so."""
        self._count(record, -1)
        self._held[record, kind] = self._held.get((record, kind), 0) + step
        if kind == "shown" and step > 0:
            self._ever_shown.add(record)
        elif kind == "shown" and withdrawn:
            self._ever_shown.discard(record)
        self._count(record, 1)

    def _count(self, record: str, step: int) -> None:
        """Add or take away what one record counts for."""
        held = {kind for kind in _HELD if self._held.get((record, kind), 0) > 0}
        for kind in held:
            self._counts[kind] += step
        if "shown" not in held and held & _WANTS:
            self._counts["lost"] += step * (record in self._ever_shown)
            self._counts["open"] += step * ("plan" in held)

    def status(self) -> str:
        counts = self._counts
        if not any(counts[kind] for kind in _WANTS):
            return "gone"
        for status, reason in (("conflicting", "against"), ("broken", "lost"), ("planned", "open")):
            if counts[reason]:
                return status
        return "aligned" if counts["shown"] else "claimed" if counts["claim"] else "said"


_HELD: Final = ("plan", "claim", "said", "shown", "against")
_WANTS: Final = frozenset({"plan", "claim", "said"})
