"""Who is alike is found without comparing all with all, and no other is."""

from __future__ import annotations

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.alike import Said, key_of, nearest, said, similarity

WORDS = st.frozensets(st.sampled_from([f"word{letter}" for letter in "abcdefghijkl"]), max_size=8)
STATED = st.dictionaries(
    st.integers(0, 40).map(lambda n: RecordId(f"INT-TODO-{n:020}")),
    st.builds(Said, WORDS, st.just(frozenset()), st.integers(0, 1)),
    max_size=12,
)


@given(STATED, STATED, st.sampled_from([0.3, 0.5, 0.6, 0.8, 0.85, 1.0]), st.integers(1, 4))
def test_nearest_finds_what_comparing_all_finds(
    asked: dict[RecordId, Said], pool: dict[RecordId, Said], least: float, fewest: int
) -> None:
    found = {(match.one, match.other): match.share for match in nearest(asked, pool, least, fewest)}
    wanted = {
        (one, other): share
        for one, mine in asked.items()
        for other, theirs in pool.items()
        if one != other
        and mine.denials == theirs.denials
        and min(len(mine.words), len(theirs.words)) >= fewest
        if (share := similarity(mine.words, theirs.words)) >= least
    }
    assert found == wanted


@given(WORDS, WORDS)
def test_similarity_is_a_share_of_both(one: frozenset[str], other: frozenset[str]) -> None:
    share = similarity(one, other)
    assert share == similarity(other, one)
    assert 0 <= share <= 1
    assert (share == 1) == (one == other and bool(one))


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    once = said(text)
    assert once.numbers <= once.words
    assert said(text) == once
    assert key_of(key_of(text)) == key_of(text) or "#" in text or "://" in text


@given(st.integers(60, 90), st.sampled_from([0.6, 0.85]))
def test_common_words_bring_nobody_together(size: int, least: float) -> None:
    shared = frozenset({"lock", "account", "log"})
    pool = {RecordId(f"INT-TODO-{n:020}"): Said(shared, frozenset()) for n in range(size)}
    assert list(nearest(pool, pool, least, 2)) == []
    assert ceil(least * len(shared)) > 0
