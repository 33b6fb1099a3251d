"""Files that Git tracks although an ignore rule names them: passed over by the inventory, so told of here."""

from __future__ import annotations

import os
import stat
from collections.abc import Container
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git_command import GitUnusable, open_repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import is_invisible

__all__ = ["tracked_but_ignored"]

SOURCE: Final = "inventory"
_NAMED_IN_DETAIL: Final = 5
_LIST: Final = ("-c", "core.excludesFile=/dev/null", "ls-files", "-ci", "--exclude-standard", "-z")
"""By the rules of the repository alone: a user's global ignore file hides nothing from the inventory."""


def tracked_but_ignored(root: Path, held: Container[str] = ()) -> list[Warning]:
    """One counted Warning `tracked_but_ignored`, naming the first files in byte order, or none.

    `held` are the paths that the inventory lists nevertheless (below the top of a repository it does not know
    the rules above `root`). Empty where Git or the repository cannot be used: the history's warnings say so.
    """
    try:
        with open_repository(root) as repository, repository.output(*_LIST) as stream:
            listed = stream.read().split(b"\0")
    except (GitUnusable, Environment):
        return []
    top = root.resolve()
    found = sorted(
        {
            name
            for raw in listed
            if raw and _is_file(top / os.fsdecode(raw)) and (name := repository_name(raw)) not in held
            if not is_invisible(name)
        }
    )
    if not found:
        return []
    more = ", …" if len(found) > _NAMED_IN_DETAIL else ""
    detail = f"tracked by Git, but an ignore rule hides them: {', '.join(found[:_NAMED_IN_DETAIL])}{more}"
    return [Warning(SOURCE, None, "tracked_but_ignored", detail, len(found))]


def _is_file(path: Path) -> bool:
    """True for a regular file that is there; a link is not followed, and what was deleted leaves nothing out."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False
