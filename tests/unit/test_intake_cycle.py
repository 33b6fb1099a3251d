"""Runtime cycles: what each section becomes, and what a document must look like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Reading, materialise
from t2c.ledger.intake.cycle import CYCLE_SCHEMA, CycleExtractor

FIXTURE = Path(__file__).parent / "report_fixtures" / "cycle.autonom-cycle.json"


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(document: object) -> Reading:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return CycleExtractor().read("ops/cycle.json", content, Nothing())


def cycle(**sections: Any) -> dict[str, Any]:
    return {"schema": CYCLE_SCHEMA, "host": "h", "results": [], **sections}


def told(reading: Reading) -> dict[str, str]:
    return {warning.reason: warning.detail for warning in reading.warnings}


def test_the_published_kinds_classes_and_confidences() -> None:
    reading = read(FIXTURE.read_bytes())
    records = [Record.model_validate_json(found.body) for found in materialise(reading)]
    shape = [
        (r.statement.kind, r.statement.action, r.statement.object, r.epistemic.cls, r.epistemic.confidence,
         r.lifecycle.status, r.statement.polarity, r.statement.modality)
        for r in records
    ]  # fmt: skip
    assert shape == [
        ("runtime_probe_observation", "validate", "stock-in-sync", "fact", 0.95, "verified", "positive", "observed"),
        ("runtime_probe_observation", "validate", "no-dirty-files", "fact", 0.95, "blocked", "negative", "observed"),
        ("runtime_expectation_violated", "fix", "no-dirty-files.dirty", "fact", 0.95, "blocked", "negative", "required"),
        ("runtime_probe_observation", "validate", "queue-empty", "fact", 0.5, "unknown", "negative", "observed"),
        ("runtime_fact_drifted", "change", "stock-in-sync.shop", "fact", 0.9, "unknown", "negative", "observed"),
        ("runtime_cycle_proposal", "fix", "no-dirty-files.dirty", "inference", 0.6, "proposed", "positive", "recommended"),
    ]  # fmt: skip
    probe, dirty, violation, late, drift, proposal = records
    assert {r.observedAt for r in records} == {"2026-03-01T10:00:00+00:00"}
    assert {r.source.extractor for r in records} == {"t2c/autonom-runtime-cycle@1"}
    assert probe.statement.target.paths == ("scripts/stock.py",)
    assert dirty.statement.target.paths == ("ops/cycle.json",)
    assert probe.source.symbol == "stock-in-sync"
    assert probe.epistemic.basis == ("autonom_probe_result", "gate")
    assert probe.metadata["facts"] == {"shop": "39", "ratio": "0.5", "deep": "(dict)"}
    assert (violation.metadata["expected"], violation.metadata["actual"]) == ("0", "6")
    assert late.metadata["unevaluable"] is True
    assert (drift.metadata["was"], drift.metadata["now"]) == ("38", "39")
    assert proposal.metadata["acts"] is False
    assert reading.complete
    assert reading.warnings == ()


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        ("expectation_violated", "fix"), ("probe_unevaluable", "fix"), ("ratchet_can_tighten", "configure"),
        ("fact_drifted", "validate"), ("anything", "analyze"),
    ],
)  # fmt: skip
def test_what_a_proposal_asks_for(kind: str, action: str) -> None:
    (draft,) = read(cycle(proposals=[{"kind": kind, "probe": "p"}])).records
    assert draft.action == action


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        (b"{", "no JSON"),
        ([], "an object with schema subactor.autonom-cycle/v1 is needed; nothing was read"),
        ({"schema": "x/v1"}, "schema is 'x/v1', subactor.autonom-cycle/v1 is needed; nothing was read"),
        ({"results": []}, "schema is none, subactor.autonom-cycle/v1 is needed; nothing was read"),
        (cycle(results={}), "results: list is needed; nothing was read"),
        (cycle(host=5), "host: text is needed; nothing was read"),
    ],
)
def test_what_is_no_cycle_says_why(document: object, detail: str) -> None:
    reading = read(document)
    assert (reading.records, reading.complete) == ((), False)
    assert told(reading)["cycle_invalid"].startswith(detail)


@pytest.mark.parametrize(
    ("results", "detail"),
    [
        ([5], "results[0]: an object is needed"),
        ([{"id": "a"}, {"id": " "}], "results[1].id: a text that is not empty is needed"),
        ([{"id": "a", "ok": "yes"}], "results[0].ok: boolean is needed"),
        ([{"id": "a", "duration_ms": True}], "results[0].duration_ms: number is needed"),
        (
            [{"id": "a", "violations": [{"expected": 1}]}],
            "results[0].violations[0].fact: a text that is not empty is needed",
        ),
    ],
)
def test_an_item_of_the_wrong_shape_is_left_out_and_named(results: list[object], detail: str) -> None:
    reading = read(cycle(results=results))
    assert told(reading) == {"cycle_item_invalid": detail}
    assert not reading.complete


def test_a_field_that_the_contract_does_not_know_is_named_and_not_read() -> None:
    reading = read(cycle(results=[{"id": "a", "ok": True, "mood": "good"}], weather=1))
    assert told(reading) == {
        "cycle_field_unknown": "weather is no field of subactor.autonom-cycle/v1; not read"
    }
    assert reading.warnings[0].count == 2
    assert reading.complete
    assert len(reading.records) == 1


def test_sections_are_capped_and_the_rest_is_counted() -> None:
    many = [
        {"id": f"p{n}", "ok": True, "violations": [{"fact": f"f{m}"} for m in range(203 if n == 0 else 0)]}
        for n in range(205)
    ]
    reading = read(cycle(results=many))
    assert len(reading.records) == 400
    assert [(w.reason, w.count) for w in reading.warnings] == [("section_truncated", 8)]


def test_other_measurements_are_the_same_records() -> None:
    text = FIXTURE.read_text()
    later = (
        text.replace('"actual": "6"', '"actual": "7"')
        .replace("observed 6", "observed 7")
        .replace('"now": "39"', '"now": "40"')
    )
    later = later.replace("10:00:00", "11:00:00").replace('"ok": true', '"ok": false')
    assert later != text
    before = [found.id for found in materialise(read(text.encode()))]
    assert [found.id for found in materialise(read(later.encode()))] == before
    assert len(set(before)) == len(before)


def test_a_time_without_offset_is_noted() -> None:
    reading = read(cycle(observed_at="2026-03-01T10:00:00", results=[{"id": "a"}]))
    assert reading.records[0].observed_at is None
    assert list(told(reading)) == ["date_not_understood"]


def test_which_files_are_cycles() -> None:
    wants = CycleExtractor().wants
    assert wants("ops/a.autonom-cycle.json")
    assert not wants("ops/cycle.json")
