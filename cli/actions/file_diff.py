"""`t2c diff files` and `t2c diff git`: the lines that differ between two files, or between a revision and the tree."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

import msgspec

from t2c.cli.actions.context import Context
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.execution.filters import without_filters
from t2c.ledger.execution.worktrees import commit_of, usable_repository
from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.git_command import Repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.journal.files import read_regular
from t2c.ledger.kernel.paths import is_invisible, repo_path
from t2c.projections.diffs.file_diff import CONTEXT, FileDiff, exact_diff, file_diff
from t2c.projections.diffs.unified import ABSENT, Modes, patch

__all__ = ["MAX_FILES", "MAX_LINES", "FileDiffs", "Patched", "diff_files", "diff_git"]

MAX_FILES: Final = 50
MAX_LINES: Final = 40_000
"""Lines of both sides between their common beginning and end: a changelog that was changed at both ends has many."""
_LARGEST: Final = 16 << 20
"""Bytes of a file that is compared."""
_SNIFFED: Final = 8000
_ZERO: Final = "0"
_LIST: Final = ("diff", "--raw", "-z", "--abbrev=64", "--find-renames", "--relative", "--no-ext-diff", "--no-textconv",
                "--no-color", "--ignore-submodules=none")  # fmt: skip
Found = TypeVar("Found")
_PLAIN, _GITLINK = "100644", "160000"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a file in UTF-16."""


@dataclass(frozen=True, slots=True)
class FileDiffs:
    """`files` are those that differ, by path after. `warnings` tell of those that differ and were not compared.

    `before` and `after` name the sides in words; `files_differing` counts all that differ, compared or not.
    """

    schema: ClassVar[str] = "t2c.filediffs/v1"
    before: str
    after: str
    files_differing: int
    files: Sequence[FileDiff]
    warnings: Sequence[Warning]


class Patched(NamedTuple, Generic[Found]):
    """What was found, and the patch that makes the one side of the other, byte for byte; `left_out` of it."""

    found: Found
    patch: str
    left_out: Sequence[Warning]


def diff_files(
    context: Context, before: str, after: str, *, lines: int = CONTEXT, most_lines: int = MAX_LINES
) -> Patched[FileDiff]:
    """Compare two files below the root, with `lines` of context and at most `most_lines` compared one by one.

    Raises Usage for a path that leads outside, is no file or no text, Environment for one that cannot be read.
    """
    sides, names = [], []
    for given in (before, after):
        path = context.path(given)
        names.append(repo_path(context.root, path))
        try:
            sides.append(read_regular(path, _LARGEST + 1))
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError) or path.is_dir():
                raise Usage(f"there is no file {given}", remedy="name two files below the root") from None
            raise Environment(f"{given} cannot be read: {error.strerror}", where=str(path)) from error
    both = _Sides(names[0], names[1], sides[0], sides[1])
    found, warnings = _compared(both, lines, most_lines)
    if found is None:
        raise Usage(
            f"{before} and {after} cannot be compared line by line: {warnings[0].detail}",
            remedy="give two text files; `cmp` tells whether other files differ",
        )
    # Under one name, since Git would take two for a renaming or choose between them.
    made, left = _patch(
        both._replace(after_path=names[0], modes=(_PLAIN, _PLAIN)), lines, most_lines, moved=False
    )
    return Patched(found, made, left)


