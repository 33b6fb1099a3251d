"""The order of commits, newest first, as far as their records tell it."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

__all__ = ["Commit", "commit_order", "instant"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER: Final = -(10**18)


class Commit(NamedTuple):
    """A commit as its record tells it; `committed_at` is RFC 3339 with any offset, or None if unknown."""

    parents: tuple[str, ...]
    committed_at: str | None


def commit_order(commits: Mapping[str, Commit]) -> dict[str, int]:
    """Places from 1 (newest): by time of commit, then by revision, but no commit before its children.

    Times that cannot be read count as the oldest. Parents outside `commits` do not matter. Commits whose
    parents form a circle, which no real history has, come last.
    """
    children = dict.fromkeys(commits, 0)
    for commit in commits.values():
        for parent in set(commit.parents):
            if parent in children:
                children[parent] += 1
    rank = {revision: (-_instant(commit.committed_at), revision) for revision, commit in commits.items()}
    ready = [rank[revision] for revision, count in children.items() if count == 0]
    heapq.heapify(ready)
    order: dict[str, int] = {}
    while ready:
        _, revision = heapq.heappop(ready)
        order[revision] = len(order) + 1
        for parent in set(commits[revision].parents):
            if parent in children:
                children[parent] -= 1
                if children[parent] == 0:
                    heapq.heappush(ready, rank[parent])
    for _, revision in sorted(rank[revision] for revision in commits.keys() - order.keys()):
        order[revision] = len(order) + 1
    return order


def instant(text: str | None) -> datetime | None:
    """An RFC 3339 time in UTC, which is also meant where no offset is given; None if it cannot be read."""
    try:
        found = datetime.fromisoformat(text or "")
        return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _instant(text: str | None) -> int:
    """Microseconds since 1970, or a number below all others."""
    found = instant(text)
    return _NEVER if found is None else (found - _EPOCH) // timedelta(microseconds=1)
