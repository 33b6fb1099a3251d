"""The graph projection keeps the contract `t2c.graph/v1` to the byte."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import jsonschema
import orjson
import pytest

from t2c.ledger.kernel.canon import artifact
from t2c.projections.base import pretty
from t2c.projections.fold import fold
from t2c.projections.graph import graph_model
from t2c.projections.registry import ALL


def document(chain: Any) -> bytes:
    content = fold(chain.journal, ALL, ["graph"]).artifacts("graph")["graph.json"]
    return content if isinstance(content, bytes) else b"".join(content)


def graph(chain: Any) -> Any:
    return orjson.loads(document(chain))


@pytest.fixture
def linked(chain: Any) -> Any:
    """Three records and two relations."""
    entry, commit = chain.entry("Fix “ą” <b>", line=4), chain.commit("a" * 40, "Fix (#12)")
    todo = chain.todo("do it", done=True)
    chain.link(entry, commit, confidence=0.97)
    chain.link(commit, todo, "implements", confidence=1, rule="ticket")
    return chain


def test_the_keys_are_exactly_those_of_the_contract(linked: Any) -> None:
    found = graph(linked)
    assert set(found) == {
        "schemaVersion", "generatedAt", "fingerprint", "records", "relations", "stats",
    }  # fmt: skip
    assert set(found["stats"]) == {"bySource", "byAction", "byStatus"}
    assert found["schemaVersion"] == "t2c.graph/v1"
    for relation in found["relations"]:
        assert set(relation) == {"id", "from", "to", "type", "confidence", "basis"}


def test_the_document_is_laid_out_as_artifacts_are(linked: Any) -> None:
    assert document(linked) == pretty(graph(linked))


def test_an_empty_graph_is_laid_out_as_artifacts_are(chain: Any) -> None:
    assert document(chain) == pretty(graph(chain))
    assert graph(chain)["records"] == graph(chain)["relations"] == []


def test_records_and_relations_stand_in_the_order_of_ids(linked: Any) -> None:
    for part in ("records", "relations"):
        ids = [item["id"] for item in graph(linked)[part]]
        assert ids == sorted(ids)
        assert len(ids) in (2, 3)


def test_the_fingerprint_can_be_computed_from_the_document(linked: Any) -> None:
    found = graph(linked)
    records = [{**record, "observedAt": None} for record in found["records"]]
    assert any(record["observedAt"] for record in found["records"])
    seed = artifact({"records": records, "relations": found["relations"]})
    assert found["fingerprint"] == sha256(seed).hexdigest()


def test_the_fingerprint_leaves_the_time_out(linked: Any) -> None:
    before = graph(linked)
    linked.add("observation.noted", {"statement": "later", "subject": None})
    after = graph(linked)
    assert before["generatedAt"] < after["generatedAt"]
    assert {**before, "generatedAt": None} == {**after, "generatedAt": None}


def test_generated_at_is_the_time_of_the_last_event_of_any_type(linked: Any) -> None:
    linked.add("something.unknown", {})
    last = orjson.loads(linked.path.read_bytes().splitlines()[-1])
    assert graph(linked)["generatedAt"] == last["ts"]


def test_the_counts_are_those_of_the_records_shown(linked: Any) -> None:
    assert graph(linked)["stats"] == {
        "bySource": {"changelog": 1, "git": 1, "todo": 1},
        "byAction": {"fix": 2, "add": 1},
        "byStatus": {"released": 1, "implemented": 1, "completed": 1},
    }


def test_a_relation_without_both_ends_is_not_shown(linked: Any) -> None:
    first, second = graph(linked)["relations"]
    gone = next(record["id"] for record in graph(linked)["records"] if record["source"]["kind"] == "todo")
    linked.add("record.retracted", {"id": gone, "why": "absent", "superseded_by": None})
    kept = [relation for relation in (first, second) if gone not in (relation["from"], relation["to"])]
    assert len(kept) == 1
    assert graph(linked)["relations"] == kept
    linked.todo("do it", done=True)
    assert graph(linked)["relations"] == [first, second]


def test_a_relation_linked_again_replaces_the_former_and_an_unlinked_one_is_gone(linked: Any) -> None:
    entry = next(
        record["id"] for record in graph(linked)["records"] if record["source"]["kind"] == "changelog"
    )
    commit = next(record["id"] for record in graph(linked)["records"] if record["source"]["kind"] == "git")
    identity = linked.link(entry, commit, confidence=0.5)
    found = {relation["id"]: relation for relation in graph(linked)["relations"]}
    assert len(found) == 2
    assert found[identity]["confidence"] == 0.5
    linked.add("relation.unlinked", {"id": identity, "why": "signal_gone"})
    assert identity not in [relation["id"] for relation in graph(linked)["relations"]]


def test_a_relation_with_foreign_keys_is_a_fault(linked: Any) -> None:
    before = graph(linked)["relations"]
    relation = {**before[0], "id": "REL-" + "0" * 20, "extra": 1}
    seq = linked.add("relation.linked", {"relation": relation, "rule": "number", "signals": []})
    result = fold(linked.journal, ALL, ["graph"])
    assert [fault.seq for fault in result.faults["graph"]] == [seq]
    assert graph(linked)["relations"] == before


def test_the_document_keeps_its_published_schema(linked: Any) -> None:
    model = graph_model()
    model.model_validate_json(document(linked))
    schema = model.model_json_schema(by_alias=True)
    jsonschema.validate(graph(linked), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**graph(linked), "extra": 1}, schema)
