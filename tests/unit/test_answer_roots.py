"""The fifteen answers: what their schemas say, how large they are, and the words that the contract fixes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from t2c import schemas
from t2c.cli.actions.answers_contracts import kinds, names, shown
from t2c.ledger.answers.roots import FOLLOWS, ROOTS, TOOLS
from t2c.ledger.errors import Usage
from t2c.ledger.llm.bounded import bounded_bytes
from t2c.ledger.llm.limits import LIMITS, over_limits, size_of
from t2c.ledger.llm.strict import (
    Malformed,
    parse_answer,
    schema_digest,
    strict_bytes,
    strict_schema,
    strict_schema_problems,
)

SIZES = {
    "attempt_report": (5, 2, 1),
    "proposal": (5, 0, 1),
    "assessment": (8, 8, 2),
    "monitoring": (5, 7, 2),
    "shaped": (8, 0, 2),
    "near_miss_variants": (8, 2, 3),
    "special_case_variants": (8, 1, 3),
    "hosted": (4, 2, 1),
    "explored": (9, 2, 2),
    "acceptance": (6, 0, 2),
    "reproductions": (7, 0, 2),
    "held_out": (7, 0, 2),
    "review": (14, 0, 2),
    "blocked": (3, 4, 1),
    "question": (1, 0, 1),
}
"""Members, words of enums and depth, as the contract measured them."""


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    yield schema
    for part in schema.get("properties", {}).values():
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("root", ROOTS)
def test_every_schema_is_strict(root: str) -> None:
    schema = strict_schema(ROOTS[root])
    assert strict_schema_problems(schema) == []
    seen = list(nodes(schema))
    assert len(seen) > 1
    for node in seen:
        assert node.keys() <= {
            "type", "description", "enum", "items", "properties", "required", "additionalProperties",
        }  # fmt: skip
        if node["type"] == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
            assert node["description"]
    assert all(part["description"] for node in seen for part in node.get("properties", {}).values())


@pytest.mark.parametrize("root", ROOTS)
def test_every_schema_is_small_enough_for_every_provider(root: str) -> None:
    schema = strict_schema(ROOTS[root])
    assert size_of(schema)[:3] == SIZES[root]
    assert all(over_limits(f"t2c_{root}", schema, limits) == [] for limits in LIMITS.values())


def test_both_profiles_say_the_same_of_an_answer() -> None:
    assert [bounded_bytes(kind) for kind in ROOTS.values()] == [strict_bytes(kind) for kind in ROOTS.values()]


def test_the_contract_has_fifteen_and_two_of_them_are_calls() -> None:
    assert list(ROOTS) == list(SIZES) == list(FOLLOWS)
    assert TOOLS == {"blocked": "report_blocked", "question": "ask_person"}
    assert len({schema_digest(kind) for kind in ROOTS.values()}) == 15


def test_the_meanings_of_an_enum_stand_beside_those_of_the_member() -> None:
    status = strict_schema(ROOTS["attempt_report"])["properties"]["status"]
    assert (status["type"], status["enum"]) == ("string", ["done", "incomplete"])
    own, _, meaning = status["description"].partition("\n")
    assert own.startswith("done: this task's work is finished")
    assert own.endswith("incomplete: part of this task is left undone.")
    assert "- `done`: The work is finished." in meaning
    assert "- `incomplete`: Part of it is left undone." in meaning


def test_how_much_a_gap_matters_is_said_in_capitals() -> None:
    findings = strict_schema(ROOTS["assessment"])["properties"]["findings"]
    assert findings["items"]["properties"]["severity"]["enum"] == ["CRITICAL", "HIGH", "MEDIUM", "LOW"]
    text = (
        b'{"findings": [{"source_ref": "US1", "gap_type": "missing", "severity": "high", "description": "d",'
        b' "evidence": "e", "task": "t"}], "checked": []}'
    )
    with pytest.raises(Malformed, match=r"response\.findings\[0\]\.severity must be one of 'CRITICAL'"):
        parse_answer(ROOTS["assessment"], text)
    assert parse_answer(ROOTS["assessment"], text.replace(b"high", b"HIGH"))


def test_a_list_of_one_word_is_an_enum() -> None:
    variants = strict_schema(ROOTS["special_case_variants"])["properties"]["variants"]
    kind = variants["items"]["properties"]["kind"]
    assert kind["enum"] == ["special_case"]
    assert kind["type"] == "string"


def test_where_words_came_from_is_called_from() -> None:
    assumptions = strict_schema(ROOTS["shaped"])["properties"]["assumptions"]
    assert list(assumptions["items"]["properties"]) == ["words", "from", "question"]
    text = (
        b'{"proposal": "p", "assumptions": [{"words": "w", "from": "f", "question": "q"}], "questions": [],'
        b' "language": "en", "back_translation": "b"}'
    )
    shaped: Any = parse_answer(ROOTS["shaped"], text)
    assert shaped.assumptions[0].from_ == "f"
    with pytest.raises(Malformed, match=r"assumptions\[0\]\.from is missing; .*\.from_ is not a member"):
        parse_answer(ROOTS["shaped"], text.replace(b'"from"', b'"from_"'))


def test_an_answer_cannot_be_changed() -> None:
    question: Any = parse_answer(ROOTS["question"], b'{"question": "Which?"}')
    with pytest.raises(ValueError, match="frozen"):
        question.question = "Another?"
    assert hash(question) == hash(parse_answer(ROOTS["question"], b' {"question": "Which?"} '))


# what the command shows


def test_the_list_tells_of_every_kind() -> None:
    found = kinds()
    assert [kind.root for kind in found.kinds] == list(ROOTS) and sorted(ROOTS) == sorted(names())
    for kind in found.kinds:
        assert (kind.properties, kind.enum_values, kind.depth) == SIZES[kind.root]
        assert kind.digest == schema_digest(ROOTS[kind.root])
        assert kind.what == ROOTS[kind.root].__doc__


def test_a_schema_is_shown_as_it_is_sent() -> None:
    found = shown("review", tool=False)
    assert found.contract == strict_schema(ROOTS["review"])
    assert (found.tool, found.digest) == (None, schema_digest(ROOTS["review"]))
    assert shown("blocked", tool=True).contract["function"]["name"] == "report_blocked"
    assert shown("review", tool=True).contract["function"]["name"] == "t2c_respond"
    with pytest.raises(Usage, match="no answer is called 'reviw'") as caught:
        shown("reviw", tool=False)
    assert "did you mean review?" in str(caught.value.remedy)


@pytest.mark.parametrize("root", ROOTS)
def test_the_published_file_says_what_the_type_says(root: str) -> None:
    published = schemas.load(f"answers/{root}.schema.json")
    assert published.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
    assert published.pop("$id") == f"urn:t2c:schema:answers:{root}:1"
    assert published.pop("title") == f"answer {root}"
    assert published == strict_schema(ROOTS[root])
