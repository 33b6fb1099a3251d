"""What a command changed where it is not expected to: the files it ran on, Git's hooks and settings, the ledger.

Nothing keeps a command from writing there: it runs with the rights of whoever runs t2c. It is told with the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment
from t2c.ledger.execution.fingerprint import ChangedPath, Fingerprint, fingerprint
from t2c.ledger.intake.inventory import repository_name

__all__ = ["Places", "TreeChange", "places", "tree_change"]

JOURNAL: Final = "journal.ndjson"
_GIT: Final = ("config", "config.worktree", "info/attributes", "info/exclude")
_SHOWN: Final = 8
_Stand = tuple[int, ...]


class TreeChange(NamedTuple):
    """`changed` are paths that were there, or known to Git, and are otherwise now; `new` are files that came beside them."""

    changed: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def told(self) -> str:
        parts = [("changed the work tree", self.changed), ("left new files", self.new)]
        return "; ".join(f"{what}: {_some(paths)}" for what, paths in parts if paths)


def tree_change(before: Fingerprint, tree: Path) -> TreeChange:
    """What became of a tree since a fingerprint of it. One that cannot be read any more counts as changed."""
    try:
        after = fingerprint(tree)
    except Environment as error:
        return TreeChange((error.where or str(tree),), ())
    if after.digest == before.digest:
        return TreeChange((), ())
    was, now = _by_path(before), _by_path(after)
    other = [path for path in sorted({*was, *now}) if was.get(path) != now.get(path)]
    new = [path for path in other if path not in was and now[path].status == "??"]
    changed = [path for path in other if path not in new]
    if before.revision != after.revision:
        changed.append("HEAD")
    # Where neither is, what is staged is another.
    return TreeChange(tuple(changed) if changed or new else (".git/index",), tuple(new))


def _by_path(found: Fingerprint) -> dict[str, ChangedPath]:
    return {item.path: item for item in found.changed}


def _some(paths: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + more


class Places(NamedTuple):
    """How what no command of a task should touch stands: each place by name, and the length of the journal."""

    stand: Mapping[str, _Stand]
    journal: int

    def told(self, now: Places) -> str:
        """What is otherwise `now`, in words; empty if nothing is."""
        names = {*self.stand, *now.stand}
        other = sorted(name for name in names if self.stand.get(name) != now.stand.get(name))
        parts = [f"changed meanwhile: {_some(other)}"] if other else []
        grown = now.journal - self.journal
        if grown:
            parts.append(
                f"the journal became {abs(grown)} bytes {'longer' if grown > 0 else 'shorter'} meanwhile"
            )
        return "; ".join(parts)


def places(workspace: Path) -> Places:
    """How the hooks and settings of Git and the folder of the ledger stand. Costs some tens of looks at files."""
    stand = {}
    git = _git_folder(workspace.parent)
    if git is not None:
        for name in _GIT:
            if (found := _looked_at(git / name)) is not None:
                stand[f".git/{name}"] = found
        stand.update((f".git/hooks/{name}", found) for name, found in _inside(git / "hooks"))
    # Times of what t2c writes itself say nothing; a name that comes or goes does.
    stand.update((f"{workspace.name}/{name}", ()) for name, _ in _inside(workspace))
    journal = _looked_at(workspace / JOURNAL)
    return Places(stand, 0 if journal is None else journal[1])


def _inside(folder: Path) -> Iterator[tuple[str, _Stand]]:
    try:
        names = os.listdir(os.fsencode(folder))  # noqa: PTH208 - names are bytes
    except OSError:
        return
    for name in names:
        found = _looked_at(folder / os.fsdecode(name))
        if found is not None:
            yield repository_name(name), found


def _looked_at(place: Path) -> _Stand | None:
    try:
        found = place.lstat()
    except OSError:
        return None
    return found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def _git_folder(root: Path) -> Path | None:
    """The folder that holds hooks and settings, found without running Git; None if there is none."""
    try:
        for folder in (root, *root.parents):
            place = folder / ".git"
            if place.is_dir():
                return place
            if place.is_file():
                own = folder / place.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
                common = own / "commondir"
                return own / common.read_text(encoding="utf-8").strip() if common.is_file() else own
    except (OSError, ValueError):
        pass
    return None
