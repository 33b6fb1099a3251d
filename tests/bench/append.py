"""What a durable append costs: against raw `write` and `fdatasync`, SQLite and `eventsourcing`; group commit.

    python tests/bench/append.py [--quick] [--rounds N] [--rows GLOB]

All contenders of a row write the same bytes to files of one folder, commit about, so that the disk is the same for all;
their rates are compared over the whole of each round, and the median of the rounds' ratios is shown. `eventsourcing` is
given its stored events ready made (`recorder.insert_events`), so only its writing is compared.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import statistics
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from common import BENCH, CLOCK, Asked, Cost, NotHere, Row, alone, cost, files, note, notes, workspace

from t2c.ledger.engine import Durability, Ledger
from t2c.ledger.events.draft import EventDraft

COMMITS = {1: 100, 100: 30, 1000: 20}
APART = 10
"""Commits of one contender before the next takes its turn."""


class Contender(NamedTuple):
    """`commits` writes that many batches durably, each with its own sync; it is called often."""

    commits: Callable[[int], object]
    close: Callable[[], object]


def in_turns(
    asked: Asked, size: int, contenders: dict[str, Callable[[], Contender]]
) -> dict[str, list[Cost]]:
    """The cost of one commit of each contender, one entry a round; they take turns within it."""
    times = max(2 * APART, asked.size(COMMITS[size]))
    found: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(asked.rounds):
        opened = {name: begin() for name, begin in contenders.items()}
        spent = dict.fromkeys(contenders, Cost(0, 0))
        for contender in opened.values():
            contender.commits(1)
        for first, last in pairwise([*range(0, times, APART), times]):
            for name, contender in opened.items():
                took = cost(lambda write=contender.commits, n=last - first: write(n))  # type: ignore[misc]
                spent[name] = Cost(spent[name].wall + took.wall, spent[name].cpu + took.cpu)
        for name, contender in opened.items():
            contender.close()
            found[name].append(Cost(spent[name].wall / times, spent[name].cpu / times))
    return found


def ledger(size: int) -> Contender:
    """Ours, one call after another, with the lock's descriptor held."""
    opened = Ledger(workspace("append"), clock=CLOCK, hold=True)
    drafts = notes(1, size)
    return Contender(lambda times: [opened.append(drafts) for _ in range(times)], opened.close)


def overlapped(size: int) -> Contender:
    """Ours, a stream of batches: each is acknowledged when it is synced, and the next is made meanwhile."""
    opened = Ledger(workspace("append-overlapped"), clock=CLOCK, hold=True)
    drafts = notes(1, size)

    def commits(times: int) -> None:
        acknowledged: list[int] = []
        opened.append_all([drafts] * times, lambda receipts: acknowledged.append(len(receipts)))
        assert acknowledged == [size] * times

    return Contender(commits, opened.close)


def block_of(size: int) -> bytes:
    """The bytes that the ledger writes for a batch."""
    place = workspace("append-sample")
    with Ledger(place, clock=CLOCK) as opened:
        receipts = opened.append(notes(1, size))
    (path,) = files(place)
    return Path(path).read_bytes()[receipts[0].offset :]


