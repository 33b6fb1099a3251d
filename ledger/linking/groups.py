"""The releases of each changelog with the changes that each can hold: the unit in which entries are matched.

A group is a pure function of the release's entries and of the commits up to its tag, so what was decided about an
old release stands whatever is committed or written later.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec

from t2c.ledger.linking import releases
from t2c.ledger.linking.base import Hit
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.ranges import MAX_WALK, History, version_key
from t2c.ledger.linking.releases import WHOLE

__all__ = ["WINDOW", "Group", "Span", "groups"]

MAX_WALKS: Final = 30
"""How many times the length of the history all ranges together may cost; later releases then have none."""
WINDOW: Final = 1_000
"""Changes up to a release that tell how common a word is; whole releases are taken until there are as many."""
_UNRELEASED: Final = "unreleased"
_EPOCH: Final = date(1970, 1, 1).toordinal()
_SECONDS: Final = 86_400


class Span(NamedTuple):
    """The changes of one release, in the order of the history; each is a merge and its commits, or a commit alone."""

    key: str
    digest: str
    units: tuple[tuple[Record, ...], ...]
    places: tuple[int, ...]


class Group(NamedTuple):
    """One release of one changelog: its entries, the changes in its range, and those of the releases before.

    `is_tagged` says that tags bound the range; else dates do. Groups of equal digests have equal relations.
    """

    key: str
    version: str
    digest: str
    entries: tuple[Record, ...]
    span: Span
    earlier: tuple[Span, ...]
    is_tagged: bool


class _Release(NamedTuple):
    """What is known of one version: its tagged commit's position, its day, its entries."""

    version: str
    place: int | None
    day: int | None
    entries: tuple[Record, ...]


def groups(corpus: Corpus, entries: Iterable[Record], salt: str = "") -> Iterator[Group]:
    """The releases that have any of these entries, by changelog and package, older versions first.

    A release whose range is unknown, having neither tag nor date, is left out. `salt` goes into each digest: it names
    what else the reader of a group depends on.
    """
    graph = History.of(corpus.history)
    ranges = _Ranges(graph)
    for (path, package), told in sorted(_changelogs(corpus, entries, graph).items()):
        folder = _folder(path, package)
        spans: dict[str, tuple[Span, str | None, bool] | None] = {}
        for place, release in enumerate(told):
            spans[release.version] = ranges.span(told, place, folder)
        for release in told:
            bounds = spans[release.version]
            if not release.entries or bounds is None:
                continue
            span, before, is_tagged = bounds
            earlier: list[Span] = []
            count = len(span.units)
            seen = {release.version}
            while before is not None and before not in seen and count < WINDOW:
                seen.add(before)
                if (link := spans.get(before)) is None:
                    break
                earlier.append(link[0])
                count += len(link[0].units)
                before = link[1]
            yield _group((path, package, salt), release, span, tuple(earlier), is_tagged)


def _group(
    names: tuple[str, str, str], release: _Release, span: Span, earlier: tuple[Span, ...], is_tagged: bool
) -> Group:
    digest = sha256(repr((names, release.version, is_tagged)).encode())
    for record in release.entries:
        digest.update(_content(record))
    for one in (span, *earlier):
        digest.update(one.digest.encode())
    key = "\0".join((names[0], names[1], release.version))
    return Group(key, release.version, digest.hexdigest(), release.entries, span, earlier, is_tagged)


def _changelogs(
    corpus: Corpus, entries: Iterable[Record], graph: History
) -> dict[tuple[str, str], list[_Release]]:
    """The versions of each changelog and package, older first, the unreleased last."""
    tags = {tag.id: tag for tag in corpus.tags}
    tagged: dict[str, int] = {}
    for found in releases.BOOK.find(corpus):
        if isinstance(found, Hit) and found.target in tags:
            place = graph.positions.get(_text(tags[found.target].metadata.commit))
            if place is not None:
                tagged[found.source] = max(place, tagged.get(found.source, -1))
    held: dict[tuple[str, str, str], list[Record]] = {}
    for entry in entries:
        held.setdefault(_key(entry), []).append(entry)
    known: dict[tuple[str, str], dict[str, _Release]] = {}
    for release in corpus.releases:
        path, package, version = _key(release)
        same = known.setdefault((path, package), {})
        rival = same.get(version)
        own = tuple(held.pop((path, package, version), ())) if rival is None else rival.entries
        tag = tagged.get(release.id, None if rival is None else rival.place)
        same[version] = _Release(version, tag, _day(release), own)
    for (path, package, version), own_entries in held.items():
        known.setdefault((path, package), {})[version] = _Release(version, None, None, tuple(own_entries))
    return {
        changelog: sorted(
            same.values(),
            key=lambda one: (one.version.lower() == _UNRELEASED, version_key(one.version), one.version),
        )
        for changelog, same in known.items()
    }


