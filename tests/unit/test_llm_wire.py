"""What bytes of a response say, whatever they are."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.llm.base import FORCED_TOOL, Message, Request, Shape
from t2c.ledger.llm.outcome import judge, received, reply_of, worded
from t2c.ledger.llm.waiting import LONGEST, backoff, time_for, told_to_wait
from t2c.ledger.llm.wire import NOT_METERED, Said, read

REQUEST = Request("acme/one", (Message("user", "A word."),), Shape("t2c_word", b'{"type":"object"}'))
NOW = datetime(2026, 1, 5, 10, tzinfo=UTC)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "choices", "message", "delta", "content", "finish_reason", "error", "code", "usage", "cost", "index",
                "tool_calls", "function", "name", "arguments", "metadata", "raw", "provider_name", "refusal", "text",
                "prompt_tokens", "completion_tokens_details", "reasoning_tokens", "model", "id", "provider",
            ]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip
documents = values.map(lambda value: json.dumps(value).encode())
lines = st.one_of(
    documents.map(lambda one: b"data: " + one),
    st.sampled_from([b"", b"data: [DONE]", b": keep", b"event: error", b"data:", b"retry: 1", b"\r"]),
    st.binary(max_size=12),
)
streams = st.lists(lines, max_size=12).map(b"\n".join)


@settings(max_examples=50)
@given(
    st.one_of(st.binary(max_size=200), documents, streams),
    st.sampled_from([200, 200, 204, 302, 400, 404, 429, 502]),
)
def test_no_bytes_are_more_than_an_outcome(body: bytes, status: int) -> None:
    said = read(body)
    for text in (said.content, said.refusal, said.finish, said.served, said.provider, said.response_id):
        (text or "").encode()
    outcome = judge(REQUEST, status, body)
    if outcome.failure is None:
        assert said.problem is None and said.error is None and said.finish != "error"
        assert (said.content or "").strip() and status == 200
    # What is kept of it can stand in an event.
    reply = reply_of(REQUEST, outcome, body, (), outcome.said.usage)
    reply.story.model_dump_json()
    worded(outcome.detail).encode()
    received(REQUEST, body)


@settings(max_examples=50)
@given(st.text(min_size=1).filter(str.strip), st.integers(1, 7), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_stream_says_what_its_document_says(text: str, size: int, newline: str) -> None:
    whole = {
        "id": "gen-1",
        "model": "m",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
    }
    deltas = [{"content": text[at : at + size]} for at in range(0, len(text), size)]
    chunks = [
        {"id": "gen-1", "model": "m", "choices": [{"delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    said = [": OPENROUTER PROCESSING", *(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]"]
    streamed = read((newline * 2).join(said).encode())
    assert streamed.streamed and streamed.content == text
    assert streamed._replace(streamed=False) == read(json.dumps(whole).encode())


def test_calls_in_a_stream_are_put_together_by_their_place() -> None:
    def chunk(*calls: dict[str, Any]) -> str:
        return "data: " + json.dumps(
            {"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": None}]}
        )

    parts = [
        chunk({"index": 0, "function": {"name": "look", "arguments": "{"}}),
        chunk({"index": 1, "id": "c", "function": {"name": FORCED_TOOL, "arguments": '{"a"'}}),
        chunk({"index": 0, "function": {"arguments": "}"}}, {"index": 1, "function": {"arguments": ":1}"}}),
        'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}',
    ]
    said = read("\n\n".join(parts).encode())
    assert (said.content, said.called, said.other_calls) == ('{"a":1}', 1, ("look",))


def test_an_error_event_of_a_gateway_is_an_error() -> None:
    body = b'event: error\ndata: {"message":"gone","code":"overloaded_error"}\n\n'
    outcome = judge(REQUEST, 200, body)
    assert (outcome.failure, outcome.again) == ("unavailable", True)
    assert "code overloaded_error: gone" in outcome.detail


def test_the_first_choice_alone_answers() -> None:
    choices = [{"index": n, "message": {"content": str(n)}, "finish_reason": "stop"} for n in (1, 0)]
    assert read(json.dumps({"choices": choices}).encode()).content == "0"


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices":[NaN]}',
        b'{"usage":{"cost":1e99999999999}}',
        b'{"a":' + b"1" * 5000 + b"}",
        b"\xef\xbb\xbf{}",
    ],
)
def test_numbers_beyond_reason_cost_nothing(body: bytes) -> None:
    assert read(body).usage == NOT_METERED


def test_names_are_bounded_and_words_are_one_safe_line() -> None:
    body = json.dumps({"model": "m" * 9999, "error": {"message": "x" * 99_999, "code": 400}}).encode()
    said = read(body)
    assert len(said.served or "") == 200
    assert read(b'{"model":"a\\u001b[2Jb\\u202ec"}').served == "a?[2Jb?c"
    detail = worded(judge(REQUEST, 400, body).detail)
    assert len(detail) <= 1001
    assert worded("a\x1b[31m\r\nb\u202ec\x00") == "a [31m b c"
    assert worded("Bearer abcdef0123 https://x.example/workspace/keys?a=1 user_12345678") == (
        "Bearer [redacted:token] [redacted:key_url] [redacted:credential]"
    )


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_no_retry_after_is_more_than_a_wait(said: str) -> None:
    wait = told_to_wait({"retry-after": said}, NOW)
    assert wait is None or wait >= 0


def test_a_date_is_compared_with_the_clock_where_the_response_has_none() -> None:
    date = "Mon, 05 Jan 2026 10:00:30 GMT"
    assert told_to_wait({"retry-after": date}, NOW) == 30.0
    assert told_to_wait({"retry-after": date, "date": "Mon, 05 Jan 2026 10:00:10 GMT"}, NOW) == 20.0
    assert told_to_wait({"retry-after": date, "date": "?"}, NOW) == 30.0
    assert told_to_wait({}, NOW) is None


@pytest.mark.parametrize(
    ("characters", "tokens", "messages", "mode", "factor"),
    [
        (100, 6000, 2, "json_schema", 1),
        (8000, 6000, 2, "json_schema", 1),
        (8001, 6000, 2, "json_schema", 2),
        (16_001, 6000, 2, "json_schema", 4),
        (100, 12_000, 2, "json_schema", 2),
        (100, 100, 3, "json_schema", 2),
        (100, 100, 4, "json_object", 1),
        (10**7, 100, 2, "json_schema", 8),
    ],
)
def test_a_long_request_may_take_longer(
    characters: int, tokens: int, messages: int, mode: Any, factor: int
) -> None:
    """(intent-evidence §6.5)"""
    request = REQUEST._replace(messages=REQUEST.messages * messages, max_tokens=tokens, mode=mode)
    assert time_for(request, characters, 10.0) == 10.0 * factor
    assert time_for(request, characters, 590.0) == min(LONGEST, 590.0 * factor)


@settings(max_examples=50)
@given(st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(1, 40))
def test_a_pause_is_drawn_from_the_request(digest: str, attempt: int) -> None:
    middle = 0.3 * 2.0 ** min(attempt - 1, 8)
    assert 0.75 * middle <= backoff(digest, attempt) <= 1.25 * middle
    assert backoff(digest, attempt) == backoff(digest, attempt)


def test_what_is_complete_is_told_from_what_only_began() -> None:
    assert not Said().complete
    assert not read(b'{"choices":[{"message":{"content":"x"},"finish_reason":"error"}]}').complete
    assert not read(b'{"choices":[{"message":{"content":"x"},"finish_reason":null}]}').complete
    assert read(b'{"choices":[{"message":{"content":"x"},"finish_reason":"length"}]}').complete
