"""Where a repository says one thing in two languages: the pairs of bags that its translations are learned from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.language.detect import language_of, look
from t2c.ledger.linking.language.learned import MAX_BAG, Bags
from t2c.ledger.linking.language.lexicon import content
from t2c.ledger.linking.language.targets import own_words
from t2c.ledger.linking.language.words import Language, english, fold, spoken, stem

__all__ = ["pairs", "stems"]

_TAG: Final = re.compile(
    r"(?:(?<=[/._-])|\A)(?:en|pl|de|fr|es|english|polish|german|french|spanish)(?=[/._-])[/._-]",
    re.IGNORECASE,
)


def pairs(corpus: Corpus, told: Mapping[RecordId, Language]) -> Iterator[Bags]:
    """All pairs of bags that the records show; `told` is the language of each statement that is not English."""
    yield from _documented(corpus)
    yield from _numbered(corpus, told)
    yield from _parallel(corpus, told)


def stems(text: str, language: Language) -> frozenset[str]:
    """The stems of the telling words of a text, without accents."""
    return frozenset(fold(stem(word, language)) for word in content(spoken(text), language))


def _bags(language: Language, text: str, words: Iterator[str] | Sequence[str], shown_by: RecordId) -> Bags:
    return Bags(language, stems(text, language), frozenset(map(english, words)), shown_by)


def _documented(corpus: Corpus) -> Iterator[Bags]:
    for record in corpus.of("ast"):
        written = record.metadata.docstring
        if isinstance(written, str) and (language := language_of(look(written))) is not None:
            path, symbol = record.source.path, record.source.symbol
            if path and symbol:
                is_module = record.statement.kind == "module_fact"
                yield _bags(language, written, own_words(path, symbol, is_module), record.id)


def _numbered(corpus: Corpus, told: Mapping[RecordId, Language]) -> Iterator[Bags]:
    under: dict[str, tuple[list[Record], list[Record]]] = defaultdict(lambda: ([], []))
    for statement in (*corpus.todos, *corpus.entries, *corpus.commits):
        for key, grade in (*statement.numbers, *statement.tickets):
            if grade != "in_body" or statement.record.source.kind != "git":
                is_foreign = statement.id in told
                under[key][is_foreign].append(statement.record)
    for key in sorted(under):
        ours, theirs = under[key]
        if len(ours) == 1 and len(theirs) == 1:
            language = told[theirs[0].id]
            words = [word for word in spoken(ours[0].statement.text) if len(word) > 2]
            yield _bags(language, theirs[0].statement.text, words, theirs[0].id)


def _parallel(corpus: Corpus, told: Mapping[RecordId, Language]) -> Iterator[Bags]:
    """Statements of a document and of its translation that name the same code, and the headings above them."""
    documents: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in corpus.of("document"):
        path = record.source.path
        if path is not None and _named(record):
            documents[_TAG.sub("", path)][path].append(record)
    for neutral in sorted(documents):
        versions = documents[neutral]
        if len(versions) < 2:
            continue
        by_code: dict[tuple[str, ...], list[Record]] = defaultdict(list)
        for path in sorted(versions):
            for record in versions[path]:
                by_code[_named(record)].append(record)
        for code in sorted(by_code):
            same = by_code[code]
            originals = [record for record in same if record.id not in told]
            paths = {record.source.path for record in same}
            if len(paths) != len(same) or len(originals) != 1:
                continue
            for record in same:
                if record.id in told:
                    yield from _aligned(told[record.id], originals[0], record)


def _aligned(language: Language, original: Record, translated: Record) -> Iterator[Bags]:
    yield _bags(language, translated.text, _telling(original.text), translated.id)
    ours, theirs = original.metadata.headingPath, translated.metadata.headingPath
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            if isinstance(one, str) and isinstance(other, str) and one != other:
                yield _bags(language, other, _telling(one), translated.id)


def _telling(text: str) -> list[str]:
    return [word for word in dict.fromkeys(spoken(text)) if len(word) > 3][: MAX_BAG + 1]


def _named(record: Record) -> tuple[str, ...]:
    target = record.statement.target
    return (*target.symbols, *target.paths, *target.versions)
