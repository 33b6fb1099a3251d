"""An entry that cites a commit by its hash releases that commit and no other."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.base import Abstention, Hit
from t2c.ledger.linking.features import read
from t2c.ledger.linking.linker import link
from t2c.ledger.linking.revisions import MAX_CITED, cited

CART = "35d366aed6e8ab0cfa8f9c9bac4656e3784c11f6"
LOGIN = "35d366b000000000000000000000000000000000"


def record(kind: str, text: str, revision: str | None = None) -> bytes:
    draft = Draft(
        kind="made", text=text, object=text, cls="claim", modality="claimed", action="change", status="implemented",
        confidence=0.9, basis=("made",), revision=revision,
    )  # fmt: skip
    (found,) = materialise(Reading(Scope(kind, None), "t2c/made@1", (draft,)))
    return found.body


COMMITS = (record("git", "Export carts", CART), record("git", "Lock accounts", LOGIN))


def subjects(entry: str) -> list[str]:
    corpus = read((*COMMITS, record("changelog", entry)))
    texts = {commit.id: commit.record.statement.text for commit in corpus.commits}
    return [texts[found.target] for found in cited(corpus) if isinstance(found, Hit)]


@pytest.mark.parametrize(
    "entry",
    [
        f"Carts ([`35d366a`](https://example.org/shop/commit/{CART}))",
        f"{CART} Carts",
        "* 35d366ae Carts",
        "Carts (35d366ae).",
    ],
)
def test_a_hash_finds_its_commit(entry: str) -> None:
    assert subjects(entry) == ["Export carts"]


@pytest.mark.parametrize(
    "entry",
    [
        "Carts cost 3534366 cents", "Carts are effaced", "Colour #35d366ae", "35d366aff", "carts-35d366ae", "v35d366ae",
        "Carts 35d366", "X35D366AE",
    ],
)  # fmt: skip
def test_what_is_no_hash_of_ours_finds_nothing(entry: str) -> None:
    assert subjects(entry) == []


def test_a_short_hash_of_two_commits_is_counted_and_not_related() -> None:
    clash = (
        record("git", "Wrap gifts", "35d366ab" + "0" * 32),
        record("git", "Find articles", "35d366ab" + "1" * 32),
    )
    found = list(cited(read((*COMMITS, *clash, record("changelog", "Gifts 35d366ab")))))
    assert [one.reason for one in found if isinstance(one, Abstention)] == ["ambiguous_revision"]
    assert not [one for one in found if isinstance(one, Hit)]


def test_a_list_of_commits_tells_of_none() -> None:
    many = [
        record("git", f"Change {number}", f"{number:x}bcdef{number}" + "0" * 33)
        for number in range(MAX_CITED + 1)
    ]
    listed = " ".join(f"{number:x}bcdef{number}" + "0" * 33 for number in range(MAX_CITED + 1))
    (found,) = cited(read((*many, record("changelog", listed))))
    assert isinstance(found, Abstention)
    assert found.reason == "revisions_listed"


def test_a_cited_commit_is_not_looked_for_by_its_words() -> None:
    links = link((*COMMITS, record("changelog", "Lock accounts 35d366ae")))
    assert [(draft.rule, draft.type) for draft in links.relations] == [("revision", "releases")]
    assert links.warnings == ()


def test_hostile_text_takes_no_time() -> None:
    corpus = read((*COMMITS, record("changelog", "a0" * 50_000), record("changelog", "abcdef01 " * 10_000)))
    started = time.process_time()
    list(cited(corpus))
    assert time.process_time() - started < 1
