"""A moment is what people write for it: a seq, a time, a checkpoint, an event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, since
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.journal import CheckpointSigned
from t2c.ledger.journal.merkle import root_of
from t2c.ledger.journal.note import Checkpoint
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.kernel.digests import leaf_hash

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


class Place:
    """A ledger with one event an hour: seq 1 at noon of 2026-01-05, seq 2 an hour later, up to seq 6."""

    def __init__(self, root: Path, note: Callable[..., Any]) -> None:
        from t2c.ledger.engine import create

        self.clock = FixedClock(NOON)
        self.workspace = root / ".t2c"
        create(self.workspace, clock=self.clock)
        with Ledger(self.workspace, clock=self.clock) as ledger:
            for hour in range(1, 6):
                self.clock.instant = NOON + timedelta(hours=hour)
                ledger.append([note(f"hour {hour}")])
        self.context = Context(root, root, load(root, {}), self.clock, lambda *_: None)

    def open(self) -> Ledger:
        return Ledger(self.workspace, clock=self.clock)

    def seq(self, text: str, **options: bool) -> int:
        with self.open() as ledger:
            return resolve(self.context, ledger, text, **options).seq

    def first(self, text: str, **options: bool) -> int:
        """The first seq that stands since then."""
        with self.open() as ledger:
            return since(self.context, ledger, text, **options).seq + 1

    def checkpoint(self, size: int) -> Checkpoint:
        with self.open() as ledger:
            leaves = [bytes.fromhex(leaf_hash(line[:-1])) for _, line, _ in ledger.journal.lines(until=size)]
            return Checkpoint(f"t2c/{ledger.id()}", size, root_of(leaves))


@pytest.fixture
def place(tmp_path: Path, note: Callable[..., Any]) -> Place:
    return Place(tmp_path, note)


@pytest.mark.parametrize(
    ("text", "at", "first"),
    [
        ("1", 1, 1),
        ("6", 6, 6),
        ("head", 6, 6),
        ("2026-01-05T13:00:00.000Z", 2, 2),
        ("2026-01-05T13:00:00.001Z", 2, 3),
        ("2026-01-05T13:00:00.0001Z", 2, 3),
        ("2026-01-05T12:59:59.999Z", 1, 2),
        ("2026-01-05T12:59:59.999999999Z", 1, 2),
        ("2026-01-05t14:00z", 3, 3),
        ("2026-01-05 14:00", 3, 3),
        ("2026-01-05T16:00+02:00", 3, 3),
        ("2026-01-05T11:30:00-03:30", 4, 4),
        ("2026-01-05", 6, 1),
        ("now", 6, 6),
        ("0s", 6, 6),
        ("90m", 4, 5),
        ("2h", 4, 4),
        ("7200s", 4, 4),
    ],
)
def test_a_moment_in_words(place: Place, text: str, at: int, first: int) -> None:
    """Up to and with an instant for what stands then, from it on for what came since."""
    assert (place.seq(text), place.first(text)) == (at, first)


def test_a_date_is_its_end_and_since_a_date_its_beginning(place: Place, note: Any) -> None:
    place.clock.instant = datetime(2026, 1, 5, 23, 59, 59, 999_999, tzinfo=UTC)
    with place.open() as ledger:
        ledger.append([note("last of the day")])
    place.clock.instant = datetime(2026, 1, 6, tzinfo=UTC)
    with place.open() as ledger:
        ledger.append([note("first of the next")])
    assert place.seq("2026-01-05") == 7
    assert place.first("2026-01-06") == 8


def test_an_event_is_the_moment_after_it(place: Place) -> None:
    with place.open() as ledger:
        ids = [entry.id for entry in ledger.entries()]
        moment = resolve(place.context, ledger, ids[2])
        assert (moment.seq, moment.ts) == (3, "2026-01-05T14:00:00.000Z")
        assert moment.position == ledger.journal.position(3)
    assert place.seq(ids[2], cached=False) == 3
    assert place.first(ids[2]) == 3


def test_without_the_cache_nothing_is_written(place: Place) -> None:
    with place.open() as ledger:
        last = [entry.id for entry in ledger.entries()][-1]
    cache = place.workspace / "cache"
    before = sorted(cache.rglob("*"))
    with place.open() as ledger:
        resolve(place.context, ledger, last, cached=False)
    assert sorted(cache.rglob("*")) == before


def test_before_the_first_event_stands_nothing(place: Place) -> None:
    assert place.seq("0", start=True) == 0
    assert place.seq("2020-01-01", start=True) == 0
    assert place.seq("99999999w", start=True) == 0
    assert place.first("99999999w") == 1
    for text in ("0", "2020-01-01", "2026-01-05T11:59:59.999Z", "99999999w"):
        with pytest.raises(Usage):
            place.seq(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "7", "999999999999999999", "9" * 5000, "-1", "+1", "1.0", "\u0661", "yesterday", "2026-13-01",
        "2026-02-30", "2026-01-05T24:00", "2026-01-05T10:00:60Z", "2026-01-05T10:00+99:00", "2026-01-05T10",
        "0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "EVT-" + "0" * 20, "EVT-1", "checkpoint:",
        "checkpoint:latest", "checkpoint:3", "checkpoint:x", "a\0b", "\udc80", ".", "/", "x" * 300, "no/such/file",
        "/dev/null", "5x", "1h30m",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_what_is(place: Place, text: str) -> None:
    for ask in (place.seq, place.first):
        with pytest.raises(Usage) as refusal:
            ask(text)
        assert refusal.value.remedy


def test_since_goes_one_beyond_the_head_for_those_who_wait(place: Place) -> None:
    assert place.first("7", beyond=True) == 7
    with pytest.raises(Usage, match="from 1 to 6"):
        place.first("8", beyond=True)


def test_a_checkpoint_file_is_the_moment_that_it_vouches_for(place: Place, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text(place.checkpoint(4).body())
    assert place.seq("kept") == place.seq(str(kept)) == place.seq("./kept") == 4
    assert place.first("kept") == 5


def test_a_checkpoint_may_lie_outside_the_root(place: Place, tmp_path_factory: Any) -> None:
    kept = tmp_path_factory.mktemp("elsewhere") / "kept"
    kept.write_text(place.checkpoint(2).body())
    assert place.seq(str(kept)) == 2


def test_a_checkpoint_that_does_not_fit_is_damage(place: Place, tmp_path: Path) -> None:
    good = place.checkpoint(4)
    for wrong, word in ((good._replace(size=3), "differs"), (good._replace(size=9), "missing")):
        (tmp_path / "kept").write_text(wrong.body())
        with pytest.raises(Corrupt, match=word):
            place.seq("kept")


def test_a_checkpoint_of_another_ledger_is_a_wrong_argument(place: Place, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(place.checkpoint(4)._replace(origin="t2c/" + "0" * 32).body())
    with pytest.raises(Usage, match="another ledger"):
        place.seq("kept")
    (tmp_path / "kept").write_text(place.checkpoint(4).body() + "cut")
    with pytest.raises(Usage, match="no checkpoint"):
        place.seq("kept")


def test_checkpoints_that_the_journal_records_are_named_by_size_or_as_the_latest(place: Place) -> None:
    for size in (2, 5):
        checkpoint = place.checkpoint(size)
        signed = CheckpointSigned(size=size, root=checkpoint.root.hex(), key="k", note=checkpoint.body())
        with place.open() as ledger:
            ledger.append([draft(signed)])
    assert place.seq("checkpoint:latest") == place.seq("checkpoint:5") == 5
    assert place.seq("checkpoint:2") == 2
    assert place.first("checkpoint:2") == 3


def test_a_checkpoint_that_was_taken_in_vouches_for_another_chain(place: Place) -> None:
    """The branch that it was signed on is not this one, so its root cannot fit."""
    ours = place.checkpoint(2)
    there = ours._replace(size=3, root=bytes(32))
    former = {"id": "EVT-" + "0" * 20, "ledger": ours.ledger, "prev": "0" * 64, "seq": 4}
    origin = canonical({**former, "hash": "1" * 64, "ts": "2026-01-05T12:00:00.000Z"})
    for checkpoint, came in ((ours, None), (there, origin)):
        note = checkpoint.body()
        made = draft(CheckpointSigned(size=checkpoint.size, root=checkpoint.root.hex(), key="k", note=note))
        with place.open() as ledger:
            ledger.append([replace(made, origin=came)])
    assert place.seq("checkpoint:latest") == 2
    with pytest.raises(Usage, match="of size 3"):
        place.seq("checkpoint:3")


def test_a_ledger_without_a_whole_first_event_is_damaged(place: Place) -> None:
    journal = place.workspace / "journal.ndjson"
    journal.write_bytes(journal.read_bytes()[:40])
    for text in ("1", "now", "2026-01-05", "head"):
        with pytest.raises(T2cError) as error:
            place.seq(text)
        assert isinstance(error.value, Corrupt)
