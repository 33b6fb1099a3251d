"""What a gate changes where it should not is told with its run, and nothing is told of one that changes nothing.

Mutations seen to fail: hooks not looked at; the length of the journal left out; new files counted as changes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.execution.copies import scratch_copy
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.execution.gates import Gate, GateResult, run_gate


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """One commit, a changed and an untracked file."""
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text("one\n")
    (root / "b.py").write_text("one\n")
    (root / ".gitignore").write_text("*.log\n.t2c/\n")
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=root, check=True)
    (root / "b.py").write_text("two\n")
    (root / "own.txt").write_text("own\n")
    return root


@pytest.fixture
def ledger(repo: Path) -> Iterator[Ledger]:
    create(repo / ".t2c")
    with Ledger(repo / ".t2c", hold=True) as opened:
        yield opened


def ran(ledger: Ledger, tree: Path, text: str) -> GateResult:
    whole = tree == ledger.workspace.parent
    gate = Gate(purpose="test", command=text, tree="work_tree" if whole else "copy")
    before = fingerprint(tree) if whole else None
    found = run_gate(ledger, tree, gate, environ={"PATH": "/usr/bin:/bin"}, before=before)
    last = orjson.loads((ledger.workspace / JOURNAL).read_bytes().splitlines()[-1])
    assert last["data"]["detail"] == found.detail
    return found


@pytest.mark.parametrize("text", ["true", "echo x > x.log; cat a.py", "touch a.py; exit 3", "git status"])
def test_nothing_is_told_of_what_changes_nothing(ledger: Ledger, repo: Path, text: str) -> None:
    found = ran(ledger, repo, text)
    assert (found.detail, found.changed) == ("", ())


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("echo x > a.py", ["a.py"]),
        ("echo x > b.py; rm own.txt; echo new > new.txt", ["b.py", "own.txt"]),
        ("git checkout -q -- b.py", ["b.py"]),
        ("chmod +x a.py", ["a.py"]),
        ("rm -r .git", [".gitignore", "HEAD", "a.py", "b.py"]),
    ],
)
def test_a_gate_that_changes_its_tree_is_told(
    ledger: Ledger, repo: Path, text: str, changed: list[str]
) -> None:
    found = ran(ledger, repo, text)
    assert set(found.changed) <= {*changed} and found.changed
    assert f"the gate changed the work tree: {', '.join(found.changed)}" in found.detail


def test_new_files_are_told_and_are_no_change(ledger: Ledger, repo: Path) -> None:
    found = ran(ledger, repo, "echo x > new.txt")
    assert (found.detail, found.changed) == ("the gate left new files: new.txt", ())


def test_what_is_written_past_a_copy_is_told(ledger: Ledger, repo: Path) -> None:
    with scratch_copy(repo) as copy:
        assert ran(ledger, copy, "echo x > a.py; echo x > new").detail == ""
        found = ran(
            ledger,
            copy,
            f"cd {repo}; echo x > .git/hooks/pre-push; git config alias.x y; touch .t2c/odd; printf odd >> .t2c/{JOURNAL}",
        )
    assert found.detail == (
        "changed meanwhile: .git/config, .git/hooks/pre-push, .t2c/odd; the journal became 3 bytes longer meanwhile"
    )
