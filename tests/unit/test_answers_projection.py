"""The view of answers: a state comes from checks that are recorded, a decision from a person, and nothing from a claim."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.kernel.actor import Actor
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

AGENT, HUMAN = Actor("agent", "m"), Actor("human", "ada")
GIVEN = {"about": None, "answered": None, "content": "0" * 64, "schema_digest": "0" * 64}


class Told:
    """A journal of answers and what the view makes of it."""

    def __init__(self, chain: Any) -> None:
        self.chain = chain

    def ids(self) -> list[str]:
        return [entry.id for entry in self.chain.journal.entries()]

    def answer(self, root: str = "attempt_report", value: Any = None, **more: Any) -> str:
        data = {**GIVEN, "root": root, "value": value, **more}
        self.chain.add("answer.recorded", data, actor=AGENT, trust="asserted")
        return self.ids()[-1]

    def verified(self, answer: str, check: str, result: str, item: str | None = None, round: int = 1) -> None:
        data = {"answer": answer, "check": check, "item": item, "result": result, "detail": "d"}
        self.chain.add("answer.verified", {**data, "evidence": [], "objects": [], "round": round})

    def said(self, type: str, data: dict[str, Any], actor: Actor = HUMAN) -> str:
        self.chain.add(type, data, actor=actor, trust="asserted")
        return self.ids()[-1]

    def fold(self) -> Any:
        return fold(self.chain.journal, ALL, ["answers"])

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = orjson.loads(self.fold().artifacts("answers")["answers.json"])
        return found

    def state(self) -> str:
        (answer,) = self.document()["answers"]
        return str(answer["state"])


@pytest.fixture
def told(chain: Any) -> Told:
    return Told(chain)


def test_a_claim_is_claimed_until_a_check_shows_something_of_it(told: Told) -> None:
    answer = told.answer(value={"status": "done"})
    assert told.state() == "claimed"
    told.verified(answer, "consistency", "supported", round=0)
    assert told.state() == "claimed", "its form says nothing of what it claims"
    told.verified(answer, "files_predicted", "unresolvable", round=0)
    assert told.state() == "claimed"
    told.verified(answer, "status", "supported")
    assert told.state() == "supported"


@pytest.mark.parametrize(
    ("results", "state"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "unresolvable"], "unresolvable"),
        (["unresolvable", "refuted", "supported"], "refuted"),
        (["refuted", "inconsistent"], "inconsistent"),
    ],
)
def test_the_worst_that_a_check_showed_is_its_state(told: Told, results: list[str], state: str) -> None:
    answer = told.answer()
    for number, result in enumerate(results):
        told.verified(answer, "files", result, f"files[{number}]")
    assert told.state() == state


def test_a_later_round_stands_in_place_of_an_earlier_one(told: Told) -> None:
    answer = told.answer()
    told.verified(answer, "consistency", "supported", round=0)
    told.verified(answer, "files", "refuted", "files[0]")
    told.verified(answer, "named_files", "refuted")
    told.verified(answer, "files", "supported", "files[1]", round=2)
    assert told.state() == "supported"
    told.verified(answer, "files", "refuted", "files[9]", round=1)
    assert told.state() == "supported", "of an earlier round"
    (shown,) = told.document()["answers"]
    assert [one["check"] for one in shown["checks"]] == ["consistency", "files"]


def test_a_question_is_settled_by_a_person_and_nobody_else(told: Told) -> None:
    answer = told.answer("question", {"question": "Why?"})
    asked = {"answer": answer, "number": 1, "about": None, "question": "Why?"}
    question = told.said("question.asked", asked, AGENT)
    reply = {"question": question, "answer": "Because.", "reason": ""}
    told.said("question.answered", reply, AGENT)
    assert told.document()["counts"]["openQuestions"] == 1
    assert told.fold().fault_counts == {"answers": 1}
    told.said("question.answered", reply)
    told.said("question.answered", {**reply, "answer": None, "reason": "later"})
    document = told.document()
    assert document["counts"]["openQuestions"] == 0
    assert document["questions"][0]["reply"]["by"] == "human:ada"
    assert document["answers"][0]["questions"] == [{"event": question, "open": False}]


def test_choices_approvals_and_judgements_are_peoples(told: Told) -> None:
    answer = told.answer("explored")
    choice = {"answer": answer, "title": "A", "digest": "1" * 64, "reason": ""}
    approval = {"subject": f"answer:{answer}#a/b.py", "digest": "2" * 64, "statement": "yes"}
    judged = {"answer": answer, "item": 0, "verdict": "cleared", "reason": "fine", "evidence": []}
    for type, data in (("choice.made", choice), ("approval.granted", approval), ("shortcut.judged", judged)):
        told.said(type, data, AGENT)
        (shown,) = told.document()["answers"]
        assert (shown["choice"], shown["approvals"], shown["shortcuts"]) == (None, [], [])
    assert told.fold().fault_counts == {"answers": 3}
    for type, data in (("choice.made", choice), ("approval.granted", approval), ("shortcut.judged", judged)):
        told.said(type, data)
    (shown,) = told.document()["answers"]
    assert (shown["choice"]["title"], shown["approvals"][0]["path"]) == ("A", "a/b.py")
    assert (shown["shortcuts"][0]["verdict"], shown["state"]) == ("cleared", "claimed")


def test_approvals_of_other_things_are_no_concern_of_it(told: Told) -> None:
    told.answer()
    told.said("approval.granted", {"subject": "plan:1", "digest": "2" * 64, "statement": ""}, AGENT)
    assert not any(told.fold().fault_counts.values())


def test_what_speaks_of_no_answer_is_told_and_changes_nothing(told: Told) -> None:
    told.answer()
    before = told.document()
    told.verified("EVT-" + "0" * 20, "status", "supported")
    told.said("question.answered", {"question": "EVT-" + "0" * 20, "answer": "x", "reason": ""})
    after = told.document()
    assert told.fold().fault_counts == {"answers": 2}
    assert {**after, "generatedAt": None} == {**before, "generatedAt": None}
