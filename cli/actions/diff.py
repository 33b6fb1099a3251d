"""`t2c ledger diff A B`: what changed between two moments of the ledger, and by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import msgspec
import orjson

from t2c.cli.actions.changes import HANDLED, RecordAt, Stood, Touched, differences, same_content, usable
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import Moment, resolve
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.entry import Entry

__all__ = ["DiffResult", "diff"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DiffResult:
    """What is different at `b` compared with `a`; `reversed` says that `b` is the earlier of the two.

    `events` counts what was recorded between them by type, `actors` by who recorded it; `runs` are those that
    had an event there. `records` holds added, retracted, changed and moved ones, `relations` linked, unlinked and
    relinked ones, `omissions` noted, cleared and changed ones, all of them. `unusable` and `unknown` count events
    by type that say nothing here: of another shape than their type's, or of a type or version not known.
    """

    schema: ClassVar[str] = "t2c.ledger-diff/v1"
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    reversed: bool
    events: Mapping[str, int]
    actors: Mapping[str, Mapping[str, int]]
    runs: Sequence[Row]
    records: Mapping[str, Sequence[Row]]
    relations: Mapping[str, Sequence[Row]]
    omissions: Mapping[str, Sequence[Row]]
    unusable: Mapping[str, int]
    unknown: Mapping[str, int]


def diff(context: Context, a: str, b: str) -> DiffResult:
    """Compare what stands at two moments; seq 0 is before the first event.

    Memory grows with what changed between them, not with the journal. Raises Usage for what is no moment,
    Corrupt for a damaged journal.
    """
    with open_ledger(context) as ledger:
        first, second = (resolve(context, ledger, text, start=True) for text in (a, b))
        early, late = sorted((first, second), key=lambda moment: moment.seq)
        between = _Between()
        for _, _, entry in ledger.journal.lines(early.position, late.seq):
            between.add(entry)
        then, later = Stood(set()), Stood(set())
        if between.touched.names:
            then, later = _stood(ledger, between.touched.names, early, late)
        backwards = first.seq > second.seq
        compared = _Compared(ledger, then, later, backwards)
        return DiffResult(
            a=_moment(first),
            b=_moment(second),
            reversed=backwards,
            events=dict(sorted(between.types.items())),
            actors={name: dict(sorted(types.items())) for name, types in sorted(between.actors.items())},
            runs=list(between.runs.values()),
            records=compared.records(),
            relations=compared.relations(),
            omissions=compared.omissions(),
            unusable=dict(sorted(between.unusable.items())),
            unknown=dict(sorted(between.unknown.items())),
        )


def _moment(moment: Moment) -> Row:
    return {"seq": moment.seq, "ts": moment.ts, "how": moment.how}


class _Between:
    """One walk over the events between the two moments."""

    def __init__(self) -> None:
        self.touched = Touched()
        self.types: Counter[str] = Counter()
        self.actors: dict[str, Counter[str]] = {}
        self.runs: dict[str, Row] = {}
        self.unusable: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        self.types[entry.type] += 1
        self.actors.setdefault(str(entry.actor), Counter())[entry.type] += 1
        if entry.run is not None:
            self._run(entry.run, entry)
        if entry.type not in CATALOGUE.locations or (
            entry.v != 1 and not CATALOGUE.knows(entry.type, entry.v)
        ):
            self.unknown[f"{entry.type} v{entry.v}"] += 1
            return
        try:
            payload = usable(entry)
        except ValueError:
            self.unusable[entry.type] += 1
            return
        if payload is not None:
            self.touched.add(payload)

    def _run(self, name: str, entry: Entry) -> None:
        run = self.runs.setdefault(
            name,
            {
                "run": name,
                "first": entry.seq,
                "last": entry.seq,
                "events": 0,
                "verb": None,
                "requested_by": None,
                "status": None,
            },
        )
        run["last"] = entry.seq
        run["events"] += 1
        wanted = {"run.started": ("verb", "requested_by"), "run.finished": ("status",)}.get(entry.type, ())
        data = _object(bytes(entry.data)) if wanted else {}
        run.update({name: data.get(name) for name in wanted})


def _object(data: bytes) -> Row:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _stood(ledger: Ledger, names: set[str], early: Moment, late: Moment) -> tuple[Stood, Stood]:
    """What of `names` stood at two moments, in one walk from the first event."""
    stood = Stood(names)
    before = stood.copy() if early.seq == 0 else None
    for offset, _, entry in ledger.journal.lines(until=late.seq):
        if before is None and entry.seq > early.seq:
            before = stood.copy()
        if entry.type in HANDLED:
            try:
                payload = usable(entry)
            except ValueError:
                continue  # counted by whoever walks the events in between
            if payload is not None:
                stood.step(entry, offset, payload)
    return before or stood.copy(), stood


class _Compared:
    """The difference between what stood first and what stood later, with the words of each from the journal."""

    def __init__(self, ledger: Ledger, then: Stood, later: Stood, backwards: bool) -> None:
        self._before, self._after = (later, then) if backwards else (then, later)
        self._later = later
        before, after = self._before, self._after
        whole = {
            offset
            for name, record in before.records.items()
            if (other := after.records.get(name)) is not None and other.offset != record.offset
            for offset in (record.offset, other.offset)
        }
        for stood in (before, after):
            whole |= {*stood.relations.values(), *stood.omissions.values()}
        offsets = sorted(
            whole | {record.offset for stood in (before, after) for record in stood.records.values()}
        )
        self._payloads: dict[int, Row] = {}
        self._facts: dict[int, Row] = {}
        for offset, entry in zip(offsets, ledger.journal.many(offsets), strict=True):
            if offset in whole:
                self._payloads[offset] = _object(bytes(entry.data))
            if entry.type == "record.observed":
                self._facts[offset] = _facts(entry.data)

    def records(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {"added": [], "retracted": [], "changed": [], "moved": []}
        old, new = self._before.records, self._after.records
        for identity in sorted(old.keys() | new.keys()):
            before, after = old.get(identity), new.get(identity)
            if before is None and after is not None:
                found["added"].append({**self._described(identity, after), **self._end(identity)})
            elif after is None and before is not None:
                found["retracted"].append({**self._described(identity, before), **self._end(identity)})
            elif before is not None and after is not None:
                self._both(identity, before, after, found)
        return {name: _by_place(rows) for name, rows in found.items()}

    def _both(self, identity: str, before: RecordAt, after: RecordAt, found: dict[str, list[Row]]) -> None:
        if before.offset != after.offset:
            old, new = self._record(before.offset), self._record(after.offset)
            if not same_content(old, new):
                row = {**self._described(identity, after), "fields": differences(old, new)}
                found["changed"].append(row)
        if before.lines != after.lines:
            places = {"lines": after.lines, "from": before.lines}
            found["moved"].append({**self._described(identity, after), **places})

    def _record(self, offset: int) -> Row:
        record = self._payloads[offset].get("record")
        return record if isinstance(record, dict) else {}

    def _described(self, identity: str, at: RecordAt) -> Row:
        return {"id": identity, "lines": at.lines, **self._facts[at.offset]}

    def _end(self, identity: str) -> Row:
        """How something went that does not stand later; nothing for what does."""
        gone = self._later.gone.get(identity)
        if gone is None or identity in self._later.records or identity in self._later.relations:
            return {"why": None, "superseded_by": None}
        return {"why": gone.why, "superseded_by": gone.superseded_by}

    def relations(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {"linked": [], "unlinked": [], "relinked": []}
        for identity, before, after in _pairs(self._before.relations, self._after.relations):
            if before is None and after is not None:
                found["linked"].append({**self._link(after), "why": self._end(identity)["why"]})
            elif after is None and before is not None:
                found["unlinked"].append({**self._link(before), "why": self._end(identity)["why"]})
            elif before is not None and after is not None and self._payloads[before] != self._payloads[after]:
                found["relinked"].append({**self._link(after), "former": self._link(before)})
        return found

    def _link(self, offset: int) -> Row:
        payload = self._payloads[offset]
        relation = payload.get("relation")
        return {**(relation if isinstance(relation, dict) else {}), "rule": payload.get("rule")}

    def omissions(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {"noted": [], "cleared": [], "changed": []}
        for _, before, after in _pairs(self._before.omissions, self._after.omissions):
            if before is None and after is not None:
                found["noted"].append(self._payloads[after])
            elif after is None and before is not None:
                found["cleared"].append(self._payloads[before])
            elif before is not None and after is not None and self._payloads[before] != self._payloads[after]:
                found["changed"].append({**self._payloads[after], "former": self._payloads[before]})
        return found


class _Source(msgspec.Struct):
    kind: Any = None
    path: Any = None


class _Statement(msgspec.Struct):
    text: Any = None


class _Lifecycle(msgspec.Struct):
    status: Any = None


class _Record(msgspec.Struct):
    source: _Source
    statement: _Statement
    lifecycle: _Lifecycle


class _Observed(msgspec.Struct):
    record: _Record


_decode_observed: Final = msgspec.json.Decoder(_Observed).decode


def _facts(data: msgspec.Raw) -> Row:
    """What of a record is shown; the rest of it is not kept."""
    try:
        record = _decode_observed(data).record
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        record = _Record(_Source(), _Statement(), _Lifecycle())
    source, text, status = record.source, record.statement.text, record.lifecycle.status
    return {"source": source.kind, "path": source.path, "text": text, "status": status}


def _pairs(old: Mapping[str, int], new: Mapping[str, int]) -> Iterable[tuple[str, int | None, int | None]]:
    return [(name, old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys())]


def _by_place(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (str(row["path"] or ""), row["lines"] or (0, 0), row["id"]))
