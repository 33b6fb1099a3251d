"""Recording what a scan read: the difference to what stands, planned purely, appended against an expected head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import orjson

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.cli.actions.reading import Sources, Stage
from t2c.ledger.commands.evidence import (
    RECORD_AT,
    EvidenceState,
    Observation,
    decide_omissions,
    decide_records,
    decide_relations,
    decide_retractions,
    missing,
)
from t2c.ledger.commands.lineage import Successor, lineage
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.runs import OmissionNoted, RunFinished, RunStarted, StageFinished
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git import COMMIT_SOURCE
from t2c.ledger.journal.append import Expected
from t2c.ledger.kernel.canon import MAX_INT, canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.ids import RunId, run_id
from t2c.ledger.linking.base import Links
from t2c.ledger.linking.linker import link
from t2c.ledger.standing import Standing, catch_up

__all__ = ["Recording"]

_EVENTS_PER_COMMIT: Final = 1000
_BYTES_PER_COMMIT: Final = 8 << 20
_ATTEMPTS: Final = 5
_LINES_KEPT: Final = 20


class Recording:
    """One scan's recording: plans against what stands, appends, and plans again if somebody came between."""

    def __init__(self, context: Context, ledger: Ledger, sources: Sources) -> None:
        self.context = context
        self.ledger = ledger
        self.sources = sources
        self.appended: Counter[str] = Counter()
        self.run: RunId | None = None

    def record(self, standing: Standing) -> Standing:
        """Append the difference; returns what stands afterwards."""
        for _ in range(_ATTEMPTS):
            head = standing.position
            run = self.run or run_id(head.hash, rfc3339(self.context.clock.now()))
            drafts = self._plan(standing.state, run)
            if not drafts:
                return standing
            try:
                self._append(drafts, Expected(head.seq, head.hash))
            except Conflict as conflict:
                if "hash" not in conflict.details:
                    raise
                standing = catch_up(self.ledger, standing)
                self.run = run if run in standing.state.runs else None
                continue
            self.run = run
            return catch_up(self.ledger, standing, {record.id: record for record in self._observations()})
        raise Conflict(
            "other writers kept changing the ledger while this scan was recording",
            safe="what was recorded so far is sound, and the next scan goes on from there",
            remedy="run `t2c scan` again",
        )

    def _append(self, drafts: Sequence[EventDraft], expected: Expected) -> None:
        done = 0
        for part in _commits(drafts):
            receipts = self.ledger.append(part, expected=expected)
            self.appended.update(item.type for item in part)
            done += len(part)
            expected = Expected(receipts[-1].seq, receipts[-1].hash)
            self.context.progress("record", done, len(drafts))

    def _plan(self, state: EvidenceState, run: RunId) -> list[EventDraft]:
        """Every event that makes what stands equal to what was read; empty if it is equal already."""
        gone = self._gone(state)
        successors = self._successors(state, gone)
        by_stage = {
            stage.name: self._stage_drafts(state, stage, gone, successors, run)
            for stage in self.sources.stages
        }
        links = self._link(state, gone)
        linked = dict(_payloads(links))
        standing = {record.id for record in self._observations()} | (state.records.keys() - gone.keys())
        by_stage["link"] = decide_relations(state, linked, standing, run)
        noted = _omissions(self.sources.stages, links) + self._unseen(state)
        omissions = decide_omissions(state, noted, self._covered, run)
        if not omissions and not any(by_stage.values()):
            return _closed(state, run)
        return self._run(state, run, by_stage, omissions, len(linked))

    def _observations(self) -> Iterator[Observation]:
        for stage in self.sources.stages:
            for scope in stage.scopes:
                yield from scope.records

    def _unseen(self, state: EvidenceState) -> list[OmissionNoted]:
        """Records that stand in files which were read in part, and that this reading did not find.

        They are not retracted, because their absence is not proven; that nobody saw them again is told here.
        """
        seen: dict[tuple[str, str | None], set[str]] = {
            (scope.source, scope.path): {record.id for record in scope.records}
            for stage in self.sources.stages
            for scope in stage.scopes
            if not scope.complete and scope.path is not None
        }
        unseen = Counter(
            (live.source, live.path or "")
            for identity, live in state.records.items()
            if identity not in seen.get((live.source, live.path), {identity})
        )
        detail = "records that stood before and were not found in what could be read of the file"
        return [
            OmissionNoted(
                source=source, path=path, reason="not_seen_again", count=count, lines=(), detail=detail
            )
            for (source, path), count in sorted(unseen.items())
        ]

    def _covered(self, source: str, path: str | None) -> bool:
        """True if this scan looked where an omission was noted and would have noted it again."""
        if source == COMMIT_SOURCE:
            # Commits never change and are read once: what was left out of one stays so while it is reachable.
            reachable = self.sources.reachable
            return reachable is not None and (path or "").removeprefix("commit:") not in reachable
        return source == "link" or any(
            stage.source == source and stage.failure is None for stage in self.sources.stages
        )

    def _gone(self, state: EvidenceState) -> dict[str, str]:
        sources = self.sources
        read = {(scope.source, scope.path) for stage in sources.stages for scope in stage.scopes}
        of_files = {stage.source for stage in sources.stages} - {"git", "inventory"}
        vanished = {
            (live.source, live.path)
            for live in state.records.values()
            if live.source in of_files
            and live.path is not None
            and (live.source, live.path) not in read
            and sources.covers(live.path)
        }
        files = (scope for stage in sources.stages if stage.source != "git" for scope in stage.scopes)
        gone = missing(state, files, vanished)
        left_out = {path for _, path in vanished if (self.context.root / path).exists()}
        for identity, why in gone.items():
            if why == "file_gone" and state.records[identity].path in left_out:
                gone[identity] = "left_out"
        if sources.reachable is not None:
            for identity, live in state.records.items():
                if live.source == "git" and live.revision not in sources.reachable:
                    gone[identity] = "unreachable"
        return gone

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

    def _stage_drafts(
        self,
        state: EvidenceState,
        stage: Stage,
        gone: Mapping[str, str],
        successors: Mapping[str, Successor],
        run: RunId,
    ) -> list[EventDraft]:
        drafts = [item for scope in stage.scopes for item in decide_records(state, scope, run)]
        mine = {
            identity: why for identity, why in gone.items() if state.records[identity].source == stage.source
        }
        return drafts + decide_retractions(mine, successors, run)

    def _link(self, state: EvidenceState, gone: Mapping[str, str]) -> Links:
        self.context.progress("link", 0, None)
        read = {record.id for record in self._observations()}
        unread = [
            live.offset
            for identity, live in state.records.items()
            if identity not in read and identity not in gone
        ]

        def bodies() -> Iterator[bytes]:
            for record in self._observations():
                yield record.body
            yield from self._bodies(sorted(unread))

        return link(bodies())

    def _run(
        self,
        state: EvidenceState,
        run: RunId,
        by_stage: Mapping[str, list[EventDraft]],
        omissions: list[EventDraft],
        relations: int,
    ) -> list[EventDraft]:
        sources = self.sources
        drafts = _closed(state, run)
        if run not in state.runs:
            started = RunStarted(
                verb="scan",
                requested_by=self.context.settings.actor,
                tool=f"t2c {__version__}",
                revision=sources.revision,
                branch=sources.branch,
                options={"commits": min(self.context.settings.scan.commits, MAX_INT)},
            )
            drafts.append(draft(started, run=run))
        for stage in sources.stages:
            drafts += by_stage[stage.name]
            drafts.append(draft(_stage_finished(stage), run=run))
        drafts += by_stage["link"]
        linked = StageFinished(stage="link", status="succeeded", counts={"relations": relations}, detail=None)
        drafts += [draft(linked, run=run), *omissions]
        statuses = {stage.status for stage in sources.stages}
        finished = RunFinished(
            status="succeeded" if statuses == {"succeeded"} else "partial",
            appended=Counter(self.appended) + Counter(item.type for item in drafts if item.run == run),
            detail=None,
        )
        return [*drafts, draft(finished, run=run)]


