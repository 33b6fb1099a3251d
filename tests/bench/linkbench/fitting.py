"""Fitting the linker's parameters: a ranking, a decision, and a table from raw to measured probability.

Each part is fitted on labelled repositories; whatever is said about how well it does comes from repositories that were
left out of the fit, one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from linkbench.ledgers import Row
from t2c.ledger.linking.matching import FEATURES
from t2c.ledger.linking.ranking import DECISIVE, Parameters, calibrated, decisive

__all__ = ["Fold", "Table", "fitted", "folds", "table_of"]

TARGET = 0.95
_PENALTY = 0.5
_SEARCH = {"maxiter": 500, "ftol": 1e-8}
_DECISION_PENALTY = 1e-3
_MISSING = 10
"""One in so many entries is taken to have no commit. Labels cannot show such: each is shown without its commit, too."""
_RELATIVE = (
    ("title_cosine", "top_title", "lead_title"), ("message_cover", "top_message", "lead_message"),
    ("name_cover", "top_name", None), ("note_cover", "top_note", "lead_note"), ("spelled", "top_spelled", None),
)  # fmt: skip
_AT = {name: place for place, name in enumerate(FEATURES)}


class Table(NamedTuple):
    """All pairs of one repository: measures, whether right; `starts` and `counts` say which pairs each row has."""

    name: str
    rows: Sequence[Row]
    values: Any
    right: Any
    starts: Any
    counts: Any
    wrong: Sequence[tuple[list[int], Any]]
    """Of each row the pairs that are not right, and their measures as if there were no others."""


class Fold(NamedTuple):
    """One repository left out: the parameters that the others ask for, and of each labelled entry the raw probability
    of the first candidate and whether it is right. `missing` is the same of entries whose commit was taken away: a
    right answer does not exist."""

    name: str
    ranking: Any
    decision: Any
    raw: Sequence[tuple[float, bool]]
    missing: Sequence[tuple[float, bool]]

    @property
    def mixed(self) -> list[tuple[float, bool]]:
        """All labelled entries, and one in _MISSING that has no commit, as among entries without labels."""
        return [*self.raw, *self.missing[::_MISSING]]


def table_of(name: str, found: Sequence[Row], without: Sequence[str] = ()) -> Table:
    """The pairs of a repository's rows that have a candidate; features named in `without` are blanked."""
    rows = [row for row in found if row.matches.candidates]
    pairs = [(row, candidate) for row in rows for candidate in row.matches.candidates]
    counts = np.array([len(row.matches.candidates) for row in rows], int)
    values = np.array([candidate.features for _, candidate in pairs], float).reshape(-1, len(FEATURES))
    for name_ in without:
        values[:, _AT[name_]] = 0
    right = np.array([row.is_right(candidate.change) for row, candidate in pairs], float)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int)
    wrong: list[tuple[list[int], Any]] = []
    for row, start, count in zip(rows, starts, counts, strict=True):
        places = [
            place for place in range(start, start + count) if row.right is not None and not right[place]
        ]
        wrong.append((places, _relative(values[places]) if places else None))
    return Table(name, rows, values, right, starts, counts, wrong)


def folds(tables: Sequence[Table]) -> list[Fold]:
    """Each repository judged by what the others taught."""
    found: list[Fold] = []
    near = _ranking(tables)
    for left_out in tables:
        others = [table for table in tables if table is not left_out]
        ranking = _ranking(others, near)
        decision = _decision(others, ranking)
        raw = _raw(left_out, ranking, decision)
        missing = _raw(left_out, ranking, decision, hidden=True)
        found.append(Fold(left_out.name, ranking, decision, raw, missing))
    return found


def fitted(tables: Sequence[Table], left_out: Sequence[Fold], version: str) -> Parameters:
    """Weights from all tables; the table of probabilities and the bounds from repositories left out of the fit."""
    ranking = _ranking(tables)
    return parameters_of(ranking, _decision(tables, ranking), left_out, version)


def parameters_of(
    ranking: Any, decision: Any, left_out: Sequence[Fold], version: str, target: float = TARGET
) -> Parameters:
    """Parameters of two models, with a table and bounds that other repositories ask for."""
    calibration = _rising([one for fold in left_out for one in fold.mixed])
    measured = {
        fold.name: [(round(calibrated(raw, calibration), 3), right) for raw, right in fold.mixed]
        for fold in left_out
    }
    return Parameters(
        version=version,
        ranking=dict(zip(FEATURES, np.round(ranking, 3).tolist(), strict=True)),
        decision=dict(zip(("bias", *DECISIVE), np.round(decision, 3).tolist(), strict=True)),
        calibration=calibration,
        accept=_accept(measured, target),
        doubt=0.3,
        target=target,
    )


def chosen(tables: Sequence[Table]) -> list[int]:
    """Of each repository how many entries have the right change first, by what the others taught."""
    found: list[int] = []
    near = _ranking(tables)
    for left_out in tables:
        ranking = _ranking([table for table in tables if table is not left_out], near)
        found.append(sum(right for _, right in _firsts(left_out, ranking)))
    return found


