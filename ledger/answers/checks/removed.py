"""Files that once stood in the history of the last commit, whatever became of them since."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment
from t2c.ledger.execution.worktrees import usable_repository
from t2c.ledger.intake.git_command import GitUnusable
from t2c.ledger.intake.inventory import repository_name

__all__ = ["once_committed"]

_LOG: Final = ("log", "--full-history", "-m", "--no-renames", "--format=", "--name-only", "-z", "--relative")


def once_committed(tree: Path, paths: Collection[str]) -> frozenset[str]:
    """Those of the paths that a commit up to HEAD touched; none where there is no repository or no commit in it."""
    if not paths:
        return frozenset()
    try:
        with usable_repository(tree) as git:
            named = (f":(literal){path}" for path in sorted(paths))
            with git.output(*_LOG, "HEAD", "--", *named) as out:
                listed = out.read().split(b"\0")
    except (Environment, GitUnusable):
        return frozenset()
    return frozenset(repository_name(name.strip(b"\n")) for name in listed).intersection(paths)
