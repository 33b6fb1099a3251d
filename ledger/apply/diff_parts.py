"""A patch taken apart into the diffs of its files, every line of which is accounted for.

What Git, GNU diff or a mail with a patch gives is taken; what a lenient reader passes over is refused, for it may be
the change that somebody meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from t2c.ledger.apply.diff_names import ABSENT, BadName, Named, agreed, header_pair, plain_name
from t2c.ledger.apply.hunks import HEADER
from t2c.ledger.errors import Usage

__all__ = ["Action", "Part", "split", "wrong"]

Action = Literal["create", "modify", "delete"]

_GIT: Final = "diff --git "
_MODES: Final = {"100644": 0o644, "100755": 0o755}
_ODD_MODES: Final = {"120000": "a symbolic link", "160000": "a submodule", "040000": "a folder"}
_EXTENDED: Final = re.compile(r"(old mode|new mode|new file mode|deleted file mode) ([0-7]{6})\r?\n?")
_INDEX: Final = re.compile(r"index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: ([0-7]{6}))?\r?\n?")
_RENAMED: Final = re.compile(r"(?:rename|copy) (?:from|to|old|new) |similarity index ")
_BINARY: Final = re.compile(r"GIT binary patch\r?\n?$|Binary files? .{1,9000} (?:differ|has changed)\r?\n?$")
_COMBINED: Final = re.compile(r"diff --(?:cc|combined) |@@@+ -")
_PASSED_OVER: Final = re.compile(r"dissimilarity index [0-9]{1,3}%\r?\n?$")
_COMMAND: Final = re.compile(r"diff -(?!-git )|Index: |={10,}\s*$|\s*$")
_ONE_SIDED: Final = re.compile(r"Only in \S+: \S+\r?\n?$")
_EPOCH: Final = re.compile(r"19(?:70-01-01|69-12-31) ")
_LIKE_A_HUNK: Final = re.compile(r"@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@")
"""Git tells a fragment of a diff by no more than this, whatever stands behind it."""
_SHORTEST_MARK: Final = 12
"""Bytes of a mark for a missing line end up to which Git does not see it where the patch ends."""
_SIGNATURE: Final = "-- "


class Part(NamedTuple):
    """The diff of one file. `start`, `hunks` and `end` are the indexes of its first line, its first hunk and the line
    behind it."""

    path: str
    prefixed: bool
    action: Action
    mode_before: int | None
    mode_after: int | None
    start: int
    hunks: int
    end: int


class _Head(NamedTuple):
    """What stands between `diff --git` and the first hunk."""

    named: Named
    action: Action
    mode_before: int | None
    mode_after: int | None
    end: int


def wrong(what: str, where: str, index: int, *, remedy: str | None = None) -> Usage:
    """The refusal of a patch for the line with this index."""
    return Usage(
        f"the patch cannot be used: {what}",
        where=f"{where}:{index + 1}",
        safe="nothing was changed",
        remedy=remedy or "make the patch anew with `git diff`, and do not edit it by hand",
    )


def split(lines: Sequence[str], where: str) -> Iterator[Part]:
    """The diffs of the files in the lines of a patch, in its order. Raises Usage at the first line that fits nowhere."""
    at = _begin(lines, where)
    while at < len(lines):
        line = lines[at]
        if line.startswith(_GIT):
            head = _git_head(lines, at, where)
        elif _is_plain(lines, at):
            head = _plain_head(lines, at, where)
        elif _is_signature(lines, at):
            return
        elif _COMMAND.match(line) and not _COMBINED.match(line):
            at += 1
            continue
        else:
            raise _stray(line, where, at)
        end = _hunks_end(lines, head.end, where)
        yield Part(
            head.named.path,
            head.named.prefixed,
            head.action,
            head.mode_before,
            head.mode_after,
            at,
            head.end,
            end,
        )
        at = end


def _begin(lines: Sequence[str], where: str) -> int:
    """The first line of the first diff; what stands before it is a message, unless it is a change itself."""
    for at, line in enumerate(lines):
        if line.startswith(_GIT) or _is_plain(lines, at):
            return at
        if _LIKE_A_HUNK.match(line):
            raise wrong("a hunk without the lines `---` and `+++` before it", where, at)
        if _COMBINED.match(line) or _BINARY.match(line) or _ONE_SIDED.match(line):
            raise _stray(line, where, at)
    raise wrong(
        "it holds no diff" if any(line.strip() for line in lines) else "it is empty", where, 0,
        remedy="give a unified diff, such as `git diff` writes",
    )  # fmt: skip


def _is_plain(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _is_signature(lines: Sequence[str], at: int) -> bool:
    """True where the end of a mail begins, with the version of Git and blank lines."""
    version, rest = lines[at + 1 : at + 2], lines[at + 2 :]
    return (
        lines[at].rstrip("\r\n") == _SIGNATURE
        and not any(line.startswith(("@", "-", "+", " ", "\\", "diff ")) for line in version)
        and not any(line.strip() for line in rest)
    )


def _stray(line: str, where: str, at: int) -> Usage:
    if _BINARY.match(line):
        return wrong("it changes a binary file", where, at, remedy="leave binary files out of the patch")
    if _COMBINED.match(line):
        return wrong(
            "it is the combined diff of a merge", where, at, remedy="give the diff against one parent"
        )
    if HEADER.match(line):
        return wrong("a hunk does not follow the one above it", where, at)
    if _ONE_SIDED.match(line):
        return wrong(
            "it says of a file only that it is new or gone", where, at, remedy="use `diff -ruN` or `git diff`"
        )
    if line[:1] in ("+", "-", " ", "\\"):
        return wrong("a hunk is longer than its head says, or a file has no `---` and `+++` lines", where, at)
    return wrong(
        "this line is no part of a diff", where, at, remedy="give one patch, without other text in it"
    )


def _plain_head(lines: Sequence[str], at: int, where: str) -> _Head:
    named, action = _sides(lines, at, where, None)
    if at + 2 >= len(lines) or not HEADER.match(lines[at + 2]):
        raise wrong("no hunk follows the names of a file", where, at)
    return _Head(named, action, None, None, at + 2)


def _sides(lines: Sequence[str], at: int, where: str, sure: bool | None) -> tuple[Named, Action]:
    """The file of a `---` and a `+++` line."""
    try:
        before, time_before = plain_name(lines[at][4:])
        after, time_after = plain_name(lines[at + 1][4:])
        if (before != ABSENT and _EPOCH.match(time_before)) or (after != ABSENT and _EPOCH.match(time_after)):
            raise BadName("by its time a file is not there, yet it is not called /dev/null")
        named = agreed(before, after, sure=sure)
    except BadName as error:
        raise wrong(str(error), where, at, remedy=_rename(str(error))) from None
    return named, "create" if before == ABSENT else "delete" if after == ABSENT else "modify"


def _rename(why: str) -> str | None:
    if why.startswith("the sides name two files") or "names of the diff --git line differ" in why:
        return "give a file that moves as one to delete and one to create (`git diff --no-renames`)"
    return "give paths inside the repository, as `git diff` writes them"


def _git_head(lines: Sequence[str], start: int, where: str) -> _Head:
    modes: dict[str, int] = {}
    at = start + 1
    while at < len(lines) and not lines[at].startswith(("--- ", _GIT)):
        line = lines[at]
        if not line.endswith("\n"):
            raise wrong("the patch ends in the middle of a line", where, at)
        if found := _EXTENDED.fullmatch(line):
            if found[1] in modes:
                raise wrong(f"a second `{found[1]}`", where, at)
            modes[found[1]] = _mode(found[2], where, at)
        elif found := _INDEX.fullmatch(line):
            if found[1] is not None:
                modes["index"] = _mode(found[1], where, at)
        elif _RENAMED.match(line):
            raise wrong("it renames or copies a file", where, at, remedy=_rename("the sides name two files"))
        elif _BINARY.match(line):
            raise _stray(line, where, at)
        elif not _PASSED_OVER.match(line):
            break
        at += 1
    try:
        named = agreed(*header_pair(lines[start][len(_GIT) :]))
    except BadName as error:
        raise wrong(str(error), where, start, remedy=_rename(str(error))) from None
    action = _action(modes, where, start)
    if at < len(lines) and lines[at].startswith("--- "):
        if not _is_plain(lines, at):
            raise wrong("no `+++` line follows the `---` line", where, at)
        sides, told = _sides(lines, at, where, named.prefixed)
        if sides.path != named.path:
            raise wrong("the `---` and `+++` lines name another file than the diff --git line", where, at)
        if told != action:
            raise wrong(f"the head says {action}, the `---` and `+++` lines say {told}", where, at)
        at += 2
        if at >= len(lines) or not HEADER.match(lines[at]):
            raise wrong("no hunk follows the names of a file", where, at - 2)
    elif action == "modify" and "new mode" not in modes:
        raise wrong("it changes nothing in a file", where, start)
    before = modes.get("old mode", modes.get("deleted file mode", modes.get("index")))
    return _Head(named, action, before, modes.get("new mode", modes.get("new file mode")), at)


def _action(modes: dict[str, int], where: str, start: int) -> Action:
    told = modes.keys() - {"index"}
    if "new mode" in modes and ("index" in modes or modes["new mode"] == modes.get("old mode")):
        # Git writes a mode behind `index` only where it stays.
        raise wrong("its modes contradict one another", where, start)
    if not told or told == {"old mode", "new mode"}:
        return "modify"
    if told == {"new file mode"}:
        return "create"
    if told == {"deleted file mode"}:
        return "delete"
    raise wrong("its modes contradict one another", where, start)


def _mode(text: str, where: str, at: int) -> int:
    if text not in _MODES:
        raise wrong(
            f"{_ODD_MODES.get(text, f'mode {text}')} is no plain file", where, at,
            remedy="leave it out of the patch: only plain files with the modes 644 and 755 are written",
        )  # fmt: skip
    return _MODES[text]


def _hunks_end(lines: Sequence[str], at: int, where: str) -> int:
    """The index behind the last of the hunks that begin here, each of which has as many lines as its head says."""
    while at < len(lines) and (found := HEADER.match(lines[at])) is not None:
        head = at
        old, new = (1 if found[group] is None else int(found[group]) for group in (2, 4))
        at += 1
        while old or new:
            sign = lines[at][0] if at < len(lines) else ""
            if sign == "\\":
                _check_marker(lines, at, where)
            elif sign in (" ", "\n"):
                old, new = old - 1, new - 1
            elif sign == "-":
                old -= 1
            elif sign == "+":
                new -= 1
            else:
                raise wrong("a hunk has fewer lines than its head says", where, min(at, len(lines) - 1))
            if old < 0 or new < 0:
                raise wrong("a hunk has other lines than its head counts", where, at)
            if not lines[at].endswith("\n"):
                raise wrong("the patch ends in the middle of a line", where, at)
            at += 1
        if at == head + 1:
            raise wrong("a hunk holds no lines", where, head)
        if at < len(lines) and lines[at].startswith("\\"):
            _check_marker(lines, at, where)
            at += 1
    return at


def _check_marker(lines: Sequence[str], at: int, where: str) -> None:
    """`\\ No newline at end of file`, in whatever language, behind a line of the hunk."""
    line = lines[at]
    if lines[at - 1][0] not in " +-" or not line.startswith("\\ ") or len(line.rstrip().encode()) < 11:
        raise wrong("a line with a backslash stands where none can", where, at)
    if not line.endswith("\n") or len(line.encode()) <= _SHORTEST_MARK:
        # Git would leave it aside at the end of a patch, and so give the file the line end that is not to be.
        raise wrong("the patch ends in the middle of a line", where, at)
