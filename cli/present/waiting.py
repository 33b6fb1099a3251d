"""Waiting for something new while somebody reads: short sleeps that end when the reader has gone."""

from __future__ import annotations

import select
import time
from typing import Final, TextIO

from t2c.cli.present.output import Output

__all__ = ["INTERVAL", "Waiting"]

INTERVAL: Final = 0.2
"""Seconds between two looks."""


class Waiting:
    """Called while there is nothing to print: hands on what is printed already, then waits for INTERVAL.

    Raises BrokenPipeError when the reader of `stream` has gone, which a writer with nothing to write would not
    notice otherwise.
    """

    def __init__(self, output: Output, stream: TextIO | None) -> None:
        self._output = output
        self._poll: select.poll | None = None
        if stream is not None:
            # No kind of event is asked for: an error or a hang-up is reported in any case.
            self._poll = select.poll()
            self._poll.register(stream.fileno(), 0)

    def __call__(self) -> None:
        self._output.flush()
        if self._poll is None:
            time.sleep(INTERVAL)
        elif self._poll.poll(INTERVAL * 1000):
            raise BrokenPipeError
