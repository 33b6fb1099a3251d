"""A detached worktree is the commit and nothing else, and leaves the user's repository as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.execution import private
from t2c.ledger.execution.private import PREFIX, private_folder
from t2c.ledger.execution.worktrees import detached


def git(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *who, *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        env={**os.environ, **(env or {})},
    )
    return done.stdout.decode()


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits, a branch, a stash, a staged and an unstaged change, an untracked file; a temporary place of its own."""
    root, place = tmp_path / "repo", tmp_path / "tmp"
    root.mkdir()
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("a.txt")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    (root / "a.txt").write_text("two\n")
    git(root, "commit", "-qam", "second")
    git(root, "branch", "other")
    (root / "a.txt").write_text("stashed\n")
    git(root, "stash", "-q")
    (root / "a.txt").write_text("staged\n")
    git(root, "add", "a.txt")
    (root / "a.txt").write_text("unstaged\n")
    (root / "new.txt").write_text("new\n")
    return root


def state(root: Path) -> dict[str, object]:
    """All of `.git` and of the tree: names, contents, modes; and what Git says of it."""
    files = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = b"" if path.is_dir() or path.is_symlink() else path.read_bytes()
        files[str(path)] = (status.st_mode, sha256(content).hexdigest())
    said = [
        git(root, *command, env={"GIT_OPTIONAL_LOCKS": "0"})
        for command in (("status", "--porcelain"), ("for-each-ref",), ("stash", "list"), ("worktree", "list"))
    ]
    return {"files": files, "said": said}


def leftovers() -> Iterator[Path]:
    return Path(str(private.tempfile.tempdir)).glob(f"{PREFIX}*")


def test_the_commit_is_there_and_nothing_of_the_user_changes(repo: Path) -> None:
    before = state(repo)
    with detached(repo, "HEAD~1") as tree:
        assert tree.commit == git(repo, "rev-parse", "HEAD~1").strip()
        assert (tree.path / "a.txt").read_text() == "one\n"
        assert os.access(tree.path / "run.sh", os.X_OK)
        assert (tree.path / "link").readlink() == Path("a.txt")
        assert not (tree.path / "new.txt").exists()
        assert git(tree.path, "status", "--porcelain") == ""
        assert repo not in tree.path.parents
        assert tree.path.parent.stat().st_mode & 0o77 == 0
        (tree.path / "written by a gate").write_text("x")
        during = state(repo)
        assert during["said"][:3] == before["said"][:3]  # type: ignore[index]
    assert state(repo) == before
    assert not tree.path.parent.exists()


def test_an_error_inside_and_rights_taken_away_leave_nothing_behind(repo: Path) -> None:
    before = state(repo)
    with pytest.raises(KeyError), detached(repo, "main") as tree:
        (tree.path / "shut").mkdir()
        (tree.path / "shut" / "file").write_text("x")
        (tree.path / "shut").chmod(0)
        raise KeyError
    assert state(repo) == before
    assert list(leftovers()) == []


