"""Whether an attempt changed a frozen test: then that is refuted, and recorded as refused. Nothing is put back.

(answers §5)
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import Changes, changes
from t2c.ledger.answers.checks.freezing import (
    BROKEN,
    Frozen,
    approved_digests,
    digest_of,
    frozen_files,
    refuse,
    refused_before,
    state_of,
)
from t2c.ledger.answers.history import RECORDED, event_named
from t2c.ledger.errors import Environment
from t2c.ledger.execution.worktrees import usable_repository
from t2c.ledger.intake.git_command import GitUnusable
from t2c.ledger.kernel.actor import Actor

__all__ = ["CHECK", "check"]

CHECK: Final = "frozen"


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """One finding for each frozen test that the real diff touches, else one that it touches none."""
    frozen = {one.path: one for one in frozen_files(bench.ledger)}
    if not frozen:
        return
    try:
        real = changes(bench.tree, bench.base, bench.candidate)
    except Environment as error:
        yield Found(CHECK, "unresolvable", f"nobody can say what changed: {error.what}")
        return
    touched = sorted((real.paths | real.former) & frozen.keys())
    if not touched:
        yield Found(CHECK, "supported", "no frozen test was changed")
        return
    approved, known = approved_digests(bench.ledger), refused_before(bench.ledger)
    by = Actor.parse(str(event_named(bench.ledger, claim.event, RECORDED).actor))
    for path in touched:
        one = frozen[path]
        here = _digest(bench, real, path)
        state = "deleted" if here is None else state_of(one, here, approved)
        if state in BROKEN:
            refuse(bench.ledger, one, here, by, known)
        yield _found(one, here, state)


def _found(one: Frozen, here: str | None, state: str) -> Found:
    if state not in BROKEN:
        return Found(CHECK, "supported", f"{one.path} stands {state}", one.path, (one.event,))
    now = "is deleted" if here is None else f"has {here[:12]} now"
    detail = f"{one.path} was frozen as {one.digest[:12]} and {now}: only a person may do that"
    return Found(CHECK, "refuted", detail, one.path, (one.event,))


def _digest(bench: Bench, real: Changes, path: str) -> str | None:
    if real.candidate is None:
        return digest_of(bench.tree, path)
    with usable_repository(bench.tree) as git:
        try:
            with git.output("cat-file", "blob", f"{real.candidate}:./{path}") as out:
                return sha256(out.read()).hexdigest()
        except GitUnusable:
            return None
