"""A file diff as a unified diff, which `git apply` and `patch` read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from t2c.projections.diffs.file_diff import FileDiff

__all__ = ["ABSENT", "Modes", "patch", "unified"]

ABSENT: Final = "/dev/null"
"""The path of a side on which there is no file."""


class Modes(NamedTuple):
    """The modes of both sides as Git writes them, None of one that has no such file."""

    before: str | None
    after: str | None


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


def patch(diff: FileDiff, modes: Modes) -> str:
    """An exact diff as Git writes it, which `git apply` makes the side after of, byte for byte.

    Names are those of the diff; a side without a mode has no file.
    """
    before, after = diff.beforePath, diff.afterPath
    if modes.before is None:
        before = after
    if modes.after is None:
        after = before
    parts = [f"diff --git {_quoted(f'a/{before}')} {_quoted(f'b/{after}')}"]
    if modes.before is None:
        parts.append(f"new file mode {modes.after}")
    elif modes.after is None:
        parts.append(f"deleted file mode {modes.before}")
    elif modes.before != modes.after:
        parts += [f"old mode {modes.before}", f"new mode {modes.after}"]
    if before != after:
        parts += [f"rename from {_quoted(before)}", f"rename to {_quoted(after)}"]
    if diff.hunks:
        parts.append(f"--- {_named('a/', before if modes.before is not None else ABSENT)}")
        parts.append(f"+++ {_named('b/', after if modes.after is not None else ABSENT)}")
    body = [f"{part}\n" for part in parts]
    for hunk in diff.hunks:
        ranges = _range(hunk.beforeStart, hunk.beforeCount), _range(hunk.afterStart, hunk.afterCount)
        body.append(f"@@ -{ranges[0]} +{ranges[1]} @@\n")
        for line in hunk.lines:
            ending = "" if line.text.endswith("\n") else "\n\\ No newline at end of file\n"
            body.append(f"{_SIGNS[line.type]}{line.text}{ending}")
    return "".join(body)


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
    return _quoted(name)


def _quoted(name: str) -> str:
    if _QUOTED.search(name) is None:
        return name
    escaped = _QUOTED.sub(lambda found: "\\" + _ESCAPES.get(found[0], f"{ord(found[0]):03o}"), name)
    return f'"{escaped}"'
