"""Claims, with real Git: the merge driver is one that can be run; `t2c doctor` sees one that cannot, a merge of the
journal that is undone, and, as `t2c init` does, a checkout that would overwrite an ignored ledger.

Mutations seen to fail: the bare name written whatever is on the PATH; the driver not looked for; the index not asked;
refs of a folder below the top looked for at the top.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TRACKS = "tracks one at the same place"


class Repository:
    """A repository whose PATH holds Git and the shell, and no t2c."""

    def __init__(self, t2c: Any, tools: Path) -> None:
        self.t2c = t2c
        self.root: Path = t2c.root
        tools.mkdir()
        for name in ("git", "sh", "env"):
            (tools / name).symlink_to(str(shutil.which(name)))
        t2c.environ["PATH"] = str(tools)
        for name in ("AUTHOR", "COMMITTER"):
            t2c.environ |= {f"GIT_{name}_NAME": "Ada", f"GIT_{name}_EMAIL": "ada@example.org"}
        (self.root / ".git").rmdir()
        self.git("init", "-q", "-b", "main", ".")

    def run(self, *arguments: str) -> Any:
        done = self.t2c(*arguments)
        assert done.code == 0, done.err
        return done

    def git(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(shutil.which("git")), *arguments],
            cwd=self.root,
            env=self.t2c.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not ok or done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done

    def track(self) -> None:
        self.run("init", "--track")
        self.run("init", "--git-merge-driver", "--write")
        self.commit("begin")

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def branches(self, *names: str) -> None:
        """Each branch has an event of its own; the last one stays checked out."""
        for name in names:
            self.git("switch", "-q", "-c", name, "main")
            self.run("ledger", "append", "--statement", f"said on {name}")
            self.commit(name)

    def statements(self) -> list[str]:
        events = self.run("ledger", "log", "--json").document["events"]
        return sorted(event["data"]["statement"] for event in events if event["type"] == "observation.noted")

    def check(self, name: str) -> dict[str, str]:
        checks = self.t2c("doctor", "--json").document["checks"]
        found: dict[str, str] = next(check for check in checks if check["name"] == name)
        return found


@pytest.fixture
def repository(t2c: Any, tmp_path: Path) -> Repository:
    return Repository(t2c, tmp_path / "tools")


def put_on_path(repository: Repository, tmp_path: Path, script: str) -> Path:
    tool = tmp_path / "tools" / "t2c"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return tool


class TestDriver:
    def driver(self, repository: Repository) -> list[str]:
        return shlex.split(repository.git("config", "merge.t2c.driver").stdout)

    def test_without_t2c_on_the_path_git_is_told_where_it_is(self, repository: Repository) -> None:
        repository.run("init", "--track")
        printed = repository.run("init", "--git-merge-driver")
        assert "t2c is not on the PATH: Git is told to run" in printed.err
        repository.track()
        assert self.driver(repository)[0].startswith("/")
        assert repository.check("merges")["status"] == "ok"
        repository.branches("one", "two")
        repository.git("merge", "-q", "-m", "join", "one")
        assert repository.statements() == ["said on one", "said on two"]

    def test_the_name_is_enough_for_the_same_program(self, repository: Repository, tmp_path: Path) -> None:
        put_on_path(repository, tmp_path, f'exec {sys.executable} -m t2c.cli "$@"')
        repository.track()
        assert self.driver(repository) == ["t2c", "ledger", "merge-driver", "%O", "%A", "%B", "%P"]
        assert repository.run("init", "--git-merge-driver", "--json").document["why"] is None

    @pytest.mark.parametrize("script", ["echo t2c 0.0.1", "exit 3"])
    def test_another_program_of_that_name_is_not_taken(
        self, repository: Repository, tmp_path: Path, script: str
    ) -> None:
        tool = put_on_path(repository, tmp_path, script)
        repository.run("init", "--track")
        said = repository.run("init", "--git-merge-driver", "--write").err
        assert f"the t2c on the PATH, {tool}, is another program" in said
        assert self.driver(repository)[0] not in ("t2c", str(tool))

    def test_the_doctor_names_a_driver_that_cannot_be_run_and_what_became_of_the_merge(
        self, repository: Repository
    ) -> None:
        repository.track()
        repository.git("config", "merge.t2c.driver", "t2c ledger merge-driver %O %A %B %P")
        found = repository.check("merges")
        assert found["status"] == "note"
        assert "the merge driver of this clone cannot be run: t2c is not found" in found["detail"]
        repository.branches("one", "two")
        assert repository.git("merge", "-m", "join", "one", ok=False).returncode != 0
        found = repository.check("merges")
        assert found["status"] == "note"
        assert "Git did not merge the journal" in found["detail"]
        by_hand(repository, found["remedy"])
        assert repository.check("merges")["detail"].startswith("the merge driver of this clone cannot")
        assert repository.statements() == ["said on one", "said on two"]


def by_hand(repository: Repository, remedy: str) -> None:
    """Do as the doctor says."""
    command = shlex.join(map(str, repository.t2c.command))
    done = subprocess.run(
        remedy.replace("t2c ledger", f"{command} ledger"),
        shell=True,
        cwd=repository.root,
        env=repository.t2c.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_an_octopus_merge_leaves_its_marks_and_the_doctor_names_every_head(repository: Repository) -> None:
    """Git calls no drivers there, and its MERGE_HEAD alone would be the first of them."""
    repository.track()
    repository.branches("one", "two")
    repository.git("switch", "-q", "main")
    # The programs that Git's octopus strategy is made of.
    environ = repository.t2c.environ
    environ["PATH"] = f"{environ['PATH']}:{os.environ['PATH']}"
    assert repository.git("merge", "-m", "join", "one", "two", ok=False).returncode == 1
    verified = repository.t2c("ledger", "verify")
    assert verified.code != 0
    assert "conflict_marker" in verified.out
    found = repository.check("merges")
    assert found["remedy"].count("t2c ledger merge git:") == 2
    by_hand(repository, found["remedy"])
    repository.commit("joined")
    assert repository.statements() == ["said on one", "said on two"]


class TestExpendable:
    @pytest.fixture
    def private(self, repository: Repository, t2c: Any) -> Repository:
        """`main` has no ledger, `team` tracks one."""
        (repository.root / "TODO.md").write_text("- [ ] ship it\n")
        repository.commit("begin without")
        repository.git("switch", "-q", "-c", "team")
        repository.run("init", "--track")
        repository.commit("track")
        repository.git("switch", "-q", "main")
        shutil.rmtree(repository.root / ".t2c", ignore_errors=True)
        return repository

    def test_init_and_the_doctor_warn(self, private: Repository) -> None:
        made = private.run("init")
        assert TRACKS in made.err
        assert "team" in made.err
        assert "team" in private.run("init", "--json").document["expendable"]
        found = private.check("tracking")
        assert found["status"] == "note"
        assert TRACKS in found["detail"]
        # What is warned of is what happens.
        mine = (private.root / ".t2c" / "journal.ndjson").read_bytes()
        private.git("switch", "-q", "team")
        assert (private.root / ".t2c" / "journal.ndjson").read_bytes() != mine
        assert private.check("tracking")["status"] == "ok"

    def test_a_ref_of_elsewhere_counts(self, private: Repository) -> None:
        private.git("update-ref", "refs/remotes/origin/team", "team")
        private.git("branch", "-q", "-D", "team")
        private.run("init")
        assert "origin/team tracks" in private.check("tracking")["detail"]

    def test_without_such_a_ref_there_is_no_warning(self, private: Repository) -> None:
        private.git("branch", "-q", "-D", "team")
        made = private.run("init")
        assert TRACKS not in made.err
        assert private.run("init", "--json").document["expendable"] is None
        assert private.check("tracking")["status"] == "ok"

    def test_only_the_same_place_counts(self, private: Repository) -> None:
        below = private.root / "below"
        below.mkdir()
        private.run("--root", "below", "init")
        found = private.t2c("--root", "below", "doctor", "--json").document["checks"]
        assert next(check for check in found if check["name"] == "tracking")["status"] == "ok"

    def test_the_newest_200_refs_are_asked(self, private: Repository) -> None:
        begun = private.git("rev-parse", "main").stdout.strip()
        private.git("commit", "-q", "--allow-empty", "-m", "later", "--date=2099-01-01T00:00:00Z")
        environ = dict(private.t2c.environ)
        private.t2c.environ["GIT_COMMITTER_DATE"] = "2099-01-01T00:00:00Z"
        private.git("commit", "-q", "--allow-empty", "-m", "latest")
        private.t2c.environ = environ
        latest = private.git("rev-parse", "main").stdout.strip()
        assert latest != begun
        packed = "".join(f"{latest} refs/heads/b{number:03}\n" for number in range(200))
        (private.root / ".git" / "packed-refs").write_text(packed)
        private.run("init")
        found = private.check("tracking")
        assert found["status"] == "ok"
        assert "older ones were not asked" in found["detail"]

    @pytest.mark.parametrize("command", [("scan",), ("ledger", "append", "--statement", "mine")])
    def test_what_makes_a_ledger_by_the_way_warns_too(
        self, private: Repository, command: tuple[str, ...]
    ) -> None:
        made = private.run(*command)
        assert "made ledger" in made.out + made.err
        assert f"team {TRACKS}" in made.err
        assert TRACKS not in private.run(*command).err


def test_a_stash_that_could_not_be_brought_back_is_named(repository: Repository) -> None:
    repository.track()
    repository.git("config", "merge.t2c.driver", "t2c ledger merge-driver %O %A %B %P")
    repository.run("ledger", "append", "--statement", "set aside")
    repository.git("stash")
    repository.run("ledger", "append", "--statement", "said on main")
    repository.commit("work")
    popped = repository.git("stash", "pop", ok=False)
    assert popped.returncode != 0
    assert "CONFLICT" in popped.stdout, popped.stderr
    found = repository.check("merges")
    assert "t2c ledger merge git:stash" in found["remedy"]
    by_hand(repository, found["remedy"])
    assert repository.statements() == ["said on main", "set aside"]
