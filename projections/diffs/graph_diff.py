"""The difference of two graphs, `t2c.diff/v1`: pure over two `t2c.graph/v1` documents (intent-evidence §5.2).

Records are paired by id, then by what is known or clear of their lineage, then by where they stand, and never by their
lines (decisions C2): a line that moved is no difference. A record that is on both sides and says something else is
changed; a relation whose confidence or basis changed is removed and added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec
import orjson
from msgspec import Struct

from t2c.ledger.kernel.canon import artifact
from t2c.projections.diffs.graph_document import GraphDocument, NotAGraph, Record, Shown, shown
from t2c.projections.diffs.graph_pairs import Side, bare, differing, identity, paired

__all__ = [
    "SCHEMA",
    "Change",
    "Filter",
    "GraphDiff",
    "Records",
    "Relations",
    "Summary",
    "ends",
    "graph_diff",
    "has",
]

SCHEMA: Final = "t2c.diff/v1"


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


def ends(diff: GraphDiff, before: GraphDocument, after: GraphDocument) -> dict[str, Record]:
    """The records at the ends of the relations that differ, by id: as they are after, or else were before."""
    relations = (*diff.relations.added, *diff.relations.removed)
    names = {str(relation.get(end)) for relation in relations for end in ("from", "to")}
    found: dict[str, Record] = {}
    for name in sorted(names):
        raw = after.records.get(name) or before.records.get(name)
        if raw is not None:
            shown(raw)
            found[name] = orjson.loads(raw)
    return found


class _Compared:
    def __init__(
        self, before: GraphDocument, after: GraphDocument, successors: Mapping[str, str], wanted: Filter
    ) -> None:
        self._before, self._after, self._wanted = before, after, wanted
        self._shows: set[str] = set()
        """Ids of records that the filter lets through, of both sides; empty without a filter."""
        pairs, same = self._by_id()
        gone = Side(before, [name for name in before.records if name not in after.records])
        new = Side(after, [name for name in after.records if name not in before.records])
        pairs += [(gone.take(old), new.take(late)) for old, late in paired(gone, new, successors)]
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
                if bare(old) != bare(new):
                    shown(former)
                    shown(raw)
                    pairs.append((old, new))
                    continue
            self._same.append(name)
        return pairs, len(self._same)

    def _lets(self, *names: str) -> bool:
        """True if one of these records of either side is wanted."""
        if not self._wanted:
            return True
        shows = any(
            has(self._wanted, raw)
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


def _change(old: Record, new: Record) -> Change:
    shown = msgspec.convert(old, Shown)
    return Change(identity(shown), old, new, tuple(differing(bare(old), bare(new), "")))


def has(wanted: Filter, raw: bytes) -> bool:
    """True for a canonical record that has all that is wanted."""
    record = shown(raw)
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
