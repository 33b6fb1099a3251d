"""What an apply needs to be finished or taken back, whatever happens: both contents of each file, in the ledger's folder.

They last before the first target is touched. Those from before are kept after the receipt, for whoever takes it back
later; they are never exported and never tracked.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.apply.folders import opened
from t2c.ledger.apply.history import event_of
from t2c.ledger.apply.places import LONGEST
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused

__all__ = ["FOLDER", "Copies", "Staging", "copy_attributes", "kept_before", "write_all"]

FOLDER: Final = "applies"
_EVENT: Final = re.compile(r"EVT-[0-9a-f]{20}\Z")
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOTES: Final = ("folders", "over", "begun")
_IGNORING: Final = ".gitignore.new"
_UNKEEPABLE: Final = (errno.ENOTSUP, errno.EPERM)


class Copies(NamedTuple):
    """The contents of one file; `model` opens the file before, whose attributes are kept too."""

    before: bytes | None
    after: bytes | None
    model: AbstractContextManager[int | None] = nullcontext()


class _Path(msgspec.Struct):
    path: str
    before: str | None


class _Announcement(msgspec.Struct):
    files: tuple[_Path, ...]


class Staging:
    """The folder of one apply. Files in it are named by the place that they have in the announcement.

    Beside the contents lie notes: which folders are about to be made, which files are written over where they are, and
    a mark from right before the first file is touched; and in `other` what a person decided to have written over.
    """

    def __init__(self, workspace: Path, announced: str) -> None:
        assert _EVENT.match(announced), announced
        self._workspace, self._name = workspace, announced
        self.folder = workspace / FOLDER / announced

    def _opened(self, *inner: str, make: bool = False) -> AbstractContextManager[int]:
        return opened(self._workspace, FOLDER, self._name, *inner, make=make)

    def keep(self, copies: Sequence[Copies], folders: Sequence[str], over: Sequence[int]) -> None:
        """Keep all contents and notes durably. Raises OSError, Refused for a link in the way."""
        with opened(self._workspace, FOLDER, make=True) as above:
            os.fchmod(above, 0o700)
            _ignore(above)
            os.mkdir(self._name, 0o700, dir_fd=above)
            os.fsync(above)
        with self._opened() as folder:
            for kind in ("before", "after"):
                os.mkdir(kind, 0o700, dir_fd=folder)
                with self._opened(kind) as inner:
                    for number, copy in enumerate(copies):
                        content = copy.before if kind == "before" else copy.after
                        if content is None:
                            continue
                        with copy.model if kind == "before" else nullcontext() as model:
                            _put(inner, str(number), content, model)
                    os.fsync(inner)
            _put(folder, "folders", msgspec.json.encode(list(folders)), None)
            _put(folder, "over", msgspec.json.encode(list(over)), None)
            os.fsync(folder)

    def begin(self) -> None:
        """Note durably that files are touched from here on. Raises OSError."""
        with self._opened() as folder:
            _put(folder, "begun", b"", None)
            os.fsync(folder)

    @property
    def begun(self) -> bool:
        """True if files may have been touched."""
        return self._has("begun")

    def content(self, kind: str, number: int, digest: str | None) -> bytes | None:
        """One content; None if it is not kept, or not as its digest says."""
        try:
            content = self._read(kind, name=str(number))
        except (OSError, Refused):
            return None
        return content if sha256(content).hexdigest() == digest else None

    def model(self, number: int) -> int | None:
        """The kept file from before, opened for its attributes; None if there is none. Raises OSError."""
        try:
            with self._opened("before") as folder:
                return os.open(str(number), _OLD, dir_fd=folder)
        except FileNotFoundError:
            return None

    def keep_other(self, number: int, content: bytes) -> Path:
        """Keep durably what is neither as before nor as wanted, for good; where it lies. Raises OSError, Refused."""
        with opened(self._workspace, FOLDER, make=True) as above:
            _ignore(above)
        with self._opened("other", make=True) as folder:
            for name in (str(number) if turn == 0 else f"{number}.{turn}" for turn in count()):
                try:
                    _put(folder, name, content, None)
                    os.fsync(folder)
                except FileExistsError:
                    if self._read("other", name=name) != content:
                        continue
                return self.folder / "other" / name
        raise AssertionError

    def folders(self) -> list[str]:
        """The folders that the apply was about to make, those above first."""
        try:
            return msgspec.json.decode(self._read(name="folders"), type=list[str])
        except (OSError, Refused, msgspec.DecodeError):
            return []

    def over(self) -> frozenset[int]:
        """The places of the files that are written over where they are."""
        try:
            return frozenset(msgspec.json.decode(self._read(name="over"), type=list[int]))
        except (OSError, Refused, msgspec.DecodeError):
            return frozenset()

    def finish(self) -> None:
        """Remove what nobody needs after the outcome is recorded: all but what is kept for good."""
        with suppress(OSError, Refused), self._opened() as folder:
            shutil.rmtree("after", ignore_errors=True, dir_fd=folder)
            _unlink(folder, *_NOTES)
            with suppress(OSError):
                os.rmdir("before", dir_fd=folder)  # an apply that only made files keeps nothing
        with suppress(OSError, Refused), opened(self._workspace, FOLDER) as above:
            os.rmdir(self._name, dir_fd=above)

    def clear(self) -> None:
        """Remove what is needed neither to take back nor to finish, once every file is as before: all but the mark, so
        that whoever comes before the outcome is recorded still knows that files may have been touched."""
        with suppress(OSError, Refused), self._opened() as folder:
            for kind in ("after", "before"):
                shutil.rmtree(kind, ignore_errors=True, dir_fd=folder)
            _unlink(folder, "folders", "over")

    @property
    def finished(self) -> bool:
        """True if nothing is there but what is kept for good."""
        return not self._has("after", *_NOTES)

    def _has(self, *names: str) -> bool:
        """True if any of these is there."""
        with suppress(OSError, Refused), self._opened() as folder:
            for name in names:
                with suppress(FileNotFoundError):
                    os.stat(name, dir_fd=folder, follow_symlinks=False)
                    return True
        return False

    def _read(self, *inner: str, name: str) -> bytes:
        with self._opened(*inner) as folder:
            file = os.open(name, _OLD, dir_fd=folder)
        with open(file, "rb") as stream:  # noqa: PTH123 - of a descriptor
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise OSError(errno.EINVAL, "it is no plain file", name)
            return stream.read(LONGEST + 1)


def _ignore(folder: int) -> None:
    """Keep what lies in a folder out of Git's sight."""
    with suppress(FileNotFoundError):
        os.stat(".gitignore", dir_fd=folder, follow_symlinks=False)
        return
    _unlink(folder, _IGNORING)
    _put(folder, _IGNORING, b"# made by t2c: what files held before is not tracked\n*\n", None)
    os.rename(_IGNORING, ".gitignore", src_dir_fd=folder, dst_dir_fd=folder)


