"""The pool: everything is answered once, what stops a process is marked, and no process outlives its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from t2c.ledger.intake.pool import Stopped, available_processors, run
from t2c.ledger.intake.spool import Set, Spool


def squared(_slot: int, index: int) -> bytes:
    return str(index * index).encode()


@pytest.mark.parametrize("processes", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 40])
def test_each_piece_of_work_is_answered_once(processes: int, count: int) -> None:
    found = {index: answer for index, _, answer in run(count, squared, processes=processes)}
    assert found == {index: str(index * index).encode() for index in range(count)}


def test_a_slot_is_never_shared() -> None:
    slots = {slot for _, slot, _ in run(30, squared, processes=3)}
    assert slots <= {0, 1, 2}


def test_work_that_kills_its_process_is_marked_and_the_rest_goes_on() -> None:
    def work(slot: int, index: int) -> bytes:
        if index in (3, 4, 17):
            os.kill(os.getpid(), signal.SIGKILL)
        return squared(slot, index)

    found = {index: answer for index, _, answer in run(30, work, processes=2)}
    assert {index for index, answer in found.items() if isinstance(answer, Stopped)} == {3, 4, 17}
    assert found[5] == b"25"
    assert len(found) == 30


def test_work_that_takes_too_much_time_is_stopped() -> None:
    def work(slot: int, index: int) -> bytes:
        while index == 1:
            pass
        return squared(slot, index)

    found = {index: answer for index, _, answer in run(3, work, processes=1, seconds=0)}
    assert found == {0: b"0", 1: Stopped("time"), 2: b"4"}


def test_sleeping_is_not_working() -> None:
    """A busy machine makes a file slow in real time; what is recorded must not depend on that."""

    def work(slot: int, index: int) -> bytes:
        time.sleep(1.3)
        return squared(slot, index)

    assert [answer for _, _, answer in run(1, work, processes=1, seconds=0)] == [b"0"]


def test_work_that_takes_too_much_memory_is_stopped() -> None:
    def work(slot: int, index: int) -> bytes:
        if index == 1:
            held = [bytearray(64 << 20) for _ in range(100)]
            return b"%d" % len(held)
        return squared(slot, index)

    found = {index: answer for index, _, answer in run(3, work, processes=1, memory=256 << 20)}
    assert found == {0: b"0", 1: Stopped("memory or a crash"), 2: b"4"}


def test_unlimited_work_is_not_stopped() -> None:
    def work(slot: int, index: int) -> bytes:
        held = bytearray(512 << 20)
        until = time.process_time() + 2.5
        while time.process_time() < until:
            held[0] ^= 1
        return squared(slot, index)

    answers = run(1, work, processes=1, seconds=0, memory=64 << 20, unlimited=[0])
    assert [answer for _, _, answer in answers] == [b"0"]


def test_an_exception_of_ours_is_raised_here_with_its_place() -> None:
    def work(slot: int, index: int) -> bytes:
        if index == 2:
            raise KeyError("a fault of ours")
        return squared(slot, index)

    with pytest.raises(RuntimeError, match="a fault of ours"):
        list(run(5, work, processes=2))


def test_no_child_is_left_when_the_caller_stops_asking() -> None:
    def work(_slot: int, _index: int) -> bytes:
        return str(os.getpid()).encode()

    answers = run(1000, work, processes=2)
    _, _, pid = next(answers)
    assert isinstance(pid, bytes)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_there_is_a_processor() -> None:
    assert available_processors() >= 1


def test_a_spool_is_read_by_the_one_that_was_not_writing(tmp_path: Path) -> None:
    spools = [Spool(tmp_path), Spool(tmp_path)]
    resumed = False

    def work(slot: int, index: int) -> bytes:
        nonlocal resumed
        spool = spools[slot]
        if not resumed:
            spool.resume()
            resumed = True
        if index == 7:
            spool.put(b"half of something")
            spool.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        at = spool.put(b"record %d" % index)
        spool.flush()
        return at.to_bytes(8, "big")

    for index, slot, answer in run(50, work, processes=2):
        if index == 7:
            assert isinstance(answer, Stopped)
            continue
        assert isinstance(answer, bytes)
        size = len(b"record %d" % index)
        assert Set(spools[slot], int.from_bytes(answer, "big"), size).read() == b"record %d" % index
    assert list(tmp_path.iterdir()) == []
    for spool in spools:
        spool.close()


def test_a_spool_gives_back_more_than_it_buffers(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    parts = [bytes([number]) * 300_000 for number in range(9)]
    places = [spool.put(part) for part in parts]
    spool.flush()
    assert [spool.get(at, 300_000) for at in places] == parts
    spool.close()


def test_an_interrupt_at_the_moment_of_a_fork_is_not_lost() -> None:
    program = (
        "import os, signal\n"
        "from t2c.ledger.intake.pool import run\n"
        "os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "try:\n"
        "    list(run(3, lambda slot, index: b'', processes=1))\n"
        "except KeyboardInterrupt:\n"
        "    raise SystemExit(42)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (42, b"")
