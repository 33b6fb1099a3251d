"""A copy of a tree in a private folder, to try something in: the work tree never changes.

It holds what the fingerprint of a tree counts: what Git tracks and what no ignore rule of the repository names, as it
is on the disk, or a commit. There is no `.git` in it, no `.t2c` and no `.dwp`. Links stay links; one that leads out of
the tree is left out, since what is written through it would be written outside.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment, Refused, Usage
from t2c.ledger.execution.filters import without_filters
from t2c.ledger.execution.overlay import lay_over
from t2c.ledger.execution.private import private_folder, remove_tree
from t2c.ledger.execution.worktrees import commit_of, detached, usable_repository
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["ROOM", "Room", "scratch_copy"]

_HIDDEN: Final = frozenset(os.fsencode(name) for name in (*INVISIBLE, ".git"))
_FICLONE: Final = 0x40049409
_BLOCK: Final = 1 << 20
_LIST: Final = (
    "-c",
    "core.excludesFile=/dev/null",
    "-c",
    "core.untrackedCache=false",
    "ls-files",
    "-z",
    "--cached",
)


class Room(NamedTuple):
    """How many files and bytes a copy may have."""

    files: int
    size: int


ROOM: Final = Room(200_000, 4 << 30)


def _unheard(warning: Warning) -> None:
    """Tells nobody."""


@contextmanager
def scratch_copy(
    source: Path | tuple[Path, str],
    overlay: Mapping[str, bytes | None] | None = None,
    *,
    room: Room = ROOM,
    also: Collection[str] = (),
    warn: Callable[[Warning], object] = _unheard,
) -> Iterator[Path]:
    """A copy of the tree `source`, or of a revision of it, with an overlay; it is gone when the context ends.

    `also` are ignored folders or files to be copied all the same, by their paths, such as `node_modules`; they count
    for a tree only. `warn` is told what is left out: links that lead out of the tree, and what is no file. Raises Usage for an
    overlay that cannot be laid and for what names no commit, Refused for what exceeds `room`, Environment for what
    cannot be read or written.
    """
    root = (source[0] if isinstance(source, tuple) else source).resolve()
    with private_folder(root) as folder:
        tree = folder / "tree"
        try:
            if isinstance(source, tuple):
                _check_out(root, source[1], tree, room)
            else:
                _copy(root, tree, room, also, warn)
            _drop_links(tree, warn)
            lay_over(tree, overlay or {})
        except OSError as error:
            raise Environment(
                f"a copy of the tree cannot be made: {error.strerror or error}",
                where=str(error.filename or root),
                safe="the work tree is untouched",
                remedy="make it readable, free some space, or set TMPDIR to a folder with more of it",
            ) from error
        yield tree


class _Load:
    """What has been put into a copy so far. Raises Refused once it is too much."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._files = self._size = 0

    def add(self, size: int) -> None:
        self._files += 1
        self._size += size
        if self._files > self._room.files or self._size > self._room.size:
            raise Refused(
                f"the tree is too large to be copied: more than {self._room.files} files or {self._room.size} bytes",
                safe="the work tree is untouched",
                remedy="leave what is not needed out by an ignore rule, or allow more",
            )


def _copy(
    root: Path, tree: Path, room: Room, also: Collection[str], warn: Callable[[Warning], object]
) -> None:
    top, target = os.fsencode(root), os.fsencode(tree)
    load, copier = _Load(room), _Copier()
    folders = {b"": True}

    def made(folder: bytes) -> bool:
        """True once the folder is in the copy; False if there is none, or a link in its place."""
        missing = []
        while folder not in folders:
            missing.append(folder)
            folder = folder.rpartition(b"/")[0]
        there = folders[folder]
        for folder in reversed(missing):
            there = folders[folder] = there and _is_folder(top + b"/" + folder)
            if there:
                os.mkdir(target + b"/" + folder)  # noqa: PTH102 - names are bytes
        return there

    tree.mkdir()
    for name in dict.fromkeys([*_listed(root), *_asked(root, also)]):
        if not made(name.rpartition(b"/")[0]):
            continue  # tracked, and deleted
        place = top + b"/" + name
        try:
            found = os.lstat(place)
        except FileNotFoundError:
            continue
        if stat.S_ISREG(found.st_mode):
            load.add(found.st_size)
            copier.copy(place, target + b"/" + name, found)
        elif stat.S_ISLNK(found.st_mode):
            load.add(0)
            os.symlink(os.readlink(place), target + b"/" + name)  # noqa: PTH115, PTH211
        else:
            warn(Warning("copy", repository_name(name), "special_file", "it is no file, link or folder"))


