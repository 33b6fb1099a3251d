"""Claims: a runner that is killed leaves an announcement without an outcome, which the doctor lists and no run settles
by guessing, and nothing that its command began lives on, not even what left the session, nor if its watcher is killed.

Mutations seen to fail: the end of the request not heeded; no signal at the death of the watcher; outcomes not looked for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.doctor import doctor
from t2c.cli.actions.leftovers import Undecided, leftovers
from t2c.cli.actions.verify import verify
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger, create
from t2c.ledger.execution.gates import Gate, run_gate
from t2c.ledger.kernel.clock import SystemClock

KILLED = """
import os, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.execution.gates import Gate, run_gate

root = Path(sys.argv[1])
with Ledger(root / ".t2c") as ledger:
    run_gate(ledger, root, Gate(purpose="test", command=sys.argv[2]), environ={"PATH": os.environ["PATH"]})
"""
STUBBORN = "trap '' TERM HUP INT; (setsid sleep 60 & echo $! >>pids); sleep 60 & echo $! >>pids; echo $$ >>pids; echo $PPID >watcher; wait"


def context(root: Path) -> Context:
    return Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ended(pids: list[int]) -> bool:
    """True once none of these runs; they are given some seconds."""
    until = time.monotonic() + 10
    while any(alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(alive(pid) for pid in pids)


@pytest.fixture
def started(
    tmp_path: Path, spawn: Callable[..., subprocess.Popen[str]]
) -> tuple[subprocess.Popen[str], list[int], int]:
    """A runner whose command runs, the processes of that, and their watcher."""
    create(tmp_path / ".t2c")
    runner = spawn(KILLED, tmp_path, STUBBORN)
    until = time.monotonic() + 20
    while not (tmp_path / "watcher").exists() or not (tmp_path / "watcher").read_text().endswith("\n"):
        assert runner.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 3 and all(alive(pid) for pid in pids)
    return runner, pids, int((tmp_path / "watcher").read_text())


def test_a_killed_runner_leaves_only_its_announcement(
    started: tuple[subprocess.Popen[str], list[int], int], tmp_path: Path
) -> None:
    runner, pids, watcher = started
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert ended([*pids, watcher])
    with Ledger(tmp_path / ".t2c") as ledger:
        assert [entry.type for entry in ledger.entries()] == ["journal.opened", "gate.announced"]
        assert leftovers(ledger).undecided == (Undecided(2, "gate.announced"),)
        found = {check.name: check for check in doctor(context(tmp_path)).checks}["announcements"]
        assert found.status == "note" and "gate.announced at seq 2" in found.detail
        assert run_gate(ledger, tmp_path, Gate(purpose="test", argv=("true",)), environ=os.environ).passed
        assert leftovers(ledger).undecided == (Undecided(2, "gate.announced"),)
    assert verify(context(tmp_path), level="domain").ok


def test_what_is_under_way_is_undecided_and_then_is_not(
    started: tuple[subprocess.Popen[str], list[int], int], tmp_path: Path
) -> None:
    runner, pids, _ = started
    with Ledger(tmp_path / ".t2c") as ledger:
        assert len(leftovers(ledger).undecided) == 1
        runner.send_signal(signal.SIGINT)
        runner.wait()
        assert ended(pids)
        assert [entry.type for entry in ledger.entries()][-1] == "gate.ran"
        assert leftovers(ledger).undecided == ()
    assert {check.name: check.status for check in doctor(context(tmp_path)).checks}["announcements"] == "ok"


def test_the_command_itself_ends_even_if_its_watcher_and_the_runner_are_killed(
    started: tuple[subprocess.Popen[str], list[int], int],
) -> None:
    runner, pids, watcher = started
    try:
        runner.send_signal(signal.SIGSTOP)
        os.kill(watcher, signal.SIGKILL)
        assert ended([pids[-1]])
    finally:
        runner.kill()
        for pid in pids:  # what the command began is out of reach then: nobody is left to end it
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
