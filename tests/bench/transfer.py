"""What it costs to hand a ledger over: export, the check that the bundle brings along, import.

    python tests/bench/transfer.py [--quick] [--rounds N] [--rows GLOB]

Whole processes. The bundle is checked with `python3 -I -S verify.py` and an empty environment.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Iterator

from common import BENCH, Asked, Process, Row, alone, available, cached, files, noted, process, t2c, workspace

EVENTS = 100_000
IMPORTED = 5_000
CHECKED_A_SECOND = 60_000


def hand_over(asked: Asked) -> Iterator[Row]:
    """Export and check of one journal."""
    available("export")
    events = asked.size(EVENTS)
    place = noted(events)
    cached(files(place))
    bundle = BENCH / "bundle"
    spent: dict[str, list[Process]] = {"export": [], "check": []}
    for _ in range(max(3, asked.rounds // 2)):
        shutil.rmtree(bundle, ignore_errors=True)
        spent["export"].append(process(t2c(place.parent, "ledger", "export", "--dest", str(bundle))))
        check = [sys.executable, "-I", "-S", str(bundle / "verify.py"), str(bundle)]
        spent["check"].append(process(check, {"PATH": "/usr/bin:/bin"}))
    yield _row("transfer-export", f"export of {events:,} events of 700 bytes", events, spent["export"])
    yield _row(
        "transfer-check", "its verify.py, standard library alone", events, spent["check"], CHECKED_A_SECOND
    )


def taken_in(asked: Asked) -> Iterator[Row]:
    """Import of a smaller bundle: each event is validated against its published schema too."""
    available("import")
    events = asked.size(IMPORTED)
    bundle = BENCH / "bundle-imported"
    shutil.rmtree(bundle, ignore_errors=True)
    process(t2c(noted(events).parent, "ledger", "export", "--dest", str(bundle)))
    spent: list[Process] = []
    for _ in range(3):
        target = workspace("import")
        spent.append(process(t2c(target.parent, "ledger", "import", str(bundle))))
    yield _row("transfer-import", f"import of {events:,} events into an empty ledger", events, spent)


def _row(name: str, what: str, events: int, runs: list[Process], must: int | None = None) -> Row:
    wall = statistics.median(run.wall for run in runs)
    used = statistics.median(run.cpu for run in runs)
    return Row(
        name,
        what,
        value=events / wall,
        unit="events/s",
        must="" if must is None else f">= {must}",
        ours=f"{wall:.2f} s, {used:.2f} s CPU, {max(run.peak for run in runs):.0f} MB at most",
        durability="commit" if name != "transfer-check" else "",
    )


MEASURES = {"transfer-export": hand_over, "transfer-import": taken_in}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
