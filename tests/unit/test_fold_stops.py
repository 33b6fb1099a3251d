"""One reading that stops at several events gives what a fold up to each of them gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from t2c.ledger.errors import Usage
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.read import JournalFile
from t2c.projections.fold import fold, fold_at
from t2c.projections.registry import ALL


class Counting(JournalFile):
    """A journal that counts the events that were read from it."""

    read = 0

    def entries(self, after: Position | None = None, until: int | None = None) -> Iterator[Entry]:
        for entry in super().entries(after, until):
            self.read += 1
            yield entry


@pytest.fixture
def told(chain: Any) -> Any:
    """A journal with records, relations, a run, and events that no view can use."""
    chain.add("run.started", {"verb": "scan", "requested_by": "human:a", "tool": "t", "revision": None,
                              "branch": None, "options": {}}, run="r")  # fmt: skip
    first, second = chain.todo("one"), chain.todo("two", line=2)
    chain.add("weather.changed", {"x": 1})
    chain.link(first, second)
    chain.add("record.observed", {"record": {"id": 5}})
    chain.commit("a" * 40, "Fix it")
    chain.withheld("observation.noted")
    chain.add("run.finished", {"status": "succeeded", "appended": {}, "detail": None}, run="r")
    return chain


def made(folded: Any) -> Any:
    artifacts = {
        name: {file: body if isinstance(body, bytes) else b"".join(body) for file, body in files.items()}
        for name in ALL
        for files in (folded.artifacts(name),)
    }
    return (
        artifacts, folded.position, folded.ts, folded.faults, folded.fault_counts, folded.unknown,
        folded.withheld, folded.states,
    )  # fmt: skip


def test_each_stop_is_the_fold_up_to_it(told: Any) -> None:
    journal = Counting(told.path)
    seqs = [9, 2, 5, 5, 1, told.seq]
    found = 0
    for folded, seq in zip(fold_at(journal, ALL, ALL, seqs), sorted(set(seqs)), strict=True):
        assert made(folded) == made(fold(told.journal, ALL, ALL, until=seq))
        found += 1
    assert found == 5
    assert journal.read == told.seq  # once, and no event twice


def test_no_stop_reads_nothing(told: Any) -> None:
    assert list(fold_at(told.journal, ALL, ALL, [])) == []


@pytest.mark.parametrize("seq", [0, 99])
def test_a_stop_that_is_no_event_is_refused(told: Any, seq: int) -> None:
    with pytest.raises(Usage):
        list(fold_at(told.journal, ALL, ALL, [seq]))
