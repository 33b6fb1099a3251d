"""`t2c ledger replay`: the whole journal from its first event, told and compared with what is on disk. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import Moment, resolve
from t2c.cli.actions.ondisk import Compared, OnDisk
from t2c.cli.actions.ondisk_index import compare_index
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.story import Chapter, Story
from t2c.ledger.commands.evidence import EvidenceState
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.digests import ZERO, leaf_hash
from t2c.ledger.standing import take
from t2c.projections.fold import fold_at
from t2c.projections.registry import ALL

__all__ = ["ReplayResult", "replay"]

_LEAVES: Final = 4096 * 32


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """`ok` if nothing on disk differs from what the journal makes of it. `root` is the Merkle root up to `seq`.

    `story` holds the chapters in order; `compared` everything beside the journal, `differences` counts those that
    differ. `faults` are events that a view could not use, `unknown` counts events of types that this version does
    not know, `withheld` those whose payload is not in the journal. `unfinished` says what hangs over the end.
    """

    schema: ClassVar[str] = "t2c.replay/v1"
    ledger: str
    seq: int
    ts: str
    how: str
    hash: str
    root: str
    ok: bool
    differences: int
    story: Sequence[Chapter]
    compared: Sequence[Mapping[str, Any]]
    faults: Sequence[Mapping[str, Any]]
    unknown: Mapping[str, int]
    withheld: Mapping[str, int]
    unfinished: str | None


def replay(context: Context, to: str = "head") -> ReplayResult:
    """Fold the journal from its first event up to a moment, leaving every cache aside, and compare.

    The chain is checked on the way. Raises Usage for what is no moment, Corrupt for a damaged journal.
    """
    with open_ledger(context) as ledger:
        identity = ledger.id()
        moment = resolve(context, ledger, to, cached=False)
        on_disk = OnDisk(context, ledger, moment.position)
        reading = _Reading(context, ledger, moment, on_disk.decided)
        folded = None
        for folded in fold_at(reading, ALL, ALL, {*on_disk.seqs, moment.seq}):
            on_disk.compare(folded, reading.state, reading.root())
        assert folded is not None, "the moment itself is one of the places"
        tail = ledger.journal.tail()
        compared = [*on_disk.rows, *compare_index(ledger, moment.position)]
        differences = sum(1 for row in compared if row.status == "differs")
        return ReplayResult(
            ledger=identity,
            seq=moment.seq,
            ts=moment.ts or "",
            how=moment.how,
            hash=moment.position.hash,
            root=reading.root().hex(),
            ok=not differences,
            differences=differences,
            story=reading.story.chapters(),
            compared=[row._asdict() for row in sorted(compared, key=_order)],
            faults=[
                {"projection": name, "seq": fault.seq, "detail": fault.detail}
                for name, faults in sorted(folded.faults.items())
                for fault in faults
            ],
            unknown=folded.unknown,
            withheld=folded.withheld,
            unfinished=None if tail.overhang is None else tail.overhang.cause,
        )


def _order(row: Compared) -> tuple[str, int, str]:
    return row.file, row.seq or 0, row.detail


class _Reading:
    """The journal as a fold reads it, once: on the way the story is told, the chain checked and the tree grown."""

    def __init__(self, context: Context, ledger: Ledger, moment: Moment, decided: int) -> None:
        self._context = context
        self._journal = ledger.journal
        self._until = moment.seq
        self._decided = decided
        self._last = ZERO
        self._leaves = bytearray()
        self._tree = Frontier()
        self.story = Story()
        self.state = EvidenceState()

    def root(self) -> bytes:
        """The Merkle root over what was read so far."""
        self._tree.extend(bytes(self._leaves))
        self._leaves.clear()
        return self._tree.root()

    def head(self) -> Position:
        return self._journal.head()

    def position(self, seq: int) -> Position | None:
        return self._journal.position(seq)

    def holds(self, position: Position) -> bool:
        return self._journal.holds(position)

    def entries(self, after: Position | None, until: int | None) -> Iterator[Entry]:
        for offset, line, entry in self._journal.lines(after or START, until):
            if entry.prev != self._last:
                what = f"seq {entry.seq} says that it follows another line than seq {entry.seq - 1}"
                raise damaged(what, f"seq {max(entry.seq - 1, 1)}")
            self._last = leaf_hash(line[:-1])
            self._leaves += bytes.fromhex(self._last)
            if len(self._leaves) >= _LEAVES:
                self.root()
                self._context.progress("replay", entry.seq, self._until)
            self.story.add(entry)
            if entry.seq <= self._decided:
                take(self.state, offset, entry)
            yield entry
