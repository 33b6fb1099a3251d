"""A sentence is held to the records that it cites: a word without ground is named, whatever else is right."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from t2c.ledger.llm.completion import completions, of_lifecycle
from t2c.ledger.llm.negation import denials
from t2c.ledger.llm.support import Ground, Unsupported, ground_of, supported


def record(
    text: str,
    *,
    path: str | None = "TODO.md",
    lines: tuple[int, int] | None = (4, 4),
    polarity: Literal["positive", "negative"] = "positive",
    symbol: str | None = None,
    revision: str | None = None,
    **target: tuple[str, ...],
) -> Any:
    about = {"paths": (), "symbols": (), "tickets": (), "versions": (), **target}
    said = SimpleNamespace(
        text=text, object=text, subject=None, actor=None, polarity=polarity, target=SimpleNamespace(**about)
    )
    place = None if lines is None else SimpleNamespace(start=lines[0], end=lines[1])
    source = SimpleNamespace(path=path, symbol=symbol, revision=revision, lines=place)
    return SimpleNamespace(id="INT-TODO-" + "a" * 20, statement=said, source=source, observedAt=None)


RETRY = record(
    "Retry the gateway 3 times with `backOff` for ACME-7, released in 1.2.0",
    paths=("src/gateway.py",),
    symbols=("backOff", "Gateway.send"),
    tickets=("ACME-7",),
    versions=("1.2.0",),
)
OPEN = record("Retry the gateway")
COMMIT = record(
    "fix: wait longer (#41)", path=None, lines=None, revision="0123456789abcdef" + "0" * 24, tickets=("#41",)
)
PLANNED = Ground(
    "DIAG-" + "0" * 20,
    (
        "PLANNED_NOT_IMPLEMENTED",
        "Planned, and nothing shows it done",
        "No code implements the retry of the gateway.",
    ),
)
BANNED = record("Never delete `src/legacy.py` in production", polarity="negative", paths=("src/legacy.py",))


@pytest.mark.parametrize(
    "sentence",
    [
        "The plan asks for a retry of the gateway.",
        "`backOff` is asked for in TODO.md:4, for ACME-7.",
        "`src/gateway.py` is to retry 3 times, as version v1.2.0 says.",
        "Line 4 of TODO.md wants three retries.",
        "`Gateway.send()` retries the gateway.",
        "The task says “retry the GATEWAY 3 times”.",
        "1. The gateway is retried.\n2. Nothing else is asked.",
        "W `src/gateway.py` są trzy próby dla ACME-7.",
        "Drei Versuche in gateway.py.",
    ],
)
def test_what_a_record_says_is_supported(sentence: str) -> None:
    assert [found for found in supported(sentence, [RETRY]) if found.claim != "polarity"] == []


@pytest.mark.parametrize(
    ("sentence", "word", "claim"),
    [
        ("`waitLonger` is asked for.", "waitLonger", "name"),
        ("`ackOff` is asked for.", "ackOff", "name"),
        ("`backOf` is asked for.", "backOf", "name"),
        ("waitLonger is asked for.", "waitLonger", "name"),
        ("wait_longer() is asked for.", "wait_longer", "name"),
        ("It is switched on with `--retry`.", "--retry", "name"),
        ("`src/other.py` retries.", "src/other.py", "path"),
        ("The change is in src/gateway/send.py.", "src/gateway/send.py", "path"),
        ("It retries 5 times.", "5", "number"),
        ("It retries 30 times.", "30", "number"),
        ("It retries five times.", "five", "number"),
        ("Er versucht es fünf Mal.", "fünf", "number"),
        ("Próbuje pięć razy.", "pięć", "number"),
        ("It came with 1.3.0.", "1.3.0", "version"),
        ("It came with v1.2.", "1.2", "version"),
        ("ACME-8 asks for a retry.", "ACME-8", "ticket"),
        ("ACME-71 asks for a retry.", "ACME-71", "ticket"),
        ("See #41 for the retry.", "#41", "ticket"),
        ('The plan says "retry forever".', "retry forever", "quotation"),
        ("Der Plan sagt „immer wieder“.", "immer wieder", "quotation"),
        ("TODO.md:12 asks for it.", "12", "line"),
        ("Line 12 asks for it.", "12", "line"),
        ("Commit 89abcde0 did it.", "89abcde0", "revision"),
        ("It is told at https://example.org/retry.", "https://example.org/retry", "address"),
        (f"As INT-DOC-{'b' * 20} says.", f"INT-DOC-{'b' * 20}", "id"),
    ],
)
def test_a_word_without_ground_is_named(sentence: str, word: str, claim: str) -> None:
    assert supported(sentence, [RETRY]) == [Unsupported(word, claim)]  # type: ignore[arg-type]


def test_one_record_of_several_is_ground_enough() -> None:
    assert supported("`backOff` came with #41 in 0123456789ab.", [RETRY, COMMIT]) == []
    assert supported("`backOff` came with #41.", [COMMIT]) == [Unsupported("backOff", "name")]


def test_a_number_in_words_may_count_the_records() -> None:
    assert supported("Two records tell of it.", [RETRY, COMMIT]) == []
    assert supported("Two records tell of it.", [RETRY, COMMIT, PLANNED]) == []
    assert supported("2 records tell of it.", [RETRY, COMMIT]) == [Unsupported("2", "number")]


def test_no_line_lends_its_number_to_a_figure() -> None:
    assert supported("It waits 4 seconds.", [RETRY]) == [Unsupported("4", "number")]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("1,000 rows", "1000 rows"),
        ("0.50 of it", "0.5 of it"),
        ("0,5 davon", "0.5 davon"),
        ("10s", "10 seconds"),
    ],
)
def test_numbers_are_compared_by_what_they_are(sentence: str, said: str) -> None:
    assert supported(sentence, [record(said)]) == []


# polarity


def test_what_nobody_denies_is_not_denied() -> None:
    assert supported("The gateway must not retry.", [RETRY]) == [Unsupported("not retry", "polarity")]
    assert supported("The retry is not implemented.", [RETRY]) == [Unsupported("not implemented", "polarity")]


@pytest.mark.parametrize(
    "sentence",
    [
        "The gateway must never retry.",
        "The gateway mustn't retry.",
        "Retrying the gateway is forbidden.",
        "Nie wolno ponawiać: the gateway.",
        "Das Gateway darf nicht erneut senden.",
        "The gateway goes without a retry.",
        "The gateway is undocumented.",
    ],
)
def test_a_denial_in_any_of_the_languages_needs_one_in_a_record(sentence: str) -> None:
    assert [found.claim for found in supported(sentence, [RETRY])] == ["polarity"]


def test_a_diagnostic_is_ground_for_what_is_missing() -> None:
    assert supported("The retry is planned for ACME-7 and not implemented.", [RETRY, PLANNED]) == []
    assert supported("Nothing shows the retry done.", [RETRY, PLANNED]) == []
    assert supported("The retry is unimplemented.", [RETRY, PLANNED]) == []


def test_a_ban_needs_a_ban_of_the_same() -> None:
    for sentence in (
        "The gateway must not retry.",
        "Never may the gateway retry.",
        "Do not retry the gateway.",
        "Nie należy używać retry.",
        "Das Gateway soll kein retry machen.",
        "Retries are prohibited.",
    ):
        assert [found.claim for found in supported(sentence, [RETRY, ELSEWHERE])] == ["polarity"], sentence
    for sentence in (
        "There is no retry of the gateway yet.",
        "The tests do not cover the retry of the gateway.",
    ):
        assert supported(sentence, [RETRY, ELSEWHERE]) == []


ELSEWHERE = Ground(
    "DIAG-" + "1" * 20, ("INSUFFICIENT_EVIDENCE", "No test covers the parser; the gateway has a retry.")
)


def test_what_all_records_deny_is_not_affirmed() -> None:
    assert supported("Delete `src/legacy.py` in production.", [BANNED]) == [Unsupported("not", "polarity")]
    assert supported("Deleting `src/legacy.py` in production is forbidden.", [BANNED]) == []
    assert supported("`src/legacy.py` must not be deleted.", [BANNED]) == []
    assert supported("Nie wolno usuwać `src/legacy.py`.", [BANNED]) == []


def test_words_in_code_and_in_quotations_deny_nothing() -> None:
    assert supported("`not_found` is raised", [record("raise `not_found`", symbols=("not_found",))]) == []
    assert supported("It says “wait longer”, not only once.", [COMMIT]) == []


def test_denials_reach_to_the_end_of_their_clause() -> None:
    assert [found.stems for found in denials("It does not retry, the gateway sends.")] == [("retr",)]
    assert [found.stems for found in denials("not only the gateway")] == []
    assert [found.word for found in denials("Das ist nicht fertig, es fehlt ein Test.")] == ["nicht", "fehlt"]


# records


def test_a_ground_holds_what_the_contract_of_a_record_has() -> None:
    ground = ground_of(RETRY)
    assert ground.polarity == "positive"
    assert ground.lines == (4, 4)
    assert {"src/gateway.py", "Gateway.send", "ACME-7", "1.2.0", "TODO.md"} <= set(ground.texts)


def test_without_a_record_every_name_is_without_ground() -> None:
    assert supported("`backOff` retries 3 times.", []) == [
        Unsupported("backOff", "name"),
        Unsupported("3", "number"),
    ]
    assert supported("All is well.", []) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "`" * 60_000,
        '"' * 60_000,
        "not " * 20_000,
        "1," * 40_000,
        "a_" * 40_000,
        "-" * 60_000,
        " ".join(f"waitFor{i}x" for i in range(3_000)),
    ],
)
def test_a_hostile_sentence_costs_what_it_weighs(sentence: str) -> None:
    begun = time.perf_counter()
    supported(sentence, [RETRY])
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    "sentence",
    [
        "Everything is done and approved by the owner",
        "The task is verified, complete and released",
        "It is complete.",
        "Zadanie jest zatwierdzone i gotowe.",
        "Alles ist erledigt und genehmigt.",
        "The gateway must retry, and this was verified.",
    ],
)
def test_what_nothing_cited_calls_done_is_not_called_done(sentence: str) -> None:
    assert "completion" in {one.claim for one in supported(sentence, [OPEN, PLANNED])}


@pytest.mark.parametrize(
    "sentence",
    [
        "Nothing shows it done.",
        "The retry must be verified before it is released.",
        "Complete the gateway.",
        "It is not known whether the gateway was approved.",
        "Nic nie pokazuje, że jest gotowe.",
        "Die Arbeit muss genehmigt werden.",
    ],
)
def test_what_is_to_be_done_or_shown_by_nothing_is_no_claim(sentence: str) -> None:
    assert completions(sentence) == {}


def test_a_record_that_calls_it_done_by_word_or_lifecycle_bears_that() -> None:
    said = Ground("INT-TODO-" + "b" * 20, ("The gateway is verified",), "positive")
    ticked = Ground("INT-TODO-" + "c" * 20, ("The gateway",), "positive", None, of_lifecycle("completed"))
    assert supported("The gateway is verified.", [said]) == []
    assert supported("The gateway is done.", [ticked, PLANNED]) == []
    assert supported("The gateway is approved.", [said, ticked]) == [Unsupported("approved", "completion")]
    closed = record("The gateway")
    closed.lifecycle = SimpleNamespace(status="released")
    assert supported("The gateway is released.", [closed]) == []
    denied = Ground("DIAG-" + "d" * 20, ("PLANNED_NOT_IMPLEMENTED",))
    assert supported("The gateway is implemented.", [denied]) == [Unsupported("implemented", "completion")]
