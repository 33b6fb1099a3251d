"""What plain methods reach: tf-idf, BM25, names in diffs, added changelog text, and their sums."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from linkbench.labels import lines_of
from linkbench.score import coverage_at
from linkbench.words import path_tokens, tokens

__all__ = ["BASELINES", "baselines"]

BASELINES = ("subject", "message", "bm25", "paths", "diff", "added", "words+paths+diff", "with added")
_Docs = Sequence[Sequence[str]]


def baselines(data: Path) -> dict[str, dict[str, float]]:
    """`name/all` over all commits and `name/range` within the version's tags → recall@1 and coverage at 95 %."""
    entries = {entry["id"]: entry for entry in lines_of(data / "entries.jsonl")}
    commits, labels = lines_of(data / "commits.jsonl"), lines_of(data / "labels.jsonl")
    diffs = {row["sha"]: row for row in lines_of(data / "diffs.jsonl")}
    versions = json.loads((data / "versions.json").read_text())
    place = {commit["sha"]: at for at, commit in enumerate(commits)}
    asked = [entries[label["entry_id"]] for label in labels]
    wanted = [{place[sha] for sha in label["commits"]} for label in labels]
    mask = np.zeros((len(asked), len(commits)), bool)
    for at, entry in enumerate(asked):
        mask[at, [place[sha] for sha in versions[entry["version"]]["range"] if sha in place]] = True
    found = _scores(
        [tokens(entry["text"]) for entry in asked], commits, [diffs.get(c["sha"], {}) for c in commits]
    )
    result: dict[str, dict[str, float]] = {}
    for name in BASELINES:
        for scope, inside in (("all", None), ("range", mask)):
            result[f"{name}/{scope}"] = _measured(found[name], wanted, inside)
    return result


def _scores(
    queries: _Docs, commits: Sequence[dict[str, Any]], diffs: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    subjects = [tokens(_title(commit)) for commit in commits]
    messages = [tokens(f"{commit['subject']}\n{commit['body']}") for commit in commits]
    names = [[token for name in diff.get("idents", {}) for token in tokens(name)] for diff in diffs]
    tests = [[token for name in diff.get("tests", {}) for token in tokens(name)] for diff in diffs]
    added = [tokens(diff.get("clog", "")) for diff in diffs]
    # Long additions, and those of commits that change nothing else, are made by a release and tell nothing.
    kept = [one if len(one) < 400 and (names[at] or tests[at]) else [] for at, one in enumerate(added)]
    found = {
        "subject": _tfidf(queries, subjects),
        "message": _tfidf(queries, messages),
        "bm25": _bm25(queries, messages),
        "paths": _bm25(queries, [sorted(set(path_tokens(commit["files"]))) for commit in commits]),
        "diff": _bm25(queries, names),
        "added": _tfidf(queries, kept),
    }
    found["words+paths+diff"] = (
        found["subject"] + 0.5 * found["message"] + 0.15 * found["paths"] + 0.25 * found["diff"]
        + 0.1 * _bm25(queries, tests)
    )  # fmt: skip
    found["with added"] = found["words+paths+diff"] + 1.5 * found["added"]
    return found


def _title(commit: dict[str, Any]) -> str:
    """The subject; of a merged pull request its branch and the title in its body."""
    subject = str(commit["subject"])
    if not subject.startswith("Merge pull"):
        return subject
    return subject.split(" from ")[-1] + " " + str(commit["body"]).split("\n")[0]


def _matrix(docs: _Docs, known: dict[str, int] | None = None) -> tuple[Any, dict[str, int]]:
    vocabulary: dict[str, int] = {} if known is None else known
    starts, columns, counts = [0], [], []
    for doc in docs:
        for token, count in Counter(doc).items():
            if known is None:
                vocabulary.setdefault(token, len(vocabulary))
            if token in vocabulary:
                columns.append(vocabulary[token])
                counts.append(count)
        starts.append(len(columns))
    shape = (len(docs), len(vocabulary))
    return sp.csr_matrix((np.array(counts, float), columns, starts), shape=shape), vocabulary


def _bm25(queries: _Docs, docs: _Docs, k1: float = 1.2, b: float = 0.6) -> Any:
    """BM25 divided by the most that the query could reach, so about 0 to 1."""
    matrix, vocabulary = _matrix(docs)
    count = matrix.shape[0]
    frequency = np.asarray((matrix > 0).sum(0)).ravel()
    rarity = np.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    lengths = np.asarray(matrix.sum(1)).ravel()
    mean = max(lengths.mean(), 1e-9)
    rows = np.repeat(np.arange(count), np.diff(matrix.indptr))
    weighted = matrix.copy()
    weighted.data = weighted.data * (k1 + 1) / (weighted.data + k1 * (1 - b + b * lengths[rows] / mean))
    asked = _matrix(queries, vocabulary)[0]
    asked.data[:] = 1
    sums = (asked.multiply(rarity).tocsr() @ weighted.T).toarray()
    most = rarity.max(initial=1)
    bound = np.array(
        [
            sum(rarity[vocabulary[token]] if token in vocabulary else most for token in set(query))
            for query in queries
        ],
        float,
    )
    return sums / np.maximum(bound, 1e-9)[:, None]


def _tfidf(queries: _Docs, docs: _Docs) -> Any:
    """Cosine of logarithmic counts; words of the query that no document has make it longer."""
    matrix, vocabulary = _matrix(docs)
    asked = _matrix(queries, vocabulary)[0]
    count = matrix.shape[0]
    rarity = np.log((1 + count) / (1 + np.asarray((matrix > 0).sum(0)).ravel())) + 1

    def normed(rows: Any, unknown: Any = 0.0) -> Any:
        rows = rows.copy()
        rows.data = 1 + np.log(rows.data)
        rows = rows.multiply(rarity).tocsr()
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(1)).ravel() + unknown)
        length[length == 0] = 1
        return sp.diags(1 / length) @ rows

    unseen = (np.log(1 + count) + 1) ** 2
    unknown = np.array(
        [sum(unseen for token in set(query) if token not in vocabulary) for query in queries], float
    )
    return (normed(asked, unknown) @ normed(matrix).T).toarray()


def _measured(scores: Any, wanted: Sequence[set[int]], inside: Any) -> dict[str, float]:
    """Recall@1 and coverage; ties are broken by a seeded draw, and confidence is score plus lead."""
    scores = scores + np.random.default_rng(0).random(scores.shape) * 1e-9
    if inside is not None:
        scores = np.where(inside, scores, -1e9)
    outcomes: list[tuple[float, bool]] = []
    for row, right in zip(scores, wanted, strict=True):
        order = np.argsort(-row)[:200]
        first = float(row[order[0]])
        is_right = int(order[0]) in right and first > -1e8
        others = (float(row[at]) for at in order[1:] if not (is_right and int(at) in right))
        second = max(next(others, 0.0), 0.0)
        sure = first + (first - second) / max(first, 1e-9) * 0.5 if first > 1e-6 else -1.0
        outcomes.append((sure, is_right))
    recall = sum(is_right for _, is_right in outcomes) / max(1, len(outcomes))
    return {"recall1": recall, "coverage95": coverage_at(outcomes)}
