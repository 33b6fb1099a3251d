"""Branches that both signed checkpoints: the merge has no conflict, and neither side's checkpoint calls the other a fork."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def say(t2c: Any, *texts: str) -> None:
    for text in texts:
        assert t2c("ledger", "append", "--statement", text).code == 0


def sign(t2c: Any) -> str:
    ran = t2c("ledger", "checkpoint", "--sign")
    assert ran.code == 0, ran.err
    return str(ran.out)


@pytest.fixture
def merged(t2c: Any) -> Any:
    """Two branches of one length that both signed, merged by plain `git merge`; returns the command line."""
    root = t2c.root
    (root / ".git").rmdir()
    git(root, "init", "-q", "-b", "main")
    assert t2c("init", "--track").code == 0
    assert t2c("init", "--git-merge-driver", "--write").code == 0
    assert t2c("ledger", "key", "new").code == 0
    say(t2c, "base")
    sign(t2c)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    git(root, "switch", "-qc", "feature")
    say(t2c, "feature 1", "feature 2")
    (root.parent / "feature.txt").write_text(sign(t2c))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "feature")
    git(root, "switch", "-q", "main")
    local = next((t2c.home / ".local" / "state" / "t2c" / "anchors").iterdir())
    local.unlink()  # the branch that this work tree was switched from
    say(t2c, "main 1", "main 2")
    (root.parent / "main.txt").write_text(sign(t2c))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "main")
    git(root, "merge", "-q", "-m", "both", "feature")
    return t2c


def test_both_sides_checkpoints_stand_and_call_nobody_a_fork(merged: Any) -> None:
    kept = sorted(path.name for path in (merged.root / ".t2c" / "checkpoints").glob("*.txt"))
    assert len(kept) == 3
    ran = merged("ledger", "verify", "--level", "domain", "--json")
    found = ran.document
    assert (ran.code, found["verdict"]) == (0, "sound"), found
    assert sorted(anchor["state"] for anchor in found["anchors"]) == ["fits", "fits", "merged"]
    assert any("branches that were merged" in said for said in found["unproven"])
    sign(merged)


def test_a_checkpoint_of_the_branch_proves_that_its_events_are_all_here(merged: Any) -> None:
    key = merged("ledger", "key", "export").out.strip()
    for name in ("main.txt", "feature.txt"):
        ran = merged("ledger", "verify", "--checkpoint", merged.root.parent / name, "--key", key, "--json")
        assert (ran.code, ran.document["verdict"]) == (0, "sound"), ran.document


def test_an_event_of_the_branch_that_is_gone_is_a_fork_for_who_kept_its_checkpoint(
    merged: Any, oracle: Any
) -> None:
    import json

    key = merged("ledger", "key", "export").out.strip()
    journal = merged.root / ".t2c" / "journal.ndjson"
    events = [json.loads(line) for line in journal.read_bytes().splitlines()]
    kept = [event for event in events if event.get("data", {}).get("statement") != "feature 1"]
    assert len(kept) == len(events) - 1
    journal.write_bytes(oracle.mint(kept))
    for path in (merged.root / ".t2c" / "checkpoints").iterdir():
        path.unlink()
    ran = merged(
        "ledger", "verify", "--checkpoint", merged.root.parent / "feature.txt", "--key", key, "--json"
    )
    assert ran.code != 0
    assert ran.document["verdict"] in ("forked", "truncated"), ran.document


def test_what_an_origin_only_claims_explains_nothing(t2c: Any, oracle: Any) -> None:
    """A forger re-mints the chain and lets each forged event claim the true line that it replaced."""
    import json

    t2c("init")
    t2c("ledger", "key", "new")
    say(t2c, "Ada owes 5", "Eve owes 6")
    (t2c.root.parent / "kept.txt").write_text(sign(t2c))
    key = t2c("ledger", "key", "export").out.strip()
    journal = t2c.root / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines()
    events = [json.loads(line) for line in lines]
    ledger = events[0]["data"]["ledger"]
    for line, event in list(zip(lines, events, strict=True))[2:]:
        event["origin"] = {
            "hash": oracle.leaf(line), "id": event["id"], "ledger": ledger, "prev": event["prev"],
            "seq": event["seq"], "ts": event["ts"],
        }  # fmt: skip
        if "statement" in event["data"]:
            event["data"]["statement"] = "Ada owes 7"
    journal.write_bytes(oracle.mint(events))
    kept = t2c.root.parent / "kept.txt"
    for anchors in (("--checkpoint", kept), ("--checkpoint", kept, "--key", key), ("--anchor", "local")):
        ran = t2c("ledger", "verify", *anchors, "--json")
        assert (ran.code, ran.document["verdict"]) == (5, "forked"), ran.document
    assert t2c("ledger", "checkpoint", "--sign").code == 5