class _Ranges:
    """The ranges of releases, each walk of the history made once."""

    def __init__(self, graph: History) -> None:
        self.graph = graph
        self.walks: dict[tuple[tuple[int, ...], int | None], tuple[list[int], list[int]] | None] = {}
        self.contents: dict[str, bytes] = {}
        self.left = MAX_WALKS * len(graph.commits) + MAX_WALK

    def span(self, told: Sequence[_Release], at: int, folder: str) -> tuple[Span, str | None, bool] | None:
        """The range of one release, the version whose range goes before it, and whether tags bound it.

        A bound that no tag gives is taken from the next version that has one, and from the days of release.
        """
        release = told[at]
        is_open = release.version.lower() == _UNRELEASED
        lower = [one for one in reversed(told[:at]) if _counts(one, release)]
        before = lower[0] if lower else None
        begin = next((one.place for one in lower if one.place is not None), None)
        since = before.day if before is not None and before.place is None else None
        if before is not None and release.place is not None and not _are_of_one_line(before, release):
            since = None
        until = None if release.place is not None else release.day
        if release.place is not None:
            ends: tuple[int, ...] = (release.place,)
        elif begin is None and (until is None or since is None):
            return None
        else:
            higher = next((one.place for one in told[at + 1 :] if one.place is not None), None)
            ends = self.graph.heads if higher is None or until is not None else (higher,)
        places = self._places(ends, begin, since, until)
        if places is None:
            return None
        # Where a day ends the range, it is the same range whatever was committed since.
        named = () if until is not None else (self.graph.commits[end].source.revision for end in ends)
        bounds = (*named, since, until)
        start = None if begin is None else self.graph.commits[begin].source.revision
        span = self._span(f"{start}..{bounds}", places, folder)
        is_bounded = until is None and since is None and not (release.place is None and not is_open)
        return span, None if before is None else before.version, is_bounded

    def _places(
        self, ends: tuple[int, ...], begin: int | None, since: int | None, until: int | None
    ) -> list[int] | None:
        if (ends, begin) not in self.walks:
            found = self.graph.between(ends, () if begin is None else (begin,)) if self.left > 0 else None
            self.left -= len(found or ())
            by_time = sorted(found or (), key=self.graph.times.__getitem__)
            times = [self.graph.times[place] for place in by_time]
            self.walks[ends, begin] = None if found is None else (by_time, times)
        walk = self.walks[ends, begin]
        if walk is None:
            return None
        places, times = walk
        first = 0 if since is None else bisect_left(times, (since - _EPOCH) * _SECONDS)
        stop = len(times) if until is None else bisect_right(times, (until - _EPOCH + 2) * _SECONDS)
        return sorted(places[first:stop])

    def _span(self, key: str, places: Sequence[int], folder: str) -> Span:
        commits = self.graph.commits
        units = self.graph.units(places) if places else []
        if folder:
            inside = [unit for unit in units if any(_touches(commits[place], folder) for place in unit)]
            units = inside or units
        found = tuple(tuple(commits[place] for place in unit) for unit in units)
        digest = sha256(key.encode())
        for unit in found:
            digest.update(b"|")
            for record in unit:
                digest.update(self.contents.get(record.id) or self._content(record))
        return Span(f"{folder}:{key}", digest.hexdigest(), found, tuple(unit[0] for unit in units))

    def _content(self, record: Record) -> bytes:
        found = self.contents[record.id] = _content(record)
        return found


def _counts(lower: _Release, release: _Release) -> bool:
    """Whether a lower version may begin the range: a release holds what its own candidates had."""
    return _is_stable(lower.version) or not _is_stable(release.version)


def _are_of_one_line(lower: _Release, release: _Release) -> bool:
    """Whether both are patches of one minor version, and so of one line of development."""
    ours, theirs = ((*version_key(one.version)[0], 0, 0)[:2] for one in (lower, release))
    return ours == theirs


def _is_stable(version: str) -> bool:
    return version.lower() == _UNRELEASED or version_key(version)[1] == 9


def _key(record: Record) -> tuple[str, str, str]:
    return (
        record.source.path or "",
        _text(record.metadata.package),
        _text(record.metadata.version),
    )


def _folder(path: str, package: str) -> str:
    """The folder of which a changelog speaks, empty where it is the whole repository."""
    folders = path.split("/")[:-1]
    while folders and folders[-1].lower() in WHOLE:
        folders.pop()
    return "/".join(folders)


def _touches(commit: Record, folder: str) -> bool:
    return any(path.startswith(folder + "/") for path in commit.statement.target.paths)


def _day(record: Record) -> int | None:
    for written in (record.metadata.releaseDate, record.observedAt):
        try:
            return date.fromisoformat(_text(written)[:10]).toordinal()
        except ValueError:
            continue
    return None


def _content(record: Record) -> bytes:
    """A digest of the parts of a record that matching reads."""
    statement, metadata = record.statement, record.metadata
    said = (record.id, statement.text, record.text, statement.action, statement.target.paths)
    return sha256(msgspec.json.encode((said, metadata.diff, metadata.docOnly, metadata.parents))).digest()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