def raw(block: bytes) -> Contender:
    """One `write` and one `fdatasync` a commit."""
    fd = os.open(fresh("raw"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    return Contender(
        lambda times: [(os.write(fd, block), os.fdatasync(fd)) for _ in range(times)], lambda: os.close(fd)
    )


def sqlite(lines: list[bytes]) -> Contender:
    """One row an event, write-ahead log, synchronous=FULL."""
    database = sqlite3.connect(fresh("sqlite.db"), isolation_level=None)
    database.execute("pragma journal_mode=wal")
    database.execute("pragma synchronous=full")
    database.execute("create table event(seq integer primary key, prev text, body blob)")
    rows = [("0" * 64, line) for line in lines]

    def commits(times: int) -> None:
        for _ in range(times):
            database.execute("begin immediate")
            database.executemany("insert into event(prev, body) values (?, ?)", rows)
            database.execute("commit")

    return Contender(commits, database.close)


def eventsourcing(lines: list[bytes]) -> Contender:
    """The recorder of an application on SQLite, at its own settings."""
    try:
        from eventsourcing.persistence import StoredEvent
        from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
    except ImportError:
        raise NotHere("eventsourcing is not installed (pip install --group bench)") from None
    store = SQLiteDatastore(str(fresh("eventsourcing.db")))
    recorder = SQLiteApplicationRecorder(store)
    recorder.create_table()
    done = 0

    def commits(times: int) -> None:
        nonlocal done
        for _ in range(times):
            done += 1
            stored = [
                StoredEvent(UUID(int=done), version, "bench:Event", line)
                for version, line in enumerate(lines, 1)
            ]
            recorder.insert_events(stored)

    return Contender(commits, store.close)


def fresh(name: str) -> Path:
    """A file of the bench folder that is not there yet."""
    folder = BENCH / "append-others"
    folder.mkdir(exist_ok=True)
    for path in folder.glob(f"{name}*"):
        path.unlink()
    return folder / name


def durable(size: int) -> Callable[[Asked], Iterator[Row]]:
    """The rows of one batch size: against raw, SQLite and eventsourcing; streams of batches overlap."""

    def measure(asked: Asked) -> Iterator[Row]:
        block = block_of(size)
        lines = block.rstrip(b"\n").split(b"\n")
        contenders: dict[str, Callable[[], Contender]] = {
            "ledger": lambda: ledger(size),
            "raw": lambda: raw(block),
        }
        if size > 1:
            contenders["overlapped"] = lambda: overlapped(size)
        if size <= 100:
            contenders["sqlite"] = lambda: sqlite(lines)
            contenders["eventsourcing"] = lambda: eventsourcing(lines)
        found = in_turns(asked, size, contenders)
        best = "overlapped" if size > 1 else "ledger"
        must, aim = {1: (0.85, 0.95), 100: (0.4, 0.55), 1000: (0.2, 0.3)}[size]
        for name, own, peer, least, most in (
            ("raw", best, "raw write and fdatasync of the same bytes", must, aim),
            ("sqlite", best, "SQLite WAL FULL, a row an event, the same bytes", 1, 1.2),
            ("eventsourcing", best, "eventsourcing recorder on SQLite, the same bytes", 1.4, 3),
            ("call", "ledger", "raw write and fdatasync of the same bytes", None, None),
        ):
            other = "raw" if name == "call" else name
            if other not in found or (name == "call" and best == "ledger"):
                continue
            ours, theirs = found[own], found[other]
            way = (
                "a call a commit" if own == "ledger" else "a stream of commits, one made while one is synced"
            )
            yield Row(
                f"append-{size}-{name}",
                f"durable append, {size:,} a commit, {len(block) / size:.0f} bytes an event, {way}",
                peer,
                statistics.median(peers.wall / mine.wall for mine, peers in zip(ours, theirs, strict=True)),
                must="" if least is None else f">= {least}",
                aim="" if most is None else f">= {most}",
                ours=_rate(ours, size),
                theirs=_rate(theirs, size),
                durability="commit",
            )

    return measure


def _rate(costs: list[Cost], size: int) -> str:
    wall = statistics.median(spent.wall for spent in costs)
    cpu = statistics.median(spent.cpu for spent in costs)
    return f"{size / wall:,.0f} events/s, {cpu / size * 1e6:.1f} us CPU an event"


def unsynced(asked: Asked) -> Iterator[Row]:
    """What the other levels of durability give; no limits."""
    levels: tuple[Durability, ...] = ("batch", "none")
    drafts = notes(1, 1000)
    for level in levels:
        costs = []
        for _ in range(asked.rounds):
            with Ledger(workspace("append"), clock=CLOCK, hold=True, durability=level) as opened:
                times = asked.size(20)
                spent = cost(lambda log=opened, n=times: [log.append(drafts) for _ in range(n)])  # type: ignore[misc]
                costs.append(Cost(spent.wall / times, spent.cpu / times))
        cpu = statistics.median(spent.cpu for spent in costs) / 1000
        yield Row(
            f"append-{level}",
            "append, 1,000 a call",
            value=cpu * 1e6,
            unit="us CPU an event",
            ours=_rate(costs, 1000),
            durability=level,
        )


def keyed(asked: Asked) -> Iterator[Row]:
    """What an idempotency key on each event adds; no limits."""
    costs = []
    for turn in range(asked.rounds):
        with Ledger(workspace("append"), clock=CLOCK, hold=True) as opened:
            calls = [[_with_key(note(n), f"{turn}-{call}-{n}") for n in range(100)] for call in range(10)]
            spent = cost(lambda log=opened, calls=calls: [log.append(call) for call in calls])  # type: ignore[misc]
            costs.append(Cost(spent.wall / 10, spent.cpu / 10))
    cpu = statistics.median(spent.cpu for spent in costs) / 100
    yield Row(
        "append-keyed",
        "durable append, 100 a commit, each event with a key",
        value=cpu * 1e6,
        unit="us CPU an event",
        ours=_rate(costs, 100),
        durability="commit",
    )


def _with_key(item: EventDraft, key: str) -> EventDraft:
    return EventDraft(item.type, item.v, item.data, item.actor, item.trust, (), item.run, key)


def group_commit(asked: Asked, threads: int = 64, each: int = 20) -> Iterator[Row]:
    """Many threads that each wait for their own append, against one that appends one by one."""
    gains: list[float] = []
    rates: list[tuple[float, float]] = []
    item = [note(1)]
    for _ in range(asked.rounds):
        with Ledger(workspace("append"), clock=CLOCK, hold=True) as opened:

            def many(count: int, log: Ledger = opened) -> None:
                for _ in range(count):
                    log.append(item)

            begin = threading.Barrier(threads + 1)

            def waiting(count: int = each, start: threading.Barrier = begin) -> None:
                start.wait()
                many(count)

            alone_rate = each * 4 / cost(lambda: many(each * 4)).wall
            workers = [threading.Thread(target=waiting) for _ in range(threads)]
            for worker in workers:
                worker.start()

            def crowd(start: threading.Barrier = begin, workers: list[threading.Thread] = workers) -> None:
                start.wait()
                for worker in workers:
                    worker.join()

            crowd_rate = threads * each / cost(crowd).wall
            rates.append((crowd_rate, alone_rate))
            gains.append(crowd_rate / alone_rate)
    yield Row(
        "append-group",
        f"{threads} waiting threads, group commit",
        "one thread, one by one",
        statistics.median(gains),
        must=">= 10",
        ours=f"{statistics.median(rate for rate, _ in rates):,.0f} events/s",
        theirs=f"{statistics.median(rate for _, rate in rates):,.0f} events/s",
        durability="commit",
    )


MEASURES = {
    "append-1": durable(1),
    "append-100": durable(100),
    "append-1000": durable(1000),
    "append-unsynced": unsynced,
    "append-keyed": keyed,
    "append-group": group_commit,
}

if __name__ == "__main__":
    shutil.rmtree(BENCH / "append-others", ignore_errors=True)
    BENCH.mkdir(exist_ok=True)
    alone(__doc__, MEASURES)
