"""Cases 81, 83, 85 and 87 with the real command line: what goes wrong at a provider, and what the journal says of it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

GOOD: dict[str, Any] = {
    "actor": None,
    "action": "add",
    "object": "retry",
    "polarity": "positive",
    "confidence": 0.8,
    "basis": [],
    "target": {"paths": [], "symbols": [], "tickets": [], "versions": []},
    "acceptanceEvidence": [],
}


def shown(body: dict[str, Any]) -> str:
    """The id of the one record that a request shows."""
    line = next(line for line in body["messages"][1]["content"].splitlines() if line.startswith("{"))
    found: str = json.loads(line)["recordId"]
    return found


def read(body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"enrichments": [{"recordId": shown(body), **GOOD, **more}]}


class Shop:
    """A repository with one plan, scanned with a model that is asked about it."""

    def __init__(self, t2c: Any, provider: Any) -> None:
        self.root: Path = t2c.root
        self.t2c = t2c
        self.provider = provider
        (self.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the exporter\n")
        provider.on("t2c_markdown_intent_enrichment", read)

    def scan(self, **settings: str) -> dict[str, Any]:
        """Scan, and return how the reading of task lists went."""
        env = {"T2C_LLM_BASE_URL": self.provider.url, "T2C_LLM_MODEL": "acme/one"}
        env |= {f"T2C_LLM_{name.upper()}": value for name, value in settings.items()}
        ran = self.t2c("scan", "--llm", "record", "--json", env=env)
        assert ran.code == 0, ran.err
        found: dict[str, Any] = next(
            audit for audit in ran.document["interpretation"] if audit["stage"] == "markdown"
        )
        return found

    def events(self, *types: str) -> list[Any]:
        lines = (self.root / ".t2c" / "journal.ndjson").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["type"] in types]

    def object(self, digest: str) -> bytes:
        return (self.root / ".t2c" / "objects" / digest[:2] / digest[2:]).read_bytes()


@pytest.fixture
def shop(t2c: Any, provider: Any) -> Shop:
    return Shop(t2c, provider)


def _chunk(text: str, **more: Any) -> str:
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}], **more}) + "\n\n"


def test_case_81_an_error_after_http_200_is_a_failure_with_what_had_arrived(
    shop: Shop, provider: Any
) -> None:
    broken = '{"enrichments":[{"recordId":"INT-'
    fault = '{"choices":[],"error":{"code":502,"message":"Worker limit"}}'
    stream = (
        _chunk(broken[:12], model="acme/one", provider="Acme") + _chunk(broken[12:]) + f"data: {fault}\n\n"
    )
    ways: list[dict[str, Any]] = [
        {"body": stream, "headers": {"Content-Type": "text/event-stream"}},
        {"content": broken, "finish": "error"},
        {"message": "Worker limit", "code": 502, "metadata": {"provider_name": "Acme"}},
    ]
    for way in ways:
        provider.queue(way)
        audit = shop.scan(attempts="1", stream="true")
        assert provider.requests[-1].body["stream"] is True
        assert (audit["status"], audit["effectiveMode"], audit["interpreted"]) == (
            "fallback",
            "deterministic",
            0,
        )
    outcomes = [event["data"] for event in shop.events("llm.answered", "llm.unusable")]
    assert len(outcomes) == len(shop.events("llm.asked")) == 3
    assert [one["reason"] for one in outcomes] == ["stream_error", "stream_error", "unavailable"]
    for one in outcomes:
        assert [attempt["status"] for attempt in one["story"]["attempts"]] == [200]
        assert one["story"]["requested"] == "acme/one"
    assert [shop.object(one["content"]).decode() for one in outcomes[:2]] == [broken, broken]
    assert outcomes[2]["content"] is None
    assert "Worker limit" in outcomes[0]["detail"] and "Acme" in outcomes[0]["story"]["provider"]
    assert "from Acme" in outcomes[2]["detail"]
    assert shop.events("record.interpreted") == []
    assert shop.scan(stream="true")["interpreted"] == 1, "what failed is asked again"


def test_case_83_hidden_reasoning_that_used_the_budget_has_its_own_name_and_one_retry_within_the_limit(
    shop: Shop, provider: Any
) -> None:
    spent = {
        "content": "",
        "finish": "length",
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 200,
            "total_tokens": 300,
            "cost": 0.0005,
            "completion_tokens_details": {"reasoning_tokens": 199},
        },
    }
    provider.queue(spent)
    low = shop.scan(budget_tokens="9000")
    assert low["reason"]["code"] == "LLM_UNAVAILABLE" and len(provider.requests) == 1, "the limit holds"
    provider.queue(spent)
    (shop.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the importer\n")
    audit = shop.scan()
    assert (audit["status"], audit["interpreted"]) == ("succeeded", 1)
    first, second = (event for event in shop.events("llm.asked")[-2:])
    assert [request.body["max_tokens"] for request in provider.requests] == [6000, 6000, 12_000]
    assert (second["data"]["instead_of"], second["data"]["corrects"]) == (first["id"], None)
    unusable = [event["data"] for event in shop.events("llm.unusable")]
    assert [one["reason"] for one in unusable] == [
        "reasoning_used_the_budget",
        "budget_exhausted",
        "reasoning_used_the_budget",
    ]
    assert unusable[0]["story"]["usage"]["reasoning_tokens"] == 199
    cost = shop.t2c("llm", "cost", "--json").document["total"]
    assert cost["cost_micros"]["USD"] > 2 * 500 and cost["completion_tokens"] > 400


def test_case_85_what_keeps_no_schema_is_no_claim_and_the_event_says_what_held(
    shop: Shop, provider: Any
) -> None:
    def other(body: dict[str, Any]) -> dict[str, Any]:
        made = read(body, approved=True)
        del made["enrichments"][0]["polarity"]
        return made

    provider.on("t2c_markdown_intent_enrichment", "Sure! I would add a retry.")
    prose = shop.scan()
    provider.on("t2c_markdown_intent_enrichment", other)
    (shop.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the importer\n")
    wrong = shop.scan()
    for audit in (prose, wrong):
        assert (audit["reason"]["code"], audit["interpreted"]) == ("LLM_RESPONSE_INVALID", 0)
    for request in provider.requests:
        assert request.body["provider"]["require_parameters"] is True
        assert request.body["response_format"]["json_schema"]["strict"] is True
    unusable = [event["data"] for event in shop.events("llm.unusable")]
    assert [one["reason"] for one in unusable] == ["not_json"] * 2 + ["schema_violation"] * 2
    assert "approved" in unusable[2]["detail"] and "polarity" in unusable[2]["detail"]
    assert shop.events("llm.answered", "record.interpreted") == []

    provider.on("t2c_markdown_intent_enrichment", read)
    provider.on("*", read)
    provider.queue(
        status=400, message="'response_format' of type 'json_schema' is not supported with this model"
    )
    (shop.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the printer\n")
    assert shop.scan()["interpreted"] == 1
    (answered,) = shop.events("llm.answered")
    assert answered["data"]["guarantee"] == "checked_here_only"
    assert any("schema" in event["data"]["asked"] for event in shop.events("degradation.noted"))
    (shop.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the scanner\n")
    assert shop.scan()["interpreted"] == 1
    assert shop.events("llm.answered")[-1]["data"]["guarantee"] == "enforced"


def test_case_87_a_provider_is_waited_for_as_it_says_and_each_attempt_is_told(
    shop: Shop, provider: Any
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)

    def limited(**headers: str) -> None:
        provider.queue(status=429, headers=headers)

    def again(what: str) -> None:
        (shop.root / "TODO.md").write_text(f"# Plans\n\n- [ ] Add retry to the {what}\n")

    limited(**{"Retry-After": "1"})
    limited(**{"Retry-After": format_datetime(now, usegmt=True), "Date": format_datetime(now, usegmt=True)})
    assert shop.scan()["interpreted"] == 1
    attempts = shop.events("llm.answered")[0]["data"]["story"]["attempts"]
    assert [(one["status"], one["outcome"]) for one in attempts] == [
        (429, "rate_limited"), (429, "rate_limited"), (200, "answered"),
    ]  # fmt: skip
    assert [one["retry_after_ms"] for one in attempts] == [1000, 0, None]
    assert attempts[0]["waited_ms"] >= 1000 or attempts[1]["waited_ms"] >= 1000

    again("importer")
    limited(**{"Retry-After": "86400", "Date": format_datetime(now, usegmt=True)})
    audit = shop.scan()
    assert (audit["status"], audit["reason"]["code"]) == ("fallback", "LLM_RATE_LIMITED")
    (unusable,) = shop.events("llm.unusable")
    until = re.search(r"asks to wait until (\S+) \(86400 s\), longer than", audit["reason"]["message"])
    assert until is not None and until[1] in unusable["data"]["detail"]
    assert timedelta() <= datetime.fromisoformat(until[1]) - now - timedelta(days=1) < timedelta(minutes=2)
    assert [one["retry_after_ms"] for one in unusable["data"]["story"]["attempts"]] == [86_400_000]

    again("printer")
    limited()
    assert shop.scan()["interpreted"] == 1
    first, second = shop.events("llm.answered")[-1]["data"]["story"]["attempts"]
    assert first["retry_after_ms"] is None and 225 <= max(first["waited_ms"], second["waited_ms"]) <= 600
    assert len(provider.requests) == 6
