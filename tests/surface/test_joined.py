"""Claims: a journal that Git merged as text is named as such wherever it is met, with the way out of it.

Mutations seen to fail: the look back before an append left out; a second strand taken for doubled lines.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def git(root: Path, *arguments: str) -> int:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=root, capture_output=True, check=False
    ).returncode


@pytest.fixture
def branches(t2c: Any) -> Path:
    """A tracked ledger whose journal Git merges as text: `side` has two events of its own, `main` three."""
    root: Path = t2c.root
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", "-b", "main", ".")
    t2c("init", "--track")
    (root / ".t2c" / ".gitattributes").write_text("*.ndjson text merge=text\n")
    t2c("ledger", "append", "--statement", "before")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "begin")
    git(root, "switch", "-qc", "side")
    for text in ("side 1", "side 2"):
        t2c("ledger", "append", "--statement", text)
    git(root, "commit", "-qam", "side")
    git(root, "switch", "-q", "main")
    for text in ("main 1", "main 2", "main 3"):
        t2c("ledger", "append", "--statement", text)
    git(root, "commit", "-qam", "main")
    return root


def named(t2c: Any, kind: str) -> None:
    """Every command that meets the damage names it, and says what to do."""
    verified = t2c("ledger", "verify", "--json")
    assert verified.code == 1
    assert kind in {fault["kind"] for fault in verified.document["faults"]}
    words = {
        "fork": "lines of two branches were joined",
        "conflict_marker": "a merge conflict marker stands",
    }[kind]
    for command in (
        ("ledger", "append", "--statement", "on top"),
        ("ledger", "log"),
        ("ledger", "project"),
        ("scan",),
        ("doctor",),
    ):
        said = t2c(*command)
        assert said.code == 5, (command, said.err, said.out)
        assert words in said.err + said.out, command
        assert "t2c ledger merge git:" in said.err + said.out, command


def test_a_union_merge_is_a_fork(t2c: Any, branches: Path) -> None:
    (branches / ".t2c" / ".gitattributes").write_text("*.ndjson text merge=union\n")
    git(branches, "commit", "-qam", "union")
    assert git(branches, "merge", "-q", "-m", "join", "side") == 0
    journal = branches / ".t2c" / "journal.ndjson"
    before = journal.read_bytes()
    named(t2c, "fork")
    assert journal.read_bytes() == before

    git(branches, "restore", "--source=HEAD^", "--staged", "--worktree", ".t2c")
    merged = t2c("ledger", "merge", "git:side", "--json")
    assert merged.document["events"] == 2
    assert t2c("ledger", "verify", "--level", "domain").code == 0


@pytest.mark.parametrize("longer", ["ours", "theirs"])
def test_it_is_a_fork_whichever_side_is_longer(t2c: Any, branches: Path, longer: str) -> None:
    if longer == "theirs":
        git(branches, "switch", "-q", "side")
    (branches / ".t2c" / ".gitattributes").write_text("*.ndjson text merge=union\n")
    git(branches, "commit", "-qam", "union")
    assert git(branches, "merge", "-q", "-m", "join", "side" if longer == "ours" else "main") == 0
    found = t2c("ledger", "verify", "--json").document["faults"]
    assert {fault["kind"] for fault in found} == {"fork"}


def test_conflict_markers_are_named(t2c: Any, branches: Path) -> None:
    assert git(branches, "merge", "-q", "-m", "join", "side") == 1
    named(t2c, "conflict_marker")
    git(branches, "restore", "--source=HEAD", "--staged", "--worktree", ".t2c")
    assert t2c("ledger", "merge", "git:MERGE_HEAD", "--json").document["events"] == 2
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_a_marker_that_was_left_before_the_end_is_named(t2c: Any, branches: Path) -> None:
    """Somebody resolved the conflict by hand, nearly."""
    assert git(branches, "merge", "-q", "-m", "join", "side") == 1
    journal = branches / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if not line.startswith(b">>>>>>>")))
    before = journal.read_bytes()
    named(t2c, "conflict_marker")
    assert journal.read_bytes() == before


def test_a_line_that_stands_twice_is_no_fork(t2c: Any, branches: Path) -> None:
    journal = branches / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines, *lines[-2:]]))
    found = t2c("ledger", "verify", "--json").document["faults"]
    assert {fault["kind"] for fault in found} == {"duplicate"}
