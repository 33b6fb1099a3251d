"""Which commits a release can hold: those that its tag has and the tag of the release before it has not.

The history is a graph; positions in it are topological, so a parent's is always smaller than its child's. A range
costs what it holds and what lies beside it since both tags parted, never the whole history.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush
from typing import Final

from msgspec import Struct

from t2c.ledger.linking.features import Record

__all__ = ["MAX_WALK", "History", "version_key"]

MAX_WALK: Final = 50_000
"""Commits that one range may cost; beyond it the release is taken to have none."""
MAX_MEMBERS: Final = 40
"""Commits of one pull request; a merge of more brings a branch, not a change."""
_BRANCH_MERGE: Final = re.compile(
    r"merge (?:remote-tracking |remote )?(?:branch|branches|tag|commit)\b|merge remote", re.IGNORECASE
)
_VERSION: Final = re.compile(
    r"\d{1,9}(?:\.\d{1,9})*|(?<![a-z])(?:alpha|beta|preview|pre|rc|dev|a|b|c)(?![a-z])", re.IGNORECASE
)
_STAGES: Final = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "pre": 3, "preview": 3, "rc": 3, "c": 3}
_RELEASED: Final = 9


def version_key(version: str) -> tuple[tuple[int, ...], int, int]:
    """A key in the order of versions: numbers, then the stage before a release, then the stage's number."""
    numbers: tuple[int, ...] = ()
    stage, count = _RELEASED, 0
    for part in _VERSION.findall(version.partition("+")[0]):
        if not part[0].isdigit():
            stage = _STAGES[part.lower()]
        elif numbers:
            count = int(part.partition(".")[0])
        else:
            numbers = tuple(map(int, part.split(".")))
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers, stage, count if stage != _RELEASED else 0


class History(Struct, frozen=True):
    """Commits in topological order, older ones first, with the positions of their known parents.

    `times` are seconds since 1970 of the committer's clock, 0 where unknown; `heads` have no child.
    """

    commits: Sequence[Record]
    parents: Sequence[tuple[int, ...]]
    times: Sequence[int]
    positions: dict[str, int]
    heads: tuple[int, ...]

    @classmethod
    def of(cls, history: Iterable[Record]) -> History:
        """Order commits so that parents come first, and else by time and revision."""
        by_revision = {commit.source.revision: commit for commit in history if commit.source.revision}
        known = {
            revision: tuple(parent for parent in _parents(commit) if parent in by_revision)
            for revision, commit in by_revision.items()
        }
        children: dict[str, list[str]] = {}
        for revision, parents in known.items():
            for parent in parents:
                children.setdefault(parent, []).append(revision)
        times = {revision: _seconds(commit) for revision, commit in by_revision.items()}
        missing = {revision: len(parents) for revision, parents in known.items()}
        ready = [(times[revision], revision) for revision, count in missing.items() if not count]
        heapify(ready)
        order: list[str] = []
        while ready:
            _, revision = heappop(ready)
            order.append(revision)
            for child in children.get(revision, ()):
                missing[child] -= 1
                if not missing[child]:
                    heappush(ready, (times[child], child))
        positions = {revision: place for place, revision in enumerate(order)}
        return cls(
            commits=[by_revision[revision] for revision in order],
            parents=[tuple(positions[parent] for parent in known[revision]) for revision in order],
            times=[times[revision] for revision in order],
            positions=positions,
            heads=tuple(positions[revision] for revision in order if revision not in children),
        )

    def between(self, ends: Iterable[int], begins: Iterable[int]) -> list[int] | None:
        """Positions of `ends` and their ancestors without `begins` and theirs, ascending.

        None where that would cost more than MAX_WALK.
        """
        wanted = dict.fromkeys(ends, True)
        wanted.update(dict.fromkeys(begins, False))
        pending = sum(wanted.values())
        queue = [-place for place in wanted]
        heapify(queue)
        found: list[int] = []
        while pending:
            place = -heappop(queue)
            is_wanted = wanted[place]
            if is_wanted:
                found.append(place)
                pending -= 1
            for parent in self.parents[place]:
                before = wanted.get(parent)
                if before is None:
                    wanted[parent] = is_wanted
                    pending += is_wanted
                    heappush(queue, -parent)
                elif before and not is_wanted:
                    wanted[parent] = False
                    pending -= 1
            if len(wanted) > MAX_WALK:
                return None
        found.reverse()
        return found

    def units(self, places: Sequence[int]) -> list[tuple[int, ...]]:
        """Split a range into changes: a merge of a pull request with what it merged, any other commit alone.

        The merge comes first in its unit. Units are in the order of their last position. A merge of a branch,
        which brings changes made and merged elsewhere, stands alone, and so do they.
        """
        inside = set(places)
        lines = self._lines(places, inside)
        of_merge: dict[int, tuple[int, ...]] = {}
        taken: set[int] = set()
        for place in places:
            if place in lines and self._merges_pull_request(place):
                members = self._members(place, inside, lines, taken)
                if 0 < len(members) <= MAX_MEMBERS:
                    of_merge[place] = (place, *members)
                    taken.update(members)
        return [of_merge.get(place, (place,)) for place in places if place not in taken]

    def _lines(self, places: Sequence[int], inside: set[int]) -> set[int]:
        """The commits of the lines of development: first parents, and those of merged branches."""
        lines: set[int] = set()
        starts = [*places[-1:], *(place for place in self.heads if place in inside)]
        while starts:
            place = starts.pop()
            while place in inside and place not in lines:
                lines.add(place)
                parents = self.parents[place]
                if not parents:
                    break
                if len(parents) > 1 and not self._merges_pull_request(place):
                    starts += parents[1:]
                place = next(iter(parents))
        return lines

    def _members(self, merge: int, inside: set[int], lines: set[int], taken: set[int]) -> list[int]:
        found: set[int] = set()
        stack = list(self.parents[merge][1:])
        while stack and len(found) <= MAX_MEMBERS:
            place = stack.pop()
            if place in inside and place not in lines and place not in taken and place not in found:
                found.add(place)
                stack += self.parents[place]
        return sorted(found)

    def _merges_pull_request(self, place: int) -> bool:
        return len(self.parents[place]) == 2 and not _BRANCH_MERGE.match(self.commits[place].statement.text)


def _parents(commit: Record) -> tuple[str, ...]:
    named = commit.metadata.parents
    if not isinstance(named, list):
        return ()
    return tuple(dict.fromkeys(parent for parent in named if isinstance(parent, str)))


def _seconds(commit: Record) -> int:
    for when in (commit.metadata.committedAt, commit.observedAt):
        if isinstance(when, str):
            try:
                moment = datetime.fromisoformat(when)
                return max(0, int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()))
            except (ValueError, OverflowError):
                continue
    return 0