def _closed(state: EvidenceState, run: RunId) -> list[EventDraft]:
    """The ends of runs that were started before and never finished: they stopped at their last stage."""
    return [
        draft(RunFinished(status="failed", appended={}, detail=f"stopped at stage {stage}"), run=open_run)
        for open_run, stage in sorted(state.runs.items())
        if open_run != run
    ]


def _commits(drafts: Sequence[EventDraft]) -> Iterator[list[EventDraft]]:
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
    counts = {
        "files": stage.files,
        "records": sum(len(scope.records) for scope in stage.scopes),
        "omissions": sum(warning.count for warning in stage.warnings),
    }
    detail = None if stage.failure is None else stage.failure.what
    return StageFinished(stage=stage.name, status=stage.status, counts=counts, detail=detail)


def _payloads(links: Links) -> Iterator[tuple[str, bytes]]:
    for found in links.relations:
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


def _omissions(stages: Sequence[Stage], links: Links) -> list[OmissionNoted]:
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
        for item in links.warnings
    ]
    return sorted(noted, key=lambda item: (item.source, item.path or "", item.reason))


def _by_key(warnings: Iterable[Warning]) -> dict[tuple[str, str | None, str], list[Warning]]:
    """Warnings that become one omission: the same source, path and reason."""
    groups: dict[tuple[str, str | None, str], list[Warning]] = {}
    for warning in warnings:
        groups.setdefault((warning.source, warning.path, warning.reason), []).append(warning)
    return groups
