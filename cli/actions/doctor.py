"""`t2c doctor`: is everything here that a ledger needs, and is anything left half done? It changes nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.lock import network_filesystem
from t2c.ledger.standing import load

__all__ = ["Check", "DoctorResult", "doctor"]

Status = Literal["ok", "note", "fault"]
_OLDEST_GIT: Final = (2, 20)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `note` asks for attention, `fault` stops work; both say what to do."""

    name: str
    status: Status
    detail: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """`ok` if no check is a fault; `code` is the exit code of the gravest one."""

    schema: ClassVar[str] = "t2c.doctor/v1"
    ok: bool
    code: int
    checks: Sequence[Check]


def doctor(context: Context) -> DoctorResult:
    """Look at the machine, the root and the ledger. Raises nothing that a check can tell."""
    checks = [_python(), _git(), _repository(context), _settings(context), _folder(context)]
    code = 6 if any(check.status == "fault" for check in checks) else 0
    if (context.workspace / JOURNAL).exists():
        found, damage = _ledger(context)
        checks += found
        code = damage or code
    else:
        checks.append(
            Check("ledger", "note", "there is no ledger here yet", "make one: t2c init, or t2c scan")
        )
    return DoctorResult(code == 0, code, checks)


def _python() -> Check:
    return Check("python", "ok", sys.version.split()[0])


def _git() -> Check:
    program = shutil.which("git")
    if program is None:
        return Check("git", "fault", "git is not on the PATH", "install Git; without it commits are not read")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is not None and (int(found[1]), int(found[2])) < _OLDEST_GIT:
        return Check("git", "note", said, "Git 2.20 or newer is tested")
    return Check("git", "ok", said)


def _repository(context: Context) -> Check:
    from t2c.ledger.intake.git import read_history

    try:
        history = read_history(context.root, limit=1, known=frozenset())
    except T2cError as error:
        return Check("repository", "fault", error.what, error.remedy)
    if history.head is None:
        reasons = ", ".join(warning.reason for warning in history.reading.warnings) or "no commits"
        return Check("repository", "note", f"no history can be read here ({reasons})", None)
    where = history.branch or "detached"
    shallow = "; shallow, so older commits are unknown" if history.shallow else ""
    remedy = "git fetch --unshallow" if history.shallow else None
    return Check(
        "repository", "note" if history.shallow else "ok", f"{where} at {history.head[:12]}{shallow}", remedy
    )


def _settings(context: Context) -> Check:
    notices = context.settings.notices
    if notices:
        return Check("settings", "note", "; ".join(notices), "t2c config show --origin")
    return Check("settings", "ok", "t2c config show --origin says where each value comes from")


def _folder(context: Context) -> Check:
    existing = context.workspace if context.workspace.exists() else context.root
    network = network_filesystem(existing)
    if network is not None:
        allowed = context.settings.allow_network_filesystem
        return Check(
            "folder",
            "note" if allowed else "fault",
            f"on a network file system ({network}), where locks and appends are not sure",
            "keep the ledger on a local disk",
        )
    if not existing.is_dir():
        return Check("folder", "fault", f"{existing} is not a folder", "move it away")
    if not os.access(existing, os.W_OK):
        return Check(
            "folder", "fault", f"{existing} is not writable", "give yourself permission to write there"
        )
    return Check("folder", "ok", str(context.root))


def _ledger(context: Context) -> tuple[list[Check], int]:
    steps: tuple[Callable[[Context, Ledger], Check], ...] = (_journal, _runs, _fragments, _projections)
    checks: list[Check] = []
    try:
        with open_ledger(context) as ledger:
            for step in steps:
                checks.append(step(context, ledger))
    except T2cError as error:
        checks.append(Check("journal", "fault", error.what, error.remedy))
        return checks, error.code
    return checks, 0


def _journal(context: Context, ledger: Ledger) -> Check:
    tail = ledger.journal.tail()
    if tail.overhang is not None:
        return Check(
            "journal",
            "note",
            f"{tail.position.seq} events, and an unfinished end ({tail.overhang.cause}) that was never acknowledged",
            "the next append sets it aside and records that",
        )
    return Check("journal", "ok", f"{tail.position.seq} events; t2c ledger verify proves them")


def _runs(context: Context, ledger: Ledger) -> Check:
    runs = load(ledger).state.runs
    if runs:
        names = ", ".join(f"{run} (at {stage})" for run, stage in sorted(runs.items()))
        return Check(
            "runs", "note", f"started but not finished: {names}", "the next scan that records closes them"
        )
    return Check("runs", "ok", "every run that was started is finished")


def _fragments(context: Context, ledger: Ledger) -> Check:
    fragments = sorted(Path(context.workspace).glob(f"{JOURNAL}.torn-*"))
    if fragments:
        return Check(
            "fragments",
            "note",
            f"{len(fragments)} unfinished ends were set aside (journal.ndjson.torn-*)",
            "look at them, then delete them; t2c ledger log --type journal.repaired tells when",
        )
    return Check("fragments", "ok", "nothing was ever set aside")


def _projections(context: Context, ledger: Ledger) -> Check:
    from t2c.projections import store
    from t2c.projections.registry import ALL

    head = ledger.head().seq
    behind = [
        name
        for name in ALL
        if (manifest := store.manifest(context.workspace, name)) is None or manifest.seq != head
    ]
    if behind:
        return Check("projections", "note", f"not at the head: {', '.join(behind)}", "t2c ledger project")
    return Check("projections", "ok", f"all at seq {head}")
