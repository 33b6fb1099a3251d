"""A commit checked out for reading, in a private folder: the user's work tree, index, HEAD and stash stay as they are.

While it is there, Git lists it among the worktrees of the repository under a name of ours; at the end it is removed
from that list too. What a killed process left is recognised by that name and removed by the next one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.execution.filters import without_filters
from t2c.ledger.execution.private import is_abandoned, lock_folder, private_folder, remove_tree
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository

__all__ = ["Worktree", "commit_of", "detached", "sweep", "usable_repository"]

NAME: Final = "t2c-worktree-"
_QUIET: Final = (
    "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false", "-c", "core.untrackedCache=false",
    "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "advice.detachedHead=false", "-c", "core.splitIndex=false",
)  # fmt: skip
"""No hook runs, no submodule is entered, and nothing is tidied up that is the user's."""
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Worktree(NamedTuple):
    """`path` holds the files of `commit`; both are gone when the context ends."""

    path: Path
    commit: str


@contextmanager
def detached(repository: Path, commit: str) -> Iterator[Worktree]:
    """Check `commit` out in a private folder outside the user's tree, and remove it at the end.

    `repository` is any folder of the repository. No hook and no filter runs, submodules are not entered, and nothing
    is fetched: files that Git LFS keeps elsewhere are there as their pointers. Raises Usage for what names no commit,
    Environment if Git cannot make it.
    """
    with usable_repository(repository) as git:
        found = commit_of(git, commit)
        sweep(git)
        with private_folder(git.work_tree) as folder:
            # The folder's random end makes the name under which Git lists it one of a kind.
            path = folder / (NAME + folder.name.rpartition("-")[2])
            held = None
            try:
                _add(git, path, found)
                # Where two systems share a repository but not their temporary files, this tells that we live.
                held = lock_folder(git.common_dir / "worktrees" / path.name, wait=True)
                yield Worktree(path, found)
            finally:
                _forget(git, path)
                if held is not None:
                    os.close(held)


@contextmanager
def usable_repository(repository: Path) -> Iterator[Repository]:
    """The repository of a folder. Raises Environment instead of GitUnusable."""
    try:
        with open_repository(repository) as git:
            yield git
    except GitUnusable as unusable:
        raise Environment(
            f"the repository cannot be used: {unusable.detail}",
            where=str(repository),
            safe="nothing was changed",
            remedy="give a folder of a Git repository, and see that the program `git` can be run",
        ) from None


def commit_of(git: Repository, name: str) -> str:
    """The full id of the commit that a revision names. Raises Usage if there is none."""
    try:
        # Nothing that begins with a dash is a revision, and it must not be an option either.
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        with git.output(*arguments) as out:
            found = out.read().decode("ascii", "replace").strip()
    except (GitUnusable, ValueError, UnicodeEncodeError):
        found = ""
    if _COMMIT.fullmatch(found) is None:
        raise Usage(
            f"{name!r} names no commit of this repository",
            safe="nothing was changed",
            remedy="name a branch, a tag or a commit that `git log` knows",
        )
    return found


def _add(git: Repository, path: Path, commit: str) -> None:
    add = ("worktree", "add", "--detach", "--quiet", "--", str(path), commit)
    try:
        with git.output(*_QUIET, *without_filters(git), *add):
            pass
    except GitUnusable as unusable:
        partial = "; this is a partial clone, and nothing is fetched" if git.partial else ""
        raise Environment(
            f"commit {commit[:12]} cannot be checked out: {unusable.detail}{partial}",
            where=str(git.common_dir),
            safe="your files, index and branches are untouched",
            remedy="see that the repository can be written and the disk has room, and in a partial clone fetch the "
            "commit with its files first",
        ) from None


def _forget(git: Repository, path: Path) -> None:
    """Remove a worktree and its entry in Git's list; nothing else is pruned, since others may be the user's."""
    remove_tree(path)
    entry = _entries(git).get(path.name)
    if entry is None:
        return
    with (
        suppress(GitUnusable, T2cError),
        git.output(*_QUIET, "worktree", "remove", "--force", "--force", str(path)),
    ):
        pass
    if entry.exists():
        remove_tree(entry)
        with suppress(OSError):
            entry.parent.rmdir()


def _entries(git: Repository) -> dict[str, Path]:
    """Entries of ours in Git's list of worktrees, by name."""
    try:
        return {found.name: found for found in sorted((git.common_dir / "worktrees").glob(f"{NAME}*"))}
    except OSError:
        return {}


def sweep(git: Repository) -> list[str]:
    """Remove the worktrees that killed processes left in this repository; returns their names. Never raises."""
    swept = []
    for name, entry in _entries(git).items():
        try:
            place = Path((entry / "gitdir").read_text(encoding="utf-8", errors="surrogateescape").strip())
        except (OSError, ValueError):
            continue
        # …/t2c-private-x/t2c-worktree-x/.git
        held = lock_folder(entry, wait=False)
        if held is None:
            continue
        if place.parent.name == name and is_abandoned(place.parent.parent):
            remove_tree(place.parent.parent)
            _forget(git, place.parent)
            swept.append(name)
        os.close(held)
    return swept
