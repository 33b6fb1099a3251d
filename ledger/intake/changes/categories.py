"""Headings inside a release: what kind of change they hold, whom they thank, what they only plan."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.events.record import Action

__all__ = ["action_of", "is_breaking", "is_category", "is_plan", "is_thanks"]

_CATEGORIES: Final[tuple[tuple[str, Action], ...]] = (
    ("add", "add"), ("feat", "add"), ("new", "add"), ("dodan", "add"), ("nowe", "add"),
    ("fix", "fix"), ("bug", "fix"), ("secur", "fix"), ("napraw", "fix"), ("popraw", "fix"), ("bezpiecz", "fix"),
    ("remov", "remove"), ("deprecat", "remove"), ("revert", "remove"), ("usuni", "remove"), ("wycof", "remove"),
    ("doc", "document"), ("dokument", "document"), ("test", "test"), ("refactor", "refactor"), ("perf", "refactor"),
    ("continuous", "configure"), ("build", "configure"), ("chore", "configure"),
    ("chang", "change"), ("zmian", "change"), ("zmien", "change"),
)  # fmt: skip
"""Beginnings of words of a category heading, in order of weight."""
_WORD: Final = re.compile(
    r"(?<![^\W\d_])(?:" + "|".join(start for start, _ in _CATEGORIES) + r")", re.IGNORECASE
)
_OTHER: Final = re.compile(
    r"(?:misc(?:ellaneous)?|others?|styles?|dependenc(?:y|ies)|deps|internals?|enhancements?|improvements?|notes|ci"
    r"|breaking|highlights|experiments|upgrade notes|known issues|maintenance|packaging|housekeeping|contributors)\b",
    re.IGNORECASE,
)
_TELLS_NOTHING: Final = re.compile(
    r"\W*(?:(?:patch|minor|major|other|all) changes|what['’]?s changed|change ?log)\W*\Z", re.IGNORECASE
)
_NUMBERED: Final = re.compile(r"\d\.\d")
_SIGNS: Final = re.compile(r"^(?::\w{1,40}:|\W)+")
_THANKS: Final = re.compile(
    r"\b(?:contributors?|thanks|acknowledge?ments?|credits|sponsors|backers|podziękowania)\b", re.IGNORECASE
)
_PLAN: Final = re.compile(
    r"(?:(?:the )?road ?-?map|plan(?:s|ned)?|future|to[- ]?do|ideas|wish ?list|backlog|coming soon|what['’]s next"
    r"|plany|planowane|plan rozwoju|mapa drogowa)"
    r"(?: (?:plans?|work|features?|changes|releases?|versions?|improvements|for .{1,60}))?\W*\Z",
    re.IGNORECASE,
)
_BREAKING: Final = re.compile(
    r"\b(?:breaking|backwards?[- ]incompatib|incompatible change|major changes)", re.IGNORECASE
)


def action_of(category: str) -> Action | None:
    """The action of a category: of its weightiest word (`Bug fixes and new features` adds); None if it has none."""
    if _TELLS_NOTHING.match(category):
        return None
    starts = {match[0].lower() for match in _WORD.finditer(category)}
    return next((meaning for start, meaning in _CATEGORIES if start in starts), None) if starts else None


def is_category(heading: str) -> bool:
    """True for a heading that holds changes of a release wherever it stands, at the level of releases too."""
    if _NUMBERED.search(heading):
        return False
    bare = _SIGNS.sub("", heading)
    return bool(action_of(heading) or _OTHER.match(bare) or _TELLS_NOTHING.match(bare))


def is_plan(heading: str) -> bool:
    """True for a heading whose entries are plans: a roadmap claims no delivery."""
    return _PLAN.match(_SIGNS.sub("", heading)) is not None


def is_thanks(heading: str) -> bool:
    """True for a heading under which people are named."""
    return _THANKS.search(heading) is not None


def is_breaking(heading: str) -> bool:
    """True for a heading of changes that break what worked before."""
    return _BREAKING.search(heading) is not None
