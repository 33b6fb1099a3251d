"""A relation read as a sentence, in the words of the rule books that drew it.

What no book has a phrase for is told by a default: a signal as its name and value, a token of a basis as its words. A
grade says how sure the rule is and not what was seen, so it is told only where nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from t2c.ledger.events.interpretation import ACCEPTED
from t2c.ledger.linking.registry import BOOKS, PRIORS

__all__ = ["DEFAULTS", "FORWARD", "MOST_VALUES", "REVERSE", "reasons", "sentence"]

MOST_VALUES: Final = 3
"""Values of one signal that a sentence names; the others are counted."""

FORWARD: Final[Mapping[str, str]] = {
    "plans": "plans",
    "implements": "implements",
    "evidenced_by": "is evidenced by",
    "releases": "releases",
    "documents": "documents",
    "contradicts": "contradicts",
    "duplicates": "duplicates",
    "same_as": "is the same as",
    "related_to": "is related to",
    "tests": "tests",
    "depends_on": "depends on",
    "modifies": "modifies",
    "blocks": "blocks",
    "supersedes": "supersedes",
    "claimed_by": "is claimed done by",
    "declares": "declares",
}
"""Type of relation → what its source does to its target."""
REVERSE: Final[Mapping[str, str]] = {
    "plans": "is planned by",
    "implements": "is implemented by",
    "evidenced_by": "is evidence for",
    "releases": "is released by",
    "documents": "is documented by",
    "contradicts": "contradicts",
    "duplicates": "duplicates",
    "same_as": "is the same as",
    "related_to": "is related to",
    "tests": "is tested by",
    "depends_on": "is needed by",
    "modifies": "is modified by",
    "blocks": "is blocked by",
    "supersedes": "is superseded by",
    "claimed_by": "claims done",
    "declares": "is declared by",
}
"""The same, read from the target."""

DEFAULTS: Final[Mapping[str, str]] = {
    "tag": "tagged `{}`",
    "version": "of version {}",
    "dates_agree": "dates agree",
    "dates_differ": "dates differ",
}
"""Phrases for what books may leave to everybody's words."""
_BY: Final = "reranker:"
"""What stands before the model and its revision in the basis of a relation that it accepted."""


def sentence(
    type: str,
    target: str,
    rule: str,
    basis: Sequence[str],
    signals: Iterable[tuple[str, str]],
    *,
    reverse: bool = False,
) -> str:
    """For example ``releases 3f2a1c0: cites #12; names `parse_url```; with `reverse` as the target tells it."""
    words = (REVERSE if reverse else FORWARD).get(type, type.replace("_", " "))
    told = "; ".join(reasons(rule, basis, signals))
    return f"{words} {target}: {told}" if told else f"{words} {target}"


def reasons(rule: str, basis: Sequence[str], signals: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What was seen, each as a phrase, in the order of names; a relation of several rules has words of all of them."""
    if rule == ACCEPTED:
        said_by = [token.removeprefix(_BY) for token in basis if token.startswith(_BY)]
        return (f"as {said_by[0] if said_by else 'a model'} says, which shows nothing",)
    values: dict[str, list[str]] = {}
    for name, value in signals:
        values.setdefault(name, []).append(value)
    found = [_filled(_phrase(rule, name, f"{name.replace('_', ' ')} {{}}"), values[name]) for name in values]
    tokens = [token for token in basis if token not in PRIORS and token not in values]
    found += [_phrase(rule, token, token.replace("_", " ")) for token in tokens]
    if not found:
        grades = [token for token in basis if token in PRIORS]
        found = [_phrase(rule, token, token.replace("_", " ")) for token in grades]
    return tuple(dict.fromkeys(found))


@cache
def _phrase(rule: str, name: str, default: str) -> str:
    """The phrase of the rule's own book, else of any other, else everybody's, else the default."""
    own = [book for book in BOOKS if book.name == rule]
    others = sorted((book for book in BOOKS if book.name != rule), key=lambda book: book.name)
    for book in (*own, *others):
        if name in book.phrases:
            return book.phrases[name]
        if book in own and name in DEFAULTS:
            return DEFAULTS[name]
    return DEFAULTS.get(name, default)


def _filled(template: str, values: Sequence[str]) -> str:
    shown = list(dict.fromkeys(values))
    joint = "`, `" if "`{}`" in template else ", "
    text = template.replace("{}", joint.join(shown[:MOST_VALUES]))
    more = len(shown) - MOST_VALUES
    return f"{text} and {more} more" if more > 0 else text
