"""The process between t2c and a command that it runs: whatever becomes of t2c, nothing that the command began lives on.

Run as a script of its own by `process.py`; needs nothing but the standard library. It reads one line, what to run,
and goes on listening: a byte asks for an end, and the end of the stream, which comes too if t2c is killed, demands it.
The command gets a session of its own. On Linux its orphans fall to the warden, so that a process which left the
session is found as well; elsewhere those of its process group are.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

NAME: Final = b"t2c-warden"
"""What the system calls this process, so that what runs below can tell that it does (`ancestry.py`)."""
_LISTEN: Final = 0
_PATIENCE: Final = 5.0
"""Seconds until processes that do not even heed SIGKILL are given up."""
_TICK: Final = 1.0
_PR_SET_PDEATHSIG: Final = 1
_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NAME: Final = 15
_PR_SET_CHILD_SUBREAPER: Final = 36


def _prctl(option: int, value: int | bytes) -> int:
    """Ask the kernel of Linux for something; elsewhere, or where it refuses, nothing."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError, ImportError):
            import ctypes

            return int(ctypes.CDLL(None).prctl(option, value, 0, 0, 0))
    return -1


@contextmanager
def closed_memory() -> Iterator[None]:
    """Meanwhile no other process of this user reads the variables and the memory of this one, where Linux runs it.

    A superuser still does. No core is dumped and no debugger attaches either.
    """
    before = _prctl(_PR_GET_DUMPABLE, 0)
    _prctl(_PR_SET_DUMPABLE, 0)
    try:
        yield
    finally:
        if before == 1:
            _prctl(_PR_SET_DUMPABLE, 1)


def _line() -> bytes:
    """What is to be run. Empty if nobody is there any more."""
    parts = []
    while block := os.read(_LISTEN, 1 << 16):
        parts.append(block)
        if block.endswith(b"\n"):
            return b"".join(parts)
    return b""


def _become(request: dict[str, Any], failing: int, warden: int) -> None:
    """In the child: turn into the command, or write why not and end."""
    step = "start"
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            os._exit(1)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.dup2(os.open(os.devnull, os.O_RDONLY), _LISTEN)
        step = "enter"
        os.chdir(os.fsencode(request["cwd"]))
        step = "run"
        words = [os.fsencode(word) for word in request["argv"]]
        environment = {
            os.fsencode(name): os.fsencode(value) for name, value in request["environment"].items()
        }
        os.execvpe(words[0], words, environment)
    except OSError as error:
        os.write(failing, json.dumps({"step": step, "errno": error.errno}).encode())
    finally:
        os._exit(127)


class _Watch:
    """One command from its start to the end of the last process that it began."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._warden = os.getpid()
        self._parent = os.getppid()
        self._wake, waking = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self._grace: float = request["grace"]
        self._failed, failing = os.pipe()
        self.began = time.monotonic()
        self._next: float = self.began + request["timeout"]
        self.pid = os.fork()
        if self.pid == 0:
            _become(request, failing, self._warden)
        os.close(failing)
        self.timed_out = False
        self.stopped = False
        self._asked = False
        self._listening = True
        self._status: int | None = None

    def failure(self) -> dict[str, Any] | None:
        """Why the command could not be started; None if it was. Waits until one or the other is sure."""
        text = b""
        while block := os.read(self._failed, 4096):
            text += block
        return json.loads(text) if text else None

    def wait(self) -> int:
        """The status of the command, as `waitpid` gives it, once it has ended by itself or was made to."""
        while not self._ended():
            left = self._next - time.monotonic()
            if left <= 0:
                self.timed_out = self.timed_out or not self._asked
                self._end(at_once=self._asked)
                continue
            listened = [self._wake, _LISTEN] if self._listening else [self._wake]
            ready, _, _ = select.select(listened, [], [], min(left, _TICK))
            if self._wake in ready:
                with suppress(BlockingIOError):
                    os.read(self._wake, 4096)
            if _LISTEN in ready:
                self._heard(os.read(_LISTEN, 1))
            elif os.getppid() != self._parent:
                self._heard(b"")
        return self._swept()

    def _ended(self) -> bool:
        """True once the command has; orphans that ended before it are laid to rest meanwhile."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            found, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if found else None
            return found != 0
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
            if ended.si_pid == self.pid:
                return True
            os.waitpid(ended.si_pid, 0)
        return False

    def _heard(self, byte: bytes) -> None:
        self.stopped = self.stopped or not self.timed_out
        if not byte:
            self._listening = False
        self._end(at_once=not byte)

    def _end(self, *, at_once: bool) -> None:
        """Ask the command to end, and at the second time make it."""
        self._signal(signal.SIGKILL if at_once else signal.SIGTERM)
        self._asked = True
        self._next = time.monotonic() + (_TICK if at_once else self._grace)

    def _signal(self, number: int) -> None:
        # The command is not reaped before its group is done with, so that the number is still its own.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _swept(self) -> int:
        """End all that the command left behind. What falls to the warden meanwhile is ended too."""
        self._signal(signal.SIGKILL)
        self.duration = time.monotonic() - self.began
        status = os.waitpid(self.pid, 0)[1] if self._status is None else self._status
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                found, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if found == 0:
                for child in _children(self._warden):
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(child, signal.SIGKILL)
                select.select([self._wake], [], [], 0.005)
                with suppress(BlockingIOError):
                    os.read(self._wake, 4096)
        return status


def _children(parent: int) -> list[int]:
    """The processes whose parent is this one."""
    try:
        with open(f"/proc/self/task/{parent}/children", "rb") as file:  # noqa: PTH123 - nothing more is loaded
            return [int(number) for number in file.read().split()]
    except OSError:
        return [int(name) for name in _listed() if _parent(name) == parent]


def _listed() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []


def _parent(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def main() -> None:
    """Watch over one command; the report goes to the descriptor whose number is the argument."""
    report = int(sys.argv[1])
    os.set_inheritable(report, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    text = _line()
    if not text:
        return
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NAME, NAME)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    watch = _Watch(json.loads(text))
    _tell(report, {"pid": watch.pid})
    failed = watch.failure()
    status = watch.wait()
    told = {
        "status": status, "milliseconds": round(watch.duration * 1000), "timed_out": watch.timed_out,
        "stopped": watch.stopped, "left": len(_children(os.getpid())), "failed": failed,
    }  # fmt: skip
    _tell(report, told)


def _tell(report: int, value: dict[str, Any]) -> None:
    with suppress(BrokenPipeError):
        os.write(report, json.dumps(value).encode() + b"\n")


if __name__ == "__main__":
    main()
