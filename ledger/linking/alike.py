"""When two statements say the same: their folded words, how much of them is shared, and who shares most.

Words are compared without accents, case, endings and function words, so that "Adds a retry to the exporter"
and "add retry to exporters" are alike. Numbers are words of their own kind: statements whose numbers differ
are about different things, however alike they read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.features import Record

__all__ = ["COMMON", "Match", "Said", "key_of", "nearest", "said", "similarity", "texts"]

COMMON: Final = 50
"""Statements that share a word from which on the word brings none of them together."""

_CITED: Final = re.compile(
    r"\[?`?[\w./-]{0,60}#\d{1,9}`?\]?(?:\(\s*https?://[^)\s]{1,300}\s*\))?|https?://\S{1,500}|\(\s*\)"
)
_TOKEN: Final = re.compile(r"[a-z][a-z0-9]*|[0-9]+(?:\.[0-9]+)*")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPACE: Final = re.compile(r"[\s`*_\"'“”’.,:;()\[\]]+")
_DENIAL: Final = re.compile(
    r"\b(?:not|no|never|cannot|forbid\w{0,4}|prohibit\w{0,4}|nie|nigdy|zabrania\w{0,3}|zakaz\w{0,4})\b|n['’]t\b",
    re.IGNORECASE,
)
_LETTERS: Final = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "đ": "d"})
_EMPTY: Final = frozenset(
    word
    for line in (
        "a an and are as at be been being but by can could did do does done for from had has have if in into is it",
        "its may might must need needs never no nor not now of on or our shall should so than that the their them",
        "then there these they this those to us via was we were what when where which while who will with within",
        "without would you your",
        "aby ale albo ani bez byc byl byla bylo dla gdy i ich ja jako jest juz lub ma maja mamy mog moga moze mozna",
        "musi musza my na nad nalezy nie nigdy niz oraz pod po przed przez przy sa sie ta tak takze tego tej ten tez",
        "to tylko w we wolno wszystko z za zabrania ze",
    )
    for word in line.split()
)
"""Function words, and those of duty and denial: they say how a statement is meant and not what it is about."""


class Said(NamedTuple):
    """What a statement is about: its folded words, the numbers among them, and how many words deny."""

    words: frozenset[str]
    numbers: frozenset[str]
    denials: int = 0


class Match(NamedTuple):
    """Two statements and the share of their words that they have in common, 0..1."""

    one: RecordId
    other: RecordId
    share: float


def said(text: str) -> Said:
    """The folded words of a text, function words and citations left out."""
    bare = _CITED.sub(" ", text)
    if not bare.isascii():
        decomposed = unicodedata.normalize("NFKD", bare.translate(_LETTERS))
        bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    tokens = _TOKEN.findall(_CAMEL.sub(" ", bare).lower().replace("_", " "))
    numbers = frozenset(token for token in tokens if token[0].isdigit())
    words = frozenset(_stem(token) for token in tokens if len(token) > 1 and token not in _EMPTY)
    return Said(words | numbers, numbers, len(_DENIAL.findall(text)))


def key_of(text: str) -> str:
    """A statement without citations, marks, case and spacing: equal for two that are written the same."""
    return _SPACE.sub(" ", _CITED.sub(" ", unicodedata.normalize("NFC", text))).strip().casefold()


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of all words that both have; 0 where neither has any."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def nearest(
    asked: Mapping[RecordId, Said], pool: Mapping[RecordId, Said], least: float, fewest: int
) -> Iterator[Match]:
    """For each statement asked about, all of the pool whose share is at least `least`, itself left out.

    Statements of fewer than `fewest` words are looked at on neither side, and those whose numbers or denials
    differ are none. A word that more than COMMON of the pool have brings no two together. Two alike
    statements share one of their rarest words, so only few are compared; the time is about linear in the
    statements.
    """
    frequency = Counter(word for one in pool.values() for word in one.words)
    holders: dict[str, list[RecordId]] = {}
    for identity in sorted(pool):
        words = pool[identity].words
        if len(words) >= fewest:
            for word in _rarest(words, frequency, least):
                holders.setdefault(word, []).append(identity)
    for identity in sorted(asked):
        mine = asked[identity]
        if len(mine.words) < fewest:
            continue
        found = dict.fromkeys(
            other
            for word in _rarest(mine.words, frequency, least)
            if len(others := holders.get(word, ())) <= COMMON
            for other in others
            if other != identity
        )
        for other in found:
            theirs = pool[other]
            if mine[1:] == theirs[1:]:
                share = similarity(mine.words, theirs.words)
                if share >= least:
                    yield Match(identity, other, share)


def texts(records: Iterable[Record]) -> dict[RecordId, Said]:
    """What each of the records says, by id."""
    return {record.id: said(record.statement.text) for record in records}


def _rarest(words: frozenset[str], frequency: Mapping[str, int], least: float) -> Sequence[str]:
    """The rarest words: as many as it takes for any statement that is alike enough to have one of them too."""
    order = sorted(words, key=lambda word: (frequency[word], word))
    return order[: len(order) - ceil(least * len(order)) + 1]


def _stem(word: str) -> str:
    """A word without the endings of plural, past and participle, roughly: equal for forms of one word."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word
