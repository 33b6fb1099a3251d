"""What the rules must remember of the past: what could not be read, what once passed, what was once open or shown."""

from __future__ import annotations

from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry

__all__ = ["HANDLES", "Diagnosed", "Lost", "Omission", "Passed", "Stage", "apply"]

HANDLES: Final = frozenset(
    {
        "run.started", "stage.finished", "degradation.noted", "omission.noted", "omission.cleared",
        "record.observed", "relation.linked", "relation.unlinked",
    }
)  # fmt: skip


class Stage(msgspec.Struct, frozen=True, rename={"name": "stage"}):
    """How a stage ended when it was last run."""

    name: str
    status: str
    detail: str | None


class Omission(msgspec.Struct, frozen=True):
    """Something left out now, keyed (source, path, reason)."""

    source: str
    path: str | None
    reason: str
    count: int
    detail: str


class Lost(msgspec.Struct, frozen=True):
    """A relation that stood once and does not now."""

    source: str
    target: str
    type: str
    ts: str


class Passed(msgspec.Struct, frozen=True):
    """A run in which a test passed: when it was, as its report says, and when this ledger read that."""

    at: str | None
    read: str


class Diagnosed(msgspec.Struct):
    """`passed`: a result of a test → the run in which it last passed. `opened`: a plan → when it was last seen open.

    `shown` holds the standing relations that show something done, `lost` those of them that stood once; by id.
    `degraded`: a stage of the last run of a verb → that verb, and why it was done in a lesser way than asked; `run` is the
    run that began last, and its verb.
    """

    stages: dict[str, Stage] = {}
    omissions: dict[str, Omission] = {}
    degraded: dict[str, tuple[str, str]] = {}
    run: tuple[str, str] = ("", "")
    passed: dict[str, Passed] = {}
    opened: dict[str, str] = {}
    shown: dict[str, tuple[str, str, str]] = {}
    lost: dict[str, Lost] = {}


class _Cleared(msgspec.Struct, frozen=True):
    source: str
    path: str | None
    reason: str


class _Degraded(msgspec.Struct, frozen=True):
    stage: str
    reason: str


class _Started(msgspec.Struct, frozen=True):
    verb: str


class _Lifecycle(msgspec.Struct, frozen=True):
    status: str


class _Statement(msgspec.Struct, frozen=True):
    kind: str


class _Record(msgspec.Struct, frozen=True):
    id: str
    lifecycle: _Lifecycle
    statement: _Statement
    observedAt: str | None = None


class _Observed(msgspec.Struct, frozen=True):
    record: _Record


class _Relation(msgspec.Struct, frozen=True, rename={"source": "from"}):
    id: str
    source: str
    to: str
    type: str


class _Linked(msgspec.Struct, frozen=True):
    relation: _Relation


class _Unlinked(msgspec.Struct, frozen=True):
    id: str


_stage = msgspec.json.Decoder(Stage).decode
_omission = msgspec.json.Decoder(Omission).decode
_cleared = msgspec.json.Decoder(_Cleared).decode
_degraded = msgspec.json.Decoder(_Degraded).decode
_started = msgspec.json.Decoder(_Started).decode
_observed = msgspec.json.Decoder(_Observed).decode
_linked = msgspec.json.Decoder(_Linked).decode
_unlinked = msgspec.json.Decoder(_Unlinked).decode

_REMEMBERED: Final = (b'"id":"INT-TEST-', b'"id":"INT-TODO-', b'"id":"INT-DOC-')
_HEAD: Final = 400
"""Bytes of a canonical record in which its id stands, behind its basis; a record with a longer one is not remembered."""
_SHOWS: Final = (b'"type":"tests"', b'"type":"implements"')
_OPEN: Final = frozenset({"planned", "in_progress", "blocked", "unknown", "proposed"})


def apply(state: Diagnosed, entry: Entry) -> None:
    """Take one event in; an event that cannot be read changes nothing."""
    match entry.type:
        case "record.observed":
            body = bytes(entry.data)
            head = body[:_HEAD]
            if any(mark in head for mark in _REMEMBERED):
                _remember(state, _observed(body).record, entry.ts)
        case "relation.linked":
            body = bytes(entry.data)
            if any(mark in body for mark in _SHOWS):
                relation = _linked(body).relation
                state.shown[relation.id] = (relation.source, relation.to, relation.type)
                state.lost.pop(relation.id, None)
        case "relation.unlinked":
            gone = _unlinked(entry.data).id
            if (ends := state.shown.pop(gone, None)) is not None:
                state.lost[gone] = Lost(*ends, entry.ts)
        case "omission.noted":
            omission = _omission(entry.data)
            state.omissions[_key(omission)] = omission
        case "omission.cleared":
            state.omissions.pop(_key(_cleared(entry.data)), None)
        case "stage.finished":
            finished = _stage(entry.data)
            state.stages[finished.name] = finished
        case "degradation.noted":
            degraded = _degraded(entry.data)
            run, verb = state.run
            state.degraded[degraded.stage] = (verb if run == entry.run else "", degraded.reason)
        case _:
            # Another piece of work says nothing of this one: only the next of its kind makes it old.
            verb = _started(entry.data).verb
            state.run = (entry.run or "", verb)
            for stage in [name for name, (of, _) in state.degraded.items() if of in (verb, "")]:
                del state.degraded[stage]


def _remember(state: Diagnosed, record: _Record, ts: str) -> None:
    status = record.lifecycle.status
    if record.statement.kind == "test_result":
        if status == "verified":
            state.passed[record.id] = Passed(record.observedAt, ts)
    elif status in _OPEN and (record.id.startswith("INT-TODO-") or record.statement.kind == "requirement"):
        state.opened[record.id] = ts


def _key(omission: Omission | _Cleared) -> str:
    return f"{omission.source}\0{omission.path or ''}\0{omission.reason}"