def diff_git(
    context: Context,
    revision: str = "HEAD",
    *,
    staged: bool = False,
    most: int = MAX_FILES,
    lines: int = CONTEXT,
    most_lines: int = MAX_LINES,
) -> Patched[FileDiffs]:
    """Compare the files of a revision with those of the work tree, or with what is staged.

    Files that Git does not track are not looked at. At most `most` files are compared. Raises Usage for what names
    no commit, Environment where there is no repository.
    """
    with usable_repository(context.root) as git:
        commit = commit_of(git, revision)
        changes = list(_changes(git, commit, staged))
        warnings: list[Warning] = []
        files: list[FileDiff] = []
        patches: list[str] = []
        left_out: list[Warning] = []
        alike = 0
        if len(changes) > most:
            left = changes[most:]
            detail = f"beyond the first {most}: {', '.join(change.after for change in left[:5])}"
            warnings.append(Warning("diff", None, "files_capped", detail, len(left)))
        for change, sides in _contents(git, context.root, changes[:most], staged):
            if isinstance(sides, Warning):
                warnings.append(sides)
                continue
            if change.is_dirty_submodule:
                why = "files in the submodule are not as its commit has them; not compared"
                warnings.append(Warning("diff", change.after, "submodule_dirty", why))
                continue
            found, said = _compared(sides, lines, most_lines)
            warnings += said
            if found is None or found.hunks or change.moved or None in (sides.before, sides.after):
                files += [] if found is None else [found]
                if found is not None:
                    made, unsaid = _patch(sides, lines, most_lines, moved=change.moved)
                    patches.append(made)
                    left_out += unsaid
            else:
                alike += 1  # Git had not looked, or only line endings differ
                if _unix(sides.before) != _unix(sides.after):
                    patches.append(_patch(sides, lines, most_lines, moved=False)[0])
    name = f"{revision} ({commit[:12]})"
    side = "the index" if staged else "the work tree"
    return Patched(FileDiffs(name, side, len(changes) - alike, files, warnings), "".join(patches), left_out)


class _Sides(NamedTuple):
    """Names and contents, None of a side that has no such file."""

    before_path: str
    after_path: str
    before: bytes | None
    after: bytes | None
    modes: tuple[str, str] = ("", "")


def _patch(sides: _Sides, lines: int, most: int, *, moved: bool) -> tuple[str, list[Warning]]:
    """The exact form of what differs; empty, with a warning, of what a patch cannot say."""
    before, after = (None if content is None else mode
                     for content, mode in zip((sides.before, sides.after), sides.modes, strict=True))  # fmt: skip
    if _GITLINK in (before, after):
        return "", [Warning("diff", sides.after_path, "submodule_not_in_patch", "a patch cannot change it")]
    if any((content or b"")[:2] in _UTF16 for content in (sides.before, sides.after)):
        why = "it is UTF-16, which a patch cannot hold line by line"
        return "", [Warning("diff", sides.after_path, "binary_file", why)]
    if before is not None and after is not None and before[:3] != after[:3]:
        # A link in the place of a file is no change of its lines.
        gone, gone_left = _patch(sides._replace(after=None), lines, most, moved=moved)
        new, new_left = _patch(sides._replace(before=None), lines, most, moved=moved)
        return gone + new, [*gone_left, *new_left]
    old, new_text = (
        (content or b"").decode("utf-8", "surrogateescape") for content in (sides.before, sides.after)
    )
    names = sides.before_path, sides.after_path
    if before is None or after is None:
        names = (names[before is None],) * 2
    found = exact_diff(old, new_text, *names, context=lines, most=most)
    alone = moved or before is None or after is None
    return (patch(found, Modes(before, after)) if found.hunks or alone else ""), []


def _compared(sides: _Sides, lines: int, most: int) -> tuple[FileDiff | None, list[Warning]]:
    path = sides.after_path if sides.after is not None else sides.before_path
    contents = [content for content in (sides.before, sides.after) if content is not None]
    if any(len(content) > _LARGEST for content in contents):
        return None, [
            Warning("diff", path, "too_large", f"a side is above {_LARGEST >> 20} MiB; not compared")
        ]
    texts = [_text(content) for content in contents]
    if None in texts:
        return None, [Warning("diff", path, "binary_file", "a side holds zero bytes; not compared")]
    old, new = ("" if content is None else _text(content) or "" for content in (sides.before, sides.after))
    before_path = ABSENT if sides.before is None else sides.before_path
    after_path = ABSENT if sides.after is None else sides.after_path
    found = file_diff(old, new, before_path, after_path, context=lines, most=most)
    if after_path == ABSENT:
        found = msgspec.structs.replace(found, path=path)
    return found, []


def _unix(content: bytes | None) -> bytes | None:
    """A content with the line endings that Git stores where it is told to change them for the work tree."""
    return None if content is None else content.replace(b"\r\n", b"\n")


def _text(content: bytes) -> str | None:
    """A content as text, bytes that are not UTF-8 kept as they are; None if it is binary."""
    if content[:2] in _UTF16:
        return content.decode("utf-16", "replace")
    return None if b"\0" in content[:_SNIFFED] else content.decode("utf-8", "surrogateescape")


