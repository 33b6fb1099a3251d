"""The seven responses: their names, their bounds, and that nothing a model must not say has a place in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from t2c.ledger.llm import responses
from t2c.ledger.llm.bounded import bounded_schema_problems
from t2c.ledger.llm.json_text import place
from t2c.ledger.llm.limits import LIMITS, over_limits
from t2c.ledger.llm.parsing import Malformed
from t2c.ledger.llm.responses import Response

ALL: dict[str, Response[Any]] = {
    response.name: response
    for response in (
        responses.natural_language_intent(),
        responses.markdown_enrichment(32),
        responses.document_intent(20),
        responses.communication_enrichment(),
        responses.grounded_summary(),
        responses.grounded_task_synthesis(),
        responses.rerank(),
    )
}

TARGET: dict[str, list[str]] = {"paths": ["src/a.py"], "symbols": [], "tickets": ["ACME-7"], "versions": []}
INTENT: dict[str, Any] = {
    "kind": "requirement", "actor": None, "action": "add", "subject": None, "object": "retry", "modality": "required",
    "polarity": "positive", "lifecycle": "proposed", "confidence": 0.5, "basis": ["the text"], "target": TARGET,
    "sourceLines": {"start": 1, "end": 2}, "text": "Add a retry",
}  # fmt: skip
CONCLUSION: dict[str, Any] = {
    "kind": "risk", "title": "No retry", "detail": "Nothing retries.", "severity": "warning",
    "diagnosticIds": ["DIAG-" + "0" * 20], "recordIds": ["INT-TODO-" + "0" * 20], "confidence": 1,
}  # fmt: skip
RIGHT: dict[str, dict[str, Any]] = {
    "t2c_natural_language_intent": {"records": [INTENT]},
    "t2c_markdown_intent_enrichment": {
        "enrichments": [
            {
                "recordId": "INT-TODO-1", "actor": "ada", "action": "fix", "object": "retry", "polarity": "negative",
                "confidence": 0.94, "basis": [], "target": TARGET, "acceptanceEvidence": ["a test"],
            }
        ]
    },
    "t2c_document_intent": {"records": [{**INTENT, "confidence": 0.85}]},
    "t2c_communication_enrichment": {
        "enrichments": [
            {
                "recordId": "INT-LOG-1", "action": "fix", "object": "retry", "polarity": "positive", "confidence": 0.85,
                "basis": [], "target": {"paths": [], "symbols": [], "versions": []}, "topics": ["retry"],
            }
        ],
        "participantSyntheses": [
            {
                "participantKey": "ada/dev", "summary": "Ada retries.", "commitments": [], "risks": [],
                "recordIds": ["INT-LOG-1"], "confidence": 0,
            }
        ],
    },
    "t2c_grounded_summary": {"conclusions": [CONCLUSION]},
    "t2c_grounded_task_synthesis": {
        "conclusions": [{**CONCLUSION, "key": "c1"}],
        "proposals": [
            {
                "key": "p1", "title": "Retry", "description": "Retry it.", "priority": "P0", "target": TARGET,
                "acceptanceCriteria": ["it retries"], "dependencyKeys": [], "conclusionKeys": ["c1"],
                "diagnosticIds": [], "recordIds": [], "confidence": 0.5,
            }
        ],
    },
    "t2c_cross_language_rerank_v1": {
        "decisions": [
            {
                "candidateId": "SCAND-" + "0" * 20, "verdict": "accept", "confidence": 0.7,
                "reasonCode": "repository_evidence_supports_match", "rationale": "Both retry.",
                "citedRecordIds": ["INT-DOC-1", "INT-AST-1"],
                "evidence": [
                    {"recordId": "INT-DOC-1", "quote": "retry"}, {"recordId": "INT-AST-1", "quote": "retry"}
                ],
            }
        ]
    },
}  # fmt: skip


def nodes(schema: Any) -> Iterator[Any]:
    yield schema
    for part in schema.get("properties", {}).values():
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


def test_there_are_seven_under_the_names_of_the_contract() -> None:
    assert sorted(ALL) == sorted(RIGHT)
    for name, response in ALL.items():
        schema = json.loads(response.shape.schema)
        assert bounded_schema_problems(schema) == []
        assert over_limits(name, schema, LIMITS["openai-earlier"]) == []
        assert response.shape.name == name


def test_no_response_has_a_place_for_what_is_the_runtimes() -> None:
    owned = re.compile(
        r"(?i)^(id|class|epistemic|generation|generator|provenance|provider|model|approv\w*|status|source|schemaVersion"
        r"|contentHash|fingerprint|verified|completed|done|trust|actorKind)$"
    )
    seen = 0
    for response in ALL.values():
        for node in nodes(json.loads(response.shape.schema)):
            for name in node.get("properties", {}):
                seen += 1
                assert not owned.match(name), f"{response.name} lets a model say {name}"
    assert seen > 80


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_response_is_read(name: str) -> None:
    response = ALL[name]
    Draft202012Validator(json.loads(response.shape.schema)).validate(RIGHT[name])
    value = response.parse(json.dumps(RIGHT[name]).encode())
    assert json.loads(value.model_dump_json()) == json.loads(json.dumps(RIGHT[name]))


def changed(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(document))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copy


WRONG: list[tuple[str, tuple[str | int, ...], Any, str]] = [
    ("t2c_natural_language_intent", ("records", 0, "confidence"), 0.91, "must be at most 0.9"),
    ("t2c_natural_language_intent", ("records", 0, "confidence"), -0.1, "must be at least 0"),
    ("t2c_natural_language_intent", ("records", 0, "object"), "", "must have at least 1 character"),
    ("t2c_natural_language_intent", ("records", 0, "action"), "Add", "must be one of"),
    ("t2c_natural_language_intent", ("records", 0, "sourceLines", "start"), 0, "must be at least 1"),
    ("t2c_natural_language_intent", ("records", 0, "sourceLines", "end"), "2", "must be an integer"),
    ("t2c_natural_language_intent", ("records", 0, "actor"), 3, "must be a string"),
    ("t2c_natural_language_intent", ("records", 0, "text"), None, "must be a string"),
    ("t2c_markdown_intent_enrichment", ("enrichments",), [], "must have at least 1 item"),
    ("t2c_markdown_intent_enrichment", ("enrichments", 0, "confidence"), 0.95, "must be at most 0.94"),
    ("t2c_markdown_intent_enrichment", ("enrichments", 0, "lifecycle"), "completed", "is not a member"),
    ("t2c_document_intent", ("records", 0, "kind"), "", "must have at least 1 character"),
    ("t2c_document_intent", ("records", 0, "confidence"), 0.9, "must be at most 0.85"),
    ("t2c_document_intent", ("records", 0, "basis"), ["a", "a"], "must not hold an item twice"),
    ("t2c_document_intent", ("records", 0, "target", "paths"), ["a", "a"], "must not hold an item twice"),
    ("t2c_communication_enrichment", ("enrichments", 0, "target", "tickets"), [], "is not a member"),
    ("t2c_communication_enrichment", ("participantSyntheses", 0, "summary"), " \n", "must match \\S"),
    ("t2c_grounded_summary", ("conclusions", 0, "diagnosticIds"), [], "must have at least 1 item"),
    ("t2c_grounded_summary", ("conclusions", 0, "recordIds"), ["INT-TODO-" + "0" * 20] * 2, "must not hold an item twice"),
    ("t2c_grounded_summary", ("conclusions", 0, "recordIds", 0), "INT-TODO-1", "must match ^INT-"),
    ("t2c_grounded_summary", ("conclusions", 0, "title"), " ", "must match \\S"),
    ("t2c_grounded_summary", ("conclusions", 0, "title"), "\x1c", "must match \\S"),
    ("t2c_grounded_summary", ("conclusions", 0, "confidence"), 1.01, "must be at most 1"),
    ("t2c_grounded_summary", ("conclusions", 0, "severity"), "fatal", "must be one of"),
    ("t2c_grounded_task_synthesis", ("conclusions", 0, "key"), "", "must match \\S"),
    ("t2c_grounded_task_synthesis", ("proposals", 0, "acceptanceCriteria"), [], "must have at least 1 item"),
    ("t2c_grounded_task_synthesis", ("proposals", 0, "conclusionKeys"), [], "must have at least 1 item"),
    ("t2c_grounded_task_synthesis", ("proposals", 0, "dependencyKeys"), [" "], "must match \\S"),
    ("t2c_grounded_task_synthesis", ("proposals", 0, "priority"), "P4", "must be one of"),
    ("t2c_grounded_task_synthesis", ("proposals", 0, "status"), "approved", "is not a member"),
    ("t2c_cross_language_rerank_v1", ("decisions", 0, "citedRecordIds"), ["INT-DOC-1"], "must have at least 2 items"),
    ("t2c_cross_language_rerank_v1", ("decisions", 0, "citedRecordIds"), ["a", "a"], "must not hold an item twice"),
    ("t2c_cross_language_rerank_v1", ("decisions", 0, "citedRecordIds"), ["a", "b", "c"], "must have at most 2 items"),
    ("t2c_cross_language_rerank_v1", ("decisions", 0, "evidence"), [], "must have at least 2 items"),
    ("t2c_cross_language_rerank_v1", ("decisions", 0, "reasonCode"), "because", "must be one of"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "path", "value", "told"), WRONG)
def test_what_breaks_a_bound_is_refused_both_ways_at_its_place(
    name: str, path: tuple[str | int, ...], value: Any, told: str
) -> None:
    response = ALL[name]
    document = changed(RIGHT[name], path, value)
    assert not Draft202012Validator(json.loads(response.shape.schema)).is_valid(document)
    with pytest.raises(Malformed) as caught:
        response.parse(json.dumps(document).encode())
    assert caught.value.detail.startswith(place(path))
    assert told in caught.value.detail


@pytest.mark.parametrize(
    ("response", "member"),
    [
        (responses.markdown_enrichment(2), "enrichments"),
        (responses.document_intent(2), "records"),
    ],
)
def test_a_batch_bounds_its_answer(response: Response[Any], member: str) -> None:
    item = RIGHT[response.name][member][0]
    assert json.loads(response.shape.schema)["properties"][member]["maxItems"] == 2
    assert response.parse(json.dumps({member: [item] * 2}).encode())
    with pytest.raises(Malformed, match=rf"response\.{member} must have at most 2 items"):
        response.parse(json.dumps({member: [item] * 3}).encode())


def test_at_most_a_hundred_conclusions_are_taken() -> None:
    for count, fits in ((100, True), (101, False)):
        text = json.dumps({"conclusions": [CONCLUSION] * count}).encode()
        if fits:
            assert ALL["t2c_grounded_summary"].parse(text)
        else:
            with pytest.raises(Malformed, match=r"response\.conclusions must have at most 100 items"):
                ALL["t2c_grounded_summary"].parse(text)


def test_one_batch_size_is_one_type() -> None:
    assert responses.markdown_enrichment(7).type is responses.markdown_enrichment(7).type
    assert responses.markdown_enrichment(7).shape.digest != responses.markdown_enrichment(8).shape.digest
