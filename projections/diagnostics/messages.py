"""The words of findings, in English and Polish: facts, what they were found in, and what to do next.

One catalogue for all; a test holds the two languages to each other. No wording enters an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from t2c.projections.diagnostics.messages_en import ENGLISH
from t2c.projections.diagnostics.messages_pl import POLISH
from t2c.projections.diagnostics.model import Diagnostic, Finding

__all__ = ["CATALOGUES", "LANGUAGES", "Language", "Told", "told"]

Language = Literal["en", "pl"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "pl")
CATALOGUES: Final[Mapping[Language, Mapping[str, tuple[str, str, str]]]] = MappingProxyType(
    {"en": ENGLISH, "pl": POLISH}
)
"""Language → message → title, detail and suggested action, with the names of what a finding says in braces."""


_ENGLISH_PLACES: Final[Mapping[str, str]] = MappingProxyType({"…": "several folders", "./": "the top folder"})
_POLISH_PLACES: Final[Mapping[str, str]] = MappingProxyType(
    {"…": "kilku folderach", "./": "głównym folderze"}
)
_WORDS: Final[Mapping[Language, Mapping[str, Mapping[str, str]]]] = MappingProxyType(
    {
        "en": {"path": _ENGLISH_PLACES, "place": _ENGLISH_PLACES},
        "pl": {
            "path": _POLISH_PLACES, "place": _POLISH_PLACES,
            "role": MappingProxyType({"human": "człowiek", "unknown": "rola nieznana"}),
        },
    }
)  # fmt: skip
"""Language → what a finding says → values that stand for words."""


_CLOSING: Final = re.compile(r"\{(\w+)\}\.")
"""What a finding says, where it ends a sentence."""
_ENDS: Final = (".", "!", "?", "…")


class Told(NamedTuple):
    title: str
    detail: str
    action: str


def told(finding: Finding, language: Language = "en") -> Diagnostic:
    """A finding in words. What it says in several languages (`detail:pl`) is told in the one that is asked for."""
    said = dict(_spoken(finding.said, language))
    title, detail, action = (_filled(template, said) for template in CATALOGUES[language][finding.message])
    return Diagnostic(
        id=finding.id,
        code=finding.code,
        severity=finding.severity,
        title=title,
        detail=detail,
        recordIds=tuple(sorted(set(finding.records))),
        suggestedAction=action,
    )


def _spoken(said: Mapping[str, str], language: Language) -> Iterator[tuple[str, str]]:
    """What a finding says, as one language says it."""
    words = _WORDS[language]
    for key, value in said.items():
        name, _, of = key.partition(":")
        if of in ("", language):
            yield name, words.get(name, {}).get(value, value)


def _filled(template: str, said: Mapping[str, str]) -> str:
    """A sentence with what it speaks of; what already ends with a stop of its own ends the sentence."""
    closed = _CLOSING.sub(lambda found: found[0].removesuffix("." * said[found[1]].endswith(_ENDS)), template)
    return closed.format_map(said)
