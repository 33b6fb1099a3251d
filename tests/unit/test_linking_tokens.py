"""Words, names and paths become tokens that meet where two texts speak of one thing."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.linking.tokens import MAX_TEXT, code_names, path_tokens, tokens, tokens_of_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("parse_url", "parseUrl"),
        ("parsing", "parse"),
        ("`HTTPServer`", "http server"),
        ("retries", "retry"),
        ("no-unused-vars", "no_unused_vars"),
    ],
)
def test_two_spellings_of_one_thing_meet(one: str, other: str) -> None:
    assert set(tokens(one)) & set(tokens(other))


def test_a_name_counts_whole_and_by_its_parts() -> None:
    assert tokens("parse_url") == ["=parse_url", "pars", "url"]


def test_a_version_is_one_token_with_its_stage() -> None:
    assert tokens("update to 1.0.0-beta.59 from 1.2.3") == ["updat", "1.0.0-beta.59", "1.2.3"]
    assert not set(tokens("1.0.0-rc.4")) & set(tokens("1.0.0-rc.9"))
    assert tokens("semconv/v1.37.0") == ["semconv", "1.37.0"]


def test_words_that_every_sentence_has_are_no_tokens() -> None:
    assert tokens("It is not the one that we had, and should be in a") == ["one"]


def test_letters_of_any_language_make_words() -> None:
    assert tokens("Naprawiono błąd odczytu") == ["naprawiono", "błąd", "odczytu"]


def test_a_path_tells_its_folders_and_its_file_without_the_ending() -> None:
    assert path_tokens("src/flask/json_tag.py") == ("src", "flask", "=json_tag", "json", "tag")
    assert path_tokens(".github/CODEOWNERS") == ("github", "codeown")


def test_names_in_code_spans_are_taken_apart_at_dots_only() -> None:
    assert code_names("Use ``httpx.codes`` and `base_url=...`, not plain url") == {
        "httpx",
        "codes",
        "base_url",
    }


def test_each_word_tells_its_tokens() -> None:
    assert tokens_of_words("Fix parse_url") == {"Fix": ("fix",), "parse_url": ("=parse_url", "pars", "url")}


@pytest.mark.parametrize(
    "text", ["a-" * 60_000, "`" * 60_000, "A" * 60_000, "1." * 60_000, "_" * 60_000, "aA" * 60_000]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert len(tokens(text)) <= MAX_TEXT
    code_names(text)
    path_tokens(text[:4096])
    assert time.process_time() - started < 1
