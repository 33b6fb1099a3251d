"""Gates: commands that t2c runs itself, announced before and recorded after (plan-records A7–A11, decisions A11).

Nothing but this makes `gate.ran`, so nothing else is evidence that a command ran and how it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.gates import GateAnnounced, GateOutcome, GateRan
from t2c.ledger.execution.capture import KEPT, Capture, Captured
from t2c.ledger.execution.environment import effective
from t2c.ledger.execution.fingerprint import Fingerprint
from t2c.ledger.execution.process import GRACE, Ended, run_command
from t2c.ledger.execution.traces import places, tree_change
from t2c.ledger.intake.base import Progress, no_progress
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.canon import MAX_INT, canonical
from t2c.ledger.kernel.paths import confine
from t2c.ledger.redaction.funnel import Funnel

__all__ = ["Gate", "GateResult", "Reusable", "equivalence", "find_reusable", "run_gate"]

SHELL: Final = "/bin/sh"
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Gate(Struct, frozen=True, kw_only=True):
    """A command and what it is run for; see `gate.announced` for the members.

    Either `argv`, run without a shell, or `command`, which a shell reads: only where whoever declared it wrote one
    text and meant a shell. `cwd` is relative to the tree. `surface` holds the digests of what its task touches
    (`execution.surface`), which only decide whether another run may stand for this one.
    """

    purpose: str
    argv: tuple[str, ...] | None = None
    command: str | None = None
    cwd: str = "."
    environment: Mapping[str, str] = {}
    timeout_seconds: int = 600
    subject: str | None = None
    tree: Literal["work_tree", "worktree", "copy"] = "work_tree"
    revision: str | None = None
    fingerprint: str | None = None
    contract: str | None = None
    task: str | None = None
    criterion: str | None = None
    surface: Mapping[str, str | None] = {}

    @property
    def words(self) -> tuple[str, ...]:
        """What is executed."""
        return (SHELL, "-c", self.command) if self.command is not None else self.argv or ()


class GateResult(Struct, frozen=True):
    """How a gate went, as it was recorded. `output` is the digest of an object.

    `changed` are paths of the tree that the gate itself changed, where that was looked at.
    """

    announced: str
    ran: str
    outcome: GateOutcome
    exit_code: int
    duration_ms: int
    output: str
    output_bytes: int
    kept_bytes: int
    masked: Mapping[str, int]
    detail: str
    changed: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if the command ran to its end and ended with 0."""
        return self.outcome == "exited" and self.exit_code == 0


def run_gate(
    ledger: Ledger,
    tree: Path,
    gate: Gate,
    *,
    environ: Mapping[str, str],
    run: str | None = None,
    progress: Progress = no_progress,
    cause: tuple[str, ...] = (),
    grace: float = GRACE,
    keep: int = KEPT,
    before: Fingerprint | None = None,
) -> GateResult:
    """Announce, run and record a gate in `tree`; a failing command is a result and no error.

    `environ` holds the variables that some may be handed on from (`environment.effective`); `cause` are the events
    that the gate follows from. With the fingerprint of the tree `before`, what the gate changed in it is told; what it
    changed in the hooks and settings of Git and in the ledger always is. A command that cannot be started is recorded too. Ctrl-C ends the command, is recorded
    and raised again; if t2c is killed, the command ends and the announcement stays without an outcome. Raises Usage
    for a gate that cannot be run as it is written and Refused for a secret in it, both before anything is announced,
    and what recording raises.
    """
    folder = _checked(tree, gate)
    surroundings = effective(environ, gate.environment, ledger.funnel)
    announced = GateAnnounced(
        purpose=gate.purpose,
        subject=gate.subject,
        argv=gate.argv,
        command=gate.command,
        cwd=gate.cwd,
        environment=dict(gate.environment),
        timeout_seconds=gate.timeout_seconds,
        tree=gate.tree,
        revision=gate.revision,
        fingerprint=gate.fingerprint,
        contract=gate.contract,
        task=gate.task,
        criterion=gate.criterion,
        equivalence=equivalence(gate, surroundings, ledger.funnel),
    )
    receipt = ledger.append([draft(announced, cause=cause, run=run)])[0]
    ledger.sync()
    capture = Capture(keep)
    if gate.tree != "work_tree":
        # Beside the tree there may be a repository that has nothing to do with it.
        surroundings["GIT_CEILING_DIRECTORIES"] = str(tree.resolve().parent)
    stood = places(ledger.workspace)
    ended = run_command(
        gate.words,
        folder,
        surroundings,
        gate.timeout_seconds,
        capture.feed,
        grace=grace,
        tick=lambda seconds: progress(gate.purpose, int(seconds), None),
    )
    changed: tuple[str, ...] = ()
    if ended.interruption is None:
        told = [ended.detail, stood.told(places(ledger.workspace))]
        if before is not None:
            change = tree_change(before, tree)
            changed = change.changed
            told.append(change.told and f"the gate {change.told}")
        ended = ended._replace(detail="; ".join(filter(None, told)))
    result = _recorded(ledger, receipt.id, ended, capture.finish(ledger.funnel), run, changed)
    if ended.interruption is not None:
        raise ended.interruption
    return result


