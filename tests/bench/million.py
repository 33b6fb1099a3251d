"""A ledger of a million events, 100,000 live records among them, through the command lines that a user types.

    python tests/bench/million.py [--quick] [--rows GLOB]

Each row is one process: seconds on the clock, CPU seconds, and the most memory that it or a child of it held at once, by
`wait4`, which must stay below 500 MB. The ledger is built once below `.bench/` and copied for what appends to it. The
bundle is checked in an empty folder with another HOME, no repository and no ledger, and where the system lets a user
have namespaces of his own, without a network.
"""

from __future__ import annotations

import inspect
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from common import (
    BENCH,
    Asked,
    NotHere,
    Row,
    alone,
    available,
    built,
    cached,
    compiled,
    copy_of,
    files,
    note,
    process,
    record,
    relation,
    t2c,
)
from refresh import whatever_the_history

from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.verify import verify_chain

EVENTS = 1_000_000
MOST_MB = 500
NEW = 1000
VERIFY = """
import sys
from pathlib import Path
from t2c.ledger.journal.verify import verify_chain
report = verify_chain(Path(sys.argv[1]), processes=int(sys.argv[2]))
assert not report.faults and report.events == int(sys.argv[3]), report.faults[:3]
"""


def mixed(events: int) -> Iterator[EventDraft]:
    """One event in ten a record, one in a hundred a relation, the others observations, after the genesis."""
    for number in range(1, events):
        if number % 10 == 0:
            yield record(number // 10)
        elif number % 100 == 25:
            yield relation(number // 10 - 1)
        else:
            yield note(number)


@cache
def ledger_of(events: int) -> Path:
    """The ledger, built in a process of its own, so that this one stays small and is in no figure."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
        f"import common, million; common.built('million', {events}, million.mixed({events}))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    place = built("million", events, iter(()))
    cached(files(place))
    return place


def row(
    name: str, what: str, command: list[str], *, environment: dict[str, str] | None = None, note: str = ""
) -> Row:
    """One process, measured."""
    spent = process(command, environment)
    return Row(
        name,
        what,
        value=spent.peak,
        unit="MB at most",
        must=f"<= {MOST_MB}",
        ours=f"{spent.wall:.2f} s, {spent.cpu:.2f} s CPU",
        note=note,
    )


def verified(asked: Asked) -> Iterator[Row]:
    """Level chain, by the command, and by the library with one and two processes against openssl."""
    events = asked.size(EVENTS)
    place = ledger_of(events)
    yield row(
        "million-verify", f"t2c ledger verify, {events:,} events", t2c(place.parent, "ledger", "verify")
    )
    if "processes" not in inspect.signature(verify_chain).parameters:
        raise NotHere("verify_chain takes no number of processes")
    library = [sys.executable, "-c", VERIFY, str(place / "journal.ndjson")]
    contenders = (
        [*library, "1", str(events)],
        [*library, "2", str(events)],
        ["openssl", "dgst", "-sha256", *files(place)],
    )
    turns = [[process(command) for command in contenders] for _ in range(3)]
    one, two, theirs = zip(*turns, strict=True)
    for name, what, used, ours, peer, must, aim in (
        ("cpu", "one process, CPU", one, [run.cpu for run in one], [run.cpu for run in theirs], 7, 4),
        (
            "wall",
            "two processes, clock",
            two,
            [run.wall for run in two],
            [run.wall for run in theirs],
            3.5,
            2,
        ),
    ):
        yield Row(
            f"million-verify-{name}",
            f"verify chain of {events:,} events, {what}",
            "openssl dgst -sha256 of the same bytes",
            statistics.median(ours) / statistics.median(peer),
            must=f"<= {must}",
            aim=f"<= {aim}",
            ours=f"{statistics.median(ours):.2f} s, {max(run.peak for run in used):.0f} MB at most",
            theirs=f"{statistics.median(peer):.2f} s",
        )


def refreshed(asked: Asked) -> Iterator[Row]:
    """A state of fixed size, brought up to date after a hundredth, a tenth and all of the events."""
    events = asked.size(EVENTS)
    yield from whatever_the_history(
        asked, (events // 100, events // 10, events), ledger_of, "million-refresh"
    )


def projected(asked: Asked) -> Iterator[Row]:
    """All views, from nothing and after 1,000 new events."""
    events = asked.size(EVENTS)
    place = copy_of(ledger_of(events), "million-project")
    root = place.parent
    yield row(
        "million-project-cold", "t2c ledger project, all views from nothing", t2c(root, "ledger", "project")
    )
    bodies = BENCH / "million.jsonl"
    with bodies.open("w") as stream:
        for number in range(NEW):
            stream.write(
                json.dumps({"type": "observation.noted", "data": {"statement": f"new {number}"}}) + "\n"
            )
    append = t2c(root, "ledger", "append", str(bodies), "--jsonl")
    yield row("million-append", f"t2c ledger append --jsonl of {NEW:,} events", append)
    yield row(
        "million-project-warm", f"t2c ledger project after {NEW:,} new events", t2c(root, "ledger", "project")
    )


def proven(asked: Asked) -> Iterator[Row]:
    """A proof made in the ledger and checked in an empty folder."""
    available("prove")
    events = asked.size(EVENTS)
    place = copy_of(ledger_of(events), "million-prove")
    proof = place.parent / "proof.json"
    make = t2c(place.parent, "ledger", "prove", "inclusion", str(events // 2), "--out", str(proof))
    yield row("million-prove-first", "t2c ledger prove inclusion, the tree made first", make)
    proof.unlink()
    yield row("million-prove", "t2c ledger prove inclusion, the tree being there", make)
    empty, environment, before, note = elsewhere()
    shutil.copy(proof, empty)
    check = [*before, *t2c(empty, "ledger", "verify-proof", str(empty / proof.name))]
    yield row(
        "million-verify-proof",
        "t2c ledger verify-proof in an empty folder",
        check,
        environment=environment,
        note=note,
    )


def handed_over(asked: Asked) -> Iterator[Row]:
    """A bundle, and its check elsewhere."""
    available("export")
    events = asked.size(EVENTS)
    place = ledger_of(events)
    bundle = BENCH / "million-bundle"
    shutil.rmtree(bundle, ignore_errors=True)
    yield row(
        "million-export", "t2c ledger export", t2c(place.parent, "ledger", "export", "--dest", str(bundle))
    )
    empty, environment, before, note = elsewhere()
    moved = empty / "bundle"
    bundle.rename(moved)
    check = [*before, sys.executable, "-I", "-S", str(moved / "verify.py"), str(moved)]
    yield row(
        "million-check", "python3 -I -S verify.py of the bundle", check, environment=environment, note=note
    )
    shutil.rmtree(empty)


def elsewhere() -> tuple[Path, dict[str, str], list[str], str]:
    """An empty folder, an environment with another HOME, what shuts the network off, and words for it."""
    empty = BENCH / "elsewhere"
    shutil.rmtree(empty, ignore_errors=True)
    (empty / "home").mkdir(parents=True)
    kept = {name: value for name, value in compiled().items() if name in ("PATH", "PYTHONPYCACHEPREFIX")}
    environment = {**kept, "HOME": str(empty / "home")}
    apart = ["unshare", "-r", "-m", "-n"]
    try:
        process([*apart, "true"])
    except (OSError, RuntimeError):
        return empty, environment, [], "with the network there: namespaces are not permitted here"
    return empty, environment, apart, "in namespaces of its own, without a network"


MEASURES = {
    "million-verify": verified,
    "million-refresh": refreshed,
    "million-project": projected,
    "million-prove": proven,
    "million-transfer": handed_over,
}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
