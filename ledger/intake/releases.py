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

__all__ = [
    "UNRELEASED",
    "Release",
    "day_of",
    "implied_release",
    "package_of",
    "release_of",
    "says_unreleased",
    "says_yanked",
]

UNRELEASED: Final = "Unreleased"
"""The version of what has none yet."""


class Release(NamedTuple):
    """A release as its heading tells it.

    `day` is an ISO date or None, `undated` says that there is a date nobody can read, `name` is what stands
    before the version (`Gin`), `package` the one of several that it belongs to (`pkg@1.2.3`, `pkg/v1.2.3`).
    """

    version: str
    day: str | None
    yanked: bool
    unreleased: bool
    undated: bool = False
    name: str | None = None
    package: str | None = None


_MARKUP: Final = re.compile(r"[\[\]`*]|(?<!\w)_|_(?!\w)")
_VERSION: Final = (
    r"[vV]?(?P<version>\d+(?:\.(?:\d+|x))++"
    r"(?:(?!-\d{4}-\d)(?:[-+.]?(?!x\b)[A-Za-z][0-9A-Za-z]*+(?:[-.+][0-9A-Za-z]++)*+|[-+]\d[\w.]*+))?+)"
)
_HEADED: Final = re.compile(
    rf"(?:(?P<package>@?[\w.-][\w./-]*?)(?:@|[/-](?=v\d)|:\s(?=v\d)))?{_VERSION}(?P<rest>.*)$", re.DOTALL
)
_WHOLE: Final = re.compile(r"[vV](?P<version>\d+)(?P<rest>(?:\s*$|\s*[-–—/(:,]).*)$", re.DOTALL)
_NAMED: Final = re.compile(
    rf"(?P<name>(?:[\w.&+-]+\s+){{1,3}})(?:{_VERSION}|[vV](?P<whole>\d+))(?P<rest>.*)$", re.DOTALL
)
_LEAD: Final = re.compile(
    r"(?:(?:noteworthy |major |user[- ]visible )?changes|what['’]?s new|release notes|news|changelog) (?:in|with|for|of)"
    r"(?: (?:release|version|the))?\s+",
    re.IGNORECASE,
)
_COMING: Final = re.compile(r"\b(?:in development|(?:next|upcoming) (?:release|version))\W*\Z", re.IGNORECASE)
_SAYS_RELEASE: Final = words("version release ver ver. wersja wydanie v")
_OPEN: Final = re.compile(
    r"(?:unreleased|upcoming|v?next(?: release| version)?|tbd|tba|head|main|master|development|in development|wip"
    r"|niewydane|nadchodzące)(?: changes| release| version)?(?=\s*$|\s*[-–—:/(])",
    re.IGNORECASE,
)
_SAYS_OPEN: Final = re.compile(
    r"\b(?:unreleased|not (?:yet )?released|upcoming|in development|tbd|tba|niewydan[ea])\b", re.IGNORECASE
)
_YANKED: Final = re.compile(
    r"\b(?:yanked|withdrawn|retracted|recalled|unpublished|wycofan[ae])\b|\[pulled\]|\(pulled\)",
    re.IGNORECASE,
)
_YANKED_LINE: Final = re.compile(
    r"[\W_]*(?:this (?:release|version) (?:was|has been|is|got) )?(?:yanked|withdrawn|retracted|unpublished)\b",
    re.IGNORECASE,
)
_NOT_YET: Final = re.compile(r"[\W_]*(?:unreleased|not (?:yet )?released|tbd|tba)[\W_]*$", re.IGNORECASE)
_NEVER: Final = re.compile(r"\b(?:unreleased|not (?:yet )?released|never released)\b", re.IGNORECASE)
_NOTES: Final = words(
    "release-notes releasenotes release_notes releases changelog changelogs changes whatsnew whats-new whats_new history"
)
"""Folders whose files may each be the notes of one release."""
_FILE: Final = re.compile(
    r"(?P<prefix>release[-_]?notes[-_.])?[vV]?(?P<version>\d+(?:\.\d+)+(?:[-.]?(?:alpha|beta|pre|dev|post|rc|a|b)[-.]?\d*)?)"
    r"\.(?:md|rst|txt)$",
    re.IGNORECASE,
)
_PACKAGE: Final = re.compile(r"@[\w.-]+/[\w.-]+\Z")
_ENDS: Final = re.compile(
    r"\.?\s*$|\.(?=\s*[-–—(])|\s*[-–—:/|,(\"'“]|\s+(?:\d{4}[-/.]|\d{1,2}(?:st|nd|rd|th|\.)?\s+[^\W\d_]|[^\W\d_]{3,12}\.?\s+\d{1,2}\D)"
    r"|\s+(?:yanked|unreleased|released|tagged|tb[da])\b"
    r"|\s+(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s"
    r"|\s+(?:alpha|beta|rc|preview|milestone|snapshot)(?=\W|\d|$)",
    re.IGNORECASE,
)
_STAGE: Final = re.compile(
    r"\s+(alpha|beta|rc|preview|milestone|snapshot)[ .-]?(\d{0,4})(?![\w.])", re.IGNORECASE
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
    if len(heading) > 300:
        return None
    text = " ".join(_MARKUP.sub(" ", heading).split()).removeprefix("~~")
    pulled = "[pulled]" in heading.lower()
    if not text:
        return None
    lead = _LEAD.match(text)
    if lead is not None:
        text, loose = text[lead.end() :], True
        if _COMING.search(text):
            return Release(UNRELEASED, None, yanked=False, unreleased=True)
    if text[0].isalpha():
        open_ = _OPEN.match(text)
        if open_ is not None:
            return Release(UNRELEASED, None, yanked=False, unreleased=True)
    match = _HEADED.match(text) or _WHOLE.match(text)
    if match is not None:
        package = match["package"] if match.re is _HEADED else None
        if not (loose and package is None) and not _ENDS.match(match["rest"]):
            return None
        told = _told(match["version"], match["rest"])
        return told._replace(package=package, yanked=told.yanked or pulled)
    day = day_of(text)
    date = _ISO.match(text)
    if day is not None and date is not None and _ENDS.match(text, date.end()):
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
    stage = _STAGE.match(rest)
    if stage is not None:
        version, rest = f"{version}-{stage[1].lower()}{stage[2]}", rest[stage.end() :]
    day = day_of(rest)
    undated = day is None and _DATE_LIKE.search(rest) is not None
    unreleased = (_SAYS_OPEN if day is None else _NEVER).search(rest) is not None
    day = None if unreleased else day
    return Release(version.rstrip(".-+"), day, _YANKED.search(rest) is not None, unreleased, undated)


def implied_release(path: str) -> Release | None:
    """The release that a file of release notes is about by its name alone: `docs/releases/4.2.txt`, `release-notes-1.2.md`."""
    folder, _, name = path.rpartition("/")
    match = _FILE.match(name)
    if match is None or not (match["prefix"] or folder.rpartition("/")[2].lower() in _NOTES):
        return None
    return Release(match["version"], None, yanked=False, unreleased=False)


def package_of(title: str, folder: str) -> str | None:
    """The package whose changelog a title heads: `@scope/name`, or the name of the folder that the file is in."""
    name = title.strip(" `")
    return name if _PACKAGE.match(name) or (folder and name == folder) else None


def says_unreleased(line: str) -> bool:
    """True for a line that says nothing but that a release is not out yet."""
    return _NOT_YET.match(line) is not None


def says_yanked(line: str) -> bool:
    """True for a line that begins by saying that a release was withdrawn."""
    return _YANKED_LINE.match(line) is not None


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
