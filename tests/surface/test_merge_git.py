"""Claims, with real Git: two branches that both appended merge without a conflict; no event is lost or doubled; whose
events are whose is said by their origins, from which every old line can be made again; the work goes on.

Mutations seen to fail: the driver writing before it verified; the attribute above `* -merge`; our version kept as the
result; `merge.t2c.recursive` left out.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import draft
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.journal.origin import original_line
from t2c.ledger.journal.segments import SealRule


class Repository:
    """A repository with a tracked ledger; Git calls t2c through the PATH."""

    def __init__(self, t2c: Any, tools: Path) -> None:
        self.t2c = t2c
        self.root: Path = t2c.root
        self.journal = self.root / ".t2c" / "journal.ndjson"
        tools.mkdir()
        command = tools / "t2c"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m t2c.cli "$@"\n')
        command.chmod(0o755)
        t2c.environ["PATH"] = f"{tools}:{t2c.environ['PATH']}"
        for name in ("AUTHOR", "COMMITTER"):
            t2c.environ |= {f"GIT_{name}_NAME": "Ada", f"GIT_{name}_EMAIL": "ada@example.org"}
        (self.root / ".git").rmdir()
        self.git("init", "-q", "-b", "main", ".")
        (self.root / "TODO.md").write_text("# Plan\n\n- [ ] ship it\n")
        self.run("init", "--track")
        self.run("init", "--git-merge-driver", "--write")
        self.note("before the branches")
        self.commit("begin")

    def run(self, *arguments: str) -> Any:
        done = self.t2c(*arguments)
        assert done.code == 0, done.err
        return done

    def git(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=self.t2c.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not ok or done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done

    def note(self, text: str, *more: str) -> None:
        self.run("ledger", "append", "--statement", text, *more)

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def branch(self, name: str) -> None:
        self.git("switch", "-q", "-c", name)

    def events(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run("ledger", "log", "--json").document["events"]
        return found

    def statements(self) -> list[str]:
        return [event["data"]["statement"] for event in self.events() if event["type"] == "observation.noted"]

    def version(self, revision: str) -> list[bytes]:
        """The lines of the journal as a commit has it."""
        shown = subprocess.run(
            ["git", "show", f"{revision}:.t2c/journal.ndjson"], cwd=self.root, capture_output=True, check=True
        )
        return shown.stdout.splitlines()

    def check(self) -> list[dict[str, Any]]:
        """The journal is sound at every level, and every line that stood elsewhere can be made again."""
        verified = self.t2c("ledger", "verify", "--level", "domain", "--json").document
        assert "faults" in verified, verified
        assert verified["faults"] == []
        for line in self.journal.read_bytes().splitlines():
            event = json.loads(line)
            for place in places(event):
                line = original_line(line)
                assert hashlib.sha256(b"\0" + line).hexdigest() == place["hash"]
                assert json.loads(line)["id"] == place["id"]
        return self.events()


def places(event: dict[str, Any]) -> list[dict[str, Any]]:
    origin = event.get("origin")
    return [] if origin is None else [origin, *origin.get("former", [])]


def every_id(event: dict[str, Any]) -> list[str]:
    """The id that an event has and those that it had."""
    return [event["id"], *(place["id"] for place in places(event))]


@pytest.fixture
def repository(t2c: Any, tmp_path: Path) -> Repository:
    return Repository(t2c, tmp_path / "tools")


def two_branches(repository: Repository) -> None:
    """`side` and `main` both appended and scanned; `main` is checked out."""
    repository.branch("side")
    (repository.root / "side.py").write_text("def side():\n    return 1\n")
    repository.note("said on side", "--actor", "human:bea")
    repository.commit("side work")
    repository.run("scan")
    repository.commit("side scanned")
    repository.git("switch", "-q", "main")
    (repository.root / "TODO.md").write_text("# Plan\n\n- [ ] ship it\n- [ ] rest\n")
    repository.note("said on main", "--actor", "human:ada")
    repository.run("scan")
    repository.commit("main work")


def test_two_branches_merge_without_a_conflict(repository: Repository) -> None:
    two_branches(repository)
    ours, theirs = repository.version("main"), repository.version("side")
    repository.git("merge", "-q", "-m", "join", "side")
    assert repository.git("status", "--porcelain").stdout == ""
    events = repository.check()
    assert repository.journal.read_bytes().splitlines()[: len(ours)] == ours
    hashes = {hashlib.sha256(b"\0" + line).hexdigest() for line in theirs} - {
        hashlib.sha256(b"\0" + line).hexdigest() for line in ours
    }
    assert {event["origin"]["hash"] for event in events if "origin" in event} == hashes
    assert len(hashes) > 5
    assert events[-1]["type"] == "journal.merged"
    assert events[-1]["data"]["events"] == len(hashes)
    whose = {
        event["data"]["statement"]: "origin" in event
        for event in events
        if event["type"] == "observation.noted"
    }
    assert whose == {"before the branches": False, "said on main": False, "said on side": True}
    assert {event["trust"] for event in events if event["type"] == "record.observed"} == {"observed"}

    scanned = repository.run("scan", "--json").document
    assert scanned["records"]["ast"] >= 1
    assert scanned["records"]["todo"] == 2
    repository.check()
    records = (repository.root / ".t2c/projections/records/records.jsonl").read_bytes()
    assert b"side.py" in records
    again = repository.run("scan", "--json").document
    assert again["appended"] == {}


def test_both_sides_give_the_same_result_every_time(repository: Repository) -> None:
    two_branches(repository)
    results = []
    for _ in range(2):
        repository.git("merge", "-q", "-m", "join", "side")
        results.append(repository.journal.read_bytes())
        repository.git("reset", "-q", "--hard", "HEAD^1")
    assert results[0] == results[1]


def test_a_criss_cross_loses_and_doubles_nothing(repository: Repository) -> None:
    repository.branch("side")
    repository.git("switch", "-q", "main")
    for turn in range(3):
        for name in ("main", "side"):
            repository.git("switch", "-q", name)
            repository.note(f"{name} {turn}")
            repository.commit(f"{name} {turn}")
        # Both take the other's last commit, not its merge: the next merge has two ancestors.
        tips = {name: repository.git("rev-parse", name).stdout.strip() for name in ("main", "side")}
        for name, other in (("main", "side"), ("side", "main")):
            repository.git("switch", "-q", name)
            lines = repository.version("HEAD") + repository.version(tips[other])
            repository.git("merge", "-q", "-m", "join", tips[other])
            names = {name for event in repository.check() for name in every_id(event)}
            lost = [line for line in lines if names.isdisjoint(every_id(json.loads(line)))]
            assert lost == [], "closings are events too"
            said = repository.statements()
            assert len(said) == len(set(said)) == 1 + 2 * (turn + 1)
    closings = [event for event in repository.events() if event["type"] == "journal.merged"]
    assert len(closings) == len({event["id"] for event in closings}) >= 3


@pytest.mark.parametrize("name", ["main", "side"])
def test_a_side_that_only_merged_since_is_not_given_up(repository: Repository, name: str) -> None:
    """Git makes one ancestor of two; were it the same as what one side merged, Git would take the other side alone."""
    other = {"main": "side", "side": "main"}[name]
    repository.branch("side")
    for branch in ("main", "side"):
        repository.git("switch", "-q", branch)
        repository.note(branch)
        repository.commit(branch)
    tips = {branch: repository.git("rev-parse", branch).stdout.strip() for branch in ("main", "side")}
    for branch in ("main", "side"):
        repository.git("switch", "-q", branch)
        repository.git("merge", "-q", "-m", "join", tips[{"main": "side", "side": "main"}[branch]])
    repository.git("switch", "-q", other)
    repository.note("more")
    repository.commit("more")
    repository.git("switch", "-q", name)
    lines = repository.version(name) + repository.version(other)
    repository.git("merge", "-q", "-m", "join again", other)
    names = {one for event in repository.check() for one in every_id(event)}
    assert [line for line in lines if names.isdisjoint(every_id(json.loads(line)))] == []


def test_a_rebase_replays_events_once(repository: Repository) -> None:
    repository.branch("side")
    for text in ("side 1", "side 2", "side 3"):
        repository.note(text)
        repository.commit(text)
    repository.git("switch", "-q", "main")
    repository.note("main 1")
    repository.commit("main 1")
    repository.git("switch", "-q", "side")
    repository.git("rebase", "-q", "main")
    repository.check()
    assert repository.statements() == ["before the branches", "main 1", "side 1", "side 2", "side 3"]
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--ff-only", "side")


def test_a_cherry_pick_brings_the_chain_up_to_it(repository: Repository) -> None:
    repository.branch("side")
    for text in ("side 1", "side 2"):
        repository.note(text)
        repository.commit(text)
    repository.git("switch", "-q", "main")
    repository.note("main 1")
    repository.commit("main 1")
    repository.git("cherry-pick", "side")
    repository.check()
    assert repository.statements() == ["before the branches", "main 1", "side 1", "side 2"]
    repository.git("merge", "-q", "-m", "join", "side", ok=False)
    repository.check()
    assert sorted(repository.statements()) == ["before the branches", "main 1", "side 1", "side 2"]


def test_both_sides_used_the_same_key_and_took_back_the_same_record(repository: Repository) -> None:
    (repository.root / "app.py").write_text("# TODO: tidy up (#12)\ndef app():\n    pass\n")
    repository.run("scan")
    repository.commit("scanned")
    repository.branch("side")
    (repository.root / "TODO.md").write_text("# Plan\n")
    repository.note("checked on side", "--key", "check-1")
    repository.note("the same on both", "--key", "check-2")
    repository.run("scan")
    repository.commit("side: item gone")
    repository.git("switch", "-q", "main")
    (repository.root / "TODO.md").write_text("# Plan\n")
    repository.note("checked on main", "--key", "check-1")
    repository.note("the same on both", "--key", "check-2")
    repository.run("scan")
    repository.commit("main: item gone")
    repository.git("merge", "-q", "-m", "join", "side")
    events = repository.check()
    retracted = [event["data"]["id"] for event in events if event["type"] == "record.retracted"]
    assert len(retracted) > len(set(retracted))
    for text in ("checked on side", "checked on main", "the same on both"):
        again = repository.run(
            "ledger", "append", "--statement", text, "--key", f"check-{1 + ('same' in text)}", "--json"
        )
        assert again.document["repeated"] is True
    other = repository.t2c("ledger", "append", "--statement", "another", "--key", "check-1")
    assert other.code == 4
    repository.run("scan")
    repository.check()


def test_a_side_that_is_damaged_leaves_ours_as_it_was(repository: Repository) -> None:
    two_branches(repository)
    repository.git("switch", "-q", "side")
    lines = repository.journal.read_bytes().splitlines(keepends=True)
    repository.journal.write_bytes(
        b"".join([*lines[:-3], lines[-3].replace(b'"seq":', b'"seq": '), *lines[-2:]])
    )
    repository.commit("edited")
    repository.git("switch", "-q", "main")
    before = repository.journal.read_bytes()
    done = repository.git("merge", "-m", "join", "side", ok=False)
    assert done.returncode == 1
    assert "error: the other side is not sound" in done.stderr
    assert "t2c ledger merge git:MERGE_HEAD" in done.stderr
    assert repository.journal.read_bytes() == before


def by_hand(repository: Repository, said: str, other: str) -> None:
    """What the error said to do, typed as it stands."""
    commands = re.search(r"git restore .* && t2c ledger merge git:MERGE_HEAD && git add \S+(?=,)", said)
    assert commands is not None
    done = subprocess.run(
        ["sh", "-ec", commands[0].replace("MERGE_HEAD", other)],
        cwd=repository.root,
        env=repository.t2c.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    repository.git("commit", "-q", "--no-edit")


def test_a_side_that_sealed_a_segment_is_refused_and_merged_by_hand(repository: Repository) -> None:
    repository.branch("side")
    (repository.root / "side.py").write_text("pass\n")
    often = SealRule(bytes=1, events=4)
    with Ledger(repository.root / ".t2c", rule=often) as ledger:
        for number in range(4):
            ledger.append([draft(ObservationNoted(statement=f"side {number}"))])
    assert len(list((repository.root / ".t2c" / "segments").iterdir())) == 1
    repository.commit("side sealed")
    repository.git("switch", "-q", "main")
    repository.note("main")
    repository.commit("main")
    done = repository.git("merge", "-m", "join", "side", ok=False)
    assert done.returncode == 1
    assert "begins at seq 5, and the segment that ends before it is not in this work tree" in done.stderr
    by_hand(repository, done.stderr, "MERGE_HEAD")
    assert not list((repository.root / ".t2c").glob("segments/*"))
    assert (repository.root / "side.py").exists(), "what Git merged beside the ledger stays merged"
    repository.check()
    assert sorted(repository.statements()) == [
        "before the branches",
        "main",
        *(f"side {n}" for n in range(4)),
    ]


def test_a_clone_without_the_driver_is_helped_by_the_remedy(repository: Repository) -> None:
    two_branches(repository)
    repository.git("config", "--remove-section", "merge.t2c")
    assert repository.git("merge", "-m", "join", "side", ok=False).returncode == 1
    damaged = repository.t2c("ledger", "append", "--statement", "on top")
    assert damaged.code == 5
    assert "conflict marker" in damaged.err
    assert "git restore --source=HEAD --staged --worktree .t2c" in damaged.err
    repository.git("restore", "--source=HEAD", "--staged", "--worktree", ".t2c")
    repository.run("ledger", "merge", "git:MERGE_HEAD")
    repository.commit("joined by hand")
    repository.check()
    assert sorted(repository.statements()) == ["before the branches", "said on main", "said on side"]
    assert (repository.root / "side.py").exists()


def test_the_settings_are_printed_or_written(repository: Repository) -> None:
    printed = repository.run("init", "--git-merge-driver")
    assert "/journal.ndjson merge=t2c" in printed.out
    assert 'git config merge.t2c.driver "t2c ledger merge-driver %O %A %B %P"' in printed.out
    attributes = repository.root / ".t2c" / ".gitattributes"
    before = attributes.read_bytes()
    again = repository.run("init", "--git-merge-driver", "--write", "--json").document
    assert attributes.read_bytes() == before
    assert again["sha256_before"] == again["sha256_after"] == hashlib.sha256(before).hexdigest()
    shown = repository.git("check-attr", "merge", ".t2c/journal.ndjson", ".t2c/segments/x.ndjson").stdout
    assert shown == ".t2c/journal.ndjson: merge: t2c\n.t2c/segments/x.ndjson: merge: unset\n"
    assert repository.t2c("init", "--write").code == 2


def test_the_doctor_sees_a_clone_without_the_driver(repository: Repository) -> None:
    def said() -> dict[str, str]:
        checks = repository.t2c("doctor", "--json").document["checks"]
        return next(check for check in checks if check["name"] == "merges")

    assert said()["status"] == "ok"
    repository.git("config", "--remove-section", "merge.t2c")
    assert said()["status"] == "note"
    assert said()["remedy"] == "t2c init --git-merge-driver --write"
