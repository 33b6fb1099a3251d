"""The client that settings make: what contradicts itself is told before anything is sent."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

import orjson
import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.model import asker_of
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.clock import SystemClock
from t2c.ledger.llm.asking import Asking, Unanswered
from t2c.ledger.llm.base import Brief, Message, Shape

SHAPE = Shape("t2c_test", b'{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}')


def asks(ledger: Ledger, root: Path, **given: str) -> None:
    options: dict[str, Any] = {"llm.mode": "record", **{f"llm.{name}": text for name, text in given.items()}}
    settings = load(root, {"T2C_LLM_BASE_URL": "http://127.0.0.1:9/v1"}, options)
    with asker_of(Context(root, root, settings, SystemClock(), lambda *_: None), ledger, root / "state"):
        pass


def sends(
    ledger: Ledger, root: Path, provider: Any, number: int, file: str = "", **environment: str
) -> tuple[int, int, list[str]]:
    """How many of so many questions were sent, how many were under way at once, and why others were not."""
    (root / "t2c.toml").write_text("[llm]\n" + file)
    under_way: list[int] = []
    guard = Lock()

    def answer(body: Any) -> dict[str, int]:
        with guard:
            open_now.append(1)
            under_way.append(len(open_now))
        sleep(0.05)
        with guard:
            open_now.pop()
        return {"n": 1}

    open_now: list[int] = []
    provider.on("*", answer)
    named = {f"T2C_LLM_{name.upper()}": text for name, text in environment.items()}
    settings = load(root, {"T2C_LLM_BASE_URL": provider.url, **named}, {"llm.mode": "live"})
    context = Context(root, root, settings, SystemClock(), lambda *_: None)
    brief = Brief("test", "a brief", (), {})
    questions = [
        Asking("test", "test", "acme/one", (Message("user", f"{one}"),), SHAPE, brief, orjson.loads, 100)
        for one in range(number)
    ]
    before = len(provider.requests)
    with asker_of(context, ledger, root / "state") as asker:
        found = asker.ask_many(questions, settings.llm.concurrency)
    failures = [one.detail for one in found if isinstance(one, Unanswered)]
    return len(provider.requests) - before, max(under_way, default=0), failures


@pytest.mark.parametrize(
    ("file", "budget"),
    [
        ('concurrency = 50\nprice_prompt = "0"\nprice_completion = "0"\n', "0.025"),
        ('concurrency = 8\nprice_prompt = "0.001"\nprice_completion = "0.001"\n', "0.005"),
        ("concurrency = 8\n", "0.015"),
    ],
)
def test_a_repository_cannot_make_its_readers_requests_seem_free(
    ledger: Ledger, tmp_path: Path, provider: Any, file: str, budget: str
) -> None:
    """Each answer costs a cent, whatever prices the repository names."""
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100, "cost": 0.01}
    for _ in range(12):
        provider.queue(usage=usage, delay=0.02)
    sent, _, why = sends(ledger, tmp_path, provider, 12, file, budget_cost=budget)
    assert 1 <= sent <= float(budget) / 0.01 + 1
    assert "USD is used up: 0.0" in why[-1]


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": 9, "completion_tokens": 9, "cost": -1}, {"cost": "free"}]
)
def test_a_provider_that_does_not_say_what_it_costs_gets_one_request(
    ledger: Ledger, tmp_path: Path, provider: Any, usage: Any
) -> None:
    for _ in range(5):
        provider.queue(usage=usage)
    sent, _, why = sends(ledger, tmp_path, provider, 4, budget_cost="0.01")
    assert (sent, len(why)) == (1, 3)
    assert "set llm.price_prompt and llm.price_completion" in why[0]
    own = {"budget_cost": "0.01", "price_prompt": "0", "price_completion": "0"}
    assert sends(ledger, tmp_path, provider, 4, **own)[0] == 4


def test_a_repository_asks_for_no_more_than_eight_at_once(
    ledger: Ledger, tmp_path: Path, provider: Any
) -> None:
    sent, at_once, _ = sends(ledger, tmp_path, provider, 20, "concurrency = 20\n")
    assert (sent, at_once <= 8) == (20, True)
    assert sends(ledger, tmp_path, provider, 20, concurrency="20")[1] > 8


def test_half_a_price_is_told_and_not_passed_over(ledger: Ledger, tmp_path: Path) -> None:
    asks(ledger, tmp_path)
    asks(ledger, tmp_path, price_prompt="0.5", price_completion="1.5")
    with pytest.raises(Usage, match=r"llm\.price_completion is not set"):
        asks(ledger, tmp_path, price_prompt="0.5")
    with pytest.raises(Usage, match=r"llm\.price_prompt is not set"):
        asks(ledger, tmp_path, price_completion="1.5")
