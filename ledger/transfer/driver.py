"""The merge of two versions of a tracked journal, as Git asks for it: the other's events go behind ours.

Git knows the active file only. Sealed segments are taken from the work tree, where those of our side lie; of the other
side only those that both have are there, so a side that sealed more is refused by name (docs/adr/0006). The result
follows from the two versions alone: its time is that of the later head.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from t2c.ledger.audit.origins import OriginAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import Environment, Internal, Refused
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.faults import Fault
from t2c.ledger.journal.files import sync_folder
from t2c.ledger.journal.parts import first_seq
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import FOLDER, SealRule, listed
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.transfer.merge import carry_out, merged
from t2c.ledger.transfer.plan import CLOSINGS, Plan, plan
from t2c.ledger.transfer.source import JournalSource, unsound

__all__ = ["DriverResult", "merge_versions"]

_NEVER: Final = SealRule(bytes=1 << 62)
_OF_A_MERGE: Final = frozenset({"origin", "id_taken", "alias_unknown"})
"""Faults that a merge makes; any other is that of the side whose event it is, and comes in with it."""


class DriverResult(NamedTuple):
    """What was taken in, and the head of the result."""

    plan: Plan
    seq: int
    hash: str


def merge_versions(ours: Path, theirs: Path, workspace: Path) -> DriverResult:
    """Merge the version in the file `theirs` into that in `ours`, which is replaced as a whole or left as it was.

    `workspace` is the ledger's folder in the work tree. Raises Corrupt if either version is not sound, Refused if a
    side sealed events that are not at hand or is no branch of the same ledger, Environment from the disk.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="t2c-merge-") as made:
            first = _lay_out(ours, workspace, Path(made, "ours"), "our side")
            _lay_out(theirs, workspace, Path(made, "theirs"), "the other side")
            result, found = _merged(Path(made, "ours"), Path(made, "theirs"))
            head = result.head()
            if found.closing or found.events:
                _replace(ours, result, result.position(first - 1) or START)
            return DriverResult(found, head.seq, head.hash)
    except OSError as error:
        raise Environment(
            f"the versions of the journal cannot be merged: {error.strerror}",
            where=str(error.filename or ours),
        ) from error


def _lay_out(version: Path, workspace: Path, folder: Path, whose: str) -> int:
    """Put a version and the segments before it into a folder of its own; returns the first seq of the version."""
    folder.mkdir()
    shutil.copyfile(version, folder / JOURNAL)
    with version.open("rb") as stream:
        first = first_seq(stream.fileno())
    if first is None:
        what = (
            "holds no event: they are all in sealed segments" if version.stat().st_size == 0 else "is damaged"
        )
        raise Refused(f"the journal of {whose} {what}, and cannot be merged as a file", where=whose)
    last = 0
    for segment in listed(workspace / FOLDER):
        if segment.last < first:
            (folder / FOLDER).mkdir(exist_ok=True)
            (folder / FOLDER / segment.path.name).symlink_to(segment.path.resolve())
            last = segment.last
    if last != first - 1:
        raise Refused(
            f"the journal of {whose} begins at seq {first}, and the segment that ends before it is not in this work tree",
            where=f"{whose}, segment …-{first - 1:012d}.ndjson",
        )
    return first


def _merged(ours: Path, theirs: Path) -> tuple[JournalFile, Plan]:
    """Merge in the temporary folders; the result is proven before it is given back."""
    journal = JournalFile(ours / JOURNAL)
    report = verify_chain(journal)
    if report.faults:
        raise unsound("our side", report.faults)
    source = JournalSource(JournalFile(theirs / JOURNAL), "the other side")
    head = journal.tail()
    later = max(head.ts, source.journal.tail().ts)
    clock = FixedClock(datetime.fromisoformat(later))
    with Ledger(ours, clock=clock, durability="none", hold=True, rule=_NEVER, allow_network=True) as ledger:
        if source.ledger != ledger.id():
            raise Refused("the two sides are different ledgers", where=f"{ledger.id()} and {source.ledger}")
        found = plan(ledger, source, _quiet)
        carry_out(ledger, source, found, merged(source, found), _quiet)
    _prove(journal, head.position)
    return journal, found


def _prove(journal: JournalFile, before: Position) -> None:
    """Raise Internal unless the result is sound, and what came in behind `before` keeps what origins promise."""
    audit, found = SchemaAudit(CATALOGUE), list[Fault]()
    origins = OriginAudit(lambda *fault: found.append(Fault(*fault)))
    for _, line, entry in journal.lines():
        event = orjson.loads(line)
        if entry.seq > before.seq:
            audit.visit(entry.seq, line[:-1], event)
        origins.visit(entry.seq, event)
        if entry.type in CLOSINGS and "data" in event and CATALOGUE.knows(entry.type, entry.v):
            origins.merged(entry.seq, event["data"], here=entry.origin is None)
    origins.finish()
    broken = [fault for fault in found if fault.seq > before.seq and fault.kind in _OF_A_MERGE]
    faults = [*verify_chain(journal).faults, *audit.faults, *broken]
    if faults:
        raise Internal(f"the merged journal is not sound: {faults[0].kind}, {faults[0].detail}")


def _quiet(stage: str, done: int, total: int) -> None:
    pass


def _replace(target: Path, journal: JournalFile, after: Position) -> None:
    """Put the lines after a position into `target`, whole or not at all."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as out:
            for _, line, _ in journal.lines(after):
                out.write(line)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
