"""Whether the frozen tests stand in what an attempt left: else it is refuted, and recorded as refused.

What counts is the candidate's tree, whatever it is compared with: a test that was changed or taken out before the base is
changed all the same. Nothing is put back (answers §5).
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.freezing import (
    BROKEN,
    Frozen,
    digest_of,
    frozen_files,
    refuse,
    refused_before,
    state_of,
)
from t2c.ledger.answers.history import RECORDED, event_named
from t2c.ledger.errors import Environment
from t2c.ledger.execution.worktrees import commit_of, usable_repository
from t2c.ledger.intake.git_command import GitUnusable, Repository
from t2c.ledger.kernel.actor import Actor

__all__ = ["CHECK", "check"]

CHECK: Final = "frozen"


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """One finding for each frozen test that is not as it was frozen, or that a person approved anew; else one for all."""
    frozen = frozen_files(bench.ledger)
    if not frozen:
        return
    try:
        here = _digests(bench, frozen)
    except Environment as error:
        yield Found(CHECK, "unresolvable", f"nobody can say how the frozen tests stand: {error.what}")
        return
    known = refused_before(bench.ledger)
    by = Actor.parse(str(event_named(bench.ledger, claim.event, RECORDED).actor))
    quiet = True
    for one in frozen:
        state = state_of(one, here[one.path])
        if state == "as frozen":
            continue
        quiet = False
        if state in BROKEN:
            refuse(bench.ledger, one, here[one.path], by, known)
        yield _found(one, here[one.path], state)
    if quiet:
        many = "the frozen test stands" if len(frozen) == 1 else f"all {len(frozen):,} frozen tests stand"
        yield Found(CHECK, "supported", f"{many} as frozen")


def _found(one: Frozen, here: str | None, state: str) -> Found:
    if state not in BROKEN:
        evidence = (one.event,) if one.approved is None else (one.event, one.approved)
        return Found(CHECK, "supported", f"{one.path} stands {state}", one.path, evidence)
    now = "is not there" if here is None else f"has {here[:12]} now"
    detail = f"{one.path} was frozen as {one.digest[:12]} and {now}: only a person may do that"
    return Found(CHECK, "refuted", detail, one.path, (one.event,))


def _digests(bench: Bench, frozen: list[Frozen]) -> dict[str, str | None]:
    if bench.candidate is None:
        return {one.path: digest_of(bench.tree, one.path) for one in frozen}
    with usable_repository(bench.tree) as git:
        commit = commit_of(git, bench.candidate)
        return {one.path: _committed(git, commit, one.path) for one in frozen}


def _committed(git: Repository, commit: str, path: str) -> str | None:
    try:
        with git.output("cat-file", "blob", f"{commit}:./{path}") as out:
            return sha256(out.read()).hexdigest()
    except GitUnusable:
        return None
