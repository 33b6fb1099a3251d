"""A sync that goes on in a thread of its own, while the next lines are being made."""

from __future__ import annotations

import os
import threading

__all__ = ["Syncing"]


class Syncing:
    """One sync at a time. Leaving the context waits for it and ends the thread.

    The thread starts only when the first sync does. `start` returns once the thread is about to enter the system
    call, so that it need not wait for its turn while the caller computes.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._asked, self._begun, self._done = threading.Lock(), threading.Lock(), threading.Lock()
        for lock in (self._asked, self._begun, self._done):
            lock.acquire()
        self._fd: int | None = None
        self._running = False
        self._failure: OSError | None = None

    def start(self, fd: int) -> None:
        """Begin to make what was written to `fd` durable; the descriptor may be closed meanwhile."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="t2c-sync", daemon=True)
            self._thread.start()
        self._fd = os.dup(fd)
        self._running = True
        self._asked.release()
        self._begun.acquire()

    def wait(self) -> None:
        """Wait for the sync that was begun, if any. Raises OSError if it failed."""
        if self._running:
            self._done.acquire()
            self._running = False
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure

    def close(self) -> None:
        """End the thread, after the sync that it may be in; what became of it is not told."""
        if self._thread is None:
            return
        if self._running:
            self._done.acquire()
            self._running = False
        self._fd = None
        self._asked.release()
        self._thread.join()
        self._thread = None

    def _serve(self) -> None:
        while True:
            self._asked.acquire()
            fd = self._fd
            if fd is None:
                return
            self._begun.release()
            try:
                os.fdatasync(fd)
            except OSError as failure:
                self._failure = failure
            finally:
                os.close(fd)
                self._done.release()
