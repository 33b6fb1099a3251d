"""Recording what a scan read: the difference to what stands, planned purely, appended against an expected head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from t2c import __version__
from t2c.cli.actions.absence import gone_records, unseen_records
from t2c.cli.actions.context import Context
from t2c.cli.actions.reading import Sources, Stage
from t2c.ledger.commands.evidence import (
    RECORD_AT,
    EvidenceState,
    Observation,
    decide_omissions,
    decide_records,
    decide_retractions,
    differing,
)
from t2c.ledger.commands.lineage import Successor, lineage
from t2c.ledger.commands.relations import decide_relations
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.runs import OmissionNoted, RunFinished, RunStarted, StageFinished
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git import COMMIT_SOURCE
from t2c.ledger.journal.append import Expected
from t2c.ledger.kernel.canon import MAX_INT, canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.collector import collector_paused
from t2c.ledger.kernel.ids import RunId, run_id
from t2c.ledger.linking.base import LinkDraft, Links, Memory
from t2c.ledger.linking.features import Ranker
from t2c.ledger.linking.kept import KeptLinks, Library
from t2c.ledger.linking.linker import LINKED, relate
from t2c.ledger.standing import Standing, catch_up

__all__ = ["Recording", "closed"]

_EVENTS_PER_COMMIT: Final = 1000
_BYTES_PER_COMMIT: Final = 8 << 20
_ATTEMPTS: Final = 5
_LINES_KEPT: Final = 20


class _Plan(NamedTuple):
    """What is to be appended: a number of events at least, and the events, made as they are asked for."""

    number: int
    drafts: Iterator[EventDraft]


class Recording:
    """One scan's recording: plans against what stands, appends, and plans again if somebody came between.

    `kept` is what linking kept of the records and relations that stand, and afterwards of those that stand then;
    None where that is not known, or nothing was linked. `within` is a run that has begun and goes on afterwards: its
    stages are recorded even where nothing differs, its start and end are not.
    """

    def __init__(
        self,
        context: Context,
        ledger: Ledger,
        sources: Sources,
        kept: KeptLinks | None = None,
        within: RunId | None = None,
    ) -> None:
        self.context = context
        self.ledger = ledger
        self.sources = sources
        self.kept = kept
        self.appended: Counter[str] = Counter()
        self.within = within
        self.run = within

    def record(self, standing: Standing) -> Standing:
        """Append the difference; returns what stands afterwards."""
        for _ in range(_ATTEMPTS):
            head = standing.position
            run = self.run or run_id(head.hash, rfc3339(self.context.clock.now()))
            plan = self._plan(standing.state, run)
            if not plan.number:
                return standing
            try:
                self._append(plan, Expected(head.seq, head.hash))
            except Conflict as conflict:
                if "hash" not in conflict.details:
                    raise
                standing, self.kept = catch_up(self.ledger, standing), None
                self.run = self.within or (run if run in standing.state.runs else None)
                continue
            self.run = run
            return catch_up(self.ledger, standing, {record.id: record for record in self._observations()})
        raise Conflict(
            "other writers kept changing the ledger while this scan was recording",
            safe="what was recorded so far is sound, and the next scan goes on from there",
            remedy="run `t2c scan` again",
        )

    def _append(self, plan: _Plan, expected: Expected) -> None:
        done = 0
        for part in _commits(plan.drafts):
            receipts = self.ledger.append(part, expected=expected)
            self.appended.update(item.type for item in part)
            done += len(part)
            expected = Expected(receipts[-1].seq, receipts[-1].hash)
            self.context.progress("record", done, max(done, plan.number))

    def _plan(self, state: EvidenceState, run: RunId) -> _Plan:
        """Every event that makes what stands equal to what was read; none if it is equal already."""
        gone = gone_records(self.context.root, self.sources, state)
        counts = [differing(state, scope) for stage in self.sources.stages for scope in stage.scopes]
        other, moved = sum(count for count, _ in counts), sum(count for _, count in counts)
        kept = self.kept
        asked = kept is not None and (
            state.judged > kept.position[0] or kept.by_meaning != self.context.settings.scan.embeddings
        )
        fresh = kept is None or asked or other > 0 or len(gone) > 0
        links: Links | None = None
        if fresh:
            with collector_paused():
                links = self._link(state, gone)
        relations: list[EventDraft] = []
        if links is not None:
            standing = {record.id for record in self._observations()} | (state.records.keys() - gone.keys())
            former = {} if kept is None else {found.id: found for found in kept.relations}
            payloads = dict(
                _payloads(
                    found
                    for found in links.relations
                    if found is not (before := former.get(found.id)) and found != before
                )
            )
            ids = {found.id for found in links.relations}
            relations = decide_relations(state, ids, payloads, standing, run, self._changed(state))
        noted = _omissions(self.sources.stages, links) + unseen_records(self.sources, state)
        omissions = decide_omissions(
            state, noted, lambda source, path: self._covered(source, path, fresh), run
        )
        number = other + moved + len(gone) + len(relations) + len(omissions)
        if not number and self.within is None:
            closing = closed(state, run)
            return _Plan(len(closing), iter(closing))
        found = sum(relation.of is None for relation in state.relations.values())
        linked = found if links is None else len(links.relations)
        return _Plan(max(number, 1), self._drafts(state, run, gone, relations, omissions, linked))

    def _observations(self) -> Iterator[Observation]:
        for stage in self.sources.stages:
            for scope in stage.scopes:
                yield from scope.records

    def _changed(self, state: EvidenceState) -> set[str]:
        """The records at an end of what a model accepted that now say something else."""
        ends = {end for one in state.relations.values() if one.of is not None for end in (one.source, one.to)}
        read = self._observations() if ends else ()
        return {
            record.id
            for record in read
            if record.id in ends
            and ((live := state.records.get(record.id)) is None or live.digest != record.digest)
        }

    def _covered(self, source: str, path: str | None, linked: bool) -> bool:
        """True if this scan looked where an omission was noted and would have noted it again."""
        if source == COMMIT_SOURCE:
            # Commits never change and are read once: what was left out of one stays so while it is reachable.
            reachable = self.sources.reachable
            return reachable is not None and (path or "").removeprefix("commit:") not in reachable
        if source == "link":
            return linked
        if source == "git":
            return any(
                scope.path == path
                for stage in self.sources.stages
                if stage.source == "git" and stage.failure is None and stage.looked
                for scope in stage.scopes
            )
        return (source, path) not in self.sources.unchanged and any(
            stage.source == source and stage.failure is None and stage.looked for stage in self.sources.stages
        )

    def _successors(self, state: EvidenceState, gone: Mapping[str, str]) -> Mapping[str, Successor]:
        if not gone:
            return {}
        offsets = [state.records[identity].offset for identity in sorted(gone)]
        removed = [orjson.loads(body) for body in self._bodies(offsets)]
        added = [
            orjson.loads(record.body) for record in self._observations() if record.id not in state.records
        ]
        return lineage(removed, added)

    def _bodies(self, offsets: Sequence[int]) -> Iterator[bytes]:
        for entry in self.ledger.journal.many(offsets):
            yield bytes(entry.data)[RECORD_AT:-1]

    def _link(self, state: EvidenceState, gone: Mapping[str, str]) -> Links:
        self.context.progress("link", 0, None)
        kept = self.kept
        library = Library() if kept is None else Library(kept.records, kept.unreadable)
        library.take(self._unkept(state, gone, whole=kept is None), gone)
        memory = Memory()
        if kept is not None and kept.by_meaning == self.context.settings.scan.embeddings:
            memory = Memory(kept.groups, kept.rules, frozenset(library.changed), kept.relations)
        links = relate(library.corpus(self._ranker(), memory), state.verdicts)
        self.kept = KeptLinks(
            records=list(library.records.values()),
            unreadable=library.unreadable,
            relations=links.relations,
            warnings=links.warnings,
            groups=memory.used_groups,
            rules=memory.used_rules,
            by_meaning=self.context.settings.scan.embeddings,
        )
        return links

    def _ranker(self) -> Ranker | None:
        """Compares meaning, where the settings ask for it. Raises Environment if it is not installed."""
        if not self.context.settings.scan.embeddings:
            return None
        from t2c.ledger.linking.language.embeddings import ranker

        return ranker()

    def _unkept(self, state: EvidenceState, gone: Mapping[str, str], *, whole: bool) -> Iterator[bytes]:
        """The records that a library lacks: all that stand afterwards, or only those read otherwise than recorded."""
        read: set[str] = set()
        for stage in self.sources.stages:
            for scope in stage.scopes if stage.source in LINKED else ():
                for record in scope.records:
                    live = None if whole else state.records.get(record.id)
                    if live is None or live.digest != record.digest:
                        yield record.body
                    read.add(record.id)
        if whole:
            unread = (
                live.offset
                for identity, live in state.records.items()
                if identity not in read and identity not in gone and live.source in LINKED
            )
            yield from self._bodies(sorted(unread))

    def _drafts(
        self,
        state: EvidenceState,
        run: RunId,
        gone: Mapping[str, str],
        relations: Sequence[EventDraft],
        omissions: Sequence[EventDraft],
        linked: int,
    ) -> Iterator[EventDraft]:
        sources, appended = self.sources, Counter(self.appended)
        successors = self._successors(state, gone)
        last = {stage.source: stage.name for stage in sources.stages}

        def told(items: Iterable[EventDraft]) -> Iterator[EventDraft]:
            for item in items:
                appended[item.type] += item.run == run
                yield item

        yield from closed(state, run)
        if self.within is None and run not in state.runs:
            yield from told([self._started(run)])
        for stage in sources.stages:
            for scope in stage.scopes:
                yield from told(decide_records(state, scope, run))
            if last[stage.source] == stage.name:
                mine = {
                    identity: why
                    for identity, why in gone.items()
                    if state.records[identity].source == stage.source
                }
                yield from told(decide_retractions(mine, successors, run))
            yield from told([draft(_stage_finished(stage), run=run)])
        yield from told(relations)
        finished = StageFinished(stage="link", status="succeeded", counts={"relations": linked}, detail=None)
        yield from told([draft(finished, run=run), *omissions])
        if self.within is not None:
            return
        whole = {stage.status for stage in sources.stages} == {"succeeded"}
        appended["run.finished"] += 1
        finish = RunFinished(status="succeeded" if whole else "partial", appended=appended, detail=None)
        yield draft(finish, run=run)

    def _started(self, run: RunId) -> EventDraft:
        started = RunStarted(
            verb="scan",
            requested_by=self.context.settings.actor,
            tool=f"t2c {__version__}",
            revision=self.sources.revision,
            branch=self.sources.branch,
            options={"commits": min(self.context.settings.scan.commits, MAX_INT)},
        )
        return draft(started, run=run)


def closed(state: EvidenceState, run: RunId | None = None) -> list[EventDraft]:
    """The ends of runs that were started before and never finished: they stopped at their last stage."""
    return [
        draft(RunFinished(status="failed", appended={}, detail=f"stopped at stage {stage}"), run=open_run)
        for open_run, stage in sorted(state.runs.items())
        if open_run != run
    ]


def _commits(drafts: Iterable[EventDraft]) -> Iterator[list[EventDraft]]:
    part: list[EventDraft] = []
    size = 0
    for item in drafts:
        if part and (len(part) == _EVENTS_PER_COMMIT or size + len(item.data) > _BYTES_PER_COMMIT):
            yield part
            part, size = [], 0
        part.append(item)
        size += len(item.data)
    if part:
        yield part


def _stage_finished(stage: Stage) -> StageFinished:
    counts = {"files": stage.files, "records": stage.records, "omissions": stage.omissions}
    detail = None if stage.failure is None else stage.failure.what
    return StageFinished(stage=stage.name, status=stage.status, counts=counts, detail=detail)


def _payloads(relations: Iterable[LinkDraft]) -> Iterator[tuple[str, bytes]]:
    for found in relations:
        payload = {
            "relation": {
                "id": found.id,
                "from": found.source,
                "to": found.target,
                "type": found.type,
                "confidence": found.confidence,
                "basis": list(found.basis),
            },
            "rule": found.rule,
            "signals": [{"name": name, "value": value} for name, value in found.signals],
        }
        yield found.id, canonical(payload)


def _omissions(stages: Sequence[Stage], links: Links | None) -> list[OmissionNoted]:
    noted = []
    for (source, path, reason), group in _by_key(item for stage in stages for item in stage.warnings).items():
        lines = sorted({line for warning in group for line in warning.lines})[:_LINES_KEPT]
        noted.append(
            OmissionNoted(
                source=source,
                path=path,
                reason=reason,
                count=sum(warning.count for warning in group),
                lines=tuple(lines),
                detail=group[0].detail,
            )
        )
    noted += [
        OmissionNoted(
            source="link", path=None, reason=item.reason, count=item.count, lines=(), detail=item.detail
        )
        for item in ([] if links is None else links.warnings)
    ]
    return sorted(noted, key=lambda item: (item.source, item.path or "", item.reason))


def _by_key(warnings: Iterable[Warning]) -> dict[tuple[str, str | None, str], list[Warning]]:
    """Warnings that become one omission: the same source, path and reason."""
    groups: dict[tuple[str, str | None, str], list[Warning]] = {}
    for warning in warnings:
        groups.setdefault((warning.source, warning.path, warning.reason), []).append(warning)
    return groups
