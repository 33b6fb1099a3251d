"""`t2c ledger merge-driver` and `t2c init --git-merge-driver`: Git merges tracked journals with t2c."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
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

__all__ = ["DRIVER", "DrivenResult", "DriverSetUp", "drive", "is_asked_for", "set_up"]

DRIVER: Final = "t2c ledger merge-driver %O %A %B %P"
"""What Git is told to run where `t2c` is this program."""
_ATTRIBUTE: Final = "/journal.ndjson merge=t2c"
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

    With `written` both are in place; the digests are of the file before (null if there was none) and after. `why`
    says why Git is told the path of this program, null if `t2c` is enough.
    """

    schema: ClassVar[str] = "t2c.git-merge-driver/v1"
    file: str
    line: str
    commands: Sequence[str]
    why: str | None
    written: bool
    sha256_before: str | None
    sha256_after: str | None


def set_up(context: Context, *, write: bool) -> DriverSetUp:
    """Say what to set, and with `write` set it: the line under a lock and as a whole, the settings by `git config`.

    Raises Usage if the ledger is not tracked by Git, Environment if Git or the disk refuses.
    """
    file = context.workspace / ".gitattributes"
    program, why = _program()
    settings = _settings(program)
    commands = [f"git config {name} {_quoted(value)}" for name, value in settings]
    before = after = None
    if write:
        before, after = _write_line(file)
        _configure(context.root, settings)
    shown = file.relative_to(context.root).as_posix()
    return DriverSetUp(shown, _ATTRIBUTE, commands, why, write, before, after)


def is_asked_for(workspace: Path) -> bool:
    """True if the ledger's .gitattributes tells Git to merge the journal with t2c."""
    try:
        return _ATTRIBUTE in (workspace / ".gitattributes").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return False


def _settings(program: str) -> tuple[tuple[str, str], ...]:
    return (
        ("merge.t2c.name", "t2c: take in the events of the other side"),
        ("merge.t2c.driver", program + DRIVER.removeprefix("t2c")),
        # Of two ancestors Git makes one; it has to be no version that a side could be equal to.
        ("merge.t2c.recursive", "binary"),
    )


def _quoted(value: str) -> str:
    plain = not any(character in value for character in "\"$`\\'!")
    return f'"{value}"' if plain else shlex.quote(value)


def _program() -> tuple[str, str | None]:
    """What a shell has to be told to run this program, and why it is not just `t2c`."""
    found = shutil.which("t2c")
    if found is not None and _is_this(Path(found)):
        return "t2c", None
    script = Path(sys.executable).parent / "t2c"
    words = [str(script)] if os.access(script, os.X_OK) else [sys.executable, "-m", "t2c.cli"]
    # Git takes a percent sign for a place to put a version.
    program = shlex.join(words).replace("%", "%%")
    why = "t2c is not on the PATH" if found is None else f"the t2c on the PATH, {found}, is another program"
    return program, f"{why}: Git is told to run {shlex.join(words)}"


def _is_this(found: Path) -> bool:
    """True if a program is this one: the same file, of the same environment, or one that says that it is as new."""
    from t2c import __version__

    if found.resolve() == Path(sys.argv[0]).resolve() or found.resolve().parent == _programs():
        return True
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return False
    return said.returncode == 0 and said.stdout.split() == ["t2c", __version__]


def _programs() -> Path:
    return Path(sys.executable).parent.resolve()


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


def _configure(root: Path, settings: Sequence[tuple[str, str]]) -> None:
    import git

    from t2c.ledger.intake.git_command import GitUnusable, open_repository

    try:
        with open_repository(root):
            for name, value in settings:
                git.Git(str(root)).config("--local", name, value)
    except (GitUnusable, git.GitCommandError) as error:
        raise Environment(
            f"the settings of this clone cannot be written: {' '.join(str(error).split())[:300]}",
            where=str(root),
            safe="the line in .gitattributes is written",
            remedy="run the `git config` commands that `t2c init --git-merge-driver` prints",
        ) from None
