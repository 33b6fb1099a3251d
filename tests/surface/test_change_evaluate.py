"""`t2c change evaluate` and `close`, as they are typed: exit codes, words, and what is recorded."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.engine import Ledger
from t2c.ledger.events.changes import ChangePlanned
from t2c.ledger.events.draft import draft
from t2c.ledger.llm.synthesis.contract import Target

ORDERS = "def place_order(items):\n    return len(items)\n"
KEYS = {
    "schemaVersion", "planId", "planHash", "beforeGraphFingerprint", "afterGraphFingerprint", "beforeDiagnosticIds",
    "afterDiagnosticIds", "clearedDiagnosticIds", "remainingDiagnosticIds", "newBlockingDiagnosticIds", "accepted",
    "reasons", "evaluatedAt", "generation",
}  # fmt: skip
CLOSE_KEYS = {
    "schemaVersion", "evaluatedAt", "graphFingerprintBefore", "graphFingerprintAfter", "planCount", "acceptedCount",
    "rejectedCount", "allAccepted", "acceptances", "generation",
}  # fmt: skip


def commit(root: Path, message: str, at: str) -> None:
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", at))}  # fmt: skip
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1", **who}
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", message)):
        subprocess.run(["git", *arguments], cwd=root, env=environ, check=True, capture_output=True)


@pytest.fixture
def plan(t2c: Any) -> str:
    """A plan for an open task of a scanned repository."""
    (t2c.root / ".git").rmdir()
    (t2c.root / "src").mkdir()
    (t2c.root / "TODO.md").write_text("# Tasks\n\n- [ ] Add `refund_order` in src/orders.py\n")
    (t2c.root / "src/orders.py").write_text(ORDERS)
    commit(t2c.root, "Begin", "2026-01-01T10:00:00Z")
    assert t2c("scan", "-q").code == 0
    published = t2c("diagnose", "--format", "diagnostics").document
    (found,) = (one for one in published["diagnostics"] if one["code"] == "PLANNED_NOT_IMPLEMENTED")
    document = plan_document(
        title="Refund orders", description="As planned", priority="P2", target=Target(("src/orders.py",), (), (), ()),
        criteria=["refund_order is there"], changes=[Change("src/orders.py", "modify", (), "it is planned")],
        risk=Risk("low", ("one file",)), rollback="git revert", graph=published["graphFingerprint"],
        records=found["recordIds"], diagnostics=[found["id"]], confidence=0.7,
    )  # fmt: skip
    event = ChangePlanned(
        id=document["id"], hash=document["planHash"], plan=document, proposed_by=("helper:t2c",)
    )
    with Ledger(t2c.root / ".t2c") as ledger:
        ledger.append([draft(event)])
    return str(document["id"])


def test_a_blank_line_passes_no_plan_and_the_work_does(t2c: Any, plan: str) -> None:
    todo = t2c.root / "TODO.md"
    todo.write_text(todo.read_text().replace("- [ ]", "\n- [ ]"))
    t2c("scan", "-q")
    ran = t2c("change", "evaluate", plan[:14])
    assert ran.code == 1 and "not accepted" in ran.out and "TODO.md:4" in ran.out
    assert t2c("change", "close", plan).code == 1
    (t2c.root / "src/orders.py").write_text(ORDERS + "\n\ndef refund_order(order):\n    return -order\n")
    commit(t2c.root, "Refund orders with refund_order", "2026-01-02T10:00:00Z")
    t2c("scan", "-q")
    ran = t2c("change", "evaluate", plan, "--json")
    document = ran.document
    assert ran.code == 0 and document["schema"] == "t2c.change-evaluation/v1"
    assert document["accepted"] is True and document["stance"] == "open"
    acceptance = document["acceptance"]
    assert set(acceptance) == KEYS and acceptance["generation"]["generatedAt"] == acceptance["evaluatedAt"]
    assert acceptance["reasons"] and acceptance["planId"] == plan
    ran = t2c("change", "close", "--all", "--json")
    document = ran.document
    assert ran.code == 0 and document["closed"] is True
    assert set(document["result"]) == CLOSE_KEYS and document["result"]["acceptances"] == [acceptance]
    before = t2c("ledger", "head", "--json").document
    ran = t2c("change", "close", plan)
    assert ran.code == 0 and "closed already" in ran.out
    assert t2c("ledger", "head", "--json").document == before
    assert "- [ ]" in todo.read_text()
    assert t2c("ledger", "verify").code == 0


def test_what_is_wrong_with_the_command_is_said(t2c: Any, plan: str) -> None:
    for arguments, code in (
        (("evaluate", "CPLAN-ffffffff"), 2),
        (("close",), 2),
        (("close", plan, "--all"), 2),
        (("evaluate", plan), 1),
    ):
        ran = t2c("change", *arguments)
        assert ran.code == code and "Traceback" not in ran.err, ran.err


def test_a_task_that_is_committed_first_with_its_work_was_planned_before_it(t2c: Any) -> None:
    (t2c.root / ".git").rmdir()
    (t2c.root / "src").mkdir()
    (t2c.root / "src/orders.py").write_text(ORDERS)
    commit(t2c.root, "Begin", "2026-01-01T10:00:00Z")
    todo = t2c.root / "TODO.md"
    todo.write_text("# Tasks\n\n- [ ] Add `refund_order` in src/orders.py\n")
    assert t2c("scan", "-q").code == 0
    made = t2c("change", "plan", "--json").document
    (plan,) = (row["plan"]["id"] for row in made["plans"])
    started = t2c("ledger", "log", "--jsonl", "--type", "run.started").lines[-1]["data"]
    assert started["verb"] == "change plan" and started["branch"] and len(started["revision"]) == 40
    later = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    todo.write_text("# Tasks\n\n\n- [ ] Add `refund_order` in src/orders.py\n")
    commit(t2c.root, "Plan to refund_order", later)
    t2c("scan", "-q")
    assert t2c("change", "evaluate", plan).code == 1, "a commit without code is no work"
    (t2c.root / "src/orders.py").write_text(ORDERS + "\n\ndef refund_order(order):\n    return -order\n")
    environ = {**os.environ, "GIT_AUTHOR_DATE": later, "GIT_COMMITTER_DATE": later}
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("add", "-A"), (*who, "commit", "-q", "--amend", "-m", "Refund orders with refund_order")):
        subprocess.run(["git", *words], cwd=t2c.root, env=environ, check=True, capture_output=True)
    t2c("scan", "-q")
    ran = t2c("change", "evaluate", plan)
    assert ran.code == 0, ran.out
