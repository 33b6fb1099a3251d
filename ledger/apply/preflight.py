"""Everything that can be known before the first write: whether each file is as it must be and may be replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.apply.base import Wanted, digest
from t2c.ledger.apply.files import told
from t2c.ledger.apply.folders import opened
from t2c.ledger.apply.history import history
from t2c.ledger.apply.places import Place, Seen, Tree, cannot, place_of, refuse_reserved, same_spot
from t2c.ledger.apply.staging import FOLDER
from t2c.ledger.apply.writing import changed_meanwhile
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.events.changes import FileChange

__all__ = ["Work", "inspect", "places_of"]

_NEW_MODE: Final = 0o644
_MOST: Final = 1000
_UNHARMED: Final = "nothing was written"


class Work(NamedTuple):
    """One file: what is wanted, what was seen, the permissions that it will have, and whether it is written over where
    it is because it cannot be replaced in one step."""

    wanted: Wanted
    place: Place
    seen: Seen | None
    mode: int
    over: bool

    @property
    def found(self) -> bool:
        """True if it is as it is wanted."""
        if self.seen is None or self.wanted.after is None:
            return self.seen is None and self.wanted.after is None
        same_mode = self.wanted.mode is None or stat.S_IMODE(self.seen.status.st_mode) == self.mode
        return self.seen.content == self.wanted.after and same_mode

    @property
    def told(self) -> FileChange:
        """The change as events tell it, with permissions."""
        before = None if self.seen is None else stat.S_IMODE(self.seen.status.st_mode)
        return told(self.wanted, before, None if self.wanted.after is None else self.mode)


def places_of(wanted: Sequence[Wanted]) -> list[Place]:
    """The places of what is wanted, by their text alone. Raises Refused for those outside the root or reserved, and for
    two that are one; Usage for none or too many."""
    if not 1 <= len(wanted) <= _MOST:
        raise Usage(f"{len(wanted)} files cannot be applied at once", remedy=f"give 1 to {_MOST}")
    places = [place_of(one.path) for one in wanted]
    named: set[str] = set()
    for place in places:
        refuse_reserved(place)
        if place.path in named:
            raise _refused(place.path, f"{place.path} is wanted twice")
        named.add(place.path)
    for place in places:
        for depth in range(1, len(place.parents) + 1):
            if (above := "/".join(place.parents[:depth])) in named:
                raise _refused(place.path, f"{above} is wanted as a file and as a folder")
    return places


def inspect(
    ledger: Ledger, tree: Tree, wanted: Sequence[Wanted], places: Sequence[Place], in_place: bool
) -> list[Work]:
    """Look at every file, and find out what would keep it from being written.

    Raises Conflict for a file that is not as `before` says, naming who wrote it if the journal tells; Refused for what
    is not ours to replace; Environment for what the system would not let us. Nothing is written.
    """
    seen = [tree.look(place) for place in places]
    works = [_work(*one, in_place) for one in zip(wanted, places, seen, strict=True)]
    if all(work.found for work in works):
        return works
    for work in works:
        if (None if work.seen is None else work.seen.content) != work.wanted.before:
            raise _not_as_before(ledger, work)
        _check_ours(work, in_place)
        _check_folder(tree, work)
    _check_spellings(works)
    _check_kept(ledger.workspace)
    _check_room(ledger.workspace, tree, works)
    return works


def _work(wanted: Wanted, place: Place, seen: Seen | None, in_place: bool) -> Work:
    kept = _NEW_MODE if seen is None else stat.S_IMODE(seen.status.st_mode)
    mode = kept if wanted.mode is None else wanted.mode & 0o7777
    over = in_place and seen is not None and wanted.after is not None and _tied(seen.status) is not None
    return Work(wanted, place, seen, mode, over)


def _tied(status: os.stat_result) -> str | None:
    """Why a file would not be the same file after it was replaced; None if it would."""
    if status.st_nlink > 1:
        return f"has {status.st_nlink} hard links, and a new file in its place would be none of them"
    if os.geteuid() == 0:
        return None
    if status.st_uid != os.geteuid():
        return f"belongs to another user ({status.st_uid}), and would be yours afterwards"
    if status.st_gid not in (os.getegid(), *os.getgroups()):
        return f"belongs to a group ({status.st_gid}) that you are not in, and would lose it"
    return None


def _check_ours(work: Work, in_place: bool) -> None:
    if work.seen is None:
        return
    path, status = work.place.path, work.seen.status
    if not status.st_mode & stat.S_IWUSR:
        raise _refused(path, f"{path} is read-only", f"make it writable if that is meant: chmod u+w {path}")
    if work.wanted.after is None:
        return
    if not in_place and (why := _tied(status)) is not None:
        raise _refused(path, f"{path} {why}", "ask for a write in place, which is no single step")


def _check_folder(tree: Tree, work: Work) -> None:
    if work.over:
        return
    folder = tree.nearest(work.place.parents)
    if not os.access(".", os.W_OK | os.X_OK, dir_fd=folder):
        raise Environment(
            f"the folder of {work.place.path} is not writable",
            where=work.place.path,
            safe=_UNHARMED,
            remedy="make the folder writable, then run the command again",
        )
    if len(work.place.name.encode()) > os.fpathconf(folder, "PC_NAME_MAX"):
        raise _refused(work.place.path, f"the name {work.place.name} is too long for its file system")


def _check_spellings(works: Sequence[Work]) -> None:
    """Refuse two spellings of one file that is there; of files that are not, the second finds the first when written."""
    spots: dict[str, list[Work]] = {}
    for work in works:
        spots.setdefault(same_spot(work.place.path), []).append(work)
    for alike in spots.values():
        identities = [(one.seen.status.st_dev, one.seen.status.st_ino) for one in alike if one.seen]
        if len(set(identities)) < len(identities):
            first, second = alike[0].place.path, alike[1].place.path
            raise _refused(second, f"{first} and {second} are the same file on this file system")


def _check_kept(workspace: Path) -> None:
    """Raise Refused if what is kept would lie elsewhere, Environment if it could not be kept."""
    try:
        with suppress(FileNotFoundError), opened(workspace, FOLDER):
            pass
    except OSError as error:
        raise cannot(str(workspace / FOLDER), error) from error


def _check_room(workspace: Path, tree: Tree, works: Sequence[Work]) -> None:
    """Each content is needed twice for a while, and what was there before once more."""
    needed: dict[int, int] = {}
    free: dict[int, int] = {}
    staged = sum(len(work.wanted.after or b"") + len(work.wanted.before or b"") for work in works)
    try:
        spots: list[tuple[Path | int, int]] = [(workspace, staged)]
        spots += [(tree.nearest(work.place.parents), len(work.wanted.after or b"")) for work in works]
        for spot, size in spots:
            device = os.stat(spot).st_dev  # noqa: PTH116 - of a path or a descriptor
            needed[device] = needed.get(device, 0) + size
            if device not in free:
                room = os.statvfs(spot)
                free[device] = room.f_bavail * room.f_frsize
    except OSError as error:
        raise cannot(str(workspace), error) from error
    for device, size in needed.items():
        if size > free[device]:
            raise Environment(
                f"the disk has room for {free[device]} bytes, and {size} are needed",
                where=works[0].place.path,
                safe=_UNHARMED,
                remedy="make room on the disk, then run the command again",
            )


def _not_as_before(ledger: Ledger, work: Work) -> Exception:
    path = work.place.path
    now = None if work.seen is None else work.seen.content
    winner = history(ledger).writer_of(path, digest(now))
    if winner is None:
        return changed_meanwhile(path)
    one = winner.announced
    who = one.requested_by or "t2c"
    return changed_meanwhile(
        path,
        f"{who} ({one.purpose}, receipt {winner.event} of {winner.ts})",
        winner=winner.event,
        requested_by=one.requested_by,
        at=winner.ts,
    )


def _refused(path: str, what: str, remedy: str | None = None) -> Refused:
    return Refused(what, where=path, safe=_UNHARMED, remedy=remedy)
