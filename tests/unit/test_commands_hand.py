"""Bodies by hand: always asserted, only of open types, refused by name and place otherwise."""

from __future__ import annotations

import pytest

from t2c.ledger.commands.hand import by_hand
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.kernel.actor import Actor

ME = Actor("human", "me")
OPEN = [name for name in CATALOGUE.types() if CATALOGUE.payload(name).by_hand]
CLOSED = [name for name in CATALOGUE.types() if not CATALOGUE.payload(name).by_hand]


def test_a_statement_is_a_complete_body() -> None:
    made = by_hand({"type": "observation.noted", "data": {"statement": "x"}}, actor=ME)
    assert (made.type, made.v, made.trust, made.actor) == ("observation.noted", 1, "asserted", ME)
    assert made.data == b'{"about":[],"metadata":{},"objects":[],"statement":"x","subject":null}'


@pytest.mark.parametrize("name", OPEN)
def test_the_example_of_every_open_type_is_accepted(name: str) -> None:
    assert by_hand({"type": name, "data": CATALOGUE.payload(name).example}, actor=ME).type == name


@pytest.mark.parametrize("name", CLOSED)
def test_every_other_type_is_refused_by_name(name: str) -> None:
    with pytest.raises(Refused, match=name.replace(".", r"\.")):
        by_hand({"type": name, "data": {}}, actor=ME)


@pytest.mark.parametrize("trust", ["observed", "imported", "believed"])
def test_no_other_trust_than_asserted(trust: str) -> None:
    with pytest.raises(Refused, match=trust):
        by_hand({"type": "observation.noted", "trust": trust, "data": {"statement": "x"}}, actor=ME)


def test_the_body_names_its_actor_else_the_caller_does() -> None:
    body = {"type": "observation.noted", "data": {"statement": "x"}}
    assert by_hand({**body, "actor": "agent:a"}, actor=ME).actor == Actor("agent", "a")
    assert by_hand({**body, "actor": {"kind": "agent", "id": "a"}}, actor=ME).actor == Actor("agent", "a")
    with pytest.raises(Usage, match="not an actor"):
        by_hand({**body, "actor": "boss:a"}, actor=ME)


@pytest.mark.parametrize("asked", ["human:boss", "helper:t2c", {"kind": "host_adapter", "id": "x"}])
def test_an_agent_names_nobody_but_an_agent(asked: object) -> None:
    body = {"type": "observation.noted", "data": {"statement": "x"}}
    agent = Actor("agent", "a")
    assert by_hand({**body, "actor": "agent:b"}, actor=agent).actor == Actor("agent", "b")
    with pytest.raises(Refused, match="agent:a cannot speak as"):
        by_hand({**body, "actor": asked}, actor=agent)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "JSON object"),
        ({"data": {}}, "needs a type"),
        ({"type": "observation.note", "data": {}}, "no event type"),
        ({"type": "observation.noted"}, "data"),
        ({"type": "observation.noted", "data": {}}, r"data\.statement"),
        ({"type": "observation.noted", "data": {"statement": ""}}, r"data\.statement"),
        ({"type": "observation.noted", "data": {"statement": "x", "more": 1}}, r"data\.more"),
        (
            {"type": "observation.noted", "data": {"statement": "x", "metadata": {"a": 0.12345}}},
            "three decimals",
        ),
        ({"type": "observation.noted", "data": {"statement": "x", "metadata": {"a": 2**60}}}, "2\\^53"),
        ({"type": "observation.noted", "data": {"statement": "\ud800"}}, "surrogate"),
        ({"type": "observation.noted", "data": {"statement": "x"}, "seq": 3}, "unknown member 'seq'"),
        ({"type": "observation.noted", "data": {"statement": "x"}, "v": 9}, "version 1"),
        ({"type": "observation.noted", "data": {"statement": "x"}, "cause": "EVT"}, "list of event ids"),
        ({"type": "observation.noted", "data": {"statement": "x"}, "key": 1}, "key is a string"),
    ],
)
def test_a_malformed_body_is_told_with_its_place(body: object, says: str) -> None:
    with pytest.raises(Usage, match=says) as caught:
        by_hand(body, actor=ME, where="notes.jsonl:7")
    assert caught.value.where == "notes.jsonl:7"


def test_a_near_miss_is_named() -> None:
    with pytest.raises(Usage) as caught:
        by_hand({"type": "observation.note", "data": {}}, actor=ME)
    assert caught.value.remedy is not None and "observation.noted" in caught.value.remedy
