"""A text that is not exactly one JSON value with one reading is named for what it is, in linear time."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.llm.json_text import Fault, depth, duplicate_key, json_fault, place


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b'{"a": 1, "a": 2}', "response.a"),
        (b'{"a": 1, "\\u0061": 2}', "response.a"),
        (
            b'{"findings": [{"kind": 1}, {}, {"kind": [], "x": {"kind": 0}, "kind": 2}]}',
            "response.findings[2].kind",
        ),
        (b'[[0, {"a,b": "}", "a,b": "{"}]]', 'response[0][1]["a,b"]'),
        (b'{"\\"": 1, "\\"": 2}', 'response["\\""]'),
        ('{"zażółć": 1, "zażółć": 2}'.encode(), 'response["zażółć"]'),
        (b'{"": 1, "": 2}', 'response[""]'),
        (b'{"\\ud800": 1, "\\ud800": 2}', 'response["\\ud800"]'),
    ],
)
def test_a_key_that_stands_twice_is_named_with_its_place(text: bytes, where: str) -> None:
    assert duplicate_key(text) == where


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}',
        b'{"a": "a", "b": "a", "c": ["b", "b"]}',
        b'{"a": "\\", \\"a\\": "}',
        b'{"a": 1} {"a": 2}',
        b'"a" {"b": 1, "b": 2}',
        b'{"a": "unclosed, "',
        b'"\\',
        b"}}]],,::",
        b"",
    ],
)
def test_equal_keys_in_different_objects_and_equal_texts_are_no_duplicates(text: bytes) -> None:
    assert duplicate_key(text) is None


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        (b"", "empty", "no text"),
        (b" \n\t", "empty", "no text"),
        (b"\xef\xbb\xbf{}", "not_json", "byte order mark"),
        (b'{"a": "\xff"}', "not_json", "not UTF-8 at byte 7"),
        (b'{"a": "\xed\xa0\x80"}', "not_json", "not UTF-8 at byte 7"),
        (b'{"a": "\\ud800"}', "not_json", "surrogate"),
        (b'{"a": NaN}', "not_json", "not JSON"),
        (b'{"a": -Infinity}', "not_json", "not JSON"),
        (b'{"a": 1e999}', "not_json", "infinity"),
        (b'{"a": 1} and more', "not_json", "after document"),
        (b'{"a": 1}{"a": 1}', "not_json", "after document"),
        (b'{"a": ', "not_json", "not JSON"),
        (b'```json\n{"a": 1}\n```', "not_json", "not JSON"),
        (b'{"a": 1,}', "not_json", "not JSON"),
        (b"[" * 65 + b"]" * 65, "not_json", "nested deeper than 64"),
        (b'{"a":' * 200_000, "not_json", "nested deeper than 64"),
        (b'{"a": [{"b": 1, "b": 1}]}', "duplicate_key", "response.a[0].b stands twice"),
    ],
)
def test_what_is_not_one_json_value_is_named(text: bytes, reason: str, words: str) -> None:
    found = json_fault(text)
    assert found is not None
    assert found.reason == reason
    assert words in found.detail


def test_one_json_value_has_no_fault_whatever_stands_around_it() -> None:
    assert json_fault(b' \n{"a": [1, true, null, "x"]}\r\n') is None
    assert json_fault(b"[" * 64 + b"]" * 64) is None
    assert depth(b"[" * 64 + b"]" * 64) == 64


def test_places_read_as_paths_and_odd_keys_are_quoted_and_cut() -> None:
    assert place(["findings", 2, "severity"]) == "response.findings[2].severity"
    assert place([], "answer") == "answer"
    assert place(["a b", "x" * 500]) == 'response["a b"]["' + "x" * 80 + '…"]'
    assert place(["line\nfeed"]) == 'response["line\\nfeed"]'


@pytest.mark.parametrize(
    "text",
    [
        b'"' * 400_000,
        b'"\\"' * 200_000,
        b"[" * 400_000,
        b'{"' + b"\\\\" * 200_000,
        b'{"a":' * 100_000,
        b'{"a":"' + b"x" * 400_000,
        b"{" + b",".join(b'"k%d":0' % i for i in range(40_000)) + b"}",
    ],
)
def test_a_hostile_text_costs_what_it_weighs(text: bytes) -> None:
    begun = time.perf_counter()
    duplicate_key(text)
    assert time.perf_counter() - begun < 3


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=50)
@given(_VALUES, st.booleans())
def test_what_a_writer_of_json_writes_has_no_duplicates_and_no_fault(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1).encode("utf-8", "replace")
    assert duplicate_key(text) is None
    assert json_fault(text) is None


@settings(max_examples=50)
@given(st.dictionaries(st.text(max_size=4), _VALUES, min_size=1, max_size=4), st.data())
def test_a_member_written_twice_is_found(value: dict[str, object], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(value)))
    members = [json.dumps(name) + ":" + json.dumps(one) for name, one in value.items()]
    members.append(json.dumps(key, ensure_ascii=data.draw(st.booleans())) + ":0")
    text = ("{" + ",".join(members) + "}").encode("utf-8", "replace")
    assert duplicate_key(text) == place([key])
    found = json_fault(text)
    assert found is not None
    assert isinstance(found, Fault)
    assert found.reason == "duplicate_key"
