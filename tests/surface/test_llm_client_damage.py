"""The client over a real socket, where what comes back is damaged, late, empty, cut off or not what was asked for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import ssl
import stat
import subprocess
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.llm.base import FORCED_TOOL, Message, Reply, Request, Shape
from t2c.ledger.llm.budget import Budget, Price
from t2c.ledger.llm.exchange import LARGEST
from t2c.ledger.llm.openrouter import OpenRouter
from t2c.ledger.llm.outcome import received
from t2c.ledger.redaction.funnel import Funnel

KEY = "sk-or-v1-" + "0f1e2d3c" * 8
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
REQUEST = Request(
    "acme/one", (Message("user", "A word."),), Shape("t2c_word", json.dumps(SCHEMA).encode()), max_tokens=200
)
STREAMED = REQUEST._replace(stream=True)
FAULT = {"code": 502, "message": "Worker limit", "metadata": {"provider_name": "Acme", "raw": "wl-7"}}


@pytest.fixture
def client(provider: Any) -> Iterator[Callable[..., OpenRouter]]:
    """Makes a client that waits for nothing between attempts."""
    made: list[OpenRouter] = []

    def make(url: str | None = None, key: str | None = KEY, **settings: Any) -> OpenRouter:
        made.append(
            OpenRouter(
                url or provider.url, key, **{"sleep": lambda seconds: None, "timeout": 5.0, **settings}
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


def outcomes(reply: Reply) -> list[tuple[int | None, str]]:
    return [(attempt.status, attempt.outcome) for attempt in reply.story.attempts]


# What HTTP 200 may bring: how, the failure, attempts, what is kept of an answer, and words of the detail.
INSIDE: list[tuple[dict[str, Any], str, int, str | None, str]] = [
    ({"message": "Overloaded", "code": 502, "metadata": {"provider_name": "Acme"}}, "unavailable", 3, None, "from Acme: Overloaded"),
    ({"message": "Slow down", "code": 429}, "rate_limited", 3, None, "an error inside HTTP 200, code 429"),
    ({"content": "{}", "finish": "max_tokens"}, "truncated", 1, "{}", "cut off at 200 tokens"),
    ({"message": "Odd", "code": "odd"}, "stream_error", 1, None, "code odd: Odd"),
    ({"content": '{"word":"x', "finish": "error"}, "stream_error", 1, '{"word":"x', "an error it does not name"),
    ({"content": '{"word":"x', "finish": "length"}, "truncated", 1, '{"word":"x', "cut off at 200 tokens"),
    ({"content": "", "finish": "content_filter"}, "refused", 1, None, "a filter of the provider"),
    ({"content": None, "refusal": "I cannot."}, "refused", 1, None, "I cannot."),
    ({"content": None}, "empty", 1, None, "holds no text"),
    ({"content": " \n"}, "empty", 1, None, "holds no text"),
    ({"content": "", "finish": "tool_calls"}, "empty", 1, None, "holds no text"),
    ({"merge": {"choices": []}}, "empty", 1, None, "holds no text"),
    ({"merge": {"choices": [{"message": {"content": {"word": 1}}, "finish_reason": "stop"}]}}, "unavailable", 1, None, "no text"),
    ({"content": "\ud83d{}"}, "not_json", 1, "\ufffd{}", "half of a surrogate pair"),
    ({"body": "<html>sign in</html>"}, "unavailable", 1, None, "is no JSON"),
    ({"body": b"\xff\xff"}, "unavailable", 1, None, "is no JSON"),
    ({"body": "[1]"}, "unavailable", 1, None, "is no JSON object"),
    ({"body": ""}, "unavailable", 1, None, "is empty"),
    ({"body": "[" * 100_000}, "unavailable", 1, None, "is no JSON"),
    ({"location": "https://elsewhere.example/v1"}, "unavailable", 1, None, "redirects to https://elsewhere.example/v1"),
]  # fmt: skip


@pytest.mark.parametrize(("how", "failure", "attempts", "kept", "words"), INSIDE)
def test_http_200_is_no_success_by_itself(
    provider: Any, client: Any, how: dict[str, Any], failure: str, attempts: int, kept: str | None, words: str
) -> None:
    for _ in range(3):
        provider.queue(how)
    reply = client().send(REQUEST)
    assert (reply.failure, len(provider.requests), reply.content) == (failure, attempts, kept)
    assert words in reply.detail
    assert {name for _, name in outcomes(reply)} == {failure}


def test_hidden_reasoning_that_used_the_budget_has_a_name_and_a_bill(provider: Any, client: Any) -> None:
    """(public-case 83)"""
    usage = {
        "prompt_tokens": 10, "completion_tokens": 200, "total_tokens": 210, "cost": 0.0000031,
        "completion_tokens_details": {"reasoning_tokens": 199},
    }  # fmt: skip
    provider.queue(content="", finish="length", usage=usage)
    reply = client().send(REQUEST)
    assert (reply.failure, reply.content) == ("reasoning_used_the_budget", None)
    assert reply.detail.startswith("199 of 200 tokens went into reasoning")
    assert (reply.story.usage.reasoning_tokens, reply.story.usage.cost_micros) == (199, 4)
    provider.queue(
        content="", finish="length", usage={**usage, "completion_tokens_details": {"reasoning_tokens": 20}}
    )
    assert client().send(REQUEST).failure == "truncated"
    provider.queue(content="", finish="length", usage=None, reasoning="hm")
    assert client().send(REQUEST).failure == "reasoning_used_the_budget"


def test_a_content_in_parts_is_their_text(provider: Any, client: Any) -> None:
    provider.queue(
        content=[{"type": "text", "text": '{"word":'}, {"type": "image"}, {"type": "text", "text": '"x"}'}]
    )
    assert client().send(REQUEST).content == '{"word":"x"}'


def test_the_model_that_answered_is_named_as_it_names_itself(provider: Any, client: Any) -> None:
    provider.queue(served="acme/one-2026-01")
    assert client().send(REQUEST).story.served == "acme/one-2026-01"
    provider.queue(served=None)
    story = client().send(REQUEST).story
    assert (story.requested, story.served, story.provider) == ("acme/one", None, None)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -1, "completion_tokens": -2, "total_tokens": -3, "cost": -0.5},
        {"prompt_tokens": "10", "completion_tokens": "2", "total_tokens": "12", "cost": "0.1"},
        {"prompt_tokens": True, "completion_tokens": 1.5, "total_tokens": 1e300, "cost": 1e300},
        {"prompt_tokens": [], "completion_tokens": {}, "total_tokens": None, "cost": False},
    ],
)
def test_what_is_not_metered_is_unknown_and_the_answer_stands(provider: Any, client: Any, usage: Any) -> None:
    provider.queue(usage=usage)
    reply = client().send(REQUEST)
    assert reply.failure is None
    assert set(reply.story.usage.model_dump().values()) == {None, "USD"}


@pytest.mark.parametrize(
    ("cost", "micros"), [(0, 0), (0.0000001, 1), (0.000001, 1), (0.95, 950_000), (1e-9, 1), (3, 3_000_000)]
)
def test_money_is_rounded_up_to_millionths(provider: Any, client: Any, cost: float, micros: int) -> None:
    provider.queue(usage={"cost": cost})
    assert client().send(REQUEST).story.usage.cost_micros == micros


@pytest.mark.parametrize("finish", ["stop", "error"])
def test_an_error_inside_a_stream_is_a_failure_with_what_had_arrived(
    provider: Any, client: Any, finish: str
) -> None:
    """(public-case 81)"""
    provider.queue(content='{"word":"half', chunks=2, fail=FAULT, finish=finish)
    reply = client().send(STREAMED)
    assert (reply.failure, reply.content, len(provider.requests)) == ("stream_error", '{"word":"half', 1)
    assert reply.detail == "an error inside HTTP 200, code 502 from Acme: Worker limit: wl-7"
    assert reply.story.provider == "by"
    assert reply.raw is not None and reply.raw.count(b"data: ") == 3


def test_an_error_before_anything_arrived_may_be_tried_again(provider: Any, client: Any) -> None:
    provider.queue(content="", fail=FAULT, keepalives=2)
    reply = client().send(STREAMED)
    assert outcomes(reply) == [(200, "unavailable"), (200, "answered")]


def test_a_stream_that_ends_early_is_tried_again_and_never_taken_for_whole(
    provider: Any, client: Any
) -> None:
    for _ in range(3):
        provider.queue(content='{"word":"x"}', finish=None, end=True)
    reply = client().send(STREAMED)
    assert outcomes(reply) == [(200, "stream_error")] * 3
    assert (reply.content, reply.detail) == ('{"word":"x"}', "the stream ended early")
    provider.queue(content='{"word":"x"}', end=True)
    assert client().send(STREAMED).failure is None


def test_a_stream_that_said_it_was_done_is_not_waited_for(provider: Any, client: Any) -> None:
    provider.queue(linger=5.0)
    began = time.monotonic()
    assert outcomes(client().send(STREAMED)) == [(200, "answered")]
    assert time.monotonic() - began < 1.0
    # Nor is one whose answer was whole when time ran out.
    provider.queue(linger=5.0, end=True)
    assert outcomes(client(timeout=0.2).send(STREAMED)) == [(200, "answered")]
    provider.stop()


def test_half_pairs_in_two_chunks_are_one_character(provider: Any, client: Any) -> None:
    """A server that cuts UTF-16 in pieces sends each half of a pair by itself."""
    chunks = ['{"word":"\\ud83d', '\\ude00"}']
    lines = [
        'data: {"choices":[{"delta":{"content":"' + one.replace('"', '\\"') + '"},"finish_reason":null}]}'
        for one in chunks
    ]
    lines.append('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}')
    provider.queue(body="\n\n".join(lines), headers={"Content-Type": "text/event-stream"})
    reply = client().send(STREAMED)
    assert (reply.failure, reply.content) == (None, '{"word":"😀"}')


def test_a_forced_tool_that_is_not_called_is_a_loud_failure(provider: Any, client: Any) -> None:
    request = REQUEST._replace(mode="forced_tool")
    provider.queue(merge={"choices": [{"message": {"content": '{"word":"x"}'}, "finish_reason": "stop"}]})
    reply = client().send(request)
    assert (reply.failure, reply.content) == ("schema_violation", '{"word":"x"}')
    assert reply.detail == f"the model answered in text instead of calling {FORCED_TOOL} once"
    call = {"function": {"name": FORCED_TOOL, "arguments": "{}"}}
    provider.queue(
        merge={"choices": [{"message": {"tool_calls": [call, call]}, "finish_reason": "tool_calls"}]}
    )
    assert client().send(request).detail.startswith(f"the model called {FORCED_TOOL} 2 times")
    other = {"function": {"name": "rm", "arguments": "{}"}}
    provider.queue(merge={"choices": [{"message": {"tool_calls": [other]}, "finish_reason": "tool_calls"}]})
    assert client().send(request).failure == "schema_violation"


@pytest.mark.parametrize("request_", [REQUEST, STREAMED])
def test_a_connection_that_is_reset_in_the_middle_is_tried_again(
    provider: Any, client: Any, request_: Request
) -> None:
    for cut in (0, 40, 300):
        provider.queue(cut=cut)
    budget = Budget(tokens=100_000)
    reply = client(budget=budget).send(request_)
    assert reply.failure in ("unavailable", "stream_error") and len(provider.requests) == 3
    assert reply.raw is not None and len(reply.raw) == 300
    # Nobody knows what was generated: the whole reservations count.
    assert budget.spent["tokens"] == 3 * (-(-len(request_.body) // 3) + 200)


def test_an_answer_that_is_whole_outlives_its_connection(provider: Any, client: Any) -> None:
    provider.on("t2c_word", {"word": "x"})
    whole = client().send(STREAMED)
    assert whole.raw is not None
    provider.queue(cut=len(whole.raw) - 20)
    reply = client().send(STREAMED)
    assert (reply.failure, reply.content, len(provider.requests)) == (None, whole.content, 2)


def test_nobody_there_is_said_after_all_attempts(provider: Any, client: Any) -> None:
    provider.stop()
    budget = Budget(tokens=1000)
    reply = client(budget=budget).send(REQUEST)
    assert outcomes(reply) == [(None, "unavailable")] * 3
    assert (reply.raw, "ConnectError" in reply.detail) == (None, True)
    assert budget.spent["tokens"] == 0


@pytest.mark.parametrize(
    "how", [{"delay": 5.0}, {"drip": 0.03, "pieces": 1}, {"pause": 5.0}], ids=["head", "drip", "body"]
)  # fmt: skip
@pytest.mark.parametrize("request_", [REQUEST, STREAMED], ids=["whole", "stream"])
def test_a_slow_answer_ends_at_the_limit_and_is_not_paid_twice(
    provider: Any, client: Any, how: dict[str, Any], request_: Request
) -> None:
    provider.queue({"chunks": 100, **how})
    provider.on("*", {"word": "x" * 200})
    began = time.monotonic()
    reply = client(timeout=0.1).send(request_)
    assert time.monotonic() - began < 0.5
    assert (reply.failure, len(provider.requests)) == ("timeout", 1)
    assert "no whole answer within 0.1 s" in reply.detail


def test_what_speaks_no_tls_gets_nothing(provider: Any, client: Any) -> None:
    reply = client(provider.url.replace("http:", "https:")).send(REQUEST)
    assert (reply.failure, reply.content) == ("unavailable", None)
    assert provider.requests == []


def test_a_certificate_that_nobody_vouches_for_ends_it_before_the_key_is_sent(
    client: Any, tmp_path: Path
) -> None:
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1")
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            *new,
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            "key",
            "-out",
            "pem",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "pem", tmp_path / "key")
    heard: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        with (
            listening.accept()[0] as plain,
            contextlib.suppress(OSError),
            tls.wrap_socket(plain, server_side=True) as connection,
        ):
            heard.append(connection.recv(1))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        reply = client(f"https://127.0.0.1:{listening.getsockname()[1]}/v1").send(REQUEST)
        thread.join()
    assert outcomes(reply) == [(None, "unavailable")]
    assert "CERTIFICATE_VERIFY_FAILED" in reply.detail
    assert heard == []


def test_a_huge_body_is_not_held(provider: Any, client: Any) -> None:
    provider.queue(body=b" " * (LARGEST + 100))
    reply = client().send(REQUEST)
    assert (reply.failure, len(provider.requests)) == ("unavailable", 1)
    assert "longer than 8,388,608 bytes" in reply.detail
    assert reply.raw is not None and len(reply.raw) == LARGEST


def test_a_packed_body_is_read_and_a_broken_one_is_not(provider: Any, client: Any) -> None:
    provider.queue(gzip=True)
    assert client().send(REQUEST).failure is None
    assert provider.requests[0].headers["accept-encoding"] == "identity"
    provider.queue(body="no gzip", headers={"Content-Encoding": "gzip"})
    assert client().send(REQUEST).failure == "unavailable"


def test_the_environment_names_no_proxy_unless_one_is_given(
    provider: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert client().send(REQUEST).failure is None
    reply = client("http://provider.invalid/v1", proxy=provider.url.removesuffix("/v1")).send(REQUEST)
    assert reply.failure is None
    assert provider.requests[-1].path == "http://provider.invalid/v1/chat/completions"


def test_a_key_that_comes_back_stands_nowhere(provider: Any, client: Any, tmp_path: Path) -> None:
    echo = f"Authorization: Bearer {KEY} at https://openrouter.ai/settings/keys/1 of user_2x7DNyswjOH; api_key={KEY}"
    raw = json.dumps({"headers": {"authorization": f"Bearer {KEY}"}, "other": "sk-or-v1-" + "ab12" * 16})
    fault = {"code": 502, "message": echo, "metadata": {"provider_name": KEY, "raw": raw}}
    quoted = json.dumps({"word": KEY})
    ways: list[dict[str, Any]] = [
        {"status": 400, "message": echo, "metadata": fault["metadata"]},
        {"status": 401, "message": echo},
        {"status": 429, "message": echo, "headers": {"Retry-After": "99999", "X-Echo": KEY}},
        {"status": 500, "body": echo},
        {"body": echo},
        {"content": quoted, "merge": {"model": KEY, "id": KEY, "provider": KEY}},
        {"content": quoted, "finish": "length"},
        {"content": quoted, "refusal": echo},
        {
            "body": json.dumps({"model": KEY, "id": KEY, "provider": KEY, "choices": []}).replace(
                "sk-", r"\u0073k-"
            )
        },
        {"body": json.dumps({"error": fault}).replace("sk-", r"\u0073k-")},
        {"content": quoted, "fail": fault},
        {"location": f"https://user:{KEY}@elsewhere.example/"},
        {"status": 400, "message": f"{KEY} is not a valid model ID"},
        {"content": quoted, "cut": 400},
        {"body": json.dumps({"error": fault}).replace(KEY, "".join(f"\\u{ord(c):04x}" for c in KEY))},
        *(
            {"content": json.dumps({"word": form}), "status": status, "message": form}
            for status in (200, 400)
            for form in (
                KEY[9:],
                KEY.upper(),
                f"{KEY[:40]} and {KEY[40:]}",
                f"{KEY[:40]}\n{KEY[40:]}",
                b64encode(KEY.encode()).decode(),
                "".join(f"%{ord(c):02X}" for c in KEY),
                KEY.replace("-", "%2D"),
            )
        ),
    ]
    told: list[Any] = []
    for request in (REQUEST, STREAMED):
        for way in ways:
            provider.queue(way)
            reply = client(attempts=1, on_attempt=told.append, funnel=Funnel()).send(request)
            everything = repr(reply) + (reply.raw or b"").decode("utf-8", "replace") + repr(told)
            assert KEY not in everything, way
            # A stream may carry it in pieces; the answer that they make is masked, and they are not kept.
            assert "0f1e2d3c0f1e2d3c" not in everything.lower(), way
            assert b64encode(KEY.encode()).decode()[12:24] not in everything, way
            assert "ab12ab12" not in reply.detail and "user_2x7D" not in reply.detail, way
            assert "settings/keys" not in reply.detail, way
    assert len(told) == 2 * len(ways)
    assert KEY not in repr(client()) and KEY not in str(vars(client()).get("_own"))


@pytest.mark.parametrize("key", ["a key", "schlüssel-1234", "line\nend-12345", "\x00nul-123456"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(Usage) as caught:
        OpenRouter("https://provider.example/v1", key)
    assert key not in str(vars(caught.value))


@pytest.mark.parametrize(
    "address", ["", "provider.example/v1", "ftp://provider.example", "http://", "http://[::1", "file:///etc"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(Usage):
        OpenRouter(address, KEY)


def test_an_address_is_shown_without_credentials() -> None:
    one = OpenRouter("https://me:secret@provider.example:8443/api/v1/?token=x#y", None)
    assert one.endpoint == "https://provider.example:8443/api/v1"


def test_without_a_key_none_is_sent(provider: Any, client: Any) -> None:
    assert client(key=None).send(REQUEST).failure is None
    assert "authorization" not in provider.requests[0].headers


def test_the_budget_is_asked_before_every_attempt(provider: Any, client: Any) -> None:
    for _ in range(3):
        provider.queue(status=503)
    reply = client(budget=Budget(requests=2)).send(REQUEST)
    assert (reply.failure, len(provider.requests)) == ("budget_exhausted", 2)
    assert outcomes(reply) == [(503, "unavailable")] * 2
    assert reply.detail.startswith("the budget of 2 requests is used up: 2 spent")


def test_what_was_metered_counts_and_what_was_refused_does_not(provider: Any, client: Any) -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "cost": 0.002}
    budget = Budget(tokens=1000, micros=10_000, price=Price(100_000, 400_000))
    model = client(budget=budget)
    provider.queue(status=429)
    provider.queue(usage=usage)
    reply = model.send(REQUEST)
    assert reply.failure is None
    assert {name: budget.spent[name] for name in ("requests", "tokens", "micros")} == {
        "requests": 2, "tokens": 35, "micros": 2000,
    }  # fmt: skip
    provider.queue(usage={**usage, "cost": 0.00795})
    assert model.send(REQUEST).failure is None
    assert "the budget of 0.01 USD is used up: 0.00995 spent" in model.send(REQUEST).detail
    assert len(provider.requests) == 3


def test_a_refusal_inside_http_200_is_not_billed_and_a_breakdown_may_be(provider: Any, client: Any) -> None:
    budget = Budget(tokens=10_000)
    model = client(budget=budget, attempts=1)
    provider.queue(message="Slow down", code=429)
    model.send(REQUEST)
    assert budget.spent["tokens"] == 0
    provider.queue(message="Overloaded", code=503)
    model.send(REQUEST)
    assert budget.spent["tokens"] == -(-len(REQUEST.body) // 3) + 200


def test_usage_adds_up_over_attempts(provider: Any, client: Any) -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "cost": 0.002}
    provider.queue(status=200, message="Overloaded", code=503, merge={})
    provider.queue(content='{"word":"x"}', finish=None, end=True, usage=usage)
    provider.queue(usage=usage)
    story = client().send(STREAMED).story
    assert [attempt.outcome for attempt in story.attempts] == ["unavailable", "stream_error", "answered"]
    assert (story.usage.total_tokens, story.usage.cost_micros) == (70, 4000)


def test_time_is_a_budget_too(provider: Any, client: Any) -> None:
    provider.queue(delay=5.0)
    reply = client(budget=Budget(seconds=0.1)).send(REQUEST)
    assert reply.failure == "timeout" and "within 0.1 s" in reply.detail
    provider.queue(status=429, headers={"Retry-After": "30"})
    budget = Budget(seconds=20)
    reply = client(budget=budget).send(REQUEST)
    assert reply.failure == "budget_exhausted"
    assert "HTTP 429" in reply.detail and "the budget of time ends before the next attempt" in reply.detail


def test_what_arrives_is_kept_as_it_comes(provider: Any, client: Any, tmp_path: Path) -> None:
    provider.on("t2c_word", {"word": "x"})
    spool = tmp_path / REQUEST.digest
    reply = client(spool=lambda digest: tmp_path / digest).send(REQUEST)
    assert spool.read_bytes() == reply.raw
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600
    again = received(REQUEST, spool.read_bytes())
    assert again is not None
    assert (again.content, again.failure, again.story.usage) == (reply.content, None, reply.story.usage)
    whole = spool.read_bytes()
    # Half of it is none of an answer, wherever it was cut.
    assert all(received(REQUEST, whole[:cut]) is None for cut in range(len(whole)))
    provider.queue(status=429, message="no")
    provider.queue(cut=50)
    client(spool=lambda digest: tmp_path / digest, attempts=2).send(REQUEST)
    assert spool.read_bytes() == provider_body(reply)[:50]
    # What is no answer is not kept for one.
    provider.queue(status=429, message="no")
    client(spool=lambda digest: tmp_path / digest, attempts=1).send(REQUEST)
    assert spool.read_bytes() == b""


def provider_body(reply: Reply) -> bytes:
    assert reply.raw is not None
    return reply.raw


def test_half_of_a_stream_is_no_answer_wherever_it_was_cut(
    provider: Any, client: Any, tmp_path: Path
) -> None:
    provider.on("t2c_word", {"word": "x"})
    reply = client().send(STREAMED)
    whole = provider_body(reply)
    ends = whole.index(b'"finish_reason": "stop"')
    kept = [received(STREAMED, whole[:cut]) for cut in range(0, len(whole), 3)]
    assert all(one is None for cut, one in zip(range(0, ends, 3), kept, strict=False))
    assert {one.content for one in kept if one is not None} == {reply.content}


def test_what_cannot_be_kept_stops_the_work(provider: Any, client: Any, tmp_path: Path) -> None:
    budget = Budget(tokens=1000)
    with pytest.raises(Environment, match="what arrives cannot be kept"):
        client(spool=lambda digest: tmp_path / "no" / digest, budget=budget).send(REQUEST)
    assert budget.spent["tokens"] == -(-len(REQUEST.body) // 3) + 200


@pytest.mark.parametrize(
    "how", [{"delay": 5.0}, {"drip": 0.02, "pieces": 1}, None], ids=["head", "drip", "wait"]
)
def test_ctrl_c_stops_at_once_and_settles_what_was_held(
    provider: Any, client: Any, how: dict[str, Any] | None
) -> None:
    budget = Budget(tokens=1000)
    if how is None:
        provider.queue(status=503, headers={"Retry-After": "20"})
        model = client(budget=budget, sleep=None)
    else:
        provider.queue(how)
        model = client(budget=budget)
    began: list[float] = []

    def interrupt() -> None:
        while not provider.requests:
            time.sleep(0.005)
        time.sleep(0.05)
        began.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.send(REQUEST)
    assert time.monotonic() - began[0] < 0.3
    thread.join()
    assert budget.spent["tokens"] == (0 if how is None else -(-len(REQUEST.body) // 3) + 200)
    provider.stop()


@pytest.mark.parametrize("how", [{"delay": 5.0}, {"status": 503, "headers": {"Retry-After": "20"}}])
def test_other_threads_are_given_up_too(provider: Any, client: Any, how: dict[str, Any]) -> None:
    replies: list[Reply] = []
    model = client(sleep=None)
    for _ in range(3):
        provider.queue(how)
    threads = [threading.Thread(target=lambda: replies.append(model.send(REQUEST))) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(provider.requests) < 3:
        time.sleep(0.005)
    time.sleep(0.02)
    began = time.monotonic()
    model.abandon()
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 0.3
    assert [reply.failure for reply in replies] == ["interrupted"] * 3
    assert model.send(REQUEST).failure == "interrupted" and len(provider.requests) == 3
    provider.stop()
