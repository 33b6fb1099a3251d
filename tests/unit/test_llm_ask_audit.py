"""What a verification says of requests to models: sound as they are recorded, and each promise broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import Ledger
from t2c.ledger.llm.ask import Asker, Asking
from t2c.ledger.llm.base import Brief, Message, Reply, Request, Shape
from t2c.ledger.llm.receipts import nothing_yet

Event = dict[str, Any]


class Scripted:
    endpoint = "https://models.example/v1"

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)

    def send(self, request: Request) -> Reply:
        return Reply(self._answers.pop(0), b"raw", nothing_yet(request.model))


@pytest.fixture
def recorded(ledger: Ledger) -> list[Event]:
    """A request that is corrected, and one that is answered at once."""
    for text, answers in (("a", ("no", "{}")), ("b", ("{}",))):
        brief = Brief("b", text, (), {})
        shape = Shape("s", b'{"type":"object"}')
        asking = Asking("s", "r", "m", (Message("user", text),), shape, brief, orjson.loads)
        Asker(ledger, Scripted(*answers), mode="record").ask(asking)
    lines = ledger.journal.path.read_bytes().splitlines()
    return [orjson.loads(line) for line in lines]


def kinds(events: list[Event], has: Callable[[str], bool] = lambda digest: True) -> list[str]:
    audit = DomainAudit(has)
    for seq, event in enumerate(events, 1):
        audit.visit(seq, event)
    audit.finish()
    return [fault.kind for fault in audit.faults]


def of(events: list[Event], type: str) -> Event:
    return next(event for event in reversed(events) if event["type"] == type)


def test_what_is_recorded_is_sound_with_its_objects(ledger: Ledger, recorded: list[Event]) -> None:
    assert [event["type"] for event in recorded[1:]] == [
        "llm.asked", "llm.unusable", "llm.asked", "llm.answered", "llm.asked", "llm.answered",
    ]  # fmt: skip
    assert kinds(recorded, ledger.objects.has) == []


def test_an_object_that_is_gone_is_a_fault(ledger: Ledger, recorded: list[Event]) -> None:
    for name in ("request", "manifest", "brief_digest", "schema_digest"):
        gone = of(recorded, "llm.asked")["data"][name]
        assert "object_missing" in kinds(recorded, lambda digest, gone=gone: digest != gone)  # type: ignore[misc]
    for name in ("content", "raw"):
        gone = of(recorded, "llm.unusable")["data"][name]
        assert "object_missing" in kinds(recorded, lambda digest, gone=gone: digest != gone)  # type: ignore[misc]


def test_an_announcement_without_an_outcome_is_none(recorded: list[Event]) -> None:
    assert kinds(recorded[:-1]) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda events: of(events, "llm.answered").update(actor={"kind": "helper", "id": "t2c"}), "trust"),
        (lambda events: of(events, "llm.answered").update(trust="imported"), "trust"),
        (lambda events: of(events, "llm.unusable").update(trust="asserted"), "trust"),
        (lambda events: of(events, "llm.asked").update(actor={"kind": "human", "id": "me"}), "trust"),
        (lambda events: of(events, "llm.answered")["data"].update(request="0" * 64), "call_request"),
        (lambda events: of(events, "llm.answered")["data"].update(asked="EVT-" + "0" * 20), "call_unknown"),
        (
            lambda events: of(events[:5], "llm.asked")["data"].update(corrects="EVT-" + "0" * 20),
            "call_unknown",
        ),
        (
            lambda events: events[-1]["data"].update(
                {name: events[4]["data"][name] for name in ("asked", "request")}
            ),
            "call_settled",
        ),
    ],
)
def test_each_broken_promise_is_a_fault(
    recorded: list[Event], change: Callable[[list[Event]], None], kind: str
) -> None:
    change(recorded)
    found = kinds(recorded)
    assert kind in found and set(found) == {kind}
