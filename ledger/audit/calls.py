"""What events about models promise each other: announced by t2c, answered by an agent, settled once.

An outcome is of a request that was announced before, with the same digest; each announcement has at most one. What was
sent, shown and said are objects (decisions A11, A12, D3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from t2c.ledger.audit.origins import names_of

__all__ = ["HANDLED", "CallAudit"]

Event = Mapping[str, Any]

HANDLED: Final = frozenset({"llm.asked", "llm.answered", "llm.unusable"})
_SENT: Final = ("request", "schema_digest", "brief_digest", "manifest")
_CAME: Final = ("content", "raw")


class CallAudit:
    """Follows requests to models from their announcements to their outcomes. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None]) -> None:
        self._fault = fault
        self._requests: dict[str, str] = {}
        self._settled: dict[str, int] = {}
        self._sealed: set[str] = set()

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; returns the objects that it rests on."""
        if event["type"] == "llm.asked":
            self._asked(seq, data, event)
            return tuple(data[name] for name in _SENT)
        self._outcome(seq, data, event)
        if data["asked"] in self._sealed:
            return ()  # it lies outside of the workspace
        return tuple(data[name] for name in _CAME if data[name] is not None)

    def _asked(self, seq: int, data: Event, event: Event) -> None:
        self._by(seq, event, "helper", "observed", "asks")
        for name in ("corrects", "instead_of"):
            if data[name] is not None and data[name] not in self._requests:
                self._unknown(seq, data[name], event)
        if data.get("sealed"):
            self._sealed.update(names_of(event))
        self._requests |= dict.fromkeys(names_of(event), str(data["request"]))

    def _outcome(self, seq: int, data: Event, event: Event) -> None:
        if event["type"] == "llm.answered":
            self._by(seq, event, "agent", "asserted", "answers")
        else:
            self._by(seq, event, "helper", "observed", "says that nothing usable came")
        asked = data["asked"]
        if asked not in self._requests:
            self._unknown(seq, asked, event)
        elif self._requests[asked] != data["request"]:
            self._fault(seq, "call_request", f"it is of another request than {asked}")
        # Two branches of a ledger may each have settled what both of them held open.
        elif asked in self._settled and event.get("origin") is None:
            self._fault(seq, "call_settled", f"{asked} has an outcome already, seq {self._settled[asked]}")
        self._settled.setdefault(asked, seq)

    def _by(self, seq: int, event: Event, kind: str, trust: str, does: str) -> None:
        actor = event["actor"]
        # What another ledger observed is imported here.
        may = {trust} if event.get("origin") is None else {trust, "imported"}
        if actor["kind"] != kind or event["trust"] not in may:
            who = f"{event['trust']} by {actor['kind']}:{actor['id']}"
            self._fault(seq, "trust", f"{trust} by a {kind} is who {does}, and not {who}")

    def _unknown(self, seq: int, asked: str, event: Event) -> None:
        if event.get("origin") is None:
            self._fault(seq, "call_unknown", f"{asked} is no request that was announced before")
