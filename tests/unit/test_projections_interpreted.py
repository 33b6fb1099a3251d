"""Readings of a model in `records` and `graph`: shown where they fit, never counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.events.evidence import RecordInterpreted
from t2c.ledger.events.identity import content_digest
from t2c.ledger.events.record import Record
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import canonical
from t2c.projections.base import Inputs
from t2c.projections.facts import Facts
from t2c.projections.fold import Folded, fold
from t2c.projections.graph import document, fingerprint
from t2c.projections.registry import ALL

GENERATION = {
    "generator": "t2c/markdown-todo-openrouter",
    "generatorVersion": "1",
    "runtimeVersion": "0.1.0",
    "requested": "llm",
    "used": "llm",
    "degraded": False,
    "fallbackReason": None,
    "provider": "somewhere",
    "model": "some/model-1",
    "responseId": "gen-1",
}
READ = {
    "stage": "markdown",
    "prompt": "markdown@1",
    "action": "fix",
    "actor": "team",
    "object": "the exporter",
    "target": {"paths": ["src/export.py"], "symbols": [], "tickets": [], "versions": []},
    "modality": "required",
    "polarity": "negative",
    "confidence": 0.91,
    "basis": ["model:it says so", "openrouter_markdown_enrichment"],
    "topics": [],
    "acceptanceEvidence": ["an export of 10,000 rows ends"],
    "generation": GENERATION,
    "answered": "EVT-" + "a" * 20,
}


def folded(chain: Any, *names: str) -> Folded:
    return fold(chain.journal, ALL, names or ["records", "graph"])


def whole(content: Any) -> bytes:
    return content if isinstance(content, bytes) else b"".join(content)


def lines(chain: Any, name: str = "records.jsonl") -> dict[str, Any]:
    content = whole(folded(chain).artifacts("records")[name])
    found = {record["id"]: record for record in map(orjson.loads, content.splitlines())}
    assert content == b"".join(canonical(record) + b"\n" for _, record in sorted(found.items()))
    return found


def interpret(chain: Any, identity: str, of: str | None = None, **other: Any) -> None:
    if of is None:
        record = next(
            data["record"]
            for line in reversed(chain.path.read_bytes().splitlines())
            if (data := orjson.loads(line)["data"]).get("record", {}).get("id") == identity
        )
        of = content_digest(record).hex()
    data = {**READ, "id": identity, "of": of, **other}
    if "stage" in other:
        chain.add("record.interpreted", data, actor=Actor("agent", "some/model-1"), trust="asserted")
        return
    payload = RecordInterpreted.decode(canonical(data))
    chain.add("record.interpreted", payload.encode(), actor=Actor("agent", "some/model-1"), trust="asserted")


def test_a_reading_is_laid_over_the_record_and_changes_neither_its_id_nor_where_it_is_from(
    chain: Any,
) -> None:
    identity = chain.todo("Add retry to the exporter", line=3)
    before = lines(chain)[identity]
    interpret(chain, identity)
    after = lines(chain)[identity]
    assert Record.model_validate_json(canonical(after)).id == identity
    assert after["statement"] == {
        **before["statement"],
        "action": "fix",
        "actor": "team",
        "object": "the exporter",
        "polarity": "negative",
        "modality": "required",
        "target": {**before["statement"]["target"], "paths": ["src/export.py"]},
    }
    assert after["source"] == {**before["source"], "extractor": "t2c/markdown-todo-openrouter@1"}
    assert after["epistemic"] == {
        "class": before["epistemic"]["class"],
        "confidence": 0.91,
        "basis": sorted([*before["epistemic"]["basis"], *READ["basis"]]),
    }
    assert after["metadata"] == {
        **before["metadata"],
        "generation": GENERATION,
        "acceptanceEvidence": ["an export of 10,000 rows ends"],
    }
    for part in ("id", "lifecycle", "observedAt", "schemaVersion"):
        assert after[part] == before[part]
    assert lines(chain, "uninterpreted.jsonl") == {identity: before}


def test_targets_are_those_of_both(chain: Any) -> None:
    (identity,) = chain.observe("todo", "TODO.md", chain_draft("Fix src/a.py", paths=("src/a.py",)))
    interpret(chain, identity)
    assert lines(chain)[identity]["statement"]["target"]["paths"] == ["src/a.py", "src/export.py"]


def chain_draft(text: str, **about: Any) -> Any:
    from t2c.ledger.intake.base import Draft

    return Draft(
        kind="todo_item",
        text=text,
        object=text,
        action="add",
        cls=about.pop("cls", "plan"),
        status="planned",
        confidence=0.9,
        basis=("made",),
        **about,
    )


def test_the_latest_reading_counts(chain: Any) -> None:
    identity = chain.todo("Add retry")
    interpret(chain, identity)
    interpret(chain, identity, object="something else")
    assert lines(chain)[identity]["statement"]["object"] == "something else"


def test_a_reading_of_another_content_is_not_shown_until_the_record_says_that_again(chain: Any) -> None:
    identity = chain.todo("Add retry", done=False)
    interpret(chain, identity)
    chain.todo("Add retry", done=True)
    assert lines(chain)[identity]["statement"]["object"] == "Add retry"
    chain.todo("Add retry", done=False)
    assert lines(chain)[identity]["statement"]["object"] == "the exporter"


def test_a_record_that_moved_keeps_its_reading_on_its_new_lines(chain: Any) -> None:
    identity = chain.todo("Add retry", line=3)
    interpret(chain, identity)
    moves = [{"id": identity, "lines": {"start": 7, "end": 9}}]
    chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})
    shown = lines(chain)[identity]
    assert (shown["source"]["lines"], shown["statement"]["object"]) == (
        {"start": 7, "end": 9},
        "the exporter",
    )


def test_a_fact_is_never_read_otherwise(chain: Any) -> None:
    (identity,) = chain.observe("todo", "TODO.md", chain_draft("Seen", cls="fact"))
    before = lines(chain)
    interpret(chain, identity)
    assert lines(chain) == before


def test_what_does_not_stand_has_no_reading_and_a_retraction_ends_one(chain: Any) -> None:
    interpret(chain, "INT-TODO-" + "0" * 20, of="0" * 32)
    identity = chain.todo("Add retry")
    interpret(chain, identity)
    chain.add("record.retracted", {"id": identity, "why": "absent", "superseded_by": None})
    assert folded(chain).states["records"].readings == {}


@pytest.mark.parametrize(
    "broken",
    [{"confidence": "1"}, {"target": {"paths": []}}, {"generation": {"used": "llm"}}, {"basis": [1]}],
)
def test_a_payload_of_another_shape_is_a_fault_and_changes_nothing(
    chain: Any, broken: dict[str, Any]
) -> None:
    identity = chain.todo("Add retry")
    before = lines(chain)
    interpret(chain, identity, **{"stage": "markdown", **broken})
    assert folded(chain).fault_counts["records"] == 1
    assert lines(chain) == before


def test_records_without_a_reading_stay_the_bytes_that_they_are(chain: Any) -> None:
    first, second = chain.todo("Add retry"), chain.todo("Write the manual", line=2)
    before = whole(folded(chain).artifacts("records")["records.jsonl"]).splitlines()
    interpret(chain, first)
    after = whole(folded(chain).artifacts("records")["records.jsonl"]).splitlines()
    assert [line for line in after if second.encode() in line] == [
        line for line in before if second.encode() in line
    ]
    assert len(after) == len(before)


def test_the_graph_shows_the_reading_and_its_fingerprint_and_counts_are_of_what_it_shows(chain: Any) -> None:
    identity = chain.todo("Add retry")
    found = folded(chain)
    plain = whole(found.artifacts("graph")["graph.json"])
    interpret(chain, identity)
    found = folded(chain)
    inputs = Inputs(found.ts or "", found.states)
    shown = orjson.loads(whole(found.artifacts("graph")["graph.json"]))
    assert [record["statement"]["object"] for record in shown["records"]] == ["the exporter"]
    assert shown["stats"]["byAction"] == {"fix": 1}
    assert shown["fingerprint"] == fingerprint(inputs) != orjson.loads(plain)["fingerprint"]
    twin = orjson.loads(b"".join(document(inputs, interpreted=False)))
    assert {**twin, "generatedAt": ""} == {**orjson.loads(plain), "generatedAt": ""}


def test_facts_diagnostics_and_reality_know_nothing_of_a_reading(chain: Any) -> None:
    """A model that says that a plan is of another file, or denied, or done changes no judgement."""
    identity = chain.todo("Add retry to src/export.py", done=True)
    chain.todo("Write the manual", line=2)
    views = ("diagnostics", "reality", "communication", "truth-map")

    def judged() -> dict[str, Any]:
        found = folded(chain, *views)
        made = {
            (view, file): whole(content)
            for view in views
            for file, content in found.artifacts(view).items()
            if file.endswith(".json")
        }
        blank = {
            place: {**orjson.loads(content), "generatedAt": "", "graphFingerprint": "", "fingerprint": ""}
            for place, content in made.items()
        }
        facts = Facts.of(Inputs(found.ts or "", found.states)).records
        return {"views": blank, "facts": facts}

    before = judged()
    interpret(chain, identity, polarity="negative", action="remove")
    after = judged()
    assert after["facts"] == before["facts"]
    for place, document_before in before["views"].items():
        assert after["views"][place] == document_before, place


def test_a_fold_after_a_snapshot_has_the_same_readings(
    new_journal: Callable[[Path], Any], tmp_path: Path
) -> None:
    chain = new_journal(tmp_path / "journal.ndjson")
    identity = chain.todo("Add retry")
    interpret(chain, identity)
    cache = tmp_path / "cache"
    fold(chain.journal, ALL, ["records"], cache=cache, snapshot_after=1)
    chain.todo("Write the manual", line=2)
    taken_up = fold(chain.journal, ALL, ["records"], cache=cache, snapshot_after=1)
    assert taken_up.resumed["records"] > 0
    assert whole(taken_up.artifacts("records")["records.jsonl"]) == whole(
        folded(chain).artifacts("records")["records.jsonl"]
    )
