"""What an attempt really changed, by Git's own word: which files, and the lines of each (answers §5).

Between two commits, or between a commit and the work tree with what is not tracked yet. Folders of ours are invisible,
and nothing of the repository is written to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.answers.paths import is_file
from t2c.ledger.errors import Environment, Usage
from t2c.ledger.execution.filters import without_filters
from t2c.ledger.execution.worktrees import commit_of, usable_repository
from t2c.ledger.intake.git_command import GitUnusable, Repository
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import INVISIBLE, confine, is_invisible

__all__ = [
    "MOST_BYTES", "Change", "Changes", "Tree", "changes", "is_test", "patch_text", "squeezed", "standing",
]  # fmt: skip

MOST_BYTES: Final = 32 << 20
"""Bytes of a patch that are read; what comes after them is counted as not seen."""
_FILE_BYTES: Final = 1 << 20
_DIFF: Final = (
    "-M", "--relative", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
    "--ignore-submodules=none", "-O/dev/null", "--diff-algorithm=myers",
)  # fmt: skip
_OURS: Final = ("--", ".", *(f":(exclude,glob)**/{name}/**" for name in sorted(INVISIBLE)))
_HUNK: Final = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/|(?:^|/)(?:test_[^/]*|conftest\.py)$|[._-](?:tests?|specs?)\.\w{1,5}$",
    re.IGNORECASE,
)
_BLANKS: Final = re.compile(r"\s+")


class Change(NamedTuple):
    """One changed file. `status` is A, M, D, R, C or T as Git says it, or `?` for one that is not tracked.

    `previous` is the path before a rename. The lines are those of the patch, without their signs.
    """

    path: str
    status: str
    previous: str | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    context: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """True if nothing is there any more."""
        return self.status == "D"


class Changes(NamedTuple):
    """What changed from commit `base` on; `candidate` is the later commit, None for the work tree.

    `whole` is false where the patch was too long to be read to its end: then lines are missing and no file.
    """

    base: str
    candidate: str | None
    files: tuple[Change, ...]
    whole: bool

    @property
    def paths(self) -> frozenset[str]:
        """Every changed path as it is now, a deleted one as it was."""
        return frozenset(change.path for change in self.files)

    @property
    def former(self) -> frozenset[str]:
        """The paths that renamed files had before."""
        return frozenset(change.previous for change in self.files if change.previous and change.status == "R")


class Tree:
    """The files that stand: in the work tree, or in a commit where one is given."""

    def __init__(self, tree: Path, commit: str | None) -> None:
        self._tree = tree
        self._commit = commit
        self._names: frozenset[str] | None = None

    def has(self, path: str) -> bool:
        """True if there is such a file."""
        return is_file(self._tree, path) if self._commit is None else path in self.names()

    def names(self) -> frozenset[str]:
        """The paths of all files; of the work tree those that are tracked or could be."""
        if self._names is None:
            with usable_repository(self._tree) as git:
                if self._commit is None:
                    listed = _listed(git, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
                else:
                    listed = _listed(git, "ls-tree", "-r", "-z", "--name-only", self._commit)
            self._names = frozenset(name for name in listed if not is_invisible(name))
        return self._names

    def text(self, path: str) -> str | None:
        """The content of a file, None if there is none or it is too large to be looked at."""
        if not self.has(path):
            return None
        if self._commit is None:
            place = confine(self._tree, path)
            try:
                return None if place.stat().st_size > _FILE_BYTES else place.read_text("utf-8", "replace")
            except OSError:
                return None
        with usable_repository(self._tree) as git:
            content = _read(git, "cat-file", "blob", f"{self._commit}:./{path}", most=_FILE_BYTES)
        return None if len(content) > _FILE_BYTES else content.decode("utf-8", "replace")


def standing(tree: Path, candidate: str | None) -> Tree:
    """The files of the work tree, or of the commit that `candidate` names. Raises Usage if it names none."""
    if candidate is None:
        return Tree(tree, None)
    with usable_repository(tree) as git:
        return Tree(tree, commit_of(git, candidate))


def is_test(path: str) -> bool:
    """True if the name of a file says that it is a test."""
    return _TEST.search(path) is not None


def squeezed(line: str) -> str:
    """A line with each run of blanks as one space, so that indentation is no difference."""
    return _BLANKS.sub(" ", line).strip()


def changes(tree: Path, base: str | None, candidate: str | None) -> Changes:
    """What changed below `tree` since `base`, up to `candidate`, or from HEAD to the work tree if neither is given.

    Raises Usage for what names no commit and for a candidate without a base, Environment where there is no repository
    or Git fails.
    """
    if candidate is not None and base is None:
        raise Usage(
            "a candidate is given, and no commit that it is compared with",
            safe="nothing was checked",
            remedy="add the commit before the work: --base REV",
        )
    with usable_repository(tree) as git:
        first = commit_of(git, base or "HEAD")
        last = None if candidate is None else commit_of(git, candidate)
        sides = (first,) if last is None else (first, last)
        command = (*without_filters(git), "diff", *_DIFF)
        named = list(_named(_listed(git, *command, "--raw", "-z", "--abbrev=40", *sides, *_OURS)))
        patch = _read(
            git, *command, "--patch", "--unified=3", "--inter-hunk-context=0", *sides, *_OURS, most=MOST_BYTES
        )
        untracked = () if last else _listed(git, "ls-files", "-z", "--others", "--exclude-standard")
    bodies = _bodies(patch[:MOST_BYTES])
    found: dict[str, Change] = {}
    for change in named:
        # Git tells a file that became a link, or the other way round, as one that went and one that came.
        for _ in range(2 if change.status == "T" else 1):
            lines = next(bodies, _Lines())
            before = found.get(change.path, change)
            found[change.path] = change._replace(
                added=(*before.added, *lines.added),
                removed=(*before.removed, *lines.removed),
                context=(*before.context, *lines.context),
            )
    size = len(patch)
    for name in untracked:
        # Also where what should be ignored is not, no more than this is read.
        text = _kept(tree, name) if size <= MOST_BYTES else ""
        size += len(text)
        found.setdefault(name, Change(name, "?", None, added=tuple(text.splitlines())))
    seen = [change for path, change in sorted(found.items()) if not is_invisible(path)]
    return Changes(first, last, tuple(seen), size <= MOST_BYTES)


def _kept(tree: Path, name: str) -> str:
    return Tree(tree, None).text(name) or ""


class _Lines(NamedTuple):
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    context: Sequence[str] = ()


def _named(tokens: Sequence[str]) -> Iterator[Change]:
    waiting = iter(tokens)
    for token in waiting:
        status = token.rpartition(" ")[2][:1]
        path = next(waiting, "")
        previous = None
        if status in "RC":
            previous, path = path, next(waiting, "")
        yield Change(path, status, previous)


def _bodies(patch: bytes) -> Iterator[_Lines]:
    """The lines of each file of a patch, in its order. Counted by the hunks, so that no line of a file is a header."""
    current: tuple[list[str], list[str], list[str]] | None = None
    old = new = 0
    for line in patch.split(b"\n"):
        if old > 0 or new > 0:
            sign, text = line[:1], line[1:].decode("utf-8", "replace")
            if current is None or sign == b"\\":
                continue
            current[{b"+": 0, b"-": 1}.get(sign, 2)].append(text)
            old -= sign != b"+"
            new -= sign != b"-"
        elif line.startswith(b"diff --git "):
            if current is not None:
                yield _Lines(*current)
            current = [], [], []
        elif (hunk := _HUNK.match(line)) is not None:
            old, new = (1 if count is None else int(count) for count in hunk.groups())
    if current is not None:
        yield _Lines(*current)


def _listed(git: Repository, *arguments: str) -> list[str]:
    output = _read(git, *arguments, most=None)
    return [repository_name(name) for name in output.split(b"\0") if name]


def _read(git: Repository, *arguments: str, most: int | None) -> bytes:
    try:
        with git.output(*arguments) as out:
            return out.read() if most is None else out.read(most + 1)
    except GitUnusable as unusable:
        raise Environment(
            f"Git cannot say what changed: {unusable.detail}",
            where=str(git.root),
            safe="nothing was changed",
            remedy="see that `git status` works in this folder",
        ) from None
    except UnicodeEncodeError:
        raise Usage("a path is no Unicode text", safe="nothing was changed") from None


def patch_text(tree: Path, base: str | None) -> str:
    """The patch from `base` (HEAD if none is given) to the work tree, new files behind it as they are.

    Raises as `changes` does.
    """
    with usable_repository(tree) as git:
        first = commit_of(git, base or "HEAD")
        command = (*without_filters(git), "diff", *_DIFF, "--patch", "--unified=3")
        patch = _read(git, *command, first, *_OURS, most=MOST_BYTES)[:MOST_BYTES].decode("utf-8", "replace")
        names = _listed(git, "ls-files", "-z", "--others", "--exclude-standard")
    parts, size = [patch], len(patch)
    for name in names:
        text = "" if is_invisible(name) or size > MOST_BYTES else _kept(tree, name)
        size += len(text)
        parts += [f"new file {name}\n{text}"] if text else []
    return "\n".join(parts)
