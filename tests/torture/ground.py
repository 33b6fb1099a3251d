"""What every part of the torture stands on: scratch workspaces, the tally, and what must hold afterwards.

The scripts beside this one break things on purpose; `survey` and `goes_on` say whether the ledger kept its promises.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import t2c
from t2c.ledger.engine import JOURNAL, WORKSPACE, Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain

__all__ = [
    "SOURCES",
    "UNFINISHED",
    "Acknowledged",
    "Tally",
    "conclude",
    "environment",
    "fresh_copy",
    "goes_on",
    "lines_of",
    "note",
    "python",
    "scratch",
    "survey",
    "torn_end",
]

SOURCES = Path(t2c.__file__).parents[1]
"""Where the package under torture was found; every child process is made to find the same."""

UNFINISHED = frozenset({"torn_tail", "incomplete_batch"})
"""The kinds of fault that a crash may leave behind: bytes that nobody was ever told were recorded."""

Acknowledged = dict[int, str]
"""seq → id of what a receipt has promised."""

_Noted = CATALOGUE.payload("observation.noted")


@dataclass
class Tally:
    """What a part of the torture did, and what it found. `problems` must stay empty."""

    name: str
    faults: int = 0
    kills: int = 0
    states: int = 0
    acknowledged: int = 0
    lost: int = 0
    problems: list[str] = field(default_factory=list)
    could_not_run: str | None = None
    notes: list[str] = field(default_factory=list)

    def add(self, found: Iterable[str], what: str) -> None:
        """Count problems of one trial, each with what was done there."""
        for problem in found:
            self.lost += problem.startswith("lost")
            self.problems.append(f"{what}: {problem}")


def conclude(tally: Tally) -> int:
    """Print one part's result and give its exit code: 0 sound, 1 problems, 2 could not run."""
    if tally.could_not_run is not None:
        print(f"{tally.name}: could not run: {tally.could_not_run}")
        return 2
    for problem in tally.problems[:40]:
        print(f"  PROBLEM {problem}")
    for said in tally.notes:
        print(f"  {said}")
    print(
        f"{tally.name}: faults {tally.faults:,}  kills {tally.kills:,}  crash states {tally.states:,}  "
        f"acknowledged {tally.acknowledged:,}  lost {tally.lost}  problems {len(tally.problems)}"
    )
    return 1 if tally.problems else 0


@contextlib.contextmanager
def scratch(*, in_memory: bool = True) -> Iterator[Path]:
    """A folder for one run. In memory where that is to be had: a fault does not depend on the disk below it."""
    memory = Path("/dev/shm")
    there = in_memory and os.access(memory, os.W_OK)
    with tempfile.TemporaryDirectory(prefix="t2c-torture-", dir=memory if there else None) as folder:
        yield Path(folder)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a child: nothing of the one who runs this, one warm cache of compiled modules."""
    (folder / "home").mkdir(exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder / "home"),
        "LC_ALL": "C",
        "PYTHONSAFEPATH": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(SOURCES),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
    }


def note(text: str, *, key: str | None = None) -> EventDraft:
    """A draft of an `observation.noted`."""
    return draft(_Noted.model_validate({"statement": text}), key=key)


def torn_end(workspace: Path, fragment: bytes) -> None:
    """Leave bytes at the end of the journal, as a write that a crash cut does."""
    with (workspace / JOURNAL).open("ab") as stream:
        stream.write(fragment)


def lines_of(workspace: Path) -> list[bytes]:
    """Every line of the journal that counts, LF included; none where there is no journal."""
    if not (workspace / JOURNAL).exists():
        return []
    return [line for _, line, _ in JournalFile(workspace / JOURNAL).lines()]


def survey(workspace: Path, before: list[bytes], acknowledged: Acknowledged) -> list[str]:
    """What a crash or a failed call left: sound but for its end, with all that was there and all that was promised."""
    if not (workspace / JOURNAL).exists():
        return ["lost: the journal is gone"] if before or acknowledged else []
    found = []
    for fault in verify_chain(workspace / JOURNAL).faults:
        if fault.kind not in UNFINISHED:
            found.append(f"damage: seq {fault.seq} {fault.kind}: {fault.detail}")
    try:
        entries = list(JournalFile(workspace / JOURNAL).lines())
    except T2cError as error:
        return [*found, f"unreadable: {error.what}"]
    if [line for _, line, _ in entries[: len(before)]] != before:
        found.append("lost: what the journal held before is not its beginning any more")
    there = {entry.seq: entry.id for _, _, entry in entries}
    found += [f"lost: seq {seq} {name}" for seq, name in acknowledged.items() if there.get(seq) != name]
    return found + _objects(workspace)


def _objects(workspace: Path) -> list[str]:
    folder = workspace / "objects"
    if not folder.is_dir():
        return []
    return [
        f"object {item.parent.name}{item.name} does not hold what its name says"
        for item in folder.glob("??/*")
        if not item.name.startswith(".") and item.parent.name + item.name not in _names(item.read_bytes())
    ]


def _names(content: bytes) -> tuple[str, str]:
    """The digests that an object may be filed under: of its bytes, or of a payload kept for redaction."""
    return sha256(content).hexdigest(), sha256(b"\x03" + content).hexdigest()


def goes_on(workspace: Path, before: list[bytes], acknowledged: Acknowledged) -> list[str]:
    """The next append works and leaves nothing unfinished; all promises are still kept after it."""
    try:
        create(workspace)
        with Ledger(workspace, durability="none") as ledger:
            (receipt,) = ledger.append([note("after")])
    except (T2cError, OSError) as error:
        return [f"the next append failed: {error}"]
    found = survey(workspace, before, {**acknowledged, receipt.seq: receipt.id})
    found += [f"left: {fault.kind}" for fault in verify_chain(workspace / JOURNAL).faults]
    return found


def fresh_copy(template: Path, target: Path) -> Path:
    """`target` as `template` is; gives the ledger's folder in it."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(template, target, symlinks=True)
    return target / WORKSPACE


def python() -> str:
    """The interpreter that runs this, for children."""
    return sys.executable
