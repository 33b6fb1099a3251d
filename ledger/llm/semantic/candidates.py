"""Which statement may mean which module: pairs that words propose, for a model to judge. A score decides nothing.

Asked about is what has no relation to code yet. A module is told by the words of its path, of what it declares and of
its documentation; a statement by its own words, those of another language by what they mean in English. The result
depends on the records alone and on no order of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from math import log, sqrt
from typing import Final, NamedTuple

from t2c.ledger.kernel.ids import RecordId, relation_id
from t2c.ledger.linking.features import Corpus, Ranker, Record
from t2c.ledger.linking.language.cognates import Cognates
from t2c.ledger.linking.language.learned import learn
from t2c.ledger.linking.language.parallel import pairs as parallel_pairs
from t2c.ledger.linking.language.reading import Reader
from t2c.ledger.linking.language.targets import Targets
from t2c.ledger.linking.language.translated import SOURCES, foreign
from t2c.ledger.linking.language.words import english, parts, quoted_names, spoken
from t2c.ledger.llm.semantic.contracts import MOST, MOST_PER_DECLARATION, CandidateSet, candidate_set

__all__ = ["Retrieved", "retrieve"]

MOST_MODULES: Final = 60
"""Modules that one word may propose; a commoner one only speaks for what others propose."""
LEAST: Final = 0.1
"""The nearness below which a pair is none: what a chance word in common amounts to."""
_ORDERED: Final = 15
"""Modules of a statement among which its meaning may choose."""
_WORDS: Final = 400
"""Words of one documentation comment that count."""
_NOT_PROSE: Final = frozenset({"changelog_release", "documentation_example", "module_fact"})
_COMMON: Final = frozenset(
    word
    for line in (
        "a add an and are as at be by can change code create do each every feature file fix for from get has have if in",
        "into is it its make module more must need new no not of on only or remove set should so test that the them then",
        "there this to update use user we when where which will with",
    )
    for word in line.split()
)
Weighed = Mapping[str, float]
"""Key of a word → how much it tells."""


class Retrieved(NamedTuple):
    """What to ask about; `cut` counts pairs that were as near as others and are left out."""

    candidates: CandidateSet
    cut: int


class _Near(NamedTuple):
    declaration: RecordId
    module: RecordId
    score: float


def retrieve(
    corpus: Corpus,
    related: Collection[str],
    judged_wrong: Collection[str],
    *,
    graph_fingerprint: str,
    generated_at: str,
    most: int = MOST,
) -> Retrieved:
    """The candidates: at most `most`, five of a statement, whole statements first, the nearest first.

    `related` are the ids of statements that have a relation to code, `judged_wrong` those of relations that somebody
    called wrong.
    """
    modules = _Modules(corpus)
    ranker = corpus.ranker
    texts: dict[RecordId, str] = {}
    by_declaration: list[list[_Near]] = []
    for record, told in _statements(corpus, related):
        found = [
            one
            for one in modules.near(record, told)
            if not judged_wrong
            or relation_id(one.declaration, one.module, "evidenced_by") not in judged_wrong
        ]
        if found:
            texts[record.id] = record.statement.text
            by_declaration.append(found)
    by_declaration.sort(key=lambda found: (-found[0].score, found[0].declaration))
    kept: list[_Near] = []
    seen = 0
    for found in by_declaration:
        seen += min(len(found), MOST_PER_DECLARATION)
        if (room := most - len(kept)) > 0:
            text = texts[found[0].declaration]
            best = found if ranker is None else _by_meaning(text, ranker, found, modules.paths)
            kept += best[: min(MOST_PER_DECLARATION, room)]
    return Retrieved(
        candidate_set(
            kept,
            graph_fingerprint=graph_fingerprint,
            generated_at=generated_at,
            provider="t2c",
            model="words-of-code" if ranker is None else "words-of-code+embeddings",
            revision="1",
            metric="cosine",
        ),
        seen - len(kept),
    )


def _by_meaning(
    text: str, ranker: Ranker, found: Sequence[_Near], paths: Mapping[RecordId, str]
) -> list[_Near]:
    """The same modules in the order of meaning, to three places, since the last ones differ among machines."""
    ranked = ranker(text, [paths[one.module] for one in found])
    again = [
        one._replace(score=round(max(-1.0, min(1.0, rank)), 3))
        for one, rank in zip(found, ranked, strict=True)
    ]
    return sorted(again, key=lambda one: (-one.score, one.module))


def _statements(
    corpus: Corpus, related: Collection[str]
) -> Iterator[tuple[Record, Sequence[frozenset[str]]]]:
    """Each statement without a relation to code, and the keys that each of its words may be."""
    told = foreign(corpus)
    reader: Reader | None = None
    if told:
        targets = Targets.of(corpus.of("ast"))
        learned = learn(parallel_pairs(corpus, told))
        reader = Reader(learned, Cognates.of(targets.words), targets.words, frozenset(targets.weights))
    for record in corpus.of(*SOURCES):
        if record.id in related or record.statement.kind in _NOT_PROSE:
            continue
        text, language = record.statement.text, told.get(record.id)
        if reader is not None and language is not None:
            concepts = [one for one in reader.read(text, language) if not one.is_void]
            yield record, [frozenset(one.ways) for one in concepts]
        else:
            words = dict.fromkeys(
                (*spoken(text), *(part for name in quoted_names(text) for part in parts(name)))
            )
            yield record, [frozenset((key,)) for key in _keys(words)]


class _Modules:
    """The modules of the product by their words."""

    def __init__(self, corpus: Corpus) -> None:
        self.paths: dict[RecordId, str] = {}
        words: dict[str, set[str]] = {}
        targets = Targets.of(corpus.of("ast"))
        for target in targets.all:
            words.setdefault(target.file, set()).update(target.name, target.place if target.is_module else ())
        identities: dict[str, RecordId] = {}
        for record in corpus.of("ast"):
            path = record.source.path
            if (
                record.statement.kind == "module_fact"
                and path in words
                and corpus.modules.get(path) == record.id
            ):
                words[path].update(_keys(_documented(record)))
                identities[path] = record.id
        files = {path: found for path, found in words.items() if path in identities}
        spread = Counter(key for found in files.values() for key in found)
        self._weights = {key: log((len(files) + 1) / count) for key, count in spread.items()}
        self._usual = log(len(files) + 1)
        self._by_key: dict[str, list[RecordId]] = {}
        self._norms: dict[RecordId, float] = {}
        self._keys: dict[RecordId, frozenset[str]] = {}
        for path in sorted(files):
            identity = identities[path]
            self.paths[identity] = path
            self._keys[identity] = frozenset(files[path])
            self._norms[identity] = sqrt(sum(self._weights[key] ** 2 for key in sorted(files[path])))
            for key in files[path]:
                self._by_key.setdefault(key, []).append(identity)

    def near(self, record: Record, told: Sequence[frozenset[str]]) -> list[_Near]:
        """The modules that a statement is nearest to, the nearest first, ties by id."""
        loss = sum(self._loss(ways) ** 2 for ways in told)
        proposed = {
            module
            for key in {key for ways in told for key in ways}
            if len(of := self._by_key.get(key, ())) <= MOST_MODULES
            for module in of
        }
        scored = (_Near(record.id, module, self._score(module, told, loss)) for module in proposed)
        return nsmallest(
            _ORDERED, (one for one in scored if one.score >= LEAST), key=lambda one: (-one.score, one.module)
        )

    def _score(self, module: RecordId, told: Iterable[frozenset[str]], loss: float) -> float:
        keys, said = self._keys[module], set[str]()
        for ways in told:
            fitting = ways & keys - said
            if fitting:
                said.add(max(fitting, key=lambda key: (self._weights[key], key)))
        gain = sum(self._weights[key] ** 2 for key in sorted(said))
        norm = sqrt(loss) * self._norms[module]
        return round(min(1.0, gain / norm), 6) if norm else 0.0

    def _loss(self, ways: frozenset[str]) -> float:
        """What a word usually tells; one that no module has tells as much as one that a single module has."""
        return max((self._weights[key] for key in ways if key in self._weights), default=self._usual)


def _documented(record: Record) -> list[str]:
    text = record.metadata.docstring
    return spoken(text)[:_WORDS] if isinstance(text, str) else []


def _keys(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(english(word) for word in words if word not in _COMMON and len(word) > 1))
