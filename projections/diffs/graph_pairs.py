"""Which record of one graph is which of the other where their ids do not tell (decisions C2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from t2c.ledger.commands.lineage import lineage
from t2c.ledger.kernel.canon import artifact
from t2c.projections.diffs.graph_document import GraphDocument, Record, Shown, shown

__all__ = ["Side", "bare", "differing", "identity", "paired"]


class Side:
    """Records of one side that the other has not by id; those taken are paired."""

    def __init__(self, graph: GraphDocument, names: Sequence[str]) -> None:
        self.left: dict[str, Record] = {}
        self.read: dict[str, Shown] = {}
        for name in names:
            raw = graph.records[name]
            self.read[name] = shown(raw)
            self.left[name] = orjson.loads(raw)

    def take(self, name: str) -> Record:
        return self.left.pop(name)

    def rest(self) -> Iterable[Record]:
        return self.left.values()


def paired(gone: Side, new: Side, successors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
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


def _by_place(side: Side) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in side.left:
        # What a commit says never becomes what another one says.
        if side.read[name].source.revision is None:
            found.setdefault(identity(side.read[name]), []).append(name)
    return found


def identity(record: Shown) -> str:
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


def bare(record: Record) -> Record:
    """A record without its id, its locators and what says when and by which version it was read."""
    bare = {name: value for name, value in record.items() if name not in ("id", "observedAt")}
    source, metadata = bare.get("source"), bare.get("metadata")
    if isinstance(source, dict):
        bare["source"] = {name: source[name] for name in source if name not in ("lines", "commitIndex")}
    if isinstance(metadata, dict) and isinstance(generation := metadata.get("generation"), dict):
        kept = {name: value for name, value in generation.items() if name != "runtimeVersion"}
        bare["metadata"] = {**metadata, "generation": kept}
    return bare


def differing(old: Any, new: Any, path: str) -> Iterator[str]:
    """Dotted paths of the members that differ; a list is one member."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from differing(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    else:
        yield path
