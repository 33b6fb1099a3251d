"""Which tag a release of a changelog is: the same version, of the same package where both name one.

A version is compared as it is written, and failing that as the number that it is (`1.2` is `1.2.0`, `2.0.0-rc.1` is
`2.0.0rc1`). Where tags of several packages bear a version and the changelog tells by neither heading nor folder whose
it is, none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from t2c.ledger.linking.base import OBSERVED, Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record

__all__ = ["BOOK", "WHOLE", "same_number", "tagged"]

DAYS_APART: Final = 7
"""Days by which a tag may be younger or older than its release for the two dates to agree."""
WHOLE: Final = frozenset(
    (
        *(
            "doc",
            "docs",
            "documentation",
            "book",
            "manual",
            "site",
            "website",
            "content",
            "pages",
            "project",
            "meta",
        ),
        *(
            "src",
            "source",
            "en",
            "about",
            ".github",
            "news",
            "changes",
            "changelog",
            "changelogs",
            "whatsnew",
        ),
        *("releases", "release-notes", "release_notes", "releasenotes"),
    )
)
"""Folders whose changelog is that of the whole project."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_SIGNS: Final = re.compile(r"[-_.]")
_SHORT: Final = (("alpha", "a"), ("beta", "b"), ("preview", "rc"), ("pre", "rc"), ("final", ""), ("ga", ""))


def tagged(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """A release is `evidenced_by` each tag that it is, all of them on one commit.

    * Of tags with the release's version those of its package are meant; a changelog that names none speaks for the
      package whose name its folder bears, else for tags without a package, else for the only package there is.
    * Tags of several packages, or several commits, are `ambiguous_release`.
    * Versions that are only the same number are looked at where none is written alike.
    * The changelog of a part of the repository that names no package may count versions of its own, so a tag without
      a package is its release only if their dates agree; else it is `release_of_part`.
    * What is unreleased, and a release without a tag, is related to nothing and no omission.
    """
    alike: dict[str, list[Record]] = {}
    equal: dict[str, list[Record]] = {}
    for tag in corpus.tags:
        for version in tag.statement.target.versions[:1]:
            alike.setdefault(version, []).append(tag)
            equal.setdefault(same_number(version), []).append(tag)
    for release in corpus.releases:
        for version in release.statement.target.versions[:1]:
            grade = None
            found = _of_package(release, alike.get(version, ()))
            if not found:
                grade, found = "release_equivalent", _of_package(release, equal.get(same_number(version), ()))
            if len({tag.metadata.commit for tag in found}) > 1 or len({_package(tag) for tag in found}) > 1:
                names = ", ".join(sorted(tag.statement.text for tag in found)[:5])
                yield Abstention("ambiguous_release", f"{version} of {release.source.path} as {names}")
                continue
            for tag in found:
                if _is_of_part(release) and _package(tag) is None and not _dates_agree(release, tag):
                    yield Abstention("release_of_part", f"{version} of {release.source.path}")
                    break
                yield _hit(release, tag, version, grade or _grade(release, tag))


def same_number(version: str) -> str:
    """The form in which versions that differ only in spelling are one: `2.0`, `2.0.0`; `1.0.0-RC.1`, `1.0rc1`."""
    lower = version.lower().partition("+")[0]
    match = _NUMBER.match(lower)
    if match is None:
        return lower
    parts = [str(int(part)) for part in match[0].split(".")]
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    rest = _SIGNS.sub("", lower[match.end() :])
    for long, short in _SHORT:
        if rest.startswith(long):
            rest = short + rest[len(long) :]
            break
    return ".".join(parts) + ("-" + rest if rest else "")


def _of_package(release: Record, tags: Sequence[Record]) -> Sequence[Record]:
    """The tags among those of one version that the release may be."""
    if not tags:
        return tags
    package = _package(release)
    bare = [tag for tag in tags if _package(tag) is None]
    if package is not None:
        return (
            [tag for tag in tags if _package(tag) == package]
            or [tag for tag in tags if _tail(_package(tag)) == _tail(package)]
            or bare
        )
    folders = (release.source.path or "").lower().split("/")[:-1]
    folder = folders[-1] if folders else None
    hinted = [tag for tag in tags if folder is not None and _tail(_package(tag)) == folder]
    return hinted or bare or tags


def _hit(release: Record, tag: Record, version: str, grade: str) -> Hit:
    days = _days_apart(release, tag)
    dated = () if days is None else ("dates_agree",) if days <= DAYS_APART else ("dates_differ",)
    signals = (("tag", tag.statement.text), ("version", version))
    return Hit(release.id, tag.id, "evidenced_by", "release", (grade, *dated), signals)


def _is_of_part(release: Record) -> bool:
    """True for a changelog in a folder that is not one of those where a project keeps its own."""
    folders = (release.source.path or "").lower().split("/")[:-1]
    return _package(release) is None and not WHOLE.issuperset(folders)


def _dates_agree(release: Record, tag: Record) -> bool:
    days = _days_apart(release, tag)
    return days is not None and days <= DAYS_APART


def _grade(release: Record, tag: Record) -> str:
    ours, theirs = _package(release), _package(tag)
    if ours == theirs:
        return "release_version" if ours is None else "release_package"
    return "release_one_sided"


def _package(record: Record) -> str | None:
    named = record.metadata.package
    return named.lower() if isinstance(named, str) and named else None


def _tail(package: str | None) -> str | None:
    return package.rpartition("/")[2] if package else None


def _days_apart(release: Record, tag: Record) -> int | None:
    try:
        written, made = (date.fromisoformat((one.observedAt or "")[:10]) for one in (release, tag))
    except ValueError:
        return None
    return abs((written - made).days)


BOOK: Final = RuleBook(
    "release",
    tagged,
    {
        "release_package": Prior(0.97, "Heading and tag name the same version of the same package."),
        "release_version": Prior(0.95, "Heading and tag name the same version, and neither names a package."),
        "release_one_sided": Prior(
            0.85, "The version is the same, and the package is told by only one of the two or by a folder."
        ),
        "release_equivalent": Prior(0.8, "The versions are the same number, written in two ways."),
    },
    {
        "ambiguous_release": "releases whose version several tags bear, of several packages or commits",
        "release_of_part": "releases of a part of the repository whose tag cannot be told from that of the whole",
    },
    ignores=OBSERVED,
)
