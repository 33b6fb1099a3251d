"""What people said of relations: it decides about those and makes the others more or less sure.

The confidence of a grade is re-fitted as the mean of a Beta distribution: what it was before counts like WEIGHT
judgements, and each judgement that a person made since counts one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from t2c.ledger.kernel.ids import relation_id
from t2c.ledger.linking.base import Fit, Hit

__all__ = ["WEIGHT", "Verdict", "fitted", "refit"]

Verdict = Literal["right", "wrong", "unsure"]

WEIGHT: Final = 10
"""Judgements that the confidence before any of them is worth."""


def refit(hits: Iterable[Hit], verdicts: Mapping[str, Verdict]) -> Mapping[str, Fit]:
    """Judgements by the grade of what was judged; a relation that several rules found counts for each of them.

    `verdicts` maps the id of a relation to the last verdict about it. `unsure` counts for neither side.
    """
    seen: dict[str, dict[str, Verdict]] = {}
    if verdicts:
        for hit in hits:
            identity = relation_id(hit.source, hit.target, hit.type)
            verdict = verdicts.get(identity)
            if verdict is not None and verdict != "unsure":
                seen.setdefault(hit.basis[0], {})[identity] = verdict
    fits: dict[str, Fit] = {}
    for grade in sorted(seen):
        right = sum(verdict == "right" for verdict in seen[grade].values())
        fits[grade] = Fit(right, len(seen[grade]) - right)
    return fits


def fitted(before: float, fit: Fit | None) -> float:
    """The confidence of a hit whose grade was judged."""
    if fit is None:
        return before
    return (WEIGHT * before + fit.right) / (WEIGHT + fit.right + fit.wrong)
