"""The calls: each request with its one outcome and what was made of it, and sums that hide nothing unknown."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.kernel.actor import Actor
from t2c.projections.calls.state import Call, Calls
from t2c.projections.calls.totals import grouped, totals
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

AGENT = Actor("agent", "acme/one")
USAGE = {
    "prompt_tokens": 10, "completion_tokens": 3, "reasoning_tokens": None, "total_tokens": 13, "cost_micros": 70,
    "currency": "USD",
}  # fmt: skip


def entries(chain: Any) -> list[Entry]:
    return list(chain.journal.entries())


def story(
    served: str | None = "acme/one", attempts: int = 1, status: int | None = 200, **usage: Any
) -> dict[str, Any]:
    tried = {
        "status": status,
        "outcome": "answered",
        "waited_ms": 5,
        "took_ms": 20,
        "retry_after_ms": None,
        "detail": "",
    }
    return {
        "requested": "acme/one", "served": served, "provider": None, "response_id": None, "finish_reason": "stop",
        "attempts": [{"number": number + 1, **tried} for number in range(attempts)], "usage": {**USAGE, **usage},
    }  # fmt: skip


def ask(
    chain: Any, request: str = "a" * 64, stage: str = "markdown", run: str | None = None, **more: Any
) -> str:
    body = {
        "request": request, "role": "enricher", "stage": stage, "model": "acme/one", "mode": "json_schema",
        "endpoint": "https://models.example/v1", "schema_name": "s", "schema_digest": "0" * 64, "brief": "b",
        "brief_digest": "1" * 64, "manifest": "2" * 64, "items": 4, "body_bytes": 900, "masked": {"known_secret": 1},
        "corrects": None, "instead_of": None, **more,
    }  # fmt: skip
    chain.add("llm.asked", body, run=run)
    return entries(chain)[-1].id


def answer(chain: Any, asked: str, request: str = "a" * 64, replayed: Any = None, **told: Any) -> str:
    body = {
        "asked": asked, "request": request, "content": "3" * 64, "raw": "4" * 64, "value": None,
        "guarantee": "enforced", "story": story(**told), "replayed": replayed,
    }  # fmt: skip
    chain.add("llm.answered", body, actor=AGENT, trust="asserted")
    return entries(chain)[-1].id


def fail(chain: Any, asked: str, reason: str = "truncated", request: str = "a" * 64, **told: Any) -> str:
    body = {
        "asked": asked, "request": request, "reason": reason, "where": None, "detail": "cut off", "content": None,
        "raw": None, "story": story(**told), "replayed": None,
    }  # fmt: skip
    chain.add("llm.unusable", body)
    return entries(chain)[-1].id


def folded(chain: Any) -> Folded:
    return fold(chain.journal, ALL, ["calls"])


def document(chain: Any) -> Any:
    return orjson.loads(b"".join(folded(chain).artifacts("calls")["calls.json"]))


def calls(chain: Any) -> list[Call]:
    state: Calls = folded(chain).states["calls"]
    return list(state.calls.values())


def test_a_request_is_told_with_its_outcome(chain: Any) -> None:
    asked = ask(chain, run="r1")
    answered = answer(chain, asked)
    (call,) = document(chain)["calls"]
    assert (call["event"], call["seq"], call["run"], call["masked"]) == (asked, 2, "r1", {"known_secret": 1})
    outcome = call["outcome"]
    assert (outcome["event"], outcome["seq"], outcome["reason"]) == (answered, 3, None)
    assert (outcome["by"], outcome["guarantee"]) == ("agent:acme/one", "enforced")
    assert outcome["story"]["usage"]["cost_micros"] == 70
    assert document(chain)["totals"]["cost_micros"] == {"USD": 70}


def test_without_requests_the_document_is_whole(chain: Any) -> None:
    assert (document(chain)["calls"], document(chain)["totals"]["calls"]) == ([], 0)


def test_an_announcement_alone_is_open(chain: Any) -> None:
    ask(chain)
    (call,) = document(chain)["calls"]
    assert call["outcome"] is None and document(chain)["totals"]["open"] == 1


@pytest.mark.parametrize(
    ("type", "field"),
    [("record.interpreted", "answered"), ("answer.recorded", "answered"), ("conclusion.drawn", "by"),
     ("proposal.raised", "by"), ("synthesis.drawn", "by")],
)  # fmt: skip
def test_what_cites_an_answer_is_what_became_of_it(chain: Any, type: str, field: str) -> None:
    answered = answer(chain, ask(chain))
    other = answer(chain, ask(chain, "b" * 64), "b" * 64)
    seq = chain.add(type, {field: answered}, actor=AGENT, trust="asserted")
    chain.add(type, {field: None}, actor=AGENT, trust="asserted")
    first, second = document(chain)["calls"]
    assert [(use["type"], use["seq"]) for use in first["uses"]] == [(type, seq)]
    assert second["uses"] == [] and other != answered
    assert not any(folded(chain).faults.values())


def test_an_event_that_names_its_answer_as_a_cause_counts_once() -> None:
    projection = ALL["calls"]
    state = projection.start()
    head = {"prev": "0" * 64, "v": 1, "ts": "2026-01-05T10:00:00.000Z"}
    me = {"kind": "agent", "id": "m"}

    def step(seq: int, type: str, data: dict[str, Any], **more: Any) -> None:
        identity = f"EVT-{seq:020}"
        event = {**head, "seq": seq, "type": type, "id": identity, "actor": me, "trust": "asserted", **more}
        projection.step(state, decode_entry(orjson.dumps({**event, "data": data})))

    asked = dict.fromkeys(("role", "stage", "model", "mode", "endpoint", "schema_name", "brief"), "x")
    objects = dict.fromkeys(("request", "schema_digest", "brief_digest", "manifest"), "0" * 64)
    none = {"items": 0, "body_bytes": 0, "masked": {}, "corrects": None, "instead_of": None}
    step(2, "llm.asked", {**asked, **objects, **none})
    outcome = {"asked": f"EVT-{2:020}", "request": "0" * 64, "story": story(), "replayed": None}
    step(3, "llm.answered", outcome)
    answered = f"EVT-{3:020}"
    step(4, "answer.recorded", {"answered": answered}, cause=[answered])
    step(5, "record.interpreted", {}, cause=[answered], run="r1")
    step(6, "record.interpreted", {}, cause=[answered], run="r2")
    (call,) = state.calls.values()
    assert [use.seq for use in call.uses] == [4, 5, 6]
    assert call.run == "r1", "the run that began with what came of it"
    step(7, "llm.asked", {**asked, **objects, **none})
    step(8, "llm.unusable", {**outcome, "asked": f"EVT-{7:020}", "reason": "not_json"})
    step(9, "llm.asked", {**asked, **objects, **none, "corrects": f"EVT-{7:020}"})
    step(10, "llm.answered", {**outcome, "asked": f"EVT-{9:020}"})
    step(11, "conclusion.drawn", {"by": f"EVT-{10:020}"}, run="r3")
    assert [one.run for one in state.calls.values()] == ["r1", "r3", "r3"]


def test_a_second_outcome_or_one_of_another_request_is_a_fault_and_changes_nothing(chain: Any) -> None:
    asked = ask(chain)
    fail(chain, asked, request="b" * 64)
    answered = answer(chain, asked)
    fail(chain, asked)
    answer(chain, "EVT-" + "0" * 20)
    assert sum(len(faults) for faults in folded(chain).faults.values()) == 3
    (call,) = calls(chain)
    assert call.outcome is not None and call.outcome.event == answered


def test_sums_count_apart_what_nobody_knows(chain: Any) -> None:
    answer(chain, ask(chain))
    answer(chain, ask(chain, "b" * 64), "b" * 64, attempts=2, cost_micros=None)
    fail(chain, ask(chain, "c" * 64), request="c" * 64, prompt_tokens=None, completion_tokens=None)
    ask(chain, "d" * 64)
    nothing = {"cost_micros": None, "prompt_tokens": None, "completion_tokens": None}
    fail(chain, ask(chain, "e" * 64), "budget_exhausted", "e" * 64, attempts=0, **nothing)
    found = totals(calls(chain))
    assert (found.calls, found.answered, found.unusable, found.open) == (5, 2, 2, 1)
    assert (found.cost_micros, found.cost_unknown) == ({"USD": 140}, 2)
    assert (found.prompt_tokens, found.completion_tokens, found.tokens_unknown) == (20, 6, 2)
    assert (found.attempts, found.milliseconds) == (4, 100)


@pytest.mark.parametrize(("status", "unknown"), [(429, 0), (503, 0), (200, 1), (None, 1)])
def test_what_was_refused_by_its_status_cost_nothing(chain: Any, status: int | None, unknown: int) -> None:
    nothing = {"cost_micros": None, "prompt_tokens": None, "completion_tokens": None}
    fail(chain, ask(chain), "unavailable", status=status, **nothing)
    found = totals(calls(chain))
    assert (found.cost_unknown, found.tokens_unknown, found.attempts) == (unknown, unknown, 1)


def test_currencies_are_not_added_up(chain: Any) -> None:
    answer(chain, ask(chain))
    answer(chain, ask(chain, "b" * 64), "b" * 64, currency="EUR", cost_micros=5)
    assert totals(calls(chain)).cost_micros == {"EUR": 5, "USD": 70}


def test_what_was_taken_from_a_record_took_nothing_here(chain: Any) -> None:
    answer(chain, ask(chain), replayed={"ledger": "9" * 32, "event": "EVT-" + "1" * 20})
    found = totals(calls(chain))
    assert (found.replayed, found.cost_micros, found.prompt_tokens, found.cost_unknown) == (1, {}, 0, 0)


def test_calls_are_put_together_by_model_stage_run_or_day(chain: Any) -> None:
    answer(chain, ask(chain, run="r1"), served="acme/two")
    answer(chain, ask(chain, "b" * 64, "summary"), "b" * 64)
    ask(chain, "c" * 64)
    found = calls(chain)
    assert {name: one.calls for name, one in grouped(found, "model").items()} == {
        "acme/one": 2,
        "acme/two": 1,
    }
    assert {name: one.calls for name, one in grouped(found, "stage").items()} == {"markdown": 2, "summary": 1}
    assert {name: one.calls for name, one in grouped(found, "run").items()} == {"": 2, "r1": 1}
    assert list(grouped(found, "day")) == [found[0].ts[:10]]
