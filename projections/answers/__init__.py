"""The answers of models, what checking each showed, and what people said: claims on one side, decisions on the other.

A claim moves no state. Whatever an answer says, its state comes from the checks of it that are recorded, a question is
settled by a person's reply and nothing else, and no state of an answer says that work is done (answers §1, §7.27).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.answers.model import (
    APPROVED,
    SCHEMA,
    STATES,
    Answer,
    Answers,
    Approval,
    Checked,
    Choice,
    Judgement,
    Question,
    Reply,
)
from t2c.projections.base import Artifacts, Inputs, Unusable, pretty

__all__ = ["AnswersProjection", "document"]


class _Recorded(msgspec.Struct):
    root: str
    about: str | None
    answered: str | None
    content: str
    value: dict[str, Any] | None


class _Verified(msgspec.Struct):
    answer: str
    check: str
    item: str | None
    result: str
    detail: str
    evidence: tuple[str, ...]
    round: int = 0


class _Judged(msgspec.Struct):
    answer: str
    item: int
    verdict: str
    reason: str
    evidence: tuple[str, ...]


class _Chosen(msgspec.Struct):
    answer: str
    title: str | None
    digest: str | None
    reason: str


class _Asked(msgspec.Struct):
    answer: str | None
    number: int
    about: str | None
    question: str


class _Replied(msgspec.Struct):
    question: str
    answer: str | None
    reason: str


class _Approved(msgspec.Struct):
    subject: str
    digest: str
    statement: str


_recorded = msgspec.json.Decoder(_Recorded).decode
_verified = msgspec.json.Decoder(_Verified).decode
_judged = msgspec.json.Decoder(_Judged).decode
_chosen = msgspec.json.Decoder(_Chosen).decode
_asked = msgspec.json.Decoder(_Asked).decode
_replied = msgspec.json.Decoder(_Replied).decode
_approved = msgspec.json.Decoder(_Approved).decode


class AnswersProjection:
    """`answers.json`: every answer in the order in which they came, and every question."""

    name = "answers"
    version = 1
    inputs: tuple[str, ...] = ()
    handles = frozenset(
        {
            "answer.recorded", "answer.verified", "shortcut.judged", "choice.made", "question.asked",
            "question.answered", "approval.granted",
        }
    )  # fmt: skip
    state_type = Answers

    def start(self) -> Answers:
        return Answers()

    def step(self, state: Answers, entry: Entry) -> None:
        """Raises Unusable for what speaks of no answer or question here, and for a decision that no person made."""
        match entry.type:
            case "answer.recorded":
                self._record(state, entry)
            case "answer.verified":
                found = _verified(entry.data)
                checked = Checked(
                    found.check, found.item, found.result, found.detail, found.evidence, entry.id, entry.seq
                )
                _answer(state, found.answer).take(checked, found.round)
            case "shortcut.judged":
                judged = _judged(entry.data)
                if entry.actor.kind == "agent":
                    raise Unusable("an agent judges no shortcut")
                _answer(state, judged.answer).shortcuts[str(judged.item)] = Judgement(
                    judged.item,
                    judged.verdict,
                    judged.reason,
                    str(entry.actor),
                    judged.evidence,
                    entry.id,
                    entry.seq,
                )
            case "choice.made":
                chosen = _chosen(entry.data)
                _by_person(entry)
                _answer(state, chosen.answer).choice = Choice(
                    chosen.title,
                    chosen.digest,
                    chosen.reason,
                    str(entry.actor),
                    entry.id,
                    entry.seq,
                    entry.ts,
                )
            case "question.asked":
                asked = _asked(entry.data)
                state.questions[entry.id] = Question(
                    entry.id, entry.seq, entry.ts, asked.number, asked.about, asked.answer, asked.question
                )
            case "question.answered":
                self._reply(state, entry)
            case _:
                self._approve(state, entry)

    def _record(self, state: Answers, entry: Entry) -> None:
        found = _recorded(entry.data)
        if entry.id in state.answers:
            raise Unusable(f"the answer {entry.id} is recorded twice")
        state.answers[entry.id] = Answer(
            event=entry.id,
            seq=entry.seq,
            ts=entry.ts,
            by=str(entry.actor),
            root=found.root,
            about=found.about,
            answered=found.answered,
            content=found.content,
            claim=found.value,
        )

    def _reply(self, state: Answers, entry: Entry) -> None:
        replied = _replied(entry.data)
        _by_person(entry)
        question = state.questions.get(replied.question)
        if question is None:
            raise Unusable(f"there is no question {replied.question}")
        reply = Reply(replied.answer, replied.reason, str(entry.actor), entry.id, entry.seq, entry.ts)
        state.questions[replied.question] = msgspec.structs.replace(question, reply=reply)

    def _approve(self, state: Answers, entry: Entry) -> None:
        granted = _approved(entry.data)
        if not granted.subject.startswith(APPROVED):
            return
        _by_person(entry)
        answer, _, path = granted.subject.removeprefix(APPROVED).partition("#")
        _answer(state, answer).approvals.append(
            Approval(
                path or None,
                granted.digest,
                granted.statement,
                str(entry.actor),
                entry.id,
                entry.seq,
                entry.ts,
            )
        )

    def finish(self, state: Answers, inputs: Inputs) -> Artifacts:
        return {"answers.json": pretty(document(state, inputs.ts))}


def document(state: Answers, ts: str) -> dict[str, Any]:
    """`t2c.answers/v1`: answers with their claims and states, questions, and the counts of both."""
    asked: dict[str, list[Question]] = {}
    for question in state.questions.values():
        asked.setdefault(question.answer or "", []).append(question)
    answers = [answer.shown(asked.get(answer.event, ())) for answer in state.answers.values()]
    counts = Counter(answer["state"] for answer in answers)
    return {
        "schema": SCHEMA,
        "generatedAt": ts,
        "counts": {
            "answers": len(answers),
            **{name: counts[name] for name in STATES},
            "questions": len(state.questions),
            "openQuestions": sum(question.reply is None for question in state.questions.values()),
        },
        "answers": answers,
        "questions": [msgspec.to_builtins(question) for question in state.questions.values()],
    }


def _answer(state: Answers, event: str) -> Answer:
    found = state.answers.get(event)
    if found is None:
        raise Unusable(f"there is no answer {event}")
    return found


def _by_person(entry: Entry) -> None:
    if entry.actor.kind != "human":
        raise Unusable(f"{entry.type} is for a person to say, and not for {entry.actor}")
