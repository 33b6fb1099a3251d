"""Claims, for every kind of lock: it excludes threads' writers and processes, also those that hold the other kind; it
dies with its process; and what cannot be locked is an error by name (decisions A9).

Mutations seen to fail: a lock file that was removed still counted as held; a forked child sharing its parent's lock;
the wait without an end.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.errors import Conflict, Environment
from t2c.ledger.journal.lock import HeldLock, Lock, OneShotLock, network_filesystem

KINDS = [OneShotLock, HeldLock]
Kind = Callable[..., Lock]

HOLD = """
import sys
from pathlib import Path
from t2c.ledger.journal import lock
held = getattr(lock, sys.argv[1])(Path(sys.argv[2]))
with held.held():
    print("held", flush=True)
    sys.stdin.readline()
print("left", flush=True)
sys.stdin.readline()
"""


def hold_elsewhere(spawn: Callable[..., Any], kind: Kind, path: Path) -> Any:
    child = spawn(HOLD, kind.__name__, path)
    assert child.stdout.readline() == "held\n"
    return child


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def test_the_battery_runs_over_every_kind() -> None:
    from t2c.ledger.journal import lock

    kinds = {thing for name, thing in vars(lock).items() if name.endswith("Lock") and name != "Lock"}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("other", KINDS, ids=lambda kind: kind.__name__)
def test_another_process_is_kept_out_until_it_is_left(
    kind: Kind, other: Kind, tmp_path: Path, spawn: Callable[..., Any]
) -> None:
    path = tmp_path / "lock"
    child = hold_elsewhere(spawn, other, path)
    lock = kind(path, timeout=0.05)
    with (
        pytest.raises(Conflict, match=r"held the ledger's lock for more than 0\.05 s") as caught,
        lock.held(),
    ):
        raise AssertionError("two hold one lock")
    assert caught.value.where == str(path)
    child.stdin.write("leave\n")
    child.stdin.flush()
    assert child.stdout.readline() == "left\n"
    with lock.held():
        pass
    lock.close()


def test_no_lock_outlives_a_killed_process(kind: Kind, tmp_path: Path, spawn: Callable[..., Any]) -> None:
    path = tmp_path / "lock"
    child = hold_elsewhere(spawn, kind, path)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    lock = kind(path, timeout=5)
    with lock.held():
        pass
    lock.close()


def test_it_can_be_taken_again_and_is_given_up_after_an_exception(kind: Kind, tmp_path: Path) -> None:
    first, second = kind(tmp_path / "lock", timeout=1), kind(tmp_path / "lock", timeout=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), first.held():
            raise ZeroDivisionError
        with second.held():
            pass
    first.close()
    second.close()
    with first.held():
        pass
    first.close()
    first.close()


def test_two_of_one_process_exclude_each_other_across_threads(kind: Kind, tmp_path: Path) -> None:
    inside, most, turns = 0, 0, []

    def work() -> None:
        nonlocal inside, most
        lock = kind(tmp_path / "lock")
        for _ in range(10):
            with lock.held():
                inside += 1
                most = max(most, inside)
                time.sleep(0.0005)
                inside -= 1
                turns.append(1)
        lock.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, len(turns)) == (1, 40)


def test_a_lock_file_that_was_removed_is_made_again_and_locked(
    kind: Kind, tmp_path: Path, spawn: Callable[..., Any]
) -> None:
    path = tmp_path / "lock"
    lock = kind(path, timeout=0.05)
    with lock.held():
        pass
    path.unlink()
    hold_elsewhere(spawn, OneShotLock, path)
    with pytest.raises(Conflict), lock.held():
        raise AssertionError("an orphan of the lock file excludes nobody")
    lock.close()


def test_what_cannot_be_locked_is_an_error_of_the_environment(kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "folder", tmp_path / "none" / "lock", tmp_path / "file" / "lock"):
        with pytest.raises(Environment, match="lock cannot be opened"), kind(path, timeout=0.2).held():
            raise AssertionError("nothing was locked")


FORK = """
import os, sys
from pathlib import Path
from t2c.ledger.errors import Conflict
from t2c.ledger.journal import lock
held = getattr(lock, sys.argv[1])(Path(sys.argv[2]), timeout=0.05)
with held.held():
    child = os.fork()
    if child == 0:
        try:
            with held.held():
                os._exit(1)
        except Conflict:
            os._exit(0)
    _, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child_does_not_share_a_held_lock(tmp_path: Path, spawn: Callable[..., Any]) -> None:
    """A descriptor that was opened before the fork would, since both have the same open file."""
    child = spawn(FORK, "HeldLock", tmp_path / "lock")
    assert child.communicate()[0].strip() == "0"


def test_a_local_folder_is_on_no_network_file_system(tmp_path: Path) -> None:
    assert network_filesystem(tmp_path) is None
    assert network_filesystem(tmp_path / "not" / "there") is None
