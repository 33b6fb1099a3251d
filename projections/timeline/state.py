"""What the timeline keeps of the events: when each record was first seen, what became of it, what tied it to others.

Only what changes is kept: a record that was seen once and stands costs one time and one number.
"""

from __future__ import annotations

from typing import Final

import msgspec

from t2c.ledger.events.interpretation import ACCEPTED
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.ids import RECORD_PREFIX

__all__ = ["HANDLES", "SAID", "Change", "Moment", "Span", "Tie", "Timeline", "Told", "apply"]

SAID: Final = frozenset(
    RECORD_PREFIX[kind] + "-" for kind in ("nl", "todo", "document", "agent_log", "changelog")
)
"""Prefixes of the ids of records that say what is wanted or done: of these the timeline keeps every change."""
HANDLES: Final = frozenset({"record.observed", "record.retracted", "relation.linked", "relation.unlinked"})

_CODE: Final = frozenset(RECORD_PREFIX[kind] + "-" for kind in ("ast", "system"))
_TEXT: Final = 160


class Moment(msgspec.Struct, frozen=True, gc=False):
    """A stretch of the journal that one actor wrote at one time in one run; `seq` is its first event."""

    seq: int
    ts: str
    actor: str
    run: str | None


class Told(msgspec.Struct, frozen=True, gc=False):
    """What a record that says something said when it was last observed, kept for when it is gone.

    `role` is `plan` (that something be there), `claim` (that it is) or `said`. `began` is the status in which the record
    was first seen, `status` its last.
    """

    role: str
    began: str
    status: str
    text: str
    path: str | None
    tickets: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True, gc=False):
    """Something that happened to a record after it was first seen; `at` is the place of a moment.

    `what` is `status` (`value` is the new one), `retracted` (`value` is why, `heir` what took its place) or
    `returned`.
    """

    at: int
    what: str
    value: str | None = None
    heir: str | None = None


class Span(msgspec.Struct, frozen=True, gc=False):
    """A time for which a relation held: from one moment to another, or still (None)."""

    since: int
    until: int | None = None
    why: str | None = None


class Tie(msgspec.Struct, frozen=True, gc=False):
    """A relation with at least one end that is no code, and when it held."""

    source: str
    target: str
    type: str
    spans: tuple[Span, ...]


class Timeline(msgspec.Struct):
    """`first`: record id → time at which this ledger first saw it, whatever became of it.

    `seen`: record id → the moment of that; `moments` in the order of the journal. `changes` and `ties` hold what
    came later; `told` is of records that say something, and `gone` are those of any kind that do not stand.
    """

    first: dict[str, str] = {}
    seen: dict[str, int] = {}
    moments: list[Moment] = []
    told: dict[str, Told] = {}
    changes: dict[str, list[Change]] = {}
    ties: dict[str, Tie] = {}
    gone: dict[str, bool] = {}


class _Target(msgspec.Struct, gc=False):
    paths: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()


class _Statement(msgspec.Struct, gc=False):
    kind: str
    text: str
    polarity: str
    target: _Target


class _Epistemic(msgspec.Struct, gc=False, rename={"cls": "class"}):
    cls: str


class _Lifecycle(msgspec.Struct, gc=False):
    status: str


class _Source(msgspec.Struct, gc=False):
    path: str | None


class _Record(msgspec.Struct, gc=False):
    id: str
    statement: _Statement
    lifecycle: _Lifecycle
    source: _Source
    epistemic: _Epistemic


class _Observed(msgspec.Struct, gc=False):
    record: _Record


class _Retracted(msgspec.Struct, gc=False):
    id: str
    why: str
    superseded_by: str | None


class _Relation(msgspec.Struct, gc=False, rename={"source": "from"}):
    id: str
    source: str
    to: str
    type: str


class _Linked(msgspec.Struct, gc=False):
    relation: _Relation
    rule: str = ""


class _Unlinked(msgspec.Struct, gc=False):
    id: str
    why: str


