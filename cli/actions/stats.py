"""`t2c ledger stats`: what the journal is made of, counted in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.journal.entry import ActorPart, Entry
from t2c.ledger.journal.parts import open_parts

__all__ = [
    "Amount",
    "Batches",
    "FileSize",
    "Line",
    "Live",
    "Objects",
    "Payloads",
    "Runs",
    "StatsResult",
    "stats",
]

_PROGRESS: Final = 1 << 14
_POINT: Final = 1 << 13


@dataclass(frozen=True, slots=True)
class Amount:
    """How many events, and how many bytes their lines have, LF included."""

    events: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the journal: its event and its bytes, LF included."""

    seq: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Runs:
    """How many runs there were, and how many events belong to one."""

    runs: int
    events: int


@dataclass(frozen=True, slots=True)
class Batches:
    """How many atomic batches there were, and how many events are part of one."""

    batches: int
    events: int


@dataclass(frozen=True, slots=True)
class Payloads:
    """Payloads that lie outside their lines: how many there are, and how many of them are not to be had."""

    apart: int
    withheld: int


@dataclass(frozen=True, slots=True)
class FileSize:
    """A file of the journal, by its path in the workspace."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Objects:
    """How many objects there are, and their bytes."""

    objects: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Live:
    """How many records and relations stand as evidence."""

    records: int
    relations: int


@dataclass(frozen=True, slots=True)
class StatsResult:
    """What the journal held after event `seq`; `files` and `objects` are those on disk now.

    Maps are in the order of their keys: `actors` by KIND:ID, `days` in UTC, `origins` by the ledger that events
    came from. `unknown` are types or versions that this version of t2c does not know. `live` is None where it
    would cost another pass: without a snapshot, and as of an earlier event.
    """

    schema: ClassVar[str] = "t2c.stats/v1"
    ledger: str
    seq: int
    head: str
    total: Amount
    first: str
    last: str
    types: Mapping[str, Amount]
    actors: Mapping[str, Amount]
    trust: Mapping[str, Amount]
    days: Mapping[str, Amount]
    origins: Mapping[str, Amount]
    unknown: Mapping[str, int]
    runs: Runs
    batches: Batches
    payloads: Payloads
    largest: Line
    files: Sequence[FileSize]
    objects: Objects
    live: Live | None


_Kind = tuple[str, int, ActorPart, str, str]


class _Count:
    """What is counted of each line: one look-up by all that is common, the rest only where it is there."""

    def __init__(self, held: Callable[[str], bool]) -> None:
        self._held = held
        self.kinds: dict[_Kind, list[int]] = {}
        self.runs: dict[str, int] = {}
        self.origins: dict[str, list[int]] = {}
        self.batches = self.in_batches = self.apart = self.withheld = 0
        self.largest = Line(0, 0)
        self.first = self.last = ""

    def take(self, size: int, entry: Entry) -> None:
        kind = (entry.type, entry.v, entry.actor, entry.trust, entry.ts[:10])
        amount = self.kinds.get(kind)
        if amount is None:
            self.kinds[kind] = [1, size]
        else:
            amount[0] += 1
            amount[1] += size
        if size > self.largest.bytes:
            self.largest = Line(entry.seq, size)
        if entry.run is not None:
            self.runs[entry.run] = self.runs.get(entry.run, 0) + 1
        if entry.batch is not None:
            self.in_batches += 1
            self.batches += entry.batch[0] == 1
        if entry.data_hash is not None:
            self.apart += 1
            self.withheld += not self._is_held(entry.data_hash)
        if entry.origin is not None:
            came = self.origins.setdefault(entry.origin.ledger, [0, 0])
            came[0] += 1
            came[1] += size
        self.first = self.first or entry.ts
        self.last = entry.ts

    def _is_held(self, digest: str) -> bool:
        try:
            return self._held(digest)
        except Usage:  # damage of the line's form is for `verify` to name
            return False

    def by(self, key: Callable[[_Kind], str]) -> dict[str, Amount]:
        sums: dict[str, list[int]] = {}
        for kind, (events, size) in self.kinds.items():
            into = sums.setdefault(key(kind), [0, 0])
            into[0] += events
            into[1] += size
        return _amounts(sums)


def stats(context: Context, at: str | None = None) -> StatsResult:
    """Count what the journal is made of, up to the head or to the moment `at`.

    Raises Usage for what is no moment, Corrupt for a journal that is damaged before it.
    """
    with open_ledger(context) as ledger:
        head = with_events(ledger)
        until = head if at is None else resolve(context, ledger, at).position
        count = _Count(ledger.objects.has)
        for _, line, entry in ledger.journal.lines(until=until.seq):
            count.take(len(line), entry)
            if not entry.seq % _PROGRESS:
                context.progress("stats", entry.seq, until.seq)
        total = count.by(lambda kind: "")[""]
        return StatsResult(
            ledger=ledger.id(),
            seq=until.seq,
            head=until.hash,
            total=total,
            first=count.first,
            last=count.last,
            types=count.by(lambda kind: kind[0]),
            actors=count.by(lambda kind: str(kind[2])),
            trust=count.by(lambda kind: kind[3]),
            days=count.by(lambda kind: kind[4]),
            origins=_amounts(count.origins),
            unknown=_unknown(count.kinds),
            runs=Runs(len(count.runs), sum(count.runs.values())),
            batches=Batches(count.batches, count.in_batches),
            payloads=Payloads(count.apart, count.withheld),
            largest=count.largest,
            files=_files(ledger),
            objects=_objects(ledger),
            live=_live(ledger) if until == head else None,
        )


def _amounts(sums: Mapping[str, Sequence[int]]) -> dict[str, Amount]:
    return {name: Amount(*sums[name]) for name in sorted(sums)}


def _unknown(kinds: Mapping[_Kind, Sequence[int]]) -> dict[str, int]:
    from t2c.ledger.events.catalogue import CATALOGUE

    found: dict[str, int] = {}
    for (name, version, *_), (events, _) in kinds.items():
        # Version 1 of a type that has a place in the catalogue is known without loading the type.
        if not (name in CATALOGUE.locations and version == 1) and not CATALOGUE.knows(name, version):
            label = f"{name} v{version}"
            found[label] = found.get(label, 0) + events
    return dict(sorted(found.items()))


def _files(ledger: Ledger) -> list[FileSize]:
    with open_parts(ledger.journal.path, ledger.journal.segments, _POINT) as parts:
        return [
            FileSize(part.path.relative_to(ledger.workspace).as_posix(), part.end - part.base)
            for part in parts.all
        ]


def _objects(ledger: Ledger) -> Objects:
    count = size = 0
    for digest in ledger.objects.digests():
        count += 1
        size += ledger.objects.path(digest).stat().st_size
    return Objects(count, size)


def _live(ledger: Ledger) -> Live | None:
    from t2c.ledger import standing
    from t2c.ledger.commands.evidence import STATE_VERSION

    if not (ledger.cache / "states" / f"evidence.v{STATE_VERSION}.msgpack").exists():
        return None
    state = standing.load(ledger).state
    return Live(len(state.records), len(state.relations))
