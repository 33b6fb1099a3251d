"""A rule finds the same without the kinds of source that it ignores, so that it need not look again when they change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from t2c.ledger.linking.base import Memory, Remembered, RuleBook
from t2c.ledger.linking.features import assembled
from t2c.ledger.linking.record import Record, decoded
from t2c.ledger.linking.registry import BOOKS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """One of everything that a scan reads, and the history of this repository's own example."""
    root = tmp_path_factory.mktemp("one_of_everything") / "repo"
    subprocess.run(
        [sys.executable, ROOT / "docs/examples/evidence.py", root], check=True, capture_output=True
    )
    for verb in ("init", "scan"):
        subprocess.run(
            [sys.executable, "-m", "t2c.cli", "--root", root, verb], check=True, capture_output=True
        )
    lines = (root / ".t2c/projections/records/records.jsonl").read_bytes().splitlines()
    found, unreadable = decoded(lines)
    assert unreadable == 0 and {"ast", "git", "todo", "changelog", "document"} <= {
        one.source.kind for one in found
    }
    return found


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_what_it_ignores_changes_nothing(book: RuleBook, records: list[Record]) -> None:
    whole = Remembered.of(book.find(assembled(records)))
    less = [record for record in records if record.source.kind not in book.ignores]
    assert Remembered.of(book.find(assembled(less))) == whole


def test_some_rules_ignore_something_and_some_find_something(records: list[Record]) -> None:
    corpus = assembled(records)
    assert sum(bool(book.ignores) for book in BOOKS) >= 5
    assert any(corpus.found(book).hits for book in BOOKS if book.ignores)


def test_a_rule_is_asked_again_only_if_what_it_reads_changed(records: list[Record]) -> None:
    asked: list[str] = []
    book = next(book for book in BOOKS if "ast" in book.ignores)

    def find(corpus: object) -> tuple[()]:
        asked.append("again")
        return ()

    spy = book._replace(find=find)  # type: ignore[arg-type]
    known = {spy.name: Remembered((), ())}
    for changed, times in ((set(), 0), ({"ast"}, 0), ({"git"}, 1), ({"ast", "git"}, 1)):
        asked.clear()
        memory = Memory(rules=known, changed=frozenset(changed))
        assembled(records, memory=memory).found(spy)
        assert len(asked) == times and spy.name in memory.used_rules