_observed = msgspec.json.Decoder(_Observed).decode
_retracted = msgspec.json.Decoder(_Retracted).decode
_linked = msgspec.json.Decoder(_Linked).decode
_unlinked = msgspec.json.Decoder(_Unlinked).decode


def apply(state: Timeline, entry: Entry) -> None:
    """Take one event into the state. Raises msgspec.DecodeError, before anything is changed, for another shape."""
    if entry.type == "record.observed":
        _observe(state, entry, _observed(entry.data).record)
    elif entry.type == "record.retracted":
        _retract(state, entry, _retracted(entry.data))
    elif entry.type == "relation.linked":
        linked = _linked(entry.data)
        relation = linked.relation
        # What a model accepted is a claim: nothing came to hold by it.
        if linked.rule != ACCEPTED and (relation.source[:-20] not in _CODE or relation.to[:-20] not in _CODE):
            _tie(state, entry, relation)
    else:
        _untie(state, entry, _unlinked(entry.data))


def _observe(state: Timeline, entry: Entry, record: _Record) -> None:
    at = _moment(state, entry)
    identity = record.id
    if identity not in state.first:
        state.first[identity] = state.moments[at].ts
        state.seen[identity] = at
    elif identity in state.gone:
        del state.gone[identity]
        _change(state, identity, Change(at, "returned"))
    if identity[:-20] in SAID:
        former = state.told.get(identity)
        status = record.lifecycle.status
        if former is not None and former.status != status:
            _change(state, identity, Change(at, "status", status))
        began = status if former is None else former.began
        state.told[identity] = _told(record, began)


def _told(record: _Record, began: str) -> Told:
    statement = record.statement
    text = statement.text if len(statement.text) <= _TEXT else statement.text[: _TEXT - 1] + "…"
    target = statement.target
    status = record.lifecycle.status
    return Told(_role(record), began, status, text, record.source.path, target.tickets, target.paths)


def _role(record: _Record) -> str:
    """What a record does by saying something; prose of a document describes, and a prohibition asks for nothing."""
    if record.epistemic.cls == "claim":
        return "claim"
    describes = record.epistemic.cls != "plan" and record.statement.kind.startswith("documentation_")
    return "said" if describes or record.statement.polarity == "negative" else "plan"


def _retract(state: Timeline, entry: Entry, gone: _Retracted) -> None:
    if gone.id in state.first and gone.id not in state.gone:
        state.gone[gone.id] = True
        _change(state, gone.id, Change(_moment(state, entry), "retracted", gone.why, gone.superseded_by))


def _tie(state: Timeline, entry: Entry, relation: _Relation) -> None:
    known = state.ties.get(relation.id)
    if known is not None and known.spans[-1].until is None:
        return
    spans = () if known is None else known.spans
    span = Span(_moment(state, entry))
    state.ties[relation.id] = Tie(relation.source, relation.to, relation.type, (*spans, span))


def _untie(state: Timeline, entry: Entry, gone: _Unlinked) -> None:
    tie = state.ties.get(gone.id)
    if tie is None or tie.spans[-1].until is not None:
        return
    ended = msgspec.structs.replace(tie.spans[-1], until=_moment(state, entry), why=gone.why)
    state.ties[gone.id] = msgspec.structs.replace(tie, spans=(*tie.spans[:-1], ended))


def _change(state: Timeline, identity: str, change: Change) -> None:
    state.changes.setdefault(identity, []).append(change)


def _moment(state: Timeline, entry: Entry) -> int:
    """The place of the moment that an event belongs to; a new one where time, actor or run differ from the last."""
    if state.moments:
        last = state.moments[-1]
        if last.ts == entry.ts and last.run == entry.run and last.actor == str(entry.actor):
            return len(state.moments) - 1
    state.moments.append(Moment(entry.seq, entry.ts, str(entry.actor), entry.run))
    return len(state.moments) - 1
