"""Claim: any number of processes may append at once. The chain has no fork and no gap, and every receipt is true.

Mutations seen to fail: the head read before the lock is taken; one of the two locks on a file of its own; a forked
child let in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Environment
from t2c.ledger.journal.verify import verify_chain

TOGETHER = """
import os, sys
from pathlib import Path
import orjson
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
Noted = CATALOGUE.payload("observation.noted")

def append(workspace, hold, name, turns):
    with Ledger(workspace, hold=hold) as ledger:
        for turn in range(turns):
            notes = [Noted(statement=f"{name} {turn} {n}") for n in range(2)]
            drafts = [draft(note, key=f"{name}-{turn}-{n}") for n, note in enumerate(notes)]
            for receipt in ledger.append(drafts, atomic=turn % 2 == 0):
                yield [receipt.seq, receipt.id, receipt.hash]

def make(workspace):
    created = create(workspace)
    yield [created.ledger, created.made]

def together(jobs):
    '''Each job in a process of its own, forked before and released at one moment; its answers on a pipe.'''
    gate, release = os.pipe()
    pipes = []
    for job in jobs:
        answers, into = os.pipe()
        if os.fork() == 0:
            os.close(release)
            os.read(gate, 1)
            with os.fdopen(into, "wb") as out:
                for answer in job:
                    out.write(orjson.dumps(answer) + b"\\n")
                    out.flush()
            os._exit(0)
        os.close(into)
        pipes.append(answers)
    os.close(release)
    for answers in pipes:
        with os.fdopen(answers, "rb") as stream:
            print(stream.read().decode(), end="")
    codes = {os.waitstatus_to_exitcode(os.wait()[1]) for _ in jobs}
    assert codes == {0}, codes

"""
APPEND = (
    TOGETHER
    + """
holders = sys.argv[2].split("+")
together([append(Path(sys.argv[1]), holders[n % len(holders)] == "held", f"p{n}", 4) for n in range(10)])
"""
)
MAKE = (
    TOGETHER
    + """
together([make(Path(sys.argv[1])) for _ in range(6)])
"""
)


@pytest.mark.parametrize("holders", ["once", "held", "once+held"])
def test_ten_processes_at_once(holders: str, workspace: Path, spawn: Callable[..., Any], oracle: Any) -> None:
    child = spawn(APPEND, workspace, holders)
    acknowledged = [orjson.loads(line) for line in child.communicate()[0].splitlines()]
    assert child.returncode == 0
    turns = 4
    events = oracle.check(workspace / "journal.ndjson")
    assert len(events) == 1 + 10 * turns * 2
    assert sorted(seq for seq, _, _ in acknowledged) == list(range(2, len(events) + 1))
    lines = (workspace / "journal.ndjson").read_bytes().splitlines()
    for seq, identity, digest in acknowledged:
        assert events[seq - 1]["id"] == identity
        assert oracle.leaf(lines[seq - 1]) == digest
    for n in range(10):
        said = [
            event["data"]["statement"]
            for event in events[1:]
            if event["data"]["statement"].startswith(f"p{n} ")
        ]
        assert said == [f"p{n} {turn} {each}" for turn in range(turns) for each in range(2)]
    assert verify_chain(workspace / "journal.ndjson").faults == []


@pytest.mark.parametrize("before", ["nothing", "folder", "empty journal"])
def test_a_ledger_made_by_many_at_once_has_one_genesis(
    before: str, tmp_path: Path, spawn: Callable[..., Any], oracle: Any
) -> None:
    workspace = tmp_path / ".t2c"
    if before != "nothing":
        workspace.mkdir()
    if before == "empty journal":
        (workspace / "journal.ndjson").write_bytes(b"")
    child = spawn(MAKE, workspace)
    answers = [orjson.loads(line) for line in child.communicate()[0].splitlines()]
    assert child.returncode == 0
    (event,) = oracle.check(workspace / "journal.ndjson")
    assert {ledger for ledger, _ in answers} == {event["data"]["ledger"]}
    assert sorted(made for _, made in answers) == [False] * 5 + [True]


class TestCreate:
    def test_a_ledger_that_is_there_is_found_and_left_alone(self, workspace: Path) -> None:
        before = (workspace / "journal.ndjson").read_bytes()
        again = create(workspace)
        assert not again.made
        assert Ledger(workspace).id() == again.ledger
        assert (workspace / "journal.ndjson").read_bytes() == before

    def test_each_ledger_has_an_id_of_its_own(self, workspace: Path, tmp_path: Path) -> None:
        assert create(tmp_path / "other").ledger != create(workspace).ledger

    def test_a_file_in_the_workspaces_place_is_an_error_of_the_environment(self, tmp_path: Path) -> None:
        (tmp_path / ".t2c").write_bytes(b"mine")
        with pytest.raises(Environment, match="no ledger can be made here"):
            create(tmp_path / ".t2c")
        assert (tmp_path / ".t2c").read_bytes() == b"mine"
        with pytest.raises(Environment, match="no ledger can be made here"):
            create(tmp_path / ".t2c" / "deeper" / ".t2c")

    def test_a_folder_in_the_journals_place_is_an_error_of_the_environment(self, tmp_path: Path) -> None:
        (tmp_path / ".t2c" / "journal.ndjson").mkdir(parents=True)
        with pytest.raises(Environment):
            create(tmp_path / ".t2c")

    def test_a_folder_in_the_locks_place_is_an_error_of_the_environment(self, tmp_path: Path) -> None:
        (tmp_path / ".t2c" / "lock").mkdir(parents=True)
        with pytest.raises(Environment):
            create(tmp_path / ".t2c")
        assert not (tmp_path / ".t2c" / "journal.ndjson").exists()


FORK = """
import os, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
Noted = CATALOGUE.payload("observation.noted")

ledger = Ledger(Path(sys.argv[1]), hold=True)
ledger.append([draft(Noted(statement="parent"))])
child = os.fork()
if child == 0:
    try:
        ledger.append([draft(Noted(statement="shared"))])
    except Usage:
        with Ledger(Path(sys.argv[1]), hold=True) as own:
            own.append([draft(Noted(statement="own"))] * 20)
        os._exit(0)
    os._exit(1)
for _ in range(20):
    ledger.append([draft(Noted(statement="parent"))])
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_opens_the_ledger_again(
    workspace: Path, spawn: Callable[..., Any], oracle: Any
) -> None:
    child = spawn(FORK, workspace)
    assert child.communicate()[0].strip() == "0"
    assert len(oracle.check(workspace / "journal.ndjson")) == 42
