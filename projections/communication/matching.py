"""When two statements speak of one thing, and when they cannot both hold (intent-evidence §2.11).

Words are compared as keys of English terms, so that a request in Polish and a plan in English can meet; tickets, which
all statements of a conversation share, are no words of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import ceil
from typing import Final, Literal, NamedTuple

from t2c.ledger.intake.vocabulary import words
from t2c.ledger.linking.language.detect import FUNCTION, language_of, look
from t2c.ledger.linking.language.lexicon import by_words, lexicon
from t2c.ledger.linking.language.words import Language, english, fold, parts, quoted_names, spoken, stem
from t2c.projections.facts import Fact

__all__ = [
    "ALIKE",
    "OPPOSED",
    "Index",
    "Meaning",
    "conflicting",
    "folded",
    "matches",
    "meaning",
    "share",
    "words_of",
]

ALIKE: Final = 0.2
"""Share of words from which on two statements speak of one thing."""
OPPOSED: Final = 0.45
"""The same for two that contradict each other, where neither names a place."""

_TICKET: Final = re.compile(
    r"\b(?:ticket[-_ ]?\d{1,9}|[A-Za-z][A-Za-z0-9]{0,20}-\d{1,9})\b|#\d{1,9}\b", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,9}){0,3}(?![\w.])")
_DUTY: Final = words(
    "should shall must not never no cannot may might could would need needs let lets please do does don dont didn"
    " nie nigdy nalezy trzeba musi musza wolno zabrania powinien powinna powinno moze mozna prosze"
)
_TOUCH: Final = frozenset(
    english(word)
    for word in words(
        "change changed modify touch edit update alter add remove delete use keep file module code"
    )
)
"""Words of a ban on a place as a whole: "do not touch `src/app.py`"."""


class Meaning(NamedTuple):
    """What a statement is about; paths and symbols folded. `named` are the words of its paths and symbols."""

    words: frozenset[str]
    paths: frozenset[str]
    symbols: frozenset[str]
    action: str

    @property
    def located(self) -> bool:
        """True if it names a path or a symbol."""
        return bool(self.paths or self.symbols)


def meaning(fact: Fact, more: str = "") -> Meaning:
    """That of a record; `more` is text that belongs to it."""
    target = fact.statement.target
    text = f"{fact.statement.text} {more}" if more else fact.statement.text
    return Meaning(
        words_of(text),
        frozenset(map(folded, target.paths)),
        frozenset(map(folded, target.symbols)),
        fact.statement.action,
    )


def folded(name: str) -> str:
    """A name as it is compared: without case and in one form of Unicode."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


@lru_cache(maxsize=65536)
def words_of(text: str) -> frozenset[str]:
    """The telling words of a text as keys of English terms, and its numbers; tickets and duty left out."""
    bare = _TICKET.sub(" ", text)
    said = spoken(bare)
    named = [part for name in quoted_names(bare) for part in parts(name)]
    language = language_of(look(bare)) or by_words(bare, ("pl",))
    found = {english(word) for word in named}
    empty = FUNCTION["en"] if language is None else FUNCTION[language]
    for word in said:
        if len(word) > 1 and word not in empty and fold(word) not in _DUTY:
            found.update(_keys(word, language))
    found.update(_NUMBER.findall(bare))
    return frozenset(found)


def _keys(word: str, language: Language | None) -> Iterable[str]:
    if language is None:
        return (english(fold(word)),)
    return lexicon(language).terms(word) or (fold(stem(word, language)),)


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of all words that both have; 0 where either has none."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def matches(one: Meaning, other: Meaning) -> bool:
    """Whether two statements speak of one thing: a path, a symbol, or enough of their words. Symmetric."""
    return (
        not one.paths.isdisjoint(other.paths)
        or not one.symbols.isdisjoint(other.symbols)
        or share(one.words, other.words) >= ALIKE
    )


def conflicting(one: Meaning, other: Meaning) -> bool:
    """Whether two statements of opposite polarity speak of the same place or deed. Symmetric.

    Two that name one file and have nothing else in common are about two things in it, unless one of them is about
    the file as a whole.
    """
    if not one.paths.isdisjoint(other.paths):
        mine, theirs = _beside(one), _beside(other)
        return not mine.isdisjoint(theirs) or not mine or not theirs
    if one.paths and other.paths:
        return False
    if not one.symbols.isdisjoint(other.symbols):
        return True
    if one.located and other.located:
        return False
    return share(one.words, other.words) >= OPPOSED


@lru_cache(maxsize=65536)
def _beside(one: Meaning) -> frozenset[str]:
    """The words beside the names of places and beside those that any change may be told by."""
    named = {english(part) for name in (*one.paths, *one.symbols) for part in parts(name)}
    return one.words - named - _TOUCH


class Index:
    """Statements of one ticket by what they name and by their rarer words, so that not all pairs are looked at.

    Two whose words are alike by at least `least` share one of the rarest words of each.
    """

    def __init__(self, entries: Iterable[tuple[str, Meaning]], least: float = ALIKE) -> None:
        self._least = least
        self.meanings = dict(entries)
        self._frequency = Counter(word for one in self.meanings.values() for word in one.words)
        self._by: dict[tuple[Literal["path", "symbol", "word"], str], list[str]] = {}
        for identity in sorted(self.meanings):
            for key in self._keys(self.meanings[identity]):
                self._by.setdefault(key, []).append(identity)

    def candidates(self, about: Meaning) -> Iterator[str]:
        """Ids that may match or conflict, each once: those that name the same, then those that share words."""
        seen: set[str] = set()
        for key in self._keys(about):
            for identity in self._by.get(key, ()):
                if identity not in seen:
                    seen.add(identity)
                    yield identity

    def matching(self, about: Meaning) -> Iterator[str]:
        """Ids of the statements that `matches` one."""
        return (identity for identity in self.candidates(about) if matches(about, self.meanings[identity]))

    def has(self, about: Meaning) -> bool:
        """Whether any statement matches."""
        return next(self.matching(about), None) is not None

    def _keys(self, one: Meaning) -> Iterator[tuple[Literal["path", "symbol", "word"], str]]:
        for path in sorted(one.paths):
            yield "path", path
        for symbol in sorted(one.symbols):
            yield "symbol", symbol
        for word in self._rarest(one.words):
            yield "word", word

    def _rarest(self, told: frozenset[str]) -> Sequence[str]:
        needed = max(1, ceil(self._least * len(told) - 1e-9))
        ranked = sorted(told, key=lambda word: (self._frequency[word], word))
        return ranked[: len(ranked) - needed + 1]
