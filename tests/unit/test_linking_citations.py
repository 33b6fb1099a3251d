"""How a number or ticket is written decides whose it is and how much it says."""

import time

import pytest

from t2c.ledger.linking.citations import Citation, home_of, mentions, numbers, tickets


def cited(subject: str, body: str = "", *keys: str) -> dict[str, str]:
    return dict(numbers(mentions(subject, body, keys or ("#12",)), "app"))


@pytest.mark.parametrize(
    ("subject", "body", "grade"),
    [
        ("Hold the lock (#12)", "", "of_pull_request"),
        ("Hold the lock (ada/app#12)", "", "of_pull_request"),
        ("Hold the lock (GH-12)", "", "of_pull_request"),
        ("Hold the lock", "fixes gh-12", "closed"),
        ("Hold the lock (#9) (#12)", "", "of_pull_request"),
        ("Merge pull request #12 from ada/lock", "", "of_pull_request"),
        ("Merged in lock (pull request #12)", "", "of_pull_request"),
        ("Hold the lock (#12) (#14)", "", "in_subject"),
        ("(#12) Hold the lock", "", "in_subject"),
        ("Hold the lock, see #12", "", "in_subject"),
        ("fix #12: hold the lock", "", "closed"),
        ("fix: #12 hold the lock", "", "closed"),
        ("Hold the lock [fixes #12]", "", "closed"),
        ("Hold the lock", "Closes: #12", "closed"),
        ("Hold #12", "See #12. Closes #12, see #12", "closed"),
        ("Hold the lock (#12)", "Fixes #12", "of_pull_request"),
        ("Hold the lock", "resolves ada/app#12", "closed"),
        ("Hold the lock", "Fixes issue #12", "closed"),
        ("Hold the lock", "Fixes #9, #10 and #12", "closed"),
        ("Hold the lock", "Fixes [#12](https://github.com/ada/app/issues/12)", "closed"),
        ("Hold the lock", "Fixes #9. Unlike #12", "in_body"),
        ("Hold the lock", "A prefix #12", "in_body"),
        ("Hold the lock", "Part of #12", "in_body"),
        ("Follow up of pull request #12", "", "in_body"),
        ("Repair tests after #12", "", "in_body"),
        ("Hold the lock", "cut before the number", "in_body"),
    ],
)
def test_grade_of_a_citation(subject: str, body: str, grade: str) -> None:
    assert cited(subject, body) == {"#12": grade}


@pytest.mark.parametrize("text", ["Hold #123", "See http://x/y#12a", "Colour #12ab34"])
def test_longer_numbers_and_words_do_not_show_the_number(text: str) -> None:
    assert cited(text) == {"#12": "in_body"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Hold (#12)", "#12"),
        ("Hold (ada/app#12)", "#12"),
        ("Hold (bob/app#12)", "#12"),
        ("Hold (app#12)", "#12"),
        ("Hold (ada/core#12)", "core#12"),
        ("Hold (core#12)", "core#12"),
        ("Hold [#12](https://github.com/ada/core/pull/12)", "core#12"),
        ("Hold [#12](https://gitlab.com/ada/core/-/merge_requests/12)", "core#12"),
        ("Hold [#12](https://github.com/ada/app/issues/12)", "#12"),
        ("Hold [#12](changes/12.md)", "#12"),
    ],
)
def test_repository_of_a_number(text: str, key: str) -> None:
    assert list(cited("", text)) == [key]


def test_number_with_its_repository_counts_even_if_it_is_no_target() -> None:
    assert dict(numbers(mentions("Hold (ada/core#12)", "", []), "app")) == {"core#12": "of_pull_request"}
    assert dict(numbers(mentions("Hold", "Closes ada/app#12", []), "app")) == {"#12": "closed"}
    assert mentions("Hold (#12)", "See #13", []) == ()


def test_single_digit_in_a_body_is_an_ordinal_unless_closed() -> None:
    assert cited("Hold the lock", "attempt #2", "#2") == {}
    assert cited("Hold the lock", "fixes #2", "#2") == {"#2": "closed"}
    assert cited("Hold the lock (#2)", "", "#2") == {"#2": "of_pull_request"}
    assert cited("", "Hold the lock #2", "#2") == {"#2": "in_body"}


def test_home_is_where_more_than_half_of_the_linked_numbers_lie() -> None:
    def linked(*names: str) -> str | None:
        text = " ".join(f"[#{n}](https://github.com/ada/{name}/pull/{n})" for n, name in enumerate(names))
        return home_of(mentions("", text, [f"#{n}" for n in range(len(names))]))

    assert linked("app", "app", "core") == "app"
    assert linked("app", "core") is None
    assert linked() is None
    assert home_of(mentions("", "Hold (#12)", ["#12"])) is None


def test_tickets_are_found_as_whole_keys() -> None:
    assert tickets("ABC-12 Hold", "", ["ABC-12", "#7"]) == (Citation("ABC-12", "in_subject"),)
    assert tickets("abc-12 hold", "", ["ABC-12"]) == (Citation("ABC-12", "in_subject"),)
    assert tickets("ABC-123 Hold", "", ["ABC-12"]) == (Citation("ABC-12", "in_body"),)
    assert tickets("XABC-12 Hold", "", ["ABC-12"]) == (Citation("ABC-12", "in_body"),)
    assert tickets("Hold", "Fixes ABC-12", ["ABC-12"]) == (Citation("ABC-12", "closed"),)
    assert tickets("Hold ticket 12", "", ["TICKET-12"]) == (Citation("TICKET-12", "in_subject"),)
    assert tickets("Hold", "resolves issue_12", ["ISSUE-12"]) == (Citation("ISSUE-12", "closed"),)
    assert tickets('Revert "ABC-12 Hold"', "", ["ABC-12"]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "#" * 20_000,
        "fix " * 5_000,
        "a/" * 10_000 + "#1",
        "://" + "a/" * 10_000,
        "fixes #1, " * 2_000,
        "(" * 20_000,
    ],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    mentions(text, text, ["#1"])
    tickets(text, text, ["A-1"])
    assert time.process_time() - started < 5
