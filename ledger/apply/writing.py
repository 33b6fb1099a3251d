"""One file changed in one step, through the held descriptor of its folder: temporary beside it, fsync, rename.

Temporaries bear the event that announced them, so that whoever comes after a crash knows which they may remove.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from t2c.ledger.apply.places import Place, Tree
from t2c.ledger.apply.staging import copy_attributes, write_all
from t2c.ledger.errors import Conflict

__all__ = [
    "MOUNTED",
    "Temporary",
    "changed_meanwhile",
    "remove",
    "replace",
    "same",
    "sweep",
    "temporary",
    "write_over",
]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OVER: Final = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MOUNTED: Final = (errno.EBUSY, errno.EXDEV)
"""What a rename says of a file that is a mount of its own."""
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES)


class Temporary(NamedTuple):
    """A file beside its target, whole and durable, that is to take its place."""

    name: str
    identity: tuple[int, int]


def _stem(announced: str) -> str:
    return f".t2c-{announced.removeprefix('EVT-')}-"


def temporary(
    tree: Tree,
    place: Place,
    announced: str,
    number: int,
    content: bytes,
    mode: int,
    model: tuple[int, os.stat_result | None] | None,
) -> Temporary:
    """Write a content beside its place, whose folder is there. Raises OSError.

    `model` is a descriptor whose extended attributes are copied, and the status of which owner and group are.
    """
    folder = _folder(tree, place)
    name = f"{_stem(announced)}{number}.tmp"
    try:
        file = os.open(name, _NEW, 0o600, dir_fd=folder)
    except FileExistsError:  # an attempt before left it
        os.unlink(name, dir_fd=folder)
        file = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        write_all(file, content)
        if model is not None:
            _same_owner(file, model[1])
            copy_attributes(model[0], file)
        os.fchmod(file, mode)
        os.fsync(file)
        status = os.fstat(file)
    finally:
        os.close(file)
    return Temporary(name, (status.st_dev, status.st_ino))


def _same_owner(file: int, wanted: os.stat_result | None) -> None:
    if wanted is None:
        return
    made = os.fstat(file)
    if (made.st_uid, made.st_gid) != (wanted.st_uid, wanted.st_gid):
        os.fchown(file, wanted.st_uid, wanted.st_gid)


def _folder(tree: Tree, place: Place) -> int:
    folder = tree.folder(place.parents)
    if folder is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.path)
    return folder


def replace(tree: Tree, place: Place, made: Temporary, expected: os.stat_result | None) -> None:
    """Put a temporary at its place, in one step. `expected` is what was there when it was looked at, None for nothing.

    Raises Conflict if that is not there any more, OSError.
    """
    folder = _folder(tree, place)
    if expected is None:
        _put_new(tree, place, made, folder)
        return
    _check(tree, place, expected)
    os.rename(made.name, place.name, src_dir_fd=folder, dst_dir_fd=folder)


def _put_new(tree: Tree, place: Place, made: Temporary, folder: int) -> None:
    """A link, unlike a rename, takes nobody's place."""
    try:
        os.link(made.name, place.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise changed_meanwhile(place.path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _check(tree, place, None)
        os.rename(made.name, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(made.name, dir_fd=folder)


def remove(tree: Tree, place: Place, expected: os.stat_result) -> None:
    """Remove the file that was looked at. Raises Conflict if it is another by now, OSError."""
    _check(tree, place, expected)
    os.unlink(place.name, dir_fd=_folder(tree, place))


def write_over(
    tree: Tree, place: Place, content: bytes, mode: int | None, expected: os.stat_result | None
) -> None:
    """Write a content where the file is, not in one step: a crash leaves a part of it. Raises Conflict, OSError."""
    file = os.open(place.name, _OVER, dir_fd=_folder(tree, place))
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or (expected is not None and not same(status, expected)):
            raise changed_meanwhile(place.path)
        write_all(file, content)
        os.ftruncate(file, len(content))
        if mode is not None and stat.S_IMODE(status.st_mode) != mode:
            os.fchmod(file, mode)
        os.fsync(file)
    finally:
        os.close(file)


def _check(tree: Tree, place: Place, expected: os.stat_result | None) -> None:
    now = tree.status(place)
    if (now is None) != (expected is None) or (
        now is not None and expected is not None and not same(now, expected)
    ):
        raise changed_meanwhile(place.path)


def same(one: os.stat_result, other: os.stat_result) -> bool:
    """True if a file is the same and was not written since."""
    return (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) == (
        other.st_dev, other.st_ino, other.st_size, other.st_mtime_ns, other.st_ctime_ns,
    )  # fmt: skip


def changed_meanwhile(path: str, by: str = "somebody else", **details: object) -> Conflict:
    """A file is not as it was when it was looked at."""
    return Conflict(
        f"{path} was changed by {by}",
        where=path,
        safe="the file as it is now",
        remedy="look at it, then run the command again",
        **details,
    )


def sweep(tree: Tree, folders: Iterable[tuple[str, ...]], announced: str) -> None:
    """Remove the temporaries of one apply from these folders. Raises OSError, and what `Tree.folder` raises."""
    left = re.compile(re.escape(_stem(announced)) + r"\d+\.tmp")
    for parts in sorted(set(folders)):
        folder = tree.folder(parts)
        if folder is None:
            continue
        names = [name for name in os.listdir(folder) if left.fullmatch(name)]  # noqa: PTH208
        for name in names:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
        if names:
            os.fsync(folder)
