"""The records that stand: each as it was last observed, on the lines where it is now.

A record is kept as the bytes that the journal holds and never becomes a dictionary: less memory, a faster
fold, and nothing to encode again. What is patched at the end are its locators alone (decisions B1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.ids import RECORD_PREFIX
from t2c.projections.base import Artifacts, Content, Inputs, Unusable, in_blocks, pretty
from t2c.projections.records.commits import Commit, commit_order
from t2c.projections.records.interpreted import Readings, group_of, reading_of

__all__ = ["Head", "Parts", "Records", "RecordsProjection", "StandingRecords", "resolved"]

MAX_NESTING: Final = 500
"""Levels of a record, far beyond what its contract allows and below what decoders refuse."""

Raw = msgspec.Raw


class Lifecycle(msgspec.Struct, frozen=True, gc=False):
    status: str


class Statement(msgspec.Struct, frozen=True, gc=False):
    action: str


class Source(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The source of a record, all but its kind left as bytes; members in canonical order."""

    commitIndex: Raw
    contentHash: Raw
    extractor: Raw
    kind: str
    lines: Raw
    path: Raw
    rawExcerpt: Raw
    revision: Raw
    symbol: Raw


class Head(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a fold must know of a record; decoding it proves that the rest can be taken over as bytes."""

    epistemic: Raw
    id: str
    lifecycle: Lifecycle
    metadata: Raw
    observedAt: Raw
    schemaVersion: str
    source: Source
    statement: Statement


class Parts(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A record taken apart so that one part can be replaced; members in canonical order."""

    epistemic: Raw
    id: Raw
    lifecycle: Raw
    metadata: Raw
    observedAt: Raw
    schemaVersion: Raw
    source: Source
    statement: Raw


class Observed(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    record: Raw


class Lines(msgspec.Struct, frozen=True, gc=False):
    start: int
    end: int


class Move(msgspec.Struct, frozen=True, gc=False):
    id: str
    lines: Lines


class Moved(msgspec.Struct, frozen=True):
    moves: list[Move]


class Retracted(msgspec.Struct, frozen=True, gc=False):
    id: str
    superseded_by: str | None


class CommitFacts(msgspec.Struct, frozen=True):
    """What a commit's record says of its place in history."""

    parents: tuple[str, ...] = ()
    committedAt: str | None = None


class Records(msgspec.Struct):
    """`live`: id → canonical record. `lines`: where a record has moved to since it was observed.

    `successors`: id of a retracted record → the one that took its place. `readings`: the payload of its latest
    `record.interpreted`, whether it is of what the record says now or not. `syntheses`: role and participant → the
    payload of the latest `synthesis.drawn`, likewise.
    """

    live: dict[str, bytes] = {}
    lines: dict[str, tuple[int, int]] = {}
    successors: dict[str, str] = {}
    readings: dict[str, bytes] = {}
    syntheses: dict[str, bytes] = {}


_observed = msgspec.json.Decoder(Observed).decode
_moved = msgspec.json.Decoder(Moved).decode
_retracted = msgspec.json.Decoder(Retracted).decode
_head = msgspec.json.Decoder(Head).decode
_parts = msgspec.json.Decoder(Parts).decode
_commit_facts = msgspec.json.Decoder(CommitFacts).decode
_text = msgspec.json.Decoder(str | None).decode
_encode = msgspec.json.Encoder().encode

_BEFORE: Final = b'{"record":'
_OF_COMMIT: Final = RECORD_PREFIX["git"] + "-"
_NO_PLACE: Final = b'"source":{"commitIndex":null,'
_AFTER_SOURCE: Final = b'},"statement":{"action":'
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')


class RecordsProjection:
    """`records.jsonl`, one record a line by id, and `lineage.json`, what became of ids that are gone.

    A record is shown as a model reads it where a model has read what it says now; `uninterpreted.jsonl` holds those
    records as they were found (decisions D5).
    """

    name = "records"
    version = 2
    inputs: tuple[str, ...] = ()
    handles = frozenset(
        {"record.observed", "record.moved", "record.retracted", "record.interpreted", "synthesis.drawn"}
    )
    state_type = Records

    def start(self) -> Records:
        return Records()

    def step(self, state: Records, entry: Entry) -> None:
        """A record observed again replaces the former; one that moved keeps its bytes until `finish`."""
        if entry.type == "record.observed":
            identity, raw = _record(entry.data)
            state.live[identity] = raw
            state.lines.pop(identity, None)
            state.successors.pop(identity, None)
        elif entry.type == "record.moved":
            moves = _moved(entry.data).moves
            if any(not 1 <= move.lines.start <= move.lines.end for move in moves):
                raise Unusable("moves a record to lines that cannot be")
            for move in moves:
                if move.id in state.live:
                    state.lines[move.id] = (move.lines.start, move.lines.end)
        elif entry.type == "record.interpreted":
            read = reading_of(entry.data)
            if read in state.live:
                state.readings[read] = bytes(entry.data)
        elif entry.type == "synthesis.drawn":
            state.syntheses[group_of(entry.data)] = bytes(entry.data)
        else:
            gone = _retracted(entry.data)
            state.live.pop(gone.id, None)
            state.lines.pop(gone.id, None)
            state.readings.pop(gone.id, None)
            if gone.superseded_by is not None:
                state.successors[gone.id] = gone.superseded_by

    def finish(self, state: Records, inputs: Inputs) -> Artifacts:
        ends, unresolved = resolved(state.successors)
        made: dict[str, Content] = {
            "records.jsonl": in_blocks(raw + b"\n" for _, raw in StandingRecords.shown(inputs)),
            "lineage.json": pretty(
                {"schema": "t2c.lineage/v1", "successors": ends, "unresolved": unresolved}
            ),
        }
        if state.readings:
            made["uninterpreted.jsonl"] = in_blocks(_as_found(StandingRecords.of(inputs), state))
        return made


def _as_found(standing: StandingRecords, state: Records) -> Iterator[bytes]:
    """The records that a model has read, as they were found."""
    for identity, raw in standing:
        if identity in state.readings:
            yield raw + b"\n"


def _record(data: Raw) -> tuple[str, bytes]:
    """Id and bytes of the record in a `record.observed`. Raises if it cannot be taken over as bytes."""
    body = bytes(data)
    # In a canonical payload the record is all but these bytes; in any other the decoder finds it.
    raw = body[len(_BEFORE) : -1] if body.startswith(_BEFORE + b"{") and body.endswith(b"}}") else b""
    try:
        identity = _head(raw).id
    except msgspec.DecodeError:
        raw = bytes(_observed(body).record)
        identity = _head(raw).id
    if not raw.isascii():
        raw.decode()  # bytes that are skipped are not checked for UTF-8
    if len(raw) > 3 * MAX_NESTING and raw.count(b"{") + raw.count(b"[") > MAX_NESTING:
        _check_nesting(raw)
    return identity, raw


def _check_nesting(raw: bytes) -> None:
    depth = 0
    for char in _STRING.sub(b"", raw):
        if char in b"{[":
            depth += 1
            if depth > MAX_NESTING:
                raise Unusable(f"a record nested deeper than {MAX_NESTING} levels")
        elif char in b"}]":
            depth -= 1


def resolved(successors: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Each id of a record that is gone → the end of its chain of successors; and ids whose chain has no end."""
    ends: dict[str, str | None] = {}
    for first in sorted(successors):
        trail: dict[str, None] = {}
        at = first
        while at in successors and at not in ends and at not in trail:
            trail[at] = None
            at = successors[at]
        end = None if at in trail else ends.get(at, at)
        ends.update(dict.fromkeys(trail, end))
    found = {old: end for old, end in sorted(ends.items()) if end is not None}
    return found, [old for old, end in sorted(ends.items()) if end is None]


class StandingRecords:
    """The records that stand, by id, with the lines where they are now and the place of each commit.

    Can be iterated more than once; each time yields (id, canonical record).
    """

    def __init__(self, state: Records) -> None:
        self._state = state
        self._places = _places(state)
        self._readings: Readings | None = None

    @classmethod
    def of(cls, inputs: Inputs) -> StandingRecords:
        """Those of the folded state as they were found, made once for all projections that read it.

        Whatever judges records reads these: what a model says of one is no evidence of anything.
        """
        found = inputs.made.get("records")
        if not isinstance(found, StandingRecords):
            found = inputs.made["records"] = cls(inputs.states["records"])
        return found

    @classmethod
    def shown(cls, inputs: Inputs) -> StandingRecords:
        """The same with the readings of a model laid over those that it has read (decisions D5)."""
        found = inputs.made.get("records.shown")
        if not isinstance(found, StandingRecords):
            found = cls.of(inputs)
            if found._state.readings:
                found = copy(found)
                found._readings = Readings(found._state.readings)
            inputs.made["records.shown"] = found
        return found

    def __contains__(self, identity: str) -> bool:
        return identity in self._state.live

    def __len__(self) -> int:
        return len(self._state.live)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        found = self._as_found()
        return found if self._readings is None else self._readings.over(found)

    def _as_found(self) -> Iterator[tuple[str, bytes]]:
        live, moved, places = self._state.live, self._state.lines, self._places
        for identity in sorted(live):
            raw = live[identity]
            lines, place = moved.get(identity), places.get(identity)
            if lines is not None or place is not None:
                raw = _located(raw, lines, place)
            yield identity, raw


def _located(raw: bytes, lines: tuple[int, int] | None, place: int | None) -> bytes:
    if (
        lines is None
        and place is not None
        and (at := raw.rfind(_NO_PLACE)) >= 0
        and raw.find(_AFTER_SOURCE, at) >= 0
    ):
        # In canonical bytes nothing behind the source has a member of that name, and no text holds a bare quote.
        return b'%b"source":{"commitIndex":%d%b' % (raw[:at], place, raw[at + len(_NO_PLACE) - 1 :])
    parts = _parts(raw)
    if lines is not None:
        parts.source.lines = Raw(b'{"end":%d,"start":%d}' % (lines[1], lines[0]))
    if place is not None:
        parts.source.commitIndex = Raw(b"%d" % place)
    return _encode(parts)


def _places(state: Records) -> dict[str, int]:
    """Record id → the place of its commit, for each record of a commit."""
    revisions: dict[str, str] = {}
    commits: dict[str, Commit] = {}
    for identity in sorted(name for name in state.live if name.startswith(_OF_COMMIT)):
        head = _head(state.live[identity])
        revision = _revision(head)
        if revision is None:
            continue
        revisions[identity] = revision
        commit = _commit(head)
        if revision not in commits or commits[revision].committed_at is None:
            commits[revision] = commit
    order = commit_order(commits)
    return {identity: order[revision] for identity, revision in revisions.items()}


def _revision(head: Head) -> str | None:
    if head.source.kind != "git":
        return None
    try:
        return _text(head.source.revision)
    except msgspec.DecodeError:
        return None


def _commit(head: Head) -> Commit:
    try:
        facts = _commit_facts(head.metadata)
    except msgspec.DecodeError:
        facts = CommitFacts()
    return Commit(facts.parents, facts.committedAt)
