"""What every event payload is made of: the base model and the number and text types that keep canonical form."""

from __future__ import annotations

import inspect
import math
import re
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, PlainSerializer

from t2c.ledger.kernel import canon
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "Count",
    "Decimal3",
    "EventRef",
    "FreeForm",
    "Hex64",
    "Int53",
    "Name",
    "Payload",
    "Portion",
    "RecordRef",
    "RelationRef",
    "Span",
    "Text",
    "Timestamp",
    "Value",
]


def _three_places(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be finite")
    if round(value, 3) != value:
        raise ValueError("has more than three decimals; write it as a string")
    if abs(value) > canon.MAX_INT:
        raise ValueError("lies beyond ±(2^53−1); write it as a string")
    return int(value) if value == int(value) else value


def _walked(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    canon.check(value)
    return value


Int53 = Annotated[int, Field(ge=-canon.MAX_INT, le=canon.MAX_INT)]
Count = Annotated[int, Field(ge=0, le=canon.MAX_INT)]
Decimal3 = Annotated[
    float,
    AfterValidator(_three_places),
    PlainSerializer(lambda value: value, return_type=int | float),
]
"""A real with at most three decimals, kept and written as an integer when it is one (decisions A3)."""
Portion = Annotated[Decimal3, Field(ge=0, le=1)]
"""A confidence or share, 0 to 1."""
FreeForm = Annotated[dict[str, JsonValue], AfterValidator(_walked)]
"""A free JSON object, walked because no type vouches for its numbers and keys."""
Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Hex64 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
EventRef = Annotated[str, Field(pattern=r"^EVT-[0-9a-f]{20}$")]
RecordRef = Annotated[str, Field(pattern=r"^INT-[A-Z]+-[0-9a-f]{20}$")]
RelationRef = Annotated[str, Field(pattern=r"^REL-[0-9a-f]{20}$")]
Timestamp = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"
    ),
]


class Value(BaseModel):
    """A frozen part of a payload; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)


class Payload(Value):
    """The `data` of one event type at one version.

    `trust` is what t2c itself claims when it writes the type; `by_hand` opens it to `ledger append`, where
    it is always `asserted`; `redactable` lets a payload be kept in an object of its own, which can be deleted
    (journal-engine §6); `example` is a complete body that a person may start from.
    """

    type: ClassVar[str]
    v: ClassVar[int] = 1
    trust: ClassVar[Trust] = "observed"
    by_hand: ClassVar[bool] = False
    redactable: ClassVar[bool] = False
    example: ClassVar[dict[str, Any]] = {}

    @classmethod
    def meaning(cls) -> str:
        """What the type says, as its docstring has it, without the sources of its rules."""
        return re.sub(r" \([a-z-]+ [§A-Z][^)]*\)", "", inspect.cleandoc(cls.__doc__ or ""))

    def encode(self) -> bytes:
        """Canonical bytes of this payload: every declared field is written, null and empty ones too."""
        return canon.canonical(self.model_dump(mode="json", by_alias=True))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Validate canonical bytes. Raises pydantic.ValidationError."""
        return cls.model_validate_json(data)


class Span(Value):
    """Lines of a file, both ends counted, from 1. A locator that may move, never an identity."""

    start: Annotated[int, Field(ge=1)]
    end: Annotated[int, Field(ge=1)]
