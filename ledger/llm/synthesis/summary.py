"""What a model concludes: an answer whose every citation was shown, or none at all (decisions D1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.llm.asking import Rejected
from t2c.ledger.llm.synthesis.contract import Kind, Severity

__all__ = [
    "LONGEST",
    "Citable",
    "Concluded",
    "Said",
    "faults_told",
    "length",
    "read_conclusions",
    "read_summary",
]

LONGEST: Final = 16 << 10
"""Bytes of UTF-8 that the words of one conclusion or proposal may take: each becomes one event."""
_FAULTS_TOLD: Final = 8
_FAULT_LONGEST: Final = 300


class Citable(NamedTuple):
    """What an answer may cite: diagnostics, each with those of its records that were shown, and all records shown."""

    diagnostics: Mapping[str, tuple[str, ...]]
    records: frozenset[str]


class Said(msgspec.Struct, frozen=True, rename="camel"):
    """A conclusion as a model writes it. `key` names it within the answer, where others cite it."""

    kind: Kind
    title: str
    detail: str
    severity: Severity
    diagnostic_ids: tuple[str, ...]
    record_ids: tuple[str, ...]
    confidence: float
    key: str = ""


class Concluded(NamedTuple):
    """A conclusion whose citations hold: `records` are those cited ones that its diagnostics rest on."""

    said: Said
    records: tuple[str, ...]


class _Summary(msgspec.Struct, frozen=True):
    conclusions: tuple[Said, ...]


_decode = msgspec.json.Decoder(_Summary).decode


def read_summary(content: bytes, citable: Citable) -> tuple[Concluded, ...]:
    """The conclusions of an answer that is valid by its schema.

    Raises Rejected, with every place, for a citation of what was not shown, for a conclusion none of whose records is
    of a diagnostic that it cites, for one that says nothing or more than LONGEST, and for one that stands there twice.
    """
    faults: list[str] = []
    found = tuple(read_conclusions(_decoded(content), citable, faults))
    faults_told(faults)
    return found


def _decoded(content: bytes) -> Sequence[Said]:
    try:
        return _decode(content).conclusions
    except msgspec.DecodeError as error:
        raise Rejected(f"response: {error}") from None


def read_conclusions(said: Sequence[Said], citable: Citable, faults: list[str]) -> Iterator[Concluded]:
    """Conclusions with the records that they may cite; what is wrong is added to `faults`."""
    seen: dict[tuple[object, ...], int] = {}
    for place, one in enumerate(said):
        at = f"response.conclusions[{place}]"
        for name, text in (("title", one.title), ("detail", one.detail)):
            if not text.strip():
                faults.append(f"{at}.{name} is blank")
        if length(one.key, one.title, one.detail) > LONGEST:
            faults.append(f"{at} is longer than {LONGEST:,} bytes")
        unknown = [identity for identity in one.diagnostic_ids if identity not in citable.diagnostics]
        faults += [f"{at}.diagnosticIds cites {identity}, which was not shown" for identity in unknown]
        faults += [
            f"{at}.recordIds cites {identity}, which was not shown"
            for identity in one.record_ids
            if identity not in citable.records
        ]
        grounds = {
            record for identity in one.diagnostic_ids for record in citable.diagnostics.get(identity, ())
        }
        records = tuple(sorted(grounds.intersection(one.record_ids)))
        if not records and not unknown:
            faults.append(f"{at}.recordIds cites no record of the diagnostics that it cites")
        same = (one.kind, one.title.strip(), one.detail.strip(), one.severity, records)
        if (first := seen.setdefault(same, place)) != place:
            faults.append(f"{at} says the same as response.conclusions[{first}]")
        yield Concluded(one, records)


def length(*texts: str) -> int:
    """Bytes of UTF-8 that the texts take; half of a surrogate pair counts like a character."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def faults_told(faults: Sequence[str]) -> None:
    """Raise Rejected with the first of the faults, if there are any, and how many more there are."""
    if faults:
        more = len(faults) - _FAULTS_TOLD
        told = "; ".join(_short(fault) for fault in faults[:_FAULTS_TOLD])
        raise Rejected(f"{told}; and {more} more" if more > 0 else told)


def _short(fault: str) -> str:
    """A fault as it is told: one that quotes a whole answer would be as long as that."""
    return fault if len(fault) <= _FAULT_LONGEST else fault[: _FAULT_LONGEST - 1] + "…"
