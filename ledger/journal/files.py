"""Files that must be whole or not there: temporary beside the target, fsync, rename, fsync of the folder."""

from __future__ import annotations

import errno
import itertools
import os
import stat
from pathlib import Path

__all__ = ["make_folder", "read_regular", "sync_folder", "write_atomically"]

_turns = itertools.count()


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in `folder` last through a power failure."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Make `folder` and its parents where they are missing, each lasting through a power failure.

    Raises OSError.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
    except FileNotFoundError:
        make_folder(folder.parent)
        make_folder(folder)
    else:
        sync_folder(folder.parent)


def read_regular(path: Path, most: int) -> bytes:
    """At most `most` bytes of a plain file; whatever else bears its name, which could keep a reader waiting, is none.

    Raises OSError.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        content = bytearray()
        while len(content) < most and (part := os.read(file, most - len(content))):
            content += part
        return bytes(content)
    finally:
        os.close(file)


def write_atomically(target: Path, content: bytes, *, mode: int = 0o644, durable: bool = True) -> None:
    """Put `content` at `target` as a whole. A crash leaves the old file or the new one, never a part.

    Threads and processes may write one target at the same time: the last one stays. Raises OSError.
    """
    fd, temporary = _beside(target, mode)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(target.parent)


def _beside(target: Path, mode: int) -> tuple[int, Path]:
    """A new file of nobody else's beside `target`; one that a killed process left is stepped over."""
    while True:
        temporary = target.with_name(f".{target.name}.{os.getpid()}-{next(_turns)}.tmp")
        try:
            return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), temporary
        except FileExistsError:
            continue
