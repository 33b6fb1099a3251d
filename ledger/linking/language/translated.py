"""The rule `translated`: a statement in Polish, German, French or Spanish locates the code that it speaks of.

Retrieval proposes, and never decides alone. A target is meant if most of what its name tells is said in the
statement, by two words of it or by one word and the surroundings, and if no target of another file comes near it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Ranker, Record
from t2c.ledger.linking.language.cognates import Cognates
from t2c.ledger.linking.language.detect import Seen, dominant, language_of, look
from t2c.ledger.linking.language.learned import learn
from t2c.ledger.linking.language.lexicon import by_words
from t2c.ledger.linking.language.parallel import pairs
from t2c.ledger.linking.language.reading import Concept, Reader
from t2c.ledger.linking.language.targets import Targets
from t2c.ledger.linking.language.weighing import Scored, Weigher
from t2c.ledger.linking.language.words import Language

__all__ = ["BOOK", "SOURCES", "Ranker", "decided", "foreign", "located", "translated"]

SOURCES: Final = ("agent_log", "changelog", "document", "nl", "todo")
"""Kinds of sources whose statements may speak another language."""
_NOT_PROSE: Final = frozenset({"changelog_release", "documentation_example"})

_KNOWN: Final = 2
"""Statements that must be in a language by themselves before others are told to be in it by their words alone."""


def translated(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """Each statement that is not English is `related_to` the one module or declaration that it speaks of.

    * A statement that names code itself is left to the rules that resolve names.
    * Among targets of one file that come near each other the module is meant.
    * Where no target is justified though two words of some name are said, and where targets of two files come near
      each other, it is `translation_unsure`.
    """
    return located(corpus, corpus.ranker)


def located(corpus: Corpus, ranker: Ranker | None = None) -> Iterator[Hit | Abstention]:
    """`translated`; a `ranker` decides where targets of two files come near each other.

    It never proposes a target, and what it puts first is meant only if words justify that target anyway.
    """
    told = foreign(corpus)
    targets = Targets.of(corpus.of("ast")) if told else None
    if targets is None or not targets.all:
        return
    keys = frozenset(targets.weights)
    reader = Reader(learn(pairs(corpus, told)), Cognates.of(targets.words), targets.words, keys)
    spoken = [record for record in corpus.of(*SOURCES) if record.id in told]
    concepts = {record.id: reader.read(record.statement.text, told[record.id]) for record in spoken}
    weigher = Weigher(corpus, targets, reader, concepts.values())
    for record in spoken:
        if not _is_explicit(record, corpus, targets):
            language = told[record.id]
            scored = weigher.candidates(record, concepts[record.id], language)
            yield from decided(record, language, scored, ranker)
            if not scored and weigher.says_only_common(concepts[record.id]):
                yield Abstention("translation_unsure", f"only common words for {record.id}")


def foreign(corpus: Corpus) -> Mapping[RecordId, Language]:
    """The language of each statement that is not English.

    Told by its function words and letters, by the document that it stands in, and, in languages that are thus known
    to be there, by its words alone.
    """
    looked: list[tuple[Record, Seen]] = []
    by_path: dict[str | None, list[Seen]] = defaultdict(list)
    for record in corpus.of(*SOURCES):
        if record.statement.kind not in _NOT_PROSE:
            seen = look(record.statement.text)
            looked.append((record, seen))
            by_path[record.source.path].append(seen)
    context: dict[str, Language | None] = {
        path: dominant(seen) for path, seen in by_path.items() if path is not None
    }
    told: dict[RecordId, Language] = {}
    untold: list[Record] = []
    for record, seen in looked:
        language = language_of(seen, context.get(record.source.path or ""))
        if language is not None:
            told[record.id] = language
        elif seen.english == 0:
            untold.append(record)
    languages: list[Language] = sorted(
        one for one, count in Counter(told.values()).items() if count >= _KNOWN
    )
    for record in untold if languages else ():
        around = context.get(record.source.path or "")
        language = by_words(record.statement.text, languages if around is None else [around], around)
        if language is not None:
            told[record.id] = language
    return told


def _is_explicit(record: Record, corpus: Corpus, targets: Targets) -> bool:
    target = record.statement.target
    return any(path in corpus.modules for path in target.paths) or any(
        name.rpartition(".")[2] in targets.declared for name in target.symbols
    )


def decided(
    record: Record, language: Language, scored: Sequence[Scored], ranker: Ranker | None
) -> Iterator[Hit | Abstention]:
    """The relation of one statement, given its candidates from the best down, or why there is none."""
    best = next((one for one in scored if one.is_justified), None)
    if best is None:
        if scored and len(scored[0].said) >= 2:
            yield Abstention("translation_unsure", f"{scored[0].target.label} for {record.id}")
        return
    near = [one for one in scored if one is not best and one.is_near(best)]
    abroad = [one for one in near if one.target.file != best.target.file]
    if not abroad:
        yield _hit(record, language, next((one for one in (best, *near) if one.target.is_module), best))
        return
    chosen = None if ranker is None else _nearest(record.statement.text, [best, *abroad], ranker)
    if chosen is not None and chosen.is_justified:
        yield _hit(record, language, chosen, "nearest_meaning")
    else:
        names = ", ".join(sorted({one.target.label for one in (best, *abroad)})[:3])
        yield Abstention("translation_unsure", f"{names} for {record.id}")


def _nearest(text: str, contenders: Sequence[Scored], ranker: Ranker) -> Scored:
    ranks = ranker(text, [one.target.label for one in contenders])
    return contenders[max(range(len(contenders)), key=lambda at: (ranks[at], -at))]


def _hit(record: Record, language: Language, chosen: Scored, *basis: str) -> Hit:
    grade = "translated_words" if len(chosen.said) >= 2 else "translated_word_in_place"
    if basis:
        grade = "translated_ranked"
    reasons = (*basis, *(("named_place",) if chosen.placed else ()), *chosen.context)
    signals = (
        ("spoken", language),
        *(_reading(concept, key) for concept, key in (*chosen.said, *chosen.placed)),
    )
    return Hit(record.id, chosen.target.id, "related_to", "translated", (grade, *reasons), signals)


def _reading(concept: Concept, key: str) -> tuple[str, str]:
    way, term, shown_by = concept.ways[key]
    return way, f"{concept.word} = {term}" + (f" ({shown_by})" if shown_by else "")


BOOK: Final = RuleBook(
    "translated",
    translated,
    {
        "translated_words": Prior(
            0.7, "At least two words of the name are said in another language, and no other name comes near."
        ),
        "translated_word_in_place": Prior(
            0.6, "One word of the name is said in another language, and its surroundings are named too."
        ),
        "translated_ranked": Prior(
            0.5, "Names of several files are said in another language; their meaning was compared to choose."
        ),
    },
    {"translation_unsure": "statements in other languages whose words fit no name well enough, or several"},
    {
        "spoken": "is written in `{}`",
        "lexicon": "says {}",
        "learned": "says {}, as this repository translates it",
        "same_word": "has the word {}",
        "cognate": "has the kindred word {}",
        "named_place": "the surroundings are named too",
        "under_heading": "stands under a heading that names it",
        "changed_under_ticket": "was changed under the same ticket",
        "in_named_folder": "lies in the named folder",
        "nearest_meaning": "is the nearest in meaning",
    },
)
