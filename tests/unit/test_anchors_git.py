"""Anchors in Git: notes and trailers on real repositories, in every state that a repository may be in."""

from __future__ import annotations

import hashlib
import os
import subprocess
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.ledger.anchors import git
from t2c.ledger.anchors.git_repository import UNSET
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.note import Checkpoint, NoteSignature, SignedNote, origin_of

LEDGER = "a" * 32
OTHER = "b" * 32


class Repo:
    """A repository with a user of its own; nothing of the machine's settings is read."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *arguments: str, given: bytes = b"", env: dict[str, str] | None = None) -> str:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            [
                "git",
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.org",
                "-C",
                str(self.root),
                *arguments,
            ],
            input=given,
            capture_output=True,
            check=True,
            env={**clean, **(env or {})},
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, message: str = "work", *more: str) -> str:
        self("commit", "--allow-empty", "-q", "-m", message, *more)
        return self("rev-parse", "HEAD")

    def notes(self, commit: str = "HEAD") -> str:
        return self("notes", "--ref=refs/notes/t2c", "show", commit)


@pytest.fixture
def new_repo(tmp_path: Path) -> Callable[[str], Repo]:
    def make(name: str) -> Repo:
        root = tmp_path / name
        root.mkdir()
        repo = Repo(root)
        repo("init", "-q", "-b", "main")
        return repo

    return make


@pytest.fixture
def repo(new_repo: Callable[[str], Repo]) -> Repo:
    made = new_repo("repo")
    made.commit("first")
    return made


def checkpoint(size: int, ledger: str = LEDGER) -> Checkpoint:
    return Checkpoint(origin_of(ledger), size, hashlib.sha256(b"%d" % size).digest())


def signed(size: int, ledger: str = LEDGER) -> str:
    signature = NoteSignature(origin_of(ledger), "01020304", b"\x05" * 64)
    return SignedNote.of(checkpoint(size, ledger), (signature,)).note


def sizes(root: Path, ledger: str = LEDGER) -> list[int]:
    return [anchor.checkpoint.size for anchor in git.read(root, ledger).anchors]


def remarks(root: Path, ledger: str = LEDGER) -> dict[str, int]:
    return {remark.reason: remark.number for remark in git.read(root, ledger).remarks}


def test_a_note_holds_the_exact_text_and_git_shows_it(repo: Repo) -> None:
    text = signed(5)
    kept = git.write_note(repo.root, text)
    assert (kept.commit, kept.new) == (repo("rev-parse", "HEAD"), True)
    assert repo.notes() + "\n" == text
    (anchor,) = git.read(repo.root, LEDGER).anchors
    assert anchor.checkpoint == checkpoint(5)
    assert (anchor.note, anchor.strength) == (text, "git")
    assert kept.commit[:12] in anchor.source


def test_several_checkpoints_of_one_commit_are_kept_apart(repo: Repo) -> None:
    texts = [signed(5), checkpoint(6).body(), signed(7), checkpoint(8).body()]
    for text in texts:
        git.write_note(repo.root, text)
    assert repo.notes() + "\n" == "\n".join(texts)
    assert [anchor.note for anchor in git.read(repo.root, LEDGER).anchors] == texts


def test_writing_the_same_again_changes_nothing(repo: Repo) -> None:
    git.write_note(repo.root, signed(5))
    git.write_note(repo.root, signed(6))
    tip = repo("rev-parse", git.NOTES_REF)
    assert not git.write_note(repo.root, signed(5)).new
    assert repo("rev-parse", git.NOTES_REF) == tip


def test_the_work_tree_the_index_and_the_history_stay_as_they_are(repo: Repo) -> None:
    (repo.root / "file").write_text("not committed")
    before = (repo("rev-parse", "HEAD"), repo("status", "--porcelain=v2", "--branch"))
    git.write_note(repo.root, signed(5))
    assert (repo("rev-parse", "HEAD"), repo("status", "--porcelain=v2", "--branch")) == before


def test_what_somebody_else_wrote_in_the_note_stays(repo: Repo) -> None:
    repo("notes", "--ref=refs/notes/t2c", "add", "-m", "reviewed by Ada\n\nt2c/ is fine — really")
    git.write_note(repo.root, signed(5))
    repo("notes", "--ref=refs/notes/t2c", "append", "-m", "and something after it")
    git.write_note(repo.root, signed(6))
    assert repo.notes().startswith("reviewed by Ada\n\nt2c/ is fine — really\n\n" + signed(5))
    assert "and something after it" in repo.notes()
    assert sizes(repo.root) == [5, 6]
    assert remarks(repo.root) == {"unreadable": 1}


def test_notes_of_hundreds_of_commits_are_still_found(repo: Repo) -> None:
    """The notes' tree then has folders; only the newest commit gets a note of ours."""
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1700000000 + at} +0000\ndata 1\nx\n"
        + ("from refs/heads/main^0\n" if at == 0 else "")
        for at in range(300)
    )
    repo("fast-import", "--quiet", given=stream.encode())
    commits = repo("rev-list", "main").split()
    notes = "commit refs/notes/t2c\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n" + "".join(
        f"N inline {commit}\ndata 6\nlooked\n" for commit in commits
    )
    repo("fast-import", "--quiet", given=notes.encode())
    git.write_note(repo.root, signed(5))
    assert repo.notes() + "\n" == "looked\n\n" + signed(5)
    assert sizes(repo.root) == [5]
    assert len(repo("notes", "--ref=refs/notes/t2c", "list").splitlines()) == len(commits)


