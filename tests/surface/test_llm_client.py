"""The client over a real socket: what a provider does well or badly, and what comes back of it.

Requests wait nowhere: the waits are written down instead, where a test asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from t2c.ledger.events.llm import Attempt
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.llm.base import Message, Reply, Request, Shape
from t2c.ledger.llm.openrouter import OpenRouter
from t2c.ledger.llm.waiting import backoff

KEY = "sk-or-v1-" + "0f1e2d3c" * 8
SCHEMA = {
    "type": "object",
    "properties": {
        "words": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "minItems": 1,
            "uniqueItems": True,
        }
    },
    "required": ["words"],
    "additionalProperties": False,
}
SHAPE = Shape("t2c_words", json.dumps(SCHEMA).encode())
REQUEST = Request(
    "acme/one", (Message("system", "Say words."), Message("user", "Zażółć")), SHAPE, max_tokens=200
)
NOW = datetime(2026, 1, 5, 10, tzinfo=UTC)


class Bench:
    """A client of the provider, and what it did between attempts."""

    def __init__(self, provider: Any, **settings: Any) -> None:
        self.waits: list[float] = []
        self.attempts: list[Attempt] = []
        given = {"sleep": self.waits.append, "on_attempt": self.attempts.append, "clock": FixedClock(NOW)}
        url = settings.pop("url", provider.url)
        self.model = OpenRouter(url, settings.pop("key", KEY), **{"timeout": 5.0, **given, **settings})

    def send(self, request: Request = REQUEST) -> Reply:
        reply = self.model.send(request)
        assert reply.story.attempts == tuple(self.attempts) or reply.failure == "interrupted"
        assert KEY not in repr(reply)
        assert reply.raw is None or KEY.encode() not in reply.raw
        return reply


@pytest.fixture
def bench(provider: Any) -> Iterator[Callable[..., Bench]]:
    """Makes a client with settings of its own."""
    made: list[Bench] = []

    def make(**settings: Any) -> Bench:
        made.append(Bench(provider, **settings))
        return made[-1]

    yield make
    for one in made:
        one.model.close()


def outcomes(reply: Reply) -> list[tuple[int | None, str]]:
    return [(attempt.status, attempt.outcome) for attempt in reply.story.attempts]


def test_the_bytes_that_are_sent_are_those_that_name_the_request(provider: Any, bench: Any) -> None:
    provider.on("t2c_words", {"words": ["żółć"]})
    reply = bench(referer="https://example.org/żółw", title="t2c").send()
    assert json.loads(reply.content or "") == {"words": ["żółć"]}
    received_one = provider.requests[0]
    assert received_one.raw == REQUEST.body
    assert received_one.path == "/v1/chat/completions"
    headers = received_one.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["idempotency-key"] == REQUEST.digest
    assert (headers["x-openrouter-title"], headers["x-title"]) == ("t2c", "t2c")
    assert headers["http-referer"] == "https://example.org/???w"
    story = reply.story
    assert (story.requested, story.served, story.provider) == ("acme/one", "acme/one", "by")
    assert (story.finish_reason, reply.failure, outcomes(reply)) == ("stop", None, [(200, "answered")])
    assert story.response_id is not None and story.response_id.startswith("gen-")
    said = json.loads(reply.raw or b"")["usage"]
    assert story.usage.prompt_tokens == said["prompt_tokens"]
    assert story.usage.total_tokens == said["total_tokens"]
    assert story.usage.cost_micros == -(-round(said["cost"] * 10**10) // 10**4)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", ["json_schema", "forced_tool", "json_object"])
def test_every_mode_answers_whole_or_in_a_stream(provider: Any, bench: Any, mode: Any, stream: bool) -> None:
    provider.on("*", {"words": ["a", "😀"]})
    provider.on("t2c_words", {"words": ["a", "😀"]})
    provider.queue(keepalives=3, chunks=40, reasoning="let me see")
    reply = bench().send(REQUEST._replace(mode=mode, stream=stream))
    assert (reply.failure, json.loads(reply.content or "")) == (None, {"words": ["a", "😀"]})
    assert reply.story.finish_reason == ("tool_calls" if mode == "forced_tool" else "stop")
    assert reply.story.usage.total_tokens


# A failure at the level of HTTP: status, what else the provider says, the failure, and how often it was asked.
REFUSALS: list[tuple[int, dict[str, Any], str, int]] = [
    (400, {"message": "max_tokens is too large"}, "rejected_request", 1),
    (401, {}, "unavailable", 1),
    (402, {}, "unavailable", 1),
    (403, {"metadata": {"reasons": ["violence"], "flagged_input": "…"}}, "refused", 1),
    (403, {}, "unavailable", 1),
    (404, {"body": "<h1>nothing here</h1>"}, "unavailable", 1),
    (408, {}, "timeout", 1),
    (413, {}, "rejected_request", 1),
    (429, {"metadata": {"provider_name": "Acme", "raw": "slow down"}}, "rate_limited", 3),
    (500, {}, "unavailable", 3),
    (502, {"metadata": {"provider_name": "Acme", "raw": '{"error":"boom"}'}}, "unavailable", 3),
    (503, {"body": b"\xff\xfe"}, "unavailable", 3),
]


@pytest.mark.parametrize(("status", "how", "failure", "attempts"), REFUSALS)
def test_a_status_says_whether_to_try_again(
    provider: Any, bench: Any, status: int, how: dict[str, Any], failure: str, attempts: int
) -> None:
    for _ in range(3):
        provider.queue(status=status, **how)
    reply = bench().send()
    assert (reply.content, reply.failure) == (None, failure)
    assert outcomes(reply) == [(status, failure)] * attempts
    assert len(provider.requests) == attempts
    assert f"HTTP {status}" in reply.detail
    if "metadata" in how and "provider_name" in how["metadata"]:
        assert "Acme" in reply.detail and how["metadata"]["raw"] in reply.detail
        assert reply.story.provider == "Acme"
    assert {one.headers["idempotency-key"] for one in provider.requests} == {REQUEST.digest}


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "does not take the key"), (402, "asks for a payment"), (403, "the key may not do this")],
)
def test_what_only_the_user_can_settle_is_said(provider: Any, bench: Any, status: int, words: str) -> None:
    provider.queue(status=status)
    assert words in bench().send().detail


def test_a_provider_that_recovers_is_waited_for_without_chance(provider: Any, bench: Any) -> None:
    """300 ms doubled, spread by the digest of the request: the same again, another for another request."""
    for status in (502, 429):
        provider.queue(status=status)
    one = bench()
    reply = one.send()
    assert (reply.failure, outcomes(reply)) == (
        None, [(502, "unavailable"), (429, "rate_limited"), (200, "answered")],
    )  # fmt: skip
    assert one.waits == [backoff(REQUEST.digest, 1), backoff(REQUEST.digest, 2)]
    assert 0.225 <= one.waits[0] <= 0.375 and 0.45 <= one.waits[1] <= 0.75
    assert [attempt.waited_ms for attempt in one.attempts] == [0, *(round(w * 1000) for w in one.waits)]
    assert backoff("1" * 64, 1) != backoff("2" * 64, 1)


@pytest.mark.parametrize(
    ("said", "waits", "told"),
    [
        ("7", [7.0], 7000),
        ("0", [0.0], 0),
        (format_datetime(NOW + timedelta(seconds=9), usegmt=True), [9.0], 9000),
        (format_datetime(NOW - timedelta(seconds=9), usegmt=True), [0.0], 0),
        ("86400", [], 86_400_000),
        ("9" * 40, [], None),
        (format_datetime(NOW + timedelta(days=1), usegmt=True), [], 86_400_000),
        ("soon", None, None),
        ("-5", None, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_retry_after_is_kept_up_to_a_stated_wait(
    provider: Any, bench: Any, said: str, waits: list[float] | None, told: int | None
) -> None:
    """(public-case 87)"""
    # By the server's own clock, which is another than ours.
    provider.queue(status=429, headers={"Retry-After": said, "Date": format_datetime(NOW, usegmt=True)})
    one = bench()
    reply = one.send()
    if waits is None:
        assert one.waits == [backoff(REQUEST.digest, 1)]
    else:
        assert one.waits == waits
    if waits == []:
        assert (reply.failure, len(provider.requests)) == ("rate_limited", 1)
        assert "longer than the 60 s that are waited" in reply.detail
        if told:
            assert "it asks to wait until 2026-01-06T10:00:00.000Z (86400 s)" in reply.detail
    else:
        assert (reply.failure, len(provider.requests)) == (None, 2)
    if told is not None:
        assert reply.story.attempts[0].retry_after_ms == told


def test_a_payment_that_is_due_at_a_stated_time_is_waited_for(provider: Any, bench: Any) -> None:
    provider.queue(status=402, headers={"Retry-After": "2"})
    one = bench()
    assert (one.send().failure, one.waits) == (None, [2.0])


def test_a_longer_wait_may_be_allowed(provider: Any, bench: Any) -> None:
    provider.queue(status=503, headers={"Retry-After": "300"})
    one = bench(longest_wait=300.0)
    assert (one.send().failure, one.waits) == (None, [300.0])


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("acme/oen is not a valid model ID", 400),
        ("The model `acme/oen` does not exist or you do not have access to it", 404),
        ("No endpoints found for acme/oen.", 404),
    ],
)
def test_an_unknown_model_is_told_with_what_there_is(
    provider: Any, bench: Any, message: str, status: int
) -> None:
    provider.models = [*(f"other/{n}" for n in range(100)), "acme/one", "acme/two"]
    provider.queue(status=status, message=message)
    reply = bench().send(REQUEST._replace(model="acme/oen"))
    assert (reply.failure, len(provider.requests)) == ("invalid_model", 1)
    assert "the provider lists acme/one, acme/two" in reply.detail


def test_an_unknown_model_is_told_without_a_list_too(provider: Any, bench: Any) -> None:
    provider.models = [{"not": "a name"}]
    provider.queue(status=400, message="nope is not a valid model ID")
    assert bench().send().detail == "HTTP 400: nope is not a valid model ID"


@pytest.mark.parametrize(
    ("status", "message", "raw", "refused"),
    [
        (400, "Provider returned error", "In context=('properties','words'), 'uniqueItems' is not permitted.", "uniqueItems"),
        (400, "For 'array' type, 'minItems' values other than 0 or 1 are not supported", None, "minItems"),
        (400, "response schemas specified unsupported field min_length", None, "minLength"),
        (404, "No endpoints found that can handle the requested parameters.", None, "json_schema"),
        (400, "'response_format' of type 'json_schema' is not supported with this model", None, "json_schema"),
        (400, "Invalid JSON: unexpected end of input", None, None),
        (400, "'minItems' was read", None, None),
        (400, "'maxItems' is not supported", None, None),
    ],
)  # fmt: skip
def test_what_a_provider_refuses_by_name_is_said(
    provider: Any, bench: Any, status: int, message: str, raw: str | None, refused: str | None
) -> None:
    metadata = None if raw is None else {"provider_name": "Acme", "raw": raw}
    provider.queue(status=status, message=message, metadata=metadata)
    reply = bench().send()
    assert (reply.failure, reply.refused_keyword) == ("rejected_request", refused)


def test_a_keyword_that_was_dropped_is_not_refused_again(provider: Any, bench: Any) -> None:
    provider.queue(status=400, message="'uniqueItems' and 'json_schema' are not supported")
    assert bench().send(REQUEST._replace(dropped=("uniqueItems",))).refused_keyword == "json_schema"
