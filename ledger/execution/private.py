"""Folders in the system's place for temporary files that belong to one running process.

Whoever holds the lock of such a folder lives. One whose lock nobody holds was left by a process that was killed, and
the next that makes one removes it.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment

__all__ = ["PREFIX", "is_abandoned", "lock_folder", "private_folder", "remove_tree", "sweep_folders"]

PREFIX: Final = "t2c-private-"
_ATTEMPTS: Final = 5
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def private_folder(outside: Path | None = None) -> Iterator[Path]:
    """A new folder that nobody else may enter, removed with all it holds at the end.

    Folders of processes that were killed are removed first. Raises Environment if none can be made, or if it would lie
    inside the tree that it is to be `outside` of.
    """
    place = Path(tempfile.gettempdir()).resolve()
    if outside is not None and (place == outside or outside in place.parents):
        raise Environment(
            f"the place for temporary files lies inside {outside}, which nothing may be written to",
            where=str(place),
            safe="nothing was written",
            remedy="set TMPDIR to a folder outside of it",
        )
    sweep_folders()
    folder, lock = _made()
    try:
        yield folder
    finally:
        remove_tree(folder)
        os.close(lock)


def _made() -> tuple[Path, int]:
    try:
        for _ in range(_ATTEMPTS):
            folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
            lock = lock_folder(folder, wait=True)
            if lock is not None:
                return folder, lock  # else somebody took it for abandoned before it was locked
    except OSError as error:
        raise Environment(
            f"no private folder can be made: {error.strerror}",
            where=str(error.filename or tempfile.gettempdir()),
            safe="nothing was written",
            remedy="free some space on the disk, or set TMPDIR to a folder that can be written",
        ) from error
    raise Environment(
        "private folders vanish as soon as they are made",
        where=tempfile.gettempdir(),
        safe="nothing was written",
        remedy="set TMPDIR to a folder that nothing else cleans up",
    )


def lock_folder(folder: Path, *, wait: bool) -> int | None:
    """A descriptor that holds the lock of a folder which is there; None if it is gone, not ours, or held."""
    try:
        descriptor = os.open(folder, _FOLDER)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        held, named = os.fstat(descriptor), os.lstat(folder)
        if (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino) and held.st_uid == os.getuid():
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def is_abandoned(folder: Path) -> bool:
    """True if a folder bears the name of a private one and no living process holds it; a missing one is, too."""
    if not folder.name.startswith(PREFIX):
        return False
    if not os.path.lexists(folder):
        return True
    lock = lock_folder(folder, wait=False)
    if lock is None:
        return False
    os.close(lock)
    return True


def sweep_folders() -> None:
    """Remove this user's private folders that no living process holds. Never raises: they are in nobody's way."""
    with suppress(OSError):
        for folder in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")):
            lock = lock_folder(folder, wait=False)
            if lock is not None:
                remove_tree(folder)
                os.close(lock)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all below it, however deep it is and also where rights forbid to. Never raises.

    Links are not followed. What another user owns, or is mounted there, is left.
    """
    with suppress(OSError):
        if not stat.S_ISDIR(folder.lstat().st_mode):
            folder.unlink()
            return
        with suppress(OSError):
            folder.chmod(0o700)
        top = os.open(folder, _FOLDER)
        try:
            _emptied(top)
        finally:
            os.close(top)
        folder.rmdir()


def _emptied(top: int) -> None:
    """Remove all that a folder holds.

    A folder in a folder is moved up to the top before it is looked into, so that two descriptors suffice for any depth
    and no path is ever longer than a name.
    """
    waiting = _without_files(top)
    names = _fresh(frozenset(waiting))
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            inner = os.open(name, _FOLDER, dir_fd=top)
            try:
                for below in _without_files(inner):
                    moved = next(names)
                    with suppress(OSError):
                        os.rename(below, moved, src_dir_fd=inner, dst_dir_fd=top)
                        waiting.append(moved)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


def _fresh(taken: frozenset[bytes]) -> Iterator[bytes]:
    return (name for number in count() if (name := b"t2c-%d" % number) not in taken)


def _without_files(folder: int) -> list[bytes]:
    """Remove files and empty folders of a folder; the names of the other folders, which can be entered from now on."""
    folders = []
    for name in map(os.fsencode, os.listdir(folder)):
        with suppress(OSError):
            if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=folder)
                continue
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:
                with suppress(OSError):
                    os.chmod(name, 0o700, dir_fd=folder)
                folders.append(name)
    return folders
