"""The envelope: every member of a line beside its payload, as published and as level `schema` checks it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from t2c.ledger.events.base import EventRef, Hex64, Value
from t2c.ledger.events.draft import MAX_KEY, MAX_RUN
from t2c.ledger.kernel.actor import ACTOR_ID

__all__ = ["Envelope", "Origin", "Place"]

MillisecondUtc = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$")
]
Positive = Annotated[int, Field(ge=1, le=2**53 - 1)]


class ActorEntry(Value):
    kind: Literal["human", "agent", "helper", "host_adapter"]
    id: Annotated[str, Field(pattern=ACTOR_ID)]


class Place(Value):
    """Where a line stood in another chain: `hash` is the line's own, `prev` what it held.

    `trust` and `batch` are what it said there, if that could not be kept.
    """

    ledger: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    seq: Positive
    hash: Hex64
    prev: Hex64
    id: EventRef
    ts: MillisecondUtc
    trust: Literal["observed"] | None = None
    batch: tuple[Positive, Positive] | None = None


class Origin(Place):
    """Where an event stood before it was taken in from elsewhere: enough to make its line there again.

    `former` are the places that it had come from before, the latest first. Members that are null or empty are
    left out (docs/adr/0006).
    """

    former: Annotated[tuple[Place, ...], Field(max_length=100)] = ()


class Envelope(Value):
    """One line of the journal (journal-engine §1). Members that are null or empty are left out of the line."""

    seq: Positive
    prev: Hex64
    type: Annotated[str, Field(pattern=r"^[a-z]+(\.[a-z]+)+$")]
    v: Positive
    id: EventRef
    batch: tuple[Positive, Positive] | None = None
    ts: MillisecondUtc
    actor: ActorEntry
    trust: Literal["observed", "imported", "asserted"]
    cause: tuple[EventRef, ...] = ()
    run: Annotated[str, Field(min_length=1, max_length=MAX_RUN)] | None = None
    key: Annotated[str, Field(min_length=1, max_length=MAX_KEY)] | None = None
    origin: Origin | None = None
    data: dict[str, JsonValue] | None = None
    data_hash: Hex64 | None = None

    @model_validator(mode="after")
    def _rules(self) -> Self:
        if (self.data is None) == (self.data_hash is None):
            raise ValueError("an event has either data or data_hash")
        if self.trust == "observed" and self.actor.kind not in ("helper", "host_adapter"):
            raise ValueError(f"{self.actor.kind} cannot say observed")
        if self.batch is not None and not self.batch[0] <= self.batch[1]:
            raise ValueError("batch part beyond its size")
        return self
