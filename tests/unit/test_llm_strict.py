"""The schema that a model is held to comes from the type, is the same bytes everywhere, or stops the type by name."""

from __future__ import annotations

import subprocess
import sys
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.answers.roots.base import Answer
from t2c.ledger.errors import Internal
from t2c.ledger.llm.bounded import bounded_bytes, bounded_schema, bounded_schema_problems
from t2c.ledger.llm.limits import LIMITS, over_limits, size_of
from t2c.ledger.llm.strict import (
    Malformed,
    Problem,
    parse_answer,
    schema_digest,
    strict_bytes,
    strict_schema,
    strict_schema_problems,
    strict_shape,
    tool_form,
)


class Colour(StrEnum):
    """A colour.

    - `red`: As blood.
    """

    RED = "red"


class Inner(Answer):
    """A part."""

    title: str
    colour: Colour = Field(description="Which one.")


class Outer(Answer):
    """A whole."""

    zebra: tuple[Inner, ...] = Field(description="The parts.")
    apple: bool
    one: Inner = Field(description="The best.")


def test_references_stand_in_their_place_and_descriptions_are_joined() -> None:
    inner = {
        "type": "object",
        "description": "A part.",
        "properties": {
            "title": {"type": "string"},
            "colour": {
                "type": "string",
                "description": "Which one.\nA colour.\n\n- `red`: As blood.",
                "enum": ["red"],
            },
        },
        "required": ["title", "colour"],
        "additionalProperties": False,
    }
    assert strict_schema(Outer) == {
        "type": "object",
        "description": "A whole.",
        "properties": {
            "zebra": {"type": "array", "description": "The parts.", "items": inner},
            "apple": {"type": "boolean"},
            "one": {**inner, "description": "The best.\nA part."},
        },
        "required": ["zebra", "apple", "one"],
        "additionalProperties": False,
    }


def test_members_are_written_in_the_order_of_the_type() -> None:
    text = strict_bytes(Outer).decode()
    places = [text.index(f'"{name}":') for name in ("zebra", "title", "colour", "apple", "one")]
    assert places == sorted(places)
    assert strict_schema(Outer)["required"] == list(strict_schema(Outer)["properties"])


def test_a_schema_given_out_is_nobodys_to_change() -> None:
    strict_schema(Outer)["properties"].clear()
    assert strict_schema(Outer)["properties"]


def test_the_digest_is_of_the_bytes_that_are_sent() -> None:
    shape = strict_shape("t2c_outer", Outer)
    assert shape.schema == strict_bytes(Outer)
    assert schema_digest(Outer) == shape.digest == sha256(strict_bytes(Outer)).hexdigest()