class _Entry(NamedTuple):
    """One row of `git diff --raw`: modes and blobs of both sides, zeros where there is none or Git has not looked."""

    modes: tuple[str, str]
    blobs: tuple[str, str]
    before: str
    after: str
    disk_name: str

    @property
    def moved(self) -> bool:
        """True if it has another name after, or other rights."""
        return self.before != self.after or (all(self._there) and self.modes[0] != self.modes[1])

    @property
    def is_dirty_submodule(self) -> bool:
        """True if a submodule has its commit checked out, and files that are not as it has them."""
        return self.modes == (_GITLINK, _GITLINK) and self.blobs[0] == self.blobs[1]

    @property
    def _there(self) -> tuple[bool, bool]:
        """On which sides there is a file."""
        return bool(self.modes[0].strip(_ZERO)), bool(self.modes[1].strip(_ZERO))


def _changes(git: Repository, commit: str, staged: bool) -> Iterator[_Entry]:
    """What differs, by path after."""
    with git.output(
        *without_filters(git), *_LIST, *(("--cached",) if staged else ()), commit, "--", "."
    ) as out:
        parts = iter(out.read().split(b"\0"))
    found: dict[str, _Entry] = {}
    for head in parts:
        if not head.startswith(b":"):
            continue
        old_mode, new_mode, old, new, status = head[1:].decode("ascii", "replace").split(" ")
        raw = next(parts)
        later = next(parts) if status[:1] in "RC" else raw
        before, after = repository_name(raw), repository_name(later)
        if not (is_invisible(before) or is_invisible(after)):
            # A path in conflict has a row that says so, and one that tells how it is now.
            if after in found and status[:1] == "U":
                continue
            modes = ("100644", "100644") if status[:1] == "U" else (old_mode, new_mode)
            found[after] = _Entry(modes, (old, new), before, after, os.fsdecode(later))
    for name in sorted(found):
        yield found[name]


def _contents(
    git: Repository, root: Path, changes: Sequence[_Entry], staged: bool
) -> Iterator[tuple[_Entry, _Sides | Warning]]:
    wanted = {
        blob
        for change in changes
        for blob, mode in zip(change.blobs, change.modes, strict=True)
        if blob.strip(_ZERO) and mode != _GITLINK
    }
    with git.output("cat-file", "--batch", lines=sorted(wanted)) as out:
        blobs: dict[str, bytes] = {}
        while head := out.readline():
            name, kind, *size = head.decode("ascii", "replace").split()
            if kind != "blob":
                continue
            left = int(size[0]) + 1
            blobs[name] = out.read(min(left, _LARGEST + 1))
            left -= len(blobs[name])
            while left:
                left -= len(out.read(min(left, 1 << 20)))
            if int(size[0]) <= _LARGEST:
                blobs[name] = blobs[name][: int(size[0])]
    for change in changes:
        try:
            yield change, _sides(root, change, blobs, staged)
        except OSError as error:
            why = f"it cannot be read: {error.strerror}"
            yield change, Warning("diff", change.after, "unreadable_file", why)


def _sides(root: Path, change: _Entry, blobs: dict[str, bytes], staged: bool) -> _Sides:
    """Both contents. Raises OSError for one that cannot be read."""
    contents: list[bytes | None] = []
    for after, (blob, mode) in enumerate(zip(change.blobs, change.modes, strict=True)):
        if not mode.strip(_ZERO):
            contents.append(None)
        elif mode == _GITLINK:
            contents.append(f"Subproject commit {blob}\n".encode())
        elif after and not staged and ((content := _on_disk(root / change.disk_name)) is not None):
            contents.append(content)
        elif blob in blobs:
            contents.append(blobs[blob])
        else:
            raise OSError(0, "Git has not its content here")
    return _Sides(change.before, change.after, contents[0], contents[1], change.modes)


def _on_disk(path: Path) -> bytes | None:
    """The content of a file or the text of a link; None if it is not there, as in a sparse checkout."""
    try:
        if stat.S_ISLNK(path.lstat().st_mode):
            return os.fsencode(path.readlink())
        return read_regular(path, _LARGEST + 1)
    except FileNotFoundError:
        return None
