"""The order of proposed tasks: each after what it waits for, the more urgent first (intent-evidence §7.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

__all__ = ["Cycle", "Waiting", "ordered"]


class Waiting(NamedTuple):
    """A task, how urgent it is, and what it waits for."""

    id: str
    priority: str
    dependencies: tuple[str, ...]


class Cycle(ValueError):
    """Tasks that wait for one another; `ids` are all that can never become ready."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(f"tasks wait for one another: {', '.join(ids)}")
        self.ids = tuple(ids)


def ordered(tasks: Sequence[Waiting]) -> tuple[str, ...]:
    """Kahn's order; of those that are ready the one from P0 to P3, then by id. Raises Cycle, KeyError for an unknown id."""
    known: Mapping[str, Waiting] = {task.id: task for task in tasks}
    left = {task.id: len(set(task.dependencies)) for task in tasks}
    after: dict[str, list[str]] = {task.id: [] for task in tasks}
    for task in tasks:
        for dependency in set(task.dependencies):
            after[dependency].append(task.id)
    ready = [(known[one].priority, one) for one, count in left.items() if count == 0]
    heapify(ready)
    found: list[str] = []
    while ready:
        _, one = heappop(ready)
        found.append(one)
        for other in after[one]:
            left[other] -= 1
            if left[other] == 0:
                heappush(ready, (known[other].priority, other))
    if len(found) < len(known):
        raise Cycle(sorted(known.keys() - set(found)))
    return tuple(found)
