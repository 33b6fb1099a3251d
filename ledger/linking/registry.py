"""Every rule book, and the tables that they make together. A new rule is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from t2c.ledger.linking import (
    carrying,
    claims,
    contradictions,
    coverage,
    described,
    documents,
    history,
    identities,
    locating,
    ordering,
    plans,
    releases,
    revisions,
    rules,
    structure,
    tracing,
)
from t2c.ledger.linking.base import Prior, RuleBook
from t2c.ledger.linking.language import translated

__all__ = ["BOOKS", "OMITTED", "PRIORS"]

BOOKS: Final[tuple[RuleBook, ...]] = (
    *rules.BOOKS,
    releases.BOOK,
    revisions.BOOK,
    plans.BOOK,
    ordering.BOOK,
    identities.BOOK,
    tracing.BOOK,
    carrying.BOOK,
    claims.BOOK,
    contradictions.BOOK,
    documents.BOOK,
    locating.BOOK,
    structure.BOOK,
    described.BOOK,
    history.BOOK,
    coverage.BOOK,
    translated.BOOK,
)

PRIORS: Final[Mapping[str, Prior]] = MappingProxyType(
    {grade: prior for book in BOOKS for grade, prior in book.priors.items()}
)
"""Confidence of each grade of evidence and why. Priors are set by judgement: they order relations and are no
measured probabilities. A rule with calibrated confidences says so in its hits."""

OMITTED: Final[Mapping[str, str]] = MappingProxyType(
    {reason: told for book in BOOKS for reason, told in book.omitted.items()}
)
"""What the count of each reason for an abstention counts."""
