"""Level domain knows a gate that nobody ran: each promise of gate.announced and gate.ran broken on purpose.

Mutations seen to fail: each of the checks of GateAudit taken out.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.gates import GateAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.execution.gates import Gate, run_gate
from t2c.ledger.kernel.actor import SCANNER, Actor, Trust
from t2c.ledger.kernel.canon import canonical

ANNOUNCED: dict[str, Any] = {
    "purpose": "test", "subject": None, "argv": ["true"], "command": None, "cwd": ".", "environment": {},
    "timeout_seconds": 5, "tree": "work_tree", "revision": None, "fingerprint": None, "contract": None, "task": None,
    "criterion": None, "equivalence": None,
}  # fmt: skip
RAN: dict[str, Any] = {
    "outcome": "exited", "exit_code": 0, "duration_ms": 3, "output_bytes": 0, "kept_bytes": 0, "masked": {}, "detail": "",
}  # fmt: skip


def event(
    type: str,
    data: dict[str, Any],
    actor: Actor = SCANNER,
    trust: Trust = "observed",
    cause: Sequence[str] = (),
) -> EventDraft:
    return EventDraft(type, 1, canonical(data), actor, trust, tuple(cause))


def announce(ledger: Ledger, **more: Any) -> str:
    return ledger.append([event("gate.announced", {**ANNOUNCED, **more})])[0].id


def ran(
    ledger: Ledger, announced: str, actor: Actor = SCANNER, trust: Trust = "observed", **more: Any
) -> None:
    data = {**RAN, "announced": announced, "output": ledger.objects.put(b""), **more}
    ledger.append([event("gate.ran", data, actor, trust, [announced])])


def faults(ledger: Ledger) -> list[str]:
    """Kinds at level domain; at level schema there must be none."""
    schema, domain = SchemaAudit(CATALOGUE), DomainAudit(ledger.objects.has)
    for seq, line in enumerate((ledger.workspace / JOURNAL).read_bytes().splitlines(), 1):
        event = orjson.loads(line)
        schema.visit(seq, line, event)
        domain.visit(seq, event)
    domain.finish()
    assert schema.faults == []
    return [fault.kind for fault in domain.faults]


def test_what_the_runner_records_is_sound(ledger: Ledger, tmp_path: Path) -> None:
    for text in ("true", "exit 3", "kill -9 $$"):
        run_gate(ledger, tmp_path, Gate(purpose="test", command=text), environ=os.environ)
    run_gate(ledger, tmp_path, Gate(purpose="test", argv=("surely-no-command",)), environ=os.environ)
    announce(ledger)  # without an outcome: nobody knows, and that is no fault
    assert faults(ledger) == []


def test_a_gate_that_nobody_announced(ledger: Ledger) -> None:
    note = ledger.append([event("gate.announced", ANNOUNCED)])[0].id
    ran(ledger, note)
    other = ledger.append([event("gate.announced", {**ANNOUNCED, "cwd": "a"})])[0].id
    assert faults(ledger) == []
    run = ledger.append([event("gate.ran", {**RAN, "announced": other, "output": "0" * 64})])[0].id
    ran(ledger, run)
    assert faults(ledger) == ["gate_unknown", "object_missing"]


def test_a_gate_ends_once(ledger: Ledger) -> None:
    announced = announce(ledger)
    ran(ledger, announced, outcome="exited", exit_code=1)
    ran(ledger, announced)
    assert faults(ledger) == ["gate_settled"]


@pytest.mark.parametrize(
    ("outcome", "wrong", "right"),
    [
        ("exited", [-1, 256], [0, 255]), ("timed_out", [0, 1, 137], [124]), ("signalled", [0, 9, 128, 193], [129, 137]),
        ("not_started", [0, 1, 128], [126, 127]), ("interrupted", [0, 1], [130]),
    ],
)  # fmt: skip
def test_the_code_fits_how_it_ended(ledger: Ledger, outcome: str, wrong: list[int], right: list[int]) -> None:
    for code in right:
        ran(ledger, announce(ledger), outcome=outcome, exit_code=code)
    assert faults(ledger) == []
    for code in wrong:
        ran(ledger, announce(ledger), outcome=outcome, exit_code=code)
    assert faults(ledger) == ["gate_outcome"] * len(wrong)


def test_only_what_ran_it_says_so(ledger: Ledger) -> None:
    ran(ledger, announce(ledger), Actor("host_adapter", "ci"))
    assert faults(ledger) == []
    ran(ledger, announce(ledger), Actor("agent", "model"), "asserted")
    ran(ledger, announce(ledger), Actor("human", "ada"), "asserted")
    ran(ledger, announce(ledger), trust="imported")
    assert faults(ledger) == ["trust"] * 3


def test_one_command_and_no_more_kept_than_written(ledger: Ledger) -> None:
    ran(ledger, announce(ledger, command="true"), kept_bytes=1)
    announce(ledger, argv=None)
    assert faults(ledger) == ["gate_command", "gate_outcome", "gate_command"]


def test_what_was_taken_in_may_cite_what_was_not_sent_along() -> None:
    kinds: list[str] = []
    audit = GateAudit(lambda seq, kind, detail: kinds.append(kind))
    origin = {"id": "EVT-" + "1" * 20, "former": [{"id": "EVT-" + "2" * 20}]}
    helper = {"kind": "helper", "id": "t2c"}
    taken = {"actor": helper, "trust": "imported", "origin": origin}
    data = {**RAN, "announced": "EVT-" + "0" * 20, "output": "0" * 64}
    audit.visit(2, data, {**taken, "id": "EVT-a", "type": "gate.ran"})
    assert kinds == []
    audit.visit(3, ANNOUNCED, {**taken, "id": "EVT-b", "type": "gate.announced"})
    for name in ("EVT-" + "1" * 20, "EVT-" + "2" * 20, "EVT-b"):
        ours = {"actor": helper, "trust": "observed", "id": "EVT-c", "type": "gate.ran"}
        audit.visit(4, {**data, "announced": name}, ours)
    assert kinds == []
    audit.visit(
        5, {**data, "announced": "EVT-c"}, {**taken, "id": "EVT-d", "type": "gate.ran", "origin": None}
    )
    assert kinds == ["trust", "gate_unknown"]
