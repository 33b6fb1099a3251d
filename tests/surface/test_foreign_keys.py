"""Claims: a key that came with another ledger's events signs, checks and hands out nothing here.

Mutation seen to fail: the newest registered key handed out whosesoever it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def taken_in(t2c: Any, tmp_path: Path) -> Any:
    """A ledger with a key that took in another one's events, its key among them; returns (ours, theirs) as ids."""
    other = tmp_path / "foreign"
    (other / ".git").mkdir(parents=True)
    for place in (t2c.root, other):
        assert t2c("ledger", "append", "--statement", "said", cwd=place).code == 0
    ours = t2c("ledger", "key", "new", "--json").document["id"]
    theirs = t2c("ledger", "key", "new", "--json", cwd=other).document["id"]
    assert t2c("ledger", "export", "--dest", tmp_path / "bundle", cwd=other).code == 0
    assert t2c("ledger", "import", tmp_path / "bundle").code == 0
    return ours, theirs


def test_they_are_listed_apart(t2c: Any, taken_in: tuple[str, str]) -> None:
    ours, theirs = taken_in
    rows = t2c("ledger", "key", "list", "--json").document["keys"]
    assert [(row["id"], row["foreign"], row["private"]) for row in rows] == [
        (ours, False, True),
        (theirs, True, False),
    ]
    assert t2c("ledger", "key", "list").out.splitlines()[1].split("  ")[-1].startswith("foreign")


def test_they_are_handed_out_by_name_alone(t2c: Any, taken_in: tuple[str, str]) -> None:
    ours, theirs = taken_in
    ledger = t2c("ledger", "head", "--json").document["ledger"]
    assert t2c("ledger", "key", "export").out.startswith(f"t2c/{ledger}+{ours}+")
    named = t2c("ledger", "key", "export", theirs).out
    assert f"+{theirs}+" in named and ledger not in named


def test_the_key_that_is_handed_out_is_the_one_that_signs(t2c: Any, taken_in: tuple[str, str]) -> None:
    ours, _ = taken_in
    elsewhere = {"XDG_STATE_HOME": str(t2c.home / "other")}
    later = t2c("ledger", "key", "new", "--json", env=elsewhere).document["id"]
    assert f"+{ours}+" in t2c("ledger", "key", "export").out
    assert f"+{later}+" in t2c("ledger", "key", "export", env=elsewhere).out
    assert t2c("ledger", "checkpoint", "--sign", "--json").document["key"] == ours
    neither = {"XDG_STATE_HOME": str(t2c.home / "none")}
    assert f"+{later}+" in t2c("ledger", "key", "export", env=neither).out
