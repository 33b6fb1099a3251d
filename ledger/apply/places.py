"""The places of a work tree, reached through held descriptors of its folders, so that nothing leads outside the root.

Every path is walked from a descriptor of the root, folder by folder, and no link is ever followed: whoever swaps a
folder for a link while files are written finds them written into the folder that was looked at, or not at all.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from t2c.ledger.errors import Conflict, Environment, Refused

__all__ = ["LONGEST", "Place", "Seen", "Tree", "cannot", "place_of", "refuse_reserved", "same_spot"]

LONGEST: Final = 256 << 20
"""Bytes that a file may have which is looked at or replaced."""
_BLOCK: Final = 1 << 20
_RESERVED: Final = frozenset({".git", "git~1", ".t2c", ".dwp"})
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MISSING: Final = (errno.ENOENT,)
_UNHARMED: Final = "nothing was written"
_REMEDIES: Final = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room within the quota",
    errno.EROFS: "make the file system writable",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "raise the limit of open files",
    errno.EBUSY: "the file is a mount of its own: mount the folder that holds it, or ask for a write in place",
    errno.EXDEV: "the file is a mount of its own: mount the folder that holds it, or ask for a write in place",
}


class Place(NamedTuple):
    """A repository path taken apart; `parents` are its folders from the root down."""

    path: str
    parents: tuple[str, ...]
    name: str


class Seen(NamedTuple):
    """A regular file as it was found."""

    content: bytes
    status: os.stat_result


def cannot(path: str, error: OSError, safe: str = _UNHARMED) -> Environment:
    """What the system would not do with a path, with what can be done about it."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    remedy = _REMEDIES.get(error.errno or 0, "make the folder readable and writable")
    return Environment(
        f"{path} cannot be read or written: {reason}",
        where=path,
        safe=safe,
        remedy=f"{remedy}, then run the command again",
        errno=errno.errorcode.get(error.errno or 0),
    )


