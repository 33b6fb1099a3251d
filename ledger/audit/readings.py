"""What readings, syntheses, conclusions, proposals and relations of a model promise: an answer that they rest on.

They are said by who gave it, and their ids are those of what they say.

None reads a fact otherwise, and no relation of a model passes for one that the linker found.
(decisions A12, B3; intent-evidence §6.3)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from t2c.ledger.events.interpretation import ACCEPTED, ACCEPTED_CAP
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.digests import short
from t2c.ledger.kernel.ids import RECORD_PREFIX

__all__ = ["ReadingAudit"]

Event = Mapping[str, Any]

_READ: Final = frozenset(RECORD_PREFIX[kind] for kind in ("nl", "todo", "changelog", "document", "agent_log"))
"""Prefixes of the records that a model may read: what people wrote, and nothing that t2c saw."""


_SAID: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "conclusion.drawn": (
        "conclusion", "CONC-", ("kind", "title", "detail", "severity", "diagnosticIds", "recordIds"),
    ),
    "proposal.raised": ("proposal", "TPROP-", ("title", "description", "target", "acceptanceCriteria")),
}  # fmt: skip
"""Type of event → its member that says something, and what of that the id is made of."""


class ReadingAudit:
    """Follows answers of models to what was made of them."""

    def __init__(self, fault: Callable[[int, str, str], None]) -> None:
        self._fault = fault
        self._answered: dict[str, str] = {}
        self._facts: set[str] = set()

    def answered(self, event: Event) -> None:
        """Take note of an `llm.answered`."""
        self._answered[event["id"]] = _who(event)

    def observed(self, record: Mapping[str, Any]) -> None:
        """Take note of a record and of what it is."""
        if record["id"][:-21] in _READ:
            if record["epistemic"]["class"] == "fact":
                self._facts.add(record["id"])
            else:
                self._facts.discard(record["id"])

    def interpreted(self, seq: int, data: Event, event: Event) -> None:
        """Check a `record.interpreted`."""
        identity = data["id"]
        self._rests_on(seq, data["answered"], event)
        if identity[:-21] not in _READ or identity in self._facts:
            self._fault(
                seq, "fact_interpreted", f"{identity} is what t2c saw, which no model reads otherwise"
            )

    def drawn(self, seq: int, data: Event, event: Event, known: Collection[str]) -> None:
        """Check a `synthesis.drawn`; `known` are the ids of the records of this ledger."""
        synthesis = data["synthesis"]
        self._rests_on(seq, data["by"], event)
        keys = ("participant", "role", "tickets", "summary", "commitments", "risks", "recordIds")
        expected = "COMM-SYN-" + short(artifact({key: synthesis[key] for key in keys}))
        if not expected == data["id"] == synthesis["id"]:
            self._fault(seq, "synthesis_id", f"{data['id']} is not the id of its content, {expected}")
        if (data["participant"], data["role"]) != (synthesis["participant"], synthesis["role"]):
            self._fault(seq, "synthesis_id", f"{data['id']} is of another participant than it says")
        for identity in synthesis["recordIds"]:
            if identity not in known:
                self._fault(
                    seq, "record_unknown", f"{data['id']} cites {identity}, which is not in this ledger"
                )

    def concluded(self, seq: int, data: Event, event: Event) -> None:
        """Check a `conclusion.drawn` or `proposal.raised` (intent-evidence §7.1, §7.2)."""
        member, prefix, keys = _SAID[event["type"]]
        said = data[member]
        if data["by"] is not None:
            self._rests_on(seq, data["by"], event)
        elif event["actor"]["kind"] == "agent":
            self._fault(seq, "answer_unknown", f"{data['id']} is said by {_who(event)} and names no answer")
        expected = prefix + short(artifact({key: said.get(key) for key in keys}))
        if not expected == data["id"] == said.get("id"):
            self._fault(seq, "synthesis_id", f"{data['id']} is not the id of its content, {expected}")

    def linked(self, seq: int, data: Event, event: Event) -> None:
        """Check a `relation.linked`: what a model accepted is told from what the linker found, and by who accepted it."""
        relation = data["relation"]
        if data["rule"] != ACCEPTED:
            if event["actor"]["kind"] == "agent":
                self._fault(
                    seq, "trust", f"{relation['id']} is said by {_who(event)}, which is no rule of the linker"
                )
            return
        for answer in event.get("cause", ())[:1] or ("nothing",):
            self._rests_on(seq, answer, event)
        if relation["type"] != "evidenced_by" or relation["confidence"] > ACCEPTED_CAP:
            self._fault(
                seq,
                "accepted_too_much",
                f"{relation['id']} is {relation['type']}, {relation['confidence']} sure; a model accepts what is "
                f"evidenced_by, {ACCEPTED_CAP} sure at most",
            )

    def _rests_on(self, seq: int, answer: str, event: Event) -> None:
        who = _who(event)
        if event["actor"]["kind"] != "agent" or event["trust"] == "observed":
            self._fault(seq, "trust", f"a reading is asserted by an agent, not {event['trust']} by {who}")
        said_by = self._answered.get(answer)
        if said_by is None:
            if event.get("origin") is None:
                self._fault(seq, "answer_unknown", f"{answer} is no answer of a model in this ledger")
        elif said_by != who:
            self._fault(seq, "trust", f"{answer} was given by {said_by}, and not by {who}")


def _who(event: Event) -> str:
    return f"{event['actor']['kind']}:{event['actor']['id']}"
