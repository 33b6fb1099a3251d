"""Who may write which file: one lock a target, held from before it is looked at until the outcome is recorded.

A lock is flock on a file in `.t2c/locks/`, so none outlives its process; what the file says is only for whoever waits.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.apply.folders import opened
from t2c.ledger.apply.places import cannot, same_spot
from t2c.ledger.errors import Conflict, Refused
from t2c.ledger.kernel.clock import rfc3339

__all__ = ["Holder", "Locks", "busy", "locked"]

_BUSY: Final = (errno.EACCES, errno.EAGAIN)
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = "locks"
_PAUSE: Final = 0.01


class Holder(NamedTuple):
    """Who holds locks: as others are told while they wait in vain."""

    purpose: str
    requested_by: str | None
    subject: str | None
    announced: str | None = None


class _Note(msgspec.Struct):
    pid: int
    purpose: str
    requested_by: str | None = None
    subject: str | None = None
    announced: str | None = None


class Locks:
    """The locks of one apply, by the name of the lock file in a folder that is held open."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self.held: dict[str, int] = {}

    def say(self, holder: Holder) -> None:
        """Write into every lock file who holds it. What cannot be written is not: the lock is flock."""
        note = msgspec.json.encode(_Note(os.getpid(), *holder))
        for file in self.held.values():
            with suppress(OSError):
                os.pwrite(file, note, 0)
                os.ftruncate(file, len(note))

    def release(self) -> None:
        """Let go of all; a lock file goes with its lock, and whoever waited for it sees that it is another one."""
        with ExitStack() as stack:  # an interrupt among them keeps none
            while self.held:
                name, file = self.held.popitem()
                stack.callback(_let_go, file)
                stack.callback(_unlink, self._folder, name)


def _let_go(file: int) -> None:
    with suppress(OSError):
        os.close(file)


def _unlink(folder: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


@contextmanager
def locked(
    workspace: Path, root: Path, paths: Sequence[str], holder: Holder, patience: float = 1.0
) -> Iterator[Locks]:
    """Hold the locks of these files, taken in one order; `patience` is for how many seconds each is waited for.

    Raises Conflict that names who holds one, Refused if their folder is a link, Environment if a lock cannot be opened.
    """
    real = root.resolve()
    names = {_name(real, path): path for path in paths}
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(opened(workspace, _FOLDER, make=True))
        except OSError as error:
            raise cannot(str(workspace / _FOLDER), error) from error
        locks = Locks(folder)
        stack.callback(locks.release)
        for name in sorted(names):
            try:
                locks.held[name] = _take(folder, name, names[name], patience)
            except OSError as error:
                raise cannot(str(workspace / _FOLDER / name), error) from error
        locks.say(holder)
        yield locks


def busy(workspace: Path, root: Path, paths: Sequence[str]) -> bool:
    """True if somebody holds the lock of one of these files. Nothing is made."""
    real = root.resolve()
    for path in paths:
        try:
            with opened(workspace, _FOLDER) as folder:
                file = os.open(_name(real, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except (OSError, Refused):
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                return True
        finally:
            os.close(file)
    return False


def _name(root: Path, path: str) -> str:
    """A lock's file, the same for all spellings of a path."""
    return f"apply-{sha256(same_spot(f'{root}/{path}').encode(errors='replace')).hexdigest()[:32]}"


def _take(folder: int, name: str, path: str, patience: float) -> int:
    deadline = time.monotonic() + patience
    while True:
        file = os.open(name, _FLAGS, 0o600, dir_fd=folder)
        try:
            if _flocked(file):
                if _is_current(file, folder, name):
                    return file
            elif time.monotonic() >= deadline:
                raise _busy(file, path)
            else:
                time.sleep(_PAUSE)
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _flocked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # A network file system gives ESTALE for a file that its holder removed: it is opened again.
        if error.errno in (*_BUSY, errno.ESTALE):
            return False
        raise
    return True


def _is_current(file: int, folder: int, name: str) -> bool:
    try:
        there, ours = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _busy(file: int, path: str) -> Conflict:
    since = rfc3339(datetime.fromtimestamp(os.fstat(file).st_mtime, UTC))
    try:
        note = msgspec.json.decode(os.pread(file, 1 << 16, 0), type=_Note)
    except (OSError, msgspec.DecodeError):
        what, told = "another process", {}
    else:
        who = note.requested_by or "somebody"
        event = "" if note.announced is None else f", announced by {note.announced}"
        what = f"{who} ({note.purpose}, process {note.pid}, since {since}{event})"
        told = msgspec.to_builtins(note)
    return Conflict(
        f"{path} is being written by {what}",
        where=path,
        safe="nothing was written",
        remedy="wait until that is done, then run the command again",
        holder=told,
        since=since,
    )
