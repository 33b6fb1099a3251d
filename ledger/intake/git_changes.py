"""What commits changed: files, renames, lines, submodules, read by Git's plumbing as a stream.

Comparing contents is the dear part of a history, ten times the rest, so two processes share it: blocks of commits
in turn, each block read while the other process works on its next one. Their patches also say how many lines
changed, which costs Git no more than to count them. A commit whose file contents are missing costs only its own
lines, not the commits after it.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.git_command import GitUnusable, Repository
from t2c.ledger.intake.git_patch import ATTRIBUTES, DRIVERS, Patch, Places
from t2c.ledger.intake.git_stream import DiffStream
from t2c.ledger.intake.git_touched import Touched, Vocabulary
from t2c.ledger.intake.inventory import repository_name
from t2c.ledger.kernel.paths import is_invisible
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["Change", "ChangeReader", "Changes", "Known", "Submodule", "is_documentation", "read_changes"]

_BLOCK: Final = 8
"""Commits of one process in turn: about what a pipe holds, so that neither process waits for the other's reader."""
_TWO_FROM: Final = 1000
"""Commits from which a second process is worth its start."""
_MOST_FAILURES: Final = 20
"""Breaks of one process after which lines are not counted any more."""
_MAX_NAMES: Final = 200_000
_GITLINK: Final = b"160000"
_NO_MODE: Final = b"000000"

_TREE: Final = (
    "diff-tree",
    "--stdin",
    "-r",
    "--root",
    "-z",
    "--always",
    "-l1000",
    "--no-ext-diff",
    "--no-textconv",
)
_COUNTED: Final = ("--raw", "-p", "-U0", "-M", "--relative", "--indent-heuristic")
_NAMES_ONLY: Final = ("--raw", "-M100%", "--relative")
"""Needs no file contents, which may be missing: only exact renames are found."""


class Change(NamedTuple):
    """One changed file: its path now (or before it was deleted), Git's status letter, its former path."""

    path: str
    status: str
    previous: str | None


class Submodule(NamedTuple):
    """A submodule that moved: the commit before and after, None where it was not there."""

    path: str
    before: str | None
    after: str | None


class Changes(Struct):
    """What one commit changed, apart from `.git`, `.t2c` and `.dwp`; `files` are the first `limit` paths in byte order.

    `count` is the number of files, `hidden` of those left out. `additions` and `deletions` are None where lines
    were not counted; `uncounted` are files of which they hold nothing: binary ones and those above 1 MiB. `touched`
    is what the changed lines are about.
    """

    limit: int
    files: list[Change] = field(default_factory=list)
    submodules: list[Submodule] = field(default_factory=list)
    count: int = 0
    hidden: int = 0
    additions: int | None = None
    deletions: int | None = None
    uncounted: int = 0
    documentation_only: bool = True
    touched: Touched | None = None

    def add(self, status: str, name: _Name, previous: str | None) -> None:
        """Take one file, unless it is one that no record speaks of."""
        if name.invisible:
            self.hidden += 1
            return
        self.count += 1
        self.documentation_only = self.documentation_only and name.documentation
        self.files.append(Change(name.path, status, previous))
        if len(self.files) >= 2 * self.limit + 100:
            self.trim()

    def trim(self) -> None:
        """Keep the first paths in byte order."""
        self.files.sort()
        del self.files[self.limit :]
        self.submodules.sort()


class _Name(NamedTuple):
    path: str
    invisible: bool
    documentation: bool


class _Names(dict[bytes, _Name]):
    """Names of files, each looked at once: the same few thousand come again and again in a history."""

    def __missing__(self, raw: bytes) -> _Name:
        if len(self) >= _MAX_NAMES:
            self.clear()
        path = repository_name(raw)
        found = self[raw] = _Name(path, is_invisible(path), is_documentation(path))
        return found


class Known(NamedTuple):
    """What is looked at once for all commits of a history: names of files, their places, and words."""

    names: _Names
    places: Places
    vocabulary: Vocabulary

    @classmethod
    def of(cls, funnel: Funnel) -> Known:
        """Nothing known yet; `funnel` masks secrets in what is kept of patches."""
        names = _Names()

        def name_of(raw: bytes) -> tuple[str, bool]:
            name = names[raw]
            return name.path, name.invisible

        return cls(names, Places(name_of, is_documentation), Vocabulary(funnel))


def read_changes(
    stream: IO[bytes], limit: int, *, counted: bool, known: Known | None = None
) -> Iterator[tuple[str, Changes]]:
    """Each commit's changes from `git diff-tree --stdin -z --raw [-p -U0] --always`, as they arrive.

    A commit is given once the next one begins or the stream ends. `counted` says that patches were asked for.
    """
    known = Known.of(Funnel()) if known is None else known
    names = known.names
    diffs = DiffStream(stream)
    name = diffs.token()
    while name is not None:
        sha = name.decode("ascii", "replace")
        changes = Changes(limit)
        token = diffs.token()
        while token is not None and token.startswith(b":"):
            _entry(changes, token, diffs, names)
            token = diffs.token()
        if counted:
            patch = Patch(known.places)
            if token == b"":
                token = diffs.patch(patch.take)
            changes.additions, changes.deletions = patch.additions, patch.deletions
            changes.uncounted = patch.uncounted
            changes.touched = known.vocabulary.touched(patch)
        changes.trim()
        yield sha, changes
        name = token


