"""What the linker says: relation drafts, counted abstentions, and the rule books behind both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from t2c.ledger.events.record import RelationType
from t2c.ledger.kernel.ids import RecordId, RelationId

if TYPE_CHECKING:
    from t2c.ledger.linking.features import Corpus

__all__ = [
    "Abstention",
    "Fit",
    "Hit",
    "LinkDraft",
    "LinkWarning",
    "Links",
    "Prior",
    "Rule",
    "RuleBook",
]

Rule = str
"""The name of a rule: what drew a relation."""


class LinkDraft(Struct, frozen=True):
    """A relation of `t2c.graph/v1` and why it was drawn.

    `source` is the published `from`. `confidence` is 0..1 with at most three decimals, an integer when it is
    one. `basis` and `signals` are sorted and without repeats; `rule` is the one that speaks strongest.
    """

    id: RelationId
    source: RecordId
    target: RecordId
    type: RelationType
    confidence: float
    basis: tuple[str, ...]
    rule: Rule
    signals: tuple[tuple[str, str], ...]


class LinkWarning(Struct, frozen=True):
    """Relations that were not drawn and why, for the caller to record as an omission.

    `count` counts what `detail` names: citations, names, keys, relations or records.
    """

    reason: str
    detail: str
    count: int


class Links(Struct, frozen=True):
    """All relations in the order of their ids, and one warning for each reason, in the order of reasons.

    `fits` holds for each grade that people judged how often they called it right and wrong.
    """

    relations: tuple[LinkDraft, ...]
    warnings: tuple[LinkWarning, ...]
    fits: Mapping[str, Fit] = MappingProxyType({})


class Fit(Struct, frozen=True):
    """How often relations of a grade were judged right and wrong."""

    right: int
    wrong: int


class Hit(NamedTuple):
    """One rule's finding before findings are merged.

    `basis[0]` is the grade, a key of its book's `priors`; the rest are further reasons. `signals` are what was seen,
    as (name, value). A `confidence` that was calibrated stands in the place of the grade's prior.
    """

    source: RecordId
    target: RecordId
    type: RelationType
    rule: Rule
    basis: tuple[str, ...]
    signals: tuple[tuple[str, str], ...]
    confidence: float | None = None


class Abstention(NamedTuple):
    """One case in which a rule saw candidates and chose none."""

    reason: str
    case: str


class Prior(NamedTuple):
    """A confidence and the sentence that justifies it."""

    confidence: float
    why: str


class RuleBook(NamedTuple):
    """One rule: what finds, how sure each grade is and why, what an abstention counts, how a reason reads.

    `find` is a pure function of the set of records, never of their order. `phrases` maps the name of a signal to a
    template with one `{}` for its value, and a token of a basis to words that stand for it. With `is_structure` its
    relations are what is there and no choice among candidates, so that none is cut for being one of many.
    """

    name: Rule
    find: Callable[[Corpus], Iterator[Hit | Abstention]]
    priors: Mapping[str, Prior]
    omitted: Mapping[str, str] = MappingProxyType({})
    phrases: Mapping[str, str] = MappingProxyType({})
    is_structure: bool = False
