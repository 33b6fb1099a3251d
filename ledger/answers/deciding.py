"""What people say to answers: replies, choices, approvals, judgements. A model can say none of them (answers §5).

A person's word is an event of theirs. What it settles is looked up at once by t2c's own check, and that is recorded too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from t2c.ledger.answers.approving import Approvable
from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks import explored, question, shaped
from t2c.ledger.answers.checks.explored import approach_digest
from t2c.ledger.answers.history import claim_of, decoded, event_named, events
from t2c.ledger.answers.recording import keep_found, note_refusal, rounds_of
from t2c.ledger.answers.registry import Outcome
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.base import Payload
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.actor import Actor

__all__ = ["approve", "choose", "judge", "open_question", "reply", "settled"]


def reply(ledger: Ledger, asked: Entry, answer: str | None, reason: str, actor: Actor) -> Receipt:
    """Answer a question, or waive it where `answer` is None. Raises Refused for whoever is no person."""
    from t2c.ledger.events.answers import QuestionAnswered

    payload = QuestionAnswered(question=asked.id, answer=answer, reason=reason)
    return _said(ledger, payload, asked.id, actor, "a question is answered by a person")


def open_question(ledger: Ledger, name: str) -> Entry:
    """The question of this seq or event; that of an answer, where it has one open question and no more.

    Raises Usage for everything else, naming what there is.
    """
    entry = event_named(ledger, name, "question.asked", "answer.recorded")
    if entry.type == "question.asked":
        return entry
    waiting: dict[str, Entry] = {}
    for one in events(ledger, "question.asked", "question.answered"):
        data = decoded(one)
        if one.type == "question.answered":
            waiting.pop(data["question"], None)
        elif data["answer"] == entry.id:
            waiting[one.id] = one
    if len(waiting) == 1:
        return next(iter(waiting.values()))
    if not waiting:
        raise Usage(
            "the answer has no open question",
            where=f"seq {entry.seq}",
            safe="nothing was recorded",
            remedy="`t2c answers show --open` lists those that are",
        )
    seqs = ", ".join(str(one.seq) for one in waiting.values())
    raise Usage(
        f"the answer asks {len(waiting)} questions",
        where=f"seq {entry.seq}",
        safe="nothing was recorded",
        remedy=f"name one of them: seq {seqs}",
    )


def choose(ledger: Ledger, claim: Claim, title: str | None, reason: str, actor: Actor) -> Receipt:
    """Choose an approach of an exploration by its title, or none. Raises Usage for a title that it does not have."""
    from t2c.ledger.events.answers import ChoiceMade

    approaches = getattr(claim.value, "approaches", None)
    if approaches is None:
        raise Usage(
            f"an answer {claim.root} offers no approaches",
            where=f"seq {claim.seq}",
            safe="nothing was recorded",
            remedy="choose among those of an answer `explored`",
        )
    found = [approach for approach in approaches if approach.title == title]
    if title is not None and len(found) != 1:
        titles = ", ".join(repr(approach.title) for approach in approaches) or "none"
        raise Usage(
            f"{'several approaches have' if found else 'no approach has'} the title {title!r}",
            where=f"seq {claim.seq}",
            safe="nothing was recorded",
            remedy=f"its approaches are {titles}; --none chooses none of them",
        )
    digest = approach_digest(found[0]) if title is not None else None
    payload = ChoiceMade(answer=claim.event, title=title, digest=digest, reason=reason)
    return _said(ledger, payload, claim.event, actor, "an approach is chosen by a person")


def approve(ledger: Ledger, claim: Claim, given: Approvable, statement: str, actor: Actor) -> Receipt:
    """Approve exactly these bytes of an answer. Raises Refused for whoever is no person."""
    from t2c.ledger.events.decisions import ApprovalGranted

    ledger.objects.put(ledger.funnel.mask_bytes(given.text).content)
    payload = ApprovalGranted(subject=given.subject, digest=given.digest, statement=statement)
    return _said(ledger, payload, claim.event, actor, "an answer is approved by a person")


def judge(
    ledger: Ledger,
    claim: Claim,
    item: int,
    verdict: Literal["confirmed", "cleared"],
    reason: str,
    actor: Actor,
) -> Receipt:
    """Confirm or clear a suspected shortcut as a person. Raises Usage where nothing such is suspected."""
    from t2c.ledger.events.answers import ShortcutJudged

    findings = getattr(claim.value, "findings", ())
    if claim.root != "monitoring" or not 0 <= item < len(findings):
        many = len(findings) if claim.root == "monitoring" else 0
        raise Usage(
            f"there is no suspicion {item}",
            where=f"seq {claim.seq}",
            safe="nothing was recorded",
            remedy=f"it has {many}, counted from 0; `t2c answers show {claim.seq}` lists them",
        )
    payload = ShortcutJudged(answer=claim.event, item=item, verdict=verdict, reason=reason, evidence=())
    return _said(ledger, payload, claim.event, actor, "a shortcut is judged by a check or a person")


def settled(ledger: Ledger, answer: str | None, bench: Bench) -> Iterator[Outcome]:
    """What a person's word settled of an answer, looked up and recorded; nothing where no answer is behind it."""
    if answer is None:
        return
    claim = claim_of(ledger, event_named(ledger, answer, "answer.recorded"))
    check = {"shaped": shaped.check, "explored": explored.check}.get(claim.root, question.check)
    found: list[Found] = list(check(claim, bench))
    number = max(1, rounds_of(ledger, claim.event))
    yield from map(Outcome, keep_found(ledger, claim.event, found, number), found)


def _said(ledger: Ledger, payload: Payload, about: str, actor: Actor, rule: str) -> Receipt:
    if actor.kind != "human":
        note_refusal(ledger, subject=about, code=payload.type, reason=rule, by=actor, reference=about)
        raise Refused(
            f"{actor} cannot say it: {rule}",
            where=about,
            safe="nothing was recorded but this refusal",
            remedy="ask the person whose work it is",
        )
    return ledger.append([draft(payload, actor=actor, trust="asserted", cause=(about,))])[0]
