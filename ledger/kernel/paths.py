"""Repository paths: POSIX, relative, inside the root."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath

from t2c.ledger.errors import Usage

__all__ = ["INVISIBLE", "confine", "is_invisible", "repo_path"]

INVISIBLE = frozenset({".t2c", ".dwp"})
"""Folders of ours that no inventory, fingerprint or comparison ever sees (decisions A8)."""


def is_invisible(path: str) -> bool:
    """True for a repository path inside one of the folders in INVISIBLE, at any depth."""
    return (".t2c" in path or ".dwp" in path) and not INVISIBLE.isdisjoint(path.split("/"))


def repo_path(root: Path, path: Path) -> str:
    """`path` relative to `root`, with forward slashes."""
    return path.relative_to(root).as_posix()


def confine(root: Path, given: str | Path) -> Path:
    """The absolute path of `given` (relative to `root` unless absolute), proven to lie inside `root`.

    Both the lexical path and the real path, as far as it exists, must be inside, so that neither `..` nor a
    symbolic link (a dangling one neither) leads out (decisions A7). Raises Usage otherwise.
    """
    try:
        real_root = root.resolve()
        lexical = Path(_collapse(real_root / given))
        candidates = lexical, lexical.resolve()
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            lexical.stat()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL, a name too long
        raise Usage(f"{str(given)!r} is not a path that can be used: {error}") from None
    for candidate in candidates:
        if candidate != real_root and real_root not in candidate.parents:
            raise Usage(
                f"{given} leads outside the root {root}",
                remedy="give a path inside the root, or another --root",
            )
    return lexical


def _collapse(path: Path) -> PurePosixPath:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if len(parts) > 1:
                parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)
