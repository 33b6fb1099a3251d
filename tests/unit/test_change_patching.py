"""Patches of a plan: which one is meant, on what it was made, and what is said where that is no more so.

Seen to fail: with the last patch of a plan taken whatever it holds, any earlier rendering taken for the last, no look at
what the file was, and the conflict passed on where the change is there already.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.doctor import doctor
from t2c.cli.settings import load
from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.granting import grant
from t2c.ledger.approvals.history import history
from t2c.ledger.approvals.standing import judged, waiting
from t2c.ledger.approvals.things import find
from t2c.ledger.changes.applying import apply_patch, dry_run
from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.changes.known import Patch, Plan, patch_named, plan_named
from t2c.ledger.changes.patching import Rendered, made_on, render_source
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Corrupt
from t2c.ledger.events.changes import ApplyAnnounced, ChangePlanned, FileChange
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import SystemClock
from t2c.ledger.llm.synthesis.contract import Target

CODER, ADA = Actor.parse("agent:coder"), Actor.parse("human:ada")
NOW = datetime(2026, 1, 6, tzinfo=UTC)
OPEN = "--- a/door.py\n+++ b/door.py\n@@ -1,4 +1,4 @@\n-closed\n+open\n one\n two\n three\n"
AJAR = OPEN.replace("+open", "+ajar")


class Bench:
    """A folder with `door.py`, a ledger and a plan that changes it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.door = root / "door.py"
        self.door.write_bytes(b"closed\none\ntwo\nthree\nfour\n")
        create(root / ".t2c")
        self.ledger = Ledger(root / ".t2c")
        self.plan = self.planned()

    def planned(self, description: str = "It should change.") -> Plan:
        made = plan_document(
            title="Change it",
            description=description,
            priority="P2",
            target=Target(paths=("door.py",), symbols=(), tickets=(), versions=()),
            criteria=("it changed",),
            changes=[Change("door.py", "modify", (), "it should")],
            risk=Risk("low", ("small",)),
            rollback="take it back",
            graph="a" * 64,
            records=("INT-TODO-" + "1" * 20,),
            diagnostics=("DIAG-" + "2" * 20,),
            confidence=0.8,
        )
        payload = ChangePlanned(id=made["id"], hash=made["planHash"], plan=made, proposed_by=("helper:t2c",))
        self.ledger.append([draft(payload)])
        return plan_named(self.ledger, made["id"])

    def render(self, diff: str | None) -> Rendered:
        return render_source(self.ledger, self.root, self.plan, diff, "stdin", by=CODER)

    def approve(self, patch: Patch) -> None:
        grant(self.ledger, find(self.ledger, self.root, patch.event), ADA, policy=Policy(), now=NOW)

    def apply(self, patch: Patch) -> None:
        apply_patch(self.ledger, self.root, patch, Policy(), by=CODER, now=NOW)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    yield Bench(tmp_path)


def test_instructions_alone_never_come_before_a_diff(bench: Bench) -> None:
    only = bench.render(None).patch
    assert patch_named(bench.ledger, bench.plan.id).hash == only.hash, "there is no other yet"
    whole = bench.render(OPEN).patch
    bench.render(None)
    assert patch_named(bench.ledger, bench.plan.id).event == whole.event


def test_what_is_rendered_again_after_another_is_the_last_one(bench: Bench) -> None:
    first = bench.render(OPEN)
    assert bench.render(OPEN).again and bench.render(OPEN).patch.event == first.patch.event
    bench.render(AJAR)
    again = bench.render(OPEN)
    assert not again.again and again.patch.hash == first.patch.hash
    assert patch_named(bench.ledger, bench.plan.id).event == again.patch.event


def test_a_patch_whose_text_is_gone_is_damage(bench: Bench) -> None:
    patch = bench.render(OPEN).patch
    bench.ledger.objects.path(patch.digest).unlink()
    with pytest.raises(Corrupt, match="is gone") as caught:
        patch_named(bench.ledger, bench.plan.id)
    assert "backup or a bundle" in (caught.value.remedy or "")


@pytest.mark.parametrize(
    "now", [b"closed\r\none\r\ntwo\r\nthree\r\nfour\r\n", b"closed\none\ntwo\nthree\nFOUR\n"]
)
def test_a_patch_is_applied_to_the_very_file_that_its_text_names(bench: Bench, now: bytes) -> None:
    patch = bench.render(OPEN).patch
    bench.approve(patch)
    was = bench.door.read_bytes()
    bench.door.write_bytes(now)
    for refused in (lambda: dry_run(bench.ledger, bench.root, patch), lambda: bench.apply(patch)):
        with pytest.raises(Conflict, match="changed since the patch was made") as caught:
            refused()
        assert caught.value.details["expected"] == sha256(was).hexdigest()
        assert caught.value.details["found"] == sha256(now).hexdigest()
    assert bench.door.read_bytes() == now
    bench.door.write_bytes(was)
    bench.apply(patch)
    assert bench.door.read_bytes().startswith(b"open\n")


def test_what_a_plan_says_is_not_taken_for_what_a_patch_was_made_on(bench: Bench) -> None:
    bench.plan = bench.planned("## modify door.py")
    patch = bench.render(OPEN).patch
    assert made_on(patch) == {"door.py": sha256(bench.door.read_bytes()).hexdigest()}


def test_a_change_that_is_in_the_tree_already_is_known(bench: Bench) -> None:
    was = bench.door.read_bytes()
    bench.door.write_bytes(was.replace(b"closed", b"open"))
    with pytest.raises(Conflict, match="your tree has it already") as caught:
        bench.render(OPEN)
    assert f"git stash push -- door.py; t2c change patch {bench.plan.id}" in (caught.value.remedy or "")
    with pytest.raises(Conflict, match="does not fit hunk 1"):
        bench.render(AJAR)
    bench.door.write_bytes(was)
    bench.render(OPEN)


def test_an_apply_that_was_cut_off_is_said_to_be_recovered(bench: Bench, tmp_path: Path) -> None:
    told = ApplyAnnounced(
        purpose="init", files=(FileChange(path="door.py", before="a" * 64, after="b" * 64),)
    )
    bench.ledger.append([draft(told)])
    context = Context(tmp_path, tmp_path, load(tmp_path, {}), SystemClock(), lambda stage, done, total: None)
    found = {one.name: one for one in doctor(context).checks}["announcements"]
    assert found.status == "note" and "t2c change recover" in (found.remedy or "")
    assert "do it again" not in (found.remedy or "")


def test_instructions_alone_neither_hide_a_patch_that_waits_nor_make_its_approval_stale(bench: Bench) -> None:
    def waits() -> list[str]:
        known = history(bench.ledger)
        return [one.digest for one in waiting(known, judged(bench.ledger, known, NOW, Policy()))]

    patch = bench.render(OPEN).patch
    bench.render(None)
    assert waits() == [patch.hash]
    bench.approve(patch)
    bench.render(OPEN)
    bench.render(None)
    assert waits() == []
    bench.apply(patch)
    assert bench.door.read_bytes().startswith(b"open")
