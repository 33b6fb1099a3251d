"""What stands at the places that a task touches, whether an ignore rule names them or not (plan-records §4.2 D6).

The fingerprint of a tree does not see ignored files; a task that builds one declares it, and a gate that reads it runs
anew once it is another.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["OUTSIDE", "surface"]

OUTSIDE: Final = "outside-repository"
"""Stands for what lies outside of the root, which is never read."""
_SKIPPED: Final = frozenset({".git", "__pycache__", ".ledger.lock", *INVISIBLE})
_WILD: Final = re.compile(r"[*?\[]")
_READ: Final = 1 << 20


def surface(root: Path, entries: Iterable[str]) -> dict[str, str | None]:
    """The digest of each entry, a file, a folder or a glob, relative to `root` or absolute; None where nothing is.

    A file counts with its content, a folder with all files below it, a link with its text: none is followed. Raises
    Environment for what cannot be read.
    """
    top = os.path.realpath(root)
    try:
        return {entry: _digest(top, entry) for entry in sorted(set(entries))}
    except (OSError, ValueError, RecursionError) as error:
        why = (
            "folders lie too deep" if isinstance(error, RecursionError) else getattr(error, "strerror", None)
        )
        raise Environment(
            f"what a task touches cannot be read: {why or error}",
            where=str(getattr(error, "filename", None) or root),
            safe="nothing was changed",
            remedy="make it readable",
        ) from error


def _digest(top: str, entry: str) -> str | None:
    place = os.path.normpath(os.path.join(top, entry))  # noqa: PTH118 - names need be no text
    wild = _WILD.search(place, len(top) if place.startswith(top) else 0)
    literal = place if wild is None else place[: wild.start()].rpartition("/")[0] or "/"
    if not _inside(top, literal):
        return OUTSIDE
    if wild is not None and not os.path.lexists(place):
        found = sorted(set(_matching(top, place)))
        return _summed(found, top) if found else None
    try:
        mode = os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(mode):
        return _summed(sorted(_below(place)), place)
    return _content(place, mode)


def _inside(top: str, place: str) -> bool:
    return place == top or (os.path.realpath(place) + "/").startswith(top + "/")


def _matching(top: str, pattern: str) -> Iterator[str]:
    start = glob.escape(top) + pattern[len(top) :] if pattern.startswith(top) else pattern
    for place in glob.iglob(start, recursive=True, include_hidden=True):  # noqa: PTH207 - it takes any root
        parts = os.path.relpath(place, top).split("/")
        if stat.S_ISREG(os.lstat(place).st_mode) and _inside(top, place) and _SKIPPED.isdisjoint(parts):
            yield place


def _below(top: str) -> Iterator[str]:
    folders = [top]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name in _SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield entry.path


def _summed(places: Iterable[str], top: str) -> str:
    whole = sha256()
    for place in places:
        name = os.fsencode(os.path.relpath(place, top))
        whole.update(b"%d\0%b\0%b" % (len(name), name, _content(place, os.lstat(place).st_mode).encode()))
    return whole.hexdigest()


def _content(place: str, mode: int) -> str:
    if stat.S_ISLNK(mode):
        return sha256(b"link\0" + os.fsencode(os.readlink(place))).hexdigest()  # noqa: PTH115
    if not stat.S_ISREG(mode):
        return "special"
    summed = sha256()
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while block := os.read(descriptor, _READ):
            summed.update(block)
    finally:
        os.close(descriptor)
    return summed.hexdigest()
