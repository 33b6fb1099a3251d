"""The graph `t2c.graph/v1`: the records that stand and the relations between them (intent-evidence §3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from t2c.ledger.events.interpretation import ACCEPTED
from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, in_blocks, pretty
from t2c.projections.records import Head, Parts, StandingRecords

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "SCHEMA",
    "Graph",
    "GraphProjection",
    "Link",
    "Relation",
    "Signal",
    "document",
    "fingerprint",
    "fingerprint_as_found",
    "graph_model",
    "links",
]

SCHEMA: Final = "t2c.graph/v1"

Raw = msgspec.Raw


class Relation(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename={"source": "from"}):
    """A relation as published; its id is made of from, to and type alone."""

    basis: tuple[str, ...]
    confidence: int | float
    source: str
    id: str
    to: str
    type: str


class Signal(msgspec.Struct, frozen=True, gc=False):
    """One observation that speaks for a relation."""

    name: str
    value: str


class Link(msgspec.Struct, frozen=True, gc=False):
    """A relation, the rule that drew it and what spoke for it."""

    relation: Relation
    rule: str
    signals: tuple[Signal, ...]


class Unlinked(msgspec.Struct, frozen=True, gc=False):
    id: str


class Graph(msgspec.Struct):
    """`links`: relation id → payload of the event that linked it last."""

    links: dict[str, bytes] = {}


_link = msgspec.json.Decoder(Link).decode
_unlinked = msgspec.json.Decoder(Unlinked).decode
_head = msgspec.json.Decoder(Head).decode
_parts = msgspec.json.Decoder(Parts).decode
_encode = msgspec.json.Encoder().encode

_NULL: Final = Raw(b"null")


class GraphProjection:
    """`graph.json`, with exactly the keys of its contract. A relation without both its ends is not shown."""

    name = "graph"
    version = 2
    inputs: tuple[str, ...] = ("records",)
    handles = frozenset({"relation.linked", "relation.unlinked"})
    state_type = Graph

    def start(self) -> Graph:
        return Graph()

    def step(self, state: Graph, entry: Entry) -> None:
        """A relation linked again replaces the former."""
        if entry.type == "relation.linked":
            state.links[_link(entry.data).relation.id] = bytes(entry.data)
        else:
            state.links.pop(_unlinked(entry.data).id, None)

    def finish(self, state: Graph, inputs: Inputs) -> Artifacts:
        return {"graph.json": document(inputs)}


def document(inputs: Inputs, *, interpreted: bool = True) -> Iterator[bytes]:
    """The bytes of `graph.json`; with records as they were found, where not `interpreted` (decisions D5)."""
    state = inputs.states["graph"]
    if interpreted:
        standing = StandingRecords.shown(inputs)
        return in_blocks(_document(standing, state, _summed(standing, state, inputs), inputs.ts))
    standing = StandingRecords.of(inputs)
    return in_blocks(_document(standing, state, _sum(standing, state), inputs.ts))


def fingerprint(inputs: Inputs) -> str:
    """The fingerprint of the graph, for views that say which graph they are of; needs `records` and `graph`."""
    return _summed(StandingRecords.shown(inputs), inputs.states["graph"], inputs).fingerprint


def fingerprint_as_found(inputs: Inputs) -> str:
    """The fingerprint of the graph as it was found: without what a model read or accepted."""
    state = inputs.states["graph"]
    found = {name: data for name, data in state.links.items() if _link(data).rule != ACCEPTED}
    return _sum(StandingRecords.of(inputs), Graph(found)).fingerprint


def links(state: Graph, standing: StandingRecords) -> Iterator[Link]:
    """The relations shown, by id: those whose two ends stand."""
    for identity in sorted(state.links):
        link = _link(state.links[identity])
        if link.relation.source in standing and link.relation.to in standing:
            yield link


class _Summed(NamedTuple):
    fingerprint: str
    stats: Mapping[str, Mapping[str, int]]


def _summed(standing: StandingRecords, state: Graph, inputs: Inputs) -> _Summed:
    """Fingerprint and counts, made once for all views."""
    found = inputs.made.get("graph")
    if not isinstance(found, _Summed):
        found = inputs.made["graph"] = _sum(standing, state)
    return found


def _sum(standing: StandingRecords, state: Graph) -> _Summed:
    """Fingerprint and counts, which the document names before the records that they are of.

    The fingerprint is SHA-256 of the canonical {records with observedAt null, relations}, each by id.
    """
    digest = sha256(b'{"records":[')
    by_source: Counter[str] = Counter()
    by_action: Counter[str] = Counter()
    by_status: Counter[str] = Counter()
    separator = b""
    for _, raw in standing:
        head = _head(raw)
        by_source[head.source.kind] += 1
        by_action[head.statement.action] += 1
        by_status[head.lifecycle.status] += 1
        if head.observedAt != _NULL:
            parts = _parts(raw)
            parts.observedAt = _NULL
            raw = _encode(parts)
        digest.update(separator + raw)
        separator = b","
    digest.update(b'],"relations":[')
    separator = b""
    for link in links(state, standing):
        digest.update(separator + _encode(link.relation))
        separator = b","
    digest.update(b"]}")
    return _Summed(digest.hexdigest(), {"byAction": by_action, "bySource": by_source, "byStatus": by_status})


def _document(standing: StandingRecords, state: Graph, summed: _Summed, ts: str) -> Iterator[bytes]:
    """`pretty` of the whole document, without ever holding it."""
    yield b'{\n  "fingerprint": "%b",\n  "generatedAt": %b,\n  "records": ' % (
        summed.fingerprint.encode(),
        _encode(ts),
    )
    yield from _array(raw for _, raw in standing)
    yield b',\n  "relations": '
    yield from _array(_encode(link.relation) for link in links(state, standing))
    stats = pretty(summed.stats).rstrip().replace(b"\n", b"\n  ")
    yield b',\n  "schemaVersion": "%b",\n  "stats": %b\n}\n' % (SCHEMA.encode(), stats)


def _array(items: Iterator[bytes]) -> Iterator[bytes]:
    opening = b"[\n    "
    for item in items:
        yield opening + msgspec.json.format(item, indent=2).replace(b"\n", b"\n    ")
        opening = b",\n    "
    yield b"[]" if opening[:1] == b"[" else b"\n  ]"


def graph_model() -> type[BaseModel]:
    """The contract of `graph.json` as a pydantic model, from which its JSON Schema is made.

    Nothing that folds or renders uses it, so it is built only when asked for.
    """
    from typing import Literal

    from t2c.ledger.events.base import Count, Hex64, Timestamp, Value
    from t2c.ledger.events.evidence import Relation as PublishedRelation
    from t2c.ledger.events.record import Action, Record, SourceKind, Status

    class Stats(Value):
        """How many records there are of each source, action and status."""

        bySource: dict[SourceKind, Count]
        byAction: dict[Action, Count]
        byStatus: dict[Status, Count]

    class Graph(Value):
        """The records that stand and the relations between them."""

        schemaVersion: Literal["t2c.graph/v1"]
        generatedAt: Timestamp
        fingerprint: Hex64
        records: tuple[Record, ...]
        relations: tuple[PublishedRelation, ...]
        stats: Stats

    Graph.model_rebuild(_types_namespace=locals())
    return Graph
