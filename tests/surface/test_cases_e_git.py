"""Cases 37 to 43 on real repositories: encodings, shallow clones, other people's folders, journals in branches."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

AUTHOR = {
    "GIT_AUTHOR_NAME": "Ada Test",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada Test",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(root: Path, *arguments: str, input: bytes | None = None, ok: bool = True) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), **AUTHOR}
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=environ, capture_output=True, input=input, check=False
    )
    assert done.returncode == 0 or not ok, done.stderr
    return done.stdout.decode("utf-8", "replace")


def commit(root: Path, message: bytes, *settings: str) -> None:
    git(root, *settings, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", input=message)


def commits(t2c: Any, *more: str, cwd: Path | None = None) -> Any:
    ran = t2c("extract", "git", "--json", *more, cwd=cwd)
    assert ran.code == 0, ran.err
    return ran.document


def scan(t2c: Any, *more: str) -> Any:
    ran = t2c("scan", "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document


def events(t2c: Any, name: str) -> list[Any]:
    return [event["data"] for event in t2c("ledger", "log", "--type", name, "--jsonl").lines]


@pytest.fixture
def repo(t2c: Any) -> Path:
    root: Path = t2c.root
    git(root, "init", "-q", "-b", "main")
    return root


@pytest.mark.parametrize(
    ("encoding", "raw", "said"),
    [
        ("ISO-8859-1", b"fix: caf\xe9", "fix: café"),
        ("ISO-8859-2", b"fix: \xb3\xf3d\xbc i \xbf\xf3\xb3w", "fix: łódź i żółw"),
        ("windows-1250", b"fix: za\xbf\xf3\xb3\xe6 g\xea\x9cl\xb9", "fix: zażółć gęślą"),
        ("KOI8-R", b"fix: \xcb\xcf\xc6\xc5", "fix: кофе"),
        ("Shift_JIS", "fix: 日本".encode("shift_jis"), "fix: 日本"),
    ],
)
def test_case_37_the_declared_encoding_decides(
    t2c: Any, repo: Path, encoding: str, raw: bytes, said: str
) -> None:
    commit(repo, raw + b"\n\nbody: " + raw + b"\n", "-c", f"i18n.commitEncoding={encoding}")
    commit(repo, b"fix: plain\n")
    texts = [item["statement"]["text"] for item in commits(t2c)["records"]]
    assert sorted(texts) == sorted([said, "fix: plain"])
    assert scan(t2c)["records"]["git"] == 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"fix: it\x92s here", "fix: it\\x92s here"),
        (b"fix: caf\xe9", "fix: caf\\xe9"),
        (b"fix: \xff\xfe wide and \xc5\x82 good", "fix: \\xff\\xfe wide and ł good"),
    ],
)
def test_case_37_stray_bytes_are_kept_and_flagged(t2c: Any, repo: Path, raw: bytes, said: str) -> None:
    body = repo.parent / "object"
    tree = git(repo, "mktree", input=b"").strip()
    who = b"Ada Test <ada@example.org> 1772323200 +0000"
    body.write_bytes(
        b"tree "
        + tree.encode()
        + b"\nauthor "
        + who
        + b"\ncommitter "
        + who
        + b"\nencoding UTF-8\n\n"
        + raw
        + b"\n"
    )
    sha = git(repo, "hash-object", "-t", "commit", "-w", str(body)).strip()
    git(repo, "update-ref", "refs/heads/main", sha)
    document = commits(t2c)
    (record,) = document["records"]
    assert record["statement"]["text"] == said
    assert record["metadata"]["undecodable"] == "UTF-8"
    rebuilt = re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), said.encode())
    assert rebuilt == raw
    (warning,) = document["warnings"]
    assert (warning["path"], warning["reason"], warning["count"]) == (
        f"commit:{sha}",
        "undecodable_message",
        1,
    )
    assert scan(t2c)["omissions"] == {"undecodable_message": 1}
    assert t2c("scan", "--strict").code == 1


def history(repo: Path) -> None:
    (repo / "TODO.md").write_text("- [ ] Add `lock_door()` (#7)\n- [ ] Dodać `open_door()`\n")
    git(repo, "add", "TODO.md")
    commit(repo, b"docs: the plan\n")
    (repo / "door.py").write_text("def lock_door():\n    return 1\n")
    git(repo, "add", "door.py")
    commit(repo, b"feat: lock the door (#7)\n")
    for number in range(6):
        commit(repo, b"chore: number %d\n" % number)


@pytest.mark.parametrize("depth", [1, 3])
def test_case_39_a_shallow_clone_says_that_its_history_is_cut(t2c: Any, repo: Path, depth: int) -> None:
    whole = repo.parent / "whole"
    whole.mkdir()
    git(whole, "init", "-q", "-b", "main")
    history(whole)
    shutil.rmtree(repo)
    git(repo.parent, "clone", "-q", "--depth", str(depth), f"file://{whole}", str(repo))
    ran = t2c("scan", "--json")
    assert ran.code == 0, ran.err
    assert ran.document["omissions"]["shallow_history"] == 1
    assert ran.document["stages"]["git"] == "partial", "what is absent from it is not known to be absent"
    (noted,) = [item for item in events(t2c, "omission.noted") if item["reason"] == "shallow_history"]
    assert "git fetch --unshallow" in noted["detail"]
    assert events(t2c, "run.finished")[-1]["status"] == "partial"
    strict = t2c("scan", "--strict", "--json")
    assert strict.code == 1
    found = t2c("extract", "git", "--json")
    assert [item["reason"] for item in found.document["warnings"]] == ["shallow_history"]
    assert found.document["audit"]["status"] == "partial"
    assert t2c("extract", "git", "--strict").code == 1
    summary = (repo / ".t2c" / "projections" / "summary" / "summary.md").read_text()
    assert "shallow_history" in summary
    git(repo, "fetch", "-q", "--unshallow")
    cured = scan(t2c)
    assert "shallow_history" not in cured["omissions"]
    assert cured["stages"]["git"] == "succeeded"
    assert cured["records"]["git"] == 8
    assert t2c("scan", "--strict").code == 0


def test_case_39_a_clone_that_became_shallow_retracts_nothing(t2c: Any, repo: Path) -> None:
    history(repo)
    first = scan(t2c)
    head = git(repo, "rev-parse", "HEAD~1").strip()
    (repo / ".git" / "shallow").write_text(head + "\n")
    second = scan(t2c)
    assert second["records"]["git"] == first["records"]["git"] == 8
    assert second["omissions"]["shallow_history"] == 1
    assert events(t2c, "record.retracted") == []


OTHER = 54_321
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="a folder can be given away by root alone"
)


def given_away(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        os.lchown(path, OTHER, OTHER)


@as_root
@pytest.mark.parametrize("settings", [None, "[user]\n\tname = Someone\n"])
def test_case_41_a_folder_of_another_user_ends_in_one_clear_error(
    t2c: Any, repo: Path, settings: str | None
) -> None:
    history(repo)
    given_away(repo)
    config = t2c.home / ".gitconfig"
    if settings is not None:
        config.write_text(settings)
    for command in (("extract", "git", "--json"), ("extract", "all", "--json"), ("scan", "--json")):
        ran = t2c(*command)
        assert ran.code == 6, command
        complaints = [line for line in ran.err.splitlines() if line.startswith("error:")]
        assert complaints == [f"error: Git refuses {repo}: another user owns it"], command
        assert "Traceback" not in ran.err
        if command[0] == "scan":
            assert ran.document["stages"]["git"] == "failed"
            assert ran.document["records"] == {"ast": 2, "todo": 2}, "what is no history is complete"
        else:
            assert ran.document["audit"]["status"] == "failed"
            assert not [item for item in ran.document["records"] if item["source"]["kind"] == "git"]
        assert (config.read_text() if config.exists() else None) == settings
        assert not (t2c.home / ".config" / "git").exists()
    assert not (repo / ".git" / "config.lock").exists()
    told = t2c("scan")
    assert told.code == 6
    assert told.err.count("error:") == 1
    remedy = told.err.partition("run: ")[2].splitlines()[0]
    assert remedy == f"git config --global --add safe.directory {shlex.quote(str(repo))}"
    subprocess.run(shlex.split(remedy), env=t2c.environ, check=True)
    assert scan(t2c)["records"]["git"] == 8


@as_root
def test_case_41_nothing_recorded_of_the_history_is_taken_back(t2c: Any, repo: Path) -> None:
    history(repo)
    before = scan(t2c)["records"]
    commit(repo, b"chore: one more\n")
    given_away(repo)
    ran = t2c("scan", "--json")
    assert ran.code == 6
    assert ran.document["records"] == before
    assert events(t2c, "record.retracted") == []


STATEMENTS = ["first of ours", "second of ours", "pierwsze ich", "drugie ich"]


@pytest.fixture
def worktrees(t2c: Any, repo: Path) -> tuple[Path, Path]:
    """A tracked journal in two worktrees, of which each appended two events."""
    other = repo.parent / "other"
    assert t2c("init", "--track").code == 0
    (repo / ".t2c" / ".gitattributes").unlink()
    git(repo, "add", "-A")
    commit(repo, b"start\n")
    git(repo, "worktree", "add", "-q", str(other), "-b", "side")
    for number, (root, name) in enumerate(((repo, "ours"), (other, "theirs"))):
        for statement in STATEMENTS[2 * number : 2 * number + 2]:
            assert t2c("ledger", "append", "--statement", statement, cwd=root).code == 0
        git(root, "add", "-A")
        commit(root, name.encode())
    return repo, other


def stated(t2c: Any) -> list[str]:
    return [item["statement"] for item in events(t2c, "observation.noted")]


def faults(t2c: Any) -> set[str]:
    ran = t2c("ledger", "verify", "--json")
    assert ran.code == 1
    return {item["kind"] for item in ran.document["faults"]}


def refused(t2c: Any, kind: str) -> None:
    """No command goes on from such a journal: it says which of the two it is, and how to come out of it."""
    journal = t2c.root / ".t2c" / "journal.ndjson"
    before = journal.read_bytes()
    for command in (("scan", "--json"), ("ledger", "append", "--statement", "x", "--json")):
        ran = t2c(*command)
        assert ran.code == 5
        assert ran.document["error"]["details"]["kind"] == kind
        assert "t2c ledger merge git:" in ran.document["error"]["remedy"]
    assert journal.read_bytes() == before


def test_case_43_conflict_markers_in_a_journal_are_named(t2c: Any, worktrees: tuple[Path, Path]) -> None:
    ours, _ = worktrees
    git(ours, "merge", "side", ok=False)
    assert b"<<<<<<<" in (ours / ".t2c" / "journal.ndjson").read_bytes()
    assert "conflict_marker" in faults(t2c)
    refused(t2c, "conflict_marker")
    git(ours, "restore", "--source=HEAD", "--staged", "--worktree", ".t2c")
    merged = t2c("ledger", "merge", "git:MERGE_HEAD", "--json")
    assert merged.code == 0, merged.err
    assert stated(t2c) == STATEMENTS
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    assert t2c("ledger", "merge", "git:MERGE_HEAD").code == 0
    assert stated(t2c) == STATEMENTS, "the same merge again appends nothing"


def test_case_43_a_union_merge_is_named(t2c: Any, worktrees: tuple[Path, Path]) -> None:
    ours, _ = worktrees
    (ours / ".git" / "info").mkdir(exist_ok=True)
    (ours / ".git" / "info" / "attributes").write_text(".t2c/journal.ndjson merge=union\n")
    git(ours, "merge", "-q", "-m", "union", "side")
    assert "fork" in faults(t2c)
    refused(t2c, "fork")
    git(ours, "restore", "--source=HEAD^", "--staged", "--worktree", ".t2c")
    assert t2c("ledger", "merge", "git:side").code == 0
    assert stated(t2c) == STATEMENTS
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_case_43_the_folder_of_another_worktree_is_taken_in(t2c: Any, worktrees: tuple[Path, Path]) -> None:
    _, other = worktrees
    assert t2c("ledger", "merge", other).code == 0
    assert stated(t2c) == STATEMENTS
    assert scan(t2c)["seq"] > 4
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_case_43_by_default_git_merges_no_chain_as_text(t2c: Any, repo: Path) -> None:
    other = repo.parent / "other"
    assert t2c("init", "--track").code == 0
    (repo / ".gitattributes").write_text("* merge=union text=auto\n")
    git(repo, "add", "-A")
    commit(repo, b"start\n")
    git(repo, "worktree", "add", "-q", str(other), "-b", "side")
    for number, root in enumerate((repo, other)):
        for statement in STATEMENTS[2 * number : 2 * number + 2]:
            assert t2c("ledger", "append", "--statement", statement, cwd=root).code == 0
        git(root, "add", "-A")
        commit(root, b"events")
    before = (repo / ".t2c" / "journal.ndjson").read_bytes()
    git(repo, "merge", "side", ok=False)
    assert (repo / ".t2c" / "journal.ndjson").read_bytes() == before
    assert t2c("ledger", "merge", "git:MERGE_HEAD").code == 0
    assert stated(t2c) == STATEMENTS
