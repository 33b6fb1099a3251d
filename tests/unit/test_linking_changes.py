"""What is read of a commit and of an entry, field by field."""

from __future__ import annotations

import time
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.changes import MAX_TITLES, Page, entry_of, is_chore, merged, page_of
from t2c.ledger.linking.features import Record, read


def record(source: str, text: str, **metadata: Any) -> Record:
    paths = tuple(metadata.pop("paths", ()))
    draft = Draft(
        kind="made", text=text.split("\n")[0], object=text, cls="claim", modality="claimed", action="change",
        status="implemented", confidence=0.9, basis=("made",), excerpt=text, paths=paths, metadata=metadata,
    )  # fmt: skip
    (found,) = materialise(Reading(Scope(source, None), "t2c/made@1", (draft,)))
    (only,) = read([found.body]).records
    return only


def page(text: str, **metadata: Any) -> Page:
    return page_of(record("git", text, **metadata))


def test_an_entry_is_read_without_links_people_and_hashes() -> None:
    said = "Fix `parse_url`, [#12](https://example.org/pull/12) by @ada in 35d366a for @eslint/js"
    assert entry_of(record("changelog", said)).tokens == {"fix", "=parse_url", "pars", "url", "eslint", "js"}


def test_a_word_of_hexadecimal_letters_is_no_hash() -> None:
    assert "effac" in entry_of(record("changelog", "Defaced pages are effaced")).tokens


def test_the_title_of_a_merged_pull_request_is_in_its_body() -> None:
    found = page("Merge pull request #12 from ada/gift-wrap\n\nWrap gifts\n\nIn paper.")
    assert found.title == ("wrap", "gift")
    assert {"=gift_wrap", "pap"} <= found.body


def test_trailers_and_links_of_a_body_tell_nothing() -> None:
    found = page("Wrap gifts\n\nIn paper, see https://example.org/ribbons\n\nSigned-off-by: Ada Lovelace <…>")
    assert found.body == {"pap", "see"}


def test_the_diff_is_read_into_fields_of_its_own() -> None:
    diff = {
        "names": ["wrap_gift"], "tests": ["test_ribbon"], "symbols": ["shop/gifts.py::Gift.unwrap"],
        "notes": [{"path": "CHANGELOG.md", "lines": ["Gifts are wrapped", "x"]}],
    }  # fmt: skip
    found = page("Change", diff=diff, paths=["shop/gifts.py"])
    assert found.names == {"=wrap_gift", "wrap", "gift", "unwrap"}
    assert "ribbon" in found.tests
    assert found.paths == {"shop", "gift"}
    assert {"wrap_gift", "test_ribbon", "gift", "unwrap", "gifts"} <= found.spelled
    assert found.notes == (frozenset({"gift", "wrap"}),)


@pytest.mark.parametrize(
    ("subject", "chore"),
    [
        ("chore: tidy", True), ("ci(lint): run", True), ("Bump black from 24.1 to 24.2", True), ("fix: wrap", False),
        ("build(deps): bump x from 1 to 2", True), ("Bump the limit of retries", False), ("Wrap gifts", False),
    ],
)  # fmt: skip
def test_what_users_need_not_know_of_is_told_by_its_subject(subject: str, chore: bool) -> None:
    assert is_chore(page(subject)) is chore


def test_a_pull_request_joins_its_commits_and_leaves_out_those_that_keep_books() -> None:
    pages = [
        page("Merge pull request #12 from ada/gifts\n\nGifts"),
        page("Wrap gifts"),
        page("Release 1.2.0"),
    ]
    found = merged(pages, 5)
    assert found.titles == (("gift",), ("wrap", "gift"))
    assert not found.keeps_books
    assert merged([pages[2]], 6).keeps_books


def test_a_long_pull_request_is_read_within_bounds() -> None:
    assert (
        len(merged([page(f"Wrap gift number {word}") for word in "abcdefghijklmnopqrst"], 0).titles)
        == MAX_TITLES
    )


@pytest.mark.parametrize("text", ["@" * 60_000, "a" * 60_000, "://" * 30_000, "0a" * 40_000, "a-by" * 20_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    entry, commit = record("changelog", text), record("git", f"Change\n\n{text}")
    started = time.process_time()
    entry_of(entry)
    page_of(commit)
    assert time.process_time() - started < 1
