"""What a statement in another language says in English terms, word by word, and where each reading comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from msgspec import Struct

from t2c.ledger.linking.language.cognates import Cognates
from t2c.ledger.linking.language.learned import MIN_SUPPORT, Learned
from t2c.ledger.linking.language.lexicon import content, lexicon
from t2c.ledger.linking.language.words import Language, english, fold, parts, quoted_names, spoken, stem

__all__ = ["Concept", "Reader", "Term", "Way"]

Way = Literal["learned", "lexicon", "same_word", "cognate"]


class Term(NamedTuple):
    """How an English term was come by, how it is written, and the record that shows it if the repository taught it."""

    way: Way
    term: str
    shown_by: str = ""


class Concept(Struct, frozen=True, gc=False):
    """One word or phrase of a statement and the keys of its English terms."""

    word: str
    ways: Mapping[str, Term]
    is_idle: bool = False
    """Whether it is no loss if the name does not say it."""
    is_void: bool = False
    """Whether it says only what any plan may ask of anything."""


class Reader(Struct, frozen=True):
    """Reads statements with all that is known: what was learned, the lexicon, and the words of the code itself.

    `words` are those that names of code are made of, `keys` the keys of these.
    """

    learned: Learned
    cognates: Cognates
    words: frozenset[str]
    keys: frozenset[str]

    def read(self, text: str, language: Language) -> Sequence[Concept]:
        """The concepts of a text in the order of their words; a word of unknown meaning is one without ways.

        A name in code quotes is read by the words that it is made of, as far as code has them.
        """
        words = content(spoken(text), language)
        known = lexicon(language)
        found: list[Concept] = []
        phrased: set[str] = set()
        for first, second in pairwise(words):
            if terms := known.phrase(first, second):
                found.append(Concept(f"{first} {second}", _listed(terms)))
                phrased.update((first, second))
        for word in words:
            if word not in phrased:
                found += self._concepts(word, language)
        quoted = [part for name in quoted_names(text) for part in parts(name) if part in self.words]
        said = {key for concept in found for key in concept.ways}
        for part in dict.fromkeys(quoted):
            if len(part) > 2 and (key := english(part)) not in said:
                found.append(Concept(part, {key: Term("same_word", part)}))
        return found

    def _concepts(self, word: str, language: Language) -> Sequence[Concept]:
        known = lexicon(language)
        ways = self._ways(word, language)
        if ways:
            keys = ways.keys()
            return [Concept(word, ways, keys <= known.idle, keys <= known.void)]
        for front, last in known.compound(word):
            if first := self._ways(front, language):
                return [Concept(front, first), Concept(last, self._ways(last, language))]
        return [Concept(word, {})]

    def _ways(self, word: str, language: Language) -> Mapping[str, Term]:
        """What a word means: what the lexicon says, what was learned, and failing both what it looks like.

        What was learned from the fewest pairs counts only where the lexicon knows nothing that code is named for.
        """
        ways = _listed(lexicon(language).terms(word))
        is_named = not self.keys.isdisjoint(ways)
        for entry in self.learned.terms(fold(stem(word, language)), language):
            if not is_named or entry.support > MIN_SUPPORT:
                ways.setdefault(entry.key, Term("learned", entry.key, entry.shown_by))
        if self.keys.isdisjoint(ways):
            plain = fold(word)
            if plain in self.words:
                ways[english(plain)] = Term("same_word", plain)
            elif not ways and (cognate := self.cognates.find(word, language)) is not None:
                ways[english(cognate)] = Term("cognate", cognate)
        return ways


def _listed(terms: Mapping[str, str]) -> dict[str, Term]:
    return {key: Term("lexicon", term) for key, term in terms.items()}
