"""One pass over the journal feeds every projection asked for; snapshots make a refresh cost the new events.

A snapshot is trusted only if it is of this projection and version, whole, and if the journal still holds the
line that it was taken after (journal-engine §8). It decides nothing: without it the same states come out of
the journal alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.catalogue import CATALOGUE, Catalogue
from t2c.ledger.journal.entry import Entry, Origin
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.collector import collector_paused
from t2c.projections.base import Artifacts, EnvelopeReader, Inputs, Journal, Projection, Provenance
from t2c.projections.fold.snapshot import Fault, Snapshot, load, save

__all__ = ["MAX_FAULTS", "SNAPSHOT_AFTER", "Fault", "Folded", "fold", "fold_at"]

SNAPSHOT_AFTER: Final = 4096
"""Events that must have been folded before a new snapshot is worth writing."""
MAX_FAULTS: Final = 100
"""Faults of one projection that are kept with their text; all are counted."""

_UNUSABLE: Final = (ValueError, msgspec.MsgspecError, RecursionError)

Step = Callable[[Any, Entry], None]


class Folded(Struct, frozen=True):
    """The states of the projections asked for (and of their inputs) after `position`.

    `resumed` says for each after which seq its snapshot was taken (0: folded from the start), that is, up to
    where the journal was trusted and not read. `faults` holds the first MAX_FAULTS events that a projection
    could not use, `fault_counts` how many there were. `unknown` counts events whose type or version this
    program does not know, `withheld` those whose payload is not in the journal, both by type. `foreign` counts by
    ledger what came from other ones: it speaks of other repositories, so no view takes it in.
    """

    position: Position
    ts: str | None
    states: Mapping[str, Any]
    resumed: Mapping[str, int]
    faults: Mapping[str, tuple[Fault, ...]]
    fault_counts: Mapping[str, int]
    unknown: Mapping[str, int]
    withheld: Mapping[str, int]
    foreign: Mapping[str, int]
    projections: Mapping[str, Projection[Any]]
    made: dict[str, Any] = field(default_factory=dict)

    def artifacts(self, name: str) -> Artifacts:
        """The files of one projection. Raises Usage if the journal holds no event."""
        if self.ts is None:
            raise Usage(
                "the journal holds no event yet", remedy="record something first, for example with `t2c scan`"
            )
        return self.projections[name].finish(self.states[name], Inputs(self.ts, self.states, self.made))

    def provenance(self, name: str) -> Provenance:
        """What `projection.json` will say of the files of one projection."""
        projection = self.projections[name]
        inputs = {other: self.projections[other].version for other in sorted(projection.inputs)}
        return Provenance(name, projection.version, self.position.seq, self.position.hash, inputs)


class _Lane(Struct):
    """One projection on its way through the journal."""

    projection: Projection[Any]
    state: Any
    after: Position = START
    faults: list[Fault] = field(default_factory=list)
    fault_count: int = 0

    def fault(self, seq: int, error: Exception) -> None:
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(seq, str(error)))


class _Census(Struct):
    """What a fold knows of the journal apart from any projection."""

    ts: str | None = None
    unknown: dict[str, int] = field(default_factory=dict)
    withheld: dict[str, int] = field(default_factory=dict)
    foreign: dict[str, int] = field(default_factory=dict)


def fold(
    journal: Journal,
    projections: Mapping[str, Projection[Any]],
    names: Iterable[str],
    *,
    until: int | None = None,
    cache: Path | None = None,
    snapshot_after: int = SNAPSHOT_AFTER,
    catalogue: Catalogue = CATALOGUE,
) -> Folded:
    """Fold the journal up to its head, or up to and with seq `until`, into the projections named.

    `cache` is the folder of snapshots: those there are taken up where they fit, and new ones are written
    after a fold up to the head that took in at least `snapshot_after` events. Raises Usage for an unknown
    name or seq, Conflict if the journal changes under the fold, and what the journal raises.
    """
    target = _target(journal, until)
    lanes, census = _lanes(journal, _closure(projections, names), target, cache)
    reader = _Pass(catalogue, census, journal)
    stops = sorted({lane.after for lane in lanes} | {target})
    with collector_paused():
        for start, end in pairwise(stops):
            reader.read(
                journal.entries(start, end.seq), [lane for lane in lanes if lane.after.seq <= start.seq], end
            )
    if cache is not None and until is None:
        for lane in lanes:
            if target.seq - lane.after.seq >= snapshot_after:
                save(cache, lane.projection, _header(lane, target, census), lane.state)
    return _folded(target, lanes, census, projections)


def fold_at(
    journal: Journal,
    projections: Mapping[str, Projection[Any]],
    names: Iterable[str],
    seqs: Iterable[int],
    *,
    catalogue: Catalogue = CATALOGUE,
) -> Iterator[Folded]:
    """The projections named after each of `seqs`, the lowest first: one reading from the first event, no snapshot.

    The states are those of the reading itself, so what is yielded holds until the next is asked for. Raises as
    `fold` does.
    """
    wanted = _closure(projections, names)
    lanes, census = _lanes(journal, wanted, START, None)
    reader = _Pass(catalogue, census, journal)
    at = START
    for seq in sorted(set(seqs)):
        target = _target(journal, seq)
        with collector_paused():
            reader.read(journal.entries(at, target.seq), lanes, target)
        at = target
        yield _folded(target, lanes, census, projections)


def _folded(
    target: Position, lanes: list[_Lane], census: _Census, projections: Mapping[str, Projection[Any]]
) -> Folded:
    return Folded(
        position=target,
        ts=census.ts,
        states={lane.projection.name: lane.state for lane in lanes},
        resumed={lane.projection.name: lane.after.seq for lane in lanes},
        faults={lane.projection.name: tuple(lane.faults) for lane in lanes},
        fault_counts={lane.projection.name: lane.fault_count for lane in lanes},
        unknown=dict(sorted(census.unknown.items())),
        withheld=dict(sorted(census.withheld.items())),
        foreign=dict(sorted(census.foreign.items())),
        projections=projections,
    )


def _target(journal: Journal, until: int | None) -> Position:
    head = journal.head()
    if until is None or until == head.seq:
        return head
    found = journal.position(until) if 1 <= until < head.seq else None
    if found is None:
        raise Usage(f"there is no event {until}", remedy=f"name a seq from 1 to {head.seq}")
    return found


def _closure(projections: Mapping[str, Projection[Any]], names: Iterable[str]) -> list[Projection[Any]]:
    """The projections named and all that they read, in byte order."""
    wanted: dict[str, Projection[Any]] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in wanted:
            continue
        if name not in projections:
            raise Usage(
                f"there is no projection {name!r}", remedy=f"choose one of {', '.join(sorted(projections))}"
            )
        wanted[name] = projections[name]
        waiting += projections[name].inputs
    return [wanted[name] for name in sorted(wanted)]


def _lanes(
    journal: Journal, projections: list[Projection[Any]], target: Position, cache: Path | None
) -> tuple[list[_Lane], _Census]:
    """Each projection where it can start, and the census as of the earliest start."""

    def trusted(position: Position) -> bool:
        return 1 <= position.seq <= target.seq and journal.holds(position)

    lanes: list[_Lane] = []
    earliest: Snapshot | None = None
    for projection in projections:
        found = None if cache is None else load(cache, projection, trusted)
        if found is None:
            lanes.append(_Lane(projection, projection.start()))
            continue
        header, state = found
        lanes.append(_Lane(projection, state, header.position, header.faults, header.fault_count))
        if earliest is None or header.seq < earliest.seq:
            earliest = header
    if earliest is None or any(lane.after == START for lane in lanes):
        return lanes, _Census()
    return lanes, _Census(earliest.ts, earliest.unknown, earliest.withheld, earliest.foreign)


def _header(lane: _Lane, target: Position, census: _Census) -> Snapshot:
    return Snapshot(
        name=lane.projection.name,
        version=lane.projection.version,
        seq=target.seq,
        head=target.hash,
        offset=target.offset,
        ts=census.ts or "",
        faults=lane.faults,
        fault_count=lane.fault_count,
        unknown=census.unknown,
        withheld=census.withheld,
        foreign=census.foreign,
    )


class _Opened(msgspec.Struct):
    ledger: str


class _Pass:
    """Hands each event to those who want it, once it is known to be readable."""

    def __init__(self, catalogue: Catalogue, census: _Census, journal: Journal) -> None:
        self._catalogue = catalogue
        self._census = census
        self._journal = journal
        self._ledger: str | None = None
        self._known: dict[tuple[str, int], bool] = {}

    def read(self, entries: Iterator[Entry], lanes: list[_Lane], end: Position) -> None:
        """Feed `entries` to `lanes`. Raises Conflict if they do not end with event `end.seq`."""
        notes = [
            (lane.projection.note, lane.state)
            for lane in lanes
            if isinstance(lane.projection, EnvelopeReader)
        ]
        table: dict[str, list[tuple[Step, Any, _Lane]]] = {}
        last: Entry | None = None
        for entry in entries:
            if last is None and entry.seq == 1:
                self._opened(entry)
            last = entry
            for note, state in notes:
                note(state, entry)
            if entry.origin is not None and not entry.is_ours(self._own()):
                self._foreign(entry.origin)
                continue
            hands = table.get(entry.type)
            if hands is None or entry.v != 1 or entry.data_hash is not None:
                if not self._readable(entry):
                    continue
                hands = [
                    (lane.projection.step, lane.state, lane)
                    for lane in lanes
                    if entry.type in lane.projection.handles
                ]
                if (entry.type, entry.v) in self._catalogue.upcasts:
                    try:
                        entry = self._lifted(entry)
                    except (*_UNUSABLE, LookupError, TypeError) as error:
                        for _, _, lane in hands:
                            lane.fault(entry.seq, error)
                        continue
                elif entry.v == 1:
                    table[entry.type] = hands
            for step, state, lane in hands:
                try:
                    step(state, entry)
                except _UNUSABLE as error:
                    lane.fault(entry.seq, error)
        if last is None or last.seq != end.seq:
            raise Conflict(
                f"the journal ended before event {end.seq} while it was being read",
                safe="nothing was written",
                remedy="run the command again",
            )
        self._census.ts = last.ts

    def _opened(self, first: Entry) -> None:
        with suppress(msgspec.DecodeError):
            self._ledger = msgspec.json.decode(first.data, type=_Opened).ledger

    def _own(self) -> str | None:
        """The id of the ledger; a pass that began later looks at the first event for it."""
        if self._ledger is None:
            for entry in self._journal.entries(None, 1):
                self._opened(entry)
        return self._ledger

    def _foreign(self, origin: Origin) -> None:
        ledger = next(
            (place.ledger for place in origin.places if place.ledger != self._ledger), origin.ledger
        )
        self._census.foreign[ledger] = self._census.foreign.get(ledger, 0) + 1

    def _readable(self, entry: Entry) -> bool:
        """True if the payload is there and of a type and version that are known; else it is counted."""
        kind = (entry.type, entry.v)
        known = self._known.get(kind)
        if known is None:
            # Version 1 of a listed type is known without loading the module that defines it.
            listed = entry.type in self._catalogue.locations
            known = self._known[kind] = listed and (entry.v == 1 or self._catalogue.knows(*kind))
        if not known:
            name = f"{entry.type} v{entry.v}"
            self._census.unknown[name] = self._census.unknown.get(name, 0) + 1
        elif entry.data_hash is not None:
            self._census.withheld[entry.type] = self._census.withheld.get(entry.type, 0) + 1
        else:
            return True
        return False

    def _lifted(self, entry: Entry) -> Entry:
        """The event as the current version of its type has it."""
        data = self._catalogue.lift(entry.type, entry.v, msgspec.json.decode(entry.data, type=dict[str, Any]))
        version = entry.v
        while (entry.type, version) in self._catalogue.upcasts:
            version += 1
        return msgspec.structs.replace(entry, data=msgspec.Raw(canonical(data)), v=version)
