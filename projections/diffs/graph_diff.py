"""The difference of two graphs, `t2c.diff/v1`: pure over two `t2c.graph/v1` documents (intent-evidence §5.2).

Records are paired by id, then by what is known or clear of their lineage, then by where they stand, and never by their
lines (decisions C2): a line that moved is no difference. A record that is on both sides and says something else is
changed; a relation whose confidence or basis changed is removed and added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec
import orjson
from msgspec import Struct, field

from t2c.ledger.commands.lineage import lineage
from t2c.ledger.kernel.canon import artifact
from t2c.projections.graph import SCHEMA as GRAPH_SCHEMA

__all__ = [
    "SCHEMA",
    "Change",
    "Filter",
    "GraphDiff",
    "GraphDocument",
    "NotAGraph",
    "Records",
    "Relations",
    "Summary",
    "graph_diff",
    "read_graph",
]

SCHEMA: Final = "t2c.diff/v1"

Record = dict[str, Any]
Raw = msgspec.Raw


class NotAGraph(ValueError):
    """Bytes that are no `t2c.graph/v1` document; the text says why."""


class GraphDocument(Struct, frozen=True):
    """A graph as far as it is read: `records` and `relations` by id, their bodies still bytes."""

    fingerprint: str
    generatedAt: str
    records: Mapping[str, bytes]
    relations: Mapping[str, bytes]


class Change(Struct, frozen=True):
    """A record before and after; `identity` is what it was paired by where ids do not tell."""

    identity: str
    before: Record
    after: Record
    changedFields: tuple[str, ...]


class Records(Struct, frozen=True):
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    changed: tuple[Change, ...]
    unchanged: int


class Relations(Struct, frozen=True):
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    unchanged: int


class Summary(Struct, frozen=True):
    recordsAdded: int
    recordsRemoved: int
    recordsChanged: int
    recordsUnchanged: int
    relationsAdded: int
    relationsRemoved: int
    relationsUnchanged: int


class GraphDiff(Struct, frozen=True):
    """`fingerprint` covers both graphs' fingerprints, the ids and changed fields, and the relations."""

    schemaVersion: str
    generatedAt: str
    fingerprint: str
    beforeFingerprint: str
    afterFingerprint: str
    records: Records
    relations: Relations
    summary: Summary


class Filter(Struct, frozen=True):
    """What a record must have to be shown, each None for anything. Names compare without regard to case.

    `cited` holds the ids of records that findings of the wanted severity cite, on either side.
    """

    participant: str | None = None
    role: str | None = None
    ticket: str | None = None
    cited: Collection[str] | None = None

    def __bool__(self) -> bool:
        return any(wanted is not None for wanted in (self.participant, self.role, self.ticket, self.cited))


class _Graph(Struct):
    schemaVersion: str
    fingerprint: str
    generatedAt: str
    records: list[Raw]
    relations: list[Raw]


class _Named(Struct, gc=False):
    id: str


class _Source(Struct, gc=False):
    kind: str
    path: str | None = None
    symbol: str | None = None
    revision: str | None = None


class _Target(Struct, gc=False):
    tickets: list[str] = field(default_factory=list)


class _Statement(Struct, gc=False):
    kind: str
    text: str
    actor: str | None = None
    target: _Target = field(default_factory=_Target)


class _Shown(Struct):
    """What filters and pairing read of a record; `metadata` is free-form."""

    id: str
    source: _Source
    statement: _Statement
    metadata: dict[str, Any]


_graph = msgspec.json.Decoder(_Graph).decode
_named = msgspec.json.Decoder(_Named).decode
_shown = msgspec.json.Decoder(_Shown).decode


def read_graph(content: bytes) -> GraphDocument:
    """Take a document apart. Raises NotAGraph for anything else, and for an id that stands twice."""
    try:
        found = _graph(content)
        records = {_named(raw).id: bytes(raw) for raw in found.records}
        relations = {_named(raw).id: bytes(raw) for raw in found.relations}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAGraph(f"it is no {GRAPH_SCHEMA}: {error}") from None
    if found.schemaVersion != GRAPH_SCHEMA:
        raise NotAGraph(f"its schemaVersion is {found.schemaVersion!r}, not {GRAPH_SCHEMA}")
    if len(records) != len(found.records) or len(relations) != len(found.relations):
        raise NotAGraph("an id stands in it twice")
    return GraphDocument(found.fingerprint, found.generatedAt, records, relations)


def graph_diff(
    before: GraphDocument,
    after: GraphDocument,
    *,
    successors: Mapping[str, str] | None = None,
    wanted: Filter | None = None,
) -> GraphDiff:
    """Compare two graphs.

    `successors` are known lineages, id of a record that is gone → the one in its place. With `wanted` only records
    that have it on either side are shown and counted, and the relations that one of them is an end of. Raises
    NotAGraph for a record without the members that its contract requires.
    """
    try:
        return _Compared(before, after, successors or {}, wanted or Filter()).document()
    except (msgspec.MsgspecError, orjson.JSONDecodeError, UnicodeDecodeError) as error:
        raise NotAGraph(f"a record in it has another shape: {error}") from None


