"""What all benchmarks share: rows, contenders that alternate, journals to measure on, the CPU of processes.

A script holds `MEASURES`, name → function that yields rows, and ends with `alone(__doc__, MEASURES)`. So it runs by
itself (`python tests/bench/verify.py --quick`) and as a part of `run.py`, which asks it for `--json`.
"""

from __future__ import annotations

import argparse
import fcntl
import gc
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from page import FAILED, Row, machine, table

from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.kernel.ids import record_id, relation_id

BENCH = Path(__file__).resolve().parents[2] / ".bench"
CLOCK = FixedClock(datetime(2026, 1, 5, 10, tzinfo=UTC))
RUN = "20260105T100000Z-0123abcd"
NOTE_BYTES = 700
_LAYOUT = 2
"""Raised when the builders below make other journals, so that kept ones are built again."""

Noted = CATALOGUE.payload("observation.noted")


@dataclass(frozen=True)
class Asked:
    """How much to measure: `scale` shrinks sizes, `rounds` is how often contenders take turns."""

    quick: bool = False
    rounds: int = 7

    def size(self, standard: int) -> int:
        """A standard size, or a tenth of it for a quick look."""
        return standard // 10 if self.quick else standard


Measure = Callable[[Asked], Iterator[Row]]


class NotHere(Exception):
    """What a row needs is not there; the text says what. The row is then shown without a figure."""


class Cost(NamedTuple):
    """Seconds of one call: on the clock, and of the CPU (user and system, waited-for children included)."""

    wall: float
    cpu: float


def cost(call: Callable[[], object]) -> Cost:
    """What a call costs this process and the children that it waits for."""
    children, used, started = _of_children(), time.process_time(), time.perf_counter()
    call()
    spent = time.perf_counter() - started
    return Cost(spent, time.process_time() - used + _of_children() - children)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def alternate(rounds: int, *calls: Callable[[], object], warm: bool = True) -> list[list[Cost]]:
    """The costs of contenders that take turns, one list each, after a first round that does not count."""
    found: list[list[Cost]] = [[] for _ in calls]
    for turn in range(-1 if warm else 0, rounds):
        for call, costs in zip(calls, found, strict=True):
            gc.collect()
            spent = cost(call)
            if turn >= 0:
                costs.append(spent)
    return found


def cpu(costs: Iterable[Cost]) -> float:
    """The median of CPU seconds."""
    return statistics.median(spent.cpu for spent in costs)


def wall(costs: Iterable[Cost]) -> float:
    """The median of seconds on the clock."""
    return statistics.median(spent.wall for spent in costs)


class Process(NamedTuple):
    """What a whole process took: seconds on the clock, CPU seconds, the most memory it held at once in MB."""

    wall: float
    cpu: float
    peak: float


