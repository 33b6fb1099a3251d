"""What the status of a decision says of others: which it replaces or amends, and which do so to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Final, Literal, NamedTuple

__all__ = ["Succession", "succession_of"]

_Verb = Literal["supersedes", "superseded_by", "amends", "amended_by"]
_VERBS: Final = re.compile(
    r"\b(?:(?P<superseded_by>(?:superseded|superceded|replaced)(?: (?:on )?\d{4}-\d\d-\d\d)?[ -]by|zast[aą]pion\w{1,3} przez)"
    r"|(?P<amended_by>amended[ -]by|zmienion\w{1,3} przez)"
    r"|(?P<supersedes>supersedes|supercedes|replaces|zast[eę]puje)|(?P<amends>amends|zmienia))\b[:\s*_]*",
    re.IGNORECASE,
)
_MOST: Final = 200
"""Characters after a verb within which its object stands."""
_NAME: Final = re.compile(
    r"\b(?:ADR[-_ ]?\d{1,5})\b|(?<![\w.#/-])\d{1,4}(?=[-.]\s|-[a-z])|#\d{1,5}", re.IGNORECASE
)
_LINK: Final = re.compile(r"\]\(\s*([^()\s]{1,300})\s*\)")
_FILE: Final = re.compile(r"`([^`\s]{1,300}\.(?:md|mdx|rst))`")
_QUOTES: Final = r"[*_`\"'()\[\]]{0,3}"
_BARE: Final = re.compile(
    r"(?:(?:the |by |przez )?(?:architectur\w{1,4} )?(?:decision|record|decyzj\w{1,3})(?: record)? (?:no\.? |number )?)?"
    rf"{_QUOTES}(\d{{1,5}})(?={_QUOTES}\s*(?:$|[,;&()–—]|- |\.(?:\s|$)|(?:and|oraz|i|on|from|since)\s))",
    re.IGNORECASE,
)
"""A number that stands where the object of the verb does and ends there; `12 teams` is no decision."""
_ANOTHER: Final = re.compile(rf"{_QUOTES}\s*(?:,|;|&|and\b|oraz\b|i\b)\s*", re.IGNORECASE)
_OPENING: Final = re.compile(rf"[\W_]{{0,4}}{_VERBS.pattern}", re.IGNORECASE)
_OBJECT: Final = re.compile(
    rf"\[[^\[\]]{{1,200}}\]\(|{_FILE.pattern}|{_NAME.pattern}|{_BARE.pattern}", re.IGNORECASE
)


class Succession(NamedTuple):
    """Other decisions as they are written: targets of links, or names like `ADR-12` and `0001`.

    What amends another leaves it in force: it replaces nothing.
    """

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()


def succession_of(status: Iterable[str], others: Iterable[str] = ()) -> Succession:
    """What the lines of a status say; the object of a verb reaches as far as the next one.

    `others` are further paragraphs: one says so that begins with the verb, with its object right behind it.
    """
    found: dict[str, dict[str, None]] = {verb: {} for verb in Succession._fields}
    announcing = (
        text for text in others if (verb := _OPENING.match(text)) and _OBJECT.match(text, verb.end())
    )
    for line in chain(status, announcing):
        verbs = list(_VERBS.finditer(line))
        ends = [verb.start() for verb in verbs[1:]] + [len(line)]
        for verb, end in zip(verbs, ends, strict=False):
            said = line[verb.end() : min(end, verb.end() + _MOST)]
            found[verb.lastgroup or ""].update(dict.fromkeys(_named(said)))
    return Succession(*map(tuple, found.values()))


def _named(said: str) -> list[str]:
    """The decisions in what follows a verb: where it links to any, no others."""
    if linked := _LINK.findall(said) or _FILE.findall(said):
        return linked
    names = {match.start(): match[0].strip() for match in _NAME.finditer(said)}
    at = 0
    while one := _NAME.match(said, at) or _BARE.match(said, at):
        if one.re is _BARE:
            names[one.start(1)] = one[1]
        another = _ANOTHER.match(said, one.end())
        if another is None:
            break
        at = another.end()
    return [names[start] for start in sorted(names)]