def test_two_that_write_at_once_both_succeed(repo: Repo, spawn: Callable[..., subprocess.Popen[str]]) -> None:
    script = (
        "import sys; from pathlib import Path; from t2c.ledger.anchors import git\n"
        "sys.stdin.readline()\n"
        "print(git.write_note(Path(sys.argv[1]), sys.argv[2]).new)"
    )
    writers = [spawn(script, repo.root, signed(size)) for size in (5, 6, 7)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60)[0].strip() for writer in writers] == ["True"] * 3
    assert sorted(sizes(repo.root)) == [5, 6, 7]


def test_a_trailer_is_read_from_the_message(repo: Repo) -> None:
    line = git.trailer(checkpoint(9))
    assert line == f"T2c-Checkpoint: t2c/{LEDGER} 9 {b64encode(checkpoint(9).root).decode()}"
    commit = repo.commit(
        "Do it\n\nBecause.", "--trailer", line, "--trailer", "Signed-off-by: Ada <ada@example.org>"
    )
    (anchor,) = git.read(repo.root, LEDGER).anchors
    assert anchor.checkpoint == checkpoint(9)
    assert anchor.source == f"git trailer of {commit[:12]}"


def test_a_trailer_survives_a_message_that_is_not_utf8(repo: Repo) -> None:
    line = git.trailer(checkpoint(9))
    repo("config", "i18n.commitEncoding", "ISO-8859-1")
    repo(
        "commit", "--allow-empty", "-q", "-F", "-", given=b"Gr\xfc\xdfe \xff\xfe\n\n" + line.encode() + b"\n"
    )
    assert sizes(repo.root) == [9]
    repo("config", "--unset", "i18n.commitEncoding")
    repo(
        "commit",
        "--allow-empty",
        "-q",
        "-F",
        "-",
        given=b"\xff\xfe\xfc\n\n" + git.trailer(checkpoint(10)).encode(),
    )
    assert sizes(repo.root) == [9, 10]


def test_a_line_that_is_no_trailer_is_counted_not_compared(repo: Repo) -> None:
    """A squash puts the messages of a branch into one: their checkpoints are of the branch's chain."""
    repo.commit(f"Squashed\n\n{git.trailer(checkpoint(3))}\n\nThe last paragraph.")
    repo.commit(f"Bad\n\n{git.TRAILER}: t2c/{LEDGER} nine AAAA\n{git.TRAILER}: three words only x y")
    assert sizes(repo.root) == []
    assert remarks(repo.root) == {"not_a_trailer": 1, "unreadable": 2}


