"""Records with the reading of a model laid over them, as far as the reading is of what they say now (decisions D5).

Records without a reading stay the bytes that they are; only those with one are taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import orjson

from t2c.ledger.events.identity import content_digest
from t2c.ledger.events.interpretation import can_be_read, with_reading
from t2c.ledger.kernel.canon import NotCanonical, canonical

__all__ = ["Drawn", "Readings", "drawn", "group_of", "reading_of"]


class _Target(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    paths: list[str]
    symbols: list[str]
    tickets: list[str]
    versions: list[str]


class _Generation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    generator: str
    generatorVersion: str
    runtimeVersion: str
    requested: str
    used: str
    degraded: bool
    fallbackReason: str | None
    provider: str
    model: str
    responseId: str | None


class _Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The payload of a `record.interpreted`."""

    id: str
    of: str
    stage: str
    prompt: str
    action: str
    actor: str | None
    object: str
    target: _Target
    modality: str
    polarity: str
    confidence: float
    basis: list[str]
    topics: list[str]
    acceptanceEvidence: list[str]
    generation: _Generation
    answered: str


class _Synthesis(msgspec.Struct, frozen=True):
    """What of a synthesis views rely on; a payload holds any object at all."""

    participant: str
    role: str
    tickets: list[str]
    summary: str
    commitments: list[str]
    risks: list[str]
    recordIds: list[str]
    generation: dict[str, Any]


class Drawn(msgspec.Struct, frozen=True):
    """What of the payload of a `synthesis.drawn` decides whose it is, and of what."""

    id: str
    participant: str
    role: str
    of: str
    synthesis: dict[str, Any]


_reading = msgspec.json.Decoder(_Reading).decode
drawn = msgspec.json.Decoder(Drawn).decode
"""A `synthesis.drawn` from its payload. Raises msgspec.DecodeError for one of another shape."""
_OTHER_SHAPE: Final = (LookupError, TypeError, ValueError, AttributeError, NotCanonical)


def reading_of(data: bytes | msgspec.Raw) -> str:
    """The id of the record that is read. Raises msgspec.DecodeError for a payload of another shape."""
    return _reading(data).id


def group_of(data: bytes | msgspec.Raw) -> str:
    """Role and participant that a synthesis is of, as one key. Raises msgspec.DecodeError as `drawn`."""
    found = drawn(data)
    msgspec.convert(found.synthesis, _Synthesis)
    return f"{found.role}|{found.participant}"


class Readings:
    """The latest reading of each record, laid over it where it fits."""

    def __init__(self, readings: Mapping[str, bytes]) -> None:
        self._readings = readings
        self._fits: dict[str, bool] = {}

    def over(self, records: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """The records, those with a reading of what they say now as the reading has them."""
        for identity, raw in records:
            data = self._readings.get(identity)
            yield identity, raw if data is None else self._laid(identity, raw, data)

    def _laid(self, identity: str, raw: bytes, data: bytes) -> bytes:
        if self._fits.get(identity) is False:
            return raw
        try:
            record, reading = orjson.loads(raw), orjson.loads(data)
            if identity not in self._fits:
                self._fits[identity] = _fits(record, reading)
            return canonical(with_reading(record, reading)) if self._fits[identity] else raw
        except _OTHER_SHAPE:
            # A record that is none of the contract has no reading; the audit of schemas names it.
            self._fits[identity] = False
            return raw


def _fits(record: dict[str, Any], reading: dict[str, Any]) -> bool:
    if not can_be_read(record) or reading["generation"]["used"] != "llm":
        return False
    return bool(content_digest(record).hex() == reading["of"])
