"""The truth map puts every record into exactly one assertion and says what stands behind it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import jsonschema
import orjson
import pytest

from t2c.ledger.kernel.canon import artifact
from t2c.projections.base import pretty
from t2c.projections.fold import fold
from t2c.projections.registry import ALL
from t2c.projections.truthmap import STATUSES, truth_map_model


def truth(chain: Any) -> Any:
    content = fold(chain.journal, ALL, ["truth-map"]).artifacts("truth-map")["truth-map.json"]
    body = content if isinstance(content, bytes) else b"".join(content)
    assert body == pretty(orjson.loads(body))
    return orjson.loads(body)


def statuses(chain: Any) -> list[str]:
    return sorted(one["status"] for one in truth(chain)["assertions"])


@pytest.fixture
def mapped(chain: Any) -> Any:
    """A plan, its commit and the code that the commit changed; an entry that only stands beside; a lone plan."""
    plan, commit, symbol = chain.todo("write it"), chain.commit("a" * 40, "Write it"), chain.symbol("app.it")
    chain.link(commit, plan, "implements")
    chain.link(commit, symbol, "modifies")
    chain.link(chain.entry("Write it"), plan, "related_to")
    chain.todo("read it", line=2)
    return chain


def test_the_document_keeps_its_contract(mapped: Any) -> None:
    body = truth(mapped)
    assert set(body) == {
        "schemaVersion", "generatedAt", "graphFingerprint", "fingerprint", "assertions", "recordToAssertion",
        "stats",
    }  # fmt: skip
    jsonschema.validate(body, truth_map_model().model_json_schema())
    truth_map_model().model_validate_json(orjson.dumps(body))


def test_what_relations_map_is_one_assertion_and_the_rest_stand_alone(mapped: Any) -> None:
    body = truth(mapped)
    found = {one["status"]: one for one in body["assertions"]}
    assert set(found) == {"supported", "claimed_only", "declared_only"}
    assert len(found["supported"]["recordIds"]) == 3
    assert len(found["supported"]["relationIds"]) == 2
    assert found["supported"]["sources"] == ["ast", "git", "todo"]
    assert {lane: len(ids) for lane, ids in found["supported"]["evidence"].items()} == {
        "declared": 1, "observed": 1, "claimed": 1,
    }  # fmt: skip


def test_the_map_is_total_and_each_record_is_in_one(mapped: Any) -> None:
    body = truth(mapped)
    listed = [(identity, one["id"]) for one in body["assertions"] for identity in one["recordIds"]]
    assert len(listed) == 5 == body["stats"]["records"]
    assert dict(listed) == body["recordToAssertion"]
    assert body["stats"]["assertions"] == sum(body["stats"]["byStatus"].values()) == 3


def test_every_status_can_be_made(chain: Any) -> None:
    seen = set()
    plan = chain.todo("write it")
    seen |= set(statuses(chain))  # declared_only
    commit = chain.commit("a" * 40, "Write it")
    seen |= set(statuses(chain))  # claimed_only
    symbol = chain.symbol("app.it")
    seen |= set(statuses(chain))  # observed_only
    chain.link(commit, plan, "implements")
    seen |= set(statuses(chain))  # mixed
    chain.link(commit, symbol, "modifies")
    seen |= set(statuses(chain))  # supported
    chain.link(plan, chain.todo("never write it", line=2), "contradicts")
    seen |= set(statuses(chain))  # conflicted
    assert seen == set(STATUSES)


def test_structure_and_authorship_map_nothing(chain: Any) -> None:
    one, two = chain.symbol("app.it"), chain.symbol("app.that", line=9)
    chain.link(one, two, "tests")
    commit = chain.commit("a" * 40, "Plan")
    for number in (1, 2):
        chain.link(commit, chain.todo(f"plan {number}", line=number), "declares")
    assert len(truth(chain)["assertions"]) == 5


def test_the_fingerprint_leaves_the_time_out_and_can_be_computed_from_the_document(mapped: Any) -> None:
    before = truth(mapped)
    mapped.add("observation.noted", {"statement": "later", "subject": None})
    after = truth(mapped)
    assert before["generatedAt"] < after["generatedAt"]
    assert {**before, "generatedAt": None} == {**after, "generatedAt": None}
    seed = {name: after[name] for name in ("assertions", "graphFingerprint", "schemaVersion")}
    assert after["fingerprint"] == sha256(artifact(seed)).hexdigest()


def test_the_order_of_events_changes_nothing(new_journal: Any, tmp_path: Any) -> None:
    def made(name: str, names: list[str]) -> Any:
        chain = new_journal(tmp_path / name / "journal.ndjson")
        ids = {text: chain.todo(text) for text in names}
        chain.link(ids["a"], ids["b"], "same_as")
        chain.link(ids["b"], ids["c"], "same_as")
        return truth(chain)["assertions"]

    assert made("one", ["a", "b", "c"]) == made("two", ["c", "b", "a"])
