"""Power failures: a workload's writes and syncs are recorded with strace, then every state that a failure may have left
between any two of them is laid out, opened, appended to and verified.

What a receipt promised before the failure must be there, objects that an event cites too, fragments must be kept, and
keys must be remembered. States with a hole, where a later block of one write lasted and an earlier did not, are tried
as well: there the ledger may refuse, but only by name, and nothing that was synced may be lost.

    python tests/torture/power.py [--seconds N] [--seed N] [--most N]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from hashlib import sha256
from pathlib import Path

from disk import Tree, lay_out
from ground import (
    Tally,
    conclude,
    goes_on,
    lines_of,
    note,
    scratch,
    survey,
)
from recording import EVIDENCE, TORN, WORKLOADS, Recording

from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.verify import verify_chain

__all__ = ["torture"]


def torture(seconds: float, seed: int = 20260105, most: int = 60, only: str | None = None) -> Tally:
    """Every workload, every point between two calls, at most `most` states a point."""
    tally = Tally("power failures")
    if shutil.which("strace") is None:
        tally.could_not_run = "strace is not installed"
        return tally
    ends = time.monotonic() + seconds
    dice = random.Random(seed)
    with scratch() as folder:
        chosen = [name for name in WORKLOADS if only in (None, name)]
        for number, workload in enumerate(chosen):
            share = time.monotonic() + (ends - time.monotonic()) / (len(chosen) - number)
            _workload(Recording(workload, folder, dice), folder / "state", dice, share, most, tally)
    return tally


def _workload(
    recording: Recording, place: Path, dice: random.Random, ends: float, most: int, tally: Tally
) -> None:
    seen: set[bytes] = set()
    points, states, left = 0, 0, 0
    for call in recording.steps():
        points += 1
        for tree in recording.disk.left(dice, most):
            relative = _relative(recording, tree)
            mark = sha256(repr((sorted(relative.items()), sorted(recording.acknowledged))).encode()).digest()
            if mark in seen:
                continue
            seen.add(mark)
            if time.monotonic() > ends:
                left += 1
                continue
            states += 1
            found = _after(recording, relative, place)
            tally.add(found, f"{recording.name}, after call {points} ({call})")
        for tree in recording.disk.holes():
            states += 1
            tally.add(
                _refused(recording, _relative(recording, tree), place),
                f"{recording.name}, a hole after call {points}",
            )
    tally.states += states
    tally.acknowledged += len(recording.acknowledged)
    tally.notes.append(
        f"{recording.name}: {points} points, {states:,} states" + (f", {left:,} left out" if left else "")
    )


def _relative(recording: Recording, tree: Tree) -> Tree:
    return {str(Path(path).relative_to(recording.root)): content for path, content in tree.items()}


def _refused(recording: Recording, tree: Tree, place: Path) -> list[str]:
    """A hole is damage to complete lines, which nobody cuts: it is named, after all that was acknowledged."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    lay_out(tree, place)
    workspace = place / ".t2c"
    faults = verify_chain(workspace / JOURNAL).faults
    promised = max([len(recording.before), *recording.acknowledged])
    found = [f"lost: seq {fault.seq} {fault.kind}" for fault in faults if fault.seq <= promised]
    try:
        with Ledger(workspace) as ledger:
            ledger.append([note("after")])
    except T2cError as error:
        found += [] if faults else [f"refused a sound journal: {error.what}"]
    else:
        found += [f"left: {fault.kind}" for fault in verify_chain(workspace / JOURNAL).faults]
    return found


def _after(recording: Recording, tree: Tree, place: Path) -> list[str]:
    """Lay one state out and do what a user does after a power failure."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    lay_out(tree, place)
    workspace = place / ".t2c"
    found = survey(workspace, recording.before, recording.acknowledged)
    found += goes_on(workspace, recording.before, recording.acknowledged)
    if found:
        return found
    lines = lines_of(workspace)
    for line in lines:
        said = json.loads(line)
        statement = said["data"].get("statement", "")
        if len(statement) == 64:
            found += _object(workspace, statement)
        if said["type"] == "journal.repaired":
            kept = workspace / said["data"]["saved_as"]
            whole = kept.exists() and sha256(kept.read_bytes()).hexdigest() == said["data"]["sha256"]
            found += [] if whole else [f"lost: the fragment {said['data']['saved_as']}"]
    if recording.before and recording.name != "batched":
        kept_all = b"".join(torn.read_bytes() for torn in workspace.glob("*.torn-*"))
        found += [] if TORN in kept_all else ["lost: the fragment that was torn before"]
    return found + _keys(workspace, lines)


def _object(workspace: Path, digest: str) -> list[str]:
    try:
        return [] if Objects(workspace / "objects").get(digest) == EVIDENCE else ["another object"]
    except T2cError as error:
        return [f"lost: an event cites an object that is not there: {error.what}"]


def _keys(workspace: Path, lines: list[bytes]) -> list[str]:
    """Whatever is left of the index, a key that stands in the journal is remembered."""
    keyed = [event for event in map(json.loads, lines) if "key" in event]
    found = []
    with Ledger(workspace, durability="none") as ledger:
        for event in keyed:
            (receipt,) = ledger.append([note(event["data"]["statement"], key=event["key"])])
            if not receipt.repeated:
                found.append(
                    f"lost: key {event['key']!r} of seq {event['seq']} was forgotten and recorded again"
                )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=20260105)
    parser.add_argument("--only", choices=list(WORKLOADS))
    parser.add_argument("--most", type=int, default=60)
    given = parser.parse_args()
    return conclude(torture(given.seconds, given.seed, given.most, given.only))


if __name__ == "__main__":
    sys.exit(main())
