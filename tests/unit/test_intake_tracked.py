"""Files that Git tracks although an ignore rule names them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.inventory import take_inventory
from t2c.ledger.intake.tracked import tracked_but_ignored


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, read with no settings of the machine."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "-q")
    return path


def git(path: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True)


def put(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def test_tracked_files_that_a_rule_hides_are_counted_and_the_first_named(root: Path) -> None:
    put(root, ".gitignore", text="build/\n")
    put(root, ".dockerignore", text="docs/\n")
    put(root, "docs/a.md", "kept.py", "build/untracked.py", *(f"build/{n}.py" for n in range(7)))
    git(
        root,
        "add",
        "-f",
        ".gitignore",
        ".dockerignore",
        "docs",
        "kept.py",
        *(f"build/{n}.py" for n in range(7)),
    )
    detail = (
        "tracked by Git, but an ignore rule hides them: "
        "build/0.py, build/1.py, build/2.py, build/3.py, build/4.py, …"
    )
    expected = [Warning("inventory", None, "tracked_but_ignored", detail, 7)]
    assert tracked_but_ignored(root) == expected
    assert tracked_but_ignored(root, take_inventory(root)) == expected


def test_what_is_not_there_or_is_no_evidence_is_not_counted(root: Path) -> None:
    put(root, ".gitignore", text="*.log\n.t2c\nlink\n")
    put(root, "a.log", ".t2c/journal.log")
    (root / "link").symlink_to(".gitignore")
    git(root, "add", "-f", "a.log", ".t2c", "link")
    assert [warning.count for warning in tracked_but_ignored(root)] == [1]
    (root / "a.log").unlink()
    assert tracked_but_ignored(root) == []


def test_the_rules_are_those_that_the_inventory_knows(root: Path) -> None:
    put(root, "pkg/a.py", "pkg/b.txt", "c.md")
    git(root, "add", ".")
    git(root, "config", "--global", "core.excludesFile", str(root.parent / "mine"))
    put(root.parent, "mine", text="c.md\n")
    assert tracked_but_ignored(root) == []
    put(root, ".gitignore", text="*.py\n")
    put(root, "pkg/.gitignore", text="*.txt\n")
    below = root / "pkg"
    (warning,) = tracked_but_ignored(below, take_inventory(below))
    assert (warning.count, warning.detail.rpartition(": ")[2]) == (1, "b.txt")


def test_names_that_are_not_utf8_are_written_as_everywhere(root: Path) -> None:
    put(root, ".gitignore", text="build/\n")
    folder = os.fsencode(root / "build")
    os.mkdir(folder)
    Path(os.fsdecode(os.path.join(folder, b"\xff.py"))).write_text("x\n")
    git(root, "add", "-f", ".")
    (warning,) = tracked_but_ignored(root)
    assert warning.detail.endswith(': "build/\\377.py"')


def test_without_git_or_a_repository_nothing_is_said(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    assert tracked_but_ignored(tmp_path / "plain") == []
    put(root, ".gitignore", text="a\n")
    put(root, "a")
    git(root, "add", "-f", "a")
    assert len(tracked_but_ignored(root)) == 1
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert tracked_but_ignored(root) == []
    (root / ".git/HEAD").write_text("broken\n")
    assert tracked_but_ignored(root) == []
