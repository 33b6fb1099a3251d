"""Targets in one spelling, whatever is given: it stays as it is once it is clean, and the type takes it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from t2c.ledger.events.record import Target
from t2c.ledger.events.targets import (
    is_host,
    is_outside,
    normalised_paths,
    normalised_symbols,
    normalised_tickets,
    normalised_versions,
)
from t2c.ledger.kernel.canon import canonical

pieces = st.sampled_from(
    ["/", "\\", ".", "..", "./", "~", "$HOME", "C:", "://", "GET ", "a", "B-1", "é", " ", "`", "'", "\0", "\n",
     "::", "#", "(x)", "<T>", "com", "io", "1", "%X%", ".com", "api."]
)  # fmt: skip
texts = st.lists(pieces, max_size=8).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=12
)
lists = st.lists(texts, max_size=5)


@given(lists, lists, lists, lists)
def test_what_is_normalised_is_right_and_stays(
    paths: list[str], symbols: list[str], tickets: list[str], versions: list[str]
) -> None:
    target = {
        "paths": normalised_paths(paths),
        "symbols": normalised_symbols(symbols),
        "tickets": normalised_tickets(tickets),
        "versions": normalised_versions(versions),
    }
    Target.model_validate_json(canonical(target))
    assert normalised_tickets(target["tickets"]) == target["tickets"]
    assert normalised_versions(target["versions"]) == target["versions"]
    for values in target.values():
        assert values == sorted(set(values))
    assert not any(map(is_outside, target["paths"]))
    assert not any(map(is_host, target["symbols"]))


@given(lists)
def test_the_order_of_what_is_given_changes_nothing(values: list[str]) -> None:
    for normalised in (normalised_paths, normalised_symbols, normalised_tickets, normalised_versions):
        assert normalised(values) == normalised(values[::-1]) == normalised([*values, *values])


@given(texts.filter(bool))
def test_the_quick_look_misses_nothing(path: str) -> None:
    """What the type refuses as a path is what `is_outside` says, which first looks for signs alone."""
    body = canonical({"paths": [path], "symbols": [], "tickets": [], "versions": []})
    try:
        Target.model_validate_json(body)
        refused = False
    except ValidationError:
        refused = True
    import re

    from t2c.ledger.events.targets import OUTSIDE

    assert refused == is_outside(path) == (re.search(OUTSIDE, path) is not None)