def _unlink(folder: int, *names: str) -> None:
    for name in names:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _put(folder: int, name: str, content: bytes, model: int | None) -> None:
    file = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        write_all(file, content)
        if model is not None:
            owner = os.fstat(model)
            with suppress(PermissionError):
                os.fchown(file, owner.st_uid, owner.st_gid)
            copy_attributes(model, file)
        os.fsync(file)
    finally:
        os.close(file)


def write_all(file: int, content: bytes) -> None:
    """Write the whole of a content. Raises OSError."""
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def copy_attributes(model: int, file: int) -> None:
    """Give a file the extended attributes of another, access lists among them, where the file system lets us.

    Raises OSError for anything but that it is not supported or not allowed.
    """
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(model)
    except OSError as error:
        if error.errno in _UNKEEPABLE:
            return
        raise
    for name in names:
        try:
            os.setxattr(file, name, os.getxattr(model, name))
        except OSError as error:
            if error.errno in (*_UNKEEPABLE, errno.ENODATA) or name.startswith("security."):
                continue
            raise


def kept_before(ledger: Ledger, announced: str, path: str) -> bytes | None:
    """What a file held before an apply; None if it did not exist, or what is kept is not there or not as it was.

    Only t2c's own folder is asked: a clone of a tracked ledger has none.
    """
    if not _EVENT.match(announced):
        return None
    entry = event_of(ledger, announced)
    if entry is None or entry.type != "apply.announced":
        return None
    try:
        files = msgspec.json.decode(entry.data, type=_Announcement).files
    except msgspec.DecodeError:
        return None
    for number, file in enumerate(files):
        if file.path == path:
            return Staging(ledger.workspace, entry.id).content("before", number, file.before)
    return None