def test_commits_of_merged_branches_are_counted_not_compared(repo: Repo) -> None:
    git.write_note(repo.root, signed(5))
    repo("checkout", "-q", "-b", "side")
    repo.commit("on the side")
    git.write_note(repo.root, signed(6))
    repo.commit("with a trailer\n\n" + git.trailer(checkpoint(7)))
    repo("checkout", "-q", "main")
    repo.commit("on main")
    git.write_note(repo.root, signed(8))
    assert sizes(repo.root) == [5, 8]
    assert remarks(repo.root) == {"elsewhere": 1}
    repo("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert sizes(repo.root) == [5, 8]
    assert remarks(repo.root) == {"merged_branch": 2}


def test_other_ledgers_are_counted(repo: Repo) -> None:
    git.write_note(repo.root, signed(5, OTHER))
    repo.commit("x\n\n" + git.trailer(checkpoint(7, OTHER)))
    git.write_note(repo.root, signed(8))
    assert sizes(repo.root) == [8]
    assert remarks(repo.root) == {"other_ledger": 2}
    assert sizes(repo.root, OTHER) == [5, 7]


def test_a_repository_without_commits(new_repo: Callable[[str], Repo]) -> None:
    empty = new_repo("empty")
    with pytest.raises(Environment, match="no commit yet") as caught:
        git.write_note(empty.root, signed(5))
    assert caught.value.remedy
    assert remarks(empty.root) == {"no_commits": 1}


def test_no_repository_at_all(tmp_path: Path) -> None:
    for act in (lambda: git.write_note(tmp_path, signed(5)), lambda: git.read(tmp_path, LEDGER)):
        with pytest.raises(Environment, match="in no Git repository"):
            act()


def test_a_broken_repository_is_not_passed_over_for_the_one_around_it(repo: Repo) -> None:
    inner = repo.root / "inner"
    (inner / ".git").mkdir(parents=True)
    with pytest.raises(Environment, match="not a usable repository"):
        git.write_note(inner, signed(5))


def test_text_that_is_no_checkpoint_is_not_written(repo: Repo) -> None:
    with pytest.raises(Usage, match="no checkpoint"):
        git.write_note(repo.root, "hello\n")


def test_a_worktree_and_a_detached_head(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    repo("worktree", "add", "-q", "--detach", str(tree))
    other = Repo(tree)
    commit = other.commit("in the worktree")
    (tree / "below").mkdir()
    assert git.write_note(tree / "below", signed(5)).commit == commit
    assert sizes(tree) == [5]
    assert sizes(repo.root) == []
    assert remarks(repo.root) == {"elsewhere": 1}


def test_a_shallow_clone_says_what_it_lacks(repo: Repo, tmp_path: Path) -> None:
    git.write_note(repo.root, signed(5))
    repo.commit("second\n\n" + git.trailer(checkpoint(6)))
    repo.commit("third")
    shallow = Repo(tmp_path / "shallow")
    repo("clone", "-q", "--depth=2", f"file://{repo.root}", str(shallow.root))
    assert sizes(shallow.root) == [6]
    assert remarks(shallow.root) == {"shallow": 1}
    git.write_note(shallow.root, signed(7))
    assert sizes(shallow.root) == [6, 7]
    shallow("fetch", "-q", "--unshallow")
    assert "shallow" not in remarks(shallow.root)


def test_settings_and_a_hooks_environment_steer_nothing(
    repo: Repo, new_repo: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_repo("other")
    other.commit()
    repo("config", "core.notesRef", "refs/notes/elsewhere")
    repo("config", "notes.displayRef", "refs/notes/*")
    hook = repo.root / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_NOTES_REF", "refs/notes/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.notesRef")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "refs/notes/third")
    git.write_note(repo.root, signed(5))
    assert sizes(repo.root) == [5]
    assert repo("for-each-ref", "--format=%(refname)", "refs/notes") == git.NOTES_REF
    assert other("for-each-ref", "--format=%(refname)", "refs/notes") == ""


def test_replaced_commits_are_read_as_they_are(repo: Repo) -> None:
    bad = repo.commit("x\n\n" + git.trailer(checkpoint(6)))
    good = repo("commit-tree", "-p", "HEAD~1", "-m", "y", "HEAD^{tree}")
    repo("replace", bad, good)
    assert sizes(repo.root) == [6]


def test_everything_git_takes_away_for_another_repository_is_taken_away(repo: Repo) -> None:
    named = set(repo("rev-parse", "--local-env-vars").split())
    assert named
    assert named <= set(UNSET)


def test_who_commits_is_as_git_knows_it_or_nobody(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo("config", "user.name", "Grace")
    repo("config", "user.email", "grace@example.org")
    git.write_note(repo.root, signed(5))
    assert repo("log", "-1", "--format=%cn <%ce>", git.NOTES_REF) == "Grace <grace@example.org>"
    repo("config", "--unset", "user.name")
    repo("config", "--unset", "user.email")
    repo("config", "user.useConfigOnly", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    git.write_note(repo.root, signed(6))
    assert repo("log", "-1", "--format=%cn <%ce>", git.NOTES_REF) == "t2c <t2c@localhost>"


def test_a_notes_reference_that_holds_no_notes(repo: Repo) -> None:
    blob = repo("hash-object", "-w", "--stdin", given=b"x")
    repo("update-ref", git.NOTES_REF, blob)
    for act in (lambda: git.write_note(repo.root, signed(5)), lambda: git.read(repo.root, LEDGER)):
        with pytest.raises(Environment, match="does not hold notes"):
            act()
    assert repo("rev-parse", git.NOTES_REF) == blob


def test_a_huge_or_odd_note_is_named(repo: Repo) -> None:
    repo("notes", "--ref=refs/notes/t2c", "add", "-F", "-", given=b"x" * (1 << 20) + b"y")
    repo.commit()
    repo("notes", "--ref=refs/notes/t2c", "add", "-F", "-", given=b"\xff\xfe\nt2c/zz\n\xff\nAA\n")
    repo.commit()
    git.write_note(repo.root, signed(5))
    assert sizes(repo.root) == [5]
    assert remarks(repo.root) == {"too_large": 1, "unreadable": 1}


def test_a_folder_that_cannot_be_written(repo: Repo) -> None:
    if os.geteuid() == 0:
        (repo.root / ".git" / "refs" / "notes").write_text("in the way")
    else:
        (repo.root / ".git" / "refs").chmod(0o555)
    with pytest.raises(Environment, match="Git failed") as caught:
        git.write_note(repo.root, signed(5))
    assert caught.value.safe
