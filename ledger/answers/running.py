"""Running a task's own gates for a check: in the work tree as it is, or in a copy of a commit.

A gate is a command of the user's, run where the user would run it. If it changes the files that it is run on, its end
says nothing of them any more, and that is told.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from t2c.ledger.answers.base import Bench, Claim
from t2c.ledger.errors import Environment

if TYPE_CHECKING:
    from t2c.ledger.execution.fingerprint import Fingerprint

__all__ = ["PURPOSE", "Ran", "run_gates", "state_of"]

PURPOSE: Final = "answer.verify"


class Ran(NamedTuple):
    """How one gate went; `event` is its `gate.ran`. `changed` are paths of the work tree that it changed itself."""

    argv: tuple[str, ...]
    event: str
    passed: bool
    told: str
    changed: tuple[str, ...] = ()


def run_gates(bench: Bench, claim: Claim) -> list[Ran]:
    """Run the gates of the bench, in their order, and say how each went.

    Raises Usage for a gate that cannot be run as it is written, and for a candidate that names no commit.
    """
    if not bench.gates:
        return []
    if bench.candidate is not None:
        from t2c.ledger.execution.copies import scratch_copy
        from t2c.ledger.execution.worktrees import commit_of, usable_repository

        with usable_repository(bench.tree) as git:
            commit = commit_of(git, bench.candidate)
        with scratch_copy((bench.tree, commit)) as copy:
            return [_run(bench, claim, argv, copy, commit) for argv in bench.gates]
    return [_run(bench, claim, argv, bench.tree, None) for argv in bench.gates]


def _run(bench: Bench, claim: Claim, argv: tuple[str, ...], tree: Path, commit: str | None) -> Ran:
    from t2c.ledger.execution.gates import Gate, run_gate

    before = _state(tree) if commit is None else None
    gate = Gate(
        purpose=PURPOSE,
        argv=argv,
        subject=claim.about,
        tree="work_tree" if commit is None else "copy",
        revision=commit,
        fingerprint=None if before is None else before.digest,
        timeout_seconds=bench.timeout,
    )
    went = run_gate(
        bench.ledger,
        tree,
        gate,
        environ=bench.environ,
        progress=bench.progress,
        cause=(claim.event,),
        before=before,
    )
    told = (
        f"ended with exit code {went.exit_code}"
        if went.outcome == "exited"
        else went.outcome.replace("_", " ")
    )
    return Ran(argv, went.ran, went.passed, told, went.changed)


def state_of(tree: Path) -> str | None:
    """The fingerprint of a work tree, None where it cannot be taken."""
    found = _state(tree)
    return None if found is None else found.digest


def _state(tree: Path) -> Fingerprint | None:
    from t2c.ledger.execution.fingerprint import fingerprint

    try:
        return fingerprint(tree)
    except Environment:
        return None
