"""What events of gates promise each other: t2c announced the command before, and it ended once and in one way.

How it ended fits the exit code, and what it wrote is an object (plan-records J16, J17, decisions A11, A12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from t2c.ledger.audit.origins import names_of

__all__ = ["HANDLED", "GateAudit"]

Event = Mapping[str, Any]

HANDLED: Final = frozenset({"gate.announced", "gate.ran"})
_CODES: Final[Mapping[str, range | frozenset[int]]] = {
    "exited": range(256),
    "timed_out": frozenset({124}),
    "signalled": range(129, 193),
    "not_started": frozenset({126, 127}),
    "interrupted": frozenset({130}),
}


class GateAudit:
    """Follows gates from their announcements to their outcomes. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None]) -> None:
        self._fault = fault
        self._open: set[str] = set()
        self._settled: dict[str, int] = {}

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; returns the objects that it rests on."""
        actor, taken_in = event["actor"], event.get("origin") is not None
        # Of an event that came from elsewhere only its own ledger can have seen it happen.
        if actor["kind"] not in ("helper", "host_adapter") or (event["trust"] != "observed" and not taken_in):
            who = f"{event['trust']} by {actor['kind']}:{actor['id']}"
            self._fault(seq, "trust", f"only what ran a gate observes it, and not {who}")
        if event["type"] == "gate.announced":
            if (data["argv"] is None) == (data["command"] is None):
                self._fault(seq, "gate_command", "a gate has either words or a text for a shell")
            self._open.update(names_of(event))
            return ()
        self._ended(seq, data, taken_in)
        return (data["output"],)

    def _ended(self, seq: int, data: Event, taken_in: bool) -> None:
        announced, outcome, code = data["announced"], data["outcome"], data["exit_code"]
        if announced not in self._open:
            if not taken_in:
                self._fault(seq, "gate_unknown", f"{announced} is no gate that was announced before")
        elif announced in self._settled and not taken_in:
            self._fault(
                seq, "gate_settled", f"{announced} has an outcome already, seq {self._settled[announced]}"
            )
        self._settled.setdefault(announced, seq)
        if code not in _CODES[outcome]:
            self._fault(seq, "gate_outcome", f"a gate that has {outcome} does not end with {code}")
        if data["kept_bytes"] > data["output_bytes"]:
            self._fault(seq, "gate_outcome", "more of its output was kept than it wrote")
