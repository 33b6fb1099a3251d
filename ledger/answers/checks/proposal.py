"""A proposal: nothing follows from it, and afterwards its files are compared with the real ones (answers §5).

The comparison informs and judges nobody: a prediction that did not come true is no false claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import changes
from t2c.ledger.answers.history import events
from t2c.ledger.audit.answers import ACTS
from t2c.ledger.errors import Environment

__all__ = ["check", "executes_nothing"]


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow a proposal. Raises Usage where a revision names no commit."""
    yield executes_nothing(claim, bench)
    value: Any = claim.value
    try:
        real = changes(bench.tree, bench.base, bench.candidate)
    except Environment as error:
        yield Found("files_predicted", "unresolvable", f"nobody can say what changed: {error.what}")
        return
    named = frozenset(value.files)
    met = named & (real.paths | real.former)
    other = [one for one in real.files if one.path not in named and one.previous not in named]
    told = f"{len(named)} predicted, {len(met)} of them changed; {len(other)} changed that were not predicted"
    result = "supported" if met == named and not other else "unresolvable"
    yield Found("files_predicted", result, told)  # type: ignore[arg-type]


def executes_nothing(claim: Claim, bench: Bench) -> Found:
    """Whether anything that acts cites this answer as its cause."""
    acts = [entry.id for entry in events(bench.ledger, *ACTS, after=claim.seq) if claim.event in entry.cause]
    if acts:
        return Found(
            "executes_nothing",
            "refuted",
            f"{len(acts)} of what t2c did cites it as its cause",
            evidence=tuple(acts),
        )
    return Found("executes_nothing", "supported", "no command, write or gate has it as its cause")
