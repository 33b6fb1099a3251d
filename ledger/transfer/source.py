"""The other side of a merge: a chain of events that is read and never written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple, Protocol

from t2c.ledger.errors import Corrupt, T2cError, Usage
from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.journal.faults import Fault
from t2c.ledger.journal.position import START
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["JournalSource", "Line", "Progress", "Source", "ledger_of", "unsound", "unsound_bundle"]

_SHOWN: Final = 10

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""


class Line(NamedTuple):
    """One line of the other side. Of a withheld one only the hash is there."""

    seq: int
    hash: str
    line: bytes | None
    entry: Entry | None


class Source(Protocol):
    """A chain that was proven at level chain when it was opened: events `first` to `last` of `ledger`.

    `hash` is the last line's, `root` the Merkle root over all lines up to it. `sealed` are commitments that it is known
    to hold in the place of objects, beside those that its lines tell of.
    """

    @property
    def name(self) -> str: ...
    @property
    def ledger(self) -> str: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def root(self) -> str: ...
    @property
    def sealed(self) -> Collection[str]: ...

    def hash_at(self, seq: int) -> str | None:
        """The hash of line `seq`, from `first` − 1 on; None if that line is not there."""
        ...

    def lines(self, after: int) -> Iterator[Line]:
        """The lines after event `after`, in order."""
        ...

    def objects(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """(digest, bytes) of those of these objects that are there and fit their names."""
        ...


class JournalSource:
    """A journal on disk, up to where it ended when it was opened."""

    first = 1
    sealed: Collection[str] = ()

    def __init__(
        self,
        journal: JournalFile,
        name: str,
        *,
        objects: Callable[[Collection[str]], Iterator[tuple[str, bytes]]] = lambda wanted: iter(()),
        progress: Progress = lambda stage, done, total: None,
    ) -> None:
        """Prove the chain. Raises Corrupt, naming the first faults, if it is not sound; Usage if there is none."""
        self.name = name
        self.journal = journal
        self._objects = objects
        report = verify_chain(journal, progress=lambda done, total: progress("verify", done, total))
        if report.faults:
            raise unsound(name, report.faults)
        self.last, self.hash, _ = report.position
        self.root = report.root
        self.ledger = ledger_of(journal, name)

    def hash_at(self, seq: int) -> str | None:
        position = self.journal.position(seq)
        return None if position is None else position.hash

    def lines(self, after: int) -> Iterator[Line]:
        position = self.journal.position(after)
        for _, line, entry in self.journal.lines(position or START, self.last):
            bare = line[:-1]
            yield Line(entry.seq, leaf_hash(bare), bare, entry)

    def objects(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        return self._objects(wanted)


def ledger_of(journal: JournalFile, name: str) -> str:
    """The id of the ledger that a journal belongs to. Raises Corrupt if its first event does not say it."""
    from pydantic import ValidationError

    from t2c.ledger.events.journal import JournalOpened

    entry = decode_entry(journal.line_at(0))
    if entry.type == "journal.opened":
        try:
            return JournalOpened.decode(bytes(entry.data)).ledger
        except ValidationError:
            pass
    raise unsound(name, [Fault(1, "foreign_start", "the first event does not name a ledger")])


def unsound(name: str, faults: list[Fault]) -> T2cError:
    """What to raise when the other side has faults. Nothing of it was taken in."""
    if len(faults) == 1 and faults[0].kind == "empty":
        return Usage(f"{name} holds no ledger", safe="nothing was written")
    first = sorted(faults)[:_SHOWN]
    said = "; ".join(f"seq {fault.seq} {fault.kind}: {fault.detail}" for fault in first[:3])
    more = "" if len(faults) <= 3 else f"; and {len(faults) - 3} more"
    return Corrupt(
        f"the other side is not sound: {said}{more}",
        where=f"{name}, seq {first[0].seq}",
        safe="nothing of it was taken in",
        remedy="run `t2c ledger verify` on it, and restore it from a backup or a bundle",
        faults=[{"seq": fault.seq, "kind": fault.kind, "detail": fault.detail} for fault in first],
    )


def unsound_bundle(name: str, faults: list[tuple[str, str, str]]) -> Corrupt:
    """The same for a bundle, whose faults (kind, where, detail) may be of any of its files."""
    said = "; ".join(f"{where} {kind}: {detail}" for kind, where, detail in faults[:3])
    more = "" if len(faults) <= 3 else f"; and {len(faults) - 3} more"
    return Corrupt(
        f"the bundle is not sound: {said}{more}",
        where=name,
        safe="nothing of it was taken in",
        remedy="run `python3 verify.py` on it for the whole list, and ask its sender for another copy",
        faults=[{"kind": kind, "where": where, "detail": detail} for kind, where, detail in faults[:_SHOWN]],
    )
