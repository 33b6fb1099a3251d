"""Paths that an answer names: relative to the project, spelled in one way, and never out of it (answers §6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel

from t2c.ledger.errors import Usage
from t2c.ledger.kernel.paths import confine, is_invisible

__all__ = ["MOST_BYTES", "Named", "is_file", "named_paths", "path_problem"]

MOST_BYTES: Final = 1 << 20
"""Bytes that one file of an answer may have."""
_LONGEST: Final = 1_000
_LONGEST_PART: Final = 255
_MOST_PARTS: Final = 100
"""What file systems take, with room for the folder that a copy of the tree lies in."""

_LISTS: Final = ("files_changed", "files_written")
"""Members that are lists of paths. What a proposal predicts is one too, but its `files` are objects elsewhere."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Named(NamedTuple):
    """A path as it stands in an answer: where, and the content that comes with it, if any.

    `group` is the list that it must be the only one of its kind in.
    """

    place: str
    path: str
    content: str | None
    group: str


def path_problem(path: str) -> str | None:
    """Why this is no path that an answer may name, None if it is one."""
    if not path.strip():
        return "the path is blank"
    if path != path.strip() or _CONTROL.search(path):
        return "the path has blanks around it or control characters in it"
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "the path is absolute; paths are relative to the project"
    if "\\" in path:
        return "the path has a backslash; parts are separated by /"
    parts = path.split("/")
    if len(path.encode("utf-8", "surrogatepass")) > _LONGEST or len(parts) > _MOST_PARTS:
        return f"the path is longer than {_LONGEST:,} bytes or {_MOST_PARTS} parts"
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_PART for part in parts):
        return f"a part of the path is longer than {_LONGEST_PART} bytes"
    if ".." in parts:
        return "the path has .. in it"
    if "." in parts or "" in parts:
        return "the path is not in its shortest form"
    if is_invisible(path.casefold()) or ".git" in path.casefold().split("/"):
        return "the path lies in a folder that nobody but its own program writes to"
    return None


def named_paths(value: BaseModel) -> Iterator[Named]:
    """Every path that an answer names, in the order of its members."""
    for name in _LISTS:
        for index, path in enumerate(getattr(value, name, ())):
            yield Named(f"{name}[{index}]", path, None, name)
    yield from _files(value, "files")
    for index, variant in enumerate(getattr(value, "variants", ())):
        yield from _files(variant, f"variants[{index}].files")


def _files(holder: BaseModel, place: str) -> Iterator[Named]:
    for index, item in enumerate(getattr(holder, "files", ())):
        if isinstance(item, str):
            yield Named(f"{place}[{index}]", item, None, place)
        else:
            yield Named(f"{place}[{index}].path", item.path, getattr(item, "content", None), place)


def is_file(tree: Path, path: str) -> bool:
    """True if a path that an answer may name is a file of the tree, also by its real path."""
    if path_problem(path) is not None:
        return False
    try:
        return confine(tree, path).is_file()
    except (Usage, OSError):
        return False
