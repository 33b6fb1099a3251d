"""`t2c doctor`: is everything here that a ledger needs, and is anything left half done? It changes nothing."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from t2c.cli.actions.check import Check
from t2c.cli.actions.context import Context
from t2c.cli.actions.leftovers import Leftovers, leftovers
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import Corrupt, Environment, T2cError
from t2c.ledger.journal.lock import network_filesystem
from t2c.ledger.journal.position import START
from t2c.ledger.journal.tail import check_last
from t2c.ledger.standing import load

__all__ = ["DoctorResult", "doctor"]

_OLDEST_GIT: Final = (2, 20)


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
    try:
        (context.workspace / JOURNAL).lstat()
    except (FileNotFoundError, NotADirectoryError):
        checks.append(
            Check("ledger", "note", "there is no ledger here yet", "make one: t2c init, or t2c scan")
        )
    except OSError:
        # The check of the folder has told already why it cannot be entered.
        pass
    else:
        found, damage = _ledger(context)
        checks += found
        code = damage or code
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
    try:
        context.workspace.lstat()
        existing = context.workspace
    except FileNotFoundError:
        existing = context.root
    try:
        mode = existing.stat().st_mode
    except OSError as error:
        return Check(
            "folder", "fault", f"{existing} cannot be used: {error.strerror}", "look at what it links to"
        )
    if not stat.S_ISDIR(mode):
        return Check("folder", "fault", f"{existing} is not a folder", "move it away")
    network = network_filesystem(existing)
    if network is not None:
        allowed = context.settings.allow_network_filesystem
        return Check(
            "folder",
            "note" if allowed else "fault",
            f"on a network file system ({network}), where locks and appends are not sure",
            "keep the ledger on a local disk",
        )
    for mode, word in ((os.R_OK | os.X_OK, "readable"), (os.W_OK, "writable")):
        if not os.access(existing, mode):
            return Check(
                "folder",
                "fault",
                f"{existing} is not {word}",
                "give yourself permission to read and write there",
            )
    return Check("folder", "ok", str(context.root))


def _ledger(context: Context) -> tuple[list[Check], int]:
    """The checks of a ledger that is there, and 5 if anything is damaged, else 6 for any other fault, else 0.

    What rests on the journal is not looked at if the journal itself is at fault.
    """
    checks: list[Check] = []
    codes: list[int] = []

    def look(name: str, step: Callable[[], Check]) -> bool:
        try:
            checks.append(step())
            return True
        except T2cError as error:
            where = "" if error.where is None else f" ({error.where})"
            checks.append(Check(name, "fault", f"{error.what}{where}", error.remedy))
            codes.append(6 if isinstance(error, Environment) else 5)
        except OSError as error:
            checks.append(Check(name, "fault", f"{error.filename or name}: {error.strerror}"))
            codes.append(6)
        return False

    from t2c.cli.actions.git_checks import merges, tracking

    try:
        ledger = open_ledger(context)
    except T2cError as error:
        return [Check("journal", "fault", error.what, error.remedy)], 6
    with ledger:
        sound = look("journal", lambda: _journal(context, ledger))
        look("lock", lambda: _lock(context, ledger))
        look("fragments", lambda: _fragments(context, ledger))
        look("merges", lambda: merges(context))
        look("tracking", lambda: tracking(context))
        if sound:
            look("runs", lambda: _runs(context, ledger))
            left = cache(lambda: leftovers(ledger))
            look("redactions", lambda: redactions(ledger, left()))
            look("announcements", lambda: _announcements(left()))
            look("projections", lambda: _projections(context, ledger))
    return checks, min(codes, default=0)


def _journal(context: Context, ledger: Ledger) -> Check:
    path, tail = ledger.journal.path, ledger.journal.tail()
    if tail.position == START:
        torn = tail.overhang is not None
        raise Corrupt(
            "the first event of the journal is not complete"
            if torn
            else "the journal is empty: not even its first event is there",
            remedy="restore the journal from Git, a backup or a bundle"
            + ("" if torn else "; `t2c scan` begins a new one"),
        )
    check_last(tail, path.name)
    if not os.access(path, os.W_OK):
        raise Environment(f"{path} is not writable", remedy="give yourself permission to write there")
    events = "1 event" if tail.position.seq == 1 else f"{tail.position.seq} events"
    if tail.overhang is not None:
        return Check(
            "journal",
            "note",
            f"{events}, and an unfinished end ({tail.overhang.cause}) that was never acknowledged",
            "the next append sets it aside and records that",
        )
    return Check("journal", "ok", f"{events}; t2c ledger verify proves the whole")


def _lock(context: Context, ledger: Ledger) -> Check:
    path = context.workspace / "lock"
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return Check("lock", "ok", "the first append makes it")
    if not stat.S_ISREG(mode):
        raise Environment(f"{path} is not a file, so nothing can be appended", remedy="move it away")
    if not os.access(path, os.R_OK | os.W_OK):
        raise Environment(f"{path} is not writable", remedy="give yourself permission to write there")
    return Check("lock", "ok", "it can be taken")


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
            f"{len(fragments)} unfinished {'end was' if len(fragments) == 1 else 'ends were'} set aside "
            "(journal.ndjson.torn-*)",
            "look at what was set aside, then delete it; t2c ledger log --type journal.repaired tells when",
        )
    return Check("fragments", "ok", "nothing was ever set aside")


def _projections(context: Context, ledger: Ledger) -> Check:
    from t2c.cli.actions.verify import names_event
    from t2c.projections import store
    from t2c.projections.registry import AFTER_SCAN, ALL

    head = ledger.head()
    behind: list[str] = []
    foreign: list[str] = []
    for name in ALL:
        manifest = store.manifest(context.workspace, name)
        if manifest is not None and not names_event(ledger.journal, manifest):
            foreign.append(name)
        elif name in AFTER_SCAN and (manifest is None or manifest.seq != head.seq):
            behind.append(name)
    said = [f"views are of another history: {', '.join(foreign)}"] if foreign else []
    said += [f"not at the head: {', '.join(behind)}"] if behind else []
    if said:
        return Check("projections", "note", "; ".join(said), "t2c ledger project")
    return Check("projections", "ok", f"the views of a scan are at seq {head.seq}")


def _announcements(found: Leftovers) -> Check:
    if not found.undecided:
        return Check("announcements", "ok", "of everything that was announced it is known how it went")
    named = ", ".join(f"{one.type} at seq {one.seq}" for one in found.undecided[:5])
    more = f" and {len(found.undecided) - 5} more" if len(found.undecided) > 5 else ""
    kinds = {one.type == "apply.announced" for one in found.undecided}
    remedies = (
        ["finish applies that were cut off, or take them back: t2c change recover"] if True in kinds else []
    )
    if False in kinds:
        remedies.append(
            "unless it is under way, it was cut off: look at what it may have done (t2c ledger log), then do it again"
        )
    return Check("announcements", "note", f"announced, outcome unknown: {named}{more}", "; ".join(remedies))


def redactions(ledger: Ledger, found: Leftovers) -> Check:
    """Whether every payload that an event redacts is gone, and every other one is cited."""
    if found.redacted:
        lowest, *_ = found.redacted
        seqs = ", ".join(f"seq {seq}" for seq in found.redacted[:5])
        more = f" and {len(found.redacted) - 5} more" if len(found.redacted) > 5 else ""
        return Check(
            "redactions",
            "note",
            f"redacted, but still there: the payload of {seqs}{more}",
            f"delete it: t2c ledger redact {lowest}",
        )
    if found.objects:
        seq, digest = found.objects[0]
        many = "1 object is" if len(found.objects) == 1 else f"{len(found.objects)} objects are"
        return Check(
            "redactions",
            "note",
            f"{many} still there though redacted, the first cited by seq {seq}",
            f"delete it: t2c ledger redact {seq} --object {digest}",
        )
    if found.uncited:
        first = ledger.objects.path(found.uncited[0])
        many = "1 payload is" if len(found.uncited) == 1 else f"{len(found.uncited)} payloads are"
        return Check(
            "redactions",
            "note",
            f"{many} kept that no event cites: an append was cut off, or is under way",
            f"if nothing is appending, delete {first}",
        )
    return Check("redactions", "ok", "nothing is kept that was redacted")
