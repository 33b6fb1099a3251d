"""A place beside the destination where a bundle is made, until it appears there as a whole or not at all.

What a killed export left in its staging folder is cleared by the next one to the same destination.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from t2c.ledger.errors import Conflict, Environment, Refused, Usage
from t2c.ledger.journal.files import sync_folder

__all__ = ["place", "staged"]

_SAFE = "nothing was written to the destination; the ledger is untouched"


@contextmanager
def staged(destination: Path, *, archive: bool) -> Iterator[Path]:
    """A new, empty folder to make a bundle in; gone at the end, however it ends.

    Raises Refused if the destination is taken, Usage if it has no parent folder, Conflict if another export writes
    there, Environment from the disk.
    """
    _check(destination, archive)
    staging = destination.with_name(f".{destination.name}.t2c-staging")
    try:
        with _alone(staging):
            yield staging
    except OSError as error:
        where = str(error.filename or destination)
        raise Environment(
            f"the bundle cannot be written: {error.strerror or error}",
            where=where,
            safe=_SAFE,
            remedy="make room or give permission, or export to another place",
        ) from error


def place(made: Path, destination: Path) -> None:
    """Put what was made at the destination in one step. Raises Refused if something has come to stand there."""
    try:
        if made.is_dir():
            made.rename(destination)  # takes the place of nothing or of an empty folder
        else:
            destination.hardlink_to(made)
            made.unlink()
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
            raise _taken(destination) from None
        if made.is_dir() or error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if os.path.lexists(destination):  # a file system without hard links
            raise _taken(destination) from None
        made.rename(destination)
    sync_folder(destination.parent)


def _check(destination: Path, archive: bool) -> None:
    if "\0" in str(destination):
        raise Usage("the destination holds a NUL", where=repr(str(destination)), safe=_SAFE)
    try:
        if not destination.parent.is_dir():
            raise Usage(
                f"there is no folder {destination.parent}",
                where=str(destination),
                safe=_SAFE,
                remedy="make it, or name another destination",
            )
        free = not os.path.lexists(destination)
        if not free and not archive and destination.is_dir() and not destination.is_symlink():
            with os.scandir(destination) as entries:
                free = not any(entries)
    except OSError as error:
        raise Environment(
            f"the destination cannot be used: {error.strerror}",
            where=str(destination),
            safe=_SAFE,
            remedy="give permission, or name another destination",
        ) from error
    if not free:
        raise _taken(destination)


def _taken(destination: Path) -> Refused:
    return Refused(
        f"{destination} is there already",
        where=str(destination),
        safe="it was not touched",
        remedy="name a new place, or a folder that is empty",
    )


@contextmanager
def _alone(staging: Path) -> Iterator[None]:
    """Own the staging folder until the end; the lock dies with the process, what it left is cleared."""
    descriptor = _locked(staging)
    try:
        _clear(staging)
        try:
            yield
        finally:
            _clear(staging)
            staging.rmdir()
    finally:
        os.close(descriptor)


def _locked(staging: Path) -> int:
    """A descriptor of the staging folder that holds its lock."""
    while True:
        staging.mkdir(exist_ok=True)
        descriptor = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # An export that ended meanwhile took the folder away.
            if staging.exists() and staging.stat().st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise Conflict(
                "another export is writing to this destination",
                where=str(staging),
                safe=_SAFE,
                remedy="wait for it, or name another destination",
            ) from None
        os.close(descriptor)


def _clear(staging: Path) -> None:
    for entry in list(os.scandir(staging)):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()
