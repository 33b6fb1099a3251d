"""An answer as it is shown, and the one rule by which it gets its state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

__all__ = [
    "APPROVED", "INFORMS", "SCHEMA", "STATES", "Answer", "Answers", "Approval", "Checked", "Choice", "Judgement",
    "Question", "Reply", "State", "state_of",
]  # fmt: skip

SCHEMA: Final = "t2c.answers/v1"
APPROVED: Final = "answer:"
"""How the subject of an approval of an answer begins; a file of it follows behind `#`."""

State = Literal["claimed", "supported", "refuted", "unresolvable", "inconsistent"]
STATES: Final[tuple[State, ...]] = ("claimed", "supported", "unresolvable", "refuted", "inconsistent")
"""From the best founded after `claimed` to the worst. None of them says that anything is done."""
INFORMS: Final = frozenset({"consistency", "repeated", "files_predicted", "executes_nothing"})
"""Checks that support no claim by passing: they look at the form, or only inform."""


class Checked(Struct, frozen=True):
    """What a check showed last of an answer, or of one item of it; `event` is its `answer.verified`."""

    check: str
    item: str | None
    result: str
    detail: str
    evidence: tuple[str, ...]
    event: str
    seq: int


class Judgement(Struct, frozen=True):
    """What a check or a person said last of one suspected shortcut."""

    item: int
    verdict: str
    reason: str
    by: str
    evidence: tuple[str, ...]
    event: str
    seq: int


class Choice(Struct, frozen=True):
    """Which approach a person chose last, null for none of them."""

    title: str | None
    digest: str | None
    reason: str
    by: str
    event: str
    seq: int
    ts: str


class Approval(Struct, frozen=True):
    """What a person approved: the bytes of this SHA-256, of a file of the answer where `path` is given."""

    path: str | None
    digest: str
    statement: str
    by: str
    event: str
    seq: int
    ts: str


class Reply(Struct, frozen=True):
    """What a person said last to a question; a waiver has no answer."""

    answer: str | None
    reason: str
    by: str
    event: str
    seq: int
    ts: str


class Question(Struct, frozen=True):
    """A question to a person, open while there is no reply."""

    event: str
    seq: int
    ts: str
    number: int
    about: str | None
    answer: str | None
    question: str
    reply: Reply | None = None


class Answer(Struct):
    """An answer: its `claim` as it was made, and beside it what others found, by check and item.

    `basics` needed nothing but the answer itself, `checks` are those of the last `round` in which all were run.
    """

    event: str
    seq: int
    ts: str
    by: str
    root: str
    about: str | None
    answered: str | None
    content: str
    claim: dict[str, Any] | None
    basics: dict[str, Checked] = {}
    checks: dict[str, Checked] = {}
    round: int = 0
    shortcuts: dict[str, Judgement] = {}
    approvals: list[Approval] = []
    choice: Choice | None = None

    @property
    def found(self) -> list[Checked]:
        """What stands of all that checks showed, in the order of the events."""
        return sorted({**self.basics, **self.checks}.values(), key=lambda one: one.seq)

    @property
    def state(self) -> State:
        return state_of(self.found)

    def take(self, checked: Checked, round: int) -> None:
        """What a check showed in a round; a later round stands in place of an earlier one."""
        key = checked.check if checked.item is None else f"{checked.check}\n{checked.item}"
        if round == 0:
            self.basics[key] = checked
            return
        if round > self.round:
            self.checks, self.round = {}, round
        if round == self.round:
            self.checks[key] = checked

    def shown(self, questions: Sequence[Question]) -> dict[str, Any]:
        """As it stands in `answers.json`."""
        return {
            "event": self.event,
            "seq": self.seq,
            "ts": self.ts,
            "by": self.by,
            "root": self.root,
            "about": self.about,
            "answered": self.answered,
            "content": self.content,
            "claim": self.claim,
            "state": self.state,
            "checks": [msgspec.to_builtins(one) for one in self.found],
            "shortcuts": [
                msgspec.to_builtins(one) for one in sorted(self.shortcuts.values(), key=lambda one: one.item)
            ],
            "approvals": [msgspec.to_builtins(one) for one in self.approvals],
            "choice": None if self.choice is None else msgspec.to_builtins(self.choice),
            "questions": [{"event": one.event, "open": one.reply is None} for one in questions],
        }


class Answers(Struct):
    """By the ids of their events, in the order in which they were recorded."""

    answers: dict[str, Answer] = {}
    questions: dict[str, Question] = {}


def state_of(checks: Iterable[Checked]) -> State:
    """The worst that a check showed; `claimed` until one showed something of what the answer claims."""
    results = {one.result for one in checks if one.check not in INFORMS or one.result == "inconsistent"}
    for state in reversed(STATES):
        if state in results:
            return state
    return "claimed"
