"""Killed while a model is asked: what had arrived whole is not asked for again, and nothing is recorded twice."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.llm.outcome import received
from t2c.ledger.llm.spool import FOLDER

RUN = """
import os, signal, sys
from pathlib import Path

import orjson

from t2c.ledger.engine import Ledger
from t2c.ledger.llm.ask import Asker, Asking, Unanswered
from t2c.ledger.llm.base import Brief, Message, Shape
from t2c.ledger.llm.openrouter import OpenRouter

workspace, url, moment, concurrency = sys.argv[1:]
schema = orjson.dumps({
    "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False,
})


def end():
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal(OpenRouter):
    def send(self, request):
        third = request.messages[-1].content == "question 2"
        if third and moment == "announced":
            end()
        reply = super().send(request)
        if third and moment == "arrived":
            end()
        return reply


class Noted(Ledger):
    def append(self, drafts, **more):
        receipts = super().append(drafts, **more)
        count = sum(one.type == "llm.answered" for one in self.entries())
        if drafts[0].type == "llm.answered" and count == 3 and moment == "recorded":
            end()
        return receipts


def question(number):
    text = f"question {number}"
    messages = (Message("user", text),)
    brief = Brief("test", text, (), {})
    return Asking("test", "test", "acme/one", messages, Shape("test", schema), brief, orjson.loads)


with Noted(Path(workspace)) as ledger, Mortal(url, None) as model:
    asker = Asker(ledger, model, mode="record")
    print("begun", flush=True)
    found = asker.ask_many([question(number) for number in range(5)], concurrency=int(concurrency))
    print([one.code if isinstance(one, Unanswered) else one.value["n"] for one in found])
"""


class Trial:
    """A ledger, a provider, and runs of the script against them."""

    def __init__(self, workspace: Path, provider: Any, spawn: Callable[..., subprocess.Popen[str]]) -> None:
        self.workspace, self.provider, self._spawn = workspace, provider, spawn
        provider.on("test", lambda body: {"n": int(body["messages"][-1]["content"].split()[-1])})

    def start(self, moment: str = "", concurrency: int = 1) -> subprocess.Popen[str]:
        return self._spawn(RUN, self.workspace, self.provider.url, moment, concurrency)

    def finished(self, concurrency: int = 1) -> str:
        child = self.start("", concurrency)
        said, _ = child.communicate(timeout=30)
        assert child.returncode == 0
        return said.splitlines()[-1]

    def sent(self) -> Counter[str]:
        return Counter(sha256(one.raw).hexdigest() for one in self.provider.requests)

    def keys(self) -> set[str]:
        return {one.headers["idempotency-key"] for one in self.provider.requests}

    def events(self) -> list[tuple[str, str, dict[str, Any]]]:
        with Ledger(self.workspace) as ledger:
            return [(one.type, one.id, orjson.loads(bytes(one.data))) for one in ledger.entries()]

    def paid(self) -> set[str]:
        """The requests whose answer is recorded, or had arrived whole."""
        found = {data["request"] for name, _, data in self.events() if name == "llm.answered"}
        for path in (self.workspace / "cache" / FOLDER).glob("*"):
            if path.suffix != ".lock" and received(_Any(), path.read_bytes()) is not None:
                found.add(path.name)
        return found

    def check(self) -> None:
        """Five answers, each from one request that was sent once, or again for a stated reason."""
        events = self.events()
        asked = {event: data["request"] for name, event, data in events if name == "llm.asked"}
        outcomes = [
            (name, data["asked"], data["request"])
            for name, _, data in events
            if name in ("llm.answered", "llm.unusable")
        ]
        assert Counter(one for _, one, _ in outcomes) == Counter(list(asked)), "each has one outcome"
        assert all(asked[event] == request for _, event, request in outcomes)
        answered = Counter(request for name, _, request in outcomes if name == "llm.answered")
        assert set(answered.values()) == {1} and len(answered) == 5
        interrupted = Counter(request for name, _, request in outcomes if name == "llm.unusable")
        assert all(count <= 1 + interrupted[request] for request, count in self.sent().items())
        assert [path.name for path in (self.workspace / "cache" / FOLDER).iterdir()] == []


class _Any:
    """Stands for a request where only the wholeness of a body is asked for."""

    mode, model, max_tokens = "json_schema", "acme/one", 6000


@pytest.fixture
def trial(workspace: Path, provider: Any, spawn: Callable[..., subprocess.Popen[str]]) -> Iterator[Trial]:
    yield Trial(workspace, provider, spawn)


@pytest.mark.parametrize(
    ("moment", "sent"), [("announced", [1, 1, 1, 1, 1]), ("arrived", [1] * 5), ("recorded", [1] * 5)]
)
def test_a_kill_at_each_step_costs_nothing_twice(trial: Trial, moment: str, sent: list[int]) -> None:
    assert trial.start(moment).wait(30) == -9
    paid = trial.paid()
    before = trial.sent()
    assert len(paid) == (2 if moment == "announced" else 3)
    assert trial.finished() == "[0, 1, 2, 3, 4]"
    assert list(trial.sent().values()) == sent
    assert all(trial.sent()[request] == before[request] for request in paid)
    unusable = [data["reason"] for name, _, data in trial.events() if name == "llm.unusable"]
    assert unusable == (["interrupted"] if moment == "announced" else [])
    trial.check()


def test_an_answer_that_had_come_in_part_is_kept_as_far_as_it_came_and_asked_again(trial: Trial) -> None:
    trial.provider.queue(drip=0.05, pieces=64)
    child = trial.start()
    spools = trial.workspace / "cache" / FOLDER
    until = time.monotonic() + 20
    while not any(path.suffix != ".lock" and path.stat().st_size for path in spools.glob("*")):
        assert time.monotonic() < until
        time.sleep(0.01)
    child.kill()
    child.wait(30)
    assert not trial.paid()
    assert trial.finished() == "[0, 1, 2, 3, 4]"
    (unusable,) = [data for name, _, data in trial.events() if name == "llm.unusable"]
    with Ledger(trial.workspace) as ledger:
        assert ledger.objects.get(unusable["raw"]).startswith(b'{"id"')
    assert sorted(trial.sent().values()) == [1, 1, 1, 1, 2]
    assert len(trial.keys()) == 5, "the one that was cut off is known again by its key"
    trial.check()


@pytest.mark.parametrize("concurrency", [1, 3])
def test_killed_at_any_moment_and_again(trial: Trial, concurrency: int) -> None:
    for number in range(5):
        trial.provider.queue(drip=0.004, pieces=128)
        child = trial.start(concurrency=concurrency)
        assert child.stdout is not None and child.stdout.readline() == "begun\n"
        time.sleep(0.003 + 0.011 * number)
        child.kill()
        child.wait(30)
        paid, before = trial.paid(), trial.sent()
    assert trial.finished(concurrency) == "[0, 1, 2, 3, 4]"
    assert all(trial.sent()[request] == before[request] for request in paid)
    trial.check()


def test_two_at_once_ask_each_question_once_and_none_is_taken_for_dead(trial: Trial) -> None:
    for _ in range(5):
        trial.provider.queue(delay=0.1)
    children = [trial.start(concurrency=2), trial.start()]
    for child in children:
        said, _ = child.communicate(timeout=30)
        assert said.splitlines()[-1] == "[0, 1, 2, 3, 4]"
    assert list(trial.sent().values()) == [1] * 5
    assert not [name for name, _, _ in trial.events() if name == "llm.unusable"]
    trial.check()
