"""Family answers: typed answers, what checking them showed, and what people say to them (answers §4, §5)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, EventRef, FreeForm, Hex64, Name, Payload, Text
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "AnswerRecorded", "AnswerVerified", "ChoiceMade", "QuestionAnswered", "QuestionAsked", "ShortcutJudged", "Verdict",
]  # fmt: skip

Verdict = Literal["supported", "refuted", "unresolvable", "inconsistent"]


class AnswerRecorded(Payload):
    """A typed answer: what a model claims. It closes, completes and approves nothing (answers §1).

    `root` names its schema; `about` is what it is of, such as a task or a scenario; `answered` is the `llm.answered`
    it was read from, null where somebody brought it as a file; `content` is the object of its exact bytes.
    """

    type: ClassVar[str] = "answer.recorded"
    trust: ClassVar[Trust] = "asserted"
    root: Name
    schema_digest: Hex64
    about: Text | None
    answered: EventRef | None
    content: Hex64
    value: FreeForm | None


class AnswerVerified(Payload):
    """What checking an answer, or one `item` of it, showed. `evidence` are the events that it rests on.

    `round` counts how often all checks of the answer were run: what a later round shows stands in place of everything
    that earlier ones did, but for round 0, which needed nothing but the answer itself.
    """

    type: ClassVar[str] = "answer.verified"
    answer: EventRef
    check: Name
    item: str | None
    result: Verdict
    detail: Text
    evidence: tuple[EventRef, ...]
    objects: tuple[Hex64, ...]
    round: Count = 0


class ShortcutJudged(Payload):
    """A suspected shortcut is confirmed or cleared by a check that tells the two apart, or by a person."""

    type: ClassVar[str] = "shortcut.judged"
    answer: EventRef
    item: Annotated[int, Field(ge=0)]
    verdict: Literal["confirmed", "cleared"]
    reason: Text
    evidence: tuple[EventRef, ...]


class ChoiceMade(Payload):
    """A person chose one of several approaches, or none. `digest` is of the approach as it was shown."""

    type: ClassVar[str] = "choice.made"
    trust: ClassVar[Trust] = "asserted"
    answer: EventRef
    title: Text | None
    digest: Hex64 | None
    reason: str


class QuestionAsked(Payload):
    """Something that only a person can say. `number` counts the questions of one subject from 1."""

    type: ClassVar[str] = "question.asked"
    trust: ClassVar[Trust] = "asserted"
    answer: EventRef | None
    number: Annotated[int, Field(ge=1)]
    about: Text | None
    question: Text


class QuestionAnswered(Payload):
    """A person answered a question, or waived it: then `answer` is null."""

    type: ClassVar[str] = "question.answered"
    trust: ClassVar[Trust] = "asserted"
    question: EventRef
    answer: Text | None
    reason: str
