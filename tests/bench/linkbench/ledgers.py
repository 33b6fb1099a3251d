"""Scanning a number-free copy with the product, and asking the linker's ranking about its records."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from linkbench.labels import lines_of
from linkbench.score import Prediction
from t2c.ledger.linking.changes import Change
from t2c.ledger.linking.features import Corpus, read
from t2c.ledger.linking.groups import groups
from t2c.ledger.linking.matching import Matches, Window
from t2c.ledger.linking.ranking import Parameters, carrier, rank

__all__ = ["Row", "Scanned", "predictions", "rows", "scan"]


class Scanned(NamedTuple):
    """The records of one copy as the linker sees them, and the benchmark's id of each entry that it knows."""

    name: str
    data: Path
    corpus: Corpus
    entry_ids: dict[str, str]


class Row(NamedTuple):
    """One entry with its candidates and, if it is labelled, the revisions that are right."""

    group: str
    matches: Matches
    right: frozenset[str] | None

    def is_right(self, change: Change) -> bool:
        """Whether a change is among the right ones; a pull request is one answer."""
        return self.right is not None and any(
            page.record.source.revision in self.right for page in change.pages
        )


def scan(name: str, data: Path, *, again: bool = True) -> Scanned:
    """Scan `data/repo` with this product, or take the scan that is there."""
    copy = data / "repo"
    found = copy / ".t2c/projections/records/records.jsonl"
    if again or not found.exists():
        shutil.rmtree(copy / ".t2c", ignore_errors=True)
        for verb in ("init", "scan"):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "t2c.cli", verb],
                cwd=copy,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"t2c {verb} in {copy}: {done.stdout[-500:]}{done.stderr[-500:]}")
    at = {(entry["path"], entry["line"]): entry["id"] for entry in lines_of(data / "entries.jsonl")}
    bodies: list[bytes] = []
    entry_ids: dict[str, str] = {}
    with found.open("rb") as lines:
        for line in lines:
            body = json.loads(line)
            if body["source"]["kind"] not in ("changelog", "git"):
                continue
            bodies.append(line)
            place = (body["source"]["path"], (body["source"]["lines"] or {}).get("start"))
            if body["statement"]["kind"] == "changelog_entry" and place in at:
                entry_ids[body["id"]] = at[place]
    return Scanned(name, data, read(bodies), entry_ids)


def rows(of: Scanned) -> Iterator[Row]:
    """Every entry of the copy with its measured candidates."""
    right = _right(of)
    window = Window()
    for group in groups(of.corpus, [entry.record for entry in of.corpus.entries]):
        for one in window.matches(group):
            yield Row(group.key, one, right.get(of.entry_ids.get(one.entry.record.id, "")))


def predictions(of: Scanned, fitted: Parameters) -> Iterator[Prediction]:
    """What the linker's ranking says of each entry that the benchmark knows."""
    window = Window()
    for group in groups(of.corpus, [entry.record for entry in of.corpus.entries]):
        for ranking in rank(group, window, fitted):
            entry_id = of.entry_ids.get(ranking.entry.record.id)
            if entry_id is None:
                continue
            chosen = [carrier(candidate, ranking.entry).record for candidate in ranking.candidates]
            files: list[str] = []
            for candidate in ranking.candidates[:2]:
                files += _files(candidate.change, ranking.entry.tokens)
            yield Prediction(
                entry_id,
                [record.source.revision or "" for record in chosen],
                files,
                ranking.probability,
                ranking.probability >= fitted.accept,
                ranking.raw,
            )


def _files(change: Change, words: frozenset[str]) -> list[str]:
    """The changed files of a change, those first whose paths have the entry's words, tests and texts last."""
    from linkbench.words import is_source
    from t2c.ledger.linking.tokens import path_tokens

    paths = {path for page in change.pages for path in page.record.statement.target.paths}
    return sorted(
        paths, key=lambda path: (not is_source(path), -len(words.intersection(path_tokens(path))), path)
    )


def _right(of: Scanned) -> dict[str, frozenset[str]]:
    copies = json.loads((of.data / "shamap.json").read_text())
    return {
        label["entry_id"]: frozenset(copies[sha] for sha in label["commits"] if sha in copies)
        for label in lines_of(of.data / "labels.jsonl")
    }
