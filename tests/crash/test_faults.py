"""Claims: whatever system call fails, and whenever the process dies between two of them, the journal stays sound, what
was acknowledged stays, and the error says what happened.

Each call that an append, a repair and an object make is failed in turn. Mutations seen to fail: a short write left in
place; a repair forgotten after a failed write; the fragment cut before it was saved; a dead writer that goes on.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.verify import verify_chain

Note = Callable[..., EventDraft]
CALLS = ("open", "write", "fsync", "fdatasync", "ftruncate", "rename", "replace", "pread")
TORN = b'{"actor":{"id":"t2c","kind":"hel'


class Killed(BaseException):
    """The process is gone: no call of it has any effect from here on."""


class Kernel:
    """Counts the system calls of `os` and fails one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[str] = []
        self.fail_at = -1
        self.how = ""
        self.dead = False
        for name in CALLS:
            monkeypatch.setattr(os, name, self._wrap(name, getattr(os, name)))

    def reset(self, fail_at: int = -1, how: str = "") -> None:
        self.made, self.fail_at, self.how, self.dead = [], fail_at, how, False

    def _wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            if self.dead:
                raise Killed
            self.made.append(name)
            if len(self.made) - 1 != self.fail_at:
                return call(*args, **options)
            if self.how == "kill":
                if name == "write":
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                self.dead = True
                raise Killed
            if self.how == "short" and name == "write":
                return call(args[0], bytes(args[1])[: len(args[1]) // 2])
            if self.how == "ENOSPC" and name == "write":
                call(args[0], bytes(args[1])[: len(args[1]) // 3])
            number = getattr(errno, "EIO" if self.how == "short" else self.how)
            raise OSError(number, os.strerror(number))

        return made


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    yield Kernel(monkeypatch)


@pytest.fixture
def torn(workspace: Path, note: Note) -> Path:
    """A ledger of one event whose last write was torn."""
    with Ledger(workspace) as ledger:
        ledger.append([note("before")])
    with (workspace / "journal.ndjson").open("ab") as stream:
        stream.write(TORN)
    return workspace


def work(workspace: Path, note: Note, receipts: list[Receipt]) -> None:
    """A repair, an append, a batch, and an object that an event cites; what is acknowledged is kept in `receipts`."""
    with Ledger(workspace, hold=True) as ledger:
        receipts += ledger.append([note("one"), note("two")])
        receipts += ledger.append([note("a" * 5000), note("b" * 5000), note("c")], atomic=True)
        digest = ledger.objects.put(b"evidence")
        receipts += ledger.append([note(digest)])


@pytest.mark.parametrize("how", ["EIO", "ENOSPC", "short", "kill"])
def test_whatever_call_fails_the_journal_stays_sound(
    how: str, torn: Path, tmp_path: Path, note: Note, kernel: Kernel, oracle: Any
) -> None:
    kernel.reset()
    shutil.copytree(torn, tmp_path / "dry")
    work(tmp_path / "dry", note, [])
    calls = list(kernel.made)
    assert {"write", "fdatasync", "ftruncate", "fsync", "rename", "replace", "open"} <= set(calls)
    for number, call in enumerate(calls):
        workspace = tmp_path / f"{how}-{number}"
        shutil.copytree(torn, workspace)
        receipts: list[Receipt] = []
        kernel.reset(number, how)
        try:
            work(workspace, note, receipts)
        except Environment as error:
            assert error.safe is not None and error.remedy is not None and error.where is not None
            assert how != "kill"
        except Killed:
            assert how == "kill"
        kernel.reset()
        with Ledger(workspace) as ledger:
            receipts += ledger.append([note("after")])
        events = oracle.check(workspace / "journal.ndjson")
        assert verify_chain(workspace / "journal.ndjson").faults == [], (number, call)
        for receipt in receipts:
            assert events[receipt.seq - 1]["id"] == receipt.id, (number, call)
        said = [event["data"].get("statement") for event in events]
        assert sum(text == "one" for text in said) == sum(text == "two" for text in said)
        assert sum(text == "c" for text in said) == sum(text == "a" * 5000 for text in said)
        repairs = [event["data"] for event in events if event["type"] == "journal.repaired"]
        assert TORN in {(workspace / repair["saved_as"]).read_bytes() for repair in repairs}, (number, call)
        for text in said:
            if text is not None and len(text) == 64:
                assert ledger.objects.get(text) == b"evidence"


def test_a_short_write_is_taken_back_and_the_writer_goes_on(
    ledger: Ledger, note: Note, kernel: Kernel, oracle: Any
) -> None:
    ledger.append([note("one")])
    before = ledger.journal.path.read_bytes()
    for how in ("short", "ENOSPC"):
        ledger.append([])
        kernel.reset()
        ledger.append([])
        quiet = len(kernel.made)
        kernel.reset(quiet, how)
        with pytest.raises(Environment, match="could not be written") as caught:
            ledger.append([note("two")])
        assert "taken back" in str(caught.value.safe)
        assert ledger.journal.path.read_bytes() == before
    kernel.reset()
    assert ledger.append([note("three")])[0].seq == 3
    assert len(oracle.check(ledger.journal.path)) == 3


def test_a_repair_that_could_not_be_recorded_is_recorded_by_the_next_append(
    torn: Path, note: Note, monkeypatch: pytest.MonkeyPatch, oracle: Any
) -> None:
    """Its event stood in a write that was taken back, and the fragment is cut off already."""
    write = os.write
    with Ledger(torn, hold=True) as ledger:
        monkeypatch.setattr(os, "write", lambda fd, block: write(fd, block[:10]))
        with pytest.raises(Environment, match="could not be written"):
            ledger.append([note("lost")])
        monkeypatch.undo()
        ledger.append([note("kept")])
    events = oracle.check(torn / "journal.ndjson")
    assert [event["type"] for event in events[2:]] == ["journal.repaired", "observation.noted"]


def test_a_writer_that_cannot_take_back_stops_and_says_so(
    ledger: Ledger, note: Note, monkeypatch: Any
) -> None:
    ledger.append([note("one")])
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, block: write(fd, block[:10]))

    def no(fd: int, size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "ftruncate", no)
    with pytest.raises(Environment, match="only 10 of") as caught:
        ledger.append([note("two")])
    assert "could not be taken back" in str(caught.value.safe)
    monkeypatch.undo()
    with pytest.raises(Environment, match="this writer stopped after a failure"):
        ledger.append([note("three")])
    with Ledger(ledger.workspace) as again:
        assert again.append([note("four")])[0].seq == 4


LIMITED = """
import resource, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
Noted = CATALOGUE.payload("observation.noted")

path = Path(sys.argv[1]) / "journal.ndjson"
with Ledger(Path(sys.argv[1]), hold=True) as ledger:
    ledger.append([draft(Noted(statement="one"))])
    size = path.stat().st_size
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    for spare in (100, 0):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + spare, most))
        try:
            ledger.append([draft(Noted(statement="x" * 9000))])
        except Environment as error:
            print(error.what, "|", error.safe)
        assert path.stat().st_size == size
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    print(ledger.append([draft(Noted(statement="two"))])[0].seq)
"""


def test_a_real_limit_of_the_file_size_is_a_short_write(
    workspace: Path, spawn: Callable[..., Any], oracle: Any
) -> None:
    said = spawn(LIMITED, workspace).communicate()[0].splitlines()
    assert "only 100 of" in said[0]
    assert "File too large" in said[1]
    assert said[2] == "3"
    assert len(oracle.check(workspace / "journal.ndjson")) == 3
