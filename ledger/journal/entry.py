"""One line of the journal as the read path sees it: the envelope decoded, the payload still raw bytes."""

from __future__ import annotations

import msgspec

__all__ = ["ActorPart", "Entry", "Origin", "Place", "decode", "decode_entry"]


class ActorPart(msgspec.Struct, frozen=True, gc=False):
    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a line stood in another chain: `hash` is the line's own, `prev` what it held.

    `trust` and `batch` are what it said there, if that could not be kept.
    """

    ledger: str
    seq: int
    hash: str
    prev: str
    id: str
    ts: str
    trust: str | None = None
    batch: tuple[int, int] | None = None


class Origin(Place, frozen=True, omit_defaults=True):
    """Where an event stood before it was taken in; `former` are the places before that, the latest first."""

    former: tuple[Place, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """This place and all former ones."""
        return (self, *self.former)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event with its envelope. `data` is a slice of the line: decode only what is needed of it.

    Unknown types and newer versions are entries like any other.
    """

    seq: int
    prev: str
    type: str
    v: int
    id: str
    ts: str
    actor: ActorPart
    trust: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    data_hash: str | None = None
    batch: tuple[int, int] | None = None
    cause: tuple[str, ...] = ()
    run: str | None = None
    key: str | None = None
    origin: Origin | None = None

    def is_ours(self, ledger: str | None) -> bool:
        """True if it was recorded in this ledger or in a branch of it, and never went through another one."""
        return self.origin is None or all(place.ledger == ledger for place in self.origin.places)


decode = msgspec.json.Decoder(Entry).decode
"""`decode_entry` with whatever the decoder raises: for loops that look at an error again."""


def decode_entry(line: bytes) -> Entry:
    """Decode one line (LF allowed). Raises msgspec.DecodeError if it is no event."""
    try:
        return decode(line)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
