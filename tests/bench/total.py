"""A projection whose state has a fixed size, so that a refresh shows what reading costs and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, Projection, pretty


class Numbered(msgspec.Struct, gc=False):
    number: int


class Payload(msgspec.Struct, gc=False):
    metadata: Numbered


class Total(msgspec.Struct):
    """How many observations there are, and the sum of their numbers."""

    count: int = 0
    sum: int = 0


_decode = msgspec.json.Decoder(Payload).decode


class TotalProjection:
    """Adds up the numbers in the metadata of observations."""

    name = "total"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset({"observation.noted"})
    state_type = Total

    def start(self) -> Total:
        return Total()

    def step(self, state: Total, entry: Entry) -> None:
        state.sum += _decode(entry.data).metadata.number
        state.count += 1

    def finish(self, state: Total, inputs: Inputs) -> Artifacts:
        return {"total.json": pretty({"count": state.count, "sum": state.sum})}


PROJECTIONS: dict[str, Projection[Any]] = {"total": TotalProjection()}
