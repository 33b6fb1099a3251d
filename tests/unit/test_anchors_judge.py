"""Claims: what anchors show together is told apart, a mismatch before anything missing, and faults are not called loss.

Mutations seen to fail: an anchor beyond the end taken for a fork; an old state that came back called cut off; anchors
beyond a fault compared; the state at the end compared by size alone.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from t2c.ledger.anchors.base import Anchor, judge
from t2c.ledger.journal.note import Checkpoint, origin_of
from t2c.ledger.journal.proofs import EMPTY_ROOT


def root(size: int, history: str = "ours") -> bytes:
    return sha256(f"{history} {size}".encode()).digest() if size else EMPTY_ROOT


def anchor(size: int, history: str = "ours", strength: str = "given") -> Anchor:
    checkpoint = Checkpoint(origin_of("0" * 32), size, root(size, history))
    return Anchor(f"{history}-{size}.txt", checkpoint, checkpoint.body(), strength)


@pytest.mark.parametrize(
    ("anchors", "verdict", "missing"),
    [
        ([], "sound", 0),
        ([anchor(4)], "sound", 0),
        ([anchor(4), anchor(10)], "sound", 0),
        ([anchor(0)], "sound", 0),
        ([anchor(12)], "truncated", 2),
        ([anchor(4), anchor(11), anchor(15)], "truncated", 5),
        ([anchor(10), anchor(12)], "rolled_back", 2),
        ([anchor(10, "theirs"), anchor(12)], "forked", 2),
        ([anchor(4), anchor(8, "theirs")], "forked", 0),
        ([anchor(8, "theirs"), anchor(10)], "forked", 0),
        ([anchor(0, "theirs")._replace(checkpoint=Checkpoint("t2c/x", 0, bytes(32)))], "forked", 0),
    ],
)
def test_the_verdicts(anchors: list[Anchor], verdict: str, missing: int) -> None:
    judged = judge(anchors, 10, root)
    assert (judged.verdict, judged.missing) == (verdict, missing)
    assert bool(judged.sentences) == (verdict != "sound")


def test_a_fork_is_said_to_lie_between_what_fits_and_what_does_not() -> None:
    judged = judge([anchor(9, "theirs"), anchor(3), anchor(5), anchor(12)], 10, root)
    assert judged.sentences[0].startswith("the journal is not the one that theirs-9.txt vouches for")
    assert "after seq 5, where ours-5.txt still fits, and by seq 9" in judged.sentences[0]
    assert "2 events are missing at the end" in judged.sentences[1]
    assert [found.checkpoint.size for found in judged.fitting] == [3, 5]
    first = judge([anchor(9, "theirs")], 10, root)
    assert "it differs by seq 9 at the latest" in first.sentences[0]


def test_the_journal_is_not_asked_for_roots_that_it_does_not_have() -> None:
    asked: list[int] = []

    def root_at(size: int) -> bytes:
        asked.append(size)
        return root(size)

    judge([anchor(0), anchor(3), anchor(8), anchor(20)], 10, root_at, faultless=5)
    assert asked == [3]


def test_what_lies_beyond_a_fault_is_damage_and_no_fork() -> None:
    judged = judge([anchor(3), anchor(8, "theirs")], 10, root, faultless=5)
    assert judged.verdict == "sound"
    assert [found.checkpoint.size for found in judged.unjudged] == [8]


def test_what_is_gone_behind_a_fault_is_gone() -> None:
    assert judge([anchor(12)], 10, root, faultless=5).verdict == "truncated"
    assert judge([anchor(12)], 10, root, faultless=5, damaged_end=True).verdict == "sound"


def test_an_old_state_that_came_back_with_what_its_checkpoint_left_behind_it() -> None:
    assert judge([anchor(9), anchor(14)], 10, root).verdict == "truncated"
    assert judge([anchor(9), anchor(14)], 10, root, end=9).verdict == "rolled_back"
    assert judge([anchor(8), anchor(14)], 10, root, end=9).verdict == "truncated"
    assert judge([anchor(14)], 0, root, end=0).verdict == "truncated"
