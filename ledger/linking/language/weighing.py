"""How much speaks for each target that a statement may mean: words of its name, its surroundings, and what is unsaid."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from math import log
from typing import Final, NamedTuple

from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.language.reading import Concept, Reader
from t2c.ledger.linking.language.targets import PRIOR, Target, Targets
from t2c.ledger.linking.language.words import Language

__all__ = ["MAX_CANDIDATES", "Scored", "Weigher"]

MAX_CANDIDATES: Final = 30
"""Proposed targets that are weighed: those of whose names the statement says most. One behind so many would have
rivals among them that keep it from being meant."""
MIN_COVERAGE: Final = 0.6
"""The part of what a name tells that the statement must say."""
FULL_COVERAGE: Final = 0.9
"""The part of a name at which it counts as said in full."""
MIN_SHARE: Final = 0.45
"""The part of what the statement says that must speak for the target, words of unknown meaning included."""
MIN_SHARE_OF_FULL: Final = 0.34
"""The same for a name that is said in full by two words."""
EXTRA: Final = 1.0
"""What more must be told for a name that is not said in full by two words."""
MARGIN: Final = 1.2
"""How many times the next target's score a score must be."""
MARGIN_OF_JUSTIFIED: Final = 1.5
"""The same if the next target is justified too."""
_PLACE: Final = 0.5
"""What a word of the surroundings counts of what it would in the name."""
_CONTEXT: Final = 0.25
"""What each further context adds to a score. It chooses among targets and justifies none."""

Said = tuple[tuple[Concept, str], ...]
"""Concepts with the key of a name or place that each is."""


class Scored(NamedTuple):
    """A target weighed for one statement.

    `told` is what the matched words tell, `coverage` the part of the name that they say, `share` the part of the
    statement that they are; `needed` is what must be told in a repository of this size.
    """

    score: float
    told: float
    needed: float
    coverage: float
    share: float
    target: Target
    said: Said
    placed: Said
    context: tuple[str, ...]

    @property
    def is_justified(self) -> bool:
        """Whether two kinds of evidence, two words or one word and the surroundings, tell enough.

        Words that any plan may use count for nothing, and one word at least must be a translation. A statement of
        two words and no more is a title as likely as not, so these must tell more.
        """
        telling = sum(not concept.is_void for concept, _ in self.said)
        is_title = telling == 2 and self.share == 1
        is_full = telling >= 2 and self.coverage >= FULL_COVERAGE and not is_title
        return (
            telling >= 1
            and telling + bool(self.placed) >= 2
            and self.coverage >= MIN_COVERAGE
            and self.told >= self.needed + (0.0 if is_full else EXTRA)
            and self.share >= (MIN_SHARE_OF_FULL if is_full else MIN_SHARE)
            and any(concept.ways[key].way != "same_word" for concept, key in self.said)
        )

    def is_near(self, best: Scored) -> bool:
        """Whether this comes too near to the best for that to be meant alone."""
        return self.score * (MARGIN_OF_JUSTIFIED if self.is_justified else MARGIN) > best.score


class _Setting(NamedTuple):
    """What a statement stands in: keys of the headings above, files changed under its ticket, folders it names."""

    headed: frozenset[str]
    changed: frozenset[str]
    folders: tuple[str, ...]


