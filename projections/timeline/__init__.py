"""The timeline: when each record was first seen, and for each topic what happened when and who said so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, in_blocks
from t2c.projections.timeline.history import histories
from t2c.projections.timeline.state import HANDLES, Timeline, apply
from t2c.projections.topics import Topics

__all__ = ["SCHEMA", "TimelineProjection"]

SCHEMA: Final = "t2c.timeline/v1"

_encode = msgspec.json.Encoder(order="sorted").encode


class TimelineProjection:
    """`timeline.json`: the history of each topic that says something or once did, by key.

    `first` of its state maps a record's id to the time at which this ledger first saw it, for views that ask what came
    before what.
    """

    name = "timeline"
    version = 1
    inputs: tuple[str, ...] = ("graph", "records", "runs")
    handles = HANDLES
    state_type = Timeline

    def start(self) -> Timeline:
        return Timeline()

    def step(self, state: Timeline, entry: Entry) -> None:
        apply(state, entry)

    def finish(self, state: Timeline, inputs: Inputs) -> Artifacts:
        return {"timeline.json": in_blocks(_document(state, inputs))}


def _document(state: Timeline, inputs: Inputs) -> Iterator[bytes]:
    """The document as artifacts are laid out, a topic at a time."""
    began = _encode(state.moments[0].ts if state.moments else None)
    yield b'{\n  "began": %b,\n  "generatedAt": %b,\n' % (began, _encode(inputs.ts))
    yield b'  "schema": "%b",\n  "topics": ' % SCHEMA.encode()
    opening = b"[\n    "
    for history in histories(state, Topics.of(inputs), inputs.states["runs"]):
        yield opening + msgspec.json.format(_encode(history), indent=2).replace(b"\n", b"\n    ")
        opening = b",\n    "
    yield b"[]\n}\n" if opening[:1] == b"[" else b"\n  ]\n}\n"
