"""Equal trees have equal fingerprints; whatever changes in one, its fingerprint changes too."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from t2c.ledger.errors import Environment
from t2c.ledger.execution.fingerprint import fingerprint


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    when = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    done = subprocess.run(
        ["git", *who, *arguments], cwd=root, check=True, capture_output=True, env={**os.environ, **when}
    )
    return done.stdout.decode()


def make(root: Path) -> Path:
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "a.txt").write_text("one\n")
    (root / "sub").mkdir()
    (root / "sub" / "b.txt").write_text("two\n")
    (root / "link").symlink_to("a.txt")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path / "repo")


def write(path: str, text: str) -> Callable[[Path], None]:
    return lambda root: (root / path).write_text(text) and None


def relink(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("sub/b.txt")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte of a tracked file": write("a.txt", "onE\n"),
    "an untracked file": write("new.txt", "x"),
    "an empty untracked file": lambda root: (root / "empty").touch(),
    "an executable bit": lambda root: (root / "a.txt").chmod(0o755),
    "a link that leads elsewhere": relink,
    "a file that is gone": lambda root: (root / "a.txt").unlink(),
    "a folder that is gone": lambda root: shutil.rmtree(root / "sub"),
    "a file that became a link": lambda root: ((root / "a.txt").unlink(), (root / "a.txt").symlink_to("link")),
    "a file that became a folder": lambda root: ((root / "a.txt").unlink(), (root / "a.txt").mkdir(),
                                                 (root / "a.txt" / "x").touch()),
    "another name": lambda root: (root / "a.txt").rename(root / "c.txt"),
    "a commit": lambda root: git(root, "commit", "-q", "--allow-empty", "-m", "second"),
    "a repository inside": lambda root: make(root / "inside"),
    "a fifo": lambda root: ((root / "a.txt").unlink(), os.mkfifo(root / "a.txt")),
    "a name that is no text": lambda root: (Path(os.fsdecode(os.fsencode(root) + b"/\xff")).touch()),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_shows_and_its_undoing_too(repo: Path, tmp_path: Path, change: str) -> None:
    first = fingerprint(repo)
    shutil.copytree(repo, tmp_path / "kept", symlinks=True)
    CHANGES[change](repo)
    second = fingerprint(repo)
    assert second.digest != first.digest
    assert fingerprint(repo) == second
    assert fingerprint(tmp_path / "kept") == first


def test_the_rights_of_a_file_that_git_does_not_track_count(repo: Path) -> None:
    """Git's own status says nothing of them."""
    (repo / "new").write_text("x")
    seen = {fingerprint(repo).digest}
    (repo / "new").chmod(0o755)
    seen.add(fingerprint(repo).digest)
    (repo / "new").unlink()
    (repo / "new").symlink_to("x")
    seen.add(fingerprint(repo).digest)
    assert len(seen) == 3


def test_an_equal_size_and_time_hide_nothing(repo: Path) -> None:
    """Changed at once after Git looked, with the former times put back, as a build may do."""
    git(repo, "status")
    first, before = fingerprint(repo), (repo / "a.txt").stat()
    (repo / "a.txt").write_text("ONE\n")
    os.utime(repo / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fingerprint(repo).digest != first.digest


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_not_to_look_at_is_looked_at(repo: Path, flag: str) -> None:
    git(repo, "update-index", flag, "a.txt")
    first = fingerprint(repo)
    (repo / "a.txt").write_text("hidden\n")
    assert git(repo, "status", "--porcelain") == ""
    assert fingerprint(repo).digest != first.digest


def test_settings_that_hide_changes_do_not(repo: Path) -> None:
    for setting in ("core.fileMode=false", "status.showUntrackedFiles=no", "diff.ignoreSubmodules=all"):
        git(repo, "config", *setting.split("="))
    first = fingerprint(repo)
    (repo / "a.txt").chmod(0o755)
    (repo / "x").touch()
    assert [item.path for item in fingerprint(repo).changed] == ["a.txt", "x"]
    assert first.changed == ()


def test_equal_trees_in_other_places_are_equal(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repo), "other")
    other = tmp_path / "other"
    assert fingerprint(other) == fingerprint(repo)
    for root in (repo, other):
        (root / "a.txt").write_text("changed\n")
        (root / "new").write_text("new")
    os.utime(other / "a.txt", (1, 1))
    assert fingerprint(other) == fingerprint(repo)
    assert fingerprint(repo).dirty == " M a.txt\n?? new\n"


