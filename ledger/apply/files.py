"""A set of files that is to be as it is wanted: looked at first, announced, written one by one, receipted.

Nothing outside the root and nothing behind a symbolic link is ever touched. Each file is whole at every instant; a
crash between two of them is told by the announcement that has no receipt, and mended by doing it again.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused
from t2c.ledger.events.changes import ApplyAnnounced, ApplyReceipted, FileChange
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.files import make_folder, read_regular, sync_folder, write_atomically

__all__ = ["Change", "announcement", "carry_out", "digest", "look", "receipt"]

_LONGEST: Final = 256 << 20


class Change(NamedTuple):
    """A file as it is and as it is wanted; None where there is none."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def told(self) -> FileChange:
        """The change as events tell it."""
        return FileChange(path=self.path, before=digest(self.before), after=digest(self.after))


def digest(content: bytes | None) -> str | None:
    """SHA-256 of a content in hex; None of none."""
    return None if content is None else sha256(content).hexdigest()


def look(root: Path, path: str) -> bytes | None:
    """The content of a regular file below the root; None if there is none.

    Raises Refused if a part of the path is a symbolic link or the file is none, Environment if it cannot be read.
    """
    place = _safe(root, path)
    try:
        return read_regular(place, _LONGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise Refused(f"{path} is no plain file", where=path, safe="nothing was written") from None
        raise _cannot(path, error) from error


def _safe(root: Path, path: str) -> Path:
    """The place of a repository path, no part of which is a link or leads out."""
    place = root
    for part in path.split("/"):
        if part in ("", ".", "..") or "\0" in part:
            raise Refused(
                f"{path!r} is no path inside the repository", where=path, safe="nothing was written"
            )
        place = place / part
        try:
            mode = place.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise _cannot(path, error) from error
        if stat.S_ISLNK(mode):
            raise Refused(
                f"{place.relative_to(root).as_posix()} is a symbolic link",
                where=path,
                safe="nothing was written",
                remedy="replace the link by a folder or file inside the repository",
            )
    return place


def announcement(purpose: str, changes: Sequence[Change], cause: tuple[str | int, ...]) -> EventDraft:
    """The event that comes before the first write."""
    told = ApplyAnnounced(purpose=purpose, files=tuple(change.told for change in changes))
    return draft(told, cause=cause)


def carry_out(root: Path, changes: Sequence[Change]) -> None:
    """Write and remove, under a lock that no other writer of these files holds. Raises at the first that cannot be
    done; those before it are.

    Conflict if a file is no longer as it was when it was looked at, Refused for links, Environment for the disk.
    """
    for path, before, after in changes:
        place = _safe(root, path)
        if look(root, path) != before:
            raise Conflict(
                f"{path} was changed by somebody else",
                where=path,
                safe="the file as it is now",
                remedy="run the command again",
            )
        try:
            if after is None:
                place.unlink(missing_ok=True)
                sync_folder(place.parent)
            else:
                make_folder(place.parent)
                write_atomically(place, after, mode=_mode(place))
                _sweep(place)
        except OSError as error:
            raise _cannot(path, error) from error


def _sweep(place: Path) -> None:
    """Remove what a writer that was killed left beside a file."""
    left = re.compile(re.escape(f".{place.name}.") + r"\d+-\d+\.tmp")
    for beside in place.parent.iterdir():
        if left.fullmatch(beside.name):
            beside.unlink(missing_ok=True)


def _mode(place: Path) -> int:
    """The permissions of what is replaced."""
    try:
        return stat.S_IMODE(os.lstat(place).st_mode)
    except OSError:
        return 0o644


def receipt(ledger: Ledger, announced: str, changes: Sequence[Change]) -> Receipt:
    """Record that what was announced is done."""
    told = ApplyReceipted(announced=announced, files=tuple(change.told for change in changes))
    return ledger.append([draft(told, cause=(announced,))])[0]


def _cannot(path: str, error: OSError) -> Environment:
    return Environment(
        f"{path} cannot be read or written: {error.strerror}",
        where=path,
        safe="the journal",
        remedy="make the folder writable, then run the command again",
    )
