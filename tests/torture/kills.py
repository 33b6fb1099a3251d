"""SIGKILL at any moment: writers of several kinds announce on a pipe what was acknowledged, and are killed.

A round is: fork a writer, let it work for a random moment, kill it, open the ledger again, append, verify: what was
acknowledged must be there, under the same id and hash, and the chain must be sound. One process imports once and forks
the writers, so that a round takes some milliseconds. At the end, every byte cut of the last line and batch.

    python tests/torture/kills.py [--seconds N] [--seed N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ground import Acknowledged, Tally, conclude, goes_on, lines_of, note, scratch, survey

from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.segments import SealRule

__all__ = ["torture"]

_LONGEST = 0.03
"""Seconds that a writer is left alone at the most, counted from its first receipt."""
_EVENTS = 1500
"""A ledger is left for a new one when it holds so many."""


def _say(out: int, receipts: list[Receipt]) -> None:
    """One write a line of receipts, below the size that a pipe takes as a whole."""
    for first in range(0, len(receipts), 20):
        part = [[receipt.seq, receipt.id] for receipt in receipts[first : first + 20]]
        os.write(out, json.dumps(part).encode() + b"\n")


def held(workspace: Path, out: int, dice: random.Random) -> None:
    """One engine that keeps its lock: single events, batches, long lines, keys, objects."""
    with Ledger(workspace, hold=True) as ledger:
        _write(ledger, out, dice)


def once(workspace: Path, out: int, dice: random.Random) -> None:
    """The lock taken anew for each append, as a command does."""
    while True:
        with Ledger(workspace) as ledger:
            _say(out, ledger.append(_drafts(dice), atomic=dice.random() < 0.3))


def group(workspace: Path, out: int, dice: random.Random) -> None:
    """Eight threads that share syncs."""
    with Ledger(workspace, hold=True) as ledger:
        dies = [random.Random(dice.random()) for _ in range(8)]
        threads = [threading.Thread(target=_write, args=(ledger, out, own)) for own in dies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def lazy(workspace: Path, out: int, dice: random.Random) -> None:
    """Durability `batch`: acknowledged before the sync. A kill is no power failure, so nothing may be lost here."""
    with Ledger(workspace, hold=True, durability="batch") as ledger:
        _write(ledger, out, dice)


def _write(ledger: Ledger, out: int, dice: random.Random) -> None:
    while True:
        if dice.random() < 0.1:
            ledger.objects.put(dice.randbytes(2000))
        _say(out, ledger.append(_drafts(dice), atomic=dice.random() < 0.3))


def _drafts(dice: random.Random) -> list[EventDraft]:
    count, size = dice.choice(((1, 10), (1, 3000), (5, 100), (40, 500), (6, 90_000)))
    key = f"k{dice.randrange(10**9)}" if dice.random() < 0.1 else None
    return [note("x" * size, key=key)] + [note("y" * size) for _ in range(count - 1)]


def sealing(workspace: Path, out: int, dice: random.Random) -> None:
    """An engine whose segments are so small that it seals one every few turns."""
    with Ledger(workspace, hold=True, rule=SealRule(bytes=20_000, events=16)) as ledger:
        _write(ledger, out, dice)


def streaming(workspace: Path, out: int, dice: random.Random) -> None:
    """Batch after batch, one synced while the next is written."""
    with Ledger(workspace, hold=True) as ledger:
        ledger.append_all(iter(lambda: _drafts(dice), None), lambda receipts: _say(out, receipts))


WRITERS: tuple[Callable[[Path, int, random.Random], None], ...] = (
    held,
    once,
    group,
    lazy,
    sealing,
    streaming,
)


def _round(
    workspace: Path, writer: Callable[[Path, int, random.Random], None], dice: random.Random
) -> Acknowledged:
    """One writer from fork to kill; gives what it acknowledged."""
    seed, moment, at_once = dice.random(), dice.random() * _LONGEST, dice.random() < 0.3
    answers, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answers)
        try:
            writer(workspace, out, random.Random(seed))
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(1)  # a writer ends by being killed, and in no other way
    os.close(out)
    said = b""
    try:
        if not at_once:
            said += os.read(answers, 1 << 16)
        deadline = time.monotonic() + moment
        while (left := deadline - time.monotonic()) > 0:
            if select.select([answers], [], [], left)[0]:
                more = os.read(answers, 1 << 16)
                if not more:
                    break
                said += more
    finally:
        os.kill(child, signal.SIGKILL)
    while more := os.read(answers, 1 << 16):
        said += more
    os.close(answers)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"the writer {writer.__name__} ended by itself")
    found: Acknowledged = {}
    for line in said.split(b"\n")[:-1]:
        found.update(dict(json.loads(line)))
    return found


def torture(seconds: float, seed: int = 20260105) -> Tally:
    """Rounds for so many seconds, then every cut."""
    tally = Tally("kills")
    ends = time.monotonic() + seconds
    dice = random.Random(seed)
    with scratch(in_memory=False) as disk, scratch() as memory:
        _cuts(memory, tally)
        torn, ledgers = 0, 0
        while time.monotonic() < ends:
            # A kill leaves the same on a disk as in memory, where far more of them fit into a minute.
            workspace = (disk if ledgers % 4 == 3 else memory) / str(ledgers) / ".t2c"
            create(workspace)
            ledgers += 1
            acknowledged: Acknowledged = {}
            before = lines_of(workspace)
            while time.monotonic() < ends and len(before) < _EVENTS:
                writer = WRITERS[tally.kills % len(WRITERS)]
                told = _round(workspace, writer, dice)
                tally.kills += 1
                tally.acknowledged += len(told)
                acknowledged |= told
                what = f"kill {tally.kills} of seed {seed} ({writer.__name__})"
                # Only what is new is looked at again each time; the whole ledger when it is left.
                with Ledger(workspace) as ledger:
                    torn += ledger.journal.tail().overhang is not None
                tally.add(_grew(workspace, before, told), what)
                before = lines_of(workspace)
                if tally.problems:
                    break
            tally.add(survey(workspace, before, acknowledged), f"ledger {ledgers}")
            tally.add(goes_on(workspace, before, acknowledged), f"ledger {ledgers}")
            repaired = sum(b'"type":"journal.repaired"' in line for line in lines_of(workspace))
            kept = len(list(workspace.glob(f"{JOURNAL}.torn-*")))
            tally.add(
                [] if repaired == kept else [f"{kept} fragments, {repaired} repairs recorded"], str(ledgers)
            )
            shutil.rmtree(workspace.parent)
            if tally.problems:
                break
        tally.notes.append(
            f"{tally.kills:,} writers killed in {ledgers:,} ledgers, {torn:,} torn ends repaired"
        )
    return tally


def _grew(workspace: Path, before: list[bytes], told: Acknowledged) -> list[str]:
    """What one round left, and the append after it: the fast form of `survey` and `goes_on` for thousands of rounds."""
    with Ledger(workspace) as ledger:
        (receipt,) = ledger.append([note("after")])
    lines = lines_of(workspace)
    if lines[: len(before)] != before:
        return ["lost: what the journal held before is not its beginning any more"]
    named = {**told, receipt.seq: receipt.id}
    return [
        f"lost: seq {seq} {name}"
        for seq, name in named.items()
        if seq > len(lines) or b'"id":"%b"' % name.encode() not in lines[seq - 1]
    ]


def _cuts(folder: Path, tally: Tally) -> None:
    """Every byte at which the last line, and the last atomic batch, may have been cut."""
    with _unsynced():
        for name, atomic in (("line", False), ("batch", True)):
            workspace = folder / name / ".t2c"
            create(workspace)
            with Ledger(workspace) as ledger:
                kept = ledger.append([note("kept")])
                start = ledger.head().offset
                ledger.append(
                    [note("ż"), note("two"), note("three")] if atomic else [note("ż")], atomic=atomic
                )
            before = lines_of(workspace)[:2]
            whole = (workspace / JOURNAL).read_bytes()
            for end in range(start, len(whole)):
                (workspace / JOURNAL).write_bytes(whole[:end])
                for torn in workspace.glob("*.torn-*"):
                    torn.unlink()
                with Ledger(workspace) as ledger:
                    ledger.append([note("after")])
                    lines = lines_of(workspace)
                tally.states += 1
                gone = [f"lost: seq 2 {kept[0].id}"] if lines[:2] != before else []
                tally.add(gone, f"{name} cut at byte {end - start}")
                wanted = 3 + (end > start)
                more = [] if len(lines) == wanted else [f"{len(lines)} events, not {wanted}"]
                tally.add(more, f"{name} cut at byte {end - start}")
            tally.add(survey(workspace, before, {}), f"{name} cut")


@contextmanager
def _unsynced() -> Iterator[None]:
    """What a sync is for is claimed by the power failures; a thousand of them only take time here."""
    kept = os.fsync, os.fdatasync
    os.fsync = os.fdatasync = lambda fd: None
    try:
        yield
    finally:
        os.fsync, os.fdatasync = kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=20260105)
    given = parser.parse_args()
    return conclude(torture(given.seconds, given.seed))


if __name__ == "__main__":
    sys.exit(main())
