"""Which test a result is of, and which module a measured coverage is of.

A report names a test in its own way: dotted, with its package or its class in front, or as the sentence that the test
is titled with. The name, and the file where the report tells it, must leave one test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.modules import Symbol, declared

__all__ = ["BOOK", "exercised"]

_SIGNS: Final = re.compile(r"[\W_]+")
_MIN_LETTERS: Final = 8
"""Letters of the shortest title that is told apart from others."""
_TEXT: Final = "test "
"""What stands before the name in the text of a result."""


def exercised(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """From each result and measurement to what it is of: `tests`.

    * A result of a test whose dotted name ends in the name in the report, or the other way round, with whole parts,
      at least two of them; only one in the file that the report names, if it names one.
    * A result that is named by a sentence: the test whose titles, from the outermost on, are that sentence.
    * Where several tests are left it is `ambiguous_result`. A result of a test that is no record is related to nothing.
    * Coverage is of the module in the file; only where something was covered.
    """
    results = [record for record in corpus.of("test") if record.statement.kind == "test_result"]
    tests = _Tests(corpus if results else None)
    for record in results:
        found, grade = tests.meant(record)
        if len(found) == 1:
            yield Hit(record.id, found[0].id, "tests", "exercised", (grade,), (("test", found[0].name),))
        elif found:
            yield Abstention("ambiguous_result", record.statement.text)
    for record in corpus.of("test"):
        if record.statement.kind == "coverage_fact":
            yield from _measured(record, corpus)


def _measured(record: Record, corpus: Corpus) -> Iterator[Hit]:
    lines = record.metadata.lines if isinstance(record.metadata.lines, dict) else {}
    covered, total = lines.get("covered"), lines.get("total")
    for path in record.statement.target.paths:
        module = corpus.modules.get(path)
        if module is not None and isinstance(covered, int) and covered > 0:
            signals = (("covered", f"{covered} of {total}"), ("file", path))
            yield Hit(record.id, module, "tests", "exercised", ("measured",), signals)


class _Tests:
    """The tests of the code, by the last two parts of their dotted names and by their titles."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._by_tail: dict[str, list[tuple[str, Symbol]]] = {}
        self._by_title: dict[str, list[Symbol]] = {}
        for module in declared(corpus).modules.values() if corpus is not None else ():
            for symbol in module.symbols.values():
                if not symbol.is_test:
                    continue
                if symbol.native == "test":
                    self._by_title.setdefault(_letters(symbol.name), []).append(symbol)
                dotted = f"{module.name}.{symbol.name}" if module.name else symbol.name
                self._by_tail.setdefault(_tail(dotted), []).append((dotted, symbol))

    def meant(self, result: Record) -> tuple[Sequence[Symbol], str]:
        """The tests that a result may be of, and the grade of the one if it is one."""
        paths = result.statement.target.paths
        for name in result.statement.target.symbols:
            found = [
                symbol
                for dotted, symbol in self._by_tail.get(_tail(name), ())
                if (not paths or symbol.path in paths)
                and (f".{dotted}".endswith(f".{name}") or f".{name}".endswith(f".{dotted}"))
            ]
            if found:
                return found, "result_of_name"
        title = result.statement.text.removeprefix(_TEXT)
        for path in paths:
            title = title.removeprefix(path)
        letters = _letters(title)
        if len(letters) < _MIN_LETTERS:
            return (), ""
        titled = self._by_title.get(letters, ())
        return [symbol for symbol in titled if not paths or symbol.path in paths], "result_of_title"


def _tail(dotted: str) -> str:
    """The last two parts of a dotted name."""
    return ".".join(dotted.rsplit(".", 2)[-2:])


def _letters(title: str) -> str:
    return _SIGNS.sub("", title).lower()


BOOK: Final = RuleBook(
    "exercised",
    exercised,
    {
        "result_of_name": Prior(
            0.98, "The report names the test by at least two parts, and one test has them."
        ),
        "result_of_title": Prior(0.95, "The report names the test by its titles, and one test has them."),
        "measured": Prior(0.99, "Lines of the file were covered when the tests ran."),
    },
    {"ambiguous_result": "results of tests that several tests may be meant by"},
    {
        "test": "ran `{}`",
        "covered": "covers {} lines",
        "file": "in `{}`",
        "result_of_name": "by its name",
        "result_of_title": "by its title",
        "measured": "as measured",
    },
)
