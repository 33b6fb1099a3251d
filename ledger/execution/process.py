"""Run one command and wait for it: no shell between, nothing to read, a time limit, and nothing left alive at the end.

The command stands under a warden, a process of its own (`warden.py`), which ends all that the command began when it
ends, when its time is over, when t2c asks, and when t2c is killed.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from t2c.ledger.events.gates import GateOutcome
from t2c.ledger.execution.warden import closed_memory

__all__ = ["GRACE", "Ended", "run_command"]

GRACE: Final = 2.0
"""Seconds between the request to end and the end."""
_TICK: Final = 0.25
_BLOCK: Final = 1 << 18
_LAST_WORDS: Final = 1.0
"""Seconds to read what is left in the pipe once the warden has reported."""
_GIVEN_UP: Final = 15.0
"""Seconds after which a command is left alone that could not be ended."""
_LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What the interpreter itself may need in order to start."""
_TIMED_OUT, _NOT_RUNNABLE, _NOT_FOUND, _SIGNALLED, _INTERRUPTED = 124, 126, 127, 128, 130


class Ended(NamedTuple):
    """How a command ended; codes are those of `gate.ran`. `interruption` is what kept t2c from waiting for it."""

    outcome: GateOutcome
    exit_code: int
    duration_ms: int
    detail: str = ""
    interruption: BaseException | None = None


def run_command(
    argv: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
    output: Callable[[bytes], object],
    *,
    grace: float = GRACE,
    tick: Callable[[float], object] = lambda seconds: None,
) -> Ended:
    """Run `argv` in `cwd` with exactly this environment; what it writes goes to `output` as it comes.

    Raises nothing of its own: a command that cannot be started is `not_started`, and whatever is raised meanwhile, by
    Ctrl-C or by `output` or `tick`, ends the command and is handed back as `interruption`. `tick` gets the seconds
    since the start, some four times a second.
    """
    run = _Run(timeout_seconds, grace, output, tick)
    with ExitStack() as stack:
        try:
            run.start(stack, argv, cwd, environment)
            run.follow()
        except OSError as error:
            if run.warden is None:
                why = f"no process can be started: {error.strerror or error}"
                return Ended("not_started", _NOT_RUNNABLE, 0, why)
            run.interruption = error
        except BaseException as error:  # noqa: BLE001 - whatever it is, the command must not outlive it
            run.interruption = error
        if run.warden is not None:
            if run.interruption is not None:
                run.stop()
            run.bury()
    return run.ended()


