"""What stands to be read by a model, and recording what was read: only what differs from what is recorded already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from msgspec.structs import replace
from pydantic import ValidationError

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.ledger.commands.evidence import EvidenceState, decide_omissions
from t2c.ledger.engine import Ledger
from t2c.ledger.events.base import Payload
from t2c.ledger.events.decisions import SynthesisDrawn
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import RecordInterpreted
from t2c.ledger.events.llm import Story
from t2c.ledger.events.runs import (
    DegradationNoted,
    OmissionNoted,
    RunFinished,
    RunStarted,
    StageFinished,
    StageStatus,
)
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.digests import short
from t2c.ledger.kernel.ids import RECORD_PREFIX, RunId, run_id
from t2c.ledger.llm.receipts import agent
from t2c.ledger.llm.stages.batches import Failure
from t2c.ledger.llm.stages.reading import Readable
from t2c.ledger.standing import load
from t2c.projections.base import Inputs
from t2c.projections.fold import fold
from t2c.projections.records import StandingRecords
from t2c.projections.registry import ALL

__all__ = ["Interpreter", "Stood", "appended_by", "run_of", "stood"]

_AT_ONCE: Final = 500


class Stood:
    """The records that stand, as they were found, with what a model has read of them so far."""

    def __init__(
        self,
        records: Iterable[tuple[str, bytes]],
        state: EvidenceState,
        readings: Mapping[str, bytes],
        syntheses: Mapping[str, bytes],
    ) -> None:
        self.state = state
        self.readings = dict(readings)
        self.syntheses = dict(syntheses)
        self._records = records
        self._found: dict[str, list[tuple[str, bytes]]] | None = None
        self._kinds: dict[str, list[Readable]] = {}

    def of(self, kinds: Sequence[str], wanted: Callable[[Mapping[str, Any]], bool]) -> list[Readable]:
        """Those of these kinds of source that are wanted, by id."""
        return [one for kind in kinds for one in self._of_kind(kind) if wanted(one.record)]

    def is_read(self, about: Readable, prompt: str) -> bool:
        """True if there is a reading of what it says now, asked for in these words."""
        data = self.readings.get(about.id)
        if data is None:
            return False
        reading = orjson.loads(data)
        return bool(reading["of"] == about.of and reading["prompt"] == prompt)

    def is_summed(self, group: str, digest: str, prompt: str) -> bool:
        """True if there is a synthesis of what a participant's statements say now, asked for in these words."""
        data = self.syntheses.get(group)
        if data is None:
            return False
        drawn = orjson.loads(data)
        return bool(drawn["of"] == digest and drawn["prompt"] == prompt)

    def _of_kind(self, kind: str) -> list[Readable]:
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = [
                Readable(identity, self.state.records[identity].digest.hex(), orjson.loads(raw))
                for identity, raw in self._by_prefix().get(RECORD_PREFIX[kind], ())
                if identity in self.state.records
            ]
        return found

    def _by_prefix(self) -> Mapping[str, Sequence[tuple[str, bytes]]]:
        """The records by the kind that their ids name, gone through once: there are many more than a model reads."""
        if self._found is None:
            self._found = {}
            for one in self._records:
                self._found.setdefault(one[0].rpartition("-")[0], []).append(one)
        return self._found


def stood(ledger: Ledger) -> Stood:
    """What stands now."""
    folded = fold(ledger.journal, ALL, ["records"], cache=ledger.cache / "folds")
    records = folded.states["records"]
    standing = StandingRecords.of(Inputs(folded.ts or "", folded.states, folded.made))
    return Stood(standing, load(ledger).state, records.readings, records.syntheses)


def run_of(context: Context, ledger: Ledger) -> RunId:
    """The id of a run that begins now."""
    return run_id(ledger.head().hash, rfc3339(context.clock.now()))


def appended_by(ledger: Ledger, run: str, after: Position) -> Counter[str]:
    """The events of a run by type, after a position: what the stages recorded, and what the requests did."""
    return Counter(entry.type for entry in ledger.entries(after) if entry.run == run)


class Mark(NamedTuple):
    """Where a stage began."""

    seq: int
    recorded: int


