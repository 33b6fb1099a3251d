"""What events about answers promise each other: a claim stays a claim, and only a check or a person decides.

An answer is asserted by an agent; what checks it is observed by t2c's own code; what a person decides is said by a
person. A proposal and an exploration are never the cause of anything that acts (answers §1, §5, §7.24).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["ACTS", "HANDLED", "INERT", "AnswerAudit"]

Event = Mapping[str, Any]

ACTS: Final = frozenset(
    {
        "gate.announced",
        "apply.announced",
        "command.announced",
        "variant.announced",
        "cell.opened",
        "delegation.launched",
    }
)
"""Types of events that announce a command, a write or a run."""
_SEALED: Final = "held_out"
"""The root whose bodies are no object of the ledger until they are revealed."""
INERT: Final = frozenset({"proposal", "explored"})
"""Roots of which nothing may be the effect: they are recorded, and never executed."""


class AnswerAudit:
    """Follows answers, questions and decisions about them from event to event."""

    def __init__(self, fault: Callable[[int, str, str], None]) -> None:
        self._fault = fault
        self._roots: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        self._of_check: dict[str, str] = {}
        self._questions: set[str] = set()

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; returns the objects that it rests on."""
        _CHECKS[event["type"]](self, seq, data, event)
        if event["type"] == "answer.recorded" and data["root"] != _SEALED:
            return (data["content"],)
        return tuple(data["objects"]) if event["type"] == "answer.verified" else ()

    def root_of(self, answer: str) -> str | None:
        """The root of an answer, None where there is no such answer."""
        return self._roots.get(answer)

    def acts(self, seq: int, event: Event) -> None:
        """An event that announces an effect must not come from an answer that is only to be read."""
        for cause in event.get("cause", ()):
            if self._roots.get(cause) in INERT:
                root = self._roots[cause]
                self._fault(
                    seq,
                    "inert_cause",
                    f"{event['type']} cites {cause}, a {root}, from which nothing may follow",
                )

    def _recorded(self, seq: int, data: Event, event: Event) -> None:
        if event["actor"]["kind"] != "agent" or event["trust"] == "observed":
            self._fault(
                seq, "trust", f"an answer is asserted by an agent, not {event['trust']} by {_who(event)}"
            )
        self._roots[event["id"]] = data["root"]
        if data["root"] in ("explored", "shaped", "monitoring"):
            self._values[event["id"]] = data["value"]

    def _verified(self, seq: int, data: Event, event: Event) -> None:
        self._knows(seq, data["answer"], event)
        if event["actor"]["kind"] not in ("helper", "host_adapter"):
            self._fault(seq, "trust", f"an answer is checked by t2c's own code, and not by {_who(event)}")
        self._of_check[event["id"]] = data["answer"]

    def _judged(self, seq: int, data: Event, event: Event) -> None:
        answer = data["answer"]
        if not self._knows(seq, answer, event):
            return
        if self._roots[answer] != "monitoring":
            self._fault(seq, "shortcut", f"{answer} is no monitoring, so no shortcut is suspected in it")
        value = self._values.get(answer)
        if value is not None and data["item"] >= len(value["findings"]):
            self._fault(seq, "shortcut", f"{answer} has no suspicion {data['item']}")
        if event["actor"]["kind"] == "agent":
            self._fault(seq, "trust", f"a check or a person judges a shortcut, and not {_who(event)}")
        elif event["actor"]["kind"] == "helper" and not any(
            self._of_check.get(one) == answer for one in data["evidence"]
        ):
            self._fault(seq, "shortcut", "it is judged without a check of the same answer")

    def _chosen(self, seq: int, data: Event, event: Event) -> None:
        self._by_person(seq, event, "chooses")
        answer = data["answer"]
        if not self._knows(seq, answer, event):
            return
        if self._roots[answer] != "explored":
            self._fault(seq, "choice", f"{answer} offers no approaches")
        if (data["title"] is None) != (data["digest"] is None):
            self._fault(seq, "choice", "an approach is chosen by its title and its digest")
        value = self._values.get(answer)
        title = data["title"]
        offered = () if value is None else tuple(approach["title"] for approach in value["approaches"])
        if value is not None and title is not None and title not in offered:
            self._fault(seq, "choice", f"{answer} has no approach {title!r}")

    def _asked(self, seq: int, data: Event, event: Event) -> None:
        if data["answer"] is not None:
            self._knows(seq, data["answer"], event)
        self._questions.add(event["id"])

    def _replied(self, seq: int, data: Event, event: Event) -> None:
        self._by_person(seq, event, "answers a question")
        if data["question"] not in self._questions:
            self._missing(seq, f"{data['question']} is no question of this ledger", event)

    def _approved(self, seq: int, data: Event, event: Event) -> None:
        self._by_person(seq, event, "approves")

    def _by_person(self, seq: int, event: Event, does: str) -> None:
        if event["actor"]["kind"] != "human" or event["trust"] == "observed":
            self._fault(seq, "trust", f"only a person {does}, and not {_who(event)}")

    def _knows(self, seq: int, answer: str, event: Event) -> bool:
        if answer in self._roots:
            return True
        self._missing(seq, f"{answer} is no answer of this ledger", event)
        return False

    def _missing(self, seq: int, what: str, event: Event) -> None:
        if event.get("origin") is None:
            self._fault(seq, "answer_unknown", what)


def _who(event: Event) -> str:
    return f"{event['actor']['kind']}:{event['actor']['id']}"


_CHECKS: Final[Mapping[str, Callable[[AnswerAudit, int, Event, Event], None]]] = {
    "answer.recorded": AnswerAudit._recorded,
    "answer.verified": AnswerAudit._verified,
    "shortcut.judged": AnswerAudit._judged,
    "choice.made": AnswerAudit._chosen,
    "question.asked": AnswerAudit._asked,
    "question.answered": AnswerAudit._replied,
    "approval.granted": AnswerAudit._approved,
}
HANDLED: Final = frozenset(_CHECKS)
"""The types of events that are checked here."""
