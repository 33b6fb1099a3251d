"""What a warm refresh costs: it must follow the new events and not the history.

    python tests/bench/refresh.py [--quick] [--rounds N] [--rows GLOB]

`refresh-history` folds 1,000 new events into a state of fixed size after histories of several lengths, in this process,
snapshots being there. `refresh-records` and `refresh-graph` compare a refresh of real views with their own cold fold;
what rendering takes is left out of both and shown beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from common import (
    CLOCK,
    Asked,
    Row,
    alone,
    alternate,
    cached,
    copy_of,
    cpu,
    files,
    noted,
    notes,
    record,
    recorded,
    relation,
)
from total import PROJECTIONS

from t2c.ledger.engine import Ledger
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

NEW = 1000
LENGTHS = (10_000, 100_000)
RECORDS = 50_000


def behind(events: int, ledger_of: Callable[[int], Path]) -> tuple[Path, int]:
    """A ledger of `events` events and 1,000 more, with a snapshot of the total taken before them, and that total."""
    place = copy_of(ledger_of(events), f"refresh-{events}")
    with Ledger(place, clock=CLOCK, durability="none") as ledger:
        folded = fold(ledger.journal, PROJECTIONS, ["total"], cache=ledger.cache / "folds", snapshot_after=1)
        ledger.append(notes(events, events + NEW - 1))
    return place, folded.states["total"].count


def refreshed(place: Path, events: int, count: int) -> Callable[[], None]:
    """A refresh that must start from the snapshot and end at the head."""

    def refresh() -> None:
        ledger = Ledger(place)
        folded = fold(ledger.journal, PROJECTIONS, ["total"], cache=ledger.cache / "folds")
        assert folded.resumed == {"total": events}, folded.resumed
        assert folded.states["total"].count == count + NEW

    return refresh


def whatever_the_history(
    asked: Asked,
    lengths: tuple[int, ...] = LENGTHS,
    ledger_of: Callable[[int], Path] = noted,
    prefix: str = "refresh",
) -> Iterator[Row]:
    """One row for each length, and one for how far they lie apart."""
    calls = []
    for length in lengths:
        place, count = behind(length, ledger_of)
        cached(files(place))
        calls.append(refreshed(place, length, count))
    spent = [cpu(each) * 1e3 for each in alternate(3 * asked.rounds, *calls)]
    for length, took in zip(lengths, spent, strict=True):
        yield Row(
            f"{prefix}-{length}",
            f"warm refresh, {NEW:,} new events after {length:,}, state of fixed size",
            value=took,
            unit="ms CPU",
            must="<= 15",
        )
    yield Row(
        f"{prefix}-history",
        "the dearest of these",
        "the cheapest of these",
        max(spent) / min(spent),
        must="<= 1.3",
        ours=f"{max(spent):.2f} ms CPU",
        theirs=f"{min(spent):.2f} ms CPU",
    )


def of_views(asked: Asked) -> Iterator[Row]:
    """`records` and `graph`: refresh after 1,000 new events against the cold fold of the same journal."""
    records = asked.size(RECORDS)
    place = copy_of(recorded(records), "refresh-views")
    with Ledger(place, clock=CLOCK, durability="none") as ledger:
        before = ledger.head().seq
        fold(ledger.journal, ALL, ["graph"], cache=ledger.cache / "folds", snapshot_after=1)
        half = NEW // 2
        ledger.append([record(number) for number in range(records, records + half)])
        ledger.append([relation(number) for number in range(records - 1, records - 1 + half)])
    cached(files(place))
    for name in ("records", "graph"):

        def cold(name: str = name) -> Folded:
            return fold(Ledger(place).journal, ALL, [name])

        def warm(name: str = name) -> Folded:
            folded = fold(Ledger(place).journal, ALL, [name], cache=place / "cache" / "folds")
            assert set(folded.resumed.values()) == {before}
            return folded

        folded = cold()

        def render(name: str = name, folded: Folded = folded) -> None:
            for content in folded.artifacts(name).values():
                if not isinstance(content, bytes):
                    for _ in content:
                        pass

        first, again, shown = alternate(asked.rounds, cold, warm, render)
        yield Row(
            f"refresh-{name}",
            f"warm refresh of `{name}`, {NEW:,} new events after {before:,}",
            "its own cold fold",
            cpu(again) / cpu(first),
            must="<= 0.25",
            aim="<= 0.1",
            ours=f"{cpu(again) * 1e3:.0f} ms CPU",
            theirs=f"{cpu(first) * 1e3:.0f} ms CPU",
            note=f"rendering, left out of both: {cpu(shown) * 1e3:.0f} ms CPU",
        )


MEASURES = {"refresh-history": whatever_the_history, "refresh-views": of_views}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
