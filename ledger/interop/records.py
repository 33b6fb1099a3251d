"""Records and graphs in their published shapes, each item checked by itself, so that a bad one can be named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson
from pydantic import ValidationError

from t2c.ledger.audit.schema import first_problem
from t2c.ledger.events.evidence import RecordObserved, Relation, RelationLinked, Signal
from t2c.ledger.interop.foreign import MAX_PAYLOAD, Foreign, ForeignRecord
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.ids import relation_id

__all__ = ["FOREIGN_ID", "RULE", "read_graph", "read_records"]

RULE: Final = "imported"
"""The rule of a relation that another system drew."""
FOREIGN_ID: Final = "id"
"""The signal that holds the id which the relation had there; ours is made of its ends and type (architecture §4)."""

_GRAPH: Final = frozenset({"schemaVersion", "generatedAt", "fingerprint", "records", "relations", "stats"})
_SAID: Final = frozenset({"claim", "llm_inference"})
_ID: Final = re.compile(rb'"id": ?"((?:INT-[A-Z]+|REL)-[0-9a-f]{20})"')
_hex64: Final = re.compile(r"[0-9a-f]{64}").fullmatch
_WRONG: Final = (ValueError, TypeError, RecursionError)


def read_records(foreign: Foreign, name: str, content: bytes) -> None:
    """Take the records of a file of JSON lines."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            identity, record = _record(canon.loads(line), name, number)
        except _WRONG as error:
            foreign.refuse(name, number, _reason(error))
        else:
            foreign.add(identity, record)


def read_graph(foreign: Foreign, name: str, content: bytes) -> None:
    """Take the records and relations of a graph `t2c.graph/v1`; what it claims of itself is worked out again."""
    try:
        graph = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        foreign.refuse(name, error.lineno, f"not JSON: {error.msg}")
        return
    problem = _shape(graph)
    if problem is not None:
        foreign.refuse(name, 1, problem)
        return
    lines = _Lines(content)
    kept: dict[str, Mapping[str, Any]] = {}
    for index, value in enumerate(graph["records"]):
        try:
            identity, record = _record(value, name, None)
        except _WRONG as error:
            foreign.refuse(name, lines.of(value), f"records[{index}]: {_reason(error)}")
            continue
        if identity in kept:
            foreign.refuse(name, lines.of(value), f"records[{index}]: {identity} stands twice")
            continue
        kept[identity] = value
        foreign.add(identity, record)
    drawn: set[str] = set()
    for index, value in enumerate(graph["relations"]):
        try:
            identity, payload = _relation(value, kept)
            if identity in drawn:
                raise ValueError(f"{identity} stands twice")
            drawn.add(identity)
            foreign.relations.append(payload)
        except _WRONG as error:
            foreign.refuse(name, lines.of(value), f"relations[{index}]: {_reason(error)}")
    for problem in _claims(graph, kept):
        foreign.refuse(name, 1, problem)
    foreign.generated_at, foreign.fingerprint = graph["generatedAt"], graph["fingerprint"]


def _record(value: object, name: str, line: int | None) -> tuple[str, ForeignRecord]:
    """Id and record. Raises one of _WRONG."""
    found = RecordObserved.decode(canon.artifact({"record": value}))
    record = found.record
    generation: Any = record.metadata["generation"]
    model = str(generation["model"]) if generation["used"] == "llm" else None
    epistemic = record.epistemic
    said = model is not None or epistemic.cls in _SAID
    payload = _bounded(found.encode())
    return record.id, ForeignRecord(payload, model, said, epistemic.confidence, name, line)


def _relation(value: object, records: Mapping[str, object]) -> tuple[str, bytes]:
    """The id that it has there, and the payload of the `relation.linked` that tells of it. Raises one of _WRONG."""
    relation = Relation.model_validate_json(canon.artifact(value))
    for end in (relation.source, relation.to):
        if end not in records:
            raise ValueError(f"it ends in {end}, which is none of the records taken")
    own = relation_id(relation.source, relation.to, relation.type)
    linked = RelationLinked(
        relation=relation.model_copy(update={"id": own}),
        rule=RULE,
        signals=(Signal(name=FOREIGN_ID, value=relation.id),),
    )
    return relation.id, _bounded(linked.encode())


def _bounded(payload: bytes) -> bytes:
    if len(payload) > MAX_PAYLOAD:
        raise ValueError("it is longer than an event may be")
    return payload


def _shape(graph: object) -> str | None:
    if not isinstance(graph, dict) or graph.get("schemaVersion") != "t2c.graph/v1":
        return "it is no t2c.graph/v1"
    if graph.keys() != _GRAPH:
        return f"a graph has exactly the members {', '.join(sorted(_GRAPH))}"
    if not isinstance(graph["records"], list) or not isinstance(graph["relations"], list):
        return "records and relations are lists"
    if not isinstance(graph["fingerprint"], str) or not _hex64(graph["fingerprint"]):
        return "fingerprint is no SHA-256"
    return None if isinstance(graph["generatedAt"], str) else "generatedAt is no time"


def _claims(graph: Mapping[str, Any], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What the graph says of itself that is not so; asked only of a graph whose items all were taken."""
    if len(kept) != len(graph["records"]):
        return
    try:
        found = _fingerprint(kept, graph["relations"])
    except (*_WRONG, LookupError):
        return
    if found != graph["fingerprint"]:
        yield "fingerprint is not that of its records and relations"
    counted = {
        "bySource": Counter(record["source"]["kind"] for record in kept.values()),
        "byAction": Counter(record["statement"]["action"] for record in kept.values()),
        "byStatus": Counter(record["lifecycle"]["status"] for record in kept.values()),
    }
    if graph["stats"] != counted:
        yield "stats are not the counts of its records"


def _fingerprint(kept: Mapping[str, Mapping[str, Any]], relations: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of {records with observedAt null, relations}, each by id, in canonical form (intent-evidence §3)."""
    digest = sha256(b'{"records":[')
    separator = b""
    for identity in sorted(kept):
        digest.update(separator + canon.artifact({**kept[identity], "observedAt": None}))
        separator = b","
    digest.update(b'],"relations":[')
    separator = b""
    for relation in sorted(relations, key=lambda relation: str(relation["id"])):
        digest.update(separator + canon.artifact(relation))
        separator = b","
    digest.update(b"]}")
    return digest.hexdigest()


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return first_problem(error).removeprefix("record.")
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


class _Lines:
    """On which line each item of a graph has its id; looked for when the first is asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._found: dict[str, int] | None = None

    def of(self, value: object) -> int | None:
        """None for an item without an id that could be found."""
        if self._found is None:
            self._found = {}
            line, at = 1, 0
            for match in _ID.finditer(self._content):
                line += self._content.count(b"\n", at, match.start())
                at = match.start()
                self._found.setdefault(match[1].decode(), line)
        identity = value.get("id") if isinstance(value, dict) else None
        return self._found.get(identity) if isinstance(identity, str) else None