def place_of(path: str) -> Place:
    """A path inside the root, by its text alone. Raises Refused for every other."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise _refused(path, f"{path!r} is no path inside the repository")
    try:
        longest = max(len(part.encode()) for part in parts)
    except UnicodeEncodeError:
        raise _refused(path, f"{path!r} is not Unicode text") from None
    if longest > 255:
        raise _refused(path, f"{path[:60]!r}… holds a name of {longest} bytes, more than a name can have")
    return Place(path, tuple(parts[:-1]), parts[-1])


def refuse_reserved(place: Place) -> None:
    """Raise Refused for what lies in Git's own folder or in one of t2c's, however that is spelled, and for a name that
    a terminal would not show as it is."""
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in place.path):
        raise _refused(place.path, f"{place.path!r} holds control characters")
    for part in (*place.parents, place.name):
        # On NTFS a file's streams follow its name behind a colon.
        plain = "".join(char for char in part.split(":")[0] if unicodedata.category(char) != "Cf").rstrip(
            " ."
        )
        if unicodedata.normalize("NFKC", plain).casefold() in _RESERVED:
            raise _refused(place.path, f"{place.path} lies in {part}, which is never written to")


def same_spot(path: str) -> str:
    """A path as file systems compare it that take letter case and Unicode forms for the same."""
    return unicodedata.normalize("NFC", path).casefold()


def _refused(path: str, what: str, remedy: str | None = None) -> Refused:
    return Refused(what, where=path, safe=_UNHARMED, remedy=remedy)


class Tree:
    """The folders of a work tree, each opened once and held until the end."""

    def __init__(self, root: Path) -> None:
        """Raises Environment if the root cannot be opened."""
        self._held: dict[tuple[str, ...], int] = {}
        try:
            self._held[()] = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise cannot(str(root), error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every folder."""
        while self._held:
            _close(self._held.popitem()[1])

    def holds(self, parts: tuple[str, ...]) -> bool:
        """True if a folder is held open already."""
        return parts in self._held

    def folder(self, parts: tuple[str, ...]) -> int | None:
        """The descriptor of a folder, None if it or one above it is not there.

        Raises Refused if a part of the way is a link, no folder, or spelled otherwise on disk; Environment if it is a
        file or cannot be opened.
        """
        if (found := self._held.get(parts)) is not None:
            return found
        above = self.folder(parts[:-1])
        if above is None:
            return None
        opened = self._open(above, parts)
        if opened is not None:
            self._held[parts] = opened
        return opened

    def _open(self, above: int, parts: tuple[str, ...]) -> int | None:
        path = "/".join(parts)
        try:
            opened = os.open(parts[-1], _FOLDER, dir_fd=above)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise self._no_folder(above, parts) from None
            raise cannot(path, error) from error
        try:
            self._spelled(above, parts[-1], path, os.fstat(opened))
        except OSError as error:
            _close(opened)
            raise cannot(path, error) from error
        except BaseException:
            _close(opened)
            raise
        return opened

    def _no_folder(self, above: int, parts: tuple[str, ...]) -> Refused | Environment:
        path = "/".join(parts)
        try:
            mode = os.stat(parts[-1], dir_fd=above, follow_symlinks=False).st_mode
        except OSError:
            mode = 0
        if stat.S_ISREG(mode):
            return Environment(
                f"{path} is a file, and nothing can lie in it",
                where=path,
                safe=_UNHARMED,
                remedy="move the file away, or give another path",
                in_the_way=True,
            )
        return _link(path) if stat.S_ISLNK(mode) else _refused(path, f"{path} is no folder")

    def _spelled(self, folder: int, name: str, path: str, status: os.stat_result) -> None:
        """Raise Refused if the file system found another spelling of a name."""
        others = {name.swapcase(), unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)}
        for other in others - {name}:
            try:
                found = os.stat(other, dir_fd=folder, follow_symlinks=False)
            except (OSError, ValueError):
                continue
            if (found.st_dev, found.st_ino) != (status.st_dev, status.st_ino):
                continue
            names = os.listdir(folder)
            if name not in names:
                there = next((one for one in sorted(names) if same_spot(one) == same_spot(name)), other)
                raise _refused(
                    path,
                    f"{path} is spelled {there!r} on disk, and this file system takes the two for the same",
                    "give the path as it is spelled on disk",
                )
            return

    def make(self, parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """Make one folder below one that is held; its parts if it was made, None if it was there. Raises OSError, and
        what `folder` raises."""
        if self.folder(parts) is not None:
            return None
        above = self._held[parts[:-1]]
        os.mkdir(parts[-1], 0o755, dir_fd=above)
        os.fsync(above)
        if self.folder(parts) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/".join(parts))
        return parts

    def drop(self, parts: tuple[str, ...]) -> None:
        """Remove an empty folder and let go of it; one that is not empty or not there stays as it is. Raises OSError."""
        above = self.folder(parts[:-1])
        if (held := self._held.pop(parts, None)) is not None:
            os.close(held)
        if above is None:
            return
        try:
            os.rmdir(parts[-1], dir_fd=above)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            return
        os.fsync(above)

    def nearest(self, parts: tuple[str, ...]) -> int:
        """The descriptor of the nearest folder that is there, on the way to `parts`."""
        while (found := self.folder(parts)) is None:
            parts = parts[:-1]
        return found

    def status(self, place: Place) -> os.stat_result | None:
        """What the file system says of a place now, None where nothing is. Raises what `folder` raises, and OSError."""
        folder = self.folder(place.parents)
        if folder is None:
            return None
        try:
            return os.stat(place.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def look(self, place: Place) -> Seen | None:
        """The regular file at a place; None where there is none.

        Raises Refused for links, everything else that is no plain file, other spellings and files above LONGEST;
        Environment if it cannot be read.
        """
        folder = self.folder(place.parents)
        if folder is None:
            return None
        try:
            file = os.open(place.name, _FILE, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _link(place.path) from None
            if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):
                raise _refused(place.path, f"{place.path} is no plain file") from None
            raise cannot(place.path, error) from error
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise _refused(place.path, f"{place.path} is no plain file")
            self._spelled(folder, place.name, place.path, status)
            return Seen(_content(file, place.path), status)
        except OSError as error:
            raise cannot(place.path, error) from error
        finally:
            _close(file)

    def check_unmoved(self) -> None:
        """Raise Conflict unless every held folder is still the one that its path leads to."""
        for parts, held in sorted(self._held.items()):
            if not parts:
                continue
            ours = os.fstat(held)
            try:
                there = os.stat(parts[-1], dir_fd=self._held[parts[:-1]], follow_symlinks=False)
            except FileNotFoundError:
                there = None
            if there is None or (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino):
                path = "/".join(parts)
                raise Conflict(
                    f"the folder {path} was moved or replaced by somebody else",
                    where=path,
                    safe="what is there now",
                    remedy="run the command again",
                )


def _close(descriptor: int) -> None:
    """Let go of what was only read: an error then says nothing about it."""
    with suppress(OSError):
        os.close(descriptor)


def _link(path: str) -> Refused:
    return _refused(
        path, f"{path} is a symbolic link", "replace the link by a folder or file inside the repository"
    )


def _content(file: int, path: str) -> bytes:
    content = bytearray()
    while part := os.read(file, _BLOCK):
        content += part
        if len(content) > LONGEST:
            raise _refused(path, f"{path} has more than {LONGEST >> 20} MiB")
    return bytes(content)