def test_ignored_files_and_our_own_folders_do_not_count(repo: Path) -> None:
    first = fingerprint(repo)
    for name in ("x.log", "build/out", ".t2c/journal.ndjson", ".dwp/plan.md", "sub/.t2c/x"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("x")
    assert fingerprint(repo) == first
    assert first.dirty == ""


def test_nothing_is_written_not_even_into_the_index(repo: Path) -> None:
    os.utime(repo / "a.txt", (1, 1))
    index = (repo / ".git" / "index").read_bytes()
    names = sorted(str(path) for path in repo.rglob("*"))
    fingerprint(repo)
    assert (repo / ".git" / "index").read_bytes() == index
    assert sorted(str(path) for path in repo.rglob("*")) == names


def test_a_submodule_counts_with_all_it_holds(repo: Path, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner")
    git(repo, "submodule", "--quiet", "add", str(inner), "mod")
    git(repo, "commit", "-qm", "second")
    seen = {fingerprint(repo).digest}
    assert fingerprint(repo).dirty == ""
    (repo / "mod" / "a.txt").write_text("changed\n")
    seen.add(fingerprint(repo).digest)
    (repo / "mod" / "a.txt").write_text("changed otherwise\n")
    seen.add(fingerprint(repo).digest)
    git(repo / "mod", "commit", "-qam", "inner")
    seen.add(fingerprint(repo).digest)
    assert len(seen) == 4


def test_below_the_top_only_what_is_below_counts(repo: Path) -> None:
    first = fingerprint(repo / "sub")
    (repo / "a.txt").write_text("changed\n")
    assert fingerprint(repo / "sub") == first
    (repo / "sub" / "b.txt").write_text("changed\n")
    assert [item.path for item in fingerprint(repo / "sub").changed] == ["b.txt"]


def test_outside_git_every_file_counts(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "a").write_text("a")
    (root / ".t2c").mkdir()
    (root / ".t2c" / "journal.ndjson").write_text("x")
    (root / "out").symlink_to("/etc/passwd")
    found = fingerprint(root)
    assert found.revision is None
    assert [(item.path, item.mode) for item in found.changed] == [("deep/a", "100644"), ("out", "120000")]
    assert found.changed[1].digest == sha256(b"/etc/passwd").hexdigest()
    (root / "deep" / "a").write_text("b")
    assert fingerprint(root).digest != found.digest


def test_before_the_first_commit_there_is_no_revision(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", str(tmp_path / "new"))
    (tmp_path / "new" / "a").touch()
    found = fingerprint(tmp_path / "new")
    assert (found.revision, found.dirty) == (None, "?? a\n")


def test_no_filter_runs(repo: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(repo, "config", "filter.odd.clean", f"sh -c 'touch {ran}; cat'")
    (repo / ".gitattributes").write_text("*.txt filter=odd\n")
    (repo / "a.txt").write_text("changed\n")
    fingerprint(repo)
    assert not ran.exists()


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_named(repo: Path) -> None:
    (repo / "a.txt").write_text("x")
    (repo / "a.txt").chmod(0)
    with pytest.raises(Environment, match="cannot be read"):
        fingerprint(repo)


def test_a_bare_repository_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "bare"))
    with pytest.raises(Environment, match="bare"):
        fingerprint(tmp_path / "bare")


def test_many_changes_cost_no_more_than_they_must(repo: Path) -> None:
    for number in range(2000):
        (repo / f"f{number}").write_text("x")
    began = time.process_time()
    assert len(fingerprint(repo).changed) == 2000
    assert time.process_time() - began < 2
