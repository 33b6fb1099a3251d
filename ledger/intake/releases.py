"""Headings of changelogs: which release one announces, of what day, and whether it still stands.

Keep a Changelog 1.1 and what else is in use: `## [1.2.3] - 2026-01-05 [YANKED]`, `## 1.2.3 (2026-01-05)`,
`# v1.2`, `## Gin v1.12.0`, `## Version 8.4.2`, `5.2.1 / 2025-12-01`, `v10.9.0 - August 21, 2026`,
`## [Unreleased]`, `TBD`.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

from t2c.ledger.intake.vocabulary import words

__all__ = ["UNRELEASED", "Release", "day_of", "release_of"]

UNRELEASED: Final = "Unreleased"
"""The version of what has none yet."""


class Release(NamedTuple):
    """A release as its heading tells it.

    `day` is an ISO date or None, `undated` says that there is a date nobody can read, `name` is what stands
    before the version (`Gin`).
    """

    version: str
    day: str | None
    yanked: bool
    unreleased: bool
    undated: bool = False
    name: str | None = None


_MARKUP: Final = re.compile(r"[\[\]`*]|(?<!\w)_|_(?!\w)")
_VERSION: Final = (
    r"[vV]?(?P<version>\d+(?:\.(?:\d+|x))++"
    r"(?:(?!-\d{4}-\d)(?:[-+.]?(?!x\b)[A-Za-z][0-9A-Za-z]*+(?:[-.+][0-9A-Za-z]++)*+|[-+]\d[\w.]*+))?+)"
)
_HEADED: Final = re.compile(rf"(?:[\w./@-]+@)?{_VERSION}(?P<rest>.*)$", re.DOTALL)
_WHOLE: Final = re.compile(r"[vV](?P<version>\d+)(?P<rest>(?:\s*$|\s*[-–—/(:,]).*)$", re.DOTALL)
_NAMED: Final = re.compile(
    rf"(?P<name>(?:[\w.&+-]+\s+){{1,3}})(?:{_VERSION}|[vV](?P<whole>\d+))(?P<rest>.*)$", re.DOTALL
)
_SAYS_RELEASE: Final = words("version release ver ver. wersja wydanie v")
_OPEN: Final = re.compile(
    r"(?:unreleased|upcoming|next(?: release| version)?|tbd|tba|head|main|master|development|in development|wip"
    r"|niewydane|nadchodzące)(?: changes| release| version)?(?=\s*$|\s*[-–—:/(])",
    re.IGNORECASE,
)
_SAYS_OPEN: Final = re.compile(
    r"\b(?:unreleased|not (?:yet )?released|upcoming|tbd|tba|niewydan[ea])\b", re.IGNORECASE
)
_YANKED: Final = re.compile(r"\b(?:yanked|wycofan[ae])\b", re.IGNORECASE)
_ENDS: Final = re.compile(
    r"\s*$|\s*[-–—:/|,(\"'“]|\s+(?:\d{4}[-/.]|\d{1,2}(?:st|nd|rd|th|\.)?\s+[^\W\d_]|[^\W\d_]{3,12}\.?\s+\d{1,2}\D)"
    r"|\s+(?:yanked|unreleased|released|tb[da])\b",
    re.IGNORECASE,
)
_ISO: Final = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST: Final = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s+([^\W\d_]{3,12})\.?,?\s+(\d{4})(?!\d)")
_MONTH_FIRST: Final = re.compile(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_DATE_LIKE: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTHS: Final = {
    name[:3]: month
    for month, names in enumerate(
        (
            "january styczeń stycznia", "february luty lutego", "march marzec marca", "april kwiecień kwietnia",
            "may maj maja", "june czerwiec czerwca", "july lipiec lipca", "august sierpień sierpnia",
            "september wrzesień września", "october październik października", "november listopad listopada",
            "december grudzień grudnia",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip


def release_of(heading: str, *, loose: bool, name: str | None = None) -> Release | None:
    """The release that a heading or a line announces, or None.

    Strictly read it must begin with a version (a `v`, brackets or a package name before it aside) and go on
    with nothing but a date, a name after a sign, or a mark. `loose` also takes one to three words before the
    version (`Gin v1.12.0`) and a bare name after it; a known `name` before the version is always taken.
    """
    text = " ".join(_MARKUP.sub(" ", heading).split())
    if not text or len(text) > 300:
        return None
    if text[0].isalpha():
        open_ = _OPEN.match(text)
        if open_ is not None:
            return Release(UNRELEASED, None, yanked=False, unreleased=True)
    match = _HEADED.match(text) or _WHOLE.match(text)
    if match is not None:
        if not loose and not _ENDS.match(match["rest"]):
            return None
        return _told(match["version"], match["rest"])
    day = day_of(text)
    if day is not None and _ISO.match(text):
        return Release(day, day, yanked=bool(_YANKED.search(text)), unreleased=False)
    match = _NAMED.match(text) if loose or name else None
    if match is None or not _ENDS.match(match["rest"]):
        return None
    named = match["name"].strip()
    if named != name:
        parts = named.split()
        plain = len(parts) == 1 or all(part[0].isupper() or part.lower() in _SAYS_RELEASE for part in parts)
        if not (loose and plain):
            return None
    return _told(match["version"] or match["whole"], match["rest"])._replace(name=named)


def _told(version: str, rest: str) -> Release:
    day = day_of(rest)
    undated = day is None and _DATE_LIKE.search(rest) is not None
    unreleased = day is None and _SAYS_OPEN.search(rest) is not None
    return Release(version.rstrip(".-+"), day, _YANKED.search(rest) is not None, unreleased, undated)


def day_of(text: str) -> str | None:
    """The first date in a text as `YYYY-MM-DD`: ISO order, or the month by its name; None if there is none."""
    match = _ISO.search(text)
    if match is not None:
        return _day(match[1], match[2], match[3])
    match = _DAY_FIRST.search(text)
    if match is not None:
        return _day(match[3], _month(match[2]), match[1])
    match = _MONTH_FIRST.search(text)
    return _day(match[3], _month(match[1]), match[2]) if match is not None else None


def _month(name: str) -> str:
    return str(_MONTHS.get(name.lower()[:3], 0))


def _day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
