"""What stands as evidence, and which events an observation of the sources calls for (decisions B1, B2).

The state is small: for each live record its digest, its lines and where its event is, so that a scan appends
only the difference and whole records are read back only when somebody needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple, Protocol

import msgspec
import orjson

from t2c.ledger.commands.lineage import Successor
from t2c.ledger.events.base import Span
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import (
    Move,
    RecordMoved,
    RecordObserved,
    RecordRetracted,
    RelationLinked,
)
from t2c.ledger.events.identity import content_digest
from t2c.ledger.events.interpretation import ACCEPTED
from t2c.ledger.events.runs import OmissionCleared, OmissionNoted
from t2c.ledger.kernel.actor import SCANNER
from t2c.ledger.kernel.canon import canonical

__all__ = [
    "EVIDENCE",
    "HANDLED",
    "RECORD_AT",
    "STATE_VERSION",
    "EvidenceState",
    "LiveOmission",
    "LiveRecord",
    "LiveRelation",
    "Observation",
    "Observed",
    "Stored",
    "decide_omissions",
    "decide_records",
    "decide_retractions",
    "differing",
    "digest_of",
    "drafted",
    "evolve",
    "missing",
]

STATE_VERSION: Final = 5
RECORD_AT: Final = len(b'{"record":')
"""Where the record starts in the canonical payload of `record.observed`; it ends one byte before the end."""
_MOVES_PER_EVENT: Final = 5000

Lines = tuple[int, int] | None


class LiveRecord(msgspec.Struct, array_like=True):
    """A record that stands: `offset` is the byte at which its last `record.observed` starts."""

    digest: bytes
    lines: Lines
    offset: int
    source: str
    path: str | None
    revision: str | None
    extractor: str


class LiveRelation(msgspec.Struct, array_like=True):
    """`of` are the digests of the two records that a model accepted it of; None for what the linker found."""

    digest: bytes
    source: str
    to: str
    of: tuple[bytes, bytes] | None = None


class LiveOmission(msgspec.Struct, array_like=True):
    digest: bytes
    count: int


class EvidenceState(msgspec.Struct):
    """Everything that stands: records and relations by id, omissions by key, runs without an end.

    The key of an omission is the canonical form of [source, path, reason]; a run's value is its last stage.
    `ledger` is the id of the ledger that the evidence is of, `changed` the seq of the last event that told of it.
    """

    records: dict[str, LiveRecord] = {}
    relations: dict[str, LiveRelation] = {}
    omissions: dict[str, LiveOmission] = {}
    runs: dict[str, str] = {}
    ledger: str | None = None
    changed: int = 0
    verdicts: dict[str, Literal["right", "wrong", "unsure"]] = {}
    """Relation id → what was said of it last."""
    judged: int = 0
    """The seq of the last verdict."""


class Stored(Protocol):
    """Bytes that stand somewhere else than in memory."""

    def read(self) -> bytes: ...


class Observation(NamedTuple):
    """A record as a source has it now: identity, digest, lines and the canonical `record.observed` payload, held or
    stored."""

    id: str
    digest: bytes
    lines: Lines
    kept: bytes | Stored

    @property
    def payload(self) -> bytes:
        """The canonical payload."""
        return self.kept if isinstance(self.kept, bytes) else self.kept.read()

    @property
    def body(self) -> bytes:
        """The canonical record alone."""
        return self.payload[RECORD_AT:-1]


class Observed(NamedTuple):
    """One scope as it was read. Records are missing only from a scope that was read completely."""

    source: str
    path: str | None
    complete: bool
    records: Sequence[Observation]


# --- evolve -------------------------------------------------------------------------------------------------


class _Lines(msgspec.Struct):
    start: int
    end: int


class _Source(msgspec.Struct):
    kind: str
    path: str | None
    lines: _Lines | None
    revision: str | None
    extractor: str


class _Record(msgspec.Struct):
    id: str
    source: _Source


class _Observed(msgspec.Struct):
    record: _Record


class _Identified(msgspec.Struct):
    id: str


class _Moved(msgspec.Struct):
    id: str
    lines: _Lines


class _Moves(msgspec.Struct):
    moves: list[_Moved]


class _Endpoints(msgspec.Struct):
    id: str
    source: str = msgspec.field(name="from")
    to: str = ""


class _Linked(msgspec.Struct):
    relation: _Endpoints
    rule: str = ""


class _Judged(msgspec.Struct):
    relation: str
    verdict: Literal["right", "wrong", "unsure"]


class _Key(msgspec.Struct):
    source: str
    path: str | None
    reason: str
    count: int = 0


_record = msgspec.json.Decoder(_Observed).decode
_identified = msgspec.json.Decoder(_Identified).decode
_moves = msgspec.json.Decoder(_Moves).decode
_linked = msgspec.json.Decoder(_Linked).decode
_judged = msgspec.json.Decoder(_Judged).decode
_key = msgspec.json.Decoder(_Key).decode

HANDLED: Final = frozenset(
    {
        "journal.opened", "record.observed", "record.moved", "record.retracted", "relation.linked",
        "relation.unlinked", "relation.judged", "omission.noted", "omission.cleared", "run.started",
        "stage.finished", "run.finished",
    }
)  # fmt: skip

EVIDENCE: Final = frozenset(
    type for type in HANDLED if type.startswith(("record.", "relation.", "omission."))
) - {"relation.judged"}
"""Of these the types that tell what stands, and not which run told it or what people think of it."""


def evolve(
    state: EvidenceState,
    type: str,
    data: bytes,
    offset: int,
    run: str | None,
    known: Mapping[str, Observation] | None = None,
) -> None:
    """Take one event of a type in HANDLED into the state.

    `known` may hold observations by record id, whose digests then need not be worked out from the same bytes.
    """
    match type:
        case "journal.opened":
            state.ledger = str(orjson.loads(data)["ledger"])
        case "record.observed":
            record = _record(data).record
            seen = None if known is None else known.get(record.id)
            if seen is not None and seen.payload == data:
                digest = seen.digest
            else:
                digest = content_digest(orjson.loads(data)["record"])
            source = record.source
            lines = None if source.lines is None else (source.lines.start, source.lines.end)
            state.records[record.id] = LiveRecord(
                digest, lines, offset, source.kind, source.path, source.revision, source.extractor
            )
        case "record.moved":
            for move in _moves(data).moves:
                if (live := state.records.get(move.id)) is not None:
                    live.lines = (move.lines.start, move.lines.end)
        case "record.retracted":
            state.records.pop(_identified(data).id, None)
        case "relation.linked":
            linked = _linked(data)
            one, other = state.records.get(linked.relation.source), state.records.get(linked.relation.to)
            of = (one.digest, other.digest) if linked.rule == ACCEPTED and one and other else None
            ends = linked.relation.source, linked.relation.to
            state.relations[linked.relation.id] = LiveRelation(digest_of(data), *ends, of)
        case "relation.unlinked":
            state.relations.pop(_identified(data).id, None)
        case "relation.judged":
            judged = _judged(data)
            state.verdicts[judged.relation] = judged.verdict
        case "omission.noted" | "omission.cleared":
            key = _key(data)
            text = _omission_key(key.source, key.path, key.reason)
            if type == "omission.noted":
                state.omissions[text] = LiveOmission(digest_of(data), key.count)
            else:
                state.omissions.pop(text, None)
        case "run.started" if run is not None:
            state.runs[run] = "started"
        case "stage.finished" if run in state.runs:
            state.runs[run] = str(orjson.loads(data)["stage"])
        case "run.finished" if run is not None:
            state.runs.pop(run, None)


def _omission_key(source: str, path: str | None, reason: str) -> str:
    return canonical([source, path, reason]).decode()


def digest_of(data: bytes) -> bytes:
    """The digest by which a payload that stands is compared with one to be recorded."""
    return sha256(data).digest()[:16]


# --- decide -------------------------------------------------------------------------------------------------


def missing(
    state: EvidenceState, scopes: Iterable[Observed], gone: Iterable[tuple[str, str | None]]
) -> dict[str, str]:
    """Ids of live records that a complete reading no longer has, each with why: `absent`, `file_gone`.

    Several readings of one source and path are one scope. `gone` are scopes that no longer exist, which is a
    complete reading of nothing.
    """
    present: dict[tuple[str, str | None], set[str]] = {}
    partial: set[tuple[str, str | None]] = set()
    for scope in scopes:
        place = (scope.source, scope.path)
        present.setdefault(place, set()).update(record.id for record in scope.records)
        if not scope.complete:
            partial.add(place)
    vanished = set(gone)
    found: dict[str, str] = {}
    for identity, live in state.records.items():
        place = (live.source, live.path)
        if place in vanished:
            found[identity] = "file_gone"
        elif place not in partial and (ids := present.get(place)) is not None and identity not in ids:
            found[identity] = "absent"
    return found


def differing(state: EvidenceState, scope: Observed) -> tuple[int, int]:
    """How many records of a scope are new or say something else, and how many only stand elsewhere."""
    other = moved = 0
    for record in scope.records:
        live = state.records.get(record.id)
        if live is None or live.digest != record.digest:
            other += 1
        elif live.lines != record.lines and record.lines is not None:
            moved += 1
    return other, moved


def decide_records(state: EvidenceState, scope: Observed, run: str) -> Iterator[EventDraft]:
    """Events for what one scope has: observed where new or different, one move for all other new places.

    Raises pydantic.ValidationError if an extractor broke the record contract.
    """
    moves: list[Move] = []
    for record in scope.records:
        live = state.records.get(record.id)
        if live is None or live.digest != record.digest:
            payload = record.payload
            RecordObserved.decode(payload)
            yield drafted(RecordObserved, payload, run)
        elif live.lines != record.lines and record.lines is not None:
            moves.append(Move(id=record.id, lines=Span(start=record.lines[0], end=record.lines[1])))
    moves.sort(key=lambda move: move.id)
    for first in range(0, len(moves), _MOVES_PER_EVENT):
        part = tuple(moves[first : first + _MOVES_PER_EVENT])
        yield draft(RecordMoved(source=scope.source, path=scope.path, moves=part), run=run)  # type: ignore[arg-type]


def decide_retractions(
    gone: Mapping[str, str], successors: Mapping[str, Successor], run: str
) -> list[EventDraft]:
    """Retractions of records that are gone (id → why), each naming its successor where one is known.

    They belong after the observations of the same run, so that a successor stands when it is named.
    """
    drafts = []
    for identity in sorted(gone):
        successor = successors.get(identity)
        retraction = RecordRetracted(
            id=identity,
            why=gone[identity] if successor is None else successor.why,  # type: ignore[arg-type]
            superseded_by=None if successor is None else successor.id,
        )
        drafts.append(draft(retraction, run=run))
    return drafts


def decide_omissions(
    state: EvidenceState,
    noted: Sequence[OmissionNoted],
    covered: Callable[[str, str | None], bool],
    run: str,
) -> list[EventDraft]:
    """Events that make the live omissions equal to `noted`, as far as they were looked at.

    `covered` says of a (source, path) whether this reading would have noted it again.
    """
    drafts: list[EventDraft] = []
    keys: set[str] = set()
    for omission in noted:
        key = _omission_key(omission.source, omission.path, omission.reason)
        keys.add(key)
        item = draft(omission, run=run)
        known = state.omissions.get(key)
        if known is None or known.digest != digest_of(item.data):
            drafts.append(item)
    for key in sorted(state.omissions.keys() - keys):
        source, path, reason = orjson.loads(key)
        if covered(source, path):
            drafts.append(draft(OmissionCleared(source=source, path=path, reason=reason), run=run))
    return drafts


def drafted(kind: type[RecordObserved | RelationLinked], body: bytes, run: str) -> EventDraft:
    """A draft of bytes that are canonical already and were just validated: encoded once, not twice."""
    return EventDraft(kind.type, kind.v, body, SCANNER, kind.trust, (), run)
