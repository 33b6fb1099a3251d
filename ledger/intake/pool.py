"""Work on many files in child processes that may be killed: a file that stops its process is marked, the rest goes on.

A parser can neither be interrupted at any moment nor made to give back its memory, so only a process of its own
contains it (code-facts §5.7). The limits are of processor time and of memory, so that a busy machine changes
nothing that is recorded; a limit of real time, much longer, catches what does neither.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from typing import Final, NamedTuple, NoReturn

__all__ = ["MEMORY", "SECONDS", "Stopped", "available_processors", "run"]

SECONDS: Final = 10
"""Processor time that one piece of work may take in a child."""
MEMORY: Final = 1 << 30
"""Bytes that a child may take more than it had at its start."""
_PATIENCE: Final = 120.0
"""Seconds of real time without an answer after which a child is given up."""
_AT_ONCE: Final = 16
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INDEX: Final = 8


class Stopped(NamedTuple):
    """Work that ended its process: `how` is `time`, `memory or a crash` or `silence`."""

    how: str


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def run(
    count: int,
    work: Callable[[int, int], bytes],
    *,
    processes: int,
    unlimited: Sequence[int] = (),
    seconds: int | Callable[[int], int] = SECONDS,
    memory: int = MEMORY,
) -> Iterator[tuple[int, int, bytes | Stopped]]:
    """Do `work(slot, index)` for each index below `count`; yields (index, slot, answer) as they come.

    At most `processes` work at once, each in a slot of its own from 0; a process that replaces another takes its
    slot. Work in `unlimited` may take as long and as much as it needs. An exception in a child is raised here as
    RuntimeError. `seconds` may say for each index how long it may take. Children do not outlive this generator.
    """
    allowed = seconds if callable(seconds) else (lambda _: seconds)
    order = deque(range(count))
    children: dict[Connection, _Child] = {}
    free = deque(range(processes))
    try:
        while order or any(child.given for child in children.values()):
            while order and len(children) < min(processes, len(order) + len(children)):
                child = _Child(free.popleft(), work, list(children), frozenset(unlimited), allowed, memory)
                children[child.connection] = child
            for child in children.values():
                if order and not child.given:
                    child.give(order, processes)
            for answered in _answered(children):
                child = children[answered]
                try:
                    message = answered.recv_bytes()
                except (EOFError, ConnectionResetError):
                    del children[answered]
                    free.append(child.slot)
                    stopped = child.buried()
                    if child.given:
                        yield child.given.popleft(), child.slot, stopped
                        order.extendleft(reversed(child.given))
                        child.given.clear()
                    continue
                child.heard = time.monotonic()
                index = int.from_bytes(message[:_INDEX], "big")
                if index >= count:
                    raise RuntimeError(message[_INDEX:].decode())
                child.given.remove(index)
                yield index, child.slot, message[_INDEX:]
    finally:
        for child in children.values():
            child.stop()


def _answered(children: dict[Connection, _Child]) -> list[Connection]:
    """Connections with an answer or at their end. A child that has been silent for too long is killed."""
    found = [item for item in wait(list(children), timeout=1.0) if isinstance(item, Connection)]
    now = time.monotonic()
    for connection, child in children.items():
        if connection not in found and child.impatient(now):
            child.kill()
    return found


class _Child:
    """One process and what it was given to do."""

    def __init__(
        self,
        slot: int,
        work: Callable[[int, int], bytes],
        others: Sequence[Connection],
        unlimited: frozenset[int],
        seconds: Callable[[int], int],
        memory: int,
    ) -> None:
        self.slot = slot
        self.given: deque[int] = deque()
        self.heard = time.monotonic()
        self._unlimited = unlimited
        self._silent = False
        self.connection, theirs = Pipe()
        parent = os.getpid()
        # An interrupt between the fork and the lines after it would be lost, or would leave a child to itself.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            with warnings.catch_warnings():
                # Other threads, if there are any, hold no lock that a child needs.
                warnings.simplefilter("ignore", DeprecationWarning)
                self.pid = os.fork()
            if self.pid == 0:
                for connection in (*others, self.connection):
                    connection.close()
                _serve(theirs, lambda index: work(slot, index), unlimited, seconds, memory, parent)
            theirs.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def give(self, order: deque[int], processes: int) -> None:
        """Take the next pieces of work, fewer as they run out, so that no process waits for another's heap."""
        share = max(1, min(_AT_ONCE, len(order) // (2 * processes)))
        self.given.extend(order.popleft() for _ in range(min(share, len(order))))
        self.heard = time.monotonic()
        with contextlib.suppress(
            BrokenPipeError, ConnectionResetError
        ):  # its end is seen when it is read from
            self.connection.send_bytes(b"".join(index.to_bytes(_INDEX, "big") for index in self.given))

    def impatient(self, now: float) -> bool:
        """True if it has been silent for longer than anything it does may take."""
        return bool(self.given) and now - self.heard > _PATIENCE and self.given[0] not in self._unlimited

    def kill(self) -> None:
        self._silent = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def buried(self) -> Stopped:
        """How a process that ended by itself came to its end."""
        self.connection.close()
        _, status = os.waitpid(self.pid, 0)
        if self._silent:
            return Stopped("silence")
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        return Stopped("time" if late else "memory or a crash")

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.kill()
        self.connection.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _serve(
    connection: Connection,
    work: Callable[[int], bytes],
    unlimited: frozenset[int],
    seconds: Callable[[int], int],
    memory: int,
    parent: int,
) -> NoReturn:
    """The child: answers until its parent is gone, and leaves nothing behind."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        _die_with(parent)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = _memory_now() + memory
        while True:
            given = connection.recv_bytes()
            for at in range(0, len(given), _INDEX):
                index = int.from_bytes(given[at : at + _INDEX], "big")
                free = index in unlimited
                _limit(resource.RLIMIT_CPU, None if free else int(time.process_time()) + seconds(index) + 1)
                _limit(resource.RLIMIT_AS, None if free else most)
                connection.send_bytes(given[at : at + _INDEX] + work(index))
    except (EOFError, OSError):
        code = 0
    except MemoryError:
        pass
    except Exception as error:  # noqa: BLE001 - told to the parent, which raises it
        import traceback

        said = "".join(traceback.format_exception(error)).encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            connection.send_bytes(b"\xff" * _INDEX + said)
    finally:
        os._exit(code)


def _die_with(parent: int) -> None:
    """Have the kernel end this process with its parent, where it knows how to."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def _memory_now() -> int:
    """Bytes of address space that this process takes; without that knowledge nothing is limited in earnest."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no file of the user's
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 1 << 40


def _limit(what: int, most: int | None) -> None:
    """Set what this process may take, up to what it was allowed from the start."""
    _, hard = resource.getrlimit(what)
    if most is None or (hard != resource.RLIM_INFINITY and most > hard):
        most = hard
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(what, (most, hard))
