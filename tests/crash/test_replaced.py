"""Claim: a journal that is replaced under an open engine is written where it is now, or the append is refused; no
acknowledged event ever goes into a file that nobody can find.

Mutations seen to fail: the inode not compared; the size alone compared; the descriptor trusted after a failed open.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Corrupt, Environment, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Expected

Note = Callable[..., EventDraft]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(params=[True, False], ids=["held", "once"])
def tracked(request: pytest.FixtureRequest, tmp_path: Path, note: Note) -> Iterator[Ledger]:
    """A ledger in a Git repository: `main` has two events, `other` has one more; `main` is checked out."""
    git(tmp_path, "init", "-q", "-b", "main")
    create(tmp_path / ".t2c", track=True)
    with Ledger(tmp_path / ".t2c", hold=request.param) as ledger:
        ledger.append([note("common")])
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "common")
        git(tmp_path, "checkout", "-qb", "other")
        ledger.append([note("on the branch", key="branch")])
        git(tmp_path, "commit", "-qam", "branch")
        git(tmp_path, "checkout", "-q", "main")
        ledger.append([note("on main", key="main")])
        git(tmp_path, "commit", "-qam", "main")
        yield ledger


def said(ledger: Ledger, oracle: Any) -> list[str]:
    return [event["data"]["statement"] for event in oracle.check(ledger.journal.path)[1:]]


class TestCheckout:
    def test_the_next_append_goes_to_the_branch_that_is_there(
        self, tracked: Ledger, note: Note, oracle: Any, tmp_path: Path
    ) -> None:
        git(tmp_path, "checkout", "-q", "other")
        receipt = tracked.append([note("after the checkout")])[0]
        assert said(tracked, oracle) == ["common", "on the branch", "after the checkout"]
        assert receipt.seq == 4
        git(tmp_path, "commit", "-qam", "more")
        git(tmp_path, "checkout", "-q", "main")
        tracked.append([note("back again")])
        assert said(tracked, oracle) == ["common", "on main", "back again"]

    def test_a_head_of_the_other_branch_is_a_conflict(
        self, tracked: Ledger, note: Note, tmp_path: Path
    ) -> None:
        head = tracked.head()
        git(tmp_path, "checkout", "-q", "other")
        before = tracked.journal.path.read_bytes()
        with pytest.raises(Conflict, match="not the expected one"):
            tracked.append([note("x")], expected=Expected(head.seq, head.hash))
        assert tracked.journal.path.read_bytes() == before

    def test_keys_are_those_of_the_branch_that_is_there(
        self, tracked: Ledger, note: Note, oracle: Any, tmp_path: Path
    ) -> None:
        assert tracked.append([note("on main", key="main")])[0].repeated
        git(tmp_path, "checkout", "-q", "other")
        assert tracked.append([note("on the branch", key="branch")])[0].repeated
        assert not tracked.append([note("on main", key="main")])[0].repeated
        assert said(tracked, oracle) == ["common", "on the branch", "on main"]


@pytest.fixture(params=[True, False], ids=["held", "once"])
def opened(request: pytest.FixtureRequest, workspace: Path, note: Note) -> Iterator[Ledger]:
    with Ledger(workspace, hold=request.param) as ledger:
        ledger.append([note("one"), note("two")])
        yield ledger


@pytest.fixture
def older(opened: Ledger, note: Note) -> bytes:
    """What the journal held before one more event was appended."""
    content = opened.journal.path.read_bytes()
    opened.append([note("three")])
    return content


class TestReplaced:
    def test_by_a_rename(self, opened: Ledger, older: bytes, note: Note, oracle: Any) -> None:
        fresh = opened.workspace / "copy"
        fresh.write_bytes(older)
        fresh.rename(opened.journal.path)
        assert opened.append([note("next")])[0].seq == 4
        assert said(opened, oracle) == ["one", "two", "next"]

    def test_in_place_by_an_older_copy(self, opened: Ledger, older: bytes, note: Note, oracle: Any) -> None:
        opened.journal.path.write_bytes(older)
        assert opened.append([note("next")])[0].seq == 4
        assert said(opened, oracle) == ["one", "two", "next"]

    def test_in_place_by_another_of_the_same_length(
        self, opened: Ledger, older: bytes, note: Note, oracle: Any
    ) -> None:
        """Neither the inode nor the size tells: the last line does."""
        mine = opened.journal.path.read_bytes()
        opened.journal.path.write_bytes(older)
        with Ledger(opened.workspace) as another:
            another.append([note("drei!")])
        theirs = opened.journal.path.read_bytes()
        assert len(theirs) == len(mine)
        opened.journal.path.write_bytes(mine)
        opened.append([])
        inode = opened.journal.path.stat().st_ino
        opened.journal.path.write_bytes(theirs)
        assert opened.journal.path.stat().st_ino == inode
        opened.append([note("next")])
        assert said(opened, oracle) == ["one", "two", "drei!", "next"]

    def test_in_place_cut_at_a_line_or_inside_one(self, opened: Ledger, note: Note, oracle: Any) -> None:
        size = opened.journal.path.stat().st_size
        os.truncate(opened.journal.path, size - 10)
        assert opened.append([note("next")])[0].seq == 4
        events = oracle.check(opened.journal.path)
        assert [event["type"] for event in events[2:]] == ["journal.repaired", "observation.noted"]

    def test_in_place_cut_to_nothing(self, opened: Ledger, note: Note) -> None:
        os.truncate(opened.journal.path, 0)
        with pytest.raises(Usage, match="the journal is empty"):
            opened.append([note("x")])
        assert opened.journal.path.read_bytes() == b""

    def test_by_nothing(self, opened: Ledger, note: Note, oracle: Any) -> None:
        content = opened.journal.path.read_bytes()
        opened.journal.path.unlink()
        with pytest.raises(Conflict, match="the journal is gone"):
            opened.append([note("x")])
        assert not opened.journal.path.exists()
        opened.journal.path.write_bytes(content)
        assert opened.append([note("next")])[0].seq == 4
        assert said(opened, oracle) == ["one", "two", "next"]

    def test_with_its_whole_folder(self, opened: Ledger, note: Note) -> None:
        shutil.rmtree(opened.workspace)
        with pytest.raises((Conflict, Environment)):
            opened.append([note("x")])
        assert not opened.workspace.exists()

    @pytest.mark.parametrize("kind", ["folder", "pipe", "dangling link"])
    def test_by_something_that_is_no_file(self, kind: str, opened: Ledger, note: Note) -> None:
        path = opened.journal.path
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("nowhere")
        with pytest.raises((Conflict, Environment)):
            opened.append([note("x")])
        with pytest.raises((Usage, Environment)):
            opened.head()

    def test_by_a_link_to_where_it_was_moved(
        self, opened: Ledger, note: Note, oracle: Any, tmp_path: Path
    ) -> None:
        opened.journal.path.rename(tmp_path / "moved.ndjson")
        opened.journal.path.symlink_to(tmp_path / "moved.ndjson")
        assert opened.append([note("next")])[0].seq == 4
        assert said(opened, oracle) == ["one", "two", "next"]

    def test_by_garbage(self, opened: Ledger, note: Note) -> None:
        opened.journal.path.write_bytes(b"garbage\n" * 100)
        with pytest.raises(Corrupt, match="does not begin with an event"):
            opened.append([note("x")])
        assert opened.journal.path.read_bytes() == b"garbage\n" * 100

    def test_by_another_ledger(self, opened: Ledger, note: Note, oracle: Any, tmp_path: Path) -> None:
        """The file that is there now is the journal; an expected head says whether it is the right one."""
        create(tmp_path / "else")
        head = opened.head()
        shutil.copy(tmp_path / "else" / "journal.ndjson", opened.journal.path)
        with pytest.raises(Conflict):
            opened.append([note("x")], expected=Expected(head.seq, head.hash))
        assert opened.append([note("next")])[0].seq == 2
        assert said(opened, oracle) == ["next"]