class Weigher:
    """Weighs targets for one statement after another. `said` are the concepts of all statements together."""

    def __init__(
        self, corpus: Corpus, targets: Targets, reader: Reader, said: Collection[Sequence[Concept]]
    ) -> None:
        self._targets = targets
        self._reader = reader
        self._weights = weights = _weights(targets.weights, said)
        self._names = [sorted(target.name, key=lambda key: (-weights[key], key)) for target in targets.all]
        self._wholes = [sum(weights[key] for key in target.name) for target in targets.all]
        self._headings: dict[tuple[str, Language], frozenset[str]] = {}
        self._changed = _changed_under(corpus)

    def candidates(self, record: Record, concepts: Sequence[Concept], language: Language) -> list[Scored]:
        """The targets that share words with the statement, best first; modules before declarations among equals."""
        ways = {key for concept in concepts for key in concept.ways if key in self._weights}
        sums = self._targets.proposed({key: self._weights[key] for key in sorted(ways)})
        first = nsmallest(
            MAX_CANDIDATES,
            sums,
            key=lambda at: (-sums[at] * sums[at] / self._wholes[at], self._targets.all[at].id),
        )
        if not first:
            return []
        setting = self._setting(record, language)
        loss = sum(map(self._loss, concepts))
        found = [self._weigh(at, concepts, loss, setting) for at in first]
        return sorted(found, key=lambda one: (-one.score, not one.target.is_module, one.target.id))

    def says_only_common(self, concepts: Sequence[Concept]) -> bool:
        """Whether the statement says two words of names, but only ones that too many names have to propose them."""
        said = {key for one in concepts if not one.is_void for key in one.ways}
        common = [key for key in said if self._targets.is_common(key)]
        return len(common) >= 2 and not any(key in self._targets.by_name for key in said.difference(common))

    def _weigh(self, at: int, concepts: Sequence[Concept], loss: float, setting: _Setting) -> Scored:
        target = self._targets.all[at]
        said, rest = _matched(concepts, self._names[at])
        placed = _matched(rest, target.place)[0]
        gain = sum(self._weights[key] for _, key in said)
        around = sum(self._weights[key] for _, key in placed)
        told = gain + around
        unsaid = loss - sum(self._loss(concept) for concept, _ in (*said, *placed))
        coverage = gain / self._wholes[at]
        context = _context(target, said, setting)
        score = (gain + _PLACE * around) * (0.5 + 0.5 * coverage) * (1 + _CONTEXT * len(context))
        return Scored(
            score=score,
            told=told,
            needed=self._targets.needed,
            coverage=coverage,
            share=told / (told + unsaid) if told else 0.0,
            target=target,
            said=said,
            placed=placed,
            context=context,
        )

    def _loss(self, concept: Concept) -> float:
        """What is lost if a word stays unsaid: what it would tell, and for one that no name has what words usually do."""
        if concept.is_idle:
            return 0.0
        known = [self._weights[key] for key in concept.ways if key in self._weights]
        return max(known, default=self._targets.usual)

    def _setting(self, record: Record, language: Language) -> _Setting:
        above = record.metadata.headingPath
        headings = [one for one in above if isinstance(one, str)][-2:] if isinstance(above, list) else []
        headed = frozenset[str]().union(*(self._keys_of(heading, language) for heading in headings))
        target = record.statement.target
        changed = [path for ticket in target.tickets for path in self._changed.get(ticket, ())]
        return _Setting(headed, frozenset(changed), target.paths)

    def _keys_of(self, heading: str, language: Language) -> frozenset[str]:
        found = self._headings.get((heading, language))
        if found is None:
            concepts = self._reader.read(heading, language)
            found = self._headings[heading, language] = frozenset(key for one in concepts for key in one.ways)
        return found


def _context(target: Target, said: Said, setting: _Setting) -> tuple[str, ...]:
    new = setting.headed.difference(key for _, key in said)
    found = (
        ("under_heading", not new.isdisjoint(target.name) or not new.isdisjoint(target.place)),
        ("changed_under_ticket", target.file in setting.changed),
        ("in_named_folder", any(target.file.startswith(f"{one.rstrip('/')}/") for one in setting.folders)),
    )
    return tuple(name for name, is_there in found if is_there)


def _matched(concepts: Sequence[Concept], keys: Iterable[str]) -> tuple[Said, Sequence[Concept]]:
    """Each key with a concept that means it, no concept twice, in the order of keys; and the concepts left."""
    left = list(concepts)
    found: list[tuple[Concept, str]] = []
    for key in keys:
        # A word with one meaning is spent before a word that may yet be another part of the name.
        fitting = [concept for concept in left if key in concept.ways]
        if fitting:
            concept = min(fitting, key=lambda concept: len(concept.ways))
            left.remove(concept)
            found.append((concept, key))
    return tuple(found), left


def _weights(told: Mapping[str, float], said: Collection[Sequence[Concept]]) -> Mapping[str, float]:
    """How much each key tells: less if many names have it, and less if many statements say it."""
    spread = Counter(key for concepts in said for key in {key for one in concepts for key in one.ways})
    all_said = len(said) + 1 + PRIOR
    most = log(all_said / 1.5)
    return {
        key: weight * log(all_said / (spread[key] + 0.5)) / most if spread[key] > 1 else weight
        for key, weight in told.items()
    }


def _changed_under(corpus: Corpus) -> Mapping[str, set[str]]:
    """The files that commits changed under each number and ticket that they carry."""
    found: dict[str, set[str]] = defaultdict(set)
    for commit in corpus.commits:
        for key, grade in (*commit.numbers, *commit.tickets):
            if grade != "in_body":
                found[key].update(commit.record.statement.target.paths)
    return found
