"""Patches of a plan: which one is meant, on what it was made, and what is said where that is no more so.

Seen to fail: with the last patch of a plan taken whatever it holds, and any earlier rendering taken for the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.changes.known import Plan, patch_named, plan_named
from t2c.ledger.changes.patching import Rendered, render_source
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Corrupt
from t2c.ledger.events.changes import ChangePlanned
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import Target

CODER = Actor.parse("agent:coder")
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
        self.plan = self._plan()

    def _plan(self, description: str = "It should change.") -> Plan:
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
