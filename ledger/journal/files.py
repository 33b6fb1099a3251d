"""Files that must be whole or not there: temporary beside the target, fsync, rename, fsync of the folder."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["sync_folder", "write_atomically"]


def sync_folder(folder: Path) -> None:
    """Make a rename or a new file in `folder` last through a power failure."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_atomically(target: Path, content: bytes, *, mode: int = 0o644, durable: bool = True) -> None:
    """Put `content` at `target` as a whole. A crash leaves the old file or the new one, never a part."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
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
