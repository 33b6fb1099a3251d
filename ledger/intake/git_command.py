"""Running Git so that neither the user's settings nor an outer Git process change what it says.

GitPython opens the repository, resolves HEAD and starts the processes; their output stays raw bytes
(decisions A10). Nothing here writes to the repository or to anybody's settings, and nothing goes out to the
network: a partial clone's missing objects are not fetched.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Final

from msgspec import Struct

from t2c.ledger.errors import Environment

if TYPE_CHECKING:
    import git

__all__ = ["GitUnusable", "Repository", "open_repository"]

_SET: Final = (
    "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
    "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", "LC_ALL=C",
)  # fmt: skip
"""A graft file that cannot exist: the history is what the commits say, not what `info/grafts` makes of them."""

_OPTIONS: Final = (
    "--no-pager", "--no-replace-objects", "-c", "core.attributesFile=/dev/null", "-c", "core.fsmonitor=false",
    "-c", "core.bigFileThreshold=1m",
)  # fmt: skip
"""Enough for rev-list, cat-file, diff-tree and ls-files: these ignore all settings about how history is shown.

Lines of a file above 1 MiB are not counted: whoever reads, and however much memory there is, it stays the same."""

_ENVIRONMENT: Final = os.environ  # noqa: TID251  # looked at only to keep it away from Git; no setting is read

_NOT_FOUND: Final = 127
_MAX_ERROR_TEXT: Final = 64 * 1024
_DUBIOUS: Final = re.compile(r"dubious ownership in repository at '(.+)'")
_PROMISOR: Final = re.compile(rb"^\s*(promisor\s*=\s*true|partialclone\s*=)", re.IGNORECASE | re.MULTILINE)


class GitUnusable(Exception):
    """Git or the repository cannot be used; `reason` and `detail` are those of a Warning."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Repository(Struct, frozen=True):
    """A repository as seen from `root`, which is its top folder or one below."""

    root: Path
    common_dir: Path
    branch: str | None
    head_ref: str | None
    """The full name of the branch, also when it has no commit yet; None if HEAD is detached."""
    at_top: bool
    work_tree: Path | None
    """Its top folder; None if it is a bare repository."""
    _git: git.Git

    @property
    def partial(self) -> bool:
        """True if file contents may be missing because the clone is a partial one."""
        return _PROMISOR.search(_bytes_of(self.common_dir / "config")) is not None

    @property
    def shallow_roots(self) -> frozenset[str]:
        """Commits whose parents a shallow clone left out; empty if the history is whole."""
        return frozenset(_bytes_of(self.common_dir / "shallow").decode("ascii", "replace").split())

    @property
    def grafts(self) -> int:
        """Commits to which `info/grafts` gives other parents; they are read with their own."""
        lines = _bytes_of(self.common_dir / "info" / "grafts").splitlines()
        return sum(1 for line in lines if line.strip() and not line.startswith(b"#"))

    @property
    def unborn(self) -> bool:
        """True if HEAD names a branch that has no commit yet."""
        return self.head_ref is not None and not (self.common_dir / self.head_ref).exists()

    @contextmanager
    def output(self, *arguments: str, lines: Iterable[str] | None = None) -> Iterator[IO[bytes]]:
        """The standard output of `git arguments…` in the root, as a stream; `lines` are its standard input.

        Raises GitUnusable, after the stream was read, if Git fails, and Environment if Git refuses the
        repository because another user owns it.
        """
        import git

        command = ["env", *(word for name in _inherited() for word in ("-u", name)), *_SET]
        command += [str(self._git.GIT_PYTHON_GIT_EXECUTABLE), "-C", str(self.root), *_OPTIONS, *arguments]
        with tempfile.TemporaryFile() as given:
            given.write("".join(f"{line}\n" for line in lines or ()).encode())
            given.seek(0)
            try:
                process: Any = self._git.execute(command, istream=given, as_process=True)
            except git.GitCommandNotFound:
                raise GitUnusable("git_missing", "the program `git` was not found") from None
            complaint: list[bytes] = []
            listener = Thread(target=_drain, args=(process.stderr, complaint), daemon=True)
            listener.start()
            try:
                yield process.stdout
                process.stdout.read()
                status = process.proc.wait()
            finally:
                if process.proc.poll() is None:
                    process.proc.kill()
                    process.proc.wait()
                listener.join()
                process.stdout.close()
                process.stderr.close()
        if status != 0:
            _fail(status, b"".join(complaint).decode("utf-8", "backslashreplace"))


