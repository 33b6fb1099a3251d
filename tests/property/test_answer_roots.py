"""Any answer of a type is valid by its schema and reads back the same; damaged in one place, it is refused by both."""

from __future__ import annotations

import json
from enum import Enum
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.llm.strict import Malformed, parse_answer, strict_schema

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@cache
def documents(annotation: Any) -> st.SearchStrategy[Any]:
    """JSON values of a type: the one strategy for all answers, made from the types themselves."""
    if annotation is str:
        return TEXT
    if annotation is bool:
        return st.booleans()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return st.sampled_from([member.value for member in annotation])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return st.fixed_dictionaries(
            {
                field.alias or name: documents(field.annotation)
                for name, field in annotation.model_fields.items()
            }
        )
    item, rest = get_args(annotation)
    assert rest is ...
    return st.lists(documents(item), max_size=2)


@cache
def validator(root: str) -> Draft202012Validator:
    schema = strict_schema(ROOTS[root])
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


@pytest.mark.parametrize("root", ROOTS)
@FEW
@given(data=st.data())
def test_an_answer_is_valid_both_ways_and_reads_back_the_same(root: str, data: st.DataObject) -> None:
    document = data.draw(documents(ROOTS[root]))
    validator(root).validate(document)
    answer = parse_answer(ROOTS[root], written(document))
    again = answer.model_dump_json(by_alias=True).encode()
    assert json.loads(again) == document
    assert parse_answer(ROOTS[root], again) == answer


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every member and item of a document, each as what holds it and its key."""
    keys: list[Any] = []
    if isinstance(document, dict):
        keys = list(document)
    elif isinstance(document, list):
        keys = list(range(len(document)))
    found = [(document, key) for key in keys]
    for key in keys:
        found.extend(places(document[key]))
    return found


SPELT = ("status", "kind", "severity", "gap_type")
"""Members whose values are words of an enum, in whatever answer they stand."""


@st.composite
def damaged(draw: st.DrawFn, root: str) -> Any:
    """An answer with one member gone, one too many, one of another type, or a word of an enum spelt otherwise."""
    document = draw(documents(ROOTS[root]))
    holder, key = draw(st.sampled_from(places(document)))
    value = holder[key]
    match draw(st.sampled_from(["gone", "more", "type", "case", "null"])):
        case "gone" if isinstance(holder, dict):
            del holder[key]
        case "more" if isinstance(holder, dict):
            holder[draw(TEXT.filter(lambda name: name not in holder))] = value
        case "case" if key in SPELT:
            holder[key] = value.swapcase()
        case "null":
            holder[key] = None
        case _:
            others = [0, 1.5, True, "x", [], {}, [0], ["x", None]]
            holder[key] = draw(st.sampled_from([one for one in others if type(one) is not type(value)]))
    return document


@pytest.mark.parametrize("root", ROOTS)
@FEW
@given(data=st.data())
def test_an_answer_damaged_in_one_place_is_refused_both_ways(root: str, data: st.DataObject) -> None:
    document = data.draw(damaged(root))
    assert not validator(root).is_valid(document)
    with pytest.raises(Malformed) as caught:
        parse_answer(ROOTS[root], written(document))
    assert caught.value.reason == "schema_violation"
    assert caught.value.detail.startswith("response")


@FEW
@given(st.sampled_from(sorted(ROOTS)), st.data())
def test_an_answer_that_breaks_off_or_goes_on_is_none(root: str, data: st.DataObject) -> None:
    text = written(data.draw(documents(ROOTS[root])))
    cut = data.draw(st.integers(0, len(text) - 1))
    for wrong in (text[:cut], text + b" {}", text + b"x", b"\xef\xbb\xbf" + text, b"[" + text):
        with pytest.raises(Malformed) as caught:
            parse_answer(ROOTS[root], wrong)
        assert caught.value.reason in ("empty", "not_json")
