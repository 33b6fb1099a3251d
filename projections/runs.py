"""The runs: who asked for what, stage by stage, and what each run wrote.

A run that was started and has no end projects as failed at its last stage (decisions E2).
"""

from __future__ import annotations

from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, Unusable, pretty

__all__ = ["SCHEMA", "Degradation", "Moment", "Run", "Runs", "RunsProjection", "Stage", "started"]

SCHEMA: Final = "t2c.runs/v1"


class Moment(msgspec.Struct, frozen=True):
    """When, by the journal's own time and order."""

    seq: int
    ts: str


class Stage(msgspec.Struct, frozen=True, rename={"name": "stage"}):
    """A stage that is over; `status` is succeeded, partial, fallback, failed or skipped."""

    name: str
    status: str
    counts: dict[str, int]
    detail: str | None


class Degradation(msgspec.Struct, frozen=True):
    """Something that was done in a lesser way than asked."""

    stage: str
    asked: str
    done: str
    reason: str


class Started(msgspec.Struct, frozen=True):
    verb: str
    requested_by: str
    tool: str
    revision: str | None
    branch: str | None


class Finished(msgspec.Struct, frozen=True):
    status: str
    detail: str | None


class Run(msgspec.Struct):
    """What is known of one run id; `appended` counts its events by type, `run.finished` left out."""

    began: Moment | None = None
    what: Started | None = None
    stages: list[Stage] = []
    degradations: list[Degradation] = []
    ended: Moment | None = None
    outcome: Finished | None = None
    appended: dict[str, int] = {}

    @property
    def status(self) -> str:
        """succeeded, partial or failed; failed if it never ended."""
        return "failed" if self.outcome is None else self.outcome.status


class Runs(msgspec.Struct):
    """By run id. Ids that correlate something else than a run are here too, without a start."""

    runs: dict[str, Run] = {}


_started = msgspec.json.Decoder(Started).decode
_stage = msgspec.json.Decoder(Stage).decode
_degradation = msgspec.json.Decoder(Degradation).decode
_finished = msgspec.json.Decoder(Finished).decode


class RunsProjection:
    """`runs.json`, in the order in which the runs began."""

    name = "runs"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset({"run.started", "stage.finished", "degradation.noted", "run.finished"})
    state_type = Runs

    def start(self) -> Runs:
        return Runs()

    def note(self, state: Runs, entry: Entry) -> None:
        """Count the event for its run, whatever it is."""
        if entry.run is None or entry.type == "run.finished":
            return
        appended = _run(state, entry.run).appended
        appended[entry.type] = appended.get(entry.type, 0) + 1

    def step(self, state: Runs, entry: Entry) -> None:
        """Raises Unusable for an event that names no run, or begins or ends one a second time."""
        if entry.run is None:
            raise Unusable(f"{entry.type} names no run")
        moment = Moment(entry.seq, entry.ts)
        if entry.type == "stage.finished":
            stage = _stage(entry.data)
            _run(state, entry.run).stages.append(stage)
        elif entry.type == "degradation.noted":
            degradation = _degradation(entry.data)
            _run(state, entry.run).degradations.append(degradation)
        elif entry.type == "run.started":
            what = _started(entry.data)
            run = _run(state, entry.run)
            if run.began is not None:
                raise Unusable(f"run {entry.run} had begun at seq {run.began.seq}")
            run.began, run.what = moment, what
        else:
            outcome = _finished(entry.data)
            run = _run(state, entry.run)
            if run.ended is not None:
                raise Unusable(f"run {entry.run} had ended at seq {run.ended.seq}")
            run.ended, run.outcome = moment, outcome

    def finish(self, state: Runs, inputs: Inputs) -> Artifacts:
        runs = [_shown(identity, run, what, began) for identity, run, what, began in started(state)]
        return {"runs.json": pretty({"schema": SCHEMA, "runs": runs})}


def _run(state: Runs, identity: str) -> Run:
    found = state.runs.get(identity)
    if found is None:
        found = state.runs[identity] = Run()
    return found


def started(state: Runs) -> list[tuple[str, Run, Started, Moment]]:
    """Id, run, what was asked and when it began, for every run that began, in that order."""
    found = [
        (identity, run, run.what, run.began)
        for identity, run in state.runs.items()
        if run.what is not None and run.began is not None
    ]
    return sorted(found, key=lambda item: item[3].seq)


def _shown(identity: str, run: Run, what: Started, began: Moment) -> dict[str, object]:
    status = run.status
    last_stage = run.stages[-1].name if run.stages else None
    return {
        "id": identity,
        "verb": what.verb,
        "requested_by": what.requested_by,
        "tool": what.tool,
        "revision": what.revision,
        "branch": what.branch,
        "started": {"seq": began.seq, "ts": began.ts},
        "finished": None if run.ended is None else {"seq": run.ended.seq, "ts": run.ended.ts},
        "status": status,
        "failed_at": last_stage if status == "failed" else None,
        "detail": None if run.outcome is None else run.outcome.detail,
        "stages": [msgspec.structs.asdict(stage) for stage in run.stages],
        "degradations": [msgspec.structs.asdict(degradation) for degradation in run.degradations],
        "appended": run.appended,
    }
