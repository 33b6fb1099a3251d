"""What whole commands cost: one append against importing its libraries, a file of bodies against the library.

    python tests/bench/command.py [--quick] [--rounds N] [--rows GLOB]

Whole processes, compiled modules being there. `command-jsonl` gives the same bodies to `t2c ledger append --jsonl` and
to a program of its own that uses the library, both with 100 events behind each sync, start-up included in both.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator

from common import BENCH, Asked, Row, alone, process, statement, t2c, workspace

IMPORTS = "import typer, orjson; from pydantic import BaseModel"
BODIES = 30_000
LIBRARY = """
import sys
from pathlib import Path
import orjson
from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import draft
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.kernel.actor import Actor
actor = Actor.parse("human:local")
with Ledger(Path(sys.argv[1]), hold=True) as ledger, open(sys.argv[2], "rb") as lines:
    drafts = []
    for line in lines:
        payload = ObservationNoted.decode(orjson.dumps(orjson.loads(line)["data"]))
        drafts.append(draft(payload, actor=actor, trust="asserted"))
    ledger.append_all(drafts[first : first + 100] for first in range(0, len(drafts), 100))
"""


def one_event(asked: Asked) -> Iterator[Row]:
    """The CPU of `t2c ledger append` of one event, and of an interpreter that only imports what it is built on."""
    root = workspace("command").parent
    append = t2c(root, "ledger", "append", "--statement", "Release 1.4 was checked on staging.")
    floor = [sys.executable, "-c", IMPORTS]
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(-2, 3 * asked.rounds):
        spent = process(append).cpu, process(floor).cpu
        if turn >= 0:
            ours.append(spent[0])
            theirs.append(spent[1])
    own, other = statistics.median(ours), statistics.median(theirs)
    yield Row(
        "command-append",
        "t2c ledger append, one event, whole process",
        "importing typer, orjson and pydantic",
        own / other,
        must="<= 1.5",
        aim="<= 1.2",
        ours=f"{own * 1e3:.0f} ms CPU",
        theirs=f"{other * 1e3:.0f} ms CPU",
        durability="commit",
    )


def many_events(asked: Asked) -> Iterator[Row]:
    """A file of bodies, recorded by the command and by a program that uses the library."""
    count = asked.size(BODIES)
    path = BENCH / "bodies.jsonl"
    with path.open("w") as stream:
        for number in range(count):
            data = {"statement": statement(number), "metadata": {"number": number, "half": number + 0.5}}
            stream.write(json.dumps({"type": "observation.noted", "data": data}) + "\n")
    ratios, ours, theirs = [], [], []
    for turn in range(-1, max(3, asked.rounds - 2)):
        place = workspace("command")
        own = process(t2c(place.parent, "ledger", "append", str(path), "--jsonl"))
        place = workspace("command")
        other = process([sys.executable, "-c", LIBRARY, str(place), str(path)])
        if turn >= 0:
            ratios.append(other.wall / own.wall)
            ours.append(own)
            theirs.append(other)
    yield Row(
        "command-jsonl",
        f"t2c ledger append --jsonl, {count:,} bodies, 100 a commit, clock",
        "a program that uses the library",
        statistics.median(ratios),
        must=">= 0.7",
        aim=">= 0.9",
        ours=_rate(count, ours),
        theirs=_rate(count, theirs),
        durability="commit",
    )


def _rate(count: int, runs: list) -> str:  # type: ignore[type-arg]
    wall = statistics.median(run.wall for run in runs)
    cpu = statistics.median(run.cpu for run in runs)
    return f"{count / wall:,.0f} events/s, {cpu / count * 1e6:.0f} us CPU an event"


MEASURES = {"command-append": one_event, "command-jsonl": many_events}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
