"""Claims: two to sixteen writers, processes and threads, held and one-shot locks mixed, released at one moment: every
event has a predecessor of its own, no number is missing, no receipt is lost, and each writer's events stand in its order.

Mutations seen to fail: the head read before the lock is taken; the lock given up before the write.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import JOURNAL
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import listed
from t2c.ledger.journal.verify import verify_chain

TURNS = 5

WRITERS = """
import os, sys, threading
from pathlib import Path
import filelock, orjson
from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.segments import DEFAULT_RULE, SealRule
Noted = CATALOGUE.payload("observation.noted")

workspace, plan, turns, small = Path(sys.argv[1]), sys.argv[2].split("+"), int(sys.argv[3]), sys.argv[4] == "small"
rule = SealRule(bytes=2000, events=16) if small else DEFAULT_RULE

def append(ledger, name, turn, out):
    for receipt in ledger.append([draft(Noted(statement=f"{name} {turn}"))]):
        os.write(out, orjson.dumps([receipt.seq, receipt.id, receipt.hash]) + b"\\n")

def held(name, out):
    with Ledger(workspace, hold=True, rule=rule) as ledger:
        for turn in range(turns):
            append(ledger, name, turn, out)

def once(name, out):
    for turn in range(turns):
        with Ledger(workspace, rule=rule) as ledger:
            append(ledger, name, turn, out)

def threads(name, out):
    with Ledger(workspace, hold=True, rule=rule) as ledger:
        def work(number):
            for turn in range(turns):
                append(ledger, f"{name}.{number}", turn, out)
        all = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in all:
            thread.start()
        for thread in all:
            thread.join()

gate, release = os.pipe()
pipes = []
for number, kind in enumerate(plan):
    answers, into = os.pipe()
    if os.fork() == 0:
        os.close(release)
        os.read(gate, 1)
        globals()[kind](f"w{number}", into)
        os._exit(0)
    os.close(into)
    pipes.append(answers)
os.close(release)
for answers in pipes:
    with os.fdopen(answers, "rb") as stream:
        print(stream.read().decode(), end="", flush=True)
assert {os.waitstatus_to_exitcode(os.wait()[1]) for _ in plan} == {0}
"""


@pytest.mark.parametrize("small", ["whole", "small"])
@pytest.mark.parametrize(
    "plan",
    [
        "held+once",
        "once+once+once+held+threads",
        "+".join(["held", "once"] * 8),
        "threads+threads+threads+threads",
    ],
    ids=["2 processes", "4 processes and 4 threads", "16 processes", "16 threads in 4 processes"],
)
def test_writers_released_at_one_moment(
    plan: str, small: str, workspace: Path, spawn: Callable[..., Any], oracle: Any
) -> None:
    child = spawn(WRITERS, workspace, plan, TURNS, small)
    told = [orjson.loads(line) for line in child.communicate()[0].splitlines()]
    assert child.returncode == 0
    kinds = plan.split("+")
    count = TURNS * sum(4 if kind == "threads" else 1 for kind in kinds)
    lines = [line[:-1] for _, line, _ in JournalFile(workspace / JOURNAL).lines()]
    events = [orjson.loads(line) for line in lines]
    assert len(events) == 1 + count
    assert len({event["prev"] for event in events}) == 1 + count
    assert [event["seq"] for event in events] == list(range(1, count + 2))
    assert sorted(seq for seq, _, _ in told) == list(range(2, count + 2))
    for seq, identity, digest in told:
        assert (events[seq - 1]["id"], oracle.leaf(lines[seq - 1])) == (identity, digest)
    said = [event["data"]["statement"].split(" ") for event in events[1:]]
    for name in {name for name, _ in said}:
        assert [int(turn) for writer, turn in said if writer == name] == list(range(TURNS))
    assert verify_chain(workspace / JOURNAL).faults == []
    assert bool(listed(workspace / "segments")) == (small == "small" and count >= 16)