class _Compared:
    def __init__(
        self, before: GraphDocument, after: GraphDocument, successors: Mapping[str, str], wanted: Filter
    ) -> None:
        self._before, self._after, self._wanted = before, after, wanted
        self._shows: set[str] = set()
        """Ids of records that the filter lets through, of both sides; empty without a filter."""
        pairs, same = self._by_id()
        gone = _Side(before, [name for name in before.records if name not in after.records])
        new = _Side(after, [name for name in after.records if name not in before.records])
        pairs += [(gone.take(old), new.take(late)) for old, late in _paired(gone, new, successors)]
        changed = [_change(old, late) for old, late in pairs]
        kept = [change for change in changed if self._lets(change.before["id"], change.after["id"])]
        added = [record for record in new.rest() if self._lets(record["id"])]
        removed = [record for record in gone.rest() if self._lets(record["id"])]
        self.records = Records(
            added=tuple(sorted(added, key=_id)),
            removed=tuple(sorted(removed, key=_id)),
            changed=tuple(sorted(kept, key=lambda one: (one.identity, one.before["id"], one.after["id"]))),
            unchanged=same if not wanted else sum(1 for name in self._same if self._lets(name)),
        )

    def _by_id(self) -> tuple[list[tuple[Record, Record]], int]:
        """Pairs of one id that say something else, and how many say the same."""
        pairs: list[tuple[Record, Record]] = []
        self._same: list[str] = []
        for name, raw in self._after.records.items():
            former = self._before.records.get(name)
            if former is None:
                continue
            if former != raw:
                old, new = orjson.loads(former), orjson.loads(raw)
                if _bare(old) != _bare(new):
                    _shown(former)
                    _shown(raw)
                    pairs.append((old, new))
                    continue
            self._same.append(name)
        return pairs, len(self._same)

    def _lets(self, *names: str) -> bool:
        """True if one of these records of either side is wanted."""
        if not self._wanted:
            return True
        shows = any(
            _has(self._wanted, raw)
            for name in names
            for side in (self._before, self._after)
            if (raw := side.records.get(name)) is not None
        )
        if shows:
            self._shows.update(names)
        return shows

    def document(self) -> GraphDiff:
        relations, keys = self._relations()
        records = self.records
        summary = Summary(
            len(records.added),
            len(records.removed),
            len(records.changed),
            records.unchanged,
            len(relations.added),
            len(relations.removed),
            relations.unchanged,
        )
        ends = {"beforeFingerprint": self._before.fingerprint, "afterFingerprint": self._after.fingerprint}
        seed = {
            **ends,
            "added": [record["id"] for record in records.added],
            "removed": [record["id"] for record in records.removed],
            "changed": [[one.before["id"], one.after["id"], one.changedFields] for one in records.changed],
            "relationsAdded": keys[0],
            "relationsRemoved": keys[1],
        }
        return GraphDiff(
            schemaVersion=SCHEMA,
            generatedAt=max(self._before.generatedAt, self._after.generatedAt),
            fingerprint=sha256(artifact(seed)).hexdigest(),
            records=records,
            relations=relations,
            summary=summary,
            **ends,
        )

    def _relations(self) -> tuple[Relations, tuple[list[str], list[str]]]:
        """What is different between the relations, and the keys of those added and removed."""
        old, new = (
            dict(_keyed(_one_sided(mine, other)))
            for mine, other in (
                (self._before.relations, self._after.relations),
                (self._after.relations, self._before.relations),
            )
        )
        added = {key: new[key] for key in sorted(new.keys() - old.keys()) if self._touches(new[key])}
        removed = {key: old[key] for key in sorted(old.keys() - new.keys()) if self._touches(old[key])}
        equal = {
            name for name, raw in self._after.relations.items() if self._before.relations.get(name) == raw
        }
        if self._wanted:
            same = sum(1 for name in equal if self._touches(orjson.loads(self._after.relations[name])))
            same += sum(1 for key in new.keys() & old.keys() if self._touches(new[key]))
        else:
            same = len(equal) + len(new.keys() & old.keys())
        found = Relations(tuple(added.values()), tuple(removed.values()), same)
        return found, (list(added), list(removed))

    def _touches(self, relation: Record) -> bool:
        return not self._wanted or relation.get("from") in self._shows or relation.get("to") in self._shows


class _Side:
    """Records of one side that the other has not by id; those taken are paired."""

    def __init__(self, graph: GraphDocument, names: Sequence[str]) -> None:
        self.left: dict[str, Record] = {}
        self.shown: dict[str, _Shown] = {}
        for name in names:
            raw = graph.records[name]
            self.shown[name] = _shown(raw)
            self.left[name] = orjson.loads(raw)

    def take(self, name: str) -> Record:
        return self.left.pop(name)

    def rest(self) -> Iterable[Record]:
        return self.left.values()