def _is_folder(place: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(place).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _listed(root: Path, prefix: bytes = b"") -> Iterator[bytes]:
    """Names of what a tree holds, in byte order; those of a repository inside it come in its place."""
    try:
        with open_repository(root) as git:
            names = _known_to_git(git)
    except GitUnusable as unusable:
        if unusable.reason != "not_a_repository":
            raise Environment(
                f"the work tree cannot be copied: {unusable.detail}",
                where=str(root),
                safe="nothing was changed",
            ) from None
        names = list(_in_folder(root))
    for name in names:
        place = os.path.join(os.fsencode(root), name)  # noqa: PTH118
        if not _HIDDEN.isdisjoint(name.split(b"/")):
            continue
        if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114
            if os.path.lexists(place + b"/.git"):
                yield from _listed(Path(os.fsdecode(place)), prefix + name.rstrip(b"/") + b"/")
        else:
            yield prefix + name


def _known_to_git(git: Repository) -> list[bytes]:
    if git.work_tree is None:
        raise GitUnusable("git_failed", "a bare repository has no work tree")
    with git.output(*without_filters(git), *_LIST, "--others", "--exclude-standard", "--", ".") as out:
        return sorted(set(out.read().split(b"\0")) - {b""})


def _in_folder(root: Path) -> Iterator[bytes]:
    """Every file and link of a folder that is in no repository, and the repositories below it."""
    folders = [b""]
    top = os.fsencode(root)
    while folders:
        prefix = folders.pop()
        with os.scandir(top + b"/" + prefix) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                name = prefix + entry.name
                if entry.name in _HIDDEN:
                    continue
                plain = entry.is_dir(follow_symlinks=False) and not os.path.lexists(entry.path + b"/.git")
                if plain:
                    folders.append(name + b"/")
                else:
                    yield name


def _asked(root: Path, also: Iterable[str]) -> Iterator[bytes]:
    """What lies in ignored places that are wanted nonetheless."""
    for path in also:
        parts = path.split("/")
        if (
            path.startswith("/")
            or ".." in parts
            or "" in parts
            or not _HIDDEN.isdisjoint(map(os.fsencode, parts))
        ):
            raise Usage(f"{path!r} is no path of the tree", safe="nothing was copied")
        place, name = root / path, os.fsencode(path)
        if place.is_symlink() or not place.is_dir():
            yield name
        else:
            yield from (name + b"/" + inner for inner in _in_folder(place))


class _Copier:
    """Copies files, by sharing their blocks where the file system can."""

    def __init__(self) -> None:
        self._shares = sys.platform == "linux"

    def copy(self, source: bytes, target: bytes, found: os.stat_result) -> None:
        reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            mode = 0o755 if found.st_mode & stat.S_IXUSR else 0o644
            writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            try:
                if found.st_size and not self._shared(reading, writing):
                    _transfer(reading, writing)
                # What is built by age, as make does, is not built anew.
                os.utime(writing, ns=(found.st_atime_ns, found.st_mtime_ns))
            finally:
                os.close(writing)
        finally:
            os.close(reading)

    def _shared(self, reading: int, writing: int) -> bool:
        if self._shares:
            import fcntl

            try:
                fcntl.ioctl(writing, _FICLONE, reading)
            except OSError:
                self._shares = False
        return self._shares


def _transfer(reading: int, writing: int) -> None:
    with suppress(OSError, AttributeError):
        while os.copy_file_range(reading, writing, _BLOCK):
            pass
    # What is left if the system cannot do that between these two.
    while block := os.read(reading, _BLOCK):
        view = memoryview(block)
        while view:
            view = view[os.write(writing, view) :]


def _check_out(root: Path, revision: str, tree: Path, room: Room) -> None:
    """The folder `root` as it was at a revision, without anything that leads to the repository."""
    with usable_repository(root) as git:
        commit = commit_of(git, revision)
        _weigh(git, commit, room)
        with git.output("rev-parse", "--show-prefix") as out:
            prefix = out.read().removesuffix(b"\n").removesuffix(b"/")
    with detached(root, commit) as worktree:
        found = os.fsencode(worktree.path) + (b"/" + prefix if prefix else b"")
        if os.path.islink(found) or not os.path.isdir(found):  # noqa: PTH112, PTH114
            raise Usage(
                f"{os.fsdecode(prefix)} was no folder at {commit[:12]}",
                safe="nothing was changed",
                remedy="name a later revision, or copy the whole repository",
            )
        os.rename(found, tree)  # noqa: PTH104
    _hide(tree)


def _weigh(git: Repository, commit: str, room: Room) -> None:
    load = _Load(room)
    with git.output("ls-tree", "-r", "-l", "-z", commit, "--", ".") as out:
        for row in out.read().split(b"\0"):
            if row:
                size = row.partition(b"\t")[0].split()[3]
                load.add(int(size) if size.isdigit() else 0)


def _hide(tree: Path) -> None:
    """Remove what a commit tracks of folders that nothing sees."""
    for folder, folders, files in os.walk(os.fsencode(tree)):
        for name in sorted(_HIDDEN.intersection(folders)):
            folders.remove(name)
            remove_tree(Path(os.fsdecode(folder + b"/" + name)))
        for name in _HIDDEN.intersection(files):
            os.unlink(folder + b"/" + name)  # noqa: PTH108


def _drop_links(tree: Path, warn: Callable[[Warning], object]) -> None:
    """Remove the links that lead out of the copy, through others or by themselves."""
    top = os.fsencode(tree)
    outside, folders = [], [top]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    end = os.path.realpath(entry.path)
                    if end != top and not end.startswith(top + b"/"):
                        outside.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    for place in sorted(outside):
        name = place.removeprefix(top + b"/")
        target = repository_name(os.readlink(place))  # noqa: PTH115
        os.unlink(place)  # noqa: PTH108
        warn(Warning("copy", repository_name(name), "link_outside", f"it leads out of the tree, to {target}"))
