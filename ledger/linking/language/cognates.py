"""Words that two languages share: `autoryzacja` and `authorization`, `synchronizować` and `synchronize`.

Both are brought to one spelling and lose their endings; what is then equal, or for long words differs by one letter, is
one word. False friends stand in the lexicon, which is asked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from t2c.ledger.linking.language.words import Language, reduced, stem

__all__ = ["Cognates"]

_MIN_EQUAL: Final = 5
"""Letters of the shortest skeleton that two words may share."""
_MIN_NEAR: Final = 7
"""Letters of the shortest skeleton that may differ by one."""
_SPELLINGS: Final = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        ("ph", "f"),
        ("th", "t"),
        ("sch|sh|sz", "s"),
        ("qu", "k"),
        ("x", "ks"),
        ("c(?=[eiy])", "s"),
        ("ck|ch|c", "k"),
        ("w", "v"),
        ("z", "s"),
        ("[yj]", "i"),
        (r"(.)\1", r"\1"),
    )
)
_ENGLISH_END: Final = re.compile(
    r"(?:(?<=if)(?:ication|icator|icate|ied|ier|ies|y)|i[sz]ation|ation|ition|tion|ion|ator|[iy]ng|ment|ity|[iy]c?al|[iy][sz]er|[iy][sz]e|ate|ers?|ors?|ed|es|[eysi])\Z"
)
_FOREIGN_END: Final = re.compile(
    r"(?:(?<=[iy]f)(?:ikator|ikac|ika|ik|icator|icat|icador|icac|ic|iant|izier|izi|iz|i)|[iy][sz]|ation|ition|tion|at|it|e|i|y|t|o|a|n|ty)\Z"
)
_MIN_SKELETON: Final = 4


class Cognates(Struct, frozen=True):
    """The English words of one repository by their skeleton, and by all forms of it with a letter less."""

    equal: Mapping[str, str]
    near: Mapping[str, str]

    @classmethod
    def of(cls, words: Iterable[str]) -> Cognates:
        """Index words in lower case; of words with one skeleton the first in order stands for all."""
        equal: dict[str, str] = {}
        near: dict[str, str] = {}
        for word in sorted(words):
            if len(word) >= _MIN_EQUAL:
                skeleton = _english(word)
                equal.setdefault(skeleton, word)
                if len(skeleton) >= _MIN_NEAR:
                    for shorter in _shorter(skeleton):
                        near.setdefault(shorter, word)
        return cls(equal, near)

    def find(self, word: str, language: Language) -> str | None:
        """The English word that a foreign word in lower case is, if there is one."""
        skeleton = _foreign(word, language)
        if len(skeleton) < _MIN_EQUAL:
            return (
                self.equal.get(skeleton)
                if len(word) >= _MIN_NEAR and len(skeleton) == _MIN_SKELETON
                else None
            )
        found = self.equal.get(skeleton)
        if found is None and len(skeleton) >= _MIN_NEAR:
            found = self.near.get(skeleton)
            for shorter in _shorter(skeleton) if found is None else ():
                found = self.equal.get(shorter) or self.near.get(shorter)
                if found is not None:
                    break
        return found


def _spelled(word: str) -> str:
    for pattern, to in _SPELLINGS:
        word = pattern.sub(to, word)
    return word


@lru_cache(maxsize=65536)
def _english(word: str) -> str:
    return _spelled(_cut(word, _ENGLISH_END))


@lru_cache(maxsize=65536)
def _foreign(word: str, language: Language) -> str:
    return _spelled(_cut(reduced(stem(word, language), language), _FOREIGN_END))


def _cut(word: str, ending: re.Pattern[str]) -> str:
    match = ending.search(word)
    return word[: match.start()] if match and match.start() >= _MIN_SKELETON else word


def _shorter(skeleton: str) -> Iterator[str]:
    """The skeleton without one letter other than the first."""
    for at in range(1, len(skeleton)):
        yield skeleton[:at] + skeleton[at + 1 :]
