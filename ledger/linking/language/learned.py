"""Words that the repository itself translates: which foreign stem keeps company with which English term.

A **pair of bags** is a text in another language and English that says the same: a docstring and the name that it
documents, two statements under one number or ticket, two statements of a document and its translation that name the
same code. Company that is no accident (Dunning's
log-likelihood ratio) and was seen at least twice is an entry, with the records that show it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Final, NamedTuple

from msgspec import Struct

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.language.words import Language

__all__ = ["MAX_BAG", "MIN_SUPPORT", "Bags", "Entry", "Learned", "learn"]

MIN_SUPPORT: Final = 2
"""Pairs of bags that must show an entry."""
MAX_BAG: Final = 30
"""Distinct words of a text that can still be the translation of a name or sentence; a longer one is none."""
_SURE: Final = 7.88
"""Log-likelihood ratio of company that comes about by chance once in 200 times."""
_FAITHFUL: Final = 0.6
"""The part of the bags of a stem and of its term that they must share (Dice)."""
_MAX_TERMS: Final = 3


class Bags(NamedTuple):
    """One text in another language as stems, its English side as keys of terms, and the record that shows them."""

    language: Language
    foreign: frozenset[str]
    english: frozenset[str]
    shown_by: RecordId


class Entry(Struct, frozen=True):
    """One learned translation: a key of an English term, how often seen together, and the first record that shows it."""

    key: str
    support: int
    shown_by: RecordId


class Learned(Struct, frozen=True):
    """Entries by language and stem, best first."""

    entries: Mapping[tuple[Language, str], Sequence[Entry]]

    def terms(self, stem: str, language: Language) -> Sequence[Entry]:
        """What the repository translates this stem with; nothing if it shows too little."""
        return self.entries.get((language, stem), ())


def learn(pairs: Iterable[Bags]) -> Learned:
    """The entries that all pairs together show. The same texts again, as in a mirrored file, count once."""
    seen: dict[tuple[Language, frozenset[str], frozenset[str]], RecordId] = {}
    for bags in pairs:
        if 0 < len(bags.foreign) <= MAX_BAG and 0 < len(bags.english) <= MAX_BAG:
            key = bags[:3]
            if key not in seen or bags.shown_by < seen[key]:
                seen[key] = bags.shown_by
    per_language: dict[Language, list[Bags]] = defaultdict(list)
    for (language, foreign, english), shown_by in seen.items():
        per_language[language].append(Bags(language, foreign, english, shown_by))
    return Learned({key: found for bags in per_language.values() for key, found in _entries(bags)})


def _entries(bags: Sequence[Bags]) -> Iterator[tuple[tuple[Language, str], Sequence[Entry]]]:
    stems = Counter(stem for one in bags for stem in one.foreign)
    terms = Counter(term for one in bags for term in one.english)
    together: dict[str, Counter[str]] = defaultdict(Counter)
    shown: dict[tuple[str, str], RecordId] = {}
    for one in bags:
        for stem in one.foreign:
            if stems[stem] >= MIN_SUPPORT:
                together[stem].update(one.english)
                for term in one.english:
                    first = shown.get((stem, term))
                    shown[stem, term] = one.shown_by if first is None else min(first, one.shown_by)
    for stem, company in together.items():
        ranked = sorted(
            (-ratio, term, count)
            for term, count in company.items()
            if count >= MIN_SUPPORT
            and 2 * count >= _FAITHFUL * (stems[stem] + terms[term])
            and (ratio := likelihood(count, stems[stem], terms[term], len(bags))) >= _SURE
        )
        if ranked:
            best = -ranked[0][0]
            yield (
                (bags[0].language, stem),
                tuple(
                    Entry(term, count, shown[stem, term])
                    for ratio, term, count in ranked[:_MAX_TERMS]
                    if -ratio >= best / 2
                ),
            )


def likelihood(both: int, one: int, other: int, all: int) -> float:
    """Dunning's log-likelihood ratio of seeing two things together `both` times of `all`; 0 if seen less than chance."""
    if both * all <= one * other:
        return 0.0
    table = (both, one - both, other - both, all - one - other + both)
    rows, columns = (one, all - one), (other, all - other)
    expected = tuple(row * column / all for row in rows for column in columns)
    return 2.0 * sum(seen * log(seen / chance) for seen, chance in zip(table, expected, strict=True) if seen)
