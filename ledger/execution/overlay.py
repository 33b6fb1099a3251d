"""Files laid over a copy of a tree: new contents, new files and removals, and nothing outside of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Usage
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["lay_over", "overlay_problem"]

_OURS: Final = frozenset({".git", *INVISIBLE})
_MOST_BYTES: Final = 1000
_MOST_PARTS: Final = 100
_SHOWN: Final = 200
_LONGEST_PART: Final = 255
"""In bytes, as file systems count."""


def overlay_problem(path: str) -> str | None:
    """Why a path cannot be laid over a tree, whatever the tree holds; None if it can."""
    if "\0" in path:
        return "it holds a NUL"
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "it is no Unicode text"
    if len(encoded) > _MOST_BYTES:
        return f"it has more than {_MOST_BYTES} bytes"
    if encoded.count(b"/") >= _MOST_PARTS:
        return f"it has more than {_MOST_PARTS} parts"
    if max(map(len, encoded.split(b"/"))) > _LONGEST_PART:
        return f"a part of it has more than {_LONGEST_PART} bytes"
    if path.startswith("/"):
        return "it is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "it has .. in it"
    if "" in parts or "." in parts:
        return "it is not in its shortest form"
    # Where a file system does not tell cases apart, nor what HFS ignores, these are the same folders.
    plain = {"".join(char for char in part if char.isprintable()).casefold().rstrip(" .") for part in parts}
    if not _OURS.isdisjoint(plain):
        return "it lies in a folder that only its own program writes to"
    return None


def lay_over(tree: Path, overlay: Mapping[str, bytes | None]) -> None:
    """Write each content to its path below `tree`; None removes the file. In the order of the paths.

    A file that is there keeps its right to be run; a link is replaced and not followed. Raises Usage, before anything
    is written, for a path that `overlay_problem` objects to, and, some of it written, for one behind a link, through a
    file, or of a folder or of nothing to remove.
    """
    for path in overlay:
        if (problem := overlay_problem(path)) is not None:
            raise _unusable(path, problem)
    # Removals first: a folder's last file may make way for a file of the folder's name, and the other way round.
    for path in sorted(overlay, key=lambda path: (overlay[path] is not None, path)):
        _lay(tree, path, overlay[path])


def _unusable(path: str, problem: str) -> Usage:
    shown = path if len(path) <= _SHOWN else path[:_SHOWN] + "…"
    return Usage(
        f"{shown!r} cannot be laid over a copy: {problem}",
        where=shown,
        safe="the work tree is untouched; the copy is thrown away",
        remedy="name a file of the project by its path from the root, parts separated by /",
    )


def _lay(tree: Path, path: str, content: bytes | None) -> None:
    *folders, name = path.split("/")
    place = tree
    for part in folders:
        place = place / part
        mode = _mode(place)
        if mode is None and content is not None:
            place.mkdir()
        elif mode is None:
            raise _unusable(path, "there is no such file to remove")
        elif not stat.S_ISDIR(mode):
            raise _unusable(path, f"{place.relative_to(tree)} is no folder")
    target = place / name
    mode = _mode(target)
    if mode is not None and stat.S_ISDIR(mode):
        raise _unusable(path, "a folder is there")
    if content is None:
        if mode is None:
            raise _unusable(path, "there is no such file to remove")
        target.unlink()
        _tidy(tree, target.parent)
        return
    if mode is not None:
        target.unlink()
    runnable = mode is not None and stat.S_ISREG(mode) and mode & stat.S_IXUSR
    try:
        descriptor = os.open(
            target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755 if runnable else 0o644
        )
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _tidy(tree: Path, folder: Path) -> None:
    """Remove folders that hold nothing any more: Git would not know them."""
    while folder != tree and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _mode(place: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # a name that the file system cannot hold
        raise _unusable(place.name, error.strerror or str(error)) from None
