"""What the linker says: relation drafts, counted abstentions, and the rule books behind both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from t2c.ledger.events.record import RelationType
from t2c.ledger.kernel.ids import RecordId, RelationId

if TYPE_CHECKING:
    from t2c.ledger.linking.features import Corpus

__all__ = [
    "CODE",
    "OBSERVED",
    "Abstention",
    "Fit",
    "Hit",
    "LinkDraft",
    "LinkWarning",
    "Links",
    "Memory",
    "Prior",
    "Remembered",
    "Rule",
    "RuleBook",
]

Rule = str
"""The name of a rule: what drew a relation."""

CODE: Final = frozenset({"ast", "system"})
"""Kinds of source that are code and configuration."""
OBSERVED: Final = CODE | {"test"}
"""The same and what tests told: rules between statements and commits ignore them."""


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


class Remembered(Struct, frozen=True):
    """What a rule found in one group of records that belong together."""

    hits: tuple[Hit, ...]
    abstentions: tuple[Abstention, ...]

    @classmethod
    def of(cls, found: Iterable[Hit | Abstention]) -> Remembered:
        given = tuple(found)
        hits = tuple(one for one in given if isinstance(one, Hit))
        return cls(hits, tuple(one for one in given if isinstance(one, Abstention)))

    def __iter__(self) -> Iterator[Hit | Abstention]:
        return chain(self.hits, self.abstentions)


class Memory:
    """What rules found before, where nothing that decides it has changed since.

    `groups` are by a digest that names all that decides a group; `rules` are by the name of a rule, of which those
    count that ignore every kind of source in `changed`. `used_groups` and `used_rules` are worth keeping next time.
    """

    def __init__(
        self,
        groups: Mapping[str, Remembered] = MappingProxyType({}),
        rules: Mapping[Rule, Remembered] = MappingProxyType({}),
        changed: frozenset[str] = frozenset(),
        drafts: Iterable[LinkDraft] = (),
    ) -> None:
        self._groups, self._rules, self._changed = groups, rules, changed
        self.drafts: dict[tuple[RecordId, RecordId, RelationType], LinkDraft] = {
            (draft.source, draft.target, draft.type): draft for draft in drafts
        }
        """What was related before, by both ends and type: an equal relation is the same object."""
        self.used_groups: dict[str, Remembered] = {}
        self.used_rules: dict[Rule, Remembered] = {}

    def group(self, digest: str, find: Callable[[], Iterable[Hit | Abstention]]) -> Remembered:
        """What `find` finds, if it is not remembered."""
        found = self.used_groups.get(digest) or self._groups.get(digest) or Remembered.of(find())
        self.used_groups[digest] = found
        return found

    def rule(self, book: RuleBook, corpus: Corpus) -> Remembered:
        """What a rule finds in a corpus, worked out once."""
        found = self.used_rules.get(book.name)
        if found is None and self._changed <= book.ignores:
            found = self._rules.get(book.name)
            if found is not None:
                self.used_groups.update(self._groups)
        if found is None:
            found = Remembered.of(book.find(corpus))
        self.used_rules[book.name] = found
        return found


class Prior(NamedTuple):
    """A confidence and the sentence that justifies it."""

    confidence: float
    why: str


class RuleBook(NamedTuple):
    """One rule: what finds, how sure each grade is and why, what an abstention counts, how a reason reads.

    `find` is a pure function of the set of records, never of their order. `phrases` maps the name of a signal to a
    template with one `{}` for its value, and a token of a basis to words that stand for it. With `is_structure` its
    relations are what is there and no choice among candidates, so that none is cut for being one of many. Records of
    the kinds of source that it `ignores` change nothing of what it finds.
    """

    name: Rule
    find: Callable[[Corpus], Iterator[Hit | Abstention]]
    priors: Mapping[str, Prior]
    omitted: Mapping[str, str] = MappingProxyType({})
    phrases: Mapping[str, str] = MappingProxyType({})
    is_structure: bool = False
    ignores: frozenset[str] = frozenset()