class _Run:
    def __init__(
        self,
        timeout: float,
        grace: float,
        output: Callable[[bytes], object],
        tick: Callable[[float], object],
    ) -> None:
        self._timeout, self._grace = timeout, grace
        self._output, self._tick = output, tick
        self._began = time.monotonic()
        self.warden: subprocess.Popen[bytes] | None = None
        self.interruption: BaseException | None = None
        self._text = b""
        self._report: dict[str, Any] = {}

    def start(self, stack: ExitStack, argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        request = {
            "argv": [_plain(word) for word in argv],
            "cwd": _plain(str(cwd)),
            "environment": {_plain(name): _plain(value) for name, value in environment.items()},
            "timeout": self._timeout,
            "grace": self._grace,
        }
        self._written, writing = _pipe(stack)
        self._reports, reporting = _pipe(stack)
        if sys.platform == "linux":
            import fcntl

            with suppress(OSError):
                fcntl.fcntl(self._written, fcntl.F_SETPIPE_SZ, _BLOCK)
        script = str(Path(__file__).with_name("warden.py"))
        self.warden = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", script, str(reporting.number)],
            stdin=subprocess.PIPE,
            stdout=writing.number,
            stderr=writing.number,
            cwd="/",
            env={name: environment[name] for name in _LOADER if name in environment},
            pass_fds=(reporting.number,),
            start_new_session=True,
        )
        stack.callback(self._let_go)
        # Keys of providers are among the variables of this process, and a parent's can be read by its name.
        stack.enter_context(closed_memory())
        writing.close()
        reporting.close()
        assert self.warden.stdin is not None
        self._asking = self.warden.stdin
        with suppress(BrokenPipeError):
            self._asking.write(json.dumps(request).encode() + b"\n")
            self._asking.flush()

    def follow(self, until: float | None = None) -> None:
        """Hand on what is written until the warden has reported, or until that moment."""
        limit = self._began + self._timeout + self._grace + _GIVEN_UP if until is None else until
        with selectors.DefaultSelector() as selector:
            selector.register(self._written, selectors.EVENT_READ)
            selector.register(self._reports, selectors.EVENT_READ)
            told = time.monotonic()
            while time.monotonic() < limit:
                ready = {key.fd for key, _ in selector.select(_TICK)}
                if self._written in ready and not self._read_output():
                    selector.unregister(self._written)
                if self._reports in ready and not self._read_report():
                    break
                now = time.monotonic()
                if now - told >= _TICK and self.interruption is None:
                    told = now
                    self._tick(now - self._began)
        self._last_words()

    def _read_output(self) -> bool:
        block = os.read(self._written, _BLOCK)
        if block:
            self._output(block)
        return bool(block)

    def _read_report(self) -> bool:
        block = os.read(self._reports, _BLOCK)
        self._text += block
        for line in self._text.splitlines():
            with suppress(ValueError):
                self._report.update(json.loads(line))
        return bool(block)

    def _last_words(self) -> None:
        """What is in the pipe though the warden has ended: it cannot be more than the pipe holds."""
        os.set_blocking(self._written, False)
        until = time.monotonic() + _LAST_WORDS
        with suppress(BlockingIOError):
            while time.monotonic() < until and self._read_output():
                pass

    def stop(self) -> None:
        """Ask the command to end; a second interruption ends it at once."""
        for request in (b"T", b""):
            try:
                with suppress(OSError, ValueError):
                    if request:
                        self._asking.write(request)
                        self._asking.flush()
                    else:
                        self._asking.close()
                self.follow(time.monotonic() + self._grace + _GIVEN_UP)
            except KeyboardInterrupt:
                continue
            except Exception:  # noqa: BLE001 - the first one is told; the command must end all the same
                self._output = _unheard
                continue
            if "status" in self._report:
                return

    def bury(self) -> None:
        """Wait for the warden; if it was killed itself, end the command's group."""
        warden = self.warden
        assert warden is not None
        if "status" not in self._report and "pid" in self._report:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._report["pid"], signal.SIGKILL)
        self._let_go()

    def _let_go(self) -> None:
        warden = self.warden
        if warden is None:
            return
        with suppress(OSError):
            if warden.stdin is not None:
                warden.stdin.close()
        try:
            warden.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            warden.kill()
            warden.wait()

    def ended(self) -> Ended:
        report = self._report
        passed = round((time.monotonic() - self._began) * 1000)
        took = report.get("milliseconds", passed)
        left = report.get("left", 0)
        survivors = f"; processes that could not be ended: {left}" if left else ""
        if self.interruption is not None:
            why = type(self.interruption).__name__ + survivors
            return Ended("interrupted", _INTERRUPTED, took, why, self.interruption)
        if "status" not in report:
            if passed >= self._timeout * 1000:
                return Ended("timed_out", _TIMED_OUT, passed, "it could not be ended")
            killed = _SIGNALLED + signal.SIGKILL
            return Ended("signalled", killed, passed, "the process that watched over it was killed")
        if (failed := report["failed"]) is not None:
            return Ended("not_started", *_failure(failed))
        if report["timed_out"]:
            return Ended("timed_out", _TIMED_OUT, took, f"{self._timeout:g} s were over{survivors}")
        code = os.waitstatus_to_exitcode(report["status"])
        if code < 0:
            return Ended("signalled", _SIGNALLED - code, took, _name(-code) + survivors)
        return Ended("exited", code, took, survivors.removeprefix("; "))


def _unheard(block: bytes) -> None:
    """Takes what nobody can take any more."""


class _End:
    """One end of a pipe, closed once."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._open = True

    def close(self) -> None:
        if self._open:
            self._open = False
            os.close(self.number)


def _pipe(stack: ExitStack) -> tuple[int, _End]:
    reading, writing = os.pipe()
    stack.callback(os.close, reading)
    end = _End(writing)
    stack.callback(end.close)
    return reading, end


def _plain(text: str) -> str:
    """The bytes of a name as text of one encoding, whatever this system's is."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def _failure(failed: Mapping[str, Any]) -> tuple[int, int, str]:
    import errno

    number: int = failed["errno"]
    missing = failed["step"] == "run" and number in (errno.ENOENT, errno.ENOTDIR)
    return _NOT_FOUND if missing else _NOT_RUNNABLE, 0, os.strerror(number)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
