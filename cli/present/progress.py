"""One line on a terminal that says how far long work has come; nothing anywhere else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final, TextIO

from t2c.cli.present.style import printable

__all__ = ["ProgressLine"]

PATIENCE: Final = 1.0
"""Seconds of work before anything is drawn."""
INTERVAL: Final = 0.1
"""Seconds between two drawings."""
_ERASE: Final = "\r\x1b[K"


class ProgressLine:
    """A Progress that redraws one line on `stream`; with None it does nothing. Call `close` at the end.

    It is called by the work itself and needs no thread: between two calls the line stands still.
    """

    def __init__(self, stream: TextIO | None, ticks: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._ticks = ticks
        self._due = 0.0 if stream is None else ticks() + PATIENCE
        self._drawn = False

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Take note that `done` of `total` units of a stage are done (total None: nobody knows)."""
        if self._stream is None:
            return
        now = self._ticks()
        if now < self._due:
            return
        self._due = now + INTERVAL
        amount = f"{done}" if total is None else f"{done}/{total} ({100 * done // total if total else 100}%)"
        text = printable(f"{stage} {amount}").replace("\n", " ").replace("\t", " ")
        self._stream.write(_ERASE + text[: self._width() - 1])
        self._stream.flush()
        self._drawn = True

    def close(self) -> None:
        """Erase the line, if one stands."""
        if self._drawn and self._stream is not None:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._drawn = False

    def _width(self) -> int:
        try:
            return max(os.get_terminal_size(self._stream.fileno()).columns, 20) if self._stream else 80
        except (OSError, ValueError):
            return 80