def test_bytes_are_the_same_in_every_process() -> None:
    code = (
        "from t2c.ledger.answers.roots import ROOTS; from t2c.ledger.llm.strict import schema_digest;"
        "from t2c.ledger.llm import responses as r;"
        "print([schema_digest(kind) for kind in ROOTS.values()], r.grounded_task_synthesis().shape.digest)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    here = [schema_digest(kind) for kind in ROOTS.values()]
    assert len(said) == 1
    assert said.pop().startswith(str(here))


def test_a_tool_has_the_same_schema_as_its_parameters() -> None:
    tool = tool_form("t2c_outer", Outer)
    assert tool["function"]["parameters"] == strict_schema(Outer)
    assert (tool["function"]["name"], tool["function"]["strict"]) == ("t2c_outer", True)


# types that give no strict schema


def refused(kind: type[BaseModel]) -> list[str]:
    with pytest.raises(Internal) as caught:
        strict_bytes(kind)
    problems: Any = caught.value.details["problems"]
    for problem in problems:
        assert f"{problem['path']}: {problem['what']}" in caught.value.what
    return [f"{problem['path']}: {problem['what']}" for problem in problems]


def test_a_default_is_refused_at_its_place() -> None:
    class Copy(ROOTS["question"]):  # type: ignore[misc]
        """An `ask_person` call."""

        again: bool = False

    assert refused(Copy) == ["#: again must be required", "#/properties/again: has the keyword default"]


def test_a_default_that_no_schema_shows_is_refused_too() -> None:
    class Copy(ROOTS["question"]):  # type: ignore[misc]
        """An `ask_person` call."""

        more: tuple[str, ...] = Field(default_factory=tuple)

    assert refused(Copy) == ["#: more must be required"]


def test_an_optional_member_is_refused_at_its_place() -> None:
    class Copy(ROOTS["blocked"]):  # type: ignore[misc]
        """A report."""

        since: str | None

    assert refused(Copy)[0] == "#/properties/since: has the keyword anyOf"


def test_a_discriminated_union_is_refused_at_its_place() -> None:
    class Cat(Answer):
        """A cat."""

        kind: Literal["cat"]

    class Dog(Answer):
        """A dog."""

        kind: Literal["dog"]

    class Copy(ROOTS["monitoring"]):  # type: ignore[misc]
        """A review."""

        pets: tuple[Annotated[Cat | Dog, Field(discriminator="kind")], ...]

    assert refused(Copy) == [
        "#/properties/pets/items: has the keyword oneOf",
        "#/properties/pets/items/oneOf/0/properties/kind: has the keyword const",
        "#/properties/pets/items/oneOf/1/properties/kind: has the keyword const",
    ]


def test_bounds_belong_to_checks_and_not_to_the_strict_schema() -> None:
    class Copy(Answer):
        """A whole."""

        name: str = Field(min_length=1, pattern="^a")
        few: tuple[str, ...] = Field(max_length=3)
        loose: dict[str, str]
        any: Any

    found = refused(Copy)
    assert "#/properties/name: has the keyword minLength" in found
    assert "#/properties/name: has the keyword pattern" in found
    assert "#/properties/few: has the keyword maxItems" in found
    assert "#/properties/loose: an object must have additionalProperties false" in found
    assert "#/properties/any: must be of exactly one type" in found


def test_a_type_that_contains_itself_is_refused_by_its_name() -> None:
    with pytest.raises(Internal, match=r"Tree: contains itself: Tree > Tree|_Tree: contains itself"):
        strict_bytes(_Tree)
    with pytest.raises(Internal, match="_Egg > _Hen > _Egg"):
        strict_bytes(_Farm)


class _Tree(Answer):
    """A tree."""

    parts: tuple[_Tree, ...]


class _Egg(Answer):
    """An egg."""

    hen: _Hen


class _Hen(Answer):
    """A hen."""

    eggs: tuple[_Egg, ...]


class _Farm(Answer):
    """A farm."""

    egg: _Egg


def test_a_type_that_coerces_or_can_be_changed_is_refused_by_its_name() -> None:
    class Loose(BaseModel):
        """A part."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        name: str

    class Copy(Answer):
        """A whole."""

        model_config = ConfigDict(frozen=False)
        parts: tuple[Loose, ...]

    assert refused(Copy) == ["Copy: can be changed: it is not frozen", "Loose: coerces: strict is not set"]


# schemas by themselves


def test_all_problems_of_a_schema_are_named_at_once() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"type": "string", "default": "x"}}}},
    }
    assert strict_schema_problems(schema) == [
        Problem("#", "an object must have additionalProperties false"),
        Problem("#", "a must be required"),
        Problem("#/properties/a", "an object must have additionalProperties false"),
        Problem("#/properties/a", "b must be required"),
        Problem("#/properties/a/properties/b", "has the keyword default"),
    ]


CLOSED: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("node", "what"),
    [
        ({"$ref": "#/$defs/x"}, "has the keyword $ref"),
        ({"const": "x"}, "has the keyword const"),
        ({"type": "string", "if": {}, "then": {}}, "has the keyword if"),
        ({"not": {"type": "string"}}, "has the keyword not"),
        ({"type": "string", "title": "X"}, "has the keyword title"),
        (
            {"type": "object", "patternProperties": {}, "additionalProperties": False},
            "has the keyword patternProperties",
        ),
        ({"type": ["string", "null"]}, "must be of exactly one type"),
        ({}, "must be of exactly one type"),
        ({"type": "array"}, "an array must say what its items are"),
        ({"type": "array", "items": True}, "an array must say what its items are"),
        ({"type": "string", "enum": []}, "an enum must be a list of texts, and of type string"),
        ({"type": "string", "enum": ["a", 1]}, "an enum must be a list of texts, and of type string"),
        ({"type": "boolean", "enum": ["a"]}, "an enum must be a list of texts, and of type string"),
        ({"type": "string", "enum": ["a", "a"]}, "an enum must not have a word twice"),
        (7, "is no schema"),
    ],
)
def test_each_thing_that_strict_decoding_refuses_is_named(node: Any, what: str) -> None:
    schema = {**CLOSED, "properties": {"a/b": node}, "required": ["a/b"]}
    assert Problem("#/properties/a~1b", what) in strict_schema_problems(schema)


def test_members_may_be_called_like_keywords() -> None:
    names = ["title", "default", "const", "properties", "items", "anyOf", "$ref"]
    schema = {**CLOSED, "properties": {name: {"type": "string"} for name in names}, "required": names}
    assert strict_schema_problems(schema) == []
    assert strict_schema_problems({**schema, "required": names[::-1]}) == [
        Problem("#", "required must name the properties in their order")
    ]


def test_the_root_must_be_an_object() -> None:
    for schema in ({"type": "string"}, {"anyOf": [CLOSED]}, [], None):
        assert strict_schema_problems(schema)[0] == Problem("#", "an answer as a whole must be an object")


# the bounded profile


class Bounds(Answer):
    """A whole."""

    model_config = ConfigDict(regex_engine="python-re")

    name: str | None = Field(min_length=1, description="Null if there is none.")
    sure: float = Field(ge=0, le=0.9)
    few: tuple[Annotated[str, Field(pattern=r"\S")], ...] = Field(min_length=1, max_length=2)
    colour: Colour


def test_bounds_and_null_stay_in_the_bounded_profile() -> None:
    found = bounded_schema(Bounds)["properties"]
    assert found["name"] == {
        "type": ["string", "null"],
        "description": "Null if there is none.",
        "minLength": 1,
    }
    assert found["sure"] == {"type": "number", "maximum": 0.9, "minimum": 0}
    assert found["few"] == {
        "type": "array",
        "items": {"type": "string", "pattern": r"\S"},
        "maxItems": 2,
        "minItems": 1,
    }
    assert found["colour"]["enum"] == ["red"]


def test_the_bounded_profile_allows_no_choice_and_no_default() -> None:
    class Copy(Answer):
        """A whole."""

        either: str | bool
        later: str | None = None

    with pytest.raises(Internal) as caught:
        bounded_bytes(Copy)
    assert "#/properties/either: has the keyword anyOf" in caught.value.what
    assert "#/properties/later: has the keyword default" in caught.value.what
    assert bounded_schema_problems(
        {**CLOSED, "properties": {"a": {"type": ["null", "string"]}}, "required": ["a"]}
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "", "sure": 0.9, "few": ["x"], "colour": "red"}', "response.name must have at least 1 character"),
        ('{"name": null, "sure": 0.91, "few": ["x"], "colour": "red"}', "response.sure must be at most 0.9"),
        ('{"name": null, "sure": -1, "few": ["x"], "colour": "red"}', "response.sure must be at least 0"),
        ('{"name": null, "sure": "0.5", "few": ["x"], "colour": "red"}', "response.sure must be a number"),
        ('{"name": null, "sure": true, "few": ["x"], "colour": "red"}', "response.sure must be a number"),
        ('{"name": 7, "sure": 0, "few": ["x"], "colour": "red"}', "response.name must be a string"),
        ('{"name": null, "sure": 0, "few": [], "colour": "red"}', "response.few must have at least 1 item"),
        ('{"name": null, "sure": 0, "few": ["a","b","c"], "colour": "red"}', "response.few must have at most 2 items"),
        ('{"name": null, "sure": 0, "few": "ab", "colour": "red"}', "response.few must be an array"),
        ('{"name": null, "sure": 0, "few": ["a", " "], "colour": "red"}', r"response.few[1] must match \S"),
        ('{"name": null, "sure": 0, "few": ["a"], "colour": "Red"}', "response.colour must be one of 'red'"),
        ('{"name": null, "sure": 0, "few": ["a"]}', "response.colour is missing"),
        (
            '{"name": null, "sure": 0, "few": ["a"], "colour": "red", "x y": 1}',
            'response["x y"] is not a member that the schema knows',
        ),
        ("[]", "response must be an object"),
        ("null", "response must be an object"),
    ],
)  # fmt: skip
def test_every_fault_is_told_with_its_exact_place(text: str, told: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_answer(Bounds, text.encode())
    assert (caught.value.reason, str(caught.value)) == ("schema_violation", told)


def test_faults_beyond_the_first_are_counted() -> None:
    members = ", ".join(f'"m{number:02}": 0' for number in range(20))
    with pytest.raises(Malformed, match=r"; and 15 more\Z"):
        parse_answer(Outer, f'{{"zebra": 7, {members}}}'.encode())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"question": "a", "question": "b"}', "duplicate_key"),
        (b'{"question": "a"} Done.', "not_json"),
        (b'{"question": "a"', "not_json"),
        (b'\xef\xbb\xbf{"question": "a"}', "not_json"),
        (b'{"question": "\\udc00"}', "not_json"),
        (b"", "empty"),
        (b'{"question": "a", "extra": 1}', "schema_violation"),
        (b'{"Question": "a"}', "schema_violation"),
        (b'{"question": 1}', "schema_violation"),
    ],
)
def test_nothing_but_one_whole_answer_is_read(text: bytes, reason: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_answer(ROOTS["question"], text)
    assert caught.value.reason == reason


# sizes


def test_what_a_provider_would_refuse_is_counted() -> None:
    words = [f"word-{number:03}-{'x' * 60}" for number in range(251)]
    deep: dict[str, Any] = CLOSED
    for _ in range(10):
        deep = {**CLOSED, "properties": {"inner": deep}, "required": ["inner"]}
    many = {f"p{number}": {"type": "string"} for number in range(5_001)}
    wide = {**CLOSED, "properties": {**many, "deep": deep, "enum": {"type": "string", "enum": words}}}
    assert over_limits("a" * 65, wide, LIMITS["openai"]) == [
        f"the name {'a' * 65!r} must be 1 to 64 letters, digits, _ or -",
        "properties: 5,013 is more than 5,000",
        "depth: 12 is more than 10",
        "long enum: 17,319 is more than 15,000",
    ]
    assert over_limits("t2c_x", {"type": "array"}, LIMITS["openai"]) == ["the root must be an object"]
    assert size_of(strict_schema(Outer))[:3] == (7, 2, 2)


def test_a_class_variable_is_no_member() -> None:
    class Copy(Answer):
        """A whole."""

        version: ClassVar[int] = 3
        name: str

    assert list(strict_schema(Copy)["properties"]) == ["name"]
