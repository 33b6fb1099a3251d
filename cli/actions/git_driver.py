"""`t2c ledger merge-driver` and `t2c init --git-merge-driver`: Git merges tracked journals with t2c."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.ledger.engine import JOURNAL
from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.journal.files import make_folder, write_atomically
from t2c.ledger.journal.lock import OneShotLock

__all__ = ["DRIVER", "DrivenResult", "DriverSetUp", "drive", "is_asked_for", "is_set", "set_up"]

DRIVER: Final = "t2c ledger merge-driver %O %A %B %P"
_ATTRIBUTE: Final = "/journal.ndjson merge=t2c"
_SETTINGS: Final = (
    ("merge.t2c.name", "t2c: take in the events of the other side"),
    ("merge.t2c.driver", DRIVER),
    # Of two ancestors Git makes one; it has to be no version that a side could be equal to.
    ("merge.t2c.recursive", "binary"),
)
_REMEDY: Final = (
    "git restore --source=HEAD --staged --worktree {folder} && t2c {root}ledger merge git:MERGE_HEAD && git add {folder}, "
    "then go on as Git says (in a rebase it is git:REBASE_HEAD, in a cherry-pick git:CHERRY_PICK_HEAD)"
)


@dataclass(frozen=True, slots=True)
class DrivenResult:
    """What a merge of two versions of the journal took in, and the head of the result."""

    schema: ClassVar[str] = "t2c.merge-driver/v1"
    path: str
    events: int
    known: int
    seq: int
    hash: str


def drive(context: Context, ours: str, theirs: str, path: str) -> DrivenResult:
    """Merge for Git: `ours` (%A) is replaced by the result, or left as it was if anything is wrong.

    `path` (%P) is where the journal is in the work tree, seen from its top. Raises what the merge raises, each with
    the way to do the same by hand.
    """
    from t2c.ledger.transfer.driver import merge_versions

    if Path(path).name != JOURNAL:
        raise Usage(
            f"{path} is no journal: its name is not {JOURNAL}",
            safe="our side is as it was",
            remedy="let the attribute merge=t2c stand in the .gitattributes of the ledger's folder only",
        )
    folder = Path(path).parent
    try:
        done = merge_versions(context.cwd / ours, context.cwd / theirs, context.cwd / folder)
    except T2cError as error:
        root = "" if folder.parent == Path() else f"--root {shlex.quote(str(folder.parent))} "
        error.safe = "our side is as it was"
        error.remedy = _REMEDY.format(folder=shlex.quote(str(folder)), root=root)
        raise
    return DrivenResult(path, done.plan.events, done.plan.known, done.seq, done.hash)


@dataclass(frozen=True, slots=True)
class DriverSetUp:
    """What makes Git merge the journal with t2c: a line of `file` and settings of this clone.

    With `written` both are in place; the digests are of the file before (null if there was none) and after.
    """

    schema: ClassVar[str] = "t2c.git-merge-driver/v1"
    file: str
    line: str
    commands: Sequence[str]
    written: bool
    sha256_before: str | None
    sha256_after: str | None


def set_up(context: Context, *, write: bool) -> DriverSetUp:
    """Say what to set, and with `write` set it: the line under a lock and as a whole, the settings by `git config`.

    Raises Usage if the ledger is not tracked by Git, Environment if Git or the disk refuses.
    """
    file = context.workspace / ".gitattributes"
    commands = [f'git config {name} "{value}"' for name, value in _SETTINGS]
    before = after = None
    if write:
        before, after = _write_line(file)
        _configure(context.root)
    shown = file.relative_to(context.root).as_posix()
    return DriverSetUp(shown, _ATTRIBUTE, commands, write, before, after)


def is_asked_for(workspace: Path) -> bool:
    """True if the ledger's .gitattributes tells Git to merge the journal with t2c."""
    try:
        return _ATTRIBUTE in (workspace / ".gitattributes").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return False


def is_set(root: Path) -> bool:
    """True if Git knows here what the merge driver t2c is."""
    from t2c.ledger.intake.git_command import GitUnusable, open_repository

    try:
        with open_repository(root) as repository, repository.output("config", "merge.t2c.driver") as out:
            return bool(out.read().strip())
    except GitUnusable:
        return False


def _write_line(file: Path) -> tuple[str | None, str]:
    try:
        make_folder(file.parent / "locks")
        with OneShotLock(file.parent / "locks" / "gitattributes").held():
            try:
                content = file.read_bytes()
            except FileNotFoundError:
                raise Usage(
                    "this ledger is not tracked by Git, so Git never merges it",
                    where=str(file),
                    safe="nothing was written",
                    remedy="t2c init --track",
                ) from None
            lines = content.decode("utf-8", "surrogateescape").splitlines()
            new = content
            if _ATTRIBUTE not in lines:
                # The last line that fits decides, so it has to stand below `* -text -merge`.
                new = content + (b"" if content.endswith(b"\n") or not content else b"\n")
                new += _ATTRIBUTE.encode() + b"\n"
                write_atomically(file, new)
            return sha256(content).hexdigest(), sha256(new).hexdigest()
    except OSError as error:
        raise Environment(
            f"{file} cannot be written: {error.strerror}", where=str(file), safe="it is as it was"
        ) from error


def _configure(root: Path) -> None:
    import git

    from t2c.ledger.intake.git_command import GitUnusable, open_repository

    try:
        with open_repository(root):
            for name, value in _SETTINGS:
                git.Git(str(root)).config("--local", name, value)
    except (GitUnusable, git.GitCommandError) as error:
        raise Environment(
            f"the settings of this clone cannot be written: {' '.join(str(error).split())[:300]}",
            where=str(root),
            safe="the line in .gitattributes is written",
            remedy="run the `git config` commands that `t2c init --git-merge-driver` prints",
        ) from None
