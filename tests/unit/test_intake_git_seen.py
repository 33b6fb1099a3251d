"""A history that looks as it was seen is not read again; whatever changes it is noticed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.ledger.intake import git as history_module
from t2c.ledger.intake import git_changes
from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.git import History, history_stands, read_history


class Repo:
    """A real repository whose commits have fixed people and times."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        people = {
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@x", "GIT_AUTHOR_DATE": "2026-01-05T23:30:00+05:30",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@x", "GIT_COMMITTER_DATE": "2026-01-06T08:00:00+00:00",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **people}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, message: str, **files: str | bytes) -> str:
        for name, content in files.items():
            target = self.path / name.replace("__", "/").replace("_", ".")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A", "--", *(str(path.name) for path in self.path.iterdir() if path.name != ".git"))
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit("one", a_py="1\n")
    made.commit("two", b_py="2\n")
    return made


def known(history: History) -> frozenset[str]:
    read = {draft.revision for draft in history.reading.records if draft.revision}
    return frozenset(read | history.standing)


def stands(root: Path, history: History) -> bool:
    assert history.seen is not None
    return history_stands(root, history.seen, known(history))


CHANGES: dict[str, Callable[[Repo], object]] = {
    "commit": lambda repo: repo.commit("three", a_py="3\n"),
    "amend": lambda repo: repo.git("commit", "-q", "--amend", "-m", "other"),
    "reset": lambda repo: repo.git("reset", "-q", "--hard", "HEAD~1"),
    "switch": lambda repo: repo.git("switch", "-q", "-c", "topic"),
    "detach": lambda repo: repo.git("checkout", "-q", "--detach"),
    "tag": lambda repo: repo.git("tag", "v1.0"),
    "nested tag": lambda repo: repo.git("tag", "a/b/c"),
    "replace": lambda repo: repo.git("replace", "HEAD", "HEAD~1"),
    "graft": lambda repo: (repo.path / ".git/info/grafts").write_text(repo.git("rev-parse", "HEAD") + "\n"),
    "names": lambda repo: (repo.path / ".mailmap").write_text("Ada L <a@x>\n"),
    "packed": lambda repo: repo.git("pack-refs", "--all"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_changes_a_history_is_noticed(repo: Repo, name: str) -> None:
    (repo.path / ".git/info").mkdir(exist_ok=True)
    first = read_history(repo.path)
    assert stands(repo.path, first)
    CHANGES[name](repo)
    assert not stands(repo.path, first)
    second = read_history(repo.path, known=known(first), seen=first.seen)
    assert not second.unchanged
    cold = read_history(repo.path)
    assert second.head == cold.head
    assert (second.branch, second.total) == (cold.branch, cold.total)
    assert known(second) == known(cold)
    assert set(second.reading.warnings) == set(cold.reading.warnings)
    assert stands(repo.path, second)


def test_what_is_no_part_of_a_history_changes_nothing(repo: Repo) -> None:
    first = read_history(repo.path)
    (repo.path / "a.py").write_text("edited\n")
    repo.git("add", "a.py")
    repo.git("branch", "other")
    repo.git("repack", "-q", "-a", "-d")
    assert stands(repo.path, first)
    assert read_history(repo.path, known=known(first), seen=first.seen).reading.records == ()


def test_it_stands_only_for_the_ledger_that_recorded_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_history(repo.path)
    assert first.seen is not None
    assert not history_stands(repo.path, first.seen, frozenset())
    assert not history_stands(repo.path, first.seen, known(first) | {"f" * 40})
    assert not history_stands(repo.path, first.seen, known(first), limit=5)
    again = read_history(repo.path, known=frozenset(), seen=first.seen)
    assert len(again.reading.records) == 2
    monkeypatch.setattr(history_module, "_RULES", "t2c/git@5")
    assert not history_stands(repo.path, first.seen, known(first))


def test_a_limit_is_part_of_what_was_seen(repo: Repo) -> None:
    first = read_history(repo.path, limit=1)
    assert first.seen is not None
    assert history_stands(repo.path, first.seen, known(first), limit=1)
    same = read_history(repo.path, limit=1, known=known(first), seen=first.seen)
    assert [item.reason for item in same.reading.warnings] == ["older_commits"]
    more = read_history(repo.path, known=known(first), seen=first.seen)
    assert [draft.text for draft in more.reading.records] == ["one"]


def test_worktrees_subfolders_and_submodules_have_their_own(repo: Repo, tmp_path: Path) -> None:
    repo.commit("below", pkg__c_py="3\n")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "topic", str(linked), "HEAD~1")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "inner")
    repo.commit("with a submodule")
    for root, texts in {
        linked: ["two", "one"],
        repo.path / "pkg": ["below"],
        repo.path / "inner": ["below", "two", "one"],
    }.items():
        first = read_history(root)
        assert sorted(draft.text for draft in first.reading.records) == sorted(texts)
        assert stands(root, first)
        assert read_history(root, known=known(first), seen=first.seen).unchanged
    first = read_history(linked)
    other = Repo(tmp_path / "other")
    other.path.joinpath("x").write_text("")
    assert first.seen is not None
    assert not history_stands(other.path, first.seen, known(first))
    repo.git("-C", str(linked), "commit", "-q", "--allow-empty", "-m", "there")
    assert not stands(linked, first)
    below = read_history(repo.path / "pkg")
    repo.commit("below again", pkg__d_py="4\n")
    later = read_history(repo.path / "pkg", known=known(below), seen=below.seen)
    assert [draft.text for draft in later.reading.records] == ["below again"]
    repo.commit("beside", e_py="5\n")
    beside = read_history(repo.path / "pkg", known=known(later), seen=later.seen)
    assert (beside.reading.records, beside.total) == ((), later.total)


