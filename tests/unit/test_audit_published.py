"""The published schemas, taken apart so that nothing is asked twice, say what they say as a whole."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from t2c import schemas
from t2c.ledger.audit.published import PublishedAudit, Subschema

FILES = sorted(
    f"events/{Path(str(item)).name}"
    for item in schemas.root().joinpath("events").iterdir()
    if item.name.endswith(".json")
)
SCALARS = st.sampled_from(
    [None, True, 0, 1, 1.0, -1, 2**53, "", "\n", "a", "observed", "human", "EVT-" + "0" * 20, "é"]
)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@cache
def both(file: str) -> tuple[Draft202012Validator, Subschema]:
    whole = Draft202012Validator(schemas.load(file))
    return whole, Subschema(whole, whole.schema)


def near(schema: Any, root: Any, data: st.DataObject) -> Any:
    """A value of about the form that a schema wants, now and then something else."""
    if not isinstance(schema, dict) or not data.draw(st.integers(0, 11)):
        return data.draw(VALUES)
    if "$ref" in schema:
        return near(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, data)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return data.draw(st.sampled_from(schema["enum"]))
    if "anyOf" in schema:
        return near(data.draw(st.sampled_from(schema["anyOf"])), root, data)
    if schema.get("type") == "object":
        names = [name for name in schema.get("properties", {}) if data.draw(st.integers(0, 5))]
        return {name: near(schema["properties"][name], root, data) for name in names}
    if schema.get("type") == "array":
        return [near(schema.get("items"), root, data) for _ in range(data.draw(st.integers(0, 2)))]
    if schema.get("type") in ("integer", "number"):
        return data.draw(st.sampled_from([schema.get("minimum", 0), schema.get("maximum", 1), 1, -5, 0.5]))
    if "pattern" in schema and data.draw(st.booleans()):
        return data.draw(st.from_regex(schema["pattern"]))
    return data.draw(VALUES)


@settings(max_examples=400)
@given(data=st.data())
def test_the_parts_say_what_the_whole_says(data: st.DataObject) -> None:
    whole, parts = both(data.draw(st.sampled_from(FILES)))
    value = near(whole.schema, whole.schema, data)
    before = copy.deepcopy(value)
    assert parts.allows(value) == whole.is_valid(value)
    assert parts.allows(value) == whole.is_valid(value), "asked again"
    assert value == before


def test_every_member_of_a_sound_event_is_judged(evidence: Any) -> None:
    """Each in its turn is put in the place of one that was seen to be sound."""
    lines = [json.loads(line) for line in evidence.chain.path.read_bytes().splitlines()]
    for event in lines:
        audit = PublishedAudit()
        audit.visit(event["seq"], event)
        for where in (event, event["data"] or {}):
            for name, member in list(where.items()):
                for other in (7.5, "\n", [{}], {"x": None}):
                    where[name] = other
                    audit = PublishedAudit()
                    audit.visit(1, event)
                    expected = not Draft202012Validator(
                        schemas.load("events/envelope.v1.schema.json")
                    ).is_valid(event)
                    file = f"events/{event['type']}.v{event['v']}.schema.json"
                    if "data" in event and file in FILES:
                        expected |= not Draft202012Validator(schemas.load(file)).is_valid(event["data"])
                    assert bool(audit.faults) == expected, (name, other)
                where[name] = member


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (1.5, "1.5"), ("null", None), ([], {}), ({"a": 1}, {"a": True})]
)
def test_what_was_remembered_is_of_its_kind(one: Any, other: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"const": one}}}
    root = Draft202012Validator(schema)
    parts = Subschema(root, schema)
    assert parts.allows({"x": one})
    assert parts.allows({"x": other}) == root.is_valid({"x": other})
    assert not parts.allows({"x": other})
