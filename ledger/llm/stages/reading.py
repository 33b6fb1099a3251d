"""What a model says of one record: held to what it may say, and made an event (intent-evidence §6.3).

No value of a model reaches an id, a provenance, a class, a lifecycle, a ticket of a conversation or an approval: the
shape has no place for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError

from t2c import __version__
from t2c.ledger.events.evidence import RecordInterpreted
from t2c.ledger.events.interpretation import can_be_read, with_reading
from t2c.ledger.events.llm import Story
from t2c.ledger.events.record import MODEL_CAP, MODEL_CAPS, Record
from t2c.ledger.events.targets import (
    is_host,
    is_outside,
    normalised_paths,
    normalised_symbols,
    normalised_tickets,
    normalised_versions,
)
from t2c.ledger.kernel.canon import canonical, decimal3
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.stages.borne import unborne

if TYPE_CHECKING:
    from pydantic import BaseModel

    from t2c.ledger.llm.responses import Response

__all__ = ["Generator", "Readable", "Said", "event_of", "generation", "named", "parsed", "said"]

M = TypeVar("M", bound="BaseModel")

FLOOR: Final = 0.05
"""The least confidence of a reading (intent-evidence §1.2)."""
LONGEST: Final = 16 << 10
"""Bytes of one reading."""
OWN_WORDS: Final = "model:"
"""What stands before a reason in a model's own words, so that none is taken for a flag of the runtime."""
UNNAMED: Final = "unnamed"
_MODEL_NOT_NAMED: Final = "served_model_not_named"
_PROVIDER_NOT_NAMED: Final = "provider_not_named"


class Generator(NamedTuple):
    """What makes readings: the name of an extractor without its version, its version, and its flag in `basis`."""

    name: str
    version: str
    flag: str


class Readable(NamedTuple):
    """A record that can be read: its id, its content digest in hex, and the record as it was found."""

    id: str
    of: str
    record: Mapping[str, Any]

    @property
    def statement(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.record["statement"]
        return found

    @property
    def kind(self) -> str:
        """`source.kind`."""
        return str(self.record["source"]["kind"])


class Said(NamedTuple):
    """A reading of one record before it is known which answer it came from: all of an event but its provenance."""

    id: str
    data: Mapping[str, Any]


def parsed(response: Response[M], content: bytes) -> dict[str, Any]:
    """The members of an answer. Raises Rejected for what its type refuses and its schema could not say."""
    from t2c.ledger.llm.bounded import Malformed

    try:
        return response.parse(content).model_dump(mode="json")
    except Malformed as error:
        raise Rejected(str(error)) from None


def said(
    about: Readable,
    place: str,
    item: Mapping[str, Any],
    generator: Generator,
    *,
    flags: Sequence[str] = (),
    **fixed: Any,
) -> Said:
    """The reading that `item` gives of a record; `place` is where it stands in the answer.

    `fixed` are members that the stage sets and not the model; what neither gives stays as it was found. Raises Rejected
    for what can be no record of the contract, and for what the record itself does not bear.
    """
    given = {**item, **fixed}
    statement = about.statement
    data: dict[str, Any] = {
        "action": given.get("action", statement["action"]),
        "actor": _actor(given.get("actor", statement["actor"])),
        "object": str(given["object"]).strip(),
        "target": named(given["target"], f"{place}.target", spoken=True),
        "modality": given.get("modality", statement["modality"]),
        "polarity": given["polarity"],
        "confidence": _confidence(given["confidence"], about.kind),
        "basis": sorted({generator.flag, *flags, *_own(given["basis"])}),
        "topics": sorted(_texts(given.get("topics", ()))),
        "acceptanceEvidence": _texts(given.get("acceptanceEvidence", ())),
    }
    if not data["object"]:
        raise Rejected(f"{place}.object must not be blank")
    if len(canonical(data)) > LONGEST:
        raise Rejected(f"{place} is longer than {LONGEST:,} bytes")
    told = next(unborne(about.record, data), None)
    if told is not None:
        raise Rejected(f"{place}{told}")
    _check(about, place, data, generator)
    return Said(about.id, data)


def named(target: Mapping[str, Any], place: str, *, spoken: bool) -> dict[str, list[str]]:
    """A target as the contract spells it. Raises Rejected for a path outside the repository, and for a host."""
    for number, path in enumerate(target["paths"]):
        if "://" in path or is_outside(path.strip()):
            raise Rejected(f"{place}.paths[{number}] is not a path inside the repository")
    for number, symbol in enumerate(target["symbols"]):
        if spoken and is_host(symbol.strip()):
            raise Rejected(f"{place}.symbols[{number}] is the name of a host and no symbol")
    return {
        "paths": normalised_paths(target["paths"]),
        "symbols": normalised_symbols(target["symbols"]),
        "tickets": normalised_tickets(target.get("tickets", ())),
        "versions": normalised_versions(target.get("versions", ())),
    }


def event_of(
    about: Readable,
    reading: Said,
    *,
    stage: str,
    prompt: str,
    generator: Generator,
    story: Story,
    answered: str,
) -> RecordInterpreted:
    """The event of a reading, with the provenance that the runtime owns (decisions D4)."""
    basis = set(reading.data["basis"])
    if story.served is None:
        basis.add(_MODEL_NOT_NAMED)
    if not (story.provider and story.provider.strip()):
        basis.add(_PROVIDER_NOT_NAMED)
    data = {
        **reading.data,
        "basis": sorted(basis),
        "id": about.id,
        "of": about.of,
        "stage": stage,
        "prompt": prompt,
        "generation": generation(generator, story),
        "answered": answered,
    }
    return RecordInterpreted.decode(canonical(data))


def generation(generator: Generator, story: Story) -> dict[str, Any]:
    """`metadata.generation` of what was read from an answer (intent-evidence §1.1)."""
    provider = story.provider.strip() if story.provider else ""
    return {
        "generator": generator.name,
        "generatorVersion": generator.version,
        "runtimeVersion": __version__,
        "requested": "llm",
        "used": "llm",
        "degraded": False,
        "fallbackReason": None,
        "provider": provider or UNNAMED,
        "model": story.served or story.requested,
        "responseId": story.response_id,
    }


def _check(about: Readable, place: str, data: Mapping[str, Any], generator: Generator) -> None:
    """Raise Rejected if the record with this reading laid over it is none of the contract."""
    if not can_be_read(about.record):
        raise Rejected(f"{place}.recordId is that of a fact, which nobody but t2c reads")
    made = {
        "generator": generator.name,
        "generatorVersion": generator.version,
        "runtimeVersion": __version__,
        "requested": "llm",
        "used": "llm",
        "degraded": False,
        "fallbackReason": None,
        "provider": UNNAMED,
        "model": UNNAMED,
        "responseId": None,
    }
    try:
        Record.model_validate_json(canonical(with_reading(about.record, {**data, "generation": made})))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise Rejected(
            f"{place} makes no record of the contract: {where} {problem['msg']}".replace("  ", " ")
        ) from None


def _actor(given: Any) -> str | None:
    text = given.strip() if isinstance(given, str) else ""
    return text or None


def _confidence(given: Any, kind: str) -> int | float:
    return decimal3(max(FLOOR, min(float(given), MODEL_CAPS.get(kind, MODEL_CAP))))


def _own(reasons: Sequence[str]) -> list[str]:
    return [f"{OWN_WORDS}{reason}" for reason in _texts(reasons)]


def _texts(values: Sequence[str]) -> list[str]:
    """Texts without white space around them, none blank and each once, in their order."""
    return list(dict.fromkeys(text for value in values if (text := value.strip())))
