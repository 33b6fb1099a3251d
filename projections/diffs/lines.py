"""Which lines of two texts are the same ones: Myers O(ND), bounded, so that no input costs quadratic time.

Lines that the other side does not hold can match nothing, so they are set aside before anything is compared. What is
left is compared by Myers, which finds the fewest edits. Where these are too many, lines that stand once on both sides
are anchors, and between them Myers goes on, a limited number of edits at a time, from the furthest place it has reached.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Final, NamedTuple

__all__ = ["LEAST_COMPARED", "MOST_COMPARED", "Matched", "matched", "normal_lines"]

MOST_COMPARED: Final = 4000
"""Lines of both sides, beside their common beginning and end, that are compared one by one by default."""
LEAST_COMPARED: Final = 64
_MOST_EDITS: Final = 1000
"""Edits that Myers looks for: half a million steps at most."""
_EDITS_BETWEEN: Final = 200
"""The same between two anchors: steps in proportion to the lines, then."""

Pairs = list[tuple[int, int]]


class Matched(NamedTuple):
    """Indices of lines that are the same ones, rising on both sides.

    `truncated` is True if the middle was too long to be compared, and counts as replaced as a whole.
    """

    pairs: Pairs
    truncated: bool


def normal_lines(text: str) -> list[str]:
    """The lines of a text: CRLF and CR count as LF, and a final one ends the last line (intent-evidence §5.3)."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def matched(before: Sequence[str], after: Sequence[str], most: int = MOST_COMPARED) -> Matched:
    """Match the lines of two texts. `most` bounds the lines compared, beside common beginning and end."""
    start, end = _ends(before, after)
    pairs = [(at, at) for at in range(start)]
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    truncated = bool(old and new) and len(old) + len(new) > max(LEAST_COMPARED, most)
    if old and new and not truncated:
        pairs += [(start + i, start + j) for i, j in _middle(old, new)]
    pairs += [(len(before) - at, len(after) - at) for at in range(end, 0, -1)]
    return Matched(pairs, truncated)


def _middle(before: Sequence[str], after: Sequence[str]) -> Pairs:
    """Matches of two texts that differ in their first and in their last line."""
    shared = set(before).intersection(after)
    numbers = dict(zip(sorted(shared), count()))
    old = [(at, numbers[line]) for at, line in enumerate(before) if line in shared]
    new = [(at, numbers[line]) for at, line in enumerate(after) if line in shared]
    a, b = [number for _, number in old], [number for _, number in new]
    found, reached = _myers(a, b, _MOST_EDITS)
    if reached != (len(a), len(b)):
        found = _anchored(a, b)
    return [(old[i][0], new[j][0]) for i, j in found]


def _myers(a: Sequence[int], b: Sequence[int], most: int) -> tuple[Pairs, tuple[int, int]]:
    """The greedy algorithm with its trace kept: matches, and the place up to which they are told.

    That is the end of both sides, or the furthest place that `most` edits reach.
    """
    n, m = len(a), len(b)
    last = min(n + m, most)
    furthest = [0] * (2 * last + 3)
    centre = len(furthest) // 2
    trace: list[list[int]] = []
    for edits in range(last + 1):
        for k in _diagonals(edits, n, m):
            at = centre + k
            down = k == -edits or (k != edits and furthest[at - 1] < furthest[at + 1])
            x = furthest[at + 1] if down else furthest[at - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            furthest[at] = x
            if x >= n and y >= m:
                return _walked_back(trace, n, m), (n, m)
        if edits < last:
            trace.append(furthest[centre - edits - 1 : centre + edits + 2])
    ends = ((furthest[centre + k], furthest[centre + k] - k) for k in _diagonals(last, n, m))
    reached = max((x + y, x, y) for x, y in ends if x <= n and 0 <= y <= m)[1:]
    return _walked_back(trace, *reached), reached


def _diagonals(edits: int, n: int, m: int) -> range:
    """Those that so many edits reach; the ones that have left the table on either side lead nowhere."""
    return range(2 * max(0, edits - m) - edits, edits - 2 * max(0, edits - n) + 1, 2)


def _walked_back(trace: Sequence[Sequence[int]], x: int, y: int) -> Pairs:
    """The matches on the way that was found, from its end."""
    pairs: Pairs = []
    for edits in range(len(trace), 0, -1):
        # Of the round before: what stood on diagonal k is at k + edits, since a round keeps one more on each side.
        former, k = trace[edits - 1], x - y
        at = k + edits
        down = k == -edits or (k != edits and former[at - 1] < former[at + 1])
        came_x = former[at + 1] if down else former[at - 1]
        came_y = came_x - (k + 1 if down else k - 1)
        start = came_x if down else came_x + 1
        while x > start:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = came_x, came_y
    while x > 0 and y > 0:
        x, y = x - 1, y - 1
        pairs.append((x, y))
    pairs.reverse()
    return pairs


def _anchored(a: Sequence[int], b: Sequence[int]) -> Pairs:
    """The longest rising chain of lines that stand once on both sides, and what touches it and is the same.

    Of several chains as long, the same one whichever side comes first: so there and back count the same lines.
    """
    if list(b) < list(a):
        return [(x, y) for y, x in _chained(b, a)]
    return _chained(a, b)


def _chained(a: Sequence[int], b: Sequence[int]) -> Pairs:
    once_a, once_b = ({item for item, seen in Counter(side).items() if seen == 1} for side in (a, b))
    anchors = once_a & once_b
    place = {item: at for at, item in enumerate(b) if item in anchors}
    chain = _rising([(at, place[item]) for at, item in enumerate(a) if item in anchors])
    pairs: Pairs = []
    next_x = next_y = 0
    for x, y in [*chain, (len(a), len(b))]:
        pairs += [(next_x + i, next_y + j) for i, j in _between(a[next_x:x], b[next_y:y])]
        if x < len(a):
            pairs.append((x, y))
        next_x, next_y = x + 1, y + 1
    return pairs


def _between(a: Sequence[int], b: Sequence[int]) -> Pairs:
    """Matches of what stands between two anchors."""
    pairs: Pairs = []
    x = y = 0
    while x < len(a) and y < len(b):
        found, (further_x, further_y) = _myers(a[x:], b[y:], _EDITS_BETWEEN)
        pairs += [(x + i, y + j) for i, j in found]
        x, y = x + further_x, y + further_y
    return pairs


def _ends(a: Sequence[object], b: Sequence[object]) -> tuple[int, int]:
    """How many items are the same at the beginning, and of the others at the end."""
    size = min(len(a), len(b))
    start = next((at for at in range(size) if a[at] != b[at]), size)
    end = next((at for at in range(size - start) if a[-1 - at] != b[-1 - at]), size - start)
    return start, end


def _rising(points: Pairs) -> Pairs:
    """The longest chain of points that rises on both sides; `points` rise on the first."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, y) in enumerate(points):
        place = bisect_left(ends, y)
        before.append(last[place - 1] if place else -1)
        if place == len(ends):
            ends.append(y)
            last.append(at)
        else:
            ends[place], last[place] = y, at
    chain: Pairs = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(points[at])
        at = before[at]
    chain.reverse()
    return chain
