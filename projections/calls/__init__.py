"""The calls: every request to a model, what it was shown, what came back, what that took and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, in_blocks
from t2c.projections.calls.state import HANDLES, Call, Calls, apply
from t2c.projections.calls.totals import totals

__all__ = ["SCHEMA", "CallsProjection", "Document"]

SCHEMA: Final = "t2c.calls/v1"

_encode = msgspec.json.Encoder(order="sorted").encode


class Document(msgspec.Struct, rename={"schema_": "schema"}):
    """`calls.json` as it is read back."""

    schema_: str
    calls: list[Call]


class CallsProjection:
    """`calls.json`, in the order in which they were asked, and the sums over all."""

    name = "calls"
    version = 2
    inputs: tuple[str, ...] = ()
    handles = HANDLES
    state_type = Calls

    def start(self) -> Calls:
        return Calls()

    def step(self, state: Calls, entry: Entry) -> None:
        apply(state, entry)

    def finish(self, state: Calls, inputs: Inputs) -> Artifacts:
        return {"calls.json": in_blocks(_document(state))}


def _document(state: Calls) -> Iterator[bytes]:
    """The document as artifacts are laid out, a call at a time."""
    yield b'{\n  "calls": '
    opening = b"[\n    "
    for call in state.calls.values():
        yield opening + msgspec.json.format(_encode(call), indent=2).replace(b"\n", b"\n    ")
        opening = b",\n    "
    yield b"[]" if opening[:1] == b"[" else b"\n  ]"
    summed = msgspec.json.format(_encode(totals(state.calls.values())), indent=2).replace(b"\n", b"\n  ")
    yield b',\n  "schema": "%b",\n  "totals": %b\n}\n' % (SCHEMA.encode(), summed)
