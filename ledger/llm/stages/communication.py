"""What people and agents said about tickets, read by a model: each statement, and each participant in sum.

(intent-evidence §6.3) One enrichment for each statement and one synthesis for each participant in each role. Tickets,
participant, role, lifecycle, class and modality stay; a synthesis cites statements of its participant and of nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from t2c.ledger.events.decisions import SynthesisDrawn
from t2c.ledger.events.interpretation import can_be_read, group_digest, speaker
from t2c.ledger.events.llm import Story
from t2c.ledger.kernel.canon import artifact, canonical, decimal3
from t2c.ledger.kernel.digests import short
from t2c.ledger.llm.ask import Asking, Rejected
from t2c.ledger.llm.base import Brief, Shown
from t2c.ledger.llm.responses import communication_enrichment
from t2c.ledger.llm.stages.borne import ground_of_record, unborne_words
from t2c.ledger.llm.stages.prompts import COMMUNICATION
from t2c.ledger.llm.stages.reading import FLOOR, LONGEST, Generator, Readable, Said, generation, parsed, said

__all__ = ["GENERATOR", "MOST", "Group", "Read", "Summed", "asking", "drawn", "groups", "requests", "wanted"]

GENERATOR: Final = Generator(
    "t2c/project-communication-openrouter", "1", "openrouter_communication_enrichment"
)
SCHEMA: Final = "t2c.participant-synthesis/v1"
MOST: Final = 60
"""Statements of one request, unless one participant made more: groups are never torn apart."""
_TOKENS_EACH: Final = 180
_TOKENS_GROUP: Final = 700


class Group(NamedTuple):
    """What one participant said in one role, by id."""

    participant: str
    role: str
    records: tuple[Readable, ...]

    @property
    def key(self) -> str:
        return f"{self.role}|{self.participant}"

    @property
    def digest(self) -> str:
        """Of which statements, as they read now, a synthesis is."""
        return group_digest((one.id, one.of) for one in self.records)

    @property
    def tickets(self) -> list[str]:
        """The tickets that were spoken of, from the records and never from a model."""
        return sorted({ticket for one in self.records for ticket in one.statement["target"]["tickets"]})


class Summed(NamedTuple):
    """What a model says of one participant, before it is known which answer it came from."""

    group: Group
    said: Mapping[str, Any]


class Read(NamedTuple):
    """What an answer says."""

    readings: tuple[Said, ...]
    syntheses: tuple[Summed, ...]


def wanted(record: Mapping[str, Any]) -> bool:
    """True for what was said about tickets."""
    return record["source"]["kind"] == "agent_log" and can_be_read(record)


def groups(records: Sequence[Readable]) -> list[Group]:
    """By role and participant, in byte order; each statement is of exactly one group."""
    found: dict[tuple[str, str], list[Readable]] = {}
    for one in sorted(records, key=lambda one: one.id):
        found.setdefault(speaker(one.record), []).append(one)
    return [Group(participant, role, tuple(theirs)) for (role, participant), theirs in sorted(found.items())]


def requests(all_groups: Sequence[Group], most: int = MOST) -> list[list[Group]]:
    """Groups packed into requests of at most `most` statements: one, unless there is much."""
    packed: list[list[Group]] = []
    held: list[Group] = []
    size = 0
    for group in all_groups:
        if held and size + len(group.records) > most:
            packed.append(held)
            held, size = [], 0
        held.append(group)
        size += len(group.records)
    return [*packed, held] if held else packed


def asking(asked: Sequence[Group], model: str, max_tokens: int) -> Asking[Read]:
    """The question about some groups, whole."""
    response = communication_enrichment()
    records = [(one, group) for group in asked for one in group.records]
    lines = [_described(one, group) for one, group in records]
    heads = [
        orjson.dumps(
            {
                "participantKey": group.key,
                "participant": group.participant,
                "role": group.role,
                "tickets": group.tickets,
                "recordIds": [one.id for one in group.records],
            }
        ).decode()
        for group in asked
    ]
    text = "\n".join([*heads, *lines])
    items = tuple(
        Shown(one.id, sha256(line.encode()).hexdigest())
        for (one, _), line in zip(records, lines, strict=True)
    )
    return Asking(
        stage=COMMUNICATION.stage,
        role="extractor",
        model=model,
        messages=COMMUNICATION.messages(text),
        shape=response.shape,
        brief=Brief("communication", text, items, {}),
        check=lambda content: _checked(parsed(response, content), asked),
        max_tokens=max(max_tokens, _TOKENS_EACH * len(records) + _TOKENS_GROUP * len(asked)),
        quote_schema=True,
    )


def drawn(summed: Summed, prompt: str, story: Story, answered: str) -> SynthesisDrawn:
    """The event of a synthesis, with the provenance and the tickets that the runtime owns (decisions B3)."""
    group = summed.group
    told = {
        "participant": group.participant,
        "role": group.role,
        "tickets": group.tickets,
        "summary": summed.said["summary"],
        "commitments": summed.said["commitments"],
        "risks": summed.said["risks"],
        "recordIds": summed.said["recordIds"],
    }
    synthesis = {
        "schemaVersion": SCHEMA,
        "id": "COMM-SYN-" + short(artifact(told)),
        **told,
        "confidence": summed.said["confidence"],
        "generation": generation(GENERATOR, story),
    }
    data = {
        "id": synthesis["id"],
        "participant": group.participant,
        "role": group.role,
        "of": group.digest,
        "prompt": prompt,
        "synthesis": synthesis,
        "by": answered,
    }
    return SynthesisDrawn.decode(canonical(data))


def _described(about: Readable, group: Group) -> str:
    statement, metadata = about.statement, about.record["metadata"]
    shown = {
        "recordId": about.id,
        "participantKey": group.key,
        "type": metadata.get("messageType"),
        "ticket": metadata.get("ticket"),
        "text": statement["text"],
        "action": statement["action"],
        "object": statement["object"],
        "polarity": statement["polarity"],
        "target": {key: statement["target"][key] for key in ("paths", "symbols", "versions")},
    }
    return orjson.dumps(shown).decode()


def _checked(answer: Mapping[str, Any], asked: Sequence[Group]) -> Read:
    known = {one.id: one for group in asked for one in group.records}
    readings: dict[str, Said] = {}
    for number, item in enumerate(answer["enrichments"]):
        place = f"response.enrichments[{number}]"
        about = known.get(item["recordId"])
        if about is None:
            raise Rejected(f"{place}.recordId {item['recordId']} is not one of the records that were shown")
        if about.id in readings:
            raise Rejected(f"{place}.recordId {about.id} has an enrichment already")
        readings[about.id] = said(about, place, item, GENERATOR)
    missing = [identity for identity in known if identity not in readings]
    if missing:
        raise Rejected(f"response.enrichments has none for {_named(missing)}")
    return Read(tuple(readings.values()), tuple(_syntheses(answer["participantSyntheses"], asked)))


def _syntheses(items: Sequence[Mapping[str, Any]], asked: Sequence[Group]) -> list[Summed]:
    by_key = {group.key: group for group in asked}
    found: dict[str, Summed] = {}
    for number, item in enumerate(items):
        place = f"response.participantSyntheses[{number}]"
        key = item["participantKey"]
        group = by_key.get(key)
        if group is None:
            raise Rejected(f"{place}.participantKey {key} is not one of those that were shown")
        if key in found:
            raise Rejected(f"{place}.participantKey {key} has a synthesis already")
        theirs = {one.id for one in group.records}
        cited = list(dict.fromkeys(item["recordIds"]))
        foreign = [identity for identity in cited if identity not in theirs]
        if foreign:
            raise Rejected(f"{place}.recordIds cites {_named(foreign)}, which {key} did not say")
        if not cited:
            raise Rejected(f"{place}.recordIds must cite at least one statement of {key}")
        if len(orjson.dumps([item["summary"], item["commitments"], item["risks"]])) > LONGEST:
            raise Rejected(f"{place} is longer than {LONGEST:,} bytes")
        grounds = [ground_of_record(one.record) for one in group.records if one.id in set(cited)]
        for text in (item["summary"], *item["commitments"], *item["risks"]):
            told = next(unborne_words(text, grounds), None)
            if told is not None:
                raise Rejected(f"{place} {told}")
        found[key] = Summed(
            group,
            {
                "summary": item["summary"].strip(),
                "commitments": _texts(item["commitments"]),
                "risks": _texts(item["risks"]),
                "recordIds": sorted(cited),
                "confidence": decimal3(max(FLOOR, item["confidence"])),
            },
        )
    missing = [key for key in by_key if key not in found]
    if missing:
        raise Rejected(f"response.participantSyntheses has none for {_named(missing)}")
    return [found[key] for key in by_key]


def _named(some: Sequence[str]) -> str:
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return ", ".join(some[:3]) + more


def _texts(values: Sequence[str]) -> list[str]:
    return [text for value in values if (text := value.strip())]
