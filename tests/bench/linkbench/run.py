"""How often the commit that a changelog entry describes is found, end to end, next to plain methods in the same run.

    python tests/bench/linkbench/run.py MIRRORS [--data DIR] [--json FILE] [--scanned] [NAME ...]

MIRRORS holds bare repositories, `OWNER+NAME/repo`; repositories.json lists them. Each is labelled, stripped of all
numbers, rewritten, scanned with this product, and its ranking is scored as it ships (`shipped`) and with parameters
fitted on the other repositories alone (`left out`), which is the honest figure. Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from linkbench.baselines import baselines
from linkbench.fitting import Table, chosen, folds, parameters_of, table_of
from linkbench.ledgers import Scanned, predictions, rows, scan
from linkbench.prepare import prepared, repositories
from linkbench.score import Score, as_json, score
from t2c.ledger.linking.ranking import parameters

RIVALS = ("words+paths+diff", "with added")
SIGNALS: dict[str, tuple[str, ...]] = {
    "subject": (
        "title_cover", "title_cosine", "title_precise", "title_pairs", "title_same", "top_title", "lead_title",
        "own_title",
    ),
    "body": ("body_cover", "message_cover", "top_message", "lead_message", "own_message"),
    "paths": ("path_cover",),
    "names in the diff": ("name_cover", "top_name", "diff_only_cover", "all_cover"),
    "tests in the diff": ("test_cover", "test_only"),
    "names spelled as code": ("spelled", "unspelled", "top_spelled"),
    "added changelog text": (
        "note_cover", "note_cosine", "note_same", "note_focus", "note_alone", "note_first", "top_note", "lead_note", "own_note",
    ),
    "release range": ("in_range", "late"),
    "kind of change": ("chore", "dependency", "documentation", "same_action", "pull_request", "revert", "wordless"),
    "other entries": ("own_title", "own_message", "own_note"),
}  # fmt: skip
"""What is taken away in turn, and the measures that go with it."""


def main() -> int:
    """Measure and print; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these repositories")
    parser.add_argument("--data", type=Path, default=Path(".bench/linkbench"), help="where folders are built")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--scanned", action="store_true", help="take the scans that are there")
    parser.add_argument("--no-ablation", action="store_true")
    given = parser.parse_args()
    scans = [
        scan(one.name, prepared(one, given.mirrors, given.data), again=not given.scanned)
        for one in repositories(tuple(given.names))
    ]
    held = [list(rows(one)) for one in scans]
    tables = [table_of(one.name, found) for one, found in zip(scans, held, strict=True)]
    shipped = {one.name: score(one.data, list(predictions(one, parameters()))) for one in scans}
    honest = _left_out(scans, tables) if len(scans) > 1 else shipped
    rivals = {one.name: baselines(one.data) for one in scans}
    _print_repositories(scans, honest, shipped, rivals)
    bars = _bars(list(honest.values()), rivals)
    for told, reached, asked in bars:
        print(f"{told}: {reached:.3f}, to beat: {asked:.3f} {'' if reached > asked else 'MISSED'}")
    without = {} if given.no_ablation or len(scans) < 2 else _ablated(scans, held)
    for signal, recall in without.items():
        print(f"without {signal}: recall@1 {recall:.3f}")
    if given.json:
        figures: dict[str, Any] = {
            "repositories": {
                one.name: {
                    "left_out": as_json(honest[one.name]),
                    "shipped": as_json(shipped[one.name]),
                    "baselines": rivals[one.name],
                }
                for one in scans
            },
            "bars": [{"what": told, "reached": reached, "to_beat": asked} for told, reached, asked in bars],
            "without": without,
        }
        given.json.write_text(json.dumps(figures, indent=1) + "\n")
    # Bars are set for all repositories; of a few, the others have too little to teach.
    return int(not given.names and any(reached <= asked for _, reached, asked in bars))


def _left_out(scans: Sequence[Scanned], tables: Sequence[Table]) -> dict[str, Score]:
    """Scores with parameters, bounds included, that the repository itself had no part in."""
    left_out = folds(tables)
    found: dict[str, Score] = {}
    for one, fold in zip(scans, left_out, strict=True):
        others = [other for other in left_out if other is not fold]
        fitted = parameters_of(fold.ranking, fold.decision, others, "left out")
        found[one.name] = score(one.data, list(predictions(one, fitted)))
    return found


def _ablated(scans: Sequence[Scanned], held: Sequence[Any]) -> dict[str, float]:
    """Macro recall@1, left out, without each signal."""
    found: dict[str, float] = {}
    for signal, without in SIGNALS.items():
        tables = [table_of(one.name, rows_, without) for one, rows_ in zip(scans, held, strict=True)]
        labels = [sum(1 for _ in (one.data / "labels.jsonl").open()) for one in scans]
        found[signal] = fmean(right / count for right, count in zip(chosen(tables), labels, strict=True))
    return found


def _print_repositories(
    scans: Sequence[Scanned], honest: dict[str, Score], shipped: dict[str, Score], rivals: dict[str, Any]
) -> None:
    print(
        "| repository | n | recall@1 | shipped | rivals in range | cov@95 | rivals | decided | right | calibration | file@5 |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for one in scans:
        mine, theirs = honest[one.name], rivals[one.name]
        recalls = " / ".join(f"{theirs[name + '/range']['recall1']:.2f}" for name in RIVALS)
        covers = " / ".join(f"{theirs[name + '/range']['coverage95']:.2f}" for name in RIVALS)
        print(
            f"| {one.name} | {mine.entries} | {_shown(mine.recall1)} | {_shown(shipped[one.name].recall1)} | {recalls} "
            f"| {mine.coverage95:.2f} | {covers} | {_shown(mine.accepted)} | {_shown(mine.accepted_precision)} "
            f"| {_shown(mine.calibration_error)} | {_shown(mine.file_hit5)} |"
        )


def _bars(scores: Sequence[Score], rivals: dict[str, Any]) -> list[tuple[str, float, float]]:
    """What was reached on the mean of repositories, and what it has to beat."""

    def best(figure: str) -> float:
        names = {name for one in rivals.values() for name in one if name.endswith("/range")}
        return max(fmean(one[name][figure] for one in rivals.values()) for name in names)

    pooled = [outcome for one in scores for outcome in one.outcomes]
    accepted = [right for _, right, is_accepted in pooled if is_accepted]
    error = fmean(one.calibration_error or 0 for one in scores)
    return [
        ("recall@1, mean of repositories, against the best plain method", fmean(one.recall1 or 0 for one in scores), best("recall1")),
        ("recall@1, mean of repositories", fmean(one.recall1 or 0 for one in scores), 0.90),
        ("share decidable at 95 %, mean of repositories", fmean(one.coverage95 for one in scores), best("coverage95")),
        ("share decided, mean of repositories", fmean(one.accepted or 0 for one in scores), 0.80),
        ("precision of what was decided, mean of repositories", fmean(one.accepted_precision or 0 for one in scores), 0.95),
        ("precision of what was decided, all entries", sum(accepted) / max(1, len(accepted)), 0.95),
        ("1 - calibration error, mean of repositories", 1 - error, 0.90),
    ]  # fmt: skip


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
