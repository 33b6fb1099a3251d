"""Which commits came with which release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import strings
from t2c.projections.facts import Fact

__all__ = ["Ranges", "package"]

_CANDIDATE: Final = re.compile(r"(v?\d+(?:\.\d+)*)[-.]?(?:a|b|c|rc|alpha|beta|pre|dev|m)", re.IGNORECASE)


class _Package(msgspec.Struct, frozen=True):
    package: str | None = None


class _Packaged(msgspec.Struct, frozen=True):
    metadata: _Package


_packaged = msgspec.json.Decoder(_Packaged).decode


def package(view: View, fact: Fact) -> str | None:
    """The package that a release or a tag is of, where a repository holds several."""
    raw = view.raw.get(fact.id)
    try:
        return None if raw is None else _packaged(raw).metadata.package
    except msgspec.DecodeError:
        return None


class Ranges:
    """The commits that came with each release: those that its tag reaches and no earlier release of its changelog does.

    Tags that the changelog does not tell of, such as those of candidates, end no range.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._commits = {commit.source.revision: commit for commit in view.commits if commit.source.revision}
        self._by_changelog: dict[tuple[str | None, str | None], dict[str, tuple[str, ...]]] = {}
        self._tagged: dict[str, tuple[tuple[str | None, str | None], str]] = {}
        self._untagged: set[tuple[str | None, str | None]] = set()
        self._candidates: set[tuple[str | None, str | None, str]] = set()
        for release in view.of_kind("changelog"):
            if release.statement.kind == "changelog_release":
                self._note(release)

    def _note(self, release: Fact) -> None:
        tagged = {
            other.metadata.commit
            for link, other in self._view.facts.neighbours(release.id)
            if link.relation.type == "evidenced_by" and other.statement.kind == "git_tag_fact"
        }
        if len(tagged) == 1 and isinstance(commit := tagged.pop(), str) and commit in self._commits:
            self._tagged[release.id] = ((release.source.path, package(self._view, release)), commit)
        elif release.lifecycle.status == "released":
            self._untagged.add((release.source.path, package(self._view, release)))
        version = release.metadata.version
        if isinstance(version, str) and (candidate := _CANDIDATE.match(version)) is not None:
            self._candidates.add((release.source.path, package(self._view, release), candidate[1]))

    def of(self, release: str, *, first: bool = False) -> tuple[str, ...]:
        """Revisions, none where the range is unknown: no tag, several, or the first one of its changelog; or where
        candidates have sections of their own, since the one of the release may repeat them. With `first` the range of
        the first one reaches back to the beginning, if each release that the changelog tells of has a tag."""
        if release not in self._tagged:
            return ()
        changelog, commit = self._tagged[release]
        if (*changelog, self._view.facts.records[release].metadata.version) in self._candidates:
            return ()
        found = self._by_changelog.get(changelog)
        if found is None:
            found = self._by_changelog[changelog] = dict(self._walked(changelog))
        began = next(iter(found), None) == commit
        return () if began and (not first or changelog in self._untagged) else found.get(commit, ())

    def _walked(self, changelog: tuple[str | None, str | None]) -> Iterator[tuple[str, tuple[str, ...]]]:
        order = sorted(
            {commit for of, commit in self._tagged.values() if of == changelog},
            key=lambda commit: (-(self._commits[commit].source.commitIndex or 0), commit),
        )
        taken: set[str] = set()
        for commit in order:
            yield commit, self._reached(commit, taken)

    def _reached(self, revision: str, taken: set[str]) -> tuple[str, ...]:
        found: list[str] = []
        waiting = [revision]
        while waiting:
            at = waiting.pop()
            if at in taken or at not in self._commits:
                continue
            taken.add(at)
            found.append(at)
            waiting.extend(strings(self._commits[at].metadata.parents))
        return tuple(found)
