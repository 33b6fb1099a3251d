"""A question: it stays open until a person answers or waives it; a model can do neither (answers §5)."""

from __future__ import annotations

from collections.abc import Iterator

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.history import decoded, events

__all__ = ["answered", "check"]


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What became of the questions that an answer asks a person."""
    asked: dict[str, str] = {}
    replies: dict[str, tuple[str, bool]] = {}
    for entry in events(bench.ledger, "question.asked", "question.answered"):
        data = decoded(entry)
        if entry.type == "question.asked":
            if data["answer"] == claim.event:
                asked[entry.id] = data["question"]
        elif data["question"] in asked:
            replies[data["question"]] = entry.id, data["answer"] is None
    yield from answered(asked, replies)


def answered(asked: dict[str, str], replies: dict[str, tuple[str, bool]]) -> Iterator[Found]:
    """One finding a question: open, answered or waived. `replies` hold the event and if it is a waiver."""
    for number, (event, text) in enumerate(asked.items()):
        item = f"questions[{number}]"
        said = " ".join(text.split())[:160]
        reply = replies.get(event)
        if reply is None:
            yield Found("questions", "unresolvable", f"open: {said}", item, (event,))
        else:
            how = "waived" if reply[1] else "answered"
            yield Found("questions", "supported", f"{how} by a person: {said}", item, (event, reply[0]))