def _recorded(
    ledger: Ledger,
    announced: str,
    ended: Ended,
    captured: Captured,
    run: str | None,
    changed: tuple[str, ...],
) -> GateResult:
    found = GateRan(
        announced=announced,
        outcome=ended.outcome,
        exit_code=ended.exit_code,
        duration_ms=ended.duration_ms,
        output=ledger.objects.put(captured.content),
        output_bytes=captured.written,
        kept_bytes=captured.kept,
        masked=dict(captured.masked),
        detail=ledger.funnel.mask(ended.detail).text,
    )
    receipt = ledger.append([draft(found, cause=(announced,), run=run)])[0]
    ledger.sync()
    return GateResult(
        announced=announced,
        ran=receipt.id,
        outcome=found.outcome,
        exit_code=found.exit_code,
        duration_ms=found.duration_ms,
        output=found.output,
        output_bytes=found.output_bytes,
        kept_bytes=found.kept_bytes,
        masked=captured.masked,
        detail=found.detail,
        changed=changed,
    )


def _checked(tree: Path, gate: Gate) -> Path:
    """The folder that the gate runs in. Raises Usage for what cannot be run."""
    if (gate.argv is None) == (gate.command is None):
        raise _unusable(
            "a gate has either words or a text for a shell", "give exactly one of argv and command"
        )
    if not gate.words or not gate.words[0] or (gate.command is not None and not gate.command.strip()):
        raise _unusable("a gate without a command", "name the program to run")
    texts = [*gate.words, gate.cwd, *gate.environment, *gate.environment.values()]
    if any("\0" in text for text in texts):
        raise _unusable("no word of a command can hold a NUL", "take it out")
    if any("\ud800" <= char <= "\udfff" for text in texts if not text.isascii() for char in text):
        raise _unusable("a command that is no Unicode text cannot be recorded", "name its files otherwise")
    if not 1 <= gate.timeout_seconds <= MAX_INT // 1000:
        raise _unusable(f"a time limit of {gate.timeout_seconds} s", "give a gate at least one second")
    folder = confine(tree, gate.cwd or ".")
    if not folder.is_dir():
        raise _unusable(f"{gate.cwd} is no folder of the tree", "run the command in a folder that is there")
    return folder


def _unusable(what: str, remedy: str) -> Usage:
    return Usage(what, safe="nothing was run and nothing was written", remedy=remedy)


def equivalence(gate: Gate, environment: Mapping[str, str], funnel: Funnel) -> str | None:
    """What two runs share if one may stand for the other: command, folder, all variables and the tree (plan-records D5).

    Which criterion it was run for, and in which window, is for `find_reusable`. None without a fingerprint of the
    tree, for what ran elsewhere than in the work tree, since no fingerprint tells what was laid over a copy, and if a
    secret takes part: its digest would tell something of it.
    """
    if gate.fingerprint is None or gate.tree != "work_tree":
        return None
    told = {
        "argv": gate.argv,
        "command": gate.command,
        "cwd": gate.cwd,
        "environment": dict(environment),
        "surface": dict(gate.surface),
        "tree": gate.fingerprint,
    }
    try:
        content = canonical(told)
    except TypeError:
        return None  # a variable that is no Unicode text
    if not funnel.clean(content.decode()) and funnel.mask_json(content).findings:
        return None
    return sha256(b"t2c.gate/v1\0" + content).hexdigest()


class Reusable(Struct, frozen=True):
    """A run that may stand for another: its events, and how it ended."""

    announced: str
    ran: str
    seq: int
    exit_code: int
    output: str


class _Announced(Struct):
    equivalence: str | None = None
    task: str | None = None
    criterion: str | None = None


class _Ran(Struct):
    announced: str
    outcome: str
    exit_code: int
    output: str


_announced: Final = msgspec.json.Decoder(_Announced).decode
_ran: Final = msgspec.json.Decoder(_Ran).decode


def find_reusable(
    entries: Iterable[Entry],
    key: str | None,
    *,
    task: str | None = None,
    criterion: str | None = None,
    after: int = 0,
) -> Reusable | None:
    """The latest run with this `equivalence`, for the same task and criterion, after an event (plan-records A8).

    `after` is the seq of what opened the window, or of what made earlier evidence void. A run that was stopped, by
    time or otherwise, stands for nothing, and neither does one that was only imported.
    """
    if key is None or _SHA256.fullmatch(key) is None:
        return None
    waiting: dict[str, Entry] = {}
    found: Reusable | None = None
    for entry in entries:
        if entry.seq <= after or entry.trust != "observed" or entry.data_hash is not None:
            continue
        if entry.type == "gate.announced":
            said = _announced(entry.data)
            if (said.equivalence, said.task, said.criterion) == (key, task, criterion):
                waiting[entry.id] = entry
        elif entry.type == "gate.ran" and waiting:
            ran = _ran(entry.data)
            if ran.outcome == "exited" and waiting.pop(ran.announced, None) is not None:
                found = Reusable(ran.announced, entry.id, entry.seq, ran.exit_code, ran.output)
    return found
