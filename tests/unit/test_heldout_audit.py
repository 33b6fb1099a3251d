"""What an auditor holds events about tests to: what was sealed is revealed, and what is said of runs fits the runs."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.answers.recording import record
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import reveal, seal, sealed_tests
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.execution.gates import Gate, run_gate
from t2c.ledger.kernel.actor import SCANNER, Actor, Trust
from t2c.ledger.kernel.canon import canonical

BODY = "assert 1 + 1 == 2\n"
HELD = json.dumps(
    {
        "files": [
            {
                "path": "tests/held.py",
                "content": BODY,
                "scenarios": ["US1"],
                "argv": [Path(sys.executable).name, "tests/held.py"],
                "composition": False,
            }
        ],
        "notes": [],
    }
).encode()


class Desk:
    """A ledger with one sealed test, a gate that passed and one that failed."""

    def __init__(self, base: Path) -> None:
        create(base / "repo" / ".t2c")
        self.ledger = Ledger(base / "repo" / ".t2c")
        self.store = SealedStore(base / "state", str(self.ledger.id()), self.ledger.workspace)
        done = seal(self.ledger, self.store, HELD, tree=None)
        self.answer, self.sealed = done.answer, done.sealed
        self.passed, self.failed = (
            run_gate(self.ledger, base, Gate(purpose="t", command=text), environ=os.environ).ran
            for text in ("true", "false")
        )
        variants = {"variants": [], "notes": []}
        self.variants = record(self.ledger, "near_miss_variants", json.dumps(variants).encode()).event

    def add(self, type: str, data: dict[str, Any], actor: Actor = SCANNER, trust: Trust = "observed") -> str:
        return self.ledger.append([EventDraft(type, 1, canonical(data), actor, trust)])[0].id

    def held(self, **more: Any) -> None:
        data = {
            "sealed": self.sealed, "file": 0, "candidate": "a" * 64, "passed": True, "gate": self.passed, "counts": True,
            "output": None,
        }  # fmt: skip
        self.add("heldout.ran", {**data, **more})

    def leak(self) -> None:
        self.add(
            "heldout.leaked",
            {
                "sealed": self.sealed,
                "file": 0,
                "how": "line",
                "role": "implementer",
                "request": "b" * 64,
                "sent": False,
            },
        )

    def revealed(self) -> dict[str, Any]:
        """The payload that opens the test as it was sealed."""
        salt, content = self.store.get(sealed_tests(self.ledger)[0].files[0].content, "content")
        opened = {
            "path": "tests/held.py",
            "argv": [Path(sys.executable).name, "tests/held.py"],
            "content": self.ledger.objects.put(content),
            "salt": salt.hex(),
        }
        return {"sealed": self.sealed, "files": [opened], "requested_by": "human:ada"}

    def variant(self, kind: str, outcome: str, *gates: str) -> None:
        announced = {
            "answer": self.variants,
            "item": 0,
            "kind": kind,
            "scenario": "",
            "base": "x",
            "files": [],
        }
        tried = {"announced": self.add("variant.announced", announced), "outcome": outcome, "detail": "d"}
        self.add("variant.ran", {**tried, "gates": list(gates)})

    def faults(self) -> list[str]:
        objects = self.ledger.objects
        schema, domain = SchemaAudit(CATALOGUE), DomainAudit(objects.has, read=objects.get)
        for seq, line in enumerate((self.ledger.workspace / JOURNAL).read_bytes().splitlines(), 1):
            event = orjson.loads(line)
            schema.visit(seq, line, event)
            domain.visit(seq, event)
        domain.finish()
        assert schema.faults == []
        return [fault.kind for fault in domain.faults]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_what_t2c_records_of_sealed_tests_is_sound(desk: Desk) -> None:
    desk.held()
    desk.held(passed=False, gate=desk.failed)
    desk.leak()
    desk.held(counts=False)
    reveal(desk.ledger, desk.store, sealed_tests(desk.ledger)[0], Actor("human", "ada"))
    assert desk.faults() == []


@pytest.mark.parametrize(
    ("member", "other"),
    [
        ("path", "tests/other.py"),
        ("argv", ["python"]),
        ("salt", "c" * 64),
        ("content", sha256(b"assert 1\n").hexdigest()),
    ],
)
def test_what_is_revealed_must_be_what_was_sealed(desk: Desk, member: str, other: Any) -> None:
    desk.ledger.objects.put(b"assert 1\n")
    data = desk.revealed()
    data["files"][0][member] = other
    desk.add("heldout.revealed", data)
    assert set(desk.faults()) == {"heldout_reveal"}


def test_all_sealed_tests_are_revealed_once(desk: Desk) -> None:
    data = desk.revealed()
    data["files"] *= 2
    desk.add("heldout.revealed", data)
    assert desk.faults() == ["heldout_reveal"]
    desk.add("heldout.revealed", desk.revealed())
    assert desk.faults() == ["heldout_reveal"] * 2


def test_a_revealed_body_that_is_gone_is_missed(desk: Desk) -> None:
    data = desk.revealed()
    desk.add("heldout.revealed", data)
    desk.ledger.objects.path(data["files"][0]["content"]).unlink()
    assert desk.faults() == ["object_missing"]


def test_a_pass_rests_on_a_gate_that_passed_and_on_a_secret(desk: Desk) -> None:
    desk.held(gate=desk.failed)
    assert desk.faults() == ["heldout_result"]
    desk.held(gate="EVT-" + "0" * 20)
    desk.held(file=1)
    assert set(desk.faults()) == {"heldout_result", "gate_unknown", "heldout_file"}


def test_after_a_leak_no_pass_counts(desk: Desk) -> None:
    desk.leak()
    desk.held()
    assert desk.faults() == ["heldout_result"]


@pytest.mark.parametrize(
    ("kind", "outcome", "gates", "sound"),
    [
        ("wrong", "killed", "f", True),
        ("wrong", "killed", "p", False),
        ("wrong", "killed", "", False),
        ("wrong", "survived", "p", True),
        ("wrong", "survived", "f", False),
        ("wrong", "accepted", "p", False),
        ("permitted", "accepted", "p", True),
        ("permitted", "overconstrained", "f", True),
        ("permitted", "overconstrained", "p", False),
        ("wrong", "invalid", "", True),
        ("special_case", "blind", "p", False),
    ],
)
def test_an_outcome_fits_its_runs_and_its_kind(
    desk: Desk, kind: str, outcome: str, gates: str, sound: bool
) -> None:
    desk.variant(kind, outcome, *({"p": desk.passed, "f": desk.failed}[gate] for gate in gates))
    assert (desk.faults() == []) == sound
    assert set(desk.faults()) <= {"variant"}


def test_a_variant_has_one_outcome_of_an_announcement(desk: Desk) -> None:
    ran = {"announced": desk.passed, "outcome": "invalid", "detail": "d", "gates": []}
    desk.add("variant.ran", ran)
    assert desk.faults() == ["variant_unknown"]
    desk.variant("wrong", "invalid")
    announced = next(entry.id for entry in desk.ledger.entries() if entry.type == "variant.announced")
    desk.add("variant.ran", {**ran, "announced": announced})
    assert desk.faults() == ["variant_unknown", "variant"]


def test_tests_are_frozen_of_an_answer_that_brings_tests(desk: Desk) -> None:
    frozen = {
        "answer": desk.variants, "about": None, "files": [{"path": "t.py", "content": "d" * 64}], "argv": [], "evidence": [],
    }  # fmt: skip
    desk.add("test.frozen", frozen)
    assert sorted(desk.faults()) == ["answer_root", "object_missing"]


def test_a_frozen_test_is_superseded_by_a_persons_word_alone(desk: Desk) -> None:
    def freeze(number: int, text: str) -> tuple[str, str]:
        value = {
            "files": [{"path": "t.py", "content": text, "scenarios": []}], "argv": ["t"], "notes": [str(number)],
        }  # fmt: skip
        answer = record(desk.ledger, "acceptance", json.dumps(value).encode()).event
        files = [{"path": "t.py", "content": desk.ledger.objects.put(text.encode())}]
        desk.add(
            "test.frozen", {"answer": answer, "about": None, "files": files, "argv": ["t"], "evidence": []}
        )
        return answer, files[0]["content"]

    def approve(answer: str, digest: str, path: str = "t.py") -> None:
        data = {"subject": f"answer:{answer}#{path}", "digest": digest, "statement": ""}
        desk.add("approval.granted", data, Actor("human", "ada"), "asserted")

    first, _ = freeze(1, "strong")
    freeze(2, "strong")
    assert desk.faults() == []
    weak, other = freeze(3, "weak")
    assert desk.faults() == ["frozen_superseded"]
    approve(weak, other, "u.py")
    freeze(4, "weak")
    assert desk.faults() == ["frozen_superseded"] * 2
    approve(first, other)  # what was frozen by that answer is now this
    freeze(5, "weak")
    assert desk.faults() == ["frozen_superseded"] * 2
    freeze(6, "strong")
    assert desk.faults() == ["frozen_superseded"] * 3


def test_only_t2c_says_how_a_sealed_test_went(desk: Desk) -> None:
    data = {
        "sealed": desk.sealed, "file": 0, "candidate": "a" * 64, "passed": True, "gate": desk.passed, "counts": True,
        "output": None,
    }  # fmt: skip
    desk.add("heldout.ran", data, Actor("agent", "builder"), "asserted")
    assert desk.faults() == ["trust"]
