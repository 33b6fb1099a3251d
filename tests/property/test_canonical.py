"""Claim: within the limits our canonical bytes are those of RFC 8785, as an independent package writes them.

Mutations seen to fail: keys unsorted; integral reals let through `check`; keys above U+D7FF let through (UTF-8 and
UTF-16 order differ there).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from t2c.ledger.kernel import canon

# What JSON can hold at all; the limits are left to `check`.
texts = st.text(st.characters(), max_size=12)
numbers = (
    st.integers()
    | st.integers(-(2**53) - 2, 2**53 + 2)
    | st.floats()
    | st.integers(-(10**9), 10**9).map(lambda thousandths: thousandths / 1000)
    | st.floats(-1e16, 1e16).map(lambda value: round(value, 3))
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=12,
)


def keeps_the_limits(value: Any) -> bool:
    try:
        canon.check(value)
    except canon.NotCanonical:
        return False
    return True


@given(values.filter(keeps_the_limits))
@example({"\ud7ff": 1, "a": 2, "": 3, "\x00": 4})
@example([0.001, 4503599627370495.5, -0.5, 9007199254740991, 1125899906842624.25, 0.999])
@example({"text": '\x00\x1f\x7f\u2028\ud7ff\ue000\U0010ffff"\\/\b\f\n\r\t'})
def test_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canon.canonical(value) == rfc8785.dumps(value)


@given(values.filter(keeps_the_limits))
def test_canonical_bytes_read_back_as_they_were(value: Any) -> None:
    assert json.loads(canon.canonical(value)) == value
    assert canon.loads(canon.canonical(value)) == value


@given(values)
@example({"\ue000": 1, "\U0001f600": 2})
@example([1.0, {"a": -0.0}])
def test_whatever_passes_the_check_can_be_written_and_whatever_is_not_rfc_8785_does_not(value: Any) -> None:
    """`check` never lets through what the encoder would refuse, or write in another way than the standard."""
    try:
        canon.check(value)
    except canon.NotCanonical:
        return
    assert canon.canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("depth", [1, 63, 64, 65])
def test_depth_is_counted_alike_for_both_kinds_of_nesting(depth: int) -> None:
    lists: Any = 1
    objects: Any = 1
    for _ in range(depth):
        lists, objects = [lists], {"k": objects}
    assert keeps_the_limits(lists) == keeps_the_limits(objects) == (depth <= 64)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimal3_gives_what_passes_the_check(value: float) -> None:
    try:
        kept = canon.decimal3(value)
    except canon.NotCanonical:
        assert abs(value) > canon.MAX_INT - 1
        return
    assert abs(kept - value) <= max(0.0005000001, abs(value) * 1e-15)
    canon.check(kept)
    assert canon.canonical(kept) == rfc8785.dumps(kept)


@given(st.text())
def test_loads_never_fails_in_another_way_than_by_name(text: str) -> None:
    try:
        value = canon.loads(text)
    except canon.NotCanonical:
        return
    assert json.loads(text) == value


@settings(max_examples=300)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.text(max_size=6)
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from('ab":, \\'), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
    st.booleans(),
)
def test_strict_parsing_gives_what_json_gives_however_it_is_spaced(
    value: object, separators: tuple[str, str], ascii_only: bool
) -> None:
    text = json.dumps({"x": value}, separators=separators, ensure_ascii=ascii_only)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert canon.loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize(
    "members",
    [
        ['"a":{s}1', '"a":{s}2'],
        ['"a":{s}1', '"a":{s}1'],
        ['"a":{s}1000.0', '"a":{s}1e3'],
        ['"a":{s}""', '"b":{s}{{"c":{s}1,{s}"c":{s}1}}'],
        ['"\\u0061":{s}1', '"a":{s}1'],
        ['"x":{s}", "', '"a":{s}1', '"a":{s}"\\": "'],
    ],
)
def test_a_key_that_stands_twice_is_refused_however_it_is_written(members: list[str], space: str) -> None:
    text = "{" + f",{space}".join(member.format(s=space) for member in members) + "}"
    with pytest.raises(canon.NotCanonical, match="duplicate key"):
        canon.loads(text.encode())
