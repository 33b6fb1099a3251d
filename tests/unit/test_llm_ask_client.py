"""Asking through the real client over a real socket: what is sent is what is recorded, and Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.llm.ask import Answered, Asker, Asking
from t2c.ledger.llm.base import Brief, Message, Shape
from t2c.ledger.llm.openrouter import OpenRouter

SHAPE = Shape(
    "t2c_test",
    b'{"type":"object","properties":{"n":{"type":"integer","maximum":99}},"required":["n"],'
    b'"additionalProperties":false}',
)


def question(number: int) -> Asking[Any]:
    text = f"question {number}"
    messages = (Message("user", text),)
    return Asking("test", "test", "acme/one", messages, SHAPE, Brief("test", text, (), {}), orjson.loads)


def recorded(ledger: Ledger, type: str) -> list[dict[str, Any]]:
    return [orjson.loads(bytes(one.data)) for one in ledger.entries() if one.type == type]


@pytest.fixture
def client(provider: Any) -> Iterator[OpenRouter]:
    provider.on("*", lambda body: {"n": int(body["messages"][-1]["content"].split()[-1])})
    with OpenRouter(provider.url, None) as opened:
        yield opened


def test_the_bytes_on_the_wire_are_those_in_the_ledger(
    ledger: Ledger, client: OpenRouter, provider: Any
) -> None:
    found = Asker(ledger, client, mode="record").ask_many([question(number) for number in range(6)], 3)
    assert [one.value["n"] for one in found if isinstance(one, Answered)] == list(range(6))
    sent = {sha256(one.raw).hexdigest(): one for one in provider.requests}
    asked = {
        orjson.loads(bytes(one.data))["request"]: one.id
        for one in ledger.entries()
        if one.type == "llm.asked"
    }
    assert set(asked) == set(sent)
    for digest, one in sent.items():
        assert ledger.objects.get(digest) == one.raw
        assert one.headers["idempotency-key"] == sha256((digest + asked[digest]).encode()).hexdigest()
    assert all(data["story"]["attempts"] for data in recorded(ledger, "llm.answered"))
    provider.stop()
    again = Asker(ledger, None, mode="replay").ask_many([question(number) for number in range(6)], 3)
    assert [one.event for one in again if isinstance(one, Answered)] == [
        one.event for one in found if isinstance(one, Answered)
    ]


def test_what_is_asked_anew_has_a_key_of_its_own_and_the_attempts_at_it_have_one(
    ledger: Ledger, client: OpenRouter, provider: Any
) -> None:
    """A provider that answers by the key would say again what it said before, and nobody would know."""
    provider.queue(status=503, headers={"Retry-After": "0"})
    for _ in range(2):
        Asker(ledger, client, mode="live").ask(question(7))
    first, again, anew = [one.headers["idempotency-key"] for one in provider.requests]
    assert first == again != anew
    assert len({one.raw for one in provider.requests}) == 1


def test_a_provider_that_takes_no_schema_is_asked_without(
    ledger: Ledger, client: OpenRouter, provider: Any
) -> None:
    provider.queue(status=400, message="response_format json_schema is not supported by this model")
    assert Asker(ledger, client, mode="record").ask(question(7)).value == {"n": 7}
    assert [one.body["response_format"]["type"] for one in provider.requests] == [
        "json_schema",
        "json_object",
    ]
    assert recorded(ledger, "llm.answered")[0]["guarantee"] == "checked_here_only"


def test_a_provider_that_takes_no_bound_is_asked_without_it(
    ledger: Ledger, client: OpenRouter, provider: Any
) -> None:
    provider.queue(status=400, message="Invalid schema: 'maximum' is not permitted")
    assert Asker(ledger, client, mode="record").ask(question(7)).value == {"n": 7}
    schema = provider.requests[1].body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["n"] == {"type": "integer"}
    (degraded,) = recorded(ledger, "degradation.noted")
    assert degraded["asked"] == "schema keyword maximum"


@pytest.mark.parametrize("many", [False, True])
def test_ctrl_c_ends_it_at_once_and_is_recorded(
    ledger: Ledger, client: OpenRouter, provider: Any, many: bool
) -> None:
    for _ in range(3):
        provider.queue(delay=20)
    begun: list[float] = []
    main = threading.get_ident()

    def interrupt() -> None:
        while len(provider.requests) < (3 if many else 1):
            time.sleep(0.005)
        begun.append(time.monotonic())
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    asker = Asker(ledger, client, mode="record")
    with pytest.raises(KeyboardInterrupt):
        if many:
            asker.ask_many([question(number) for number in range(5)], 3)
        else:
            asker.ask(question(0))
    assert time.monotonic() - begun[0] < 2
    time.sleep(0.05)
    outcomes = recorded(ledger, "llm.unusable")
    assert [data["reason"] for data in outcomes] == ["interrupted"] * (3 if many else 1)
    assert len(recorded(ledger, "llm.asked")) == len(outcomes)
