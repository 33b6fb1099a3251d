"""The repository that holds the anchors: Git run so that an outer Git process or the user's settings steer nothing.

GitPython starts the processes, their output stays raw bytes (decisions A10). Git itself finds the repository:
GitPython would follow GIT_DIR and GIT_WORK_TREE of a hook, from which an anchor is likely to be made.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.errors import Environment

__all__ = ["UNSET", "GitObject", "Repository", "open_repository"]

UNSET: Final = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG",
    "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_NOTES_REF", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
)  # fmt: skip
"""What Git itself takes away for a process in another repository, and what redirects names. Who commits
(GIT_COMMITTER_NAME and the like) stays: that is for the user to say."""

_SET: Final = (
    "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
    "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", "LC_ALL=C",
)  # fmt: skip
_OPTIONS: Final = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
)  # fmt: skip
_NOT_FOUND: Final = 127
_DUBIOUS: Final = re.compile(r"dubious ownership in repository at '(.+)'")
_LARGEST: Final = 1 << 20
"""Bytes of a note or a commit that is read: what is larger was not made by t2c."""


class _Ran(NamedTuple):
    status: int
    stdout: bytes
    stderr: str


class GitObject(NamedTuple):
    """An object by its id. `content` is None if it is missing or larger than 1 MiB."""

    id: str
    content: bytes | None


class Repository(NamedTuple):
    """A repository as seen from `root`, its top folder or one below. `head` is None before the first commit."""

    root: Path
    head: str | None
    shallow: frozenset[str]
    """Commits whose parents a shallow clone left out."""

    def output(self, *arguments: str, given: bytes = b"") -> bytes:
        """What `git arguments…` prints. Raises Environment if it fails."""
        ran = _run(self.root, arguments, given)
        if ran.status != 0:
            raise _failed(ran)
        return ran.stdout

    def answer(self, *arguments: str, given: bytes = b"") -> bytes | None:
        """The same, None if Git ends with another status than 0."""
        ran = _run(self.root, arguments, given)
        return ran.stdout if ran.status == 0 else None

    def words(self, *arguments: str) -> list[str]:
        """What Git prints, as its words: names of objects, one or two a line."""
        return self.output(*arguments).decode("ascii", "replace").split()

    def objects(self, ids: Iterable[str]) -> Iterator[GitObject]:
        """The objects of these ids, in the order asked for."""
        wanted = list(ids)
        if not wanted:
            return
        asked = "".join(f"{id}\n" for id in wanted).encode()
        sizes = self.output("cat-file", "--batch-check=%(objectsize)", given=asked).splitlines()
        small = [size.isdigit() and int(size) <= _LARGEST for size in sizes]
        asked = "".join(f"{id}\n" for id, fits in zip(wanted, small, strict=True) if fits).encode()
        stream, at = self.output("cat-file", "--batch=%(objectsize)", given=asked), 0
        for id, fits in zip(wanted, small, strict=True):
            if not fits:
                yield GitObject(id, None)
                continue
            line = stream.index(b"\n", at)
            end = line + 1 + int(stream[at:line])
            yield GitObject(id, stream[line + 1 : end])
            at = end + 1


def open_repository(root: Path) -> Repository:
    """The repository that contains `root`. Raises Environment if there is none that Git can use."""
    top = _run(root, ("rev-parse", "--show-toplevel"))
    if top.status != 0:
        if "not a git repository" in top.stderr and not (root / ".git").exists():
            raise Environment(
                "the root is in no Git repository",
                where=str(root),
                remedy="make one with `git init`, or anchor the ledger in another way",
            )
        raise _failed(top)
    found = Path(top.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))
    if (root / ".git").exists() and found.resolve() != root.resolve():
        raise Environment(
            "the folder .git is not a usable repository",
            where=str(root / ".git"),
            remedy="repair it; `git fsck` tells more",
        )
    head = _run(root, ("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
    shallow = _run(root, ("rev-parse", "--git-path", "shallow"))
    return Repository(
        root=root,
        head=head.stdout.decode("ascii").strip() if head.status == 0 else None,
        shallow=_cut_off(root / shallow.stdout.decode("utf-8", "surrogateescape").rstrip("\n")),
    )


def _cut_off(file: Path) -> frozenset[str]:
    try:
        return frozenset(file.read_text("ascii", "replace").split())
    except OSError:
        return frozenset()


def _run(root: Path, arguments: Iterable[str], given: bytes = b"") -> _Ran:
    try:
        import git
    except ImportError:
        raise _missing() from None
    runner = git.Git(str(root))
    command = ["env", *(word for name in UNSET for word in ("-u", name)), *_SET]
    command += [str(runner.GIT_PYTHON_GIT_EXECUTABLE), "-C", str(root), *_OPTIONS, *arguments]
    with tempfile.TemporaryFile() as stdin:
        stdin.write(given)
        stdin.seek(0)
        try:
            status, stdout, stderr = runner.execute(
                command,
                istream=stdin,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except git.GitCommandNotFound:
            raise _missing() from None
    if status == _NOT_FOUND:
        raise _missing()
    return _Ran(status, stdout, str(stderr))


def _missing() -> Environment:
    return Environment("the program `git` was not found", remedy="install Git, or put it on the PATH")


def _failed(ran: _Ran) -> Environment:
    if owned := _DUBIOUS.search(ran.stderr):
        place = owned[1]
        return Environment(
            f"Git refuses {place}: another user owns it",
            where=place,
            safe="no setting was changed",
            remedy=f"if you trust it, run: git config --global --add safe.directory {shlex.quote(place)}",
        )
    lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()]
    first = lines[0] if lines else f"it ended with status {ran.status}"
    return Environment(f"Git failed: {first[:500]}", remedy="run `git status` and `git fsck` in the root")
