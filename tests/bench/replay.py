"""What a cold replay costs: against `eventsourcing`, and a fold of records against parsing alone.

    python tests/bench/replay.py [--quick] [--rounds N] [--rows GLOB]

All figures are events a CPU second. `replay-aggregate` and `replay-mapper` fold events of about 700 bytes into a state
of fixed size; the peer reads an aggregate back from SQLite, or runs its mapper over its notification log.
`replay-records` folds records of 1.2 KB and is compared with `orjson.loads` of each line and nothing else, both with
the collector off.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from common import (
    BENCH,
    Asked,
    NotHere,
    Row,
    alone,
    alternate,
    cached,
    cpu,
    files,
    noted,
    recorded,
    statement,
)
from total import PROJECTIONS, Total

from t2c.ledger.engine import Ledger
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

EVENTS = 100_000
PEER_EVENTS = 20_000
RECORDS = 50_000


def totalled(place: Path, events: int) -> None:
    """Fold a whole journal into a state of fixed size."""
    state = fold(Ledger(place).journal, PROJECTIONS, ["total"]).states["total"]
    assert isinstance(state, Total)
    assert state.count == events - 1


def against_eventsourcing(asked: Asked) -> Iterator[Row]:
    """Both ways in which the library replays, against one of ours."""
    events, peer_events = asked.size(EVENTS), asked.size(PEER_EVENTS)
    aggregate, mapper, size = _peer(peer_events)
    place = noted(events)
    cached(files(place))
    ours, first, second = alternate(asked.rounds, lambda: totalled(place, events), aggregate, mapper)
    rate = events / cpu(ours)
    for name, theirs, what, must, aim in (
        ("replay-aggregate", first, "repository.get of one aggregate", ">= 10", ">= 19"),
        ("replay-mapper", second, "mapper over the notification log", ">= 4", ">= 7"),
    ):
        peer = peer_events / cpu(theirs)
        yield Row(
            name,
            f"cold replay of {events:,} events of 700 bytes, state of fixed size",
            f"eventsourcing on SQLite, {what}, {peer_events:,} events of {size:.0f} bytes",
            rate / peer,
            must=must,
            aim=aim,
            ours=f"{rate:,.0f} events per CPU s",
            theirs=f"{peer:,.0f} events per CPU s",
        )


def _peer(events: int) -> tuple[Callable[[], object], Callable[[], object], float]:
    """Two replays of an aggregate of the `eventsourcing` library, and the mean bytes of its stored events."""
    try:
        from eventsourcing.application import Application
        from eventsourcing.domain import Aggregate, event
    except ImportError:
        raise NotHere("eventsourcing is not installed (pip install --group bench)") from None

    class Account(Aggregate):
        @event("Opened")
        def __init__(self, name: str) -> None:
            self.name = name
            self.total = 0

        @event("Posted")
        def post(self, number: int, statement: str, run: str, actor: str) -> None:
            self.total += number

    # The library finds classes again by their module and name.
    globals()["Account"] = Account
    Account.__qualname__ = "Account"
    for inner in (Account.Opened, Account.Posted):  # type: ignore[attr-defined]
        inner.__qualname__ = f"Account.{inner.__name__}"

    shutil.rmtree(BENCH / "eventsourcing", ignore_errors=True)
    (BENCH / "eventsourcing").mkdir()
    place = BENCH / "eventsourcing" / "replay.db"
    app: Any = Application(env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(place)})
    account = Account("main")
    for first in range(0, events, 1000):
        for number in range(first, first + 1000):
            account.post(number, statement(number), "20260105T100000Z-0123abcd", "helper:t2c")
        app.save(account)

    def aggregate() -> None:
        assert app.repository.get(account.id).total == sum(range(events))

    def mapper() -> None:
        total, start = 0, 1
        while page := app.recorder.select_notifications(start=start, limit=1000):
            for item in page:
                total += getattr(app.mapper.to_domain_event(item), "number", 0)
            start = page[-1].id + 1
        assert total == sum(range(events))

    stored = app.recorder.select_notifications(start=2, limit=100)
    return aggregate, mapper, sum(len(item.state) for item in stored) / len(stored)


def against_parsing(asked: Asked) -> Iterator[Row]:
    """The fold of `records` against parsing every line of the same journal; also with the graph."""
    records = asked.size(RECORDS)
    place = recorded(records)
    paths = files(place)
    cached(paths)
    until = records + 1

    def parse() -> None:
        gc.disable()
        left = until
        for path in paths:
            with open(path, "rb", buffering=1 << 18) as lines:
                for line in lines:
                    orjson.loads(line)
                    left -= 1
                    if not left:
                        break
        gc.enable()

    def ours() -> None:
        gc.disable()
        state = fold(Ledger(place).journal, ALL, ["records"], until=until).states["records"]
        assert len(state.live) == records
        gc.enable()

    floor, folded = alternate(asked.rounds, parse, ours)
    size = sum(len(raw) for raw in _some_records(place)) / 100
    yield Row(
        "replay-records",
        f"cold fold of `records`, {records:,} records of {size:.0f} bytes",
        "orjson.loads of each line",
        cpu(floor) / cpu(folded),
        must=">= 0.5",
        aim=">= 1",
        ours=f"{until / cpu(folded):,.0f} events per CPU s",
        theirs=f"{until / cpu(floor):,.0f} lines per CPU s",
    )


def _some_records(place: Path) -> Iterator[bytes]:
    for entry in Ledger(place).entries(None, 101):
        if entry.type == "record.observed":
            yield bytes(entry.data)


MEASURES = {"replay-eventsourcing": against_eventsourcing, "replay-records": against_parsing}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
