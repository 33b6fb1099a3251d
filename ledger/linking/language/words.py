"""Words of prose and of identifiers, brought to forms that can be compared: stems, and keys of English terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, Literal

__all__ = [
    "LANGUAGES",
    "Language",
    "english",
    "fold",
    "parts",
    "quoted_names",
    "reduced",
    "spoken",
    "stem",
    "written",
]

Language = Literal["pl", "de", "fr", "es"]
LANGUAGES: Final[tuple[Language, ...]] = ("de", "es", "fr", "pl")

_NAMES: Final = {"pl": "polish", "de": "german", "fr": "french", "es": "spanish", "en": "english"}
_CODE: Final = re.compile(r"`[^`\n]{0,200}`|https?://\S{1,300}")
_SPOKEN: Final = re.compile(r"[^\W\d_]{2,60}")
_PART: Final = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_PLAIN: Final = str.maketrans({"ł": "l", "ß": "ss", "œ": "oe", "æ": "ae"})

_ENDINGS: Final = {
    "pl": re.compile(r"(?:owani?|ywani?|iwani?|owien|acj|uj|ow|yw|iw|ani?|ien|en|ie|iet|et|iec|ion|on|i)\Z"),
    "de": re.compile(r"(?:ierung|ungs?|iert|ier|i|t)\Z"),
    "fr": re.compile(r"(?:isation|ation|ition|ion|ment|ag|eur)\Z"),
    "es": re.compile(r"(?:izacion|acion|icion|cion|ion|mient|ador|idor|dor)\Z"),
}
"""What a noun or participle of the same verb has more than its stem."""
_FLEETING: Final = re.compile(r"(?<=[^\W_aeiouy])e([kl])\Z")
_PREFIXED: Final = re.compile(r"ge(\w{3,})t\Z")
_MIN_REDUCED: Final = 4


def spoken(text: str) -> list[str]:
    """The words of prose in lower case, names in code quotes and addresses left out.

    An apostrophe and a hyphen part words, as in `l'identité` and `Authentifizierungs-Token`.
    """
    return [word.lower() for word in written(text)]


def written(text: str) -> list[str]:
    """The same in the case that they are written in."""
    return _SPOKEN.findall(_CODE.sub(" ", text) if "`" in text or "://" in text else text)


@lru_cache(maxsize=65536)
def parts(name: str) -> tuple[str, ...]:
    """The words that an identifier or a file name is made of, in lower case: `retryBackoff_v2` → retry, backoff."""
    return tuple(part.lower() for part in _PART.findall(name))


def quoted_names(text: str) -> list[str]:
    """What stands in code quotes."""
    return [name for name in _CODE.findall(text) if name.startswith("`")]


def fold(word: str) -> str:
    """Without accents, for a word in lower case."""
    if word.isascii():
        return word
    return "".join(
        char
        for char in unicodedata.normalize("NFKD", word.translate(_PLAIN))
        if not unicodedata.combining(char)
    )


@lru_cache(maxsize=65536)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a word in lower case, with its accents."""
    return _stemmer(language)(word)


def reduced(stemmed: str, language: Language) -> str:
    """The stem without accents and without what derives a noun or participle from its verb, so that both agree."""
    stemmed = fold(stemmed)
    if language == "pl":
        stemmed = _FLEETING.sub(r"\1", stemmed)
        if stemmed.endswith(("nic", "jc")):
            return stemmed[:-1] + "k"
    if language == "de" and (match := _PREFIXED.fullmatch(stemmed)):
        stemmed = match[1]
    while match := _ENDINGS[language].search(stemmed):
        if match.start() < _MIN_REDUCED:
            break
        stemmed = stemmed[: match.start()]
    return stemmed


@lru_cache(maxsize=65536)
def english(word: str) -> str:
    """The key under which forms of an English term are one: validate, validator; expiry, expired; scan, scanner."""
    stemmed = stem(word, "en")
    if len(stemmed) > 4 and stemmed.endswith("i"):
        return stemmed[:-1]
    if len(stemmed) > 5 and stemmed.endswith(("er", "tor")):
        stemmed = stemmed[:-2]
        return stemmed[:-1] if stemmed[-1] == stemmed[-2] and stemmed[-1] not in "ls" else stemmed
    return stemmed


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    # Only when prose in another language is there.
    import snowballstemmer  # type: ignore[import-untyped]

    stem_word: Callable[[str], str] = snowballstemmer.stemmer(_NAMES[language]).stemWord
    return stem_word
