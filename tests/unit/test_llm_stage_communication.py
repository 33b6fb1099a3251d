"""Groups of what was said: never torn apart, never mixed, and what a synthesis is made of."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.events.interpretation import speaker
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.receipts import nothing_yet
from t2c.ledger.llm.stages.communication import Group, asking, drawn, groups, requests
from t2c.ledger.llm.stages.reading import Readable

STORY = nothing_yet("m")


def spoken(
    number: int, participant: str | None = "ada", role: Any = "human", actor: str | None = None
) -> Readable:
    draft = Draft(
        kind="communication_request",
        text=f"text {number}",
        object=f"text {number}",
        action="add",
        cls="declaration",
        status="proposed",
        confidence=0.88,
        basis=("made",),
        actor=actor,
        tickets=(f"AB-{number}",),
        metadata={
            "participant": participant,
            "participantRole": role,
            "messageType": "request",
            "ticket": None,
        },
    )
    (found,) = materialise(Reading(Scope("agent_log", "project/a.md"), "t2c/made@1", (draft,)))
    return Readable(found.id, found.digest.hex(), orjson.loads(found.body))


def numbers(group: Group) -> list[str]:
    return sorted(one.statement["text"].removeprefix("text ") for one in group.records)


def test_role_and_participant_make_a_group_and_nobody_is_somebody_else() -> None:
    said = [
        spoken(1),
        spoken(2, "ada", "agent"),
        spoken(3, None, "robot", "eve"),
        spoken(4, None, None, None),
        spoken(5),
    ]
    found = groups(list(reversed(said)))
    assert [(one.key, numbers(one)) for one in found] == [
        ("agent|ada", ["2"]),
        ("human|ada", ["1", "5"]),
        ("unknown|eve", ["3"]),
        (f"unknown|unknown:{said[3].id}", ["4"]),
    ]
    assert found[1].tickets == ["AB-1", "AB-5"]
    assert speaker(said[0].record) == ("human", "ada")


def test_requests_hold_whole_groups_and_are_one_unless_there_is_much() -> None:
    many = [spoken(number, f"p{number % 3}") for number in range(12)]
    found = groups(many)
    assert requests(found) == [found]
    assert [[one.participant for one in pack] for pack in requests(found, 8)] == [["p0", "p1"], ["p2"]]
    assert [[one.participant for one in pack] for pack in requests(found, 1)] == [["p0"], ["p1"], ["p2"]]
    assert requests([]) == []


def test_the_digest_of_a_group_is_that_of_its_statements_as_they_read() -> None:
    one, two = spoken(1), spoken(2)
    digest = Group("ada", "human", (one, two)).digest
    assert Group("ada", "human", (two, one)).digest == digest
    assert Group("ada", "human", (one,)).digest != digest
    assert Group("ada", "human", (one, two._replace(of="f" * 32))).digest != digest


def answer(pack: list[Group], **synthesis: Any) -> dict[str, Any]:
    return {
        "enrichments": [
            {
                "recordId": one.id,
                "action": "fix",
                "object": "o",
                "polarity": "positive",
                "confidence": 0.5,
                "basis": [],
                "target": {"paths": [], "symbols": [], "versions": []},
                "topics": [],
            }
            for group in pack
            for one in group.records
        ],
        "participantSyntheses": [
            {
                "participantKey": group.key,
                "summary": " s ",
                "commitments": ["c", " "],
                "risks": [],
                "recordIds": [group.records[0].id],
                "confidence": 0.01,
                **synthesis,
            }
            for group in pack
        ],
    }


@pytest.fixture
def pack() -> list[Group]:
    return groups([spoken(1), spoken(2, "codex", "agent")])


def test_tickets_and_participant_of_a_synthesis_are_the_records_and_its_id_is_of_its_words(
    pack: list[Group],
) -> None:
    read = asking(pack, "m", 6000).check(orjson.dumps(answer(pack)))
    first = drawn(read.syntheses[1], "communication@1", STORY, "EVT-" + "0" * 20)
    assert first.synthesis == {
        "schemaVersion": "t2c.participant-synthesis/v1",
        "id": first.id,
        "participant": "ada",
        "role": "human",
        "tickets": ["AB-1"],
        "summary": "s",
        "commitments": ["c"],
        "risks": [],
        "recordIds": [pack[1].records[0].id],
        "confidence": 0.05,
        "generation": first.synthesis["generation"],
    }
    other = asking(pack, "m", 6000).check(orjson.dumps(answer(pack, summary="t"))).syntheses[1]
    assert drawn(other, "communication@1", STORY, "EVT-" + "0" * 20).id != first.id


@pytest.mark.parametrize(
    ("synthesis", "told"),
    [
        ({"recordIds": ["INT-AGENT-" + "9" * 20]}, r"participantSyntheses\[0\]\.recordIds cites"),
        (
            {"participantKey": "human|ada"},
            r"participantSyntheses\[1\]\.participantKey human\|ada has a synthesis already",
        ),
        ({"summary": "x" * 20_000}, r"participantSyntheses\[0\] is longer than 16,384 bytes"),
    ],
)
def test_a_synthesis_that_breaks_a_rule_rejects_the_whole_answer(
    pack: list[Group], synthesis: dict[str, Any], told: str
) -> None:
    given = answer(pack, **synthesis)
    if "participantKey" in synthesis:
        for one in given["participantSyntheses"]:
            one["recordIds"] = [pack[1].records[0].id]
    with pytest.raises(Rejected, match=told):
        asking(pack, "m", 6000).check(orjson.dumps(given))


def test_room_for_the_answer_grows_with_what_is_asked() -> None:
    many = groups([spoken(number) for number in range(60)])
    assert asking(many, "m", 6000).max_tokens > 10_000
    assert asking(many[:1], "m", 50_000).max_tokens == 50_000