def process(
    command: list[str],
    environment: Mapping[str, str] | None = None,
    *,
    output: Path | None = None,
    status: int = 0,
) -> Process:
    """Run a command to its end, its children included. Raises RuntimeError unless it ends with `status`."""
    target = os.devnull if output is None else str(output)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    started = time.perf_counter()
    pid = os.posix_spawnp(
        command[0],
        command,
        dict(environment or compiled()),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, target, flags, 0o644)],
    )
    _, ended, used = os.wait4(pid, 0)
    spent = time.perf_counter() - started
    if os.waitstatus_to_exitcode(ended) != status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(ended)}")
    return Process(spent, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compiled() -> dict[str, str]:
    """An environment in which compiled modules are kept, as they are for anybody who runs a command twice."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(BENCH / "pycache")}


def t2c(root: Path, *arguments: str) -> list[str]:
    """The command line of `t2c` at a root."""
    return [sys.executable, "-m", "t2c.cli", "--root", str(root), *arguments]


def available(verb: str) -> None:
    """Raises NotHere if `t2c ledger` has no such verb."""
    done = subprocess.run(
        [sys.executable, "-m", "t2c.cli", "ledger", verb, "--help"], capture_output=True, check=False
    )
    if done.returncode:
        raise NotHere(f"there is no `t2c ledger {verb}`")


def statement(number: int, length: int = NOTE_BYTES - 375) -> str:
    """What somebody might say, of that many characters and unlike every other."""
    said = f"Case {number:012} was checked on staging by two people; the report says what was seen, and the plan stands. "
    return (said * (1 + length // len(said)))[:length]


def note(number: int, size: int = NOTE_BYTES) -> EventDraft:
    """A draft whose line is about `size` bytes long and unlike every other."""
    payload = Noted(
        statement=statement(number, size - 375), metadata={"number": number, "half": number + 0.5}
    )
    return draft(payload, run=RUN)


def notes(first: int, last: int) -> list[EventDraft]:
    """The drafts numbered `first` to `last`."""
    return [note(number) for number in range(first, last + 1)]


_RECORD = {
    "epistemic": {"basis": ["heading_context", "markdown_checkbox"], "class": "plan", "confidence": 0.9},
    "lifecycle": {"status": "planned"},
    "metadata": {
        "anchor": {"ordinal": 1, "trail": ["Part 1"]},
        "checked": False,
        "explicitId": None,
        "generation": {
            "degraded": False, "fallbackReason": None, "generator": "t2c/markdown-todo", "generatorVersion": "1",
            "model": None, "provider": None, "requested": "deterministic", "responseId": None,
            "runtimeVersion": "0.1.0", "used": "deterministic",
        },
        "headingPath": ["Part 1"],
        "parent": None,
    },
    "observedAt": None,
    "schemaVersion": "t2c.intent/v1",
}  # fmt: skip


def record(number: int) -> EventDraft:
    """A record of about 1.2 KB as a scan of a task list writes it, unlike every other."""
    text = f"Add the handling of case {number} to `function_{number}` and say in the guide what it does (#{number})"
    made = CATALOGUE.payload("record.observed").model_validate_json(
        json.dumps(
            {
                "record": {
                    **_RECORD,
                    "id": record_of(number),
                    "source": {
                        "kind": "todo", "path": f"docs/part-{number // 1000}/TODO.md",
                        "lines": {"start": number + 4, "end": number + 4}, "revision": None, "symbol": None,
                        "commitIndex": None, "extractor": "t2c/markdown-todo@1", "contentHash": sha256(f"- [ ] {text}".encode()).hexdigest(),
                        "rawExcerpt": f"- [ ] {text}",
                    },
                    "statement": {
                        "kind": "todo_item", "actor": None, "action": "add", "subject": None,
                        "object": f"the handling of case {number} to `function_{number}`",
                        "target": {
                            "paths": [], "symbols": [f"function_{number}"], "tickets": [f"#{number}"], "versions": []
                        },
                        "modality": "required", "polarity": "positive", "text": text,
                    },
                }
            }
        )
    )  # fmt: skip
    return draft(made, run=RUN)


def record_of(number: int) -> str:
    """The id of the record with that number."""
    return record_id("todo", "TODO.md", "todo_item", ("Part 1",), str(number), 1)


def relation(number: int) -> EventDraft:
    """A relation between two neighbouring records."""
    ends = record_of(number), record_of(number + 1)
    made = CATALOGUE.payload("relation.linked").model_validate_json(
        json.dumps(
            {
                "relation": {
                    "id": relation_id(*ends, "related_to"), "from": ends[0], "to": ends[1], "type": "related_to",
                    "confidence": 0.85, "basis": ["same_heading"],
                },
                "rule": "same-heading",
                "signals": [{"name": "heading", "value": f"Part {number // 50}"}],
            }
        )
    )  # fmt: skip
    return draft(made, run=RUN)


def workspace(name: str) -> Path:
    """An empty ledger below `.bench/`, whatever stood there before."""
    place = BENCH / name / ".t2c"
    shutil.rmtree(place.parent, ignore_errors=True)
    place.mkdir(parents=True)
    create(place, clock=CLOCK)
    return place


def built(name: str, events: int, drafts: Iterable[EventDraft]) -> Path:
    """A ledger of `events` events, the first of them its genesis; kept for the next run."""
    place = BENCH / f"{name}-{events}.{_LAYOUT}" / ".t2c"
    if (place / JOURNAL).exists():
        with Ledger(place) as ledger:
            if ledger.head().seq == events:
                return place
    workspace(place.parent.name)
    with Ledger(place, clock=CLOCK, durability="none", hold=True) as ledger:
        block: list[EventDraft] = []
        for item in drafts:
            block.append(item)
            if len(block) == 1000:
                ledger.append(block)
                block = []
        ledger.append(block)
        assert ledger.head().seq == events, (ledger.head().seq, events)
    return place


def noted(events: int) -> Path:
    """A ledger of that many events of about 700 bytes."""
    return built("noted", events, (note(number) for number in range(1, events)))


def recorded(records: int) -> Path:
    """A ledger of that many live records, and a relation from each to the next."""
    return built("recorded", 2 * records, _recorded(records))


def _recorded(records: int) -> Iterator[EventDraft]:
    yield from (record(number) for number in range(records))
    yield from (relation(number) for number in range(records - 1))


def copy_of(place: Path, name: str) -> Path:
    """A copy of a ledger that may be appended to, in place of any former one."""
    target = BENCH / name / ".t2c"
    shutil.rmtree(target.parent, ignore_errors=True)
    shutil.copytree(place, target)
    return target


def files(place: Path) -> list[str]:
    """The files that the journal's bytes lie in, in order."""
    return [str(path) for path in [*sorted((place / "segments").glob("*.ndjson")), place / JOURNAL]]


def cached(paths: list[str]) -> None:
    """Read files once, so that no contender is the first to wait for the disk."""
    subprocess.run(["cat", *paths], stdout=subprocess.DEVNULL, check=True)


def chosen(measures: Mapping[str, Measure], glob: str) -> dict[str, Measure]:
    """The measures whose name fits."""
    return {name: measure for name, measure in measures.items() if fnmatchcase(name, glob)}


@contextmanager
def alone_here() -> Iterator[None]:
    """Wait until no other benchmark of this checkout runs: two would build in each other's folders."""
    BENCH.mkdir(exist_ok=True)
    with open(BENCH / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def rows(measures: Mapping[str, Measure], asked: Asked) -> Iterator[Row]:
    """The rows of measures, one after another; what cannot be measured is a row that says why."""
    for name, measure in measures.items():
        try:
            with alone_here():
                yield from measure(asked)
        except NotHere as missing:
            yield Row(name, note=f"not measured: {missing}")
        except (RuntimeError, T2cError) as failure:
            yield Row(name, note=f"{FAILED}{failure}")


def alone(doc: str | None, measures: Mapping[str, Measure]) -> None:
    """The command line of one script."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes and three rounds")
    parser.add_argument("--rounds", type=int, help="how often contenders take turns (7, or 3 with --quick)")
    parser.add_argument("--rows", default="*", metavar="GLOB", help=f"some of {', '.join(measures)}")
    parser.add_argument("--json", action="store_true", help="print each row as a line of JSON")
    given = parser.parse_args()
    asked = Asked(given.quick, given.rounds or (3 if given.quick else 7))
    found = []
    for row in rows(chosen(measures, given.rows), asked):
        found.append(row)
        if given.json:
            print(json.dumps(row._asdict()), flush=True)
    if not given.json:
        print(table(found))
        print(*machine().values(), sep="; ")
