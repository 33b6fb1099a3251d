"""Family evidence, the part that people and agents write: what somebody says, and whether a link is right."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import EventRef, FreeForm, Hex64, Payload, RecordRef, RelationRef
from t2c.ledger.kernel.actor import Trust

__all__ = ["ObservationNoted", "RelationJudged"]


class RelationJudged(Payload):
    """Somebody says whether a relation is right."""

    type: ClassVar[str] = "relation.judged"
    trust: ClassVar[Trust] = "asserted"
    by_hand: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {
        "relation": "REL-0123456789abcdef0123",
        "verdict": "wrong",
        "reason": "the commit only renames the file",
    }
    relation: RelationRef
    verdict: Literal["right", "wrong", "unsure"]
    reason: Annotated[str, Field(max_length=10_000)] = ""


class ObservationNoted(Payload):
    """A statement by anyone. How far to believe it is the envelope's `trust`."""

    type: ClassVar[str] = "observation.noted"
    trust: ClassVar[Trust] = "asserted"
    by_hand: ClassVar[bool] = True
    redactable: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {"statement": "Release 1.4 was checked on staging."}
    statement: Annotated[str, Field(min_length=1, max_length=100_000)]
    subject: Annotated[str, Field(max_length=1000)] | None = None
    about: tuple[RecordRef | RelationRef | EventRef, ...] = ()
    objects: tuple[Hex64, ...] = ()
    metadata: FreeForm = Field(default_factory=dict)
