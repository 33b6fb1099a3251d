"""Claims: nothing acknowledged is lost, whenever the process is killed; what was cut off in the middle of a line is
repaired by the next append, and kept.

Mutations seen to fail: the receipt given before the write; a torn end left in place; a complete batch cut.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.verify import verify_chain

Note = Callable[..., EventDraft]

# One process imports once and forks a worker for every round: only the worker is killed.
WORKERS = """
import os, sys
from pathlib import Path
import filelock, orjson
from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
Noted = CATALOGUE.payload("observation.noted")

def work(number):
    with Ledger(Path(sys.argv[1]), hold=number % 2 == 0) as ledger:
        turn = 0
        while True:
            size, count = [(100, 1), (90_000, 12), (100, 60)][turn % 3]
            drafts = [draft(Noted(statement=f"{number} {turn} {n} " + "x" * size)) for n in range(count)]
            for receipt in ledger.append(drafts, atomic=turn % 2 == 1):
                os.write(1, orjson.dumps([receipt.seq, receipt.hash]) + b"\\n")
            turn += 1

for number, _ in enumerate(sys.stdin):
    child = os.fork()
    if child == 0:
        work(number)
    os.write(1, b"%d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"gone\\n")
"""


def test_nothing_acknowledged_is_lost_to_a_kill(
    workspace: Path, note: Note, spawn: Callable[..., Any], oracle: Any
) -> None:
    dice = random.Random(20260105)
    workers = spawn(WORKERS, workspace)
    path = workspace / "journal.ndjson"
    acknowledged: dict[int, str] = {}
    torn = 0
    for turn in range(20):
        workers.stdin.write("go\n")
        workers.stdin.flush()
        answers = [workers.stdout.readline()]
        while answers[-1].startswith("["):
            answers.append(workers.stdout.readline())
        worker = int(answers.pop())
        if turn % 2:
            answers.append(workers.stdout.readline())
            assert answers[-1].startswith("["), "the worker failed by itself"
        time.sleep(dice.random() * 0.1)
        os.kill(worker, signal.SIGKILL)
        while (line := workers.stdout.readline()) != "gone\n":
            answers.append(line)
        for answer in answers:
            seq, digest = orjson.loads(answer)
            acknowledged[seq] = digest
        with Ledger(workspace) as ledger:
            torn += ledger.journal.tail().overhang is not None
            (receipt,) = ledger.append([note("after the kill")])
            acknowledged[receipt.seq] = receipt.hash
        lines = path.read_bytes().split(b"\n")[:-1]
        report = verify_chain(path)
        assert report.faults == []
        assert report.events == len(lines)
        lost = [seq for seq, digest in acknowledged.items() if oracle.leaf(lines[seq - 1]) != digest]
        assert lost == []
        assert ledger.journal.tail().overhang is None
    assert len(acknowledged) > 20 + 10
    repairs = [line for line in lines if b'"type":"journal.repaired"' in line]
    assert len(repairs) == torn == len(list(workspace.glob("*.torn-*")))


class TestEveryCut:
    """A power failure may leave any number of the bytes that were written last."""

    def reopened(self, workspace: Path, note: Note, oracle: Any) -> list[dict[str, Any]]:
        with Ledger(workspace, durability="none") as ledger:
            ledger.append([note("after")])
        events: list[dict[str, Any]] = oracle.check(workspace / "journal.ndjson")
        assert events[-1]["data"]["statement"] == "after"
        return events

    def restored(self, workspace: Path, content: bytes) -> None:
        for torn in workspace.glob("*.torn-*"):
            torn.unlink()
        (workspace / "journal.ndjson").write_bytes(content)

    @pytest.fixture(autouse=True)
    def _unsynced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What a sync is for is claimed elsewhere; a thousand of them only take time."""
        monkeypatch.setattr(os, "fsync", lambda fd: None)

    def test_every_byte_cut_of_the_last_line(self, workspace: Path, note: Note, oracle: Any) -> None:
        with Ledger(workspace) as ledger:
            ledger.append([note("kept")])
            start = ledger.head().offset
            ledger.append([note("ż")])
        whole = (workspace / "journal.ndjson").read_bytes()
        for end in range(start, len(whole)):
            self.restored(workspace, whole[:end])
            events = self.reopened(workspace, note, oracle)
            torn = whole[start:end]
            types = [event["type"] for event in events[2:]]
            assert types == ["journal.repaired", "observation.noted"][not torn :]
            if torn:
                assert events[2]["data"]["length"] == len(torn)
                assert (workspace / events[2]["data"]["saved_as"]).read_bytes() == torn

    @pytest.mark.parametrize("zeros", [0, 512, 4096])
    def test_a_batch_that_is_not_whole_is_not_there_at_all(
        self, zeros: int, workspace: Path, note: Note, oracle: Any
    ) -> None:
        with Ledger(workspace) as ledger:
            start = ledger.head().offset
            ledger.append([note("one"), note("two"), note("three")], atomic=True)
        whole = (workspace / "journal.ndjson").read_bytes()
        for end in range(start + 1, len(whole), 29 if zeros == 0 else 97):
            left = whole[start:end] + b"\0" * zeros
            self.restored(workspace, whole[:start] + left)
            events = self.reopened(workspace, note, oracle)
            assert [event["type"] for event in events] == [
                "journal.opened",
                "journal.repaired",
                "observation.noted",
            ]
            assert (workspace / events[1]["data"]["saved_as"]).read_bytes() == left
        self.restored(workspace, whole)
        assert len(self.reopened(workspace, note, oracle)) == 5