def test_neither_hooks_nor_filters_run_and_submodules_stay_out(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    git(inner, "commit", "-q", "--allow-empty", "-m", "inner")
    git(repo, "submodule", "--quiet", "add", str(inner), "sub")
    (repo / ".gitattributes").write_text("*.bin filter=lfs\n*.odd filter=My.Own\n")
    (repo / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (repo / "a.odd").write_text("plain\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "third")
    ran = tmp_path / "ran"
    for name in ("filter.lfs.smudge", "filter.lfs.process", "filter.My.Own.smudge"):
        git(repo, "config", name, f"sh -c 'touch {ran}; cat'")
    git(repo, "config", "filter.lfs.required", "true")
    git(repo, "config", "submodule.recurse", "true")
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    with detached(repo, "HEAD") as tree:
        assert (tree.path / "big.bin").read_text().startswith("version https://git-lfs")
        assert (tree.path / "a.odd").read_text() == "plain\n"
        assert list((tree.path / "sub").iterdir()) == []
    assert not ran.exists()


KILLED = """
import os, sys, tempfile
from pathlib import Path
tempfile.tempdir = sys.argv[2]
from t2c.ledger.execution.worktrees import detached
with detached(Path(sys.argv[1]), "HEAD") as tree:
    print(tree.path, flush=True)
    sys.stdin.read()
"""


def started(repo: Path) -> tuple[subprocess.Popen[str], Path]:
    place = str(private.tempfile.tempdir)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(repo), place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_is_swept_and_what_lives_is_not(repo: Path) -> None:
    before = state(repo)
    living, alive = started(repo)
    dead, left = started(repo)
    try:
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        assert left.exists() and (repo / ".git" / "worktrees" / left.name).exists()
        with detached(repo, "HEAD~1"):
            assert not left.parent.exists()
            assert not (repo / ".git" / "worktrees" / left.name).exists()
            assert (alive / "a.txt").read_text() == "two\n"
            assert git(alive, "rev-parse", "HEAD") == git(repo, "rev-parse", "main")
    finally:
        living.communicate()
        dead.communicate()
    assert living.returncode == 0
    assert state(repo) == before


def test_a_left_entry_whose_folder_is_gone_is_swept_and_the_users_own_is_not(
    repo: Path, tmp_path: Path
) -> None:
    dead, left = started(repo)
    dead.kill()
    dead.communicate()
    private.remove_tree(left.parent)
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "removable"), "HEAD")
    (tmp_path / "removable").rename(tmp_path / "unplugged")
    with detached(repo, "HEAD"):
        pass
    assert [entry.name for entry in (repo / ".git" / "worktrees").iterdir()] == ["removable"]


@pytest.mark.parametrize("name", ["", "nothing", "--help", "HEAD:a.txt", "HEAD^{tree}", "a\nb", "\x00"])
def test_what_names_no_commit_is_refused(repo: Path, name: str) -> None:
    before = state(repo)
    with pytest.raises(Usage), detached(repo, name):
        pass
    assert state(repo) == before


def test_where_there_is_no_repository_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(Environment), detached(tmp_path, "HEAD"):
        pass


def test_a_place_for_temporary_files_inside_the_tree_is_refused(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(repo / "tmp"))
    before = state(repo)
    with pytest.raises(Environment, match="inside"), detached(repo, "HEAD"):
        pass
    assert state(repo) == before


def test_from_a_worktree_of_the_user_the_same_holds(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "second"), "other")
    before = state(repo), state(tmp_path / "second")
    with detached(tmp_path / "second", "HEAD") as tree:
        assert (tree.path / "a.txt").read_text() == "two\n"
    assert (state(repo), state(tmp_path / "second")) == before


def test_variables_of_an_outer_git_do_not_lead_elsewhere(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with detached(repo, "main") as tree:
        assert (tree.path / "a.txt").read_text() == "two\n"
    assert not (tmp_path / "index").exists()


def test_a_folder_that_no_process_holds_is_swept_whatever_repository_it_was_of(repo: Path) -> None:
    left = Path(str(private.tempfile.tempdir)) / f"{PREFIX}abandoned"
    (left / "deep").mkdir(parents=True)
    other = left.with_name("somebody else's")
    other.mkdir()
    with private_folder() as mine:
        assert not left.exists() and other.exists()
        private.sweep_folders()
        assert mine.exists(), "a folder that is held is not abandoned, by its own process neither"


def test_a_private_folder_is_ours_alone_and_goes_with_what_is_in_it(repo: Path) -> None:
    with private_folder() as one, private_folder() as other:
        assert one != other and one.exists()
        assert one.stat().st_mode & 0o777 == 0o700
        (one / "deep").mkdir()
        (one / "deep" / "out").symlink_to(repo)
    assert not one.exists() and (repo / "a.txt").exists()
