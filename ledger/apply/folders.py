"""t2c's own folders below the ledger's, reached without following a link, so that nothing is kept or removed elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Refused

__all__ = ["opened"]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PRIVATE: Final = 0o700


@contextmanager
def opened(workspace: Path, *names: str, make: bool = False) -> Iterator[int]:
    """Hold a folder open, each part of its way looked up in the one above; with `make` missing ones are made durably.

    Raises Refused if a part is a symbolic link, OSError if it is not there or cannot be opened.
    """
    held = os.open(workspace, _FOLDER)
    try:
        for depth, name in enumerate(names, 1):
            inner = _inner(held, name, workspace.joinpath(*names[:depth]), make)
            held, above = inner, held
            os.close(above)
        yield held
    finally:
        os.close(held)


def _inner(above: int, name: str, path: Path, make: bool) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    except OSError:
        if stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
            raise Refused(
                f"{path} is a symbolic link, and what t2c keeps there would lie elsewhere",
                where=str(path),
                safe="nothing was written, and nothing where the link leads",
                remedy="remove the link; the folder is made anew",
            ) from None
        raise
    try:
        os.mkdir(name, _PRIVATE, dir_fd=above)
    except FileExistsError:  # another process was quicker
        pass
    else:
        os.fsync(above)
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
