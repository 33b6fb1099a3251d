"""A relation is read as a sentence: every signal and token has words, and no values are lost without a count."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from t2c.ledger.events.record import RelationType
from t2c.ledger.linking.registry import BOOKS, PRIORS
from t2c.ledger.linking.wording import DEFAULTS, FORWARD, REVERSE, reasons, sentence

WORDS = {name for book in BOOKS for name in book.phrases} | set(DEFAULTS) | set(PRIORS)


def test_a_sentence_says_what_was_seen() -> None:
    told = sentence(
        "releases", "3f2a1c0", "number", ("number_closed",), [("number", "#12"), ("symbol", "parse_url")]
    )
    assert told == "releases 3f2a1c0: cites #12; names `parse_url`"


def test_the_book_of_the_rule_speaks_before_the_others() -> None:
    assert reasons("path", ("path_exact",), [("path", "a.py")]) == ("names `a.py`",)
    assert reasons("symbol", ("symbol_leaf",), [("path", "a.py")]) == ("declared in `a.py`",)


def test_values_of_one_signal_are_one_phrase_and_the_rest_is_counted() -> None:
    signals = [("symbol", name) for name in ("a", "b", "c", "d", "e")]
    assert reasons("symbol", (), signals) == ("names `a`, `b`, `c` and 2 more",)


def test_a_token_of_a_basis_is_told_and_a_grade_only_where_nothing_else_is() -> None:
    assert reasons("number", ("number_in_subject", "reverted"), [("number", "#1")]) == (
        "cites #1",
        "was reverted",
    )
    assert reasons("number", ("number_in_subject",), []) == ("number in subject",)


def test_what_no_book_knows_is_told_by_its_name() -> None:
    assert reasons("imported", ("some_reason",), [("odd_signal", "x")]) == ("odd signal x", "some reason")
    assert sentence("odd_type", "it", "imported", (), []) == "odd type it"


def test_every_type_of_relation_reads_from_both_ends() -> None:
    assert set(FORWARD) == set(REVERSE) == set(get_args(RelationType))


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: str(book.name))
def test_phrases_take_one_value_or_none(book: object) -> None:
    for template in book.phrases.values():  # type: ignore[attr-defined]
        assert template.count("{}") <= 1
        assert template.replace("{}", "").count("{") == 0


def emitted() -> Iterator[tuple[str, str, bool]]:
    """Module, name and whether it is a signal, for each that is written where a rule makes a finding."""
    for path in sorted({Path(inspect.getfile(book.find)) for book in BOOKS}):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Hit":
                named = {word.arg: word.value for word in node.keywords}
                parts = dict(
                    zip(("source", "target", "type", "rule", "basis", "signals"), node.args, strict=False)
                )
                for part, is_signal in (("signals", True), ("basis", False)):
                    value = parts.get(part) or named.get(part)
                    for name in _constants(value, is_signal) if value is not None else ():
                        yield path.stem, name, is_signal


def _constants(value: ast.expr, is_signal: bool) -> Iterator[str]:
    """Whole names: parts of formatted texts and what is only compared with are none."""
    if isinstance(value, ast.JoinedStr | ast.Compare):
        return
    if is_signal and isinstance(value, ast.Tuple) and len(value.elts) == 2:
        first = value.elts[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
            return
    if not is_signal and isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    for child in ast.iter_child_nodes(value):
        if isinstance(child, ast.expr):
            yield from _constants(child, is_signal)


def test_every_signal_and_token_that_a_rule_writes_has_words() -> None:
    found = [(module, name) for module, name, _ in emitted() if "{" not in name]
    assert len(found) >= 5
    assert sorted({(module, name) for module, name in found if name not in WORDS}) == []
