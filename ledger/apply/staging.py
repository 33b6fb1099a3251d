"""What an apply needs to be finished or taken back, whatever happens: both contents of each file, in the ledger's folder.

They last before the first target is touched. Those from before are kept after the receipt, for whoever takes it back
later; they are never exported and never tracked.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.apply.history import event_of
from t2c.ledger.apply.places import LONGEST
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.files import make_folder, read_regular, sync_folder, write_atomically

__all__ = ["FOLDER", "Copies", "Staging", "copy_attributes", "kept_before", "write_all"]

FOLDER: Final = "applies"
_EVENT: Final = re.compile(r"EVT-[0-9a-f]{20}\Z")
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
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
    """The folder of one apply. Files in it are named by the place that they have in the announcement."""

    def __init__(self, workspace: Path, announced: str) -> None:
        assert _EVENT.match(announced), announced
        self.folder = workspace / FOLDER / announced

    def keep(self, copies: Sequence[Copies], folders: Sequence[str]) -> None:
        """Keep all contents, and which folders are about to be made, durably. Raises OSError."""
        make_folder(self.folder.parent)
        self.folder.parent.chmod(0o700)
        ignore = self.folder.parent / ".gitignore"
        if not ignore.exists():
            write_atomically(ignore, b"# made by t2c: what files held before is not tracked\n*\n")
        self.folder.mkdir(0o700)
        for kind in ("before", "after"):
            inner = self.folder / kind
            inner.mkdir(0o700)
            for number, copy in enumerate(copies):
                content = copy.before if kind == "before" else copy.after
                if content is None:
                    continue
                with copy.model if kind == "before" else nullcontext() as model:
                    _put(inner / str(number), content, model)
            sync_folder(inner)
        _put(self.folder / "folders", msgspec.json.encode(list(folders)), None)
        sync_folder(self.folder)
        sync_folder(self.folder.parent)

    def content(self, kind: str, number: int, digest: str | None) -> bytes | None:
        """One content; None if it is not kept, or not as its digest says."""
        try:
            content = read_regular(self.path(kind, number), LONGEST + 1)
        except OSError:
            return None
        return content if sha256(content).hexdigest() == digest else None

    def path(self, kind: str, number: int) -> Path:
        """Where a content is or would be."""
        return self.folder / kind / str(number)

    def folders(self) -> list[str]:
        """The folders that the apply was about to make, those above first."""
        try:
            return msgspec.json.decode((self.folder / "folders").read_bytes(), type=list[str])
        except (OSError, msgspec.DecodeError):
            return []

    def finish(self) -> None:
        """Remove what nobody needs after the receipt."""
        with suppress(OSError):
            shutil.rmtree(self.folder / "after", ignore_errors=True)
        with suppress(OSError):
            (self.folder / "folders").unlink(missing_ok=True)
        with suppress(OSError):
            (self.folder / "before").rmdir()  # an apply that only made files keeps nothing
            self.folder.rmdir()

    def remove(self) -> None:
        """Remove everything: nothing is to be taken back or finished any more."""
        with suppress(OSError):
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def finished(self) -> bool:
        """True if nothing is there but what is kept for good."""
        return not (self.folder / "after").exists() and not (self.folder / "folders").exists()


def _put(target: Path, content: bytes, model: int | None) -> None:
    file = os.open(target, _NEW, 0o600)
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