class Interpreter:
    """Records what stages make of answers, in a run of its own that begins with the first event there is."""

    def __init__(
        self,
        context: Context,
        ledger: Ledger,
        mode: str,
        now: Stood,
        run: RunId | None = None,
        *,
        within: bool = False,
    ) -> None:
        """`within`: the run has begun already, and somebody else ends it."""
        self._context = context
        self._ledger = ledger
        self._mode = mode
        self._now = now
        self._given = run
        self._within = within
        self._run: RunId | None = run if within else None
        self._told: set[str] = set()
        self._before = ledger.head()
        self._appended: Counter[str] = Counter()

    def begin(self) -> Mark:
        return Mark(self._ledger.head().seq, self._appended.total())

    def readings(self, read: Sequence[RecordInterpreted], story: Story) -> int:
        """Record readings of one answer without the secrets in them, those left out that stand already.

        Returns how many hold a secret where it cannot be masked, and were not recorded.
        """
        fresh: list[tuple[Payload, str]] = []
        withheld = 0
        for payload in read:
            try:
                masked = RecordInterpreted.decode(self._ledger.funnel.mask_json(payload.encode()).content)
            except ValidationError:
                withheld += 1
                continue
            data = masked.encode()
            if self._now.readings.get(masked.id) != data:
                self._now.readings[masked.id] = data
                fresh.append((masked, masked.answered))
        self._say(fresh, story)
        return withheld

    def syntheses(self, drawn: Sequence[SynthesisDrawn], story: Story) -> None:
        """Record syntheses of one answer, those left out that stand already."""
        fresh: list[tuple[Payload, str]] = []
        for payload in drawn:
            group, data = f"{payload.role}|{payload.participant}", payload.encode()
            if self._now.syntheses.get(group) != data:
                self._now.syntheses[group] = data
                fresh.append((payload, payload.by))
        self._say(fresh, story)

    def omissions(self, noted: Sequence[OmissionNoted], covered: Callable[[str, str | None], bool]) -> None:
        """Make what is left out equal to `noted`, as far as it was looked at."""
        self.record(decide_omissions(self._now.state, noted, covered, "interpret"))

    def record(self, drafts: Sequence[EventDraft]) -> None:
        """Record events that a stage has decided on."""
        if drafts:
            run = self.start()
            self._append([replace(item, run=run) for item in drafts])

    def speaker(self, story: Story) -> Actor:
        """Who says what a model said, without what may be a secret."""
        return agent(story, self._ledger.funnel)

    def end(
        self,
        mark: Mark,
        stage: str,
        status: str,
        failure: Failure | None,
        counts: Mapping[str, int],
        asked: str = "records read by a model",
    ) -> int:
        """Record how the stage went, if it recorded anything or failed as it never did before; how many events it was."""
        told = failure is not None and self._degraded(
            stage, status, failure, counts, asked=asked, moved=self._moved(mark)
        )
        if told or self._moved(mark):
            detail = None if failure is None else f"{failure.code}: {failure.message}"
            finished = StageFinished(stage=stage, status=status, counts=dict(counts), detail=detail)  # type: ignore[arg-type]
            self._append([draft(finished, run=self.start())])
            self._told.add(stage)
        return self._appended.total() - mark.recorded

    def passed(self, stage: str, status: StageStatus, reason: Mapping[str, str] | None) -> None:
        """Record how a stage of a run that tells of all its stages went, where that was not recorded yet."""
        if self._within and stage not in self._told:
            self._told.add(stage)
            detail = None if reason is None else f"{reason['code']}: {reason['message']}"
            finished = StageFinished(stage=stage, status=status, counts={}, detail=detail)
            self._append([draft(finished, run=self.start())])

    def finish(self, status: str, detail: str | None = None) -> None:
        """End the run, if one began and it is not a part of another."""
        if self._run is not None and not self._within:
            appended = dict(sorted(appended_by(self._ledger, self._run, self._before).items()))
            self._append([draft(RunFinished(status=status, appended=appended, detail=detail), run=self._run)])  # type: ignore[arg-type]
            self._run = None

    def _moved(self, mark: Mark) -> bool:
        return self._ledger.head().seq != mark.seq

    def _degraded(
        self, stage: str, status: str, failure: Failure, counts: Mapping[str, int], *, asked: str, moved: bool
    ) -> bool:
        """Record what was given up; False if nothing happened but what is recorded already."""
        note = DegradationNoted(
            stage=stage,
            asked=asked,
            done="nothing more" if status == "failed" else "records as they were found",
            reason=f"{failure.code}: {failure.message}",
        )
        # Taken from the record, the same failure says in addition where it is recorded: no news.
        what = {**note.model_dump(), "reason": note.reason.partition("; this is recorded (seq ")[0]}
        key = f"{stage}:{short(canonical([what, dict(counts)]))}"
        known = self._ledger.index.keyed(key) is not None
        if known and not moved:
            return False
        self._append([draft(note, run=self.start(), key=None if known else key)])
        return True

    def _say(self, payloads: Sequence[tuple[Payload, str]], story: Story) -> None:
        """Record what a model said, in its name."""
        if not payloads:
            return
        who = self.speaker(story)
        run = self.start()
        drafts = [draft(payload, actor=who, cause=(by,), run=run) for payload, by in payloads]
        # All or none: half an answer would leave another half to ask about, which is another question.
        self._append(drafts, atomic=1 < len(drafts) <= _AT_ONCE)

    def start(self) -> RunId:
        """The run, begun with the first call."""
        if self._run is None:
            self._run = self._given or run_of(self._context, self._ledger)
            started = RunStarted(
                verb="interpret",
                requested_by=self._context.settings.actor,
                tool=f"t2c {__version__}",
                revision=None,
                branch=None,
                options={"llm": self._mode},
            )
            self._append([draft(started, run=self._run)])
        return self._run

    def _append(self, drafts: Sequence[EventDraft], *, atomic: bool = False) -> None:
        for first in range(0, len(drafts), _AT_ONCE):
            part = drafts[first : first + _AT_ONCE]
            self._ledger.append(part, atomic=atomic)
            self._appended.update(item.type for item in part)
