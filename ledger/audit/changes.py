"""What events of plans and patches promise: the hash they name is that of their content, and done is what was shown.

No hash that stands inside a document is believed: each is computed anew (intent-evidence §7.3-§7.6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from t2c.ledger.audit.origins import names_of
from t2c.ledger.audit.trials import Read
from t2c.ledger.errors import T2cError
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id
from t2c.ledger.kernel.shown import not_shown

__all__ = ["HANDLED", "PROPOSING", "ChangeAudit"]

Event = Mapping[str, Any]
PROPOSING: Final = frozenset({"change.planned", "patch.rendered"})
"""The types of events that say whose work it is that may be approved."""


class _Evaluated(NamedTuple):
    plan: str
    accepted: bool


class ChangeAudit:
    """Follows plans to what became of them. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None], read: Read | None = None) -> None:
        """`read` gives an object's bytes; without it no text is compared with what it is the text of."""
        self._fault = fault
        self._read = read
        self._plans: dict[str, tuple[str, frozenset[str]]] = {}
        self._gates: dict[str, bool] = {}
        self._evaluated: dict[str, _Evaluated] = {}

    def ran(self, data: Event, event: Event) -> None:
        """Take a `gate.ran`: whether it passed."""
        passed = bool(data["outcome"] == "exited" and data["exit_code"] == 0)
        self._gates.update(dict.fromkeys(names_of(event), passed))

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; returns the objects that it rests on."""
        try:
            return _CHECKS[event["type"]](self, seq, data, event)
        except (LookupError, TypeError, AttributeError) as error:
            detail = f"its document is not of the published shape: {type(error).__name__} {error}"
            self._fault(seq, "change_shape", detail)
            return ()

    def _planned(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        plan = data["plan"]
        found = plan_hash(plan)
        if not data["hash"] == found == plan.get("planHash", found):
            self._fault(seq, "plan_hash", f"the plan's hash is {found[:12]}, and not {data['hash'][:12]}")
        if not data["id"] == plan_id(found) == plan.get("id", data["id"]):
            self._fault(
                seq, "plan_hash", f"{data['id']} is not the id of the plan's content, {plan_id(found)}"
            )
        self._plans[data["id"]] = found, frozenset(plan["evidence"]["diagnosticIds"])
        return ()

    def _rendered(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        artifact = data["artifact"]
        if data["kind"] == "source":
            found = patch_hash(artifact)
            if not data["hash"] == found == artifact["patchHash"]:
                self._fault(seq, "patch_hash", f"the patch's hash is {found[:12]}, not {data['hash'][:12]}")
            if artifact["id"] != patch_id(found):
                self._fault(seq, "patch_hash", f"{str(artifact['id'])[:40]} is not the id of its content")
        else:
            said = artifact["renderedPatchHash"] if data["kind"] != "revert" else data["hash"]
            if not said == data["hash"] == data["shown"]:
                self._fault(seq, "patch_hash", "its hash is not that of the text that is shown")
        self._compare(seq, data)
        return (data["shown"],)

    def _compare(self, seq: int, data: Event) -> None:
        """What is read has to show what is done."""
        if self._read is None:
            return
        try:
            text = self._read(data["shown"])
        except T2cError:
            return  # that it is missing is told elsewhere
        if (missing := not_shown(data["kind"], data["artifact"], text)) is not None:
            self._fault(seq, "patch_shown", f"the text that people approve does not show {missing}")

    def _by_t2c(self, seq: int, event: Event) -> None:
        if event["trust"] == "asserted":
            self._fault(seq, "trust", f"{event['type']} is told by t2c's own code and by nobody else")

    def _tried(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._by_t2c(seq, event)
        if event.get("origin") is not None:
            return ()
        unknown = [gate for gate in data["gates"] if gate not in self._gates]
        if unknown:
            self._fault(seq, "gate_unknown", f"{unknown[0]} is no gate that ran before")
        if data["passed"] and (
            not data["applied"] or any(self._gates.get(gate) is False for gate in data["gates"])
        ):
            self._fault(seq, "change_tried", "it passed though it does not fit or a gate failed")
        return ()

    def _judged(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._by_t2c(seq, event)
        accepted, document = data["accepted"], data["acceptance"]
        if event.get("origin") is None:
            planned = self._plans.get(data["plan"])
            if planned is None or planned[0] != data["hash"]:
                self._fault(
                    seq, "change_evaluated", f"there is no plan {data['plan']} with the hash it names"
                )
            elif planned[1] != {one["diagnostic"] for one in data["subjects"]}:
                self._fault(seq, "change_evaluated", f"it judges other findings than those of {data['plan']}")
        if document["accepted"] is not accepted or document["planId"] != data["plan"]:
            self._fault(seq, "change_evaluated", "its document says otherwise than the event")
        cleared = all(one["state"] == "cleared" for one in data["subjects"]) and bool(data["subjects"])
        open_ = bool(document["newBlockingDiagnosticIds"])
        if accepted and (not cleared or open_):
            why = "a new finding blocks" if open_ else "not every subject is cleared"
            self._fault(seq, "change_evaluated", f"{data['plan']} is accepted though {why}")
        elif not accepted and cleared and not open_:
            self._fault(
                seq, "change_evaluated", f"{data['plan']} is not accepted though nothing speaks against it"
            )
        evaluated = _Evaluated(data["plan"], accepted)
        self._evaluated.update(dict.fromkeys(names_of(event), evaluated))
        return ()

    def _closed(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._by_t2c(seq, event)
        if event.get("origin") is not None:
            return ()
        found = [self._evaluated.get(name) for name in data["evaluations"]]
        accepted = {one.plan for one in found if one is not None and one.accepted}
        if None in found:
            self._fault(seq, "change_closed", "it rests on an evaluation that is not there")
        elif any(one is not None and not one.accepted for one in found):
            self._fault(seq, "change_closed", "it rests on an evaluation that did not accept")
        elif left := sorted(set(data["plans"]) ^ accepted):
            self._fault(seq, "change_closed", f"{left[0]} and its evaluation do not belong together")
        return ()


_CHECKS: Final[Mapping[str, Callable[[ChangeAudit, int, Event, Event], tuple[str, ...]]]] = {
    "change.planned": ChangeAudit._planned,
    "patch.rendered": ChangeAudit._rendered,
    "change.tried": ChangeAudit._tried,
    "change.evaluated": ChangeAudit._judged,
    "change.closed": ChangeAudit._closed,
}
HANDLED: Final = frozenset(_CHECKS)
"""The types of events that are checked here."""
