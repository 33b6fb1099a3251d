"""The lexicon that ships: words of software in four languages and the English terms that code uses for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from t2c.ledger.linking.language.detect import FUNCTION
from t2c.ledger.linking.language.words import Language, english, fold, reduced, spoken, stem

__all__ = ["Lexicon", "by_words", "content", "lexicon"]

Terms = Mapping[str, str]
"""English terms by their keys."""

_NOTHING: Final[Terms] = MappingProxyType({})
_COLUMNS: Final[tuple[Language, ...]] = ("pl", "de", "fr", "es")
_LINKS: Final = ("", "s", "n", "en", "er", "es", "e", "ung", "ungs")
"""What joins the parts of a German compound, as stems see it."""
_MIN_PART: Final = 4
_ENGLISH_END: Final = re.compile(r"(?:tion|ment|er|or)s?\Z|(?:ing|ed)\Z")
_VOID, _IDLE = "~", "+"


class Lexicon(Struct, frozen=True):
    """One language's words: from a stem, from a reduced stem, and from two stems in a row, to keys of English
    terms and the terms themselves.

    Stems of words written without their accents are in `plain`.
    """

    language: Language
    words: Mapping[str, Terms]
    plain: Mapping[str, Terms]
    roots: Mapping[str, Terms]
    phrases: Mapping[tuple[str, str], Terms]
    void: frozenset[str]
    """Keys of terms that any plan may use of anything, which never tell what it is about."""
    idle: frozenset[str]
    """Those, and the keys of terms that are no loss if no name has them."""

    def terms(self, word: str) -> Terms:
        """The English terms for a word in lower case; nothing if it is unknown."""
        stemmed = stem(word, self.language)
        found = self.words.get(stemmed) or self.plain.get(fold(stemmed))
        if not found and self.language == "de" and stemmed.startswith("ge"):
            found = self.words.get(stemmed[2:])
        return found or self.roots.get(reduced(stemmed, self.language), _NOTHING)

    def phrase(self, first: str, second: str) -> Terms:
        """The English terms for two words that follow each other."""
        return self.phrases.get(
            (fold(stem(first, self.language)), fold(stem(second, self.language))), _NOTHING
        )

    def compound(self, word: str) -> Iterator[tuple[str, str]]:
        """The ways to part a German compound, longest front first, so that the last part is a known word."""
        if self.language == "de" and len(word) >= 2 * _MIN_PART:
            for cut in range(len(word) - _MIN_PART, _MIN_PART - 2, -1):
                if self.terms(word[cut:]):
                    for link in _LINKS:
                        front = word[:cut].removesuffix(link)
                        if len(front) >= _MIN_PART - 1 and (not link or word[:cut].endswith(link)):
                            yield front, word[cut:]


@cache
def lexicon(language: Language) -> Lexicon:
    """The lexicon of one language, read once."""
    words: dict[str, dict[str, str]] = {}
    plain: dict[str, dict[str, str]] = {}
    roots: dict[str, dict[str, str]] = {}
    phrases: dict[tuple[str, str], dict[str, str]] = {}
    void: set[str] = set()
    idle: set[str] = set()
    for mark, terms, columns in _rows():
        keys = {english(term): term for term in reversed(terms)}
        if mark:
            idle.update(keys)
        if mark == _VOID:
            void.update(keys)
        for entry in columns[_COLUMNS.index(language)].split():
            # `d'attente` counts as its noun, as in prose; a hyphen parts words there too.
            stems = [
                stem(part, language)
                for part in entry.replace("'", "_").replace("-", "_").split("_")
                if len(part) > 1
            ]
            if len(stems) == 1:
                words.setdefault(stems[0], {}).update(keys)
                roots.setdefault(reduced(stems[0], language), {}).update(keys)
                for written in {fold(stems[0]), stem(fold(entry), language)}:
                    plain.setdefault(written, {}).update(keys)
            else:
                phrases.setdefault((fold(stems[0]), fold(stems[-1])), {}).update(keys)
    return Lexicon(language, words, plain, roots, phrases, frozenset(void), frozenset(idle))


@lru_cache(maxsize=1)
def _lines() -> Sequence[str]:
    from importlib.resources import files  # a command that links nothing need not load it

    return (files("t2c.ledger.linking.language") / "lexicon.txt").read_text(encoding="utf-8").splitlines()


def _rows() -> Iterator[tuple[str, list[str], list[str]]]:
    for line in _lines():
        if line and not line.startswith("#"):
            mark = line[0] if line[0] in _VOID + _IDLE else ""
            terms, *columns = line.removeprefix(mark).split("|")
            yield mark, [term for term in terms.replace("-", " ").split() if len(term) > 1], columns


def by_words(text: str, languages: Iterable[Language], context: Language | None = None) -> Language | None:
    """The language of a short text without function words: the one that knows at least two of its words, and half.

    One word is enough in a document that is known to be in that language. A word that may as well be the English
    term that it means tells nothing.
    """
    words = [word for word in dict.fromkeys(spoken(text)) if len(word) > 2]
    foreign = [word for word in words if word not in _english_terms()]
    best, most = None, 1 if context is None else 0
    for language in languages:
        known = sum(_is_foreign(word, lexicon(language).terms(word)) for word in foreign)
        if known > most and 2 * known >= len(words):
            best, most = language, known
        elif known == most:
            best = None
    return best


def _is_foreign(word: str, terms: Terms) -> bool:
    return bool(terms) and not (_ENGLISH_END.search(word) and english(word) in terms)


@lru_cache(maxsize=1)
def _english_terms() -> frozenset[str]:
    return frozenset(term for _, terms, _ in _rows() for term in terms)


def content(words: Iterable[str], language: Language) -> list[str]:
    """The words that are no function words, of three letters or more, each once."""
    empty = FUNCTION[language]
    return [word for word in dict.fromkeys(words) if len(word) > 2 and word not in empty]
