"""Signals that end the work: Ctrl-C, SIGTERM and SIGHUP become exceptions, so that what is open is closed and removed.

While a module is imported the exception waits: one that is raised inside the making of a class in C can end the process
without a word.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Final

__all__ = ["ENDING", "install", "settle"]

ENDING: Final = {signal.SIGTERM: 143, signal.SIGHUP: 129}
"""Exit codes, 128 + the signal. Ctrl-C is a KeyboardInterrupt."""
_IMPORTING: Final = "<frozen importlib._bootstrap>"
_PAUSE: Final = 0.005
_MOST_PAUSES: Final = 2000
"""Ten seconds: an import that takes longer hangs."""
_held: list[int] = []


def install() -> None:
    """Take the signals, but for those that this process was started to ignore, as under nohup. Raises nothing."""
    for number in (signal.SIGINT, *ENDING):
        if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    signal.signal(signal.SIGALRM, _again)


def settle() -> None:
    """The work has ended: Ctrl-C ends the process at once, a terminal that goes away ends nothing more."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:
    if len(_held) < _MOST_PAUSES and _is_importing(frame):
        _held.append(number)
        signal.setitimer(signal.ITIMER_REAL, _PAUSE)
        return
    _held.clear()
    if number == signal.SIGHUP:
        signal.signal(
            signal.SIGHUP, signal.SIG_IGN
        )  # one is enough, and what is open is to be closed in peace
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(ENDING[signal.Signals(number)])


def _again(number: int, frame: FrameType | None) -> None:
    if _held:
        _end(_held[-1], frame)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False
