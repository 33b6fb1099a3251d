"""What a sentence denies, in English, Polish and German: the words that a negation is of.

Not a parser: a negation reaches a few words of content on within its clause, and back where its word stands after what
it denies ("is forbidden", "fehlt"). It is used to compare two texts, so what it gets wrong in both it gets right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from t2c.ledger.intake.vocabulary import words

__all__ = ["Denial", "denials", "folded", "stems"]

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.,;:!?()\n—–]")
_CLAUSE_ENDS: Final = frozenset(".,;:!?()\n—–")
_REACH: Final = 3
"""So many words of content after a negation are denied by it, or before one that stands behind."""
_WINDOW: Final = 12
"""So many words of any kind are looked at for these."""
_STEM: Final = 5

_BEFORE: Final = words(
    "no not never none nothing nobody nowhere neither nor cannot without lack lacks lacked lacking prevent prevents"
    " insufficient avoid avoids forbid forbids prohibit prohibits refuse refuses"
    " nie nigdy nikt nic zaden zadna zadne zadnego zadnej ani bez brak brakuje zabrania zakaz"
    " nicht kein keine keinen keinem keiner keines niemals niemand nichts ohne weder"
)
_AFTER: Final = words(
    "forbidden prohibited disallowed missing absent unavailable"
    " zabroniony zabroniona zabronione zakazany zakazana zakazane niedozwolony niedozwolona niedozwolone"
    " verboten untersagt fehlt fehlen fehlte fehlend fehlende"
)
_LIGHT: Final = words(
    "the and any all are was were been being has have had does did will would shall should must may might can could"
    " this that these those there its for from with into yet ever anything anyone more than"
    " jest sa byl byla bylo byly byc ma maja moze moga musi musza wolno nalezy sie dla przez jeszcze tego tej ten"
    " der die das den dem des ein eine einen einem einer ist sind war waren wird werden wurde darf durfen muss"
    " mussen soll sollen kann konnen noch auch von mit fur"
)
_BANS: Final = re.compile(
    r"(?:forbid|prohibit|disallow|refuse|prevent|avoid|zabron|zabrania|zakaz|niedozw|verboten|untersagt)\w*\Z"
)
_MODAL: Final = re.compile(
    r"(?:must|shall|should|may|mustn|shouldn|shan|wolno|nalezy|powin\w+|mog[ae]|moze|darf\w*|durf\w+|soll\w*)\Z"
)
"""Words that make a negation beside them a ban."""
_FIXED: Final = frozenset(("only", "tylko", "nur"))
"""After a negation they make it none: "not only"."""
_UN: Final = re.compile(
    r"un(?=(?:implement|document|test|verif|cover|releas|finish|resolv|support|check|handl|plann|link|confirm)\w*ed\Z)"
    r"|un(?=done\Z)|nie(?=[a-z]{8,}(?:any|ana|ane|ani|ony|ona|one|eni|ty|ta|te)\Z)|un(?=ge\w{4,}t\Z)"
)
_ENDS: Final = re.compile(r"(?:ations?|ments?|ings?|ies|ied|ed|es|s|e|y)\Z")


class Denial(NamedTuple):
    """One negation: its word as written, the stems of what it denies, and whether it forbids or only tells."""

    word: str
    stems: tuple[str, ...]
    forbids: bool = False


def stems(text: str) -> frozenset[str]:
    """The stems of the words of content of a text."""
    return frozenset(_stem(word) for word in map(folded, _WORD.findall(text)) if _has_content(word))


def denials(text: str) -> tuple[Denial, ...]:
    """What a text denies, in its order."""
    return tuple(_denials(_WORD.findall(text)))


def _denials(written: list[str]) -> Iterator[Denial]:
    read = [folded(word) for word in written]
    for at, word in enumerate(read):
        if word in _BEFORE or word.endswith(("n't", "n’t")):
            if at + 1 < len(read) and read[at + 1] in _FIXED:
                continue
            yield Denial(written[at], _near(read, range(at + 1, len(read))), _is_ban(read, at))
        elif word in _AFTER:
            behind = _near(read, range(at - 1, -1, -1))
            yield Denial(written[at], behind + _near(read, range(at + 1, len(read))), _is_ban(read, at))
        elif (prefix := _UN.match(word)) is not None:
            yield Denial(written[at], (_stem(word[prefix.end() :]),))


def _is_ban(read: list[str], at: int) -> bool:
    """True for a word that bans, one with a modal beside it, and one that begins what it says ("do not", "never")."""
    word = read[at]
    if _BANS.match(word):
        return True
    begins = at - (read[at - 1 : at] == ["do"])
    if word in ("not", "never", "nie", "don't", "don’t") and (
        begins == 0 or read[begins - 1] in _CLAUSE_ENDS
    ):
        return True
    own = word.replace("’", "'").partition("'")[0].removesuffix("n")
    return any(_MODAL.match(near) for near in (*read[max(at - 2, 0) : at], own, *read[at + 1 : at + 2]))


def _near(read: list[str], places: range) -> tuple[str, ...]:
    """The stems of the nearest words of content that way, up to the end of the clause."""
    found: list[str] = []
    for place in places[:_WINDOW]:
        word = read[place]
        if word in _CLAUSE_ENDS or len(found) == _REACH:
            break
        if _has_content(word):
            found.append(_stem(word))
    return tuple(found)


def _has_content(word: str) -> bool:
    return len(word) > 2 and word not in _LIGHT and word not in _BEFORE and word not in _AFTER


@lru_cache(4096)
def folded(word: str) -> str:
    """A word in lower case without accents."""
    parted = unicodedata.normalize("NFKD", word.casefold().replace("ł", "l"))
    return "".join(char for char in parted if not unicodedata.combining(char))


@lru_cache(4096)
def _stem(word: str) -> str:
    """The beginning that the forms of a word have in common, roughly."""
    cut = _ENDS.sub("", word)
    return (cut if len(cut) > 2 else word)[:_STEM]
