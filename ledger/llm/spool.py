"""What has arrived of an answer that is still being given, and who is waiting for it.

A spool lies in the cache: a run that was killed after the last byte came can use it instead of paying again. The lock
beside it is held for as long as somebody waits, in any process; so whoever gets it knows that an announcement without
an outcome has nobody behind it any more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Conflict, Environment
from t2c.ledger.journal.lock import HeldLock

__all__ = ["FOLDER", "Spool"]

FOLDER: Final = "spool"
_LONGEST_WAIT: Final = 3600.0
"""Seconds that somebody else may take for the same request, all attempts included."""


class Spool:
    """The spools of one ledger, named by the digests of requests."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / FOLDER
        self._elsewhere: dict[str, Path] = {}

    def keep_at(self, digest: str, path: Path) -> None:
        """Put the bytes that answer this request at another place."""
        self._elsewhere[digest] = path

    def path(self, digest: str) -> Path:
        """Where the bytes that answer this request are put as they come."""
        return self._elsewhere.get(digest) or self._folder / digest

    def arrived(self, digest: str) -> bytes | None:
        """What is there, None if nothing is."""
        try:
            return self.path(digest).read_bytes() or None
        except OSError:
            return None

    def clear(self, digest: str) -> None:
        """Forget what arrived: it stands in the ledger now."""
        with contextlib.suppress(OSError):
            self.path(digest).unlink(missing_ok=True)

    @contextlib.contextmanager
    def held(self, digest: str) -> Iterator[None]:
        """Entered by one at a time, over all threads and processes, for each request.

        Raises Conflict after an hour, Environment if the cache cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Environment(
                f"the cache cannot be written: {error.strerror}",
                where=str(self._folder),
                safe="nothing was sent or recorded",
                remedy="make the folder writable",
            ) from error
        path = self._folder / f"{digest}.lock"
        lock = HeldLock(path, _LONGEST_WAIT)
        try:
            with lock.held():
                try:
                    yield
                finally:
                    # While it is held, or another would hold a lock of the same name that excludes nobody.
                    with contextlib.suppress(OSError):
                        path.unlink(missing_ok=True)
        except Conflict as error:
            if error.where != str(path):
                raise
            raise Conflict(
                "another process has been asking the same for an hour",
                where=str(path),
                safe="nothing was sent or recorded",
                remedy="wait for it, or end it",
            ) from error
        finally:
            lock.close()
