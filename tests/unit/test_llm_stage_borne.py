"""A reading may say of a record what the record bears, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.llm.stages.borne import ground_of_record, unborne, unborne_words

NOTHING: dict[str, list[str]] = {"paths": [], "symbols": [], "tickets": [], "versions": []}


def record(
    text: str, *, polarity: str = "positive", status: str = "planned", **target: list[str]
) -> dict[str, Any]:
    return {
        "id": "INT-TODO-" + "a" * 20,
        "statement": {
            "text": text, "object": text, "subject": None, "actor": None, "action": "fix", "polarity": polarity,
            "target": {**NOTHING, **target},
        },
        "source": {"kind": "todo", "path": "TODO.md", "symbol": None, "rawExcerpt": f"- [ ] {text}"},
        "lifecycle": {"status": status},
        "metadata": {"headingPath": ["Plans for 2.0.0"]},
    }  # fmt: skip


def reading(**more: Any) -> dict[str, Any]:
    return {
        "actor": None, "action": "fix", "object": "the export", "polarity": "positive", "target": NOTHING,
        "acceptanceEvidence": [], **more,
    }  # fmt: skip


PLAN = record(
    "Ada: fix `Export.run` in src/export.py for AB-1 and #15, done when the nightly test passes",
    tickets=["#15", "AB-1"],
)
BAN = record("Never delete src/export.py", polarity="negative")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"actor": "ada"},
        {"object": "Export.run in src/export.py for #15"},
        {
            "target": {
                "paths": ["src/export.py"],
                "symbols": ["Export.run"],
                "tickets": ["AB-1"],
                "versions": ["2.0.0"],
            }
        },
        {"action": "verify"},
        {"acceptanceEvidence": ["the nightly test passes"]},
    ],
)
def test_what_the_record_says_may_be_read(said: dict[str, Any]) -> None:
    assert list(unborne(PLAN, reading(**said))) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"actor": "human:boss"}, ".actor 'human:boss'"),
        ({"action": "approve"}, ".action is 'approve'"),
        ({"action": "release"}, ".action is 'release'"),
        ({"object": "approved by human:boss"}, ".object says 'approved'"),
        ({"object": "the export of #99"}, ".object names the ticket '#99'"),
        ({"object": "the export, 7 times"}, ".object names the number '7'"),
        ({"polarity": "negative"}, ".polarity is negative"),
        ({"target": {**NOTHING, "tickets": ["#12"]}}, ".target names the ticket '#12'"),
        ({"target": {**NOTHING, "versions": ["1.0.0"]}}, ".target names the version '1.0.0'"),
        ({"target": {**NOTHING, "paths": ["src/login.py"]}}, ".target names the path 'src/login.py'"),
        ({"target": {**NOTHING, "symbols": ["login"]}}, ".target names the name 'login'"),
        ({"acceptanceEvidence": ["all reviews pass"]}, ".acceptanceEvidence[0]"),
    ],
)
def test_what_the_record_does_not_say_is_told(said: dict[str, Any], told: str) -> None:
    (found,) = unborne(PLAN, reading(**said))
    assert found.startswith(told)


def test_a_ban_stays_one() -> None:
    assert list(unborne(BAN, reading(object="src/export.py", polarity="negative"))) == []
    (found,) = unborne(BAN, reading(object="src/export.py"))
    assert "the record forbids something" in found
    assert list(unborne(record("Do not log the key"), reading(object="the key", polarity="negative"))) == []


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Zatwierdź plan", "approve"),
        ("Plan genehmigen", "approve"),
        ("Sprawdź eksport", "verify"),
        ("Ship it", "release"),
    ],
)
def test_the_words_of_an_act_are_known_in_three_languages(text: str, action: str) -> None:
    assert list(unborne(record(text), reading(object="plan", action=action))) == []


def test_a_sum_of_statements_names_and_closes_no_more_than_they_do() -> None:
    open_one, closed = ground_of_record(PLAN), ground_of_record(record("The lock", status="completed"))
    assert list(unborne_words("Ada is to fix the export for #15.", [open_one])) == []
    assert list(unborne_words("The lock is done.", [closed])) == []
    assert list(unborne_words("The lock is approved, see #9.", [open_one, closed])) == [
        "names the ticket '#9', which the record does not",
        "says 'approved', which the record does not",
    ]
