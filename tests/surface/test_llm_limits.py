"""`t2c scan --llm` within its limits: what a budget refuses, what a mode asks for, and a run that is killed half way."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

NOTHING: dict[str, list[str]] = {"paths": [], "symbols": [], "tickets": [], "versions": []}


def read(body: dict[str, Any]) -> dict[str, Any]:
    """A reading of each record that a request shows."""
    rows = [json.loads(line) for line in body["messages"][1]["content"].splitlines() if line.startswith("{")]
    said = {
        "actor": None,
        "action": "add",
        "object": "read",
        "polarity": "positive",
        "confidence": 0.8,
        "basis": [],
        "target": NOTHING,
        "acceptanceEvidence": [],
    }
    return {"enrichments": [{"recordId": row["recordId"], **said} for row in rows]}


class Plans:
    """A repository with so many plans, of which a request shows 32."""

    def __init__(self, t2c: Any, provider: Any) -> None:
        self.root: Path = t2c.root
        self.t2c = t2c
        self.environ = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_CONCURRENCY": "1"}
        provider.on("t2c_markdown_intent_enrichment", read)

    def plan(self, number: int, what: str) -> None:
        lines = [f"- [ ] Add retry {place} to the {what}\n" for place in range(number)]
        (self.root / "TODO.md").write_text("# Plans\n\n" + "".join(lines))

    def scan(self, *more: str, mode: str = "record", **settings: str) -> Any:
        env = self.environ | {f"T2C_LLM_{name.upper()}": value for name, value in settings.items()}
        return self.t2c("scan", "--llm", mode, "--json", *more, env=env)

    def events(self, *types: str) -> list[Any]:
        lines = (self.root / ".t2c" / "journal.ndjson").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["type"] in types]


@pytest.fixture
def plans(t2c: Any, provider: Any) -> Plans:
    return Plans(t2c, provider)


def audit(ran: Any, stage: str = "markdown") -> dict[str, Any]:
    assert ran.code == 0, ran.err
    found: dict[str, Any] = next(one for one in ran.document["interpretation"] if one["stage"] == stage)
    return found


def test_each_limit_of_a_budget_holds_before_anything_is_sent(plans: Plans, provider: Any) -> None:
    limits: list[tuple[dict[str, str], int, int]] = [
        ({"budget_requests": "1"}, 1, 32),
        ({"budget_tokens": "12000"}, 1, 32),
        ({"budget_cost": "0.001", "price_prompt": "1", "price_completion": "1"}, 0, 0),
        ({"budget_seconds": "1"}, 1, 0),
    ]
    for number, (settings, sent, interpreted) in enumerate(limits):
        before = len(provider.requests)
        if "budget_seconds" in settings:
            provider.queue(delay=1.05)
        plans.plan(64, f"part {number}")
        found = audit(plans.scan(**settings))
        assert found["status"] == "fallback", settings
        refused = plans.events("llm.unusable")[-1]["data"]
        assert (len(provider.requests) - before, refused["reason"]) == (sent, "budget_exhausted"), settings
        assert found["interpreted"] == interpreted, settings
    plans.plan(64, "last part")
    assert audit(plans.scan(budget_requests="9", budget_tokens="99999"))["interpreted"] == 64


def test_each_stage_has_its_mode(plans: Plans, provider: Any) -> None:
    plans.plan(1, "exporter")
    (plans.root / "README.md").write_text("# Shop\n\n## Roadmap\n\n- Support passkeys\n")
    modes = {"markdown": "deterministic", "documents": "prefer-llm"}
    provider.on("t2c_document_intent", "no JSON")
    ran = plans.scan(**modes)
    done = audit(ran)
    assert (done["status"], done["requestedMode"], done["responses"]) == ("succeeded", "deterministic", [])
    lesser = audit(ran, "documents")
    assert (lesser["status"], lesser["effectiveMode"], lesser["degraded"]) == (
        "fallback",
        "deterministic",
        True,
    )
    assert "documents used deterministic fallback (LLM_RESPONSE_INVALID)" in ran.err
    (noted,) = plans.events("degradation.noted")
    assert (noted["data"]["stage"], noted["data"]["done"]) == ("documents", "records as they were found")

    strict = plans.scan(**{**modes, "documents": "require-llm"})
    failed = strict.document["error"]["details"]["audit"]
    assert (strict.code, failed["stage"], failed["status"], failed["effectiveMode"]) == (
        7,
        "documents",
        "failed",
        "none",
    )
    assert {one.body["response_format"]["json_schema"]["name"] for one in provider.requests} == {
        "t2c_document_intent"
    }
    assert plans.events("record.interpreted") == []


def test_a_run_that_is_killed_half_way_goes_on_without_asking_twice(plans: Plans, provider: Any) -> None:
    plans.plan(64, "exporter")
    assert plans.t2c("scan").code == 0
    provider.queue()
    provider.queue(delay=60)
    child = plans.t2c.start("scan", "--llm", "record", env=plans.environ)
    deadline = time.monotonic() + 60
    while len(provider.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait(timeout=30)
    assert len(provider.requests) == 2 and len(plans.events("llm.answered")) == 1

    found = audit(plans.scan())
    assert (found["status"], found["interpreted"]) == ("succeeded", 64)
    sent = Counter(one.raw for one in provider.requests)
    assert sorted(sent.values()) == [1, 2], "what was answered is not asked again"
    assert [event["data"]["reason"] for event in plans.events("llm.unusable")] == ["interrupted"]
    assert (
        len(plans.events("record.interpreted"))
        == len({one["data"]["id"] for one in plans.events("record.interpreted")})
        == 64
    )
    asked = {event["data"]["request"] for event in plans.events("llm.asked")}
    objects = plans.root / ".t2c" / "objects"
    assert {(objects / one[:2] / one[2:]).read_bytes() for one in asked} == set(sent), (
        "bytes sent are bytes recorded"
    )
    assert plans.t2c("ledger", "verify", "--level", "domain").code == 0


def test_documents_that_nobody_is_asked_about_are_told(plans: Plans, provider: Any) -> None:
    (plans.root / "docs").mkdir()
    for number in range(3):
        (plans.root / "docs" / f"part{number}.md").write_text(
            f"# Part\n\n## Roadmap\n\n- Support part {number}\n"
        )
    provider.on("t2c_document_intent", {"records": []})
    few = plans.scan(document_chunks="1")
    told = "DOC_CHUNK_BUDGET: analyzed 1 of 3 passages of documents, the weightiest (llm.document_chunks = 1)"
    found = audit(few, "documents")
    assert (found["status"], found["degraded"], found["warnings"]) == ("succeeded", False, [told])
    assert few.err.count(told) == 1
    left = [
        event["data"]
        for event in plans.events("omission.noted")
        if event["data"]["reason"] == "passage_budget"
    ]
    assert [one["path"] for one in left] == ["docs/part1.md", "docs/part2.md"]
    assert audit(plans.scan(), "documents")["warnings"] == []


def test_live_asks_again_about_what_is_read_and_another_model_may_read_it_otherwise(
    plans: Plans, provider: Any
) -> None:
    plans.plan(2, "exporter")
    assert audit(plans.scan(model="acme/one"))["interpreted"] == 2
    assert audit(plans.scan(model="acme/two"))["recorded"] == 0 and len(provider.requests) == 1
    seen = plans.scan("--dry-run", mode="live", model="acme/two").document
    again = audit(plans.scan(mode="live", model="acme/two"))
    assert (again["interpreted"], again["model"], len(provider.requests)) == (2, "acme/two", 2)
    assert [one["body"].encode() for one in seen["requests"]] == [provider.requests[1].raw]
    readers = [event["actor"]["id"] for event in plans.events("record.interpreted")]
    assert readers == ["acme/one", "acme/one", "acme/two", "acme/two"]
    assert audit(plans.scan(mode="replay", model="acme/two"))["recorded"] == 0
