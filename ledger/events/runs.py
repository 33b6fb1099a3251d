"""Family runs: what a piece of work did, stage by stage, and what it left out."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, FreeForm, Name, Payload, Text

__all__ = [
    "DegradationNoted",
    "OmissionCleared",
    "OmissionNoted",
    "RunFinished",
    "RunStarted",
    "StageFinished",
    "StageStatus",
]

StageStatus = Literal["succeeded", "partial", "fallback", "failed", "skipped"]


class RunStarted(Payload):
    """A run writes its first event. The helper does the work; `requested_by` says who asked for it."""

    type: ClassVar[str] = "run.started"
    verb: Name
    requested_by: Name
    tool: Name
    revision: str | None
    branch: str | None
    options: FreeForm


class StageFinished(Payload):
    """One stage of a run is over; a failed or partial one retracted nothing (decisions B2)."""

    type: ClassVar[str] = "stage.finished"
    stage: Name
    status: StageStatus
    counts: dict[Name, Count]
    detail: str | None


class DegradationNoted(Payload):
    """Something was done in a lesser way than asked."""

    type: ClassVar[str] = "degradation.noted"
    stage: Name
    asked: Text
    done: Text
    reason: Text


class OmissionNoted(Payload):
    """Something was left out, counted and named. Live evidence, keyed (source, path, reason).

    `lines` are the first places (at most 20) inside `path`, `count` is the whole number.
    """

    type: ClassVar[str] = "omission.noted"
    source: Name
    path: str | None
    reason: Name
    count: Annotated[int, Field(ge=1)]
    lines: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(max_length=20)]
    detail: str


class OmissionCleared(Payload):
    """What an `omission.noted` named is no longer left out."""

    type: ClassVar[str] = "omission.cleared"
    source: Name
    path: str | None
    reason: Name


class RunFinished(Payload):
    """A run is over. `appended` counts its events by type, itself left out."""

    type: ClassVar[str] = "run.finished"
    status: Literal["succeeded", "partial", "failed"]
    appended: dict[Name, Count]
    detail: str | None
