"""The setting `anchor.every`: commands that record end with a signed checkpoint when one is due."""

from __future__ import annotations

from pathlib import Path
from typing import Any

EVERY = {"T2C_ANCHOR_EVERY": "3"}


def kept(root: Path) -> list[str]:
    return sorted(path.name[:12] for path in (root / ".t2c" / "checkpoints").glob("*.txt"))


def note(t2c: Any, text: str) -> Any:
    ran = t2c("ledger", "append", "--statement", text, env=EVERY)
    assert ran.code == 0, ran.err
    return ran


def test_a_checkpoint_is_signed_when_so_many_events_came(t2c: Any) -> None:
    assert t2c("init").code == 0
    assert t2c("ledger", "key", "new").code == 0  # seq 2
    said = note(t2c, "one")  # seq 3: due
    assert "signed a checkpoint of 3 events" in said.err
    assert kept(t2c.root) == ["000000000003"]
    note(t2c, "two")  # seq 5, after the event of the checkpoint
    assert kept(t2c.root) == ["000000000003"]
    note(t2c, "three")
    assert kept(t2c.root) == ["000000000003", "000000000006"]
    assert t2c("ledger", "verify").code == 0


def test_a_run_ends_with_one_and_a_run_without_a_difference_without(t2c: Any) -> None:
    (t2c.root / "TODO.md").write_text("- [ ] Add the parser\n- [ ] Add the printer\n")
    t2c("init")
    t2c("ledger", "key", "new")
    env = {"T2C_ANCHOR_EVERY": "1"}
    first = t2c("scan", env=env)
    assert "signed a checkpoint" in first.err
    again = t2c("scan", env=env)
    assert "nothing was appended" in again.out
    assert "signed" not in again.err
    assert len(kept(t2c.root)) == 1


def test_without_a_key_the_work_stands_and_a_warning_says_so(t2c: Any) -> None:
    t2c("init")
    note(t2c, "one")
    said = note(t2c, "two")
    assert "no checkpoint was signed" in said.err
    assert kept(t2c.root) == []
    assert t2c("ledger", "head", "--json").document["seq"] == 3


def test_off_by_default(t2c: Any) -> None:
    t2c("init")
    t2c("ledger", "key", "new")
    for text in "abc":
        assert t2c("ledger", "append", "--statement", text).code == 0
    assert kept(t2c.root) == []