def _paired(gone: _Side, new: _Side, successors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Ids of records that are the same one under another id. Lazily: each pair is taken before the next is sought."""
    later = {old: end for old, end in sorted(successors.items()) if old in gone.left and end in new.left}
    once = {end: old for old, end in reversed(later.items())}
    yield from ((old, end) for end, old in sorted(once.items()))
    guessed = lineage(
        (_anchored(record) for record in gone.left.values()),
        (_anchored(record) for record in new.left.values()),
    )
    yield from ((old, guessed[old].id) for old in sorted(guessed))
    places = [_by_place(side) for side in (gone, new)]
    for place in sorted(places[0].keys() & places[1].keys()):
        old, late = places[0][place], places[1][place]
        # Several statements in one place: which of them became which is a guess, so none is made.
        if len(old) == len(late) == 1:
            yield old[0], late[0]


def _by_place(side: _Side) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in side.left:
        # What a commit says never becomes what another one says.
        if side.shown[name].source.revision is None:
            found.setdefault(_identity(side.shown[name]), []).append(name)
    return found


def _identity(record: _Shown) -> str:
    """Where a record stands: what pairs it with another one, in canonical JSON."""
    source, anchor = record.source, record.metadata.get("anchor")
    trail, ordinal = (
        (anchor.get("trail"), anchor.get("ordinal")) if isinstance(anchor, dict) else (None, None)
    )
    place = {
        "sourceKind": source.kind,
        "path": source.path,
        "trail": trail if source.symbol is None and isinstance(trail, list) else [],
        "symbol": source.symbol,
        "statementKind": record.statement.kind,
        "ordinal": ordinal,
    }
    return artifact(place).decode()


def _anchored(record: Record) -> Record:
    """A record as the search for lineages reads it; one that another system wrote may have no anchor."""
    metadata, source = record["metadata"], record["source"]
    anchor = metadata.get("anchor")
    if isinstance(anchor, dict) and isinstance(anchor.get("trail"), list):
        trail = [str(step) for step in anchor["trail"]]
    else:
        trail = []
    known = {name: source.get(name) for name in ("kind", "path", "symbol", "revision")}
    return {
        "id": record["id"],
        "source": known,
        "statement": record["statement"],
        "metadata": {"explicitId": metadata.get("explicitId"), "anchor": {"trail": trail}},
    }


def _change(old: Record, new: Record) -> Change:
    shown = msgspec.convert(old, _Shown)
    return Change(_identity(shown), old, new, tuple(_differing(_bare(old), _bare(new), "")))


def _bare(record: Record) -> Record:
    """A record without its id, its locators and what says when and by which version it was read."""
    bare = {name: value for name, value in record.items() if name not in ("id", "observedAt")}
    source, metadata = bare.get("source"), bare.get("metadata")
    if isinstance(source, dict):
        bare["source"] = {name: source[name] for name in source if name not in ("lines", "commitIndex")}
    if isinstance(metadata, dict) and isinstance(generation := metadata.get("generation"), dict):
        kept = {name: value for name, value in generation.items() if name != "runtimeVersion"}
        bare["metadata"] = {**metadata, "generation": kept}
    return bare


def _differing(old: Any, new: Any, path: str) -> Iterator[str]:
    """Dotted paths of the members that differ; a list is one member."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _differing(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    else:
        yield path


def _has(wanted: Filter, raw: bytes) -> bool:
    record = _shown(raw)
    metadata, statement = record.metadata, record.statement
    said = [metadata.get("participant"), metadata.get("participantId"), statement.actor]
    return (
        _fits(wanted.participant, said)
        and _fits(wanted.role, [metadata.get("participantRole")])
        and _fits(wanted.ticket, [metadata.get("ticket"), *statement.target.tickets])
        and (wanted.cited is None or record.id in wanted.cited)
    )


def _fits(wanted: str | None, values: Iterable[Any]) -> bool:
    return wanted is None or wanted.casefold() in {
        str(value).casefold() for value in values if value is not None
    }


def _one_sided(mine: Mapping[str, bytes], other: Mapping[str, bytes]) -> Iterator[bytes]:
    return (raw for name, raw in mine.items() if other.get(name) != raw)


def _keyed(relations: Iterable[bytes]) -> Iterator[tuple[str, Record]]:
    for raw in relations:
        relation = orjson.loads(raw)
        if not isinstance(relation, dict):
            raise NotAGraph("a relation in it is no object")
        yield (
            artifact(
                {name: relation.get(name) for name in ("from", "to", "type", "confidence", "basis")}
            ).decode(),
            relation,
        )


def _id(record: Record) -> str:
    return str(record["id"])
