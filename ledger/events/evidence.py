"""Family evidence: what was found, what moved, what is gone, what belongs together."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from t2c.ledger.events.base import (
    EventRef,
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
    MODEL_CAP,
    MODEL_CAPS,
    Action,
    Generation,
    Modality,
    Polarity,
    Record,
    RelationType,
    SourceKind,
    Strings,
    Target,
)
from t2c.ledger.kernel.actor import Trust
from t2c.ledger.kernel.ids import RECORD_PREFIX

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
    """How a model reads a record: a layer over it with its own provenance; the record's id stays (architecture §4).

    `of` is the content digest of the record that was read: the reading is of no other content. `target` is what the
    model names, the record's own left out of account. `basis` holds flags of the runtime, and the model's own words
    behind `model:`. `answered` is the `llm.answered` it was read from, `prompt` the version of the fixed part of what
    was asked.
    """

    type: ClassVar[str] = "record.interpreted"
    trust: ClassVar[Trust] = "asserted"
    id: RecordRef
    of: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    stage: Name
    prompt: Name
    action: Action
    actor: str | None
    object: Text
    target: Target
    modality: Modality
    polarity: Polarity
    confidence: Portion
    basis: Strings
    topics: Strings
    acceptanceEvidence: Strings
    generation: Generation
    answered: EventRef

    @model_validator(mode="after")
    def _is_within_bounds(self) -> Self:
        if self.generation.used != "llm":
            raise ValueError("a reading is made by a model: generation.used is llm")
        kind = next((kind for kind, prefix in RECORD_PREFIX.items() if prefix == self.id[:-21]), None)
        most = MODEL_CAPS.get(kind or "", MODEL_CAP)
        if self.confidence > most:
            raise ValueError(f"a model is at most {most} sure of what it reads in source.kind {kind}")
        return self


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
