"""`t2c change try`: a patch tried beside the tree, with the commands that are to tell whether it is good."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.changes.known import patch_named
from t2c.ledger.changes.trying import Attempt, try_patch
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage

__all__ = ["CheckTried", "Tried", "TryRequest", "tried"]

_TAIL = 30
"""Lines of the output of a check that failed which are shown."""


@dataclass(frozen=True, slots=True)
class TryRequest:
    """What is asked for; see `t2c change try`. `timeout` is in seconds, for each check."""

    checks: Sequence[str] = ()
    none: bool = False
    as_is: bool = False
    compare: bool = False
    timeout: int = 600


@dataclass(frozen=True, slots=True)
class CheckTried:
    """How one check went. `base` says if it passed without the patch, null where that was not asked for.

    `output` is the object of what it wrote, `tail` its last lines where it did not pass.
    """

    command: str
    passed: bool
    outcome: str
    exit_code: int
    seconds: str
    base: bool | None
    gate: str
    output: str
    detail: str
    tail: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial as it was recorded. `applied` is false where the patch does not fit; `dirty` says that the work tree
    differs from its last commit, `changed_meanwhile` that somebody changed it while this ran."""

    schema: ClassVar[str] = "t2c.change-tried/v1"
    patch: str
    hash: str
    event: str
    seq: int
    tree: str
    revision: str
    dirty: bool
    applied: bool
    passed: bool
    detail: str
    checks: Sequence[CheckTried]
    changed_meanwhile: bool


def tried(context: Context, name: str, request: TryRequest, environ: Mapping[str, str]) -> Tried:
    """Try a patch and record it. Raises Usage without a check, and what `try_patch` raises."""
    checks = [_argv(check) for check in request.checks]
    if request.none == bool(checks):
        raise Usage(
            "a check and --no-check exclude each other" if checks else "there is nothing to check it with",
            safe="nothing was run",
            remedy='give commands that pass if it is good, as --check "pytest -q", or --no-check to see if it fits',
        )
    if request.none and request.compare:
        raise Usage(
            "--compare needs a check", safe="nothing was run", remedy="give a --check, or leave it out"
        )
    with open_ledger(context, hold=True) as ledger:
        patch = patch_named(ledger, name)
        found = try_patch(
            ledger,
            context.root,
            patch,
            checks,
            environ=environ,
            as_is=request.as_is,
            compare=request.compare,
            timeout=request.timeout,
            progress=context.progress,
        )
        rows = [_row(ledger, one) for one in found.attempts]
    return Tried(
        patch.id,
        patch.hash,
        found.event,
        found.seq,
        found.tree,
        found.revision,
        found.dirty,
        found.applied,
        found.passed,
        found.detail,
        rows,
        found.changed_meanwhile,
    )


def _row(ledger: Ledger, one: Attempt) -> CheckTried:
    went = one.went
    tail = ""
    if not went.passed:
        written = ledger.objects.get(went.output).decode("utf-8", "replace")
        tail = "\n".join(written.rstrip("\n").split("\n")[-_TAIL:])
    return CheckTried(
        shlex.join(one.argv),
        went.passed,
        went.outcome,
        went.exit_code,
        f"{went.duration_ms / 1000:.3f}",
        None if one.base is None else one.base.passed,
        went.ran,
        went.output,
        went.detail,
        tail,
    )


def _argv(check: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(check))
    except ValueError as error:
        raise Usage(f"{check!r} is no command: {error}", remedy="close its quotation marks") from None
    if not argv or not argv[0]:
        raise Usage("a check is empty", where="--check", remedy='write it like --check "pytest -q"')
    return argv
