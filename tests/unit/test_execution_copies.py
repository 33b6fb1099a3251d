"""A copy holds what the fingerprint of the tree counts, with files laid over it, and nothing leads back to the tree.

Mutations seen to fail: links out of the tree kept; parts behind a link copied; `.t2c` of a commit kept; `.git` of a
checkout kept; the limit checked after copying only files; an overlay written through a link; folders removed by paths;
folders made or read by recursion.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.execution import copies
from t2c.ledger.execution.copies import Room, scratch_copy
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.execution.overlay import overlay_problem
from t2c.ledger.execution.private import PREFIX, sweep_folders
from t2c.ledger.execution.surface import surface
from t2c.ledger.intake.base import Warning


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files of this test's own."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Files of every kind: tracked, changed, deleted, new, ignored, run, linked, ours, with odd names."""
    root = tmp_path / "repo"
    (root / "src" / "deep").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("/out/\n*.log\n")
    (root / "a.txt").write_text("one\n")
    (root / "gone.txt").write_text("gone\n")
    (root / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (root / "run.sh").chmod(0o755)
    (root / "src" / "deep" / "code.py").write_text("x = 1\n")
    (root / "inner").symlink_to("src/deep/code.py")
    (root / ".t2c").mkdir()
    (root / ".t2c" / "journal.ndjson").write_text("{}\n")
    git(root, "add", "-A", "-f")
    git(root, "commit", "-qm", "first")
    (root / "a.txt").write_text("two\n")
    (root / "gone.txt").unlink()
    (root / "new ü.txt").write_text("new\n")
    (root / os.fsdecode(b"odd-\xff.txt")).write_text("odd\n")
    (root / "out").mkdir()
    (root / "out" / "made.txt").write_text("made\n")
    (root / "x.log").write_text("log\n")
    return root


def content(root: Path) -> dict[str, object]:
    """Names, and what stands there: a link's text, or content and whether it may be run."""
    return {
        os.fsdecode(os.path.relpath(path, root)): path.readlink()
        if path.is_symlink()
        else (path.read_bytes(), os.access(path, os.X_OK))
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def whole(root: Path) -> dict[str, tuple[int, int, str]]:
    """All of the tree, `.git` too: modes, times of change, contents."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = (status.st_mode, status.st_mtime_ns, sha256(data).hexdigest())
    return found


def leftovers(place: Path) -> list[Path]:
    return list(place.glob(f"{PREFIX}*"))


SEEN = {
    ".gitignore", "a.txt", "run.sh", "src/deep/code.py", "inner", "new ü.txt", os.fsdecode(b"odd-\xff.txt"),
}  # fmt: skip


def test_the_copy_is_the_tree_as_it_is_on_the_disk_and_the_tree_stays(repo: Path, place: Path) -> None:
    before = whole(repo)
    with scratch_copy(repo) as copy:
        found = content(copy)
        assert set(found) == SEEN
        assert found == {name: value for name, value in content(repo).items() if name in SEEN}
        assert found["a.txt"] == (b"two\n", False) and found["run.sh"] == (b"#!/bin/sh\necho ran\n", True)
        assert copy.joinpath("a.txt").stat().st_mtime_ns == repo.joinpath("a.txt").stat().st_mtime_ns
        assert copy.parent.stat().st_mode & 0o77 == 0
        (copy / "a.txt").write_text("changed in the copy")
        (copy / "inner").write_text("through a link")
    assert whole(repo) == before
    assert leftovers(place) == []


def test_copies_of_equal_trees_have_equal_fingerprints(repo: Path) -> None:
    with scratch_copy(repo) as one, scratch_copy(repo) as other:
        assert fingerprint(one) == fingerprint(other)
        (other / "a.txt").write_text("else")
        assert fingerprint(one).digest != fingerprint(other).digest


def test_a_folder_below_the_top_and_a_folder_in_no_repository(repo: Path, tmp_path: Path) -> None:
    with scratch_copy(repo / "src") as copy:
        assert set(content(copy)) == {"deep/code.py"}
    plain = tmp_path / "plain"
    (plain / "b" / ".dwp").mkdir(parents=True)
    (plain / "b" / ".dwp" / "x").write_text("ours")
    (plain / "b" / "file").write_text("b")
    (plain / "sub").mkdir()
    git(plain / "sub", "init", "-q")
    (plain / "sub" / ".gitignore").write_text("*.o\n")
    (plain / "sub" / "kept").write_text("kept")
    (plain / "sub" / "x.o").write_text("left")
    with scratch_copy(plain) as copy:
        assert set(content(copy)) == {"b/file", "sub/.gitignore", "sub/kept"}


def test_a_submodule_is_copied_without_its_repository(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    (inner / "lib.py").write_text("lib\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "lib")
    git(repo, "submodule", "--quiet", "add", str(inner), "sub")
    (repo / "sub" / "lib.py").write_text("changed\n")
    with scratch_copy(repo) as copy:
        assert (copy / "sub" / "lib.py").read_text() == "changed\n"
        assert not (copy / "sub" / ".git").exists()


def test_links_that_lead_out_are_left_out_and_told(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("outside")
    for name, target in {
        "up": "../outside", "absolute": str(repo / "a.txt"), "via": "up", "broken": "nowhere", "self": "self",
        "git": ".git/config", "top": ".",
    }.items():  # fmt: skip
        (repo / name).symlink_to(target)
    told: list[Warning] = []
    with scratch_copy(repo, warn=told.append) as copy:
        links = {path.name for path in copy.iterdir() if path.is_symlink()}
        assert links == {"inner", "broken", "self", "git", "top"}
    assert {(one.path, one.reason) for one in told} == {
        (name, "link_outside") for name in ("up", "absolute", "via")
    }


def test_what_is_tracked_but_lies_behind_a_link_now_is_gone(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "code.py").write_text("not of this tree")
    (repo / "src" / "deep" / "code.py").unlink()
    (repo / "src" / "deep").rmdir()
    (repo / "src" / "deep").symlink_to(tmp_path / "elsewhere")
    with scratch_copy(repo) as copy:
        # The link to that file leads out now, too.
        assert set(content(copy)) == SEEN - {"src/deep/code.py", "inner"}


def test_what_is_no_file_is_left_out_and_told(tmp_path: Path) -> None:
    told: list[Warning] = []
    plain = tmp_path / "plain"
    plain.mkdir()
    os.mkfifo(plain / "pipe")
    with scratch_copy(plain, warn=told.append) as copy:
        assert list(copy.iterdir()) == []
    assert [(one.path, one.reason) for one in told] == [("pipe", "special_file")]


def test_ignored_folders_are_copied_if_asked_for(repo: Path) -> None:
    with scratch_copy(repo, also=("out", "x.log")) as copy:
        assert set(content(copy)) == SEEN | {"out/made.txt", "x.log"}
    for path in ("../repo", "/etc", ".git", "out/../.git"):
        with pytest.raises(Usage), scratch_copy(repo, also=(path,)):
            pass


def test_a_revision_is_copied_without_anything_that_leads_to_the_repository(repo: Path, place: Path) -> None:
    before, said = whole(repo / "src"), git(repo, "worktree", "list")
    with scratch_copy((repo, "HEAD")) as copy:
        unknown = {"new ü.txt", os.fsdecode(b"odd-\xff.txt")}
        assert set(content(copy)) == SEEN - unknown | {"gone.txt"}
        assert (copy / "a.txt").read_text() == "one\n"
        assert not (copy / ".git").exists() and not (copy / ".t2c").exists()
        assert git(repo, "worktree", "list") == said, "Git does not list the copy"
    with scratch_copy((repo / "src", "main")) as copy:
        assert set(content(copy)) == {"deep/code.py"}
    assert whole(repo / "src") == before and leftovers(place) == []
    with pytest.raises(Usage), scratch_copy((repo, "nothing")):
        pass
    (repo / "later").mkdir()
    with pytest.raises(Usage, match="no folder"), scratch_copy((repo / "later", "HEAD")):
        pass


@pytest.mark.parametrize("room", [Room(3, 1 << 20), Room(1000, 20)])
def test_a_tree_beyond_the_limit_is_refused(repo: Path, place: Path, room: Room) -> None:
    for source in (repo, (repo, "HEAD")):
        with pytest.raises(Refused, match="too large"), scratch_copy(source, room=room):
            pass
    assert leftovers(place) == []


def test_a_place_for_temporary_files_inside_the_tree_is_refused(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(repo / "tmp"))
    with pytest.raises(Environment, match="inside"), scratch_copy(repo):
        pass


def test_files_are_copied_whole_also_where_no_blocks_can_be_shared(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = os.urandom(3 << 20)
    (repo / "big").write_bytes(big)
    with scratch_copy(repo) as copy:
        assert (copy / "big").read_bytes() == big
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    monkeypatch.setattr(copies.sys, "platform", "other")
    with scratch_copy(repo) as copy:
        assert (copy / "big").read_bytes() == big


def test_files_are_laid_over_the_copy(repo: Path) -> None:
    overlay = {
        "a.txt": b"laid\n", "run.sh": b"#!/bin/sh\necho other\n", "src/deep/code.py": None, "inner": b"a file now\n",
        "tests/new/test_x.py": b"def test(): pass\n", "src/deep": b"a file where a folder was\n",
    }  # fmt: skip
    before = whole(repo)
    with scratch_copy(repo, overlay) as copy:
        found = content(copy)
    assert set(found) == SEEN - {"src/deep/code.py"} | {"tests/new/test_x.py", "src/deep"}
    assert found["a.txt"] == (b"laid\n", False)
    assert found["run.sh"] == (b"#!/bin/sh\necho other\n", True)
    assert found["inner"] == (b"a file now\n", False)
    assert whole(repo) == before


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/.", "a/", ".git/config", "x/.git/hooks/y", ".GIT/config",
        ".g\u200cit/config", ".git /config", ".t2c/journal.ndjson", "a/.dwp/x", "a\0b", "\ud800", "x" * 300,
        "ü" * 128, "a/" * 100 + "x", "a/" * 2500 + "x.py", "/".join(["x" * 200] * 5),
        "a.txt/b", "src", "link/x", "link/y/z", "nolink/x",
    ],
)  # fmt: skip
def test_an_overlay_never_leaves_the_copy(repo: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside").mkdir()
    (repo / "link").symlink_to("src")
    (repo / "nolink").symlink_to(tmp_path / "outside")
    before = whole(tmp_path / "outside"), whole(repo)
    if path == "nolink/x":  # the link is not in the copy, so this is a folder like any other
        with scratch_copy(repo, {path: b"x"}) as copy:
            assert (copy / path).read_bytes() == b"x"
    else:
        with pytest.raises(Usage), scratch_copy(repo, {path: b"x"}):
            pass
    assert (whole(tmp_path / "outside"), whole(repo)) == before


@pytest.mark.parametrize("path", ["nothing", "no/thing", "src", "link/deep"])
def test_only_a_file_that_is_there_can_be_removed(repo: Path, path: str) -> None:
    (repo / "link").symlink_to("src")
    with pytest.raises(Usage), scratch_copy(repo, {path: None}):
        pass


@settings(max_examples=50, deadline=None)
@given(st.text("./ab\0\\:~", max_size=12))
def test_what_no_objection_is_made_to_stays_below_the_root(path: str) -> None:
    if overlay_problem(path) is None:
        assert os.path.normpath(f"/root/{path}") == f"/root/{path}"
        assert "\0" not in path


def test_an_error_inside_leaves_nothing_behind(repo: Path, place: Path) -> None:
    with pytest.raises(KeyError), scratch_copy(repo) as copy:
        (copy / "shut").mkdir(mode=0)
        raise KeyError
    assert leftovers(place) == []


@pytest.fixture
def shallow() -> Iterator[int]:
    """No function may call itself as often as folders are deep here."""
    levels, before = 150, sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + levels)
    yield levels
    sys.setrecursionlimit(before)


def deep(folder: Path, levels: int) -> None:
    """Folders in folders, as deep as no path can tell."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT, 0, dir_fd=here))
    os.close(here)


def test_folders_of_any_depth_are_removed(repo: Path, place: Path, tmp_path: Path, shallow: int) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    with scratch_copy(repo) as copy:
        deep(copy, shallow)
        (copy / "t2c-0" / "t2c-1" / "x").mkdir(parents=True)
        (copy / "t2c-0" / "link").symlink_to(tmp_path / "kept")
        (copy / "t2c-0" / "t2c-1").chmod(0)
        (copy / "t2c-0").chmod(0o500)
    assert leftovers(place) == []
    assert (tmp_path / "kept" / "file").exists()
    left = place / f"{PREFIX}left"
    left.mkdir()
    deep(left, shallow)
    sweep_folders()
    assert leftovers(place) == []


def test_a_tree_of_deep_folders_is_copied(tmp_path: Path, shallow: int) -> None:
    root = tmp_path / "repo"
    place = root / "/".join("d" * shallow)
    at = root
    at.mkdir()
    for part in place.relative_to(root).parts:
        at = at / part
        at.mkdir()
    (place / "file").write_text("there\n")
    (place / "out").symlink_to("/etc")
    with scratch_copy(root) as copy:
        assert (copy / place.relative_to(root) / "file").read_text() == "there\n"
        assert not (copy / place.relative_to(root) / "out").is_symlink()
    assert surface(root, ["d"]) != surface(root, ["e"])


def test_what_cannot_be_read_is_told(repo: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("everything can be read by root")
    (repo / "new ü.txt").chmod(0)
    with pytest.raises(Environment, match="cannot be made"), scratch_copy(repo):
        pass
