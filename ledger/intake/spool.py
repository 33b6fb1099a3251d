"""Records set aside on disk between being read and being appended, so that memory does not grow with them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Set", "Spool"]

_BUFFER: Final = 1 << 20


class Spool:
    """A file without a name, written at its end and read anywhere. It is gone with its last descriptor.

    One process writes at a time; those it was forked from read what was flushed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make one in `folder`, or where the system keeps such files. Raises OSError."""
        self._descriptor = -1
        self._descriptor, name = tempfile.mkstemp(prefix="spool-", dir=folder)
        os.unlink(name)  # noqa: PTH108 - not a path of anybody's
        self._written = 0
        self._waiting = bytearray()

    @property
    def made_at(self) -> int:
        """When it was made, in nanoseconds of the file system's clock."""
        return os.fstat(self._descriptor).st_ctime_ns

    def resume(self) -> None:
        """Go on after what another process wrote."""
        self._waiting.clear()
        self._written = os.fstat(self._descriptor).st_size

    def put(self, data: bytes) -> int:
        """Set bytes aside; returns where they stand. Read them only after `flush`."""
        at = self._written + len(self._waiting)
        self._waiting += data
        if len(self._waiting) >= _BUFFER:
            self.flush()
        return at

    def flush(self) -> None:
        """Write what is waiting. Raises OSError if the disk is full."""
        with memoryview(self._waiting) as view:
            done = 0
            while done < len(view):
                done += os.pwrite(self._descriptor, view[done:], self._written + done)
        self._written += done
        self._waiting.clear()

    def get(self, at: int, size: int) -> bytes:
        """Bytes that were set aside and flushed."""
        return os.pread(self._descriptor, size, at)

    def close(self) -> None:
        """Give it up; nothing can be read any more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


class Set(NamedTuple):
    """Bytes in a spool."""

    spool: Spool
    at: int
    size: int

    def read(self) -> bytes:
        return self.spool.get(self.at, self.size)