def _ranking(tables: Sequence[Table], near: Any = None) -> Any:
    """Weights under which the right change has most of an entry's belief; a large repository counts as its root.

    There is one best answer, so it does not matter how `near` to it the search starts.
    """
    values, right, counts, weights = [], [], [], []
    for table in tables:
        has_answer = np.add.reduceat(table.right, table.starts) > 0
        kept = np.repeat(has_answer, table.counts)
        values.append(table.values[kept])
        right.append(table.right[kept])
        counts.append(table.counts[has_answer])
        weights.append(np.full(has_answer.sum(), 10 / max(1, has_answer.sum()) ** 0.5))
    x, y = np.vstack(values), np.concatenate(right)
    count, weight = np.concatenate(counts), np.concatenate(weights)
    start = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(int)

    def loss(w: Any) -> tuple[float, Any]:
        scores = x @ w
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, start), count))
        total, good = np.add.reduceat(powers, start), np.add.reduceat(powers * y, start)
        gradient = np.repeat(weight, count) * (
            powers / np.repeat(total, count) - powers * y / np.repeat(good, count)
        )
        return -(weight * np.log(good / total)).sum() + _PENALTY * w @ w, x.T @ gradient + 2 * _PENALTY * w

    return minimize(
        loss, np.zeros(x.shape[1]) if near is None else near, jac=True, method="L-BFGS-B", options=_SEARCH
    ).x


def _decision(tables: Sequence[Table], ranking: Any) -> Any:
    """A bias and weights that say whether the first candidate is right."""
    values, right, weights = [], [], []
    for table in tables:
        for hidden, share in ((False, 1.0), (True, 1 / _MISSING)):
            shown = _firsts(table, ranking, hidden=hidden)
            values += [one[0] for one in shown]
            right += [one[1] for one in shown]
            weights += [share * 10 / max(1, len(shown)) ** 0.5] * len(shown)
    x = np.column_stack([np.ones(len(values)), np.array(values, float)])
    y, weight = np.array(right, float), np.array(weights)

    def loss(w: Any) -> tuple[float, Any]:
        scores = x @ w
        chance = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
        value = (weight * (np.logaddexp(0, scores) - y * scores)).sum()
        return value + _DECISION_PENALTY * w @ w, x.T @ (weight * (chance - y)) + 2 * _DECISION_PENALTY * w

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options=_SEARCH).x


def _raw(table: Table, ranking: Any, decision: Any, *, hidden: bool = False) -> list[tuple[float, bool]]:
    return [
        (float(1 / (1 + np.exp(-np.clip(decision[0] + np.dot(decision[1:], values), -30, 30)))), right)
        for values, right in _firsts(table, ranking, hidden=hidden)
    ]


def _firsts(table: Table, ranking: Any, *, hidden: bool = False) -> list[tuple[tuple[float, ...], bool]]:
    """What decides about the first candidate of each labelled entry, and whether it is right.

    With `hidden` the right candidates are taken away, so that none is.
    """
    scores = table.values @ ranking
    tops = np.repeat(np.maximum.reduceat(scores, table.starts), table.counts)
    powers = np.exp(scores - tops)
    shares = powers / np.repeat(np.add.reduceat(powers, table.starts), table.counts)
    belief: dict[tuple[str, int], float] = {}
    for row, start, count in zip(table.rows, table.starts, table.counts, strict=True):
        own = shares[start : start + count].tolist()
        for share, candidate in zip(own, row.matches.candidates, strict=True):
            key = (row.group, candidate.change.place)
            belief[key] = belief.get(key, 0.0) + share
    found: list[tuple[tuple[float, ...], bool]] = []
    for at, (row, start, count) in enumerate(zip(table.rows, table.starts, table.counts, strict=True)):
        if row.right is None:
            continue
        places = list(range(start, start + count))
        near, near_shares = scores, shares
        if hidden:
            places, alone = table.wrong[at]
            if not places:
                continue
            near = dict(zip(places, (alone @ ranking).tolist(), strict=True))
            top = max(near.values())
            total = sum(np.exp(score - top) for score in near.values())
            near_shares = {place: float(np.exp(score - top) / total) for place, score in near.items()}
        order = sorted(places, key=lambda place: (-near[place], place))
        listed = [
            (row.matches.candidates[place - start], float(near[place]), float(near_shares[place]))
            for place in order
        ]
        in_group = {
            candidate.change.place: belief[row.group, candidate.change.place]
            for candidate in row.matches.candidates
        }
        found.append((decisive(listed, in_group), bool(table.right[order[0]]) and not hidden))
    return found


def _relative(values: Any) -> Any:
    """Measures among candidates, taken anew for those that are left."""
    values = values.copy()
    for measure, top, lead in _RELATIVE:
        column = values[:, _AT[measure]]
        best = column.max()
        values[:, _AT[top]] = column / best if best > 0 else 0.0
        if lead is not None:
            second = np.partition(column, -2)[-2] if len(column) > 1 else 0.0
            values[:, _AT[lead]] = column - np.where(column < best, best, second)
    return values


def _rising(outcomes: Sequence[tuple[float, bool]], least: int = 25) -> list[tuple[float, float]]:
    """The rising table that fits best: the mean of what neighbours say wherever it would fall."""
    pools: list[list[float]] = []
    order = sorted(outcomes)
    for at in range(0, len(order), least):
        part = order[at : at + least]
        pools.append([sum(raw for raw, _ in part), float(sum(right for _, right in part)), float(len(part))])
        while len(pools) > 1 and pools[-2][1] * pools[-1][2] >= pools[-1][1] * pools[-2][2]:
            last = pools.pop()
            pools[-1] = [mine + its for mine, its in zip(pools[-1], last, strict=True)]
    return [(round(raw / count, 4), round(min(right / count, 0.99), 4)) for raw, right, count in pools]


def _accept(measured: Mapping[str, Sequence[tuple[float, bool]]], target: float) -> float:
    """The lowest bound at which what is accepted is right to the target, over all and on the mean of repositories."""
    bounds = sorted({sure for held in measured.values() for sure, _ in held})
    for bound in bounds:
        accepted = [[right for sure, right in held if sure >= bound] for held in measured.values()]
        shares = [sum(held) / len(held) for held in accepted if held]
        right, count = sum(map(sum, accepted)), sum(map(len, accepted))
        if right >= target * count and sum(shares) >= target * len(shares):
            return bound
    return 1.0
