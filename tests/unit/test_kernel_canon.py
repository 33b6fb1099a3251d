"""Claims: what has no canonical form is refused by name and place, and never written as something else.

Mutations seen to fail: `1e400` read as infinity; duplicate keys taken; integral decimals let through; the depth limit
dropped; the bound of 2^53 off by one.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from t2c.ledger.events.base import Decimal3, FreeForm, Int53, Portion, Text, Value
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.canon import NotCanonical


def nested(depth: int, leaf: Any = 1) -> Any:
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, r"\$: nan is not a finite number"),
        ({"a": [1, math.inf]}, r"\$\.a\[1\]: inf is not"),
        (0.0001, "more than three decimals"),
        (1.0, "must be written as the integer 1"),
        (-0.0, "must be written as the integer 0"),
        (1e22, "must be written as the integer"),
        (0.1 + 0.2, "more than three decimals"),
        (2**53, "integer beyond"),
        (-(2**53), "integer beyond"),
        ({"a": {"b": "\ud800"}}, r"\$\.a\.b: lone surrogate"),
        ({"\udfff": 1}, "lone surrogate"),
        ({"\ue000": 1}, r"a character above U\+D7FF"),
        ({"a\U0001f600": 1}, r"a character above U\+D7FF"),
        ({1: 1}, "key 1 is not a string"),
        ({"a": b"x"}, "bytes has no JSON form"),
        ({"a": {1, 2}}, "set has no JSON form"),
        (nested(65), "nested deeper than 64"),
        (nested(5000), "nested deeper than 64"),
    ],
)
def test_what_breaks_a_limit_is_named_with_its_place(value: Any, said: str) -> None:
    with pytest.raises(NotCanonical, match=said):
        canon.check(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "żółć \U0001f600 \u2028",
        2**53 - 1,
        -(2**53) + 1,
        0.5,
        -0.001,
        1234567.125,
        {"\ud7ff": 1, "": []},
        (1, "a"),
        nested(64),
    ],
)
def test_what_keeps_the_limits_passes(value: Any) -> None:
    canon.check(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"decision":"refused","decision":"approved"}', "duplicate key 'decision'"),
        ('[{"a":{"b":1,"c":2,"b":1}}]', "duplicate key 'b'"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("1e400", "too large"),
        ("[-1e400]", "too large"),
        ("9" * 5000, "5000 digits"),
        ("-" + "9" * 5000, "digits"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        ("{", "not JSON: .* at line 1, column 2"),
        ("01", "not JSON"),
        ("{'a':1}", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    ],
)
def test_loads_is_strict(text: str | bytes, said: str) -> None:
    with pytest.raises(NotCanonical, match=said):
        canon.loads(text)


def test_loads_reads_what_is_json() -> None:
    text = '{"a":[1,2.5,-0,true,null,"\\u017c"],"b":{"a":1},"c":1e2}'
    assert canon.loads(text) == {"a": [1, 2.5, 0, True, None, "ż"], "b": {"a": 1}, "c": 100.0}
    assert canon.loads(text.encode()) == canon.loads(text)


def test_canonical_writes_sorted_raw_utf8() -> None:
    value = {"b": 1, "a": "ż\u2028/\x07\x7f", "B": [1.5, None], "": True}
    expected = '{"":true,"B":[1.5,null],"a":"ż\u2028/\\u0007\x7f","b":1}'
    assert canon.canonical(value) == expected.encode()


def test_the_artifact_form_writes_integral_numbers_as_integers() -> None:
    value = {"z": 1.0, "a": [2.0, 2.5, {"n": -0.0}, True], "t": (3.0,)}
    assert canon.artifact(value) == b'{"a":[2,2.5,{"n":0},true],"t":[3],"z":1}'


@pytest.mark.parametrize(
    ("given", "kept"), [(1.0, 1), (0.12345, 0.123), (0.9996, 1), (-0.0004, 0), (2.5, 2.5), (7, 7)]
)
def test_decimal3_keeps_three_places_and_no_integral_real(given: float, kept: float) -> None:
    found = canon.decimal3(given)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300, 2.0**53])
def test_decimal3_refuses_what_has_no_form(value: float) -> None:
    with pytest.raises(NotCanonical):
        canon.decimal3(value)


class Body(Value):
    real: Decimal3 = 0
    share: Portion = 0
    whole: Int53 = 0
    free: FreeForm = Field(default_factory=dict)
    text: Text = "x"


def written(**members: Any) -> bytes:
    return canon.canonical(Body(**members).model_dump(mode="json"))


def test_payload_types_write_integral_reals_as_integers() -> None:
    assert written(real=1.0) == b'{"free":{},"real":1,"share":0,"text":"x","whole":0}'
    assert written(real=2.125, share=1.0, whole=-5).startswith(b'{"free":{},"real":2.125,"share":1')
    assert Body.model_validate_json(b'{"real":3.0,"share":0.5}').real == 3


@pytest.mark.parametrize(
    "members",
    [
        {"real": math.nan},
        {"real": -math.inf},
        {"real": 0.0001},
        {"real": 0.1 + 0.2},
        {"real": 1e300},
        {"real": 2.0**53},
        {"share": 1.001},
        {"share": -0.001},
        {"whole": 2**53},
        {"whole": -(2**53)},
        {"whole": 1.0},
        {"whole": True},
        {"free": {"a": 1.0}},
        {"free": {"\ue000": 1}},
        {"free": {"a": "\ud800"}},
        {"free": nested(66)},
        {"text": ""},
        {"text": "a\ud800"},
        {"unknown": 1},
    ],
)
def test_payload_types_refuse_what_has_no_canonical_form(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Body(**members)


def test_a_type_without_these_rules_would_write_null_for_nan() -> None:
    """Why the rules stand in the types: the encoder itself says nothing."""

    class Careless(BaseModel):
        real: float

    assert canon.canonical(Careless(real=math.nan).model_dump(mode="json")) == b'{"real":null}'
