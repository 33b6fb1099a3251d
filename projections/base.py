"""What a projection is: a pure, deterministic fold of events into artifacts.

No clock, no environment, no randomness and no I/O in any implementation: `fold` reads, `store` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

import orjson
from msgspec import Struct, field

from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.position import Position

__all__ = [
    "Artifacts",
    "Content",
    "EnvelopeReader",
    "Inputs",
    "Journal",
    "Projection",
    "Provenance",
    "Unusable",
    "in_blocks",
    "pretty",
]

Content = bytes | Iterable[bytes]
"""The bytes of one file, whole or in pieces made one after another, so that memory stays bounded."""
Artifacts = Mapping[str, Content]
"""File name → content. Names are flat. An iterable of pieces can be read once."""

_BLOCK: Final = 1 << 16

S = TypeVar("S")


class Unusable(ValueError):
    """A payload that a projection cannot use; the text says why. The fold reports it and goes on."""


class Journal(Protocol):
    """Where events come from: in order, found by `seq`."""

    def head(self) -> Position:
        """The position after the last complete event."""
        ...

    def entries(self, after: Position | None, until: int | None) -> Iterator[Entry]:
        """The events with `seq` above `after.seq` and at most `until`, in order."""
        ...

    def position(self, seq: int) -> Position | None:
        """The position after event `seq`, or None if there is no such event."""
        ...

    def holds(self, position: Position) -> bool:
        """True if the line that ends at `position.offset` hashes to `position.hash`."""
        ...


class Inputs(Struct, frozen=True):
    """What `finish` may read beside its own state.

    `ts` is the time of the last event folded, of any type: the `generatedAt` of every artifact (decisions
    A6). `states` holds the folded states of the projections named in `inputs`, to be read and not changed; what
    several projections make of one of them is made once and kept in `made`.
    """

    ts: str
    states: Mapping[str, Any]
    made: dict[str, Any] = field(default_factory=dict)


class Provenance(Struct, frozen=True):
    """Which fold an artifact is of: `head` is the hash of event `seq`, `inputs` maps names to versions."""

    name: str
    version: int
    seq: int
    head: str
    inputs: Mapping[str, int]


class Projection(Protocol[S]):
    """A view: `start`, one `step` per event of a type in `handles`, `finish`.

    A change of what `step` or `finish` make of the same events needs a new `version`. `inputs` names other
    projections whose state `finish` reads. `state_type` is a msgspec Struct, so that a state can be kept and
    taken up again.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def inputs(self) -> tuple[str, ...]: ...

    @property
    def handles(self) -> frozenset[str]: ...

    @property
    def state_type(self) -> type[S]: ...

    def start(self) -> S:
        """The state before the first event."""
        ...

    def step(self, state: S, entry: Entry) -> None:
        """Apply one event to the state, in place.

        Either applies the whole event, or raises (Unusable, msgspec.DecodeError) and changes nothing.
        """
        ...

    def finish(self, state: S, inputs: Inputs) -> Artifacts:
        """The artifacts of a state; the same state gives the same bytes."""
        ...


@runtime_checkable
class EnvelopeReader(Protocol):
    """A projection that also looks at the envelope of every event: unknown and withheld ones too."""

    def note(self, state: Any, entry: Entry) -> None:
        """Take account of an event whose payload is not to be read. Called before `step`."""
        ...


def pretty(value: object) -> bytes:
    """JSON as artifacts are written: keys sorted, two spaces, a final newline (intent-evidence §0.4)."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about 64 KiB, so that hashing and writing are not called for each line."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
