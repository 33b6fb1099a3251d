"""What the events of a run say of it: its configuration, how each stage went, what a model answered, how it ended.

The manifest `t2c.run/v1` is made of that, `document.py` says how (intent-evidence §8).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, Unusable

__all__ = ["PERSISTENCE", "VERB", "Manifests", "ManifestsProjection", "Passed", "Rendered", "RunTold"]

VERB: Final = "run"
"""The verb of runs that have a manifest."""
PERSISTENCE: Final = "persistence"
"""The stage in which the folder is written, so that nothing of it stands in the folder."""


class Passed(msgspec.Struct):
    """A stage that is over; `took` is the time in milliseconds since the stage before it, or since the run began."""

    stage: str
    status: str
    counts: dict[str, int]
    detail: str | None
    seq: int
    took: int

    @property
    def of_scan(self) -> bool:
        """True for a stage that read files, false for one that asked a model or made a view."""
        return "files" in self.counts


class RunTold(msgspec.Struct):
    """One run; `responses` holds by stage what came back of each request, `at` is the seq of its last event."""

    requested_by: str
    tool: str
    ts: str
    at: int
    options: dict[str, Any]
    revision: str | None = None
    branch: str | None = None
    last: str = ""
    stages: list[Passed] = []
    degradations: list[tuple[str, str]] = []
    responses: dict[str, list[dict[str, Any]]] = {}
    status: str | None = None
    detail: str | None = None

    @property
    def broke_at(self) -> Passed | None:
        """The stage that failed last."""
        return next((one for one in reversed(self.stages) if one.status == "failed"), None)

    @property
    def folded_at(self) -> int:
        """The seq up to which the folder of the run is folded: a folder holds nothing of its own writing.

        Of a run that failed, or is not over, that is its last event.
        """
        if self.status in (None, "failed"):
            return self.at
        return max((one.seq for one in self.stages if one.stage != PERSISTENCE), default=self.at)


class Rendered(msgspec.Struct, frozen=True):
    """A patch as it was rendered; `shown` is the object of the text that a person reads, `ts` when that was."""

    kind: str
    artifact: dict[str, Any]
    shown: str
    ts: str


class Manifests(msgspec.Struct):
    """`runs`: by run id. `asked`: an `llm.asked` without an outcome → its run and stage. `patches`: by their hash."""

    runs: dict[str, RunTold] = {}
    asked: dict[str, tuple[str, str]] = {}
    patches: dict[str, Rendered] = {}


class _Started(msgspec.Struct, frozen=True):
    verb: str
    requested_by: str
    tool: str
    revision: str | None
    branch: str | None
    options: dict[str, Any]


class _Stage(msgspec.Struct, frozen=True):
    stage: str
    status: str
    counts: dict[str, int]
    detail: str | None


class _Degradation(msgspec.Struct, frozen=True):
    stage: str
    reason: str


class _Finished(msgspec.Struct, frozen=True):
    status: str
    detail: str | None


class _Patch(msgspec.Struct, frozen=True):
    kind: str
    hash: str
    shown: str
    artifact: dict[str, Any]


class _Asked(msgspec.Struct, frozen=True):
    stage: str


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cost_micros: int | None = None


class _Story(msgspec.Struct, frozen=True):
    requested: str
    served: str | None
    provider: str | None
    response_id: str | None
    usage: _Usage


class _Outcome(msgspec.Struct, frozen=True):
    asked: str
    story: _Story


_started = msgspec.json.Decoder(_Started).decode
_stage = msgspec.json.Decoder(_Stage).decode
_degradation = msgspec.json.Decoder(_Degradation).decode
_finished = msgspec.json.Decoder(_Finished).decode
_patch = msgspec.json.Decoder(_Patch).decode
_asked = msgspec.json.Decoder(_Asked).decode
_outcome = msgspec.json.Decoder(_Outcome).decode


class ManifestsProjection:
    """Folds what a manifest is made of. It has no artifact of its own: a manifest stands in the folder of its run."""

    name = "manifest"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset(
        {
            "run.started",
            "stage.finished",
            "degradation.noted",
            "run.finished",
            "llm.asked",
            "llm.answered",
            "llm.unusable",
            "patch.rendered",
        }
    )
    state_type = Manifests

    def start(self) -> Manifests:
        return Manifests()

    def step(self, state: Manifests, entry: Entry) -> None:
        """Events of other verbs' runs are passed over. Raises Unusable for a run that begins twice."""
        if entry.type == "run.started":
            _begin(state, entry)
            return
        if entry.type == "patch.rendered":
            patch = _patch(entry.data)
            state.patches[patch.hash] = Rendered(patch.kind, patch.artifact, patch.shown, entry.ts)
            return
        run = state.runs.get(entry.run or "")
        if run is None or entry.run is None:
            return
        if entry.type == "stage.finished":
            stage = _stage(entry.data)
            took = _milliseconds(run.last, entry.ts)
            run.stages.append(Passed(stage.stage, stage.status, stage.counts, stage.detail, entry.seq, took))
            run.last = entry.ts
        elif entry.type == "degradation.noted":
            noted = _degradation(entry.data)
            run.degradations.append((noted.stage, noted.reason))
        elif entry.type == "run.finished":
            ended = _finished(entry.data)
            run.status, run.detail = ended.status, ended.detail
        elif entry.type == "llm.asked":
            state.asked[entry.id] = (entry.run, _asked(entry.data).stage)
        else:
            told = _outcome(entry.data)
            _, stage_name = state.asked.pop(told.asked, (entry.run, "unknown"))
            run.responses.setdefault(stage_name, []).append(_response(told.story))
        run.at = entry.seq

    def finish(self, state: Manifests, inputs: Inputs) -> Artifacts:
        return {}


def _begin(state: Manifests, entry: Entry) -> None:
    what = _started(entry.data)
    if what.verb != VERB or entry.run is None:
        return
    if entry.run in state.runs:
        raise Unusable(f"run {entry.run} had begun before")
    state.runs[entry.run] = RunTold(
        requested_by=what.requested_by,
        tool=what.tool,
        ts=entry.ts,
        at=entry.seq,
        options=what.options,
        revision=what.revision,
        branch=what.branch,
        last=entry.ts,
    )


def _response(story: _Story) -> dict[str, Any]:
    usage, micros = story.usage, story.usage.cost_micros
    return {
        "responseId": story.response_id,
        "model": story.served or story.requested,
        "provider": story.provider,
        "usage": {
            "promptTokens": usage.prompt_tokens,
            "completionTokens": usage.completion_tokens,
            "totalTokens": usage.total_tokens,
            "cost": None if micros is None else micros / 1_000_000,
        },
    }


def _milliseconds(before: str, after: str) -> int:
    """The time between two timestamps of events; 0 where they cannot be told apart or do not follow each other."""
    from datetime import datetime

    try:
        spent = datetime.fromisoformat(after) - datetime.fromisoformat(before)
    except ValueError:
        return 0
    return max(0, round(spent.total_seconds() * 1000))
