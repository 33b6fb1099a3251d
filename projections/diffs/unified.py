"""A file diff as a unified diff, which `git apply` and `patch` read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from t2c.projections.diffs.file_diff import FileDiff

__all__ = ["ABSENT", "unified"]

ABSENT: Final = "/dev/null"
"""The path of a side on which there is no file."""

_SIGNS: Final = {"equal": " ", "insert": "+", "delete": "-"}
_QUOTED: Final = re.compile(r'[\x00-\x1f\x7f"\\]')
_ESCAPES: Final = {
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    '"': '"',
    "\\": "\\",
}


def unified(diff: FileDiff) -> str:
    """The diff as text, empty if nothing differs. Lines end in LF, whatever they ended in on the disk."""
    return "".join(f"{line}\n" for line in _lines(diff))


def _lines(diff: FileDiff) -> Iterator[str]:
    if not diff.hunks:
        return
    yield f"--- {_named('a/', diff.beforePath)}"
    yield f"+++ {_named('b/', diff.afterPath)}"
    for hunk in diff.hunks:
        yield f"@@ -{_range(hunk.beforeStart, hunk.beforeCount)} +{_range(hunk.afterStart, hunk.afterCount)} @@"
        for line in hunk.lines:
            yield _SIGNS[line.type] + line.text


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def _named(prefix: str, path: str) -> str:
    """A path as Git writes it: quoted in C style if a character would break the line."""
    if path == ABSENT:
        return path
    name = prefix + path
    if _QUOTED.search(name) is None:
        # A tab ends a name with a space in it, so that nobody reads a time after it.
        return name + "\t" if " " in name else name
    escaped = _QUOTED.sub(lambda found: "\\" + _ESCAPES.get(found[0], f"{ord(found[0]):03o}"), name)
    return f'"{escaped}"'
