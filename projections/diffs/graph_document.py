"""A `t2c.graph/v1` document taken apart as far as a comparison needs it (intent-evidence §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from t2c.projections.graph import SCHEMA as GRAPH_SCHEMA

__all__ = ["GraphDocument", "NotAGraph", "Record", "Shown", "read_graph", "shown"]

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


class Shown(Struct):
    """What filters and pairing read of a record; `metadata` is free-form."""

    id: str
    source: _Source
    statement: _Statement
    metadata: dict[str, Any]


_graph = msgspec.json.Decoder(_Graph).decode
_named = msgspec.json.Decoder(_Named).decode
shown = msgspec.json.Decoder(Shown).decode


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
