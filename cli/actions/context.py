"""What every action gets: the root, the settings, the clock and whom to tell of progress.

An action is a typed request → a typed result. It prints nothing and knows no transport (architecture §1).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from t2c.cli.settings import ROOT_VARIABLE, Settings
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.kernel.clock import Clock

if TYPE_CHECKING:
    from t2c.ledger.intake.base import Progress

__all__ = ["WORKSPACE", "Context", "Place", "locate"]

WORKSPACE: Final = ".t2c"


class Context(NamedTuple):
    """The surroundings of one call. `root` is a real path, `cwd` the folder that the caller stands in."""

    root: Path
    cwd: Path
    settings: Settings
    clock: Clock
    progress: Progress

    @property
    def workspace(self) -> Path:
        """`<root>/.t2c`, which need not exist."""
        return self.root / WORKSPACE

    def path(self, given: str | Path) -> Path:
        """A path as the caller wrote it, seen from `cwd` and proven to lie inside the root (decisions A7).

        Raises Usage if it leads outside.
        """
        from t2c.ledger.kernel.paths import confine

        return confine(self.root, self.cwd / given)


class Place(NamedTuple):
    """The root, where that choice came from, and the folder that the caller stands in."""

    root: Path
    origin: str
    cwd: Path


def locate(given: str | None, environ: Mapping[str, str]) -> Place:
    """The root: as given, or T2C_ROOT, or the nearest ancestor with `.t2c`, else with `.git`, else the cwd.

    Raises Usage if a given root is no folder, Environment if the current folder is gone.
    """
    try:
        cwd = Path.cwd()
    except OSError as error:
        raise Environment(
            f"the current folder cannot be used: {error.strerror}", remedy="change to a folder that exists"
        ) from error
    for text, origin in (
        (given, "option --root"),
        (environ.get(ROOT_VARIABLE), f"environment {ROOT_VARIABLE}"),
    ):
        if text == "" and origin.startswith("option"):
            raise Usage("the root is empty", where=origin, remedy="name a folder that exists")
        if text:
            return Place(_folder(cwd / text, text, origin), origin, cwd)
    for mark in (WORKSPACE, ".git"):
        for folder in (cwd, *cwd.parents):
            found = folder / mark
            if found.is_dir() or (mark == ".git" and found.is_file()):
                return Place(folder.resolve(), f"nearest folder with {mark}", cwd)
    return Place(cwd.resolve(), "current folder", cwd)


def _folder(path: Path, text: str, origin: str) -> Path:
    try:
        found = path.resolve(strict=True)
        if found.is_dir():
            return found
    except (OSError, RuntimeError, ValueError):
        pass
    raise Usage(
        f"the root {text!r} is not a folder", where=origin, remedy="name a folder that exists", root=text
    )
