"""The one lock of a ledger: `.t2c/lock`, taken with flock, by two kinds of holders that exclude each other.

A command that appends once takes it with `filelock`; an engine that stays open keeps its own descriptor, which
is far cheaper a turn (docs/adr/0002). Neither leaves a stale lock behind when its process dies.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from t2c.ledger.errors import Conflict, Environment

__all__ = ["HeldLock", "Lock", "OneShotLock", "network_filesystem"]

_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "fuse.sshfs", "fuse.s3fs"}
)
_BUSY: Final = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK)


class Lock(Protocol):
    """Excludes every other writer while `held()` is entered."""

    @contextmanager
    def held(self) -> Iterator[None]: ...

    def close(self) -> None: ...


def _waited_too_long(path: Path, timeout: float) -> Conflict:
    return Conflict(
        f"another process has held the ledger's lock for more than {timeout:g} s",
        where=str(path),
        safe="nothing was written",
        remedy="wait for it, or find it with: fuser " + str(path),
    )


def _cannot(path: Path, error: OSError) -> Environment:
    return Environment(
        f"the ledger's lock cannot be opened: {error.strerror}",
        where=str(path),
        safe="nothing was written",
        remedy="check that the folder is writable and on a file system with locks",
    )


class OneShotLock:
    """`filelock` around one append: right for one command (decisions A9)."""

    def __init__(self, path: Path, timeout: float = 60.0) -> None:
        self._path = path
        self._timeout = timeout

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises Conflict when the lock is not to be had in time, Environment when it cannot be opened."""
        import filelock

        lock = filelock.FileLock(self._path, mode=0o644)
        try:
            # filelock would make the folder of a ledger that was taken away.
            self._path.parent.stat()
            lock.acquire(timeout=self._timeout, poll_interval=0.005)
        except filelock.Timeout:
            raise _waited_too_long(self._path, self._timeout) from None
        except OSError as error:
            raise _cannot(self._path, error) from error
        try:
            yield
        finally:
            lock.release()

    def close(self) -> None:
        """Nothing stays open between two turns."""


class HeldLock:
    """flock on a descriptor that stays open. Excludes processes; the writer's own queue excludes threads."""

    def __init__(self, path: Path, timeout: float = 60.0) -> None:
        self._path = path
        self._name = str(path)
        self._timeout = timeout
        self._fd: int | None = None
        self._pid = -1

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises Conflict when the lock is not to be had in time, Environment when it cannot be opened."""
        fd = self._acquire()
        try:
            yield
        finally:
            fcntl.flock(fd, fcntl.LOCK_UN)

    def _acquire(self) -> int:
        if self._pid != os.getpid():
            # A forked child shares the descriptor, and so the lock, with its parent: it needs its own.
            self.close()
            self._pid = os.getpid()
        deadline = time.monotonic() + self._timeout
        pause = 0.0005
        while True:
            try:
                if self._fd is None:
                    self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                if _taken(self._fd):
                    if self._is_current(self._fd):
                        return self._fd
                    # Somebody removed or replaced the lock file: ours excludes nobody any more.
                    self.close()
                    continue
            except OSError as error:
                raise _cannot(self._path, error) from error
            if time.monotonic() > deadline:
                raise _waited_too_long(self._path, self._timeout)
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def _is_current(self, fd: int) -> bool:
        try:
            there = os.stat(self._name)  # noqa: PTH116 - for every turn, and a Path takes four times as long
        except FileNotFoundError:
            return False
        ours = os.fstat(fd)
        return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)

    def close(self) -> None:
        """Close the descriptor; the lock file stays, so that waiters share one inode."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _taken(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


def network_filesystem(path: Path) -> str | None:
    """The type of the network file system that `path` is on, or None: flock and append are not sure there."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    best, found = -1, None
    where = str(path.resolve())
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = where == point or where.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:
            best, found = len(point), fields[2]
    return found if found in _NETWORK else None
