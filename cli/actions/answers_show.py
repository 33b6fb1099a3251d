"""`t2c answers show`: what models claimed, what checking showed of it, and what people said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Final

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.viewing import view
from t2c.ledger.answers.history import LATEST
from t2c.ledger.errors import T2cError, Usage

__all__ = ["AnswerDetail", "AnswerList", "detail", "listed"]

_FOUNDED: Final = ("finding", "supported")


@dataclass(frozen=True, slots=True)
class AnswerList:
    """Answers and questions as of event `seq`, in the order in which they came; `total` counts all answers."""

    schema: ClassVar[str] = "t2c.answer-list/v1"
    seq: int
    total: int
    counts: Mapping[str, int]
    answers: Sequence[Mapping[str, Any]]
    questions: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class AnswerDetail:
    """One answer as of event `seq`. `claim` is what it says, null where that is kept nowhere in the open.

    Of each approval of a file `fits` says whether the file in the tree is still what was approved, null where it is
    not there. `proposed_tasks` are those of an assessment's findings that its last check found well founded: proposals
    and no tasks.
    """

    schema: ClassVar[str] = "t2c.answer/v1"
    seq: int
    answer: Mapping[str, Any]
    claim: Mapping[str, Any] | None
    questions: Sequence[Mapping[str, Any]]
    approvals: Sequence[Mapping[str, Any]]
    proposed_tasks: Sequence[Mapping[str, Any]] = ()


def listed(
    context: Context, *, about: str | None = None, only_open: bool = False, at: str | None = None
) -> AnswerList:
    """All answers, or those about one subject, or those of which something is still to be decided.

    Raises Usage where there is no such moment or no ledger.
    """
    seen = view(context, "answers", at)
    found = orjson.loads(seen.artifacts["answers.json"])
    answers = [one for one in found["answers"] if about is None or one["about"] == about]
    questions = [one for one in found["questions"] if about is None or one["about"] == about]
    if only_open:
        answers = [one for one in answers if _is_open(one)]
        questions = [one for one in questions if one["reply"] is None]
    return AnswerList(seen.seq, found["counts"]["answers"], found["counts"], answers, questions)


def detail(context: Context, name: str, at: str | None = None) -> AnswerDetail:
    """One answer by its seq, its event or the first digits of that. Raises Usage where there is none or several."""
    seen = view(context, "answers", at)
    found = orjson.loads(seen.artifacts["answers.json"])
    if name == LATEST and found["answers"]:
        name = max(found["answers"], key=lambda one: one["seq"])["event"]
    answers = [one for one in found["answers"] if name in (str(one["seq"]), one["event"])]
    answers = answers or [
        one for one in found["answers"] if len(name) > len("EVT-") and one["event"].startswith(name)
    ]
    if not answers and (behind := _behind(found, name)) is not None:
        raise Usage(
            f"{name} is no answer: it is {behind[0]} of the answer seq {behind[1]['seq']}",
            remedy=f"`t2c answers show {behind[1]['seq']}` shows it with all that was found of it",
        )
    if len(answers) != 1:
        raise Usage(
            f"several answers begin with {name}" if answers else f"there is no answer {name}",
            remedy="`t2c answers show` lists them with seq and event",
        )
    answer = answers[0]
    questions = [one for one in found["questions"] if one["answer"] == answer["event"]]
    approvals = [{**one, "fits": _fits(context, one)} for one in answer["approvals"]]
    shown = {key: value for key, value in answer.items() if key != "claim"}
    claim = _claim(context, answer)
    return AnswerDetail(seen.seq, shown, claim, questions, approvals, _proposed(answer, claim))


def _behind(found: Mapping[str, Any], name: str) -> tuple[str, Mapping[str, Any]] | None:
    """What an event is that is no answer and belongs to one, in words, and that answer."""
    by_event = {one["event"]: one for one in found["answers"]}
    for one in found["answers"]:
        if any(name in (str(row["seq"]), row["event"]) for row in one["checks"]):
            return "a check", one
    for question in found["questions"]:
        if name in (str(question["seq"]), question["event"]) and question["answer"] in by_event:
            return "a question", by_event[question["answer"]]
    return None


def _proposed(answer: Mapping[str, Any], claim: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if answer["root"] != "assessment" or claim is None:
        return []
    founded = {
        row["item"]: row["event"] for row in answer["checks"] if (row["check"], row["result"]) == _FOUNDED
    }
    return [
        {
            "source_ref": one["source_ref"],
            "severity": one["severity"],
            "task": one["task"],
            "event": founded[item],
        }
        for index, one in enumerate(claim["findings"])
        if (item := f"findings[{index}]") in founded
    ]


def _is_open(answer: Mapping[str, Any]) -> bool:
    """True while a check or a person has something to say of it: nothing was shown, or no check could tell."""
    return answer["state"] in ("claimed", "unresolvable", "inconsistent") or any(
        question["open"] for question in answer["questions"]
    )


def _claim(context: Context, answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What the answer says, from the event or from its object."""
    if answer["claim"] is not None:
        inline: Mapping[str, Any] = answer["claim"]
        return inline
    try:
        with open_ledger(context) as ledger:
            found: Mapping[str, Any] = orjson.loads(ledger.objects.get(answer["content"]))
            return found
    except (T2cError, orjson.JSONDecodeError):
        return None


def _fits(context: Context, approval: Mapping[str, Any]) -> bool | None:
    if approval["path"] is None:
        return True
    try:
        content = context.path(context.root / approval["path"]).read_bytes()
    except (OSError, T2cError):
        return None
    digest: str = approval["digest"]
    return sha256(content).hexdigest() == digest
