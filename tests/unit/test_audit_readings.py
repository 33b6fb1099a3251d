"""Level `domain`: readings and syntheses rest on an answer, are said by who gave it, and are of no fact."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.audit.readings import ReadingAudit

ANSWER = {"id": "EVT-1", "type": "llm.answered", "actor": {"kind": "agent", "id": "m/1"}, "trust": "asserted"}
TODO, AST = "INT-TODO-" + "0" * 20, "INT-AST-" + "0" * 20
SYNTHESIS = {
    "participant": "ada",
    "role": "human",
    "tickets": ["AB-1"],
    "summary": "s",
    "commitments": [],
    "risks": [],
    "recordIds": [TODO],
    "id": "COMM-SYN-5b6f2f8ff16f0ac1ef93",
}


def event(**other: Any) -> dict[str, Any]:
    return {"actor": {"kind": "agent", "id": "m/1"}, "trust": "asserted", **other}


class Heard:
    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.details: list[str] = []
        self.audit = ReadingAudit(self._fault)
        self.audit.answered(ANSWER)
        self.audit.observed({"id": TODO, "epistemic": {"class": "plan"}})

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        self.kinds.append(kind)
        self.details.append(detail)

    def reads(self, identity: str = TODO, answered: str = "EVT-1", **other: Any) -> list[str]:
        self.audit.interpreted(9, {"id": identity, "answered": answered}, event(**other))
        return self.kinds

    def sums(self, other: dict[str, Any] | None = None, **synthesis: Any) -> list[str]:
        made = {**SYNTHESIS, **synthesis}
        data = {"id": made["id"], "participant": "ada", "role": "human", "by": "EVT-1", "synthesis": made}
        self.audit.drawn(9, {**data, **(other or {})}, event(), {TODO})
        return self.kinds


def test_a_sound_reading_has_no_fault() -> None:
    assert Heard().reads() == []


@pytest.mark.parametrize(
    ("kinds", "given"),
    [
        (["answer_unknown"], {"answered": "EVT-2"}),
        (["trust"], {"actor": {"kind": "agent", "id": "m/2"}}),
        (["trust", "trust"], {"actor": {"kind": "helper", "id": "t2c"}}),
        (["trust"], {"trust": "observed"}),
        (["fact_interpreted"], {"identity": AST}),
        ([], {"answered": "EVT-2", "origin": {"ledger": "x"}}),
    ],
)
def test_a_reading_that_rests_on_nothing_is_named(kinds: list[str], given: dict[str, Any]) -> None:
    assert Heard().reads(**given) == kinds


def test_a_record_that_became_a_fact_is_read_no_more_and_one_that_no_longer_is_may_be() -> None:
    heard = Heard()
    heard.audit.observed({"id": TODO, "epistemic": {"class": "fact"}})
    assert heard.reads() == ["fact_interpreted"]
    heard.audit.observed({"id": TODO, "epistemic": {"class": "claim"}})
    assert heard.reads() == ["fact_interpreted"]


def test_the_id_of_a_synthesis_is_that_of_what_it_says() -> None:
    heard = Heard()
    heard.sums(summary="another")
    assert heard.kinds == ["synthesis_id"]
    right = heard.details[0].rsplit(" ", 1)[1]
    assert Heard().sums(summary="another", id=right) == []


def test_a_synthesis_is_of_its_participant_and_cites_what_is_there() -> None:
    heard = Heard()
    heard.sums()
    right = heard.details[0].rsplit(" ", 1)[1]
    assert Heard().sums(id=right) == []
    assert Heard().sums({"participant": "eve"}, id=right) == ["synthesis_id"]
    heard = Heard()
    heard.sums(recordIds=["INT-AGENT-" + "1" * 20])
    assert "record_unknown" in heard.kinds


CONCLUSION = {
    "kind": "risk",
    "title": "t",
    "detail": "d",
    "severity": "warning",
    "diagnosticIds": ["DIAG-" + "0" * 20],
    "recordIds": [TODO],
    "confidence": 0.5,
}
PROPOSAL = {
    "title": "t",
    "description": "d",
    "target": {"paths": [], "symbols": [], "tickets": [], "versions": []},
    "acceptanceCriteria": ["c"],
    "priority": "P1",
}


@pytest.mark.parametrize(
    ("type", "said"), [("conclusion.drawn", CONCLUSION), ("proposal.raised", PROPOSAL)], ids=["CONC", "TPROP"]
)
def test_what_a_model_concludes_or_proposes_rests_on_its_answer_and_has_the_id_of_its_words(
    type: str, said: dict[str, Any]
) -> None:
    def told(changed: dict[str, Any], by: str | None = "EVT-1", **other: Any) -> tuple[list[str], str]:
        heard = Heard()
        data = {"id": changed["id"], type.partition(".")[0]: changed, "by": by}
        heard.audit.concluded(9, data, event(type=type, **other))
        return heard.kinds, (heard.details or [""])[-1]

    kinds, detail = told({**said, "id": "none"})
    assert kinds == ["synthesis_id"]
    sound = {**said, "id": detail.rsplit(" ", 1)[1]}
    assert told(sound)[0] == []
    assert told({**sound, "confidence": 0.1, "priority": "P0"})[0] == [], "neither says anything"
    assert told({**sound, "title": "Another"})[0] == ["synthesis_id"]
    assert told(sound, "EVT-2")[0] == ["answer_unknown"]
    assert told(sound, None)[0] == ["answer_unknown"]
    assert told(sound, None, actor={"kind": "helper", "id": "t2c"})[0] == []
    assert told(sound, actor={"kind": "agent", "id": "m/2"})[0] == ["trust"]
