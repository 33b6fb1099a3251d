"""The difference between two moments is the difference between two folds, whichever moments they are."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.cli.actions.context import Context
from t2c.cli.actions.diff import DiffResult, diff
from t2c.cli.settings import load
from t2c.ledger.events.base import Span
from t2c.ledger.events.evidence import Move, RecordMoved, RecordRetracted
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.clock import SystemClock
from t2c.projections.fold import fold
from t2c.projections.records import RecordsProjection, StandingRecords

Records = dict[str, dict[str, Any]]
STEPS = st.lists(
    st.tuples(st.sampled_from(("observe", "done", "move", "retract", "note")), st.integers(0, 1)),
    min_size=4,
    max_size=9,
)


def written(chain: Any, steps: list[tuple[str, int]]) -> None:
    """A journal of these steps; each number is one record, whose events may come in any order."""
    ids: dict[int, str] = {}
    for line, (step, number) in enumerate(steps, 1):
        if step in ("observe", "done"):
            ids[number] = chain.todo(f"item {number}", line=line, done=step == "done")
        elif number in ids and step == "move":
            move = Move(id=ids[number], lines=Span(start=line, end=line + 1))
            chain.add("record.moved", RecordMoved(source="todo", path="TODO.md", moves=(move,)).encode())
        elif number in ids and step == "retract":
            gone = RecordRetracted(id=ids[number], why="absent", superseded_by=None)
            chain.add("record.retracted", gone.encode())
        else:
            chain.add("observation.noted", {"statement": "x"})


def stands(journal: JournalFile, seq: int) -> dict[str, dict[str, Any]]:
    """Every record as of an event, by the projection."""
    if seq == 0:
        return {}
    folded = fold(journal, {"records": RecordsProjection()}, ["records"], until=seq)
    return {identity: json.loads(raw) for identity, raw in StandingRecords(folded.states["records"])}


def bare(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "source": {**record["source"], "lines": None}}


@given(STEPS)
@settings(max_examples=25)
def test_it_is_the_difference_of_two_folds_whichever_moments_are_compared(
    new_journal: Any, steps: list[tuple[str, int]]
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        chain = new_journal(root / ".t2c" / "journal.ndjson")
        written(chain, steps)
        context = Context(root, root, load(root, {}), SystemClock(), lambda *_: None)
        states = [stands(chain.journal, seq) for seq in range(chain.seq + 1)]
        for a, b in product(range(chain.seq + 1), repeat=2):
            agrees(diff(context, str(a), str(b)), a, b, states[a], states[b])


def agrees(found: DiffResult, a: int, b: int, old: Records, new: Records) -> None:
    """The difference is the one between what stood then and what stands now."""

    def ids(kind: str) -> set[str]:
        return {row["id"] for row in found.records[kind]}

    both = old.keys() & new.keys()
    assert ids("added") == new.keys() - old.keys()
    assert ids("retracted") == old.keys() - new.keys()
    assert ids("changed") == {one for one in both if bare(old[one]) != bare(new[one])}
    assert ids("moved") == {one for one in both if old[one]["source"]["lines"] != new[one]["source"]["lines"]}
    for row in found.records["added"]:
        assert row["text"] == new[row["id"]]["statement"]["text"]
        assert row["status"] == new[row["id"]]["lifecycle"]["status"]
    for row in found.records["changed"]:
        fields = {field["field"]: (field["before"], field["after"]) for field in row["fields"]}
        assert fields["lifecycle.status"] == tuple(
            state[row["id"]]["lifecycle"]["status"] for state in (old, new)
        )
    assert sum(found.events.values()) == abs(a - b)
    assert sum(sum(types.values()) for types in found.actors.values()) == abs(a - b)
    assert found.reversed == (a > b)
