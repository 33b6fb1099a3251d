"""What the journal's benchmarks share: a journal to measure on, CPU of this and of other processes, the load."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.kernel.clock import FixedClock

BENCH = Path(__file__).resolve().parents[2] / ".bench"
Noted = CATALOGUE.payload("observation.noted")
CLOCK = FixedClock(datetime(2026, 1, 5, 10, tzinfo=UTC))


def note(number: int, size: int = 700) -> EventDraft:
    """A draft whose line is about `size` bytes long and unlike every other."""
    text = f"{number:012}-" * (1 + (size - 380) // 13)
    payload = Noted(statement=text, metadata={"number": number, "half": number + 0.5})
    return draft(payload, run="20260105T100000Z-0123abcd")


def journal(events: int) -> Path:
    """A journal of that many events below `.bench/`, kept for the next run."""
    workspace = BENCH / f"journal-{events}"
    path = workspace / JOURNAL
    if path.exists():
        with Ledger(workspace) as ledger:
            if ledger.head().seq == events:
                return path
        path.unlink()
    workspace.mkdir(parents=True, exist_ok=True)
    create(workspace, clock=CLOCK)
    with Ledger(workspace, clock=CLOCK, durability="none", hold=True) as ledger:
        for first in range(1, events, 1000):
            ledger.append([note(number) for number in range(first, min(first + 1000, events))])
    return path


def cpu_of(call: Callable[[], object]) -> float:
    """CPU seconds that this process spends on a call, user and system."""
    started = time.process_time()
    call()
    return time.process_time() - started


def cpu_of_command(command: list[str], environment: dict[str, str] | None = None) -> float:
    """CPU seconds of a whole process with its children."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def median(values: list[float]) -> float:
    return statistics.median(values)


def load() -> str:
    """The load of the machine: figures taken under load flatter nobody equally."""
    return (
        "load average " + " ".join(f"{value:.2f}" for value in os.getloadavg()) + f", {os.cpu_count()} CPUs"
    )