def _entry(changes: Changes, token: bytes, diffs: DiffStream, names: _Names) -> None:
    """Take one line of `--raw`, whose names follow it."""
    status = token[token.rfind(b" ") + 1 :].decode("ascii", "replace")
    first = last = diffs.token() or b""
    if status[:1] in ("R", "C"):
        last = diffs.token() or b""
    if _GITLINK in token and len(words := token[1:].split(b" ")) == 5 and _GITLINK in words[:2]:
        status = _submodule(changes, words, names[last])
    if status:
        changes.add(status, names[last], None if last is first else names[first].path)


def _submodule(changes: Changes, words: Sequence[bytes], name: _Name) -> str:
    """Note a submodule's move; the status of the file that it took the place of or gave it to, empty if none."""
    old_mode, new_mode, old, new = words[:4]
    before = old.decode("ascii", "replace") if old_mode == _GITLINK else None
    after = new.decode("ascii", "replace") if new_mode == _GITLINK else None
    if name.invisible:
        changes.hidden += 1
        return ""
    changes.submodules.append(Submodule(name.path, before, after))
    if before is None and old_mode != _NO_MODE:
        return "D"
    return "A" if after is None and new_mode != _NO_MODE else ""


class ChangeReader:
    """Reads what commits changed, in the order asked for, in bounded memory.

    `complaint` is what Git said of commits whose changes could not be read at all, None if there are none.
    """

    def __init__(self, repository: Repository, limit: int, funnel: Funnel) -> None:
        self.repository = repository
        self.limit = limit
        self.counted = not repository.partial
        self.known = Known.of(funnel)
        self.complaint: str | None = None

    def read(self, shas: Sequence[str]) -> Iterator[tuple[str, Changes | None]]:
        """Each commit with its changes, None where Git cannot tell them. Raises GitUnusable if Git is missing."""
        if len(shas) < _TWO_FROM or not self.counted:
            yield from self._lane(shas)
            return
        blocks = [shas[start : start + _BLOCK] for start in range(0, len(shas), _BLOCK)]
        lanes = [self._started(blocks[first::2]) for first in range(min(2, len(blocks)))]
        for number, block in enumerate(blocks):
            lane = lanes[number % 2]
            for _ in block:
                yield next(lane)

    def _started(self, blocks: Iterable[Sequence[str]]) -> Iterator[tuple[str, Changes | None]]:
        """The commits of these blocks, from a process that runs from now on and not only when it is asked."""
        lane = self._lane(list(chain.from_iterable(blocks)))
        return chain((next(lane),), lane)

    def _lane(self, shas: Sequence[str]) -> Iterator[tuple[str, Changes | None]]:
        done = failures = 0
        while done < len(shas):
            held: tuple[str, Changes] | None = None
            try:
                for sha, changes in self._diffed(
                    shas[done:], counted=self.counted and failures < _MOST_FAILURES
                ):
                    if held is not None:
                        yield held
                        done += 1
                    while shas[done] != sha:  # one that Git passed over
                        yield shas[done], None
                        done += 1
                    held = sha, changes
                if held is not None:
                    yield held
                    done += 1
                if done < len(shas):
                    yield shas[done], None
                    done += 1
            except GitUnusable as problem:
                if problem.reason != "git_failed":
                    raise
                # It broke off within the commit that it began last, or before it named the next one.
                failures += 1
                for sha in shas[done : done + 2]:
                    yield sha, self._alone(sha)
                    done += 1

    def _alone(self, sha: str) -> Changes | None:
        """One commit's changes: with lines, else the names alone, else None."""
        complaint = ""
        for counted in (True, False) if self.counted else (False,):
            try:
                return next((changes for _, changes in list(self._diffed([sha], counted=counted))), None)
            except GitUnusable as problem:
                complaint = problem.detail
        self.complaint = self.complaint or complaint
        return None

    def _diffed(self, shas: Sequence[str], *, counted: bool) -> Iterator[tuple[str, Changes]]:
        options = _COUNTED if counted else _NAMES_ONLY
        with (
            _attributes() as file,
            self.repository.output(
                "-c", f"core.attributesFile={file}", *DRIVERS, *_TREE, *options, lines=shas
            ) as stream,
        ):
            yield from read_changes(stream, self.limit, counted=counted, known=self.known)


@contextmanager
def _attributes() -> Iterator[str]:
    """A file that tells Git how definitions look in some languages; a repository's own attributes come before it."""
    # An interrupted process ends with generators still open, which then close nothing; and an interrupt between the
    # making of the file and the next line would leave it too.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        descriptor, name = tempfile.mkstemp(prefix="t2c-", suffix=".attributes")
        remove = atexit.register(partial(Path(name).unlink, missing_ok=True))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(ATTRIBUTES)
        yield name
    finally:
        remove()
        atexit.unregister(remove)


_DOC_FOLDERS: Final = frozenset({"doc", "docs", "documentation"})
_DOC_ENDINGS: Final = (".md", ".mdx", ".rst", ".adoc")
_DOC_NAMES: Final = re.compile(
    r"(readme|changelog|changes|news|todo|contributing|policy|module)(\.txt)?", re.IGNORECASE
)


def is_documentation(path: str) -> bool:
    """True for a file that documents: in a documentation folder, of a prose format, or a README and its like."""
    *folders, name = path.split("/")
    return (
        name.lower().endswith(_DOC_ENDINGS)
        or not _DOC_FOLDERS.isdisjoint(folder.lower() for folder in folders)
        or _DOC_NAMES.fullmatch(name) is not None
    )
