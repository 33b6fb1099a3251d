"""The same cases for every language: `code_fixtures/<language>.<ending>` beside its expectations in `.json`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.languages import LANGUAGES, language_of
from t2c.ledger.intake.code.syntax import Syntax, syntax_of
from t2c.ledger.intake.inventory import Inventory

FIXTURES = Path(__file__).parent / "code_fixtures"
NO_FILES = Inventory(())
CASES = (
    "type", "nested_type", "function", "method", "constant", "import", "public", "private", "test", "docstring",
    "calls", "comment", "unicode", "error",
)  # fmt: skip
SYMBOL_CASES = tuple(case for case in CASES if case not in ("import", "comment", "error"))
EVERY = [(language, case) for language in sorted(LANGUAGES) for case in CASES]


@cache
def expectations(language: str) -> Any:
    return json.loads((FIXTURES / f"{language}.json").read_text("utf-8"))


@cache
def fixture(language: str) -> bytes:
    (source,) = (path for path in FIXTURES.glob(f"{language}.*") if path.suffix != ".json")
    return source.read_bytes()


def expected(language: str, case: str) -> Any:
    """What the case asks of the language; skipped with the named reason if the language cannot have it."""
    expectation = expectations(language)
    if reason := expectation["cannot"].get(case):
        assert case not in expectation["cases"]
        pytest.skip(reason)
    return expectation["cases"][case]


def read(language: str, content: bytes | None = None, path: str | None = None) -> Reading:
    content = fixture(language) if content is None else content
    return CodeExtractor().read(path or expectations(language)["path"], content, NO_FILES)


def syntax(language: str) -> Syntax:
    found = syntax_of(expectations(language)["path"], fixture(language))
    assert found is not None
    return found


def symbols(reading: Reading) -> dict[str, Draft]:
    found = [draft for draft in reading.records if draft.kind == "symbol_fact"]
    named = {draft.symbol or "": draft for draft in found}
    assert len(named) == len(found), "a qualified name has one record"
    return named


def ids(reading: Reading) -> list[str]:
    return [found.id for found in materialise(reading)]


def answer(draft: Draft, question: str) -> Any:
    """What a record says to a question of an expectation."""
    match question:
        case "symbol":
            return draft.symbol
        case "kind":
            return draft.metadata["symbolKind"]
        case "native":
            return draft.metadata["nativeKind"]
        case "lines":
            return list(draft.lines or ())
        case "excerpt":
            return draft.excerpt
        case _:
            return draft.metadata.get(question)


def said(draft: Draft, wanted: dict[str, Any]) -> dict[str, Any]:
    return {question: answer(draft, question) for question in wanted}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_every_case_or_a_reason(language: str) -> None:
    found = expectations(language)
    assert set(found["cases"]) | set(found["cannot"]) == set(CASES)
    assert all(len(reason) > 15 for reason in found["cannot"].values())
    assert not {"function", "import", "calls", "comment", "unicode", "error"} & set(found["cannot"])


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_file_is_read_whole_and_every_record_is_valid(language: str) -> None:
    reading = read(language)
    told = language_of(expectations(language)["path"], fixture(language))
    assert told is not None
    assert (told.name, reading.extractor) == (language, LANGUAGES[language].extractor)
    assert (reading.complete, reading.warnings) == (True, ())
    assert len(set(ids(reading))) == len(reading.records)
    for found in materialise(reading):
        record = Record.model_validate_json(found.body)
        assert record.epistemic.cls == "fact"
        assert list(record.epistemic.basis) == [f"tree_sitter_{language}"]
        assert record.metadata["language"] == language


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_module_comes_first_and_says_what_is_asked(language: str) -> None:
    module, *facts = read(language).records
    wanted = expectations(language)["module"]
    assert (module.kind, module.object) == ("module_fact", expectations(language)["path"])
    assert said(module, wanted) == wanted
    assert module.metadata["factCount"] == len(facts)
    starts = [draft.lines[0] for draft in facts if draft.lines]
    assert starts == sorted(starts)
    assert len(starts) == len(facts)


@pytest.mark.parametrize(("language", "case"), [pair for pair in EVERY if pair[1] in SYMBOL_CASES])
def test_symbols(language: str, case: str) -> None:
    wanted = expected(language, case)
    path = expectations(language)["test_path"] if case == "test" else None
    found = symbols(read(language, path=path))
    assert wanted["symbol"] in found, sorted(found)
    wanted = {question: value for question, value in wanted.items() if question != "anywhere"}
    assert said(found[wanted["symbol"]], wanted) == wanted


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_outside_of_tests_nothing_is_marked_as_one_by_its_name_alone(language: str) -> None:
    """But by what the language itself calls a test, wherever it stands."""
    case = expectations(language)["cases"].get("test", {})
    found = symbols(read(language))
    if case and not case.get("anywhere"):
        assert found[case["symbol"]].metadata["test"] is False


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_imports(language: str) -> None:
    wanted = expected(language, "import")
    found = {
        draft.symbol: draft for draft in read(language).records if draft.kind == "module_dependency_fact"
    }
    assert wanted["symbol"] in found, sorted(filter(None, found))
    draft = found[wanted["symbol"]]
    assert draft.action == "depend_on"
    assert said(draft, wanted) == wanted


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_comments_have_their_place_and_nothing_else_is_one(language: str) -> None:
    wanted = expected(language, "comment")
    found = syntax(language)
    texts = {item.first: found.text[item.start : item.end].decode().strip() for item in found.comments}
    assert texts.get(wanted["line"]) == wanted["text"], texts
    assert [item.start for item in found.comments] == sorted(item.start for item in found.comments)
    assert all(item.first <= item.last for item in found.comments)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_around_an_error_the_rest_is_found_and_the_error_is_told(language: str) -> None:
    wanted = expected(language, "error")
    lines = fixture(language).decode().split("\n")
    lines.insert(wanted["before_line"] - 1, wanted["text"])
    reading = read(language, "\n".join(lines).encode())
    assert not reading.complete
    assert "syntax_errors" in [warning.reason for warning in reading.warnings]
    found = symbols(reading)
    assert set(wanted["keeps"]) <= set(found), sorted(found)
    assert wanted["keeps"]
    for draft in found.values():
        assert {f"tree_sitter_{language}", "partial_parse"} <= set(draft.basis)
        assert (draft.confidence < 1) == ("line_fallback" in draft.basis)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_line_ends_blank_lines_and_a_mark_change_no_id_and_no_fact(language: str) -> None:
    content = fixture(language)
    plain = read(language)

    def facts(reading: Reading) -> list[Any]:
        return [(draft.kind, draft.symbol, draft.lines, dict(draft.metadata)) for draft in reading.records]

    crlf = read(language, content.replace(b"\n", b"\r\n"))
    assert (ids(crlf), facts(crlf)) == (ids(plain), facts(plain))
    bare = read(language, content.replace(b"\n", b"\r"))
    assert (ids(bare), facts(bare)) == (ids(plain), facts(plain))
    assert [warning.reason for warning in bare.warnings] == ["line_endings"]
    wide = read(language, content.decode().encode("utf-16"))
    assert (ids(wide), facts(wide)) == (ids(plain), facts(plain))
    assert [warning.reason for warning in wide.warnings] == ["recoded"]
    assert ids(read(language, content + b"\n\n\n")) == ids(plain)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_values_that_may_be_secrets_are_in_no_record(language: str) -> None:
    secret = expectations(language)["secret"]
    assert secret.encode() in fixture(language), "the fixture holds a constant with a text as its value"
    for found in materialise(read(language)):
        assert secret.encode() not in found.body
