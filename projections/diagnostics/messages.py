"""The words of findings, in English and Polish: facts, what they were found in, and what to do next.

One catalogue for all; a test holds the two languages to each other. No wording enters an id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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


_PLACES: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {"…": "several folders", "./": "the top folder"},
        "pl": {"…": "kilku folderach", "./": "głównym folderze"},
    }
)
"""Names of places that stand for words."""


_CLOSING: Final = re.compile(r"\{(\w+)\}\.")
"""What a finding says, where it ends a sentence."""
_ENDS: Final = (".", "!", "?", "…")


class Told(NamedTuple):
    title: str
    detail: str
    action: str


def told(finding: Finding, language: Language = "en") -> Diagnostic:
    """A finding in words."""
    places = _PLACES[language]
    said = {
        name: places.get(value, value) if name in ("path", "place") else value
        for name, value in finding.said.items()
    }
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


def _filled(template: str, said: Mapping[str, str]) -> str:
    """A sentence with what it speaks of; what already ends with a stop of its own ends the sentence."""
    closed = _CLOSING.sub(lambda found: found[0].removesuffix("." * said[found[1]].endswith(_ENDS)), template)
    return closed.format_map(said)
