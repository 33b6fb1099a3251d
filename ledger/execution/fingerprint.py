"""What a work tree holds, in one digest: the commit it stands on, and each path that is not as that commit has it.

Equal trees on one commit, of which the same is staged, have equal fingerprints, wherever they lie; any change of
content, executable bit or link gives another one (plan-records §3.3 A4, §4.2 D5–D7). Files that an ignore rule of the
repository names, `.git`, `.t2c` and `.dwp` do not count (decisions A8). Links are read and not followed. Git's own
notes of what it need not look at (assume-unchanged, skip-worktree) are not believed, no filter runs, and line ends
that Git would convert count as they are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment
from t2c.ledger.execution.converted import converted
from t2c.ledger.execution.filters import without_filters
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["ChangedPath", "Fingerprint", "fingerprint"]

_READ: Final = 1 << 20
_SETTINGS: Final = (
    "core.excludesFile=/dev/null", "core.fileMode=true", "core.ignoreStat=false", "core.trustctime=true",
    "core.checkStat=default", "core.untrackedCache=false",
)  # fmt: skip
_STATUS: Final = (
    "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=no", "--ignore-submodules=none", "--no-renames",
    "--", ".",
)  # fmt: skip
_UNSEEN: Final = frozenset(os.fsencode(name) for name in (*INVISIBLE, ".git"))
_GITLINK: Final = "160000"
_SPECIAL: Final = "special"


class ChangedPath(NamedTuple):
    """A path that is not as the commit has it.

    `status` is Git's two letters, or `h` or `S` for a file that Git was told not to look at, or `e` for one that it calls
    unchanged though the ends of its lines are not the commit's. `mode` is 100644, 100755,
    120000 (a link), 160000 (a repository of its own), `special`, or None if nothing is there. `digest` is SHA-256 of
    the content or of the link's text, and of such a repository its own fingerprint.
    """

    status: str
    path: str
    mode: str | None
    digest: str | None

    @property
    def told(self) -> bool:
        """True if Git says that it changed; False if Git was told not to look, so that it may be as it was, or to convert."""
        return self.status not in ("h", "S", "e")


class Fingerprint(NamedTuple):
    """`digest` stands for all of it. `revision` is the commit, None without one; outside Git all files are `changed`."""

    digest: str
    revision: str | None
    changed: tuple[ChangedPath, ...]

    @property
    def dirty(self) -> str:
        """Status and path, one a line, as Git tells it; empty if everything is as the commit has it."""
        return "".join(f"{item.status} {item.path}\n" for item in self.changed if item.told)


def fingerprint(root: Path) -> Fingerprint:
    """The fingerprint of `root`: a work tree, a folder of one, or a folder that is in none.

    Costs a status of Git and the reading of what changed. Raises Environment for what cannot be read.
    """
    return _taken(root.resolve())


def _taken(root: Path) -> Fingerprint:
    try:
        with open_repository(root) as git:
            if git.work_tree is None:
                raise _unreadable(root, "a bare repository has no work tree")
            revision = _revision(git)
            found = sorted(set(_of_git(git, revision)), key=_by_path)
    except GitUnusable as unusable:
        if unusable.reason != "not_a_repository":
            raise _unreadable(root, unusable.detail) from None
        revision, found = None, sorted(_of_folder(root), key=_by_path)
    summed = sha256(b"t2c.fingerprint/v1\0" + (revision or "none").encode())
    changed = []
    try:
        for status, name in found:
            mode, digest = _content(root, name)
            if mode is None and status == b"S":
                continue  # left out of a sparse checkout
            fields = (status, name, (mode or "").encode(), (digest or "").encode())
            summed.update(b"".join(b"\0%d\0%b" % (len(part), part) for part in fields))
            changed.append(
                ChangedPath(status.decode("ascii", "replace"), repository_name(name), mode, digest)
            )
    except OSError as error:
        raise _unreadable(Path(str(error.filename or root)), error.strerror or str(error)) from error
    return Fingerprint(summed.hexdigest(), revision, tuple(changed))


def _by_path(row: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    return row[1], row[0]


def _unreadable(place: Path, why: str) -> Environment:
    return Environment(
        f"the work tree cannot be read: {why}",
        where=str(place),
        safe="nothing was changed",
        remedy="make it readable, or leave it out by an ignore rule",
    )


def _revision(git: Repository) -> str | None:
    try:
        with git.output("rev-parse", "--verify", "--quiet", "HEAD^{commit}") as out:
            return out.read().decode("ascii", "replace").strip() or None
    except GitUnusable:
        return None  # no commit yet


def _of_git(git: Repository, revision: str | None) -> Iterator[tuple[bytes, bytes]]:
    """Status and path, relative to the root, of all that is not as HEAD has it or was not looked at."""
    told = set()
    settings = [word for setting in _SETTINGS for word in ("-c", setting)] + without_filters(git)
    with git.output("rev-parse", "--show-prefix") as out:
        prefix = out.read().removesuffix(b"\n")
    with git.output(*settings, *_STATUS) as out:
        for row in out.read().split(b"\0"):
            if row:
                told.add(row[3:].removeprefix(prefix))
                yield from _seen(row[:2], row[3:].removeprefix(prefix))
    with git.output("ls-files", "-v", "-z", "--", ".") as out:
        for row in out.read().split(b"\0"):
            if row[:1] == b"S" or row[:1].islower():
                told.add(row[2:])
                yield from _seen(b"S" if row[:1] in b"Ss" else b"h", row[2:])
    if revision is not None:
        for name in converted(git, revision):
            if name not in told:
                yield from _seen(b"e", name)


def _seen(status: bytes, name: bytes) -> Iterator[tuple[bytes, bytes]]:
    name = name.removesuffix(b"/")
    if _UNSEEN.isdisjoint(name.split(b"/")):
        yield status, name


def _of_folder(root: Path) -> Iterator[tuple[bytes, bytes]]:
    """Every file and link of a folder that is in no repository; a repository below counts as one."""
    folders = [b""]
    top = os.fsencode(root)
    while folders:
        prefix = folders.pop()
        try:
            with os.scandir(top + b"/" + prefix) as entries:
                for entry in entries:
                    if entry.name in _UNSEEN:
                        continue
                    name = prefix + entry.name
                    nested = entry.is_dir(follow_symlinks=False) and not os.path.lexists(
                        entry.path + b"/.git"
                    )
                    if nested:
                        folders.append(name + b"/")
                    else:
                        yield b"??", name
        except OSError as error:
            raise _unreadable(Path(os.fsdecode(top + b"/" + prefix)), error.strerror or str(error)) from error


def _content(root: Path, name: bytes) -> tuple[str | None, str | None]:
    """Mode and digest of what stands at a path; a link is read and not followed. Raises OSError."""
    place = os.path.join(os.fsencode(root), name)  # noqa: PTH118 - names are bytes
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    if stat.S_ISLNK(found.st_mode):
        return "120000", sha256(os.readlink(place)).hexdigest()  # noqa: PTH115
    if stat.S_ISDIR(found.st_mode):
        if not os.path.lexists(place + b"/.git"):
            return (
                None,
                None,
            )  # an empty submodule, or a file's place that a folder took: what is in it has rows
        return _GITLINK, _taken(Path(os.fsdecode(place))).digest
    if not stat.S_ISREG(found.st_mode):
        return _SPECIAL, None
    summed = sha256()
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while block := os.read(descriptor, _READ):
            summed.update(block)
    finally:
        os.close(descriptor)
    return "100755" if found.st_mode & stat.S_IXUSR else "100644", summed.hexdigest()
