"""What a durable append costs, against a raw `write` and `fdatasync` of the same bytes; group commit; one command.

    python tests/bench/append.py [--rounds N]

Contenders alternate in one run; medians of the rounds. Targets (journal-engine §9): 0.85, 0.4 and 0.2 of the raw rate
at 1, 100 and 1,000 events a commit; ten times the rate with 64 waiting threads; a whole `t2c ledger append` at most
1.5 × the CPU of importing its libraries.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from common import BENCH, CLOCK, cpu_of_command, load, median, note

from t2c.ledger.engine import JOURNAL, Durability, Ledger, create
from t2c.ledger.events.draft import EventDraft

TOTALS = {1: 150, 100: 6_000, 1000: 40_000}
IMPORTS = "import typer, orjson; from pydantic import BaseModel"


def fresh() -> Path:
    workspace = BENCH / "append"
    shutil.rmtree(workspace, ignore_errors=True)
    workspace.mkdir(parents=True)
    create(workspace, clock=CLOCK)
    return workspace


def rate(total: int, call: Callable[[], None]) -> tuple[float, float]:
    """Events a second of wall time, and CPU microseconds an event."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return total / (time.perf_counter() - wall), (time.process_time() - cpu) / total * 1e6


def repeat(ledger: Ledger, drafts: list[EventDraft], times: int) -> None:
    for _ in range(times):
        ledger.append(drafts)


class Stopwatch:
    """Wall and CPU seconds, added up over many short stretches."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def add(self, call: Callable[[], object]) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def commits(rounds: int) -> None:
    """Both write to files of one folder, commit about, so that the disk is the same for both."""
    print(
        f"{'a commit':>10} {'raw/s':>10} {'ledger/s':>10} {'ratio':>6} {'raw us':>8} {'ledger us':>9}  durability"
    )
    for size, total in TOTALS.items():
        drafts = [note(number) for number in range(size)]
        found: list[tuple[float, float, float, float, float]] = []
        for _ in range(rounds):
            raw, ours = Stopwatch(), Stopwatch()
            with Ledger(fresh(), clock=CLOCK, hold=True) as ledger:
                receipts = ledger.append(drafts)
                block = (BENCH / "append" / JOURNAL).read_bytes()[receipts[0].offset :]
                fd = os.open(BENCH / "append" / "raw", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
                for _ in range(total // size):
                    raw.add(lambda fd=fd, block=block: (os.write(fd, block), os.fdatasync(fd)))  # type: ignore[misc]
                    ours.add(lambda log=ledger, drafts=drafts: log.append(drafts))  # type: ignore[misc]
                os.close(fd)
            found.append(
                (total / raw.wall, total / ours.wall, raw.wall / ours.wall, raw.cpu / total, ours.cpu / total)
            )
        rates = [median([each[column] for each in found]) for column in range(5)]
        print(
            f"{size:>10,} {rates[0]:>10,.0f} {rates[1]:>10,.0f} {rates[2]:>6.2f} {rates[3] * 1e6:>8.1f} "
            f"{rates[4] * 1e6:>9.1f}  commit"
        )


def unsynced(rounds: int) -> None:
    drafts = [note(number) for number in range(1000)]
    levels: tuple[Durability, ...] = ("batch", "none")
    for level in levels:
        found = []
        for _ in range(rounds):
            with Ledger(fresh(), clock=CLOCK, hold=True, durability=level) as ledger:
                found.append(rate(40_000, lambda log=ledger: repeat(log, drafts, 40)))  # type: ignore[misc]
        each, cpu = median([pair[0] for pair in found]), median([pair[1] for pair in found])
        print(f"{1000:>10,} {'':>10} {each:>10,.0f} {'':>6} {'':>8} {cpu:>9.1f}  {level}")


def keyed(rounds: int) -> None:
    for size in (1, 100):
        found = []
        for _ in range(rounds):
            with Ledger(fresh(), clock=CLOCK, hold=True) as ledger:
                calls = [
                    [_with_key(note(n), f"{turn}-{n}") for n in range(size)]
                    for turn in range(max(2, 2000 // size))
                ][: 100 if size == 1 else 20]

                def run(log: Ledger = ledger, calls: list[list[EventDraft]] = calls) -> None:
                    for call in calls:
                        log.append(call)

                found.append(rate(size * len(calls), run))
        each, cpu = median([pair[0] for pair in found]), median([pair[1] for pair in found])
        print(
            f"{size:>10,} {'':>10} {each:>10,.0f} {'':>6} {'':>8} {cpu:>9.1f}  commit, each event with a key"
        )


def _with_key(item: EventDraft, key: str) -> EventDraft:
    return EventDraft(item.type, item.v, item.data, item.actor, item.trust, (), item.run, key)


def group_commit(rounds: int, threads: int = 64, each: int = 10) -> None:
    alone: list[float] = []
    grouped: list[float] = []
    for _ in range(rounds):
        with Ledger(fresh(), clock=CLOCK, hold=True) as ledger:
            alone.append(rate(each * 4, lambda log=ledger: repeat(log, [note(1)], each * 4))[0])  # type: ignore[misc]

            def crowd(log: Ledger = ledger) -> None:
                workers = [
                    threading.Thread(target=repeat, args=(log, [note(n)], each)) for n in range(threads)
                ]
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()

            grouped.append(rate(threads * each, crowd)[0])
    gain = median([many / one for many, one in zip(grouped, alone, strict=True)])
    print(
        f"group commit: {threads} waiting threads {median(grouped):,.0f}/s, one by one {median(alone):,.0f}/s, "
        f"{gain:.1f} x  (commit)"
    )


def whole_command(rounds: int) -> None:
    workspace = fresh()
    root = workspace.parent / "append-root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    create(root / ".t2c", clock=CLOCK)
    # Compiled modules are kept, as they are for anybody who runs a command twice.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(BENCH / "pycache")
    append = [
        sys.executable,
        "-m",
        "t2c.cli",
        "--root",
        str(root),
        "ledger",
        "append",
        "--statement",
        "checked",
    ]
    floor = [sys.executable, "-c", IMPORTS]
    try:
        cpu_of_command(append, environment)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"t2c ledger append: not available ({error})")
        return
    cpu_of_command(floor, environment)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours.append(cpu_of_command(append, environment))
        theirs.append(cpu_of_command(floor, environment))
    print(
        f"t2c ledger append, whole process: {median(ours) * 1e3:.0f} ms CPU; its imports alone "
        f"{median(theirs) * 1e3:.0f} ms; {median(ours) / median(theirs):.2f} x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    print(f"lines of {note_length()} bytes, one file system: {BENCH}")
    commits(asked.rounds)
    unsynced(asked.rounds)
    keyed(asked.rounds)
    group_commit(asked.rounds)
    whole_command(max(5, asked.rounds))
    print(load())


def note_length() -> int:
    with Ledger(fresh(), clock=CLOCK) as ledger:
        (receipt,) = ledger.append([note(1)])
        return ledger.head().offset - receipt.offset


if __name__ == "__main__":
    main()
