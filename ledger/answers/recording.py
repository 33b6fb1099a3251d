"""Recording an answer: its exact bytes, what it claims, and at once what needs nothing but itself to be checked.

An answer is what a model claims: it is asserted by an agent whoever brings it, and no state comes from it (answers §1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from t2c.ledger.answers.base import Found
from t2c.ledger.answers.checks.rules import consistency
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, Usage
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.append import Expected
from t2c.ledger.kernel.actor import Actor

__all__ = [
    "IN_LINE",
    "UNNAMED",
    "Recorded",
    "complete",
    "keep_found",
    "note_refusal",
    "questions_in",
    "record",
    "rounds_of",
]

IN_LINE: Final = 64 * 1024
"""Bytes of an answer above which only its object holds it (decisions D3)."""
UNNAMED: Final = Actor("agent", "unnamed")
"""Who claims what somebody brought without saying whose it is."""
_SEALED: Final = "held_out"
_TRIES: Final = 20


class Recorded(NamedTuple):
    """An answer that stands in the ledger. `again` is true where it was recorded before.

    `content` is the object of its bytes, `found` what its own rules showed, `questions` the events of what it asks.
    """

    event: str
    seq: int
    root: str
    about: str | None
    content: str
    found: tuple[Found, ...]
    questions: tuple[str, ...]
    again: bool


def record(
    ledger: Ledger,
    root: str,
    content: bytes,
    *,
    actor: Actor = UNNAMED,
    about: str | None = None,
    answered: str | None = None,
) -> Recorded:
    """Record the bytes of an answer of a root; `answered` is the `llm.answered` it was read from.

    Secrets in it are masked. The same `llm.answered` is recorded as one answer however often it comes. Raises Usage for
    what is no answer of this root, naming the place; Refused for an actor that is no agent, for tests that are to be
    sealed, and for an answer that is none any more without its secrets.
    """
    from t2c.ledger.answers.roots import ROOTS
    from t2c.ledger.events.answers import AnswerRecorded
    from t2c.ledger.llm.parsing import parse_answer
    from t2c.ledger.llm.strict import schema_digest

    if actor.kind != "agent":
        raise Refused(
            f"{actor} cannot give an answer: answers are what a model claims",
            safe="nothing was recorded",
            remedy="name the agent whose answer it is: --actor agent:NAME",
        )
    if root == _SEALED:
        raise Refused(
            "held-out tests are sealed before anything is recorded of them",
            safe="nothing was recorded",
            remedy="use `t2c answers seal FILE`",
        )
    kind = ROOTS[root]
    _parsed(parse_answer, kind, root, content)
    masked = ledger.funnel.mask_bytes(content)
    try:
        value = parse_answer(kind, masked.content)
    except ValueError as error:
        raise Refused(
            f"a secret stands in the answer where it cannot be masked: {error}",
            safe="nothing was recorded",
            remedy="take the secret out; if it is none, allow it: redact.allow in t2c.toml",
        ) from None
    digest = ledger.objects.put(masked.content)
    payload = AnswerRecorded(
        root=root,
        schema_digest=schema_digest(kind),
        about=about,
        answered=answered,
        content=digest,
        value=value.model_dump(mode="json", by_alias=True) if len(masked.content) <= IN_LINE else None,
    )
    key = None if answered is None else f"answer:{answered}"
    cause = () if answered is None else (answered,)
    (receipt,) = ledger.append([draft(payload, actor=actor, cause=cause, key=key)])
    found = tuple(consistency(value))
    asked = complete(ledger, receipt.id, root, about, value, actor, new=not receipt.repeated)
    return Recorded(receipt.id, receipt.seq, root, about, digest, found, asked, receipt.repeated)


def complete(
    ledger: Ledger,
    answer: str,
    root: str,
    about: str | None,
    value: BaseModel,
    actor: Actor,
    *,
    new: bool = False,
) -> tuple[str, ...]:
    """Record what needs nothing but the answer to be said of it, unless it is recorded: its own rules, its questions.

    Whoever recorded an answer may have been stopped before this; then the next one who meets it does it. Returns the
    events of its questions.
    """
    checked = False
    asked: list[str] = []
    if not new:
        for entry in events(ledger, "answer.verified", "question.asked"):
            if decoded(entry)["answer"] == answer:
                checked = checked or entry.type == "answer.verified"
                asked += [entry.id] if entry.type == "question.asked" else []
    if not checked:
        keep_found(ledger, answer, list(consistency(value)), 0)
    return tuple(asked) or ask_people(ledger, answer, about, list(questions_in(root, value)), actor)


def _parsed(parse: Any, kind: type[BaseModel], root: str, content: bytes) -> None:
    try:
        parse(kind, content)
    except ValueError as error:
        raise Usage(
            f"this is no answer {root}: {error}",
            safe="nothing was recorded",
            remedy=f"`t2c answers schema {root}` shows what it must be",
        ) from None


def questions_in(root: str, value: Any) -> Iterator[str]:
    """What an answer asks a person, in its order; a blank question is none."""
    if root == "question":
        asked = [value.question]
    elif root == "hosted":
        asked = list(value.questions)
    elif root == "shaped":
        asked = [*(assumption.question for assumption in value.assumptions), *value.questions]
    elif root == "blocked" and value.kind.value == "needs_information":
        asked = [value.reason]
    else:
        asked = []
    yield from (text for text in dict.fromkeys(asked) if text.strip())


def rounds_of(ledger: Ledger, answer: str) -> int:
    """How often all checks of an answer were run."""
    seen = (decoded(entry) for entry in events(ledger, "answer.verified"))
    return max((data.get("round", 0) for data in seen if data["answer"] == answer), default=0)


def keep_found(ledger: Ledger, answer: str, found: Sequence[Found], round: int | None = None) -> list[str]:
    """Record what checks of an answer showed; returns the ids of the events.

    Without a `round` they stand beside what the last one showed. A check that tells a shortcut from honest work has its say recorded as well, resting on its own finding.
    """
    from t2c.ledger.events.answers import AnswerVerified, ShortcutJudged

    drafts: list[EventDraft] = []
    number = rounds_of(ledger, answer) if round is None else round
    for one in found:
        payload = AnswerVerified(
            answer=answer,
            check=one.check,
            item=one.item,
            result=one.result,
            detail=one.detail,
            evidence=one.evidence,
            objects=one.objects,
            round=number,
        )
        drafts.append(draft(payload, cause=tuple(dict.fromkeys((answer, *one.evidence)))))
    kept = [receipt.id for receipt in ledger.append(drafts)] if drafts else []
    judged = [
        draft(
            ShortcutJudged(
                answer=answer,
                item=one.judges[0],
                verdict=one.judges[1],
                reason=one.detail,
                evidence=(event, *one.evidence),
            ),
            cause=(answer, event),
        )
        for event, one in zip(kept, found, strict=True)
        if one.judges is not None
    ]
    if judged:
        ledger.append(judged)
    return kept


def ask_people(
    ledger: Ledger, answer: str, about: str | None, questions: Sequence[str], actor: Actor
) -> tuple[str, ...]:
    """Record questions that only a person can answer, numbered within their subject; returns their events."""
    from t2c.ledger.events.answers import QuestionAsked

    if not questions:
        return ()
    for _ in range(_TRIES):
        head = ledger.head()
        before = sum(decoded(entry)["about"] == about for entry in events(ledger, "question.asked"))
        drafts = [
            draft(
                QuestionAsked(answer=answer, number=before + number, about=about, question=text),
                actor=actor,
                cause=(answer,),
            )
            for number, text in enumerate(questions, 1)
        ]
        try:
            receipts = ledger.append(drafts, expected=Expected(head.seq, head.hash), atomic=True)
        except Conflict:  # somebody asked meanwhile: count again
            continue
        return tuple(receipt.id for receipt in receipts)
    raise Conflict(
        "others keep writing to this ledger, so the questions could not be numbered",
        safe=f"the answer itself, {answer}",
        remedy="record it again when they are done",
    )


def note_refusal(
    ledger: Ledger, *, subject: str, code: str, reason: str, by: Actor, reference: str | None
) -> None:
    """Record that a rule forbade what somebody asked for."""
    from t2c.ledger.approvals import standing

    standing.note_refusal(ledger, subject, code, reason, str(by), reference)
