"""The truth map `t2c.truth-map/v1`: what is said and seen of one thing, gathered into assertions (intent-evidence §10.4).

An assertion is a connected component over the relations that map one record to another. Records that no such relation
touches are assertions of their own, so that every record has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.digests import short
from t2c.projections.base import Artifacts, Inputs, in_blocks, pretty
from t2c.projections.facts import Fact, Facts
from t2c.projections.graph import Link, fingerprint

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["SCHEMA", "STATUSES", "Assertion", "TruthMapProjection", "assertions", "truth_map_model"]

_Status = Literal["claimed_only", "conflicted", "declared_only", "mixed", "observed_only", "supported"]

SCHEMA: Final = "t2c.truth-map/v1"
STATUSES: Final = (
    "claimed_only",
    "conflicted",
    "declared_only",
    "mixed",
    "observed_only",
    "supported",
)
_APART: Final = frozenset({"depends_on", "blocks", "related_to", "declares"})
"""Relations that map no record to what it speaks of: three by contract, and who wrote or holds what, which would make one
assertion of all that one commit wrote or one module holds."""
_STRUCTURE: Final = frozenset({"ast", "system"})
"""Sources whose records hang together by structure: what holds between two of them maps nothing (better §1.7)."""
_LANES: Final = {"declaration": "declared", "plan": "declared", "fact": "observed"}


class Evidence(msgspec.Struct, frozen=True):
    """The records of each lane: who wants it, what shows it, who says so."""

    claimed: tuple[str, ...]
    declared: tuple[str, ...]
    observed: tuple[str, ...]


class Assertion(msgspec.Struct, frozen=True):
    """What belongs together; `sources` are the kinds of sources that it comes from."""

    evidence: Evidence
    id: str
    recordIds: tuple[str, ...]
    relationIds: tuple[str, ...]
    sources: tuple[str, ...]
    status: str


class Nothing(msgspec.Struct):
    """A truth map keeps no state of its own: it is made of records and relations."""


_encode = msgspec.json.Encoder(order="sorted").encode


class TruthMapProjection:
    """`truth-map.json`. Its fingerprint leaves the time out."""

    name = "truth-map"
    version = 1
    inputs: tuple[str, ...] = ("graph", "records")
    handles: frozenset[str] = frozenset()
    state_type = Nothing

    def start(self) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, entry: Entry) -> None:
        """Nothing is handled."""

    def finish(self, state: Nothing, inputs: Inputs) -> Artifacts:
        return {"truth-map.json": in_blocks(_document(Facts.of(inputs), inputs))}


def assertions(facts: Facts) -> tuple[Assertion, ...]:
    """All assertions by id; each record is in exactly one, whatever the order of records and relations."""
    mapping = [link for link in facts.relations if _maps(link, facts)]
    roots = _components(facts.records, mapping)
    members: dict[str, list[str]] = {}
    for identity in facts.records:
        members.setdefault(roots[identity], []).append(identity)
    between: dict[str, list[Link]] = {}
    for link in mapping:
        between.setdefault(roots[link.relation.source], []).append(link)
    made = (_assertion(ids, between.get(root, ()), facts) for root, ids in members.items())
    return tuple(sorted(made, key=lambda one: one.id))


def _maps(link: Link, facts: Facts) -> bool:
    relation = link.relation
    ends = {facts.records[relation.source].source.kind, facts.records[relation.to].source.kind}
    return relation.type not in _APART and not ends <= _STRUCTURE


def _components(identities: Iterable[str], links: Iterable[Link]) -> dict[str, str]:
    """Id → the smallest id of its component (union-find with path halving)."""
    parent = {identity: identity for identity in identities}

    def root(identity: str) -> str:
        while parent[identity] != identity:
            parent[identity] = parent[parent[identity]]
            identity = parent[identity]
        return identity

    for link in links:
        one, two = root(link.relation.source), root(link.relation.to)
        if one != two:
            parent[max(one, two)] = min(one, two)
    return {identity: root(identity) for identity in parent}


def _assertion(ids: Iterable[str], links: Iterable[Link], facts: Facts) -> Assertion:
    records = tuple(sorted(ids))
    relations = tuple(sorted(link.relation.id for link in links))
    lanes: dict[str, list[str]] = {"declared": [], "observed": [], "claimed": []}
    for identity in records:
        lanes[_lane(facts.records[identity])].append(identity)
    conflicted = any(link.relation.type == "contradicts" for link in links)
    return Assertion(
        evidence=Evidence(**{name: tuple(found) for name, found in lanes.items()}),
        id="TRUTH-" + short(artifact({"recordIds": list(records), "relationIds": list(relations)})),
        recordIds=records,
        relationIds=relations,
        sources=tuple(sorted({facts.records[identity].source.kind for identity in records})),
        status="conflicted" if conflicted else _status([name for name, found in lanes.items() if found]),
    )


def _lane(fact: Fact) -> str:
    """By epistemic class alone: what is not wanted and not seen is only said."""
    return _LANES.get(fact.epistemic.cls, "claimed")


def _status(lanes: list[str]) -> str:
    if "declared" in lanes and "observed" in lanes:
        return "supported"
    return "mixed" if len(lanes) > 1 else f"{lanes[0]}_only"


def _document(facts: Facts, inputs: Inputs) -> Iterator[bytes]:
    """`pretty` of the whole document, an assertion at a time."""
    made = assertions(facts)
    digest = sha256(b'{"assertions":[')
    for number, one in enumerate(made):
        digest.update((b"," if number else b"") + _encode(one))
    digest.update(
        b'],"graphFingerprint":%b,"schemaVersion":%b}' % (_encode(fingerprint(inputs)), _encode(SCHEMA))
    )
    yield b'{\n  "assertions": '
    opening = b"[\n    "
    for one in made:
        yield opening + msgspec.json.format(_encode(one), indent=2).replace(b"\n", b"\n    ")
        opening = b",\n    "
    yield b"[]" if opening[:1] == b"[" else b"\n  ]"
    of = {identity: one.id for one in made for identity in one.recordIds}
    stats = {
        "assertions": len(made),
        "byStatus": {name: sum(one.status == name for one in made) for name in STATUSES},
        "records": len(of),
        "relations": sum(len(one.relationIds) for one in made),
    }
    rest = {
        "fingerprint": digest.hexdigest(),
        "generatedAt": inputs.ts,
        "graphFingerprint": fingerprint(inputs),
        "recordToAssertion": of,
        "schemaVersion": SCHEMA,
        "stats": stats,
    }
    yield b"," + pretty(rest)[1:]


def truth_map_model() -> type[BaseModel]:
    """The contract of `truth-map.json` as a pydantic model, from which its JSON Schema is made."""
    from typing import Annotated

    from pydantic import Field

    from t2c.ledger.events.base import Count, Hex64, RecordRef, RelationRef, Timestamp, Value
    from t2c.ledger.events.record import SourceKind

    class Evidence(Value):
        declared: tuple[RecordRef, ...]
        observed: tuple[RecordRef, ...]
        claimed: tuple[RecordRef, ...]

    class Assertion(Value):
        """Records of one thing and the relations between them."""

        id: Annotated[str, Field(pattern=r"^TRUTH-[0-9a-f]{20}$")]
        status: _Status
        recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
        relationIds: tuple[RelationRef, ...]
        evidence: Evidence
        sources: tuple[SourceKind, ...]

    class Stats(Value):
        assertions: Count
        records: Count
        relations: Count
        byStatus: dict[_Status, Count]

    class TruthMap(Value):
        """Every record in exactly one assertion."""

        schemaVersion: Literal["t2c.truth-map/v1"]
        generatedAt: Timestamp
        graphFingerprint: Hex64
        fingerprint: Hex64
        assertions: tuple[Assertion, ...]
        recordToAssertion: dict[RecordRef, Annotated[str, Field(pattern=r"^TRUTH-[0-9a-f]{20}$")]]
        stats: Stats

    TruthMap.model_rebuild(_types_namespace={**globals(), **locals()})
    return TruthMap
