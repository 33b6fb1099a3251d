"""An exploration: nothing follows from it but a person's choice, which names one approach by title and digest, or none."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.proposal import executes_nothing
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.kernel.canon import canonical

__all__ = ["approach_digest", "check"]


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow an exploration."""
    yield executes_nothing(claim, bench)
    value: Any = claim.value
    chosen = [
        entry for entry in events(bench.ledger, "choice.made") if decoded(entry)["answer"] == claim.event
    ]
    if not chosen:
        yield Found("choice", "unresolvable", "nobody has chosen yet: `t2c answers choose`")
        return
    last, data = chosen[-1], decoded(chosen[-1])
    if data["title"] is None:
        yield Found("choice", "supported", f"{last.actor} chose none of them", evidence=(last.id,))
        return
    fits = any(
        approach.title == data["title"] and approach_digest(approach) == data["digest"]
        for approach in value.approaches
    )
    if fits:
        yield Found("choice", "supported", f"{last.actor} chose {data['title']!r}", evidence=(last.id,))
    else:
        yield Found(
            "choice",
            "refuted",
            f"no approach is what {last.actor} chose, {data['title']!r}",
            evidence=(last.id,),
        )


def approach_digest(approach: Any) -> str:
    """SHA-256 of the canonical form of an approach, which is what a person is shown."""
    return sha256(canonical(approach.model_dump(mode="json", by_alias=True))).hexdigest()
