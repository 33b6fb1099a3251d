"""Scores of predictions against the labels of one repository."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linkbench.labels import lines_of

__all__ = ["Prediction", "Score", "coverage_at", "score"]


class Prediction(NamedTuple):
    """For one entry: commits and files, best first; how sure the first commit is; whether it was related."""

    entry_id: str
    commits: Sequence[str]
    files: Sequence[str] = ()
    confidence: float = 0.0
    accepted: bool = False
    order: float = 0.0
    """Tells apart predictions of one confidence."""


class Score(NamedTuple):
    """What was reached; ratios are null where nothing was asked.

    `calibration_error` is the mean distance between confidence and share right, over ten bins of confidence.
    """

    entries: int
    recall1: float | None
    recall5: float | None
    mrr: float | None
    accepted: float | None
    accepted_precision: float | None
    coverage95: float
    calibration_error: float | None
    file_entries: int
    file_hit1: float | None
    file_hit5: float | None
    outcomes: tuple[tuple[float, bool, bool], ...]
    """Of each entry: confidence, right, accepted."""


def score(data: Path, predictions: Sequence[Prediction]) -> Score:
    """Compare; revisions may be those of the copy. An entry without a prediction counts as wrong and abstained."""
    said = {one.entry_id: one for one in predictions}
    back: dict[str, str] = {}
    if (data / "shamap.json").exists():
        back = {copy: original for original, copy in json.loads((data / "shamap.json").read_text()).items()}
    labels = lines_of(data / "labels.jsonl")
    outcomes: list[tuple[float, bool, bool]] = []
    sure: list[tuple[float, bool]] = []
    ranks: list[int | None] = []
    hits: list[int | None] = []
    for label in labels:
        one = said.get(label["entry_id"], Prediction(label["entry_id"], ()))
        commits = list(dict.fromkeys(back.get(sha, sha) for sha in one.commits))
        rank = _rank(commits, set(label["commits"]))
        ranks.append(rank)
        outcomes.append((one.confidence if commits else 0.0, rank == 1, one.accepted and bool(commits)))
        sure.append((one.confidence + one.order * 1e-6 if commits else 0.0, rank == 1))
        if label["files_head"]:
            hits.append(_rank(list(dict.fromkeys(one.files)), set(label["files_head"])))
    right = [is_right for _, is_right, accepted in outcomes if accepted]
    return Score(
        entries=len(labels),
        recall1=ratio(sum(rank == 1 for rank in ranks), len(ranks)),
        recall5=ratio(sum(rank is not None and rank <= 5 for rank in ranks), len(ranks)),
        mrr=ratio(sum(1 / rank for rank in ranks if rank), len(ranks)),
        accepted=ratio(len(right), len(labels)),
        accepted_precision=ratio(sum(right), len(right)),
        coverage95=coverage_at(sure),
        calibration_error=_calibration_error(outcomes),
        file_entries=len(hits),
        file_hit1=ratio(sum(rank == 1 for rank in hits), len(hits)),
        file_hit5=ratio(sum(rank is not None and rank <= 5 for rank in hits), len(hits)),
        outcomes=tuple(outcomes),
    )


def coverage_at(outcomes: Sequence[tuple[float, bool]], precision: float = 0.95) -> float:
    """The largest share of entries, the surest first, that is right at this precision."""
    order = sorted(outcomes, key=lambda one: -one[0])
    right, best = 0, 0
    for count, (_, is_right) in enumerate(order, 1):
        right += is_right
        if right >= precision * count:
            best = count
    return best / len(order) if order else 0.0


def ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _rank(found: Sequence[str], wanted: set[str]) -> int | None:
    return next((place for place, one in enumerate(found, 1) if one in wanted), None)


def _calibration_error(outcomes: Sequence[tuple[float, bool, bool]]) -> float | None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, is_right, _ in outcomes:
        bins.setdefault(min(9, int(sure * 10)), []).append((sure, is_right))
    error: float = 0
    for held in bins.values():
        error += abs(sum(sure for sure, _ in held) - sum(is_right for _, is_right in held))
    return ratio(error, len(outcomes))


def as_json(found: Score) -> dict[str, Any]:
    """All figures, without the outcome of each entry."""
    shown = found._asdict()
    shown.pop("outcomes")
    return shown
