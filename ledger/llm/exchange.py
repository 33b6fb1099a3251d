"""One request and what comes of it, in a thread of its own, so that it can be given up at any moment.

Whoever waits for a name server, a certificate or the next byte of a slow body waits in that thread alone. Knows no
library of HTTP: it is handed what opens the response.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

__all__ = ["LARGEST", "Arrived", "Exchange", "Incoming", "TooLong"]

LARGEST: Final = 8 << 20
"""Bytes of a response that are read; a longer one is no answer."""
_ENDED: Final = b"data: [DONE]"


class Incoming(Protocol):
    """A response whose head has come."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    def iter_bytes(self) -> Iterator[bytes]:
        """The body, as it comes."""
        ...


class TooLong(Exception):
    """A response that nobody wants to hold."""


class Arrived(NamedTuple):
    """What came. `error` is how it failed, None where it ended well; `late` is true where nobody waited any longer."""

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    error: Exception | None
    late: bool


class Exchange(threading.Thread):
    """Opens a response and takes in its body until it ends, is longer than LARGEST, or is given up.

    `done` is set then. `spool` is a file in which a body with status 200 is kept as it comes, with mode 0600.
    """

    def __init__(self, opened: Callable[[], AbstractContextManager[Incoming]], spool: Path | None) -> None:
        super().__init__(name="t2c-llm", daemon=True)
        self.done = threading.Event()
        self._opened, self._spool = opened, spool
        self._lock = threading.Lock()
        self._given_up = False
        self._status: int | None = None
        self._headers: Mapping[str, str] = {}
        self._body = bytearray()
        self._error: Exception | None = None

    def give_up(self) -> None:
        """Take nothing more in."""
        with self._lock:
            self._given_up = True
        self.done.set()

    def arrived(self, *, late: bool) -> Arrived:
        """What has come until now."""
        with self._lock:
            return Arrived(self._status, self._headers, bytes(self._body), self._error, late)

    def run(self) -> None:
        """The thread's work. Whatever fails is for whoever waits: `Arrived.error`."""
        try:
            with self._kept() as spool, self._opened() as response:
                with self._lock:
                    self._status = response.status_code
                    self._headers = {name.lower(): value for name, value in response.headers.items()}
                streamed = self._headers.get("content-type", "").startswith("text/event-stream")
                for chunk in response.iter_bytes():
                    if not self._take(chunk, spool):
                        break
                    if streamed and self._body[-32:].rstrip().endswith(_ENDED):
                        break
        except Exception as error:  # noqa: BLE001 - told to whoever waits, who raises what is ours
            with self._lock:
                if not self._given_up:
                    self._error = error
        self.done.set()

    def _take(self, chunk: bytes, spool: int | None) -> bool:
        """Keep what came; False once no more is wanted."""
        with self._lock:
            if self._given_up:
                return False
            room = LARGEST - len(self._body)
            self._body += chunk[:room]
            if spool is not None and self._status == 200:
                _written(spool, chunk[:room])
            if len(chunk) > room:
                self._error = TooLong(f"the response is longer than {LARGEST:,} bytes")
            return len(chunk) <= room

    @contextmanager
    def _kept(self) -> Iterator[int | None]:
        if self._spool is None:
            yield None
            return
        # Others may be on this machine, and nothing is masked yet.
        spool = os.open(self._spool, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            yield spool
        finally:
            os.close(spool)


def _written(spool: int, chunk: bytes) -> None:
    while chunk:
        chunk = chunk[os.write(spool, chunk) :]
