"""A byte of a line end counts like any other, also where Git converts line ends and calls the file unchanged.

Mutations seen to fail: nothing looked for; looked for without attributes; files that Git tells taken twice.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from t2c.ledger.execution.fingerprint import fingerprint


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode()


@pytest.mark.parametrize("how", ["attributes", "attributes below", "attributes of the clone", "setting"])
@pytest.mark.parametrize("below", [False, True])
def test_a_converted_line_end_shows_though_git_says_unchanged(tmp_path: Path, how: str, below: bool) -> None:
    (tmp_path / "sub").mkdir()
    git(tmp_path, "init", "-q")
    (tmp_path / "sub" / "run.sh").write_bytes(b"#!/bin/sh\necho hi\n")
    (tmp_path / "other.txt").write_bytes(b"text\n")
    match how:
        case "attributes":
            (tmp_path / ".gitattributes").write_text("* text=auto\n")
        case "attributes below":
            (tmp_path / "sub" / ".gitattributes").write_text("* text\n")
        case "attributes of the clone":
            (tmp_path / ".git" / "info" / "attributes").write_text("* text=auto\n")
        case _:
            git(tmp_path, "config", "core.autocrlf", "input")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    root = tmp_path / "sub" if below else tmp_path
    first = fingerprint(root)
    assert first.changed == ()
    (tmp_path / "sub" / "run.sh").write_bytes(b"#!/bin/sh\r\necho hi\r\n")
    git(tmp_path, "add", "-A")
    assert git(tmp_path, "status", "--porcelain") == ""
    second = fingerprint(root)
    assert second.digest != first.digest and second.dirty == ""
    assert [(one.status, one.path.rpartition("/")[2]) for one in second.changed] == [("e", "run.sh")]
    (tmp_path / "sub" / "run.sh").write_bytes(b"#!/bin/sh\necho hi\n")
    git(tmp_path, "add", "-A")
    assert fingerprint(root) == first


def test_what_git_tells_is_told_once(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("* text=auto\n")
    for name in ("a.txt", "gone.txt", "staged.txt"):
        (tmp_path / name).write_text("x\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "a.txt").write_text("longer\n")
    (tmp_path / "staged.txt").write_text("longer\n")
    git(tmp_path, "add", "staged.txt")
    (tmp_path / "gone.txt").unlink()
    assert [one.status for one in fingerprint(tmp_path).changed] == [" M", " D", "M "]


def test_without_a_commit_nothing_can_be_compared(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("* text=auto\n")
    (tmp_path / "a.txt").write_bytes(b"a\r\n")
    assert [one.status for one in fingerprint(tmp_path).changed] == ["??", "??"]
