"""Family evidence: what was found, what moved, what is gone, what belongs together."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import (
    FreeForm,
    Name,
    Payload,
    Portion,
    RecordRef,
    RelationRef,
    Span,
    Text,
    Value,
)
from t2c.ledger.events.record import (
    Action,
    Modality,
    Polarity,
    Record,
    RelationType,
    SourceKind,
    Strings,
    Target,
)
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "Move",
    "RecordInterpreted",
    "RecordMoved",
    "RecordObserved",
    "RecordRetracted",
    "Relation",
    "RelationLinked",
    "RelationUnlinked",
    "Signal",
]


class RecordObserved(Payload):
    """A record was found, or found again with another content under the same id."""

    type: ClassVar[str] = "record.observed"
    record: Record


class Move(Value):
    id: RecordRef
    lines: Span


class RecordMoved(Payload):
    """Records of one file stand on other lines; nothing else about them changed (decisions B1)."""

    type: ClassVar[str] = "record.moved"
    source: SourceKind
    path: str | None
    moves: Annotated[tuple[Move, ...], Field(min_length=1)]


class RecordRetracted(Payload):
    """A record no longer stands; its scope was read completely, is gone, or is left out by a rule (decisions B2).

    `superseded_by` names the record that took its place, where the lineage is known.
    """

    type: ClassVar[str] = "record.retracted"
    id: RecordRef
    why: Literal["absent", "reworded", "relocated", "unreachable", "file_gone", "left_out"]
    superseded_by: RecordRef | None


class RecordInterpreted(Payload):
    """A reading layered over a record, with its own provenance; the record's id stays (architecture §4)."""

    type: ClassVar[str] = "record.interpreted"
    trust: ClassVar[Trust] = "asserted"
    id: RecordRef
    action: Action
    object: Text
    target: Target
    modality: Modality
    polarity: Polarity
    confidence: Portion
    basis: Strings
    generation: FreeForm


class Relation(Value):
    """A relation of `t2c.graph/v1`; its id is made of from, to and type alone."""

    id: RelationRef
    source: Annotated[RecordRef, Field(alias="from")]
    to: RecordRef
    type: RelationType
    confidence: Portion
    basis: Strings


class Signal(Value):
    """One observation that speaks for a relation, for example number = #12."""

    name: Name
    value: str


class RelationLinked(Payload):
    """The linker found a relation, or found it again with another confidence or basis."""

    type: ClassVar[str] = "relation.linked"
    relation: Relation
    rule: Name
    signals: tuple[Signal, ...]


class RelationUnlinked(Payload):
    """A relation no longer holds."""

    type: ClassVar[str] = "relation.unlinked"
    id: RelationRef
    why: Literal["endpoint_retracted", "signal_gone", "judged_wrong"]
