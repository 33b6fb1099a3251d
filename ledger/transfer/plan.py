"""What a merge would do: which events of the other side are new here, before anything is written (docs/adr/0006).

The other side's events are checked at level schema, against the types and the published schemas (decisions A10).
An event is known if its line, or a line it came from, is a line here or one that an event here came from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
import orjson
from msgspec import Struct, field

from t2c.ledger.audit.published import PublishedAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.chain import MAX_LINE
from t2c.ledger.journal.entry import Entry, Place, decode_entry
from t2c.ledger.journal.faults import Fault
from t2c.ledger.journal.origin import MAX_FORMER, NoOrigin, again, reseal
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.digests import leaf_hash
from t2c.ledger.transfer.citations import NAMING, payload_of
from t2c.ledger.transfer.names import Names
from t2c.ledger.transfer.source import Line, Progress, Source, unsound
from t2c.ledger.transfer.verifier.citing import objects_of, offered_by

__all__ = ["ALONE", "CLOSINGS", "KNOWN", "MAX_ALIASES", "TAKEN", "WITHHELD", "Plan", "common_seq", "plan"]

KNOWN: Final = 0
TAKEN: Final = 1
ALONE: Final = 2
"""Taken in without the rest of its atomic batch, which is not at hand."""
WITHHELD: Final = 3

CLOSINGS: Final = frozenset({"journal.merged", "bundle.imported"})
"""What closes a merge. Closings alone are taken in without another one, so that two sides come to rest."""
MAX_ALIASES: Final = 100_000
_ROOM: Final = 1_024
"""Bytes that an origin adds to a line at most, former places left out."""
_CHUNK: Final = 1_000
_MANY: Final = 20
_EVENT_ID: Final = re.compile(r"EVT-[0-9a-f]{20}")
_CITED: Final = re.compile(rb"EVT-([0-9a-f]{20})")


class Plan(Struct):
    """What becomes of each event of the other side after event `after` (`fates`).

    `common` is the last event that both chains hold at the same place, 0 for another ledger.

    `lowered` if it is another ledger, of which `observed` is taken in as `imported`. `aliases` are [id there, id
    here] of known events that others cite. `wanted` are cited objects that are not here, `offered` those of which nobody
    misses them; `redacted` payloads that events of the other side took out. `closing` is False if there
    is nothing that an event would have to close; `unclosed` if an earlier run was killed before its closing event.
    """

    ledger: str
    common: int
    after: int
    lowered: bool
    head: Position
    fates: bytearray = field(default_factory=bytearray)
    events: int = 0
    known: int = 0
    withheld: int = 0
    by_actor: Counter[str] = field(default_factory=Counter)
    by_type: Counter[str] = field(default_factory=Counter)
    aliases: list[tuple[str, str]] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    offered: set[str] = field(default_factory=set)
    redacted: set[str] = field(default_factory=set)
    unclosed: bool = False

    @property
    def closing(self) -> bool:
        """True if an event has to say what was taken in."""
        only_closings = all(name in CLOSINGS for name in self.by_type)
        tells = self.events > 0 and (not only_closings or self.withheld > 0)
        return tells or bool(self.aliases) or self.unclosed


def plan(ledger: Ledger, source: Source, progress: Progress) -> Plan:
    """Find out what `source` has that is new here.

    Raises Corrupt, naming the first faults, if its events are not what their types say, Refused if it cannot be
    shown to be a branch of this ledger though it says so, or if it cannot be taken in whole.
    """
    with Names() as names:
        planner = _Planner(ledger, source, names)
        lines = source.lines(planner.plan.after)
        total, done = max(0, source.last - planner.plan.after), 0
        while chunk := list(islice(lines, _CHUNK)):
            planner.take(chunk)
            done += len(chunk)
            progress("check", done, total)
        return planner.finish()


def common_seq(ledger: Ledger, source: Source) -> int:
    """The last event that both chains hold at the same place; 0 for another ledger.

    Chains that agree at one place agree before it. Raises Refused if the other side says that it is this ledger
    and cannot be shown to be.
    """
    if source.ledger != ledger.id():
        return 0

    def agree(seq: int) -> bool:
        ours = ledger.journal.position(seq)
        return ours is not None and ours.hash == source.hash_at(seq)

    low, high = max(1, source.first - 1), min(ledger.head().seq, source.last)
    if low > high or not agree(low):
        raise Refused(
            f"{source.name} says that it is of this ledger, and event {low} is not the same",
            where=f"seq {low}",
            safe="nothing was written",
            remedy="export it again from an earlier seq, so that it begins with events that are here"
            if source.first > 1
            else "compare both with `t2c ledger verify`: one of them was made anew",
        )
    while low < high:
        middle = (low + high + 1) // 2
        if agree(middle):
            low = middle
        else:
            high = middle - 1
    return low


class _Planner:
    def __init__(self, ledger: Ledger, source: Source, names: Names) -> None:
        self._ledger = ledger
        self._source = source
        self._names = names
        tail = ledger.journal.tail()
        self._last_here = tail.position.offset - len(tail.line) - 1
        self._schema = SchemaAudit(CATALOGUE)
        self._published = PublishedAudit()
        self._faults: list[Fault] = []
        self._batch: list[int] = []
        self._size = 0
        self._payloads: set[str] = set()
        self._wanted: dict[str, None] = {}
        self._told: dict[str, str] = {}
        self._sealed: set[str] = set()
        common = common_seq(ledger, source)
        # The first event of another ledger is its own beginning and nobody else's.
        after = max(common, source.first - 1, 1)
        self.plan = Plan(source.ledger, common, after, source.ledger != ledger.id(), tail.position)

    def take(self, chunk: list[Line]) -> None:
        """Say of each line what becomes of it."""
        for item in chunk:
            if item.entry is None or item.line is None:
                self.plan.fates.append(WITHHELD)
            else:
                places = self._places(item.seq, item.line, item.entry)
                if places is None:
                    continue
                fate = self._fate(item, item.entry, places)
                self.plan.fates.append(fate)
                if fate == TAKEN:
                    # What is known was checked when it came in.
                    self._check(item.seq, item.line, item.entry)
                self._note_citations(item.line, item.entry, places)
            self._follow_batch(item)
        found = len(self._faults) + len(self._schema.faults) + len(self._published.faults)
        if found >= _MANY:
            raise self._unsound()

    def finish(self) -> Plan:
        """The whole plan, once every line was taken."""
        if self._faults or self._schema.faults or self._published.faults:
            raise self._unsound()
        self._break_batch()
        for _, content in self._source.objects(self._payloads):
            self._names.cite(map(bytes.fromhex, (name.decode() for name in _CITED.findall(content))))
        found = self.plan
        for there, here in self._names.aliases():
            if self._ledger.index.offset(_named(there), found.head) is None:
                found.aliases.append((_named(there), _named(here)))
                if len(found.aliases) > MAX_ALIASES:
                    raise Refused(
                        f"more than {MAX_ALIASES:,} events that are here already are cited by other ids",
                        safe="nothing was written",
                        remedy="merge in the other direction, or in parts: first an earlier state of the other side",
                    )
        counts = Counter(found.fates)
        found.events, found.known = counts[TAKEN] + counts[ALONE], counts[KNOWN]
        found.withheld = counts[WITHHELD]
        found.wanted = [name for name in self._wanted if not self._is_sealed(name)]
        return found

    def _unsound(self) -> Exception:
        return unsound(self._source.name, [*self._faults, *self._schema.faults, *self._published.faults])

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        self._faults.append(Fault(seq, kind, detail))

    def _places(self, seq: int, line: bytes, entry: Entry) -> tuple[Place, ...] | None:
        """The places that an event came from, proven; None, and a fault, if its own line or the old one is not it."""
        origin = entry.origin
        places = () if origin is None else origin.places
        if not all(_EVENT_ID.fullmatch(name) for name in (entry.id, *(place.id for place in places))):
            self._fault(seq, "envelope", "what it names as its id is none")
            return None
        try:
            if reseal(entry).line != line:
                self._fault(seq, "edited", f"seq {seq} does not fit its own id, or holds what no event holds")
                return None
            made = None if origin is None else again(entry)
        except (NoOrigin, Usage) as error:
            self._fault(seq, "origin", str(error))
            return None
        if origin is not None and made is not None and (made.hash, made.id) != (origin.hash, origin.id):
            self._fault(
                seq, "origin", f"the line that it came from, seq {origin.seq}, does not hash to its origin"
            )
        return places

    def _check(self, seq: int, line: bytes, entry: Entry) -> None:
        """Check an event that is new here against its type, by both ways, and whether it can be taken in."""
        try:
            event = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self._fault(seq, "schema", f"the line is not plain JSON: {error}")
            return
        before = len(self._schema.faults)
        self._schema.visit(seq, line, event)
        if len(self._schema.faults) == before:
            self._published.visit(seq, event)
        if entry.type == "journal.opened":
            self._fault(seq, "second_genesis", "journal.opened stands inside the chain")
        places = () if entry.origin is None else entry.origin.places
        if entry.trust == "observed" and any(place.ledger != self._source.ledger for place in places):
            self._fault(seq, "trust", "an event of another ledger is at most imported")
        if len(places) > MAX_FORMER or len(line) + _ROOM >= MAX_LINE:
            self._too_long(seq)

    def _too_long(self, seq: int) -> None:
        raise Refused(
            f"event {seq} of {self._source.name} is too long to be taken in: where it came from has to be said in it",
            where=f"seq {seq}",
            safe="nothing was written",
            remedy="nothing can be done about an event so near the limit of a line; export the others as a range",
        )

    def _fate(self, item: Line, entry: Entry, places: tuple[Place, ...]) -> int:
        hashes = {item.hash, *(place.hash for place in places)}
        ids = (entry.id, *(place.id for place in places))
        offsets = [self._ledger.index.offset(name, self.plan.head) for name in ids]
        packed = [bytes.fromhex(name[4:]) for name in ids]
        here = next((offset for offset in offsets if offset is not None), None)
        if here is None:
            if not self._names.claim(packed, None):
                return KNOWN
            self.plan.by_actor[str(entry.actor)] += 1
            self.plan.by_type[entry.type] += 1
            return TAKEN
        line = self._ledger.journal.line_at(here)
        ours = decode_entry(line)
        there = ours.origin
        if hashes.isdisjoint({leaf_hash(line), *(place.hash for place in (there.places if there else ()))}):
            self._fault(item.seq, "id_taken", f"{entry.id} is the id of another event here, seq {ours.seq}")
        self.plan.unclosed |= here == self._last_here and there is not None and ours.type not in CLOSINGS
        unresolved = [name for name, offset in zip(packed, offsets, strict=True) if offset is None]
        self._names.claim(unresolved, bytes.fromhex(ours.id[4:]))
        return KNOWN

    def _note_citations(self, line: bytes, entry: Entry, places: tuple[Place, ...]) -> None:
        if entry.data_hash is not None:
            self._payloads.add(entry.data_hash)
            self._want(entry.data_hash)
        elif entry.type == "payload.redacted":
            self.plan.redacted.update(_redacted(entry))
        elif entry.type in NAMING:
            self._note_objects(entry, places)
        if entry.type in CLOSINGS:
            for there, here in _aliases(entry):
                self._names.cite([here])
                stands_for = self._names.stands_for(here)
                if stands_for is not None:
                    self._names.claim([there], stands_for)
            return
        own = {entry.id[4:].encode(), *(place.id[4:].encode() for place in places)}
        cited = {name for name in _CITED.findall(line) if name not in own}
        if cited:
            self._names.cite(bytes.fromhex(name.decode()) for name in cited)

    def _note_objects(self, entry: Entry, places: tuple[Place, ...]) -> None:
        payload = payload_of(entry.data)
        if payload.sealed is True:
            self._sealed.update((entry.id, *(place.id for place in places)))
        for digest in objects_of(entry.type, payload.member):
            self._want(digest)
            if isinstance(payload.asked, str):
                self._told[digest] = payload.asked
        for digest in offered_by(entry.type, payload.member):
            self._want(digest)
            self.plan.offered.add(digest)

    def _want(self, digest: str) -> None:
        if not self._ledger.objects.has(digest):
            self._wanted[digest] = None

    def _is_sealed(self, name: str) -> bool:
        """True if a name is a commitment to what a model said: as its question says, or the bundle."""
        asked = self._told.get(name)
        if asked is None:
            return False
        if asked in self._sealed or name in self._source.sealed:
            return True
        offset = self._ledger.index.offset(asked, self.plan.head)
        here = None if offset is None else decode_entry(self._ledger.journal.line_at(offset))
        return here is not None and payload_of(here.data).sealed is True

    def _follow_batch(self, item: Line) -> None:
        """Keep atomic batches whole; an event whose batch is not at hand as a whole is taken in alone."""
        part = None if item.entry is None else item.entry.batch
        at = len(self.plan.fates) - 1
        if part is None or part != (len(self._batch) + 1, self._size or part[1]):
            self._break_batch()
        if part is not None:
            self._size = part[1]
            self._batch.append(at)
            if part[0] != len(self._batch):
                self._break_batch()
            elif part[0] == part[1]:
                if any(self.plan.fates[place] != TAKEN for place in self._batch):
                    self._break_batch()
                self._batch.clear()
                self._size = 0

    def _break_batch(self) -> None:
        for place in self._batch:
            if self.plan.fates[place] == TAKEN:
                self.plan.fates[place] = ALONE
        self._batch.clear()
        self._size = 0


class _Aliases(msgspec.Struct):
    aliases: list[tuple[str, str]] = []


class _Redacted(msgspec.Struct):
    data_hash: str


def _aliases(entry: Entry) -> Iterator[tuple[bytes, bytes]]:
    try:
        pairs = msgspec.json.decode(entry.data, type=_Aliases).aliases
    except msgspec.DecodeError:
        return
    for there, here in pairs:
        yield bytes.fromhex(there[4:]), bytes.fromhex(here[4:])


def _redacted(entry: Entry) -> list[str]:
    try:
        return [msgspec.json.decode(entry.data, type=_Redacted).data_hash]
    except msgspec.DecodeError:
        return []


def _named(name: bytes) -> str:
    return f"EVT-{name.hex()}"
