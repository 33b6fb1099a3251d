"""Claim: what the settings ask of approvals is asked by every command that writes under one.

Seen to fail: with a command that asks for `Policy()` in place of what the settings say.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.granting import grant
from t2c.ledger.approvals.things import find
from t2c.ledger.changes import todo_patch
from t2c.ledger.changes.applying import apply_patch
from t2c.ledger.changes.contract import Change, Risk, plan_document, todo_patch_document
from t2c.ledger.changes.known import patch_named, plan_named
from t2c.ledger.changes.patching import render_source
from t2c.ledger.changes.reverting import prepare, receipt_named, render_revert
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.changes import ChangePlanned, PatchRendered
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.llm.synthesis.contract import Target

CODER, ADA = Actor.parse("agent:coder"), Actor.parse("human:ada")
AGO = datetime.now(UTC) - timedelta(days=3)
DOOR = "def open_door():\n    return 'closed'\n"
DIFF = "--- a/door.py\n+++ b/door.py\n@@ -1,2 +1,2 @@\n def open_door():\n-    return 'closed'\n+    return 'open'\n"
TODO = b"# Plans\n"
GRAPH = "a" * 64


class Case(NamedTuple):
    """What the settings say, and the code of the refusal."""

    settings: dict[str, str]
    code: str


REFUSED = (
    Case({"T2C_APPROVAL_SIGNATURE": "true"}, "APPROVAL_SIGNATURE_REQUIRED"),
    Case({"T2C_APPROVAL_DAYS": "2"}, "APPROVAL_EXPIRED"),
)
HOLDS = {"T2C_APPROVAL_DAYS": "30"}


def approve(ledger: Ledger, root: Path, name: str) -> None:
    grant(ledger, find(ledger, root, name), ADA, policy=Policy(), now=AGO)


def source_patch(ledger: Ledger, root: Path) -> str:
    """A patch of a plan, approved; its hash."""
    plan = plan_document(
        title="Open the door",
        description="The door should open.",
        priority="P1",
        target=Target(paths=("door.py",), symbols=(), tickets=(), versions=()),
        criteria=("open_door() says open",),
        changes=[Change("door.py", "modify", (), "it should open")],
        risk=Risk("low", ("small",)),
        rollback="take it back",
        graph=GRAPH,
        records=("INT-TODO-" + "1" * 20,),
        diagnostics=("DIAG-" + "2" * 20,),
        confidence=0.8,
    )
    payload = ChangePlanned(id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=("helper:t2c",))
    ledger.append([draft(payload)])
    made = render_source(ledger, root, plan_named(ledger, plan["id"]), DIFF, "diff", by=CODER)
    approve(ledger, root, made.patch.hash)
    return made.patch.hash


def change_apply(ledger: Ledger, root: Path) -> tuple[str, ...]:
    return "change", "apply", source_patch(ledger, root)


def change_revert(ledger: Ledger, root: Path) -> tuple[str, ...]:
    patch = patch_named(ledger, source_patch(ledger, root))
    receipt = apply_patch(ledger, root, patch, Policy(), by=CODER, now=AGO).applied.event
    reverting = prepare(ledger, root, receipt_named(ledger, receipt))
    render_revert(ledger, reverting, CODER)
    approve(ledger, root, reverting.digest)
    return "change", "revert", receipt


def todo_apply(ledger: Ledger, root: Path) -> tuple[str, ...]:
    source = sha256(TODO).hexdigest()
    text = todo_patch.markdown([], GRAPH, "TODO.md", source)
    artifact = todo_patch_document(
        path="TODO.md",
        content_hash=source,
        graph=GRAPH,
        diagnostics=GRAPH,
        selected=(),
        duplicate=(),
        duplicates=(),
        audit={},
        markdown=text,
    )
    payload = PatchRendered(
        kind="todo",
        hash=artifact["renderedPatchHash"],
        shown=ledger.objects.put(text),
        artifact=artifact,
        plans=(),
        proposed_by=("agent:coder",),
    )
    ledger.append([draft(payload, trust="asserted", actor=CODER)])
    approve(ledger, root, artifact["renderedPatchHash"])
    return "todo", "apply", artifact["renderedPatchHash"]


def tree(root: Path) -> list[bytes]:
    return [(root / name).read_bytes() for name in ("door.py", "TODO.md")]


@pytest.mark.parametrize("made", [change_apply, change_revert, todo_apply])
def test_every_command_that_writes_asks_for_what_the_settings_ask(t2c: Any, made: Any) -> None:
    (t2c.root / "door.py").write_text(DOOR)
    (t2c.root / "TODO.md").write_bytes(TODO)
    clock = FixedClock(AGO)
    create(t2c.root / ".t2c", clock=clock)
    with Ledger(t2c.root / ".t2c", clock=clock) as ledger:
        words = made(ledger, t2c.root)
    before = tree(t2c.root)
    for case in REFUSED:
        ran = t2c(*words, env={"T2C_ACTOR": str(CODER), **case.settings})
        assert (ran.code, tree(t2c.root)) == (3, before), (case, ran.out, ran.err)
    with Ledger(t2c.root / ".t2c") as ledger:
        told = [json.loads(bytes(one.data)) for one in ledger.entries() if one.type == "refusal.noted"]
    assert [one["code"] for one in told] == [case.code for case in REFUSED]
    ran = t2c(*words, env={"T2C_ACTOR": str(CODER), **HOLDS})
    assert ran.code == 0 and tree(t2c.root) != before, (ran.out, ran.err)
