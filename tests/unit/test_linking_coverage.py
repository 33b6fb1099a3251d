"""A result is of the test that its report names, coverage of the module that was run; none is guessed."""

from collections.abc import Iterator

import pytest

from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.reports.extractor import TestReportExtractor as Reports
from t2c.ledger.linking import features
from t2c.ledger.linking.linker import link

PYTHON = {
    "src/shop/cart.py": "def total(): ...\n",
    "tests/test_cart.py": "class TestCart:\n    def test_total(self): ...\n\n\ndef test_lines(): ...\n",
    "tests/api/test_cart.py": "def test_lines(): ...\n",
}


class Files(dict[str, str]):
    """The files of one inventory."""

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return self[path].encode() if path in self else None

    def bodies(self) -> Iterator[bytes]:
        for path, text in self.items():
            for extractor in (CodeExtractor(), Reports()):
                if extractor.wants(path):
                    yield from (
                        found.body for found in materialise(extractor.read(path, text.encode(), self))
                    )


def drawn(files: dict[str, str], report: str, path: str = "build/junit.xml") -> list[tuple[str, str, str]]:
    """(what the report is of, grade, test or module) of each relation from a report."""
    bodies = list(Files({**files, path: report}).bodies())
    records = {record.id: record for record in features.read(bodies).records}
    links = link(bodies)
    assert link(reversed(bodies)) == links
    found = []
    for draft in links.relations:
        if draft.rule == "exercised":
            target = records[draft.target]
            assert draft.type == "tests"
            name = target.source.path if target.statement.kind == "module_fact" else target.source.symbol
            told = records[draft.source].statement.text
            found.append(
                (told, draft.basis[0], f"{target.source.path}:{name}" if name != target.source.path else name)
            )
    return sorted(found)


def junit(*cases: str) -> str:
    return f"<testsuite name='s'>{''.join(f'<testcase {case}/>' for case in cases)}</testsuite>"


@pytest.mark.parametrize(
    ("case", "test"),
    [
        ('classname="tests.test_cart.TestCart" name="test_total"', "tests/test_cart.py:TestCart.test_total"),
        ('classname="tests.test_cart" name="test_lines"', "tests/test_cart.py:test_lines"),
        ('classname="tests.test_cart" name="test_lines[1-two]"', "tests/test_cart.py:test_lines"),
        ('classname="tests.api.test_cart" name="test_lines"', "tests/api/test_cart.py:test_lines"),
        ('classname="tests.test_cart" name="test_gone"', None),
        ('classname="tests.test_other" name="test_lines"', None),
    ],
)
def test_a_result_is_of_the_test_that_it_names(case: str, test: str | None) -> None:
    found = drawn(PYTHON, junit(case))
    assert [target for _, _, target in found] == ([] if test is None else [test])
    assert all(grade == "result_of_name" for _, grade, _ in found)


def test_a_result_that_may_be_of_several_tests_is_of_none() -> None:
    report = junit('classname="test_cart" name="test_lines"')
    assert drawn(PYTHON, report) == []
    links = link(Files({**PYTHON, "build/junit.xml": report}).bodies())
    assert {warning.reason: warning.count for warning in links.warnings}["ambiguous_result"] == 1


def test_the_file_that_a_report_names_tells_tests_of_one_name_apart() -> None:
    report = junit('classname="test_cart" name="test_lines" file="tests/api/test_cart.py"')
    assert [target for _, _, target in drawn(PYTHON, report)] == ["tests/api/test_cart.py:test_lines"]


def test_a_result_of_java_and_of_go_is_of_the_test_of_its_package() -> None:
    java = {
        "src/test/java/org/shop/CartTest.java": "package org.shop;\nclass CartTest { @Test void sums() {} }\n"
    }
    assert [target for _, _, target in drawn(java, junit('classname="org.shop.CartTest" name="sums"'))] == [
        "src/test/java/org/shop/CartTest.java:CartTest.sums"
    ]
    go = {
        "cart/cart_test.go": 'package cart\nimport "testing"\nfunc TestRound(t *testing.T) {}\n',
        "api/cart_test.go": 'package api\nimport "testing"\nfunc TestRound(t *testing.T) {}\n',
    }
    case = 'classname="example.org/shop/cart" name="TestRound"'
    assert [target for _, _, target in drawn(go, junit(case))] == ["cart/cart_test.go:TestRound"]


def test_a_result_named_by_a_sentence_is_of_the_test_of_its_titles() -> None:
    files = {
        "a.test.js": "describe('the cart', () => { it('adds up all lines', () => {}) })\n",
        "b.test.js": "describe('the order', () => { it('adds up all lines', () => {}) })\n",
    }
    case = 'classname="the cart adds up all lines" name="the cart adds up all lines"'
    assert [(grade, target) for _, grade, target in drawn(files, junit(case))] == [
        ("result_of_title", "a.test.js:the cart > adds up all lines")
    ]
    assert drawn(files, junit('classname="all" name="adds up all lines"')) == []


def test_coverage_is_of_the_module_of_which_something_ran() -> None:
    report = (
        "SF:src/shop/cart.py\nDA:1,1\nDA:2,0\nend_of_record\nSF:tests/test_cart.py\nDA:1,0\nend_of_record\n"
    )
    assert drawn(PYTHON, report, "build/lcov.info") == [
        ("coverage of src/shop/cart.py", "measured", "src/shop/cart.py")
    ]