def _inherited() -> list[str]:
    """The variables of an outer Git process (a hook, an alias) or of the user's shell that steer Git.

    Every `GIT_…`, not a list of them: any may redirect a repository, bring settings or change what is said.
    """
    return sorted(name for name in _ENVIRONMENT if name.startswith("GIT_"))


@contextmanager
def _unsteered() -> Iterator[None]:
    """The same for GitPython, which reads some of these variables in this process; given back afterwards."""
    taken = {name: _ENVIRONMENT.pop(name) for name in _inherited()}
    try:
        yield
    finally:
        _ENVIRONMENT.update(taken)


def _drain(stream: IO[bytes], kept: list[bytes]) -> None:
    """Read a process's complaints while its output is read, so that neither pipe fills up; keep the first."""
    size = 0
    while chunk := stream.read(8192):
        if size < _MAX_ERROR_TEXT:
            kept.append(chunk)
            size += len(chunk)


def _fail(status: int, complaint: str) -> None:
    if owned := _DUBIOUS.search(complaint):
        place = owned.group(1)
        raise Environment(
            f"Git refuses {place}: another user owns it",
            where=place,
            safe="nothing was read from its history and no setting was changed",
            remedy=f"if you trust it, run: git config --global --add safe.directory {shlex.quote(place)}",
        )
    if status == _NOT_FOUND:
        raise GitUnusable("git_missing", "the program `git` was not found")
    first = next((line for line in complaint.splitlines() if line.strip()), f"git ended with status {status}")
    raise GitUnusable("git_failed", first.strip()[:500])


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


@contextmanager
def open_repository(root: Path) -> Iterator[Repository]:
    """The repository that contains `root`. Raises GitUnusable (`not_a_repository`, `git_missing`, `git_failed`)."""
    with _unsteered():
        repository = _opened(root.resolve())
    yield repository


def _opened(top: Path) -> Repository:
    try:
        import git
    except ImportError:
        raise GitUnusable("git_missing", "the program `git` was not found") from None
    try:
        repo = git.Repo(top, search_parent_directories=True, expand_vars=False)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError, OSError, ValueError, configparser.Error):
        if (top / ".git").exists():
            raise GitUnusable("git_failed", "the folder .git is not a usable repository") from None
        raise GitUnusable("not_a_repository", "the root is in no Git repository") from None
    try:
        git_dir = Path(repo.git_dir).resolve()
        if (top / ".git").exists() and not _belongs(git_dir, top / ".git"):
            raise GitUnusable("git_failed", "the folder .git is not a usable repository")
        pointer = _bytes_of(git_dir / "commondir").decode("utf-8", "surrogateescape").strip()
        work_tree = Path(repo.working_tree_dir).resolve() if repo.working_tree_dir else None
        head_ref = _head_ref(repo)
        return Repository(
            root=top,
            common_dir=(git_dir / pointer).resolve() if pointer else git_dir,
            branch=None if head_ref is None else head_ref.removeprefix("refs/heads/"),
            head_ref=head_ref,
            at_top=work_tree not in top.parents or git_dir in (top, *top.parents),
            work_tree=work_tree,
            _git=git.Git(str(top)),
        )
    finally:
        repo.close()


def _belongs(git_dir: Path, dot_git: Path) -> bool:
    """True if `dot_git` is that repository or, in a worktree or submodule, the file that points to it."""
    return dot_git.is_file() or dot_git.resolve() == git_dir


def _head_ref(repo: git.Repo) -> str | None:
    try:
        return None if repo.head.is_detached else repo.head.reference.path
    except (ValueError, TypeError, OSError, AssertionError):
        return None  # the format of the references is unknown to GitPython; Git itself may still read them
