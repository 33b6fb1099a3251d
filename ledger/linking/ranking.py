"""Which change an entry tells, in order, and how sure the first of them is.

A linear model orders the candidates of one entry. A second one says how likely the first is right, from how far it
leads and how well it fits by itself; a table makes that a measured probability. All numbers are fitted elsewhere and
read from one file, `parameters.json`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from t2c.ledger.linking.changes import Entry, Page
from t2c.ledger.linking.groups import Group
from t2c.ledger.linking.matching import FEATURES, Candidate, Matches, Window

__all__ = ["DECISIVE", "Parameters", "Ranking", "carrier", "decisive", "ordered", "parameters", "rank"]

DECISIVE: Final = (
    *("score", "share", "lead", "cover", "title", "note", "rivals", "in_range", "only_here"),
    *("message", "names", "unspelled"),
)
"""What the second model weighs."""
_LEAST_SHARE: Final = 1e-6
_AT: Final = {name: place for place, name in enumerate(FEATURES)}
_FILE: Final = Path(__file__).with_name("parameters.json")


class Parameters(Struct, frozen=True):
    """What was fitted: weights by the name of what they weigh, and a rising table from raw to measured probability.

    A relation is drawn from `accept` up, which held the precision `target` on repositories left out of the fit; below
    `doubt` nothing was found, between them nothing is decided.
    """

    version: str
    ranking: Mapping[str, float]
    decision: Mapping[str, float]
    calibration: Sequence[tuple[float, float]]
    accept: float
    doubt: float
    target: float
    accept_dated: float = 0.9
    """The bound where days alone tell a release's commits. It is set by judgement, for want of labels of that kind."""

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the first model in the order of FEATURES."""
        return tuple(self.ranking.get(name, 0.0) for name in FEATURES)


class Ranking(NamedTuple):
    """An entry's candidates, the best first, each one's share of the belief, and how sure the first is."""

    entry: Entry
    candidates: tuple[Candidate, ...]
    shares: tuple[float, ...]
    probability: float
    raw: float = 0.0
    """What the second model says, before the table: it tells apart what the table calls equally sure."""
    weights: Mapping[str, float] = MappingProxyType({})
    """How telling each of the entry's words is."""


@lru_cache(maxsize=1)
def parameters() -> Parameters:
    """The parameters that ship with the linker."""
    return msgspec.json.decode(_FILE.read_bytes(), type=Parameters)


def rank(group: Group, window: Window, fitted: Parameters) -> list[Ranking]:
    """Each entry of a release with its candidates ranked; an entry without candidates has probability 0."""
    found = window.matches(group)
    weights = fitted.weights
    scored = [ordered(one, weights) for one in found]
    belief: dict[int, float] = {}
    for row in scored:
        for candidate, _, share in row:
            belief[candidate.change.place] = belief.get(candidate.change.place, 0.0) + share
    return [_ranking(one, row, belief, fitted) for one, row in zip(found, scored, strict=True)]


def decisive(row: Sequence[tuple[Candidate, float, float]], belief: Mapping[int, float]) -> tuple[float, ...]:
    """What the second model weighs, in the order of DECISIVE, of candidates with score and share, best first."""
    best, score, share = row[0]
    lead = score - row[1][1] if len(row) > 1 else 6.0
    return (
        score,
        log(max(share, _LEAST_SHARE)),
        min(lead, 6.0),
        best.features[_AT["all_cover"]],
        best.features[_AT["title_cosine"]],
        max(best.features[_AT["note_cosine"]], best.features[_AT["note_cover"]]),
        log(len(row)),
        best.features[_AT["in_range"]],
        share / max(belief.get(best.change.place, share), share),
        best.features[_AT["message_cover"]],
        best.features[_AT["name_cover"]],
        best.features[_AT["unspelled"]],
    )


def ordered(one: Matches, weights: Sequence[float]) -> list[tuple[Candidate, float, float]]:
    """The candidates with score and share, the highest score first, ties in the order of the history."""
    scores = [
        sum(weight * value for weight, value in zip(weights, candidate.features, strict=True))
        for candidate in one.candidates
    ]
    top = max(scores, default=0.0)
    powers = [exp(score - top) for score in scores]
    total = sum(powers)
    row = [
        (candidate, score, power / total)
        for candidate, score, power in zip(one.candidates, scores, powers, strict=True)
    ]
    row.sort(key=lambda item: (-item[1], item[0].change.place))
    return row


def _ranking(
    one: Matches, row: list[tuple[Candidate, float, float]], belief: Mapping[int, float], fitted: Parameters
) -> Ranking:
    if not row:
        return Ranking(one.entry, (), (), 0.0)
    values = decisive(row, belief)
    score = fitted.decision.get("bias", 0.0) + sum(
        fitted.decision.get(name, 0.0) * value for name, value in zip(DECISIVE, values, strict=True)
    )
    raw = 1 / (1 + exp(-max(-30.0, min(30.0, score))))
    probability = calibrated(raw, fitted.calibration)
    return Ranking(
        one.entry,
        tuple(item[0] for item in row),
        tuple(item[2] for item in row),
        round(probability, 3),
        raw,
        one.weights,
    )


def calibrated(raw: float, table: Sequence[tuple[float, float]]) -> float:
    """The measured probability of a raw one, between the two nearest points of a rising table."""
    if not table:
        return raw
    at = bisect_right(table, raw, key=lambda point: point[0])
    if at == 0:
        return table[0][1]
    if at == len(table):
        return table[-1][1]
    (left, low), (right, high) = table[at - 1], table[at]
    return low + (high - low) * (raw - left) / (right - left) if right > left else high


def carrier(candidate: Candidate, entry: Entry) -> Page:
    """The commit of a change that carries what the entry tells.

    Of a pull request that is the commit with most of the entry's words, rather one that changes code than one that
    changes documentation or tests alone; the merge only where its commits are not known.
    """
    pages = candidate.change.pages
    if len(pages) == 1:
        return pages[0]
    apart = [page for page in pages if not page.is_merge] or list(pages)
    return max(apart, key=lambda page: (_fit(page, entry), -apart.index(page)))


def _fit(page: Page, entry: Entry) -> tuple[bool, int]:
    said = entry.tokens & (page.body | frozenset(page.title))
    touched = entry.tokens & (page.names | page.paths | page.tests)
    return bool(page.names) and not page.is_dependency, 2 * len(said) + len(touched)
