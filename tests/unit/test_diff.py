"""What a difference shows of records that moved, came back, or are of another shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.changes import differences, same_content
from t2c.cli.actions.context import Context
from t2c.cli.actions.diff import DiffResult, diff
from t2c.cli.settings import load
from t2c.ledger.kernel.clock import SystemClock


@pytest.fixture
def compare(chain: Any) -> Any:
    """The difference between two moments of `chain`."""
    root: Path = chain.path.parents[1]
    context = Context(root, root, load(root, {}), SystemClock(), lambda *_: None)

    def compared(a: int, b: int) -> DiffResult:
        return diff(context, str(a), str(b))

    return compared


def move(chain: Any, identity: str, start: int, end: int) -> None:
    lines = {"start": start, "end": end}
    chain.add(
        "record.moved", {"source": "todo", "path": "TODO.md", "moves": [{"id": identity, "lines": lines}]}
    )


def test_a_move_shows_both_places_and_nothing_else(chain: Any, compare: Any) -> None:
    identity = chain.todo("one", line=3)
    then = chain.seq
    move(chain, identity, 7, 8)
    found = compare(then, chain.seq)
    (row,) = found.records["moved"]
    assert (row["id"], row["from"], row["lines"], row["text"]) == (identity, (3, 3), (7, 8), "one")
    assert not found.records["changed"] and not found.records["added"]


def test_what_came_back_shows_nothing(chain: Any, compare: Any) -> None:
    first = chain.todo("one", line=3)
    second = chain.todo("two", line=4)
    relation = chain.link(first, second)
    then = chain.seq
    move(chain, first, 7, 7)
    move(chain, first, 3, 3)
    chain.todo("two", line=4, done=True)
    chain.todo("two", line=4)
    chain.add("relation.unlinked", {"id": relation, "why": "signal_gone"})
    chain.link(first, second)
    chain.add("record.retracted", {"id": first, "why": "absent", "superseded_by": None})
    chain.todo("one", line=3)
    found = compare(then, chain.seq)
    shown = [*found.records.values(), *found.relations.values(), *found.omissions.values()]
    assert all(not rows for rows in shown)
    assert sum(found.events.values()) == 8


def test_relations_and_omissions_that_read_otherwise_show_both_readings(chain: Any, compare: Any) -> None:
    omission = {"source": "git", "path": None, "reason": "shallow", "count": 1, "lines": [], "detail": ""}
    first, second = chain.todo("one"), chain.todo("two", line=2)
    chain.link(first, second, confidence=0.5)
    chain.add("omission.noted", omission)
    then = chain.seq
    chain.link(first, second, confidence=0.9)
    chain.add("omission.noted", {**omission, "count": 5})
    there, back = compare(then, chain.seq), compare(chain.seq, then)
    (row,) = there.relations["relinked"]
    assert (row["former"]["confidence"], row["confidence"]) == (0.5, 0.9)
    (row,) = back.relations["relinked"]
    assert (row["former"]["confidence"], row["confidence"]) == (0.9, 0.5)
    (row,) = there.omissions["changed"]
    assert (row["former"]["count"], row["count"]) == (1, 5)
    chain.add("omission.cleared", {"source": "git", "path": None, "reason": "shallow"})
    (row,) = compare(then, chain.seq).omissions["cleared"]
    assert row["count"] == 1


def test_records_without_the_members_of_their_type_are_compared_as_they_are() -> None:
    bare = {"id": "x", "source": {"lines": None}}
    assert same_content(bare, dict(bare))
    assert not same_content(bare, {**bare, "extra": 1})
    assert differences(bare, {**bare, "extra": 1}) == [{"field": "extra", "before": None, "after": 1}]


def test_a_record_of_another_shape_is_shown_by_its_id(chain: Any, compare: Any) -> None:
    identity = "INT-TODO-" + "0" * 20
    chain.add("record.observed", {"record": {"id": identity, "source": {"lines": None}}})
    (row,) = compare(1, chain.seq).records["added"]
    assert (row["id"], row["text"], row["path"]) == (identity, None, None)
