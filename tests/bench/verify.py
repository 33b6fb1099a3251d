"""What level `chain` of verify costs: against `openssl dgst -sha256` of the same bytes, and against a peer.

    python tests/bench/verify.py [--quick] [--rounds N] [--rows GLOB]

`verify-cpu` is CPU (user and system) of one process each, `verify-wall` the clock with two processes on two free cores,
`verify-peer` events a CPU second against the verification of auditchain, a hash chain in Python.
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

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
    process,
    statement,
    wall,
)

from t2c.ledger.engine import JOURNAL
from t2c.ledger.journal.verify import verify_chain

EVENTS = 200_000
PEER_EVENTS = 20_000


def sound(place: Path, events: int, **options: int) -> None:
    """Verify a journal, which must be whole and sound."""
    report = verify_chain(place / JOURNAL, **options)  # type: ignore[arg-type]
    if report.faults or report.events != events:
        raise SystemExit(f"the journal at {place} is not sound")


def against_openssl(asked: Asked) -> Iterator[Row]:
    """CPU of one process each."""
    events = asked.size(EVENTS)
    place = noted(events)
    paths = files(place)
    cached(paths)
    ours, theirs = alternate(
        asked.rounds, lambda: sound(place, events), lambda: process(["openssl", "dgst", "-sha256", *paths])
    )
    size = sum(os.stat(path).st_size for path in paths)
    yield Row(
        "verify-cpu",
        f"verify chain, {events:,} events of {size / events:.0f} bytes, CPU",
        "openssl dgst -sha256",
        cpu(ours) / cpu(theirs),
        must="<= 7",
        aim="<= 4",
        ours=f"{cpu(ours):.3f} s, {events / cpu(ours):,.0f} events/s",
        theirs=f"{cpu(theirs):.3f} s",
    )


def on_two_cores(asked: Asked) -> Iterator[Row]:
    """The clock, with two processes of ours and one of openssl."""
    if "processes" not in inspect.signature(verify_chain).parameters:
        raise NotHere("verify_chain takes no number of processes")
    events = asked.size(EVENTS)
    place = noted(events)
    paths = files(place)
    cached(paths)
    ours, theirs = alternate(
        asked.rounds,
        lambda: sound(place, events, processes=2),
        lambda: process(["openssl", "dgst", "-sha256", *paths]),
    )
    yield Row(
        "verify-wall",
        f"verify chain, {events:,} events, two processes, clock",
        "openssl dgst -sha256, one process, clock",
        wall(ours) / wall(theirs),
        must="<= 3.5",
        aim="<= 2",
        ours=f"{wall(ours):.3f} s",
        theirs=f"{wall(theirs):.3f} s",
    )


def against_auditchain(asked: Asked) -> Iterator[Row]:
    """Events a CPU second of both, on lines of about the same length."""
    try:
        from auditchain import JsonlBackend, SyncAuditLog
    except ImportError:
        raise NotHere("auditchain is not installed (pip install --group bench)") from None
    events = asked.size(PEER_EVENTS)
    shutil.rmtree(BENCH / "auditchain", ignore_errors=True)
    (BENCH / "auditchain").mkdir()
    path = BENCH / "auditchain" / "log.jsonl"
    log = SyncAuditLog(JsonlBackend(str(path)))
    for first in range(0, events, 1000):
        log.append_many(
            [
                ("agent", "task.closed", "acct", {"amount": number, "note": statement(number)})
                for number in range(first, first + 1000)
            ]
        )
    place = noted(events)
    ours, theirs = alternate(asked.rounds, lambda: sound(place, events), log.verify)
    yield Row(
        "verify-peer",
        f"verify chain, {events:,} events, events a CPU second",
        f"auditchain verify, {path.stat().st_size / events:.0f} bytes a record",
        cpu(theirs) / cpu(ours),
        must=">= 5",
        aim=">= 8",
        ours=f"{events / cpu(ours):,.0f}/s",
        theirs=f"{events / cpu(theirs):,.0f}/s",
    )


MEASURES = {"verify-cpu": against_openssl, "verify-wall": on_two_cores, "verify-peer": against_auditchain}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
