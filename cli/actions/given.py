"""Files that a caller names for a stage: a task, a report of tests, what a runtime cycle found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from t2c.cli.actions.context import Context
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.paths import is_invisible, repo_path

__all__ = ["Given", "given_files"]

_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Given:
    """A file inside the root and the stage that is to read it; `commit` is what its report is about."""

    stage: str
    path: str
    size: int
    commit: str | None = None


def given_files(context: Context, stage: str, names: Sequence[str], commit: str | None = None) -> list[Given]:
    """The files that a caller named, in the order given, each once. Raises Usage for what is no file of the root."""
    if commit is not None and not _COMMIT.fullmatch(commit):
        raise Usage(
            f"{commit[:80]!r} is no full commit id",
            where="--commit",
            remedy="give all 40 (or 64) hexadecimal digits, for example of: git rev-parse HEAD",
        )
    found: dict[str, Given] = {}
    for name in names:
        path = context.path(name)
        if not path.is_file():
            raise Usage(f"{name} is no file", remedy="name a file inside the root")
        relative = repo_path(context.root, path)
        if is_invisible(relative):
            raise Usage(f"{name} lies in a folder that no scan reads", remedy="copy it elsewhere first")
        found[relative] = Given(stage, relative, path.stat().st_size, commit)
    return list(found.values())