def test_a_shallow_clone_stands_until_it_is_deepened(repo: Repo, tmp_path: Path) -> None:
    repo.commit("three", a_py="3\n")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(clone))
    first = read_history(clone)
    assert stands(clone, first)
    same = read_history(clone, known=known(first), seen=first.seen)
    assert (same.shallow, same.reachable, same.reading.complete) == (True, None, False)
    assert [item.reason for item in same.reading.warnings] == ["shallow_history"]
    repo.git("-C", str(clone), "fetch", "-q", "--unshallow")
    whole = read_history(clone, known=known(first), seen=first.seen)
    assert sorted(draft.text for draft in whole.reading.records) == ["one", "two"]
    assert (whole.shallow, whole.reading.warnings) == (False, ())


def test_nothing_is_seen_where_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert read_history(tmp_path / "plain").seen is None
    empty = Repo(tmp_path / "empty")
    assert read_history(empty.path).seen is None
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/.git").write_text("nonsense")
    assert read_history(tmp_path / "broken").seen is None


def test_a_lost_head_is_read_from_the_start(repo: Repo) -> None:
    """What HEAD was when it was seen may be gone from the repository."""
    first = read_history(repo.path)
    repo.git("commit", "-q", "--amend", "-m", "other")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    second = read_history(repo.path, known=known(first), seen=first.seen)
    assert [draft.text for draft in second.reading.records] == ["other"]
    assert second.reachable is not None
    assert first.head not in second.reachable
    assert second.reading.complete


# --- what commits changed -----------------------------------------------------------------------------------


def first_of(root: Path) -> Draft:
    return next(draft for draft in read_history(root).reading.records)


def test_submodules_are_no_files(repo: Repo) -> None:
    one, two = "1" * 40, "2" * 40

    def commit(*arguments: str) -> Draft:
        repo.git("update-index", *arguments)
        repo.git("commit", "-q", "-m", "move")
        head = repo.git("rev-parse", "HEAD")
        return next(draft for draft in read_history(repo.path).reading.records if draft.revision == head)

    added = commit("--add", "--cacheinfo", f"160000,{one},lib/inner")
    assert added.metadata["submodules"] == [{"path": "lib/inner", "from": None, "to": one}]
    assert (added.paths, added.metadata["filesChanged"], added.metadata["additions"]) == ((), 0, 0)
    assert added.basis == ("heuristic_action_dictionary", "commit_message")
    assert added.metadata["docOnly"] is False
    moved = commit("--cacheinfo", f"160000,{two},lib/inner")
    assert moved.metadata["submodules"] == [{"path": "lib/inner", "from": one, "to": two}]
    renamed = commit("--force-remove", "lib/inner", "--add", "--cacheinfo", f"160000,{two},lib/other")
    assert renamed.metadata["submodules"] == [{"path": "lib/other", "from": two, "to": two}]
    gone = commit("--force-remove", "lib/other")
    assert gone.metadata["submodules"] == [{"path": "lib/other", "from": two, "to": None}]
    instead = commit("--cacheinfo", f"160000,{two},a.py")
    assert instead.metadata["submodules"] == [{"path": "a.py", "from": None, "to": two}]
    assert instead.metadata["changedFiles"] == [{"status": "D", "path": "a.py"}]
    assert "submodules" not in read_history(repo.path).reading.records[-1].metadata


def test_files_whose_lines_are_not_counted_are(repo: Repo) -> None:
    repo.commit("three", a_py="1\n2\n", data_bin=b"\0\1", big_txt="x\n" * 600_000)
    draft = next(draft for draft in read_history(repo.path).reading.records if draft.text == "three")
    assert (draft.metadata["filesUncounted"], draft.metadata["additions"]) == (2, 1)


def test_two_processes_give_what_one_gives(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(23):
        repo.commit(f"c{number}", **{f"f{number % 5}_py": f"{number}\n"})
    plain = read_history(repo.path)
    monkeypatch.setattr(git_changes, "_TWO_FROM", 2)
    for block in (1, 2, 7, 24, 25, 26):
        monkeypatch.setattr(git_changes, "_BLOCK", block)
        assert read_history(repo.path) == plain, block
    blob = repo.git("rev-parse", "HEAD~3:f4.py")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (repo.path / ".git/index").unlink()
    one = read_history(repo.path)
    assert one != plain
    monkeypatch.setattr(git_changes, "_TWO_FROM", 1000)
    assert read_history(repo.path) == one


def test_the_notes_of_a_dependency_cite_nothing_of_ours(repo: Repo) -> None:
    repo.commit(
        "Bump thing from 1.2.0 to 1.3.0 (#77)\n\nBumps thing.\n<details>\n<summary>Release notes</summary>\n\n"
        "## 1.2.5\nfix #4 and #5\n</details>\n\nSigned-off-by: bot <b@x>"
    )
    draft = next(draft for draft in read_history(repo.path).reading.records if draft.tickets)
    assert (draft.tickets, draft.versions) == (("#77",), ("1.2.0", "1.3.0"))
    assert draft.metadata["trailers"] == [{"key": "Signed-off-by", "value": "bot"}]


def test_many_trailers_are_counted(repo: Repo) -> None:
    repo.commit("many\n\n" + "\n".join(f"Acked-by: N{number}" for number in range(60)) + "\nand a line")
    history = read_history(repo.path)
    draft = next(draft for draft in history.reading.records if draft.text == "many")
    assert len(draft.metadata["trailers"]) == 50
    told = {item.reason: item.count for item in history.reading.warnings}
    assert told == {"many_trailers": 10, "unparsed_trailers": 1}
    assert draft.metadata["trailersUnparsed"] == 1
