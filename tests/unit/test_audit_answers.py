"""Level domain of events about answers: each promise broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.answers.recording import record
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.answers import (
    AnswerRecorded,
    AnswerVerified,
    ChoiceMade,
    QuestionAnswered,
    ShortcutJudged,
)
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.gates import GateAnnounced
from t2c.ledger.kernel.actor import Actor

HUMAN, AGENT = Actor("human", "ada"), Actor("agent", "m")
EXPLORED = {
    "summary": "s", "status": "done", "constraints": [], "open_questions": [],
    "approaches": [{"title": "A", "summary": "s", "tradeoffs": [], "risks": []}],
}  # fmt: skip
PROPOSAL: dict[str, Any] = {"summary": "s", "steps": [], "files": [], "checks": [], "risks": []}
MONITORING = {"suspected": True, "findings": [{"kind": "other", "evidence": "x", "explanation": "y"}]}
ABSENT = "EVT-" + "0" * 20


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c") as made:
        yield made


def faults(ledger: Ledger) -> list[str]:
    audit = DomainAudit(ledger.objects.has)
    lines = (ledger.workspace / JOURNAL).read_bytes().splitlines()
    for seq, line in enumerate(lines, 1):
        audit.visit(seq, orjson.loads(line))
    audit.finish()
    return [fault.kind for fault in audit.faults]


def given(ledger: Ledger, root: str, value: Any) -> str:
    return record(ledger, root, orjson.dumps(value)).event


def verified(answer: str, **more: Any) -> AnswerVerified:
    base: dict[str, Any] = {
        "answer": answer, "check": "c", "item": None, "result": "supported", "detail": "d", "evidence": (), "objects": ()
    }  # fmt: skip
    return AnswerVerified(**{**base, **more})


def gate(cause: tuple[str, ...]) -> EventDraft:
    payload = GateAnnounced(
        purpose="p", subject=None, argv=("true",), command=None, cwd=".", environment={}, timeout_seconds=1,
        tree="work_tree", revision=None, fingerprint=None, contract=None, task=None, criterion=None,
    )  # fmt: skip
    return draft(payload, cause=cause)


def test_what_t2c_itself_records_is_sound(ledger: Ledger) -> None:
    given(ledger, "explored", EXPLORED)
    given(ledger, "proposal", PROPOSAL)
    monitoring = given(ledger, "monitoring", MONITORING)
    given(ledger, "question", {"question": "Why?"})
    ledger.append([gate((monitoring,))])
    assert faults(ledger) == []


@pytest.mark.parametrize(("root", "value"), [("proposal", PROPOSAL), ("explored", EXPLORED)])
def test_nothing_that_acts_may_follow_from_what_is_only_to_be_read(
    ledger: Ledger, root: str, value: Any
) -> None:
    ledger.append([gate((given(ledger, root, value),))])
    assert faults(ledger) == ["inert_cause"]


Case = Callable[[Ledger], EventDraft]


def _choice(**more: Any) -> Case:
    def made(ledger: Ledger) -> EventDraft:
        actor = more.pop("actor", HUMAN)
        data = {
            "answer": given(ledger, "explored", EXPLORED),
            "title": "A",
            "digest": "0" * 64,
            "reason": "",
            **more,
        }
        return draft(ChoiceMade(**data), actor=actor, trust="asserted")

    return made


def _judged(actor: Actor = HUMAN, **more: Any) -> Case:
    def made(ledger: Ledger) -> EventDraft:
        answer = given(ledger, "monitoring", MONITORING)
        data = {"answer": answer, "item": 0, "verdict": "cleared", "reason": "r", "evidence": (), **more}
        return draft(
            ShortcutJudged(**data), actor=actor, trust="observed" if actor.kind == "helper" else "asserted"
        )

    return made


@pytest.mark.parametrize(
    ("case", "kinds"),
    [
        (_choice(), []),
        (_choice(actor=AGENT), ["trust"]),
        (_choice(title="B"), ["choice"]),
        (_choice(title=None), ["choice"]),
        (_choice(title=None, digest=None), []),
        (_choice(answer=ABSENT), ["answer_unknown"]),
        (_judged(), []),
        (_judged(AGENT), ["trust"]),
        (_judged(item=1), ["shortcut"]),
        (_judged(Actor("helper", "t2c")), ["shortcut"]),
        (_judged(answer=ABSENT), ["answer_unknown"]),
    ],
)
def test_decisions_are_held_to_who_makes_them_and_to_what_there_is(
    ledger: Ledger, case: Case, kinds: list[str]
) -> None:
    ledger.append([case(ledger)])
    assert faults(ledger) == kinds


def test_a_check_is_t2cs_own_and_of_an_answer_with_its_objects(ledger: Ledger) -> None:
    answer = given(ledger, "proposal", PROPOSAL)
    ledger.append([draft(verified(answer))])
    assert faults(ledger) == []
    ledger.append([draft(verified(answer), actor=AGENT, trust="asserted")])
    ledger.append([draft(verified(ABSENT))])
    ledger.append([draft(verified(answer, objects=("1" * 64,)))])
    assert faults(ledger) == ["trust", "answer_unknown", "object_missing"]


def test_an_answer_is_an_agents_and_its_bytes_are_there(ledger: Ledger) -> None:
    payload = AnswerRecorded(
        root="proposal", schema_digest="0" * 64, about=None, answered=None, content="2" * 64, value=PROPOSAL
    )  # fmt: skip
    ledger.append([draft(payload, actor=HUMAN)])
    assert faults(ledger) == ["trust", "object_missing"]


def test_replies_and_approvals_are_peoples(ledger: Ledger) -> None:
    given(ledger, "question", {"question": "Why?"})
    question = next(entry.id for entry in ledger.entries() if entry.type == "question.asked")
    reply = QuestionAnswered(question=question, answer="x", reason="")
    approval = ApprovalGranted(subject="answer:x", digest="0" * 64, statement="")
    ledger.append([draft(reply, actor=HUMAN), draft(approval, actor=HUMAN)])
    assert faults(ledger) == []
    ledger.append([draft(reply, actor=AGENT), draft(approval, actor=AGENT)])
    ledger.append([draft(QuestionAnswered(question=ABSENT, answer="x", reason=""), actor=HUMAN)])
    assert faults(ledger) == ["trust", "trust", "answer_unknown"]
