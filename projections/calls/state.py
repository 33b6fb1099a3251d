"""What is known of each request to a model, folded from its announcement, its outcome and what cites it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Unusable

__all__ = [
    "ASKING",
    "HANDLES",
    "Attempt",
    "Call",
    "Calls",
    "Outcome",
    "Replayed",
    "Story",
    "Usage",
    "Use",
    "apply",
]


class Attempt(msgspec.Struct, frozen=True):
    """One request on the wire; times are in milliseconds."""

    number: int
    status: int | None
    outcome: str
    waited_ms: int
    took_ms: int
    retry_after_ms: int | None
    detail: str


class Usage(msgspec.Struct, frozen=True):
    """What was metered; money is in millionths of `currency`, null is unknown."""

    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    total_tokens: int | None
    cost_micros: int | None
    currency: str


class Story(msgspec.Struct, frozen=True):
    """How a request went on the wire."""

    requested: str
    served: str | None
    provider: str | None
    response_id: str | None
    finish_reason: str | None
    attempts: tuple[Attempt, ...]
    usage: Usage


class Replayed(msgspec.Struct, frozen=True):
    """The ledger that an answer was taken from, and its event there."""

    ledger: str
    event: str


class Outcome(msgspec.Struct, frozen=True):
    """How a request ended: `reason` is null for an answer, else why what came is none.

    `content` and `raw` name objects: the text of the answer and the whole response.
    """

    event: str
    seq: int
    ts: str
    reason: str | None
    where: str | None
    detail: str
    content: str | None
    raw: str | None
    guarantee: str | None
    by: str
    story: Story
    replayed: Replayed | None


class Use(msgspec.Struct, frozen=True):
    """An event that was made of an answer."""

    type: str
    event: str
    seq: int


class Call(msgspec.Struct):
    """One request: what was asked of whom, by its `llm.asked`; the outcome; and what became of the answer.

    `run` is the one it was made in, else the first that used its answer, or the answer to its correction.
    `request`, `manifest`, `brief_digest` and `schema_digest` name objects. `corrects` and `instead_of` are the ids of
    earlier ones. What came back to a `sealed` one is no object: it is kept outside of the workspace.
    """

    event: str
    seq: int
    ts: str
    run: str | None
    stage: str
    role: str
    model: str
    mode: str
    endpoint: str
    schema_name: str
    schema_digest: str
    brief: str
    brief_digest: str
    manifest: str
    items: int
    request: str
    body_bytes: int
    masked: dict[str, int]
    corrects: str | None
    instead_of: str | None
    sealed: bool = False
    outcome: Outcome | None = None
    uses: list[Use] = []


class Calls(msgspec.Struct):
    """By the id of `llm.asked`. `names` leads from ids that an event had elsewhere, and from outcomes, to those."""

    calls: dict[str, Call] = {}
    names: dict[str, str] = {}


class _Asked(msgspec.Struct, frozen=True):
    request: str
    role: str
    stage: str
    model: str
    mode: str
    endpoint: str
    schema_name: str
    schema_digest: str
    brief: str
    brief_digest: str
    manifest: str
    items: int
    body_bytes: int
    masked: dict[str, int]
    corrects: str | None
    instead_of: str | None
    sealed: bool = False


class _Outcome(msgspec.Struct, frozen=True):
    asked: str
    request: str
    story: Story
    replayed: Replayed | None
    content: str | None = None
    raw: str | None = None
    guarantee: str | None = None
    reason: str | None = None
    where: str | None = None
    detail: str = ""


class _Citing(msgspec.Struct, frozen=True):
    answered: str | None = None
    by: str | None = None


_asked: Final = msgspec.json.Decoder(_Asked).decode
_outcome: Final = msgspec.json.Decoder(_Outcome).decode
_citing: Final = msgspec.json.Decoder(_Citing).decode

_USES: Final = frozenset(
    {"answer.recorded", "conclusion.drawn", "proposal.raised", "record.interpreted", "synthesis.drawn"}
)
ASKING: Final = frozenset({"llm.asked", "llm.answered", "llm.unusable"})
"""What asking a model leaves; all other types are what was made of an answer."""
HANDLES: Final = _USES | ASKING


def apply(state: Calls, entry: Entry) -> None:
    """Take one event. Raises Unusable for an outcome of what was not asked, or a second one."""
    if entry.type == "llm.asked":
        _announced(state, entry)
    elif entry.type in _USES:
        _used(state, entry)
    else:
        _ended(state, entry)


def _announced(state: Calls, entry: Entry) -> None:
    asked = _asked(entry.data)
    fields: dict[str, Any] = {name: getattr(asked, name) for name in asked.__struct_fields__}
    for name in ("corrects", "instead_of"):
        fields[name] = state.names.get(fields[name], fields[name])
    state.calls[entry.id] = Call(event=entry.id, seq=entry.seq, ts=entry.ts, run=entry.run, **fields)
    state.names |= dict.fromkeys(_elsewhere(entry), entry.id)


def _ended(state: Calls, entry: Entry) -> None:
    told = _outcome(entry.data)
    call = state.calls.get(state.names.get(told.asked, told.asked))
    if call is None:
        raise Unusable(f"nothing before asks what it answers, {told.asked}")
    if call.request != told.request:
        raise Unusable(f"it is of another request than {call.event}")
    if call.outcome is not None:
        raise Unusable(f"{call.event} has an outcome already, seq {call.outcome.seq}")
    call.outcome = Outcome(
        event=entry.id,
        seq=entry.seq,
        ts=entry.ts,
        reason=told.reason,
        where=told.where,
        detail=told.detail,
        content=told.content,
        raw=told.raw,
        guarantee=told.guarantee,
        by=str(entry.actor),
        story=told.story,
        replayed=told.replayed,
    )
    state.names |= dict.fromkeys((entry.id, *_elsewhere(entry)), call.event)


def _used(state: Calls, entry: Entry) -> None:
    told = _citing(entry.data)
    cited = {state.names.get(name) for name in (told.answered, told.by, *entry.cause) if name is not None}
    for name in sorted(cited - {None}, key=str):
        call = state.calls[str(name)]
        if call.outcome is not None:
            call.uses.append(Use(entry.type, entry.id, entry.seq))
            _of_run(state, call, entry.run)


def _of_run(state: Calls, call: Call | None, run: str | None) -> None:
    """A run that begins with what came of an answer takes the requests that led to it: they stand before it."""
    while run is not None and call is not None and call.run is None:
        call.run = run
        call = state.calls.get(call.corrects or call.instead_of or "")


def _elsewhere(entry: Entry) -> Iterable[str]:
    """The ids that an event had where it was taken from."""
    return () if entry.origin is None else tuple(place.id for place in entry.origin.places)
