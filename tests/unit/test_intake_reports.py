"""Reports: what each format tells of tests, coverage and findings, and that a rerun is the same evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.reports.extractor import TestReportExtractor, bound
from t2c.ledger.intake.reports.results import instant, symbol_of
from t2c.ledger.intake.reports.sniff import sniff

FIXTURES = Path(__file__).parent / "report_fixtures"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Shop:
    """The tree of the project that the fixtures report on."""

    files = (
        "src/shop/cart.py", "tests/unit/test_cart.py", "tests/unit/test_order.py", "web/src/cart.test.ts", "web/src/cart.ts",
        "web/src/order.ts", "java/src/test/java/org/acme/cart/CartTest.java", "other/src/test/java/org/CartTest.java",
    )  # fmt: skip

    def __contains__(self, path: str) -> bool:
        return path in self.files

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(path for path in self.files if path.endswith("/" + name))

    def content(self, path: str) -> bytes | None:
        return None


def read(content: str | bytes, path: str = "reports/any.name") -> Reading:
    return TestReportExtractor().read(path, content.encode() if isinstance(content, str) else content, Shop())


def fixture(name: str) -> Reading:
    return read((FIXTURES / name).read_bytes())


def results(reading: Reading) -> dict[str, tuple[str, tuple[str, ...]]]:
    """(outcome, suites) of every case by its name."""
    cases = (d for d in reading.records if d.kind == "test_result")
    return {d.object: (d.metadata["outcome"], d.trail) for d in cases}


def run_of(reading: Reading) -> Draft:
    (run,) = (d for d in reading.records if d.kind == "test_run")
    return run


def counts(reading: Reading) -> dict[str, int]:
    run = run_of(reading)
    return {
        key: run.metadata[key]
        for key in ("passed", "failed", "error", "skipped", "todo")
        if run.metadata[key]
    }


def noted(reading: Reading) -> dict[str, int]:
    return {warning.reason: warning.count for warning in reading.warnings}


def one(reading: Reading, about: str) -> Draft:
    (draft,) = (d for d in reading.records if d.object == about)
    return draft


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pytest.xml", "junit"), ("surefire.xml", "junit"), ("jest.xml", "junit"), ("gotestsum.xml", "junit"),
        ("pytest.txt", "pytest-text"), ("node13.tap", "tap"), ("tap14.tap", "tap"), ("cobertura.xml", "cobertura"),
        ("lcov.info", "lcov"), ("coverage.json", "coverage-json"), ("findings.sarif", "sarif"),
        ("cycle.autonom-cycle.json", None),
    ],
)  # fmt: skip
def test_a_report_is_known_by_its_content(name: str, kind: str | None) -> None:
    content = (FIXTURES / name).read_bytes()
    assert sniff(content) == kind
    assert sniff(b"\xef\xbb\xbf" + content) == kind


def test_what_is_no_report() -> None:
    for content in (b"", b"ok then\n", b"<html/>", b"{}", b"[1]", b"\0\1", b"{", b"Some prose in 1.2s\n"):
        assert sniff(content) is None
    late = b'{"$x": {' + b'"a":1},"b":"' + b"y" * 9000 + b'","runs":[],"version":"2.1.0"}'
    assert sniff(late) == "sarif"
    assert sniff(b"3 passed in 0.10s\n") == "pytest-text"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("junit.xml", True), ("build/TEST-org.acme.CartTest.xml", True), ("my-junit-report.xml", True), ("coverage.xml", True),
        ("cobertura-coverage.xml", True), ("coverage/lcov.info", True), ("a.lcov", True), ("coverage.json", True),
        ("x.sarif", True), ("x.sarif.json", True), ("t.tap", True), ("test-results/e2e.json", True),
        ("test-results/shot.png", False), ("target/surefire-reports/a.txt", True), ("pom.xml", False), ("data.json", False),
        ("tests/fixtures/junit.xml", False), ("src/coverage.py", False), ("test-results.xml", True),
    ],
)  # fmt: skip
def test_which_files_of_a_tree_are_reports(path: str, wanted: bool) -> None:
    assert TestReportExtractor().wants(path) is wanted


def test_the_record_of_a_failure() -> None:
    found = [Record.model_validate_json(f.body) for f in materialise(fixture("pytest.xml"))]
    failed = next(r for r in found if r.metadata.get("outcome") == "failed")
    statement = failed.statement
    assert (statement.kind, statement.action, statement.polarity) == ("test_result", "test", "negative")
    assert statement.text == "test tests.unit.test_cart.TestRounding.test_half[3.5-4]"
    assert statement.target.symbols == ("tests.unit.test_cart.TestRounding.test_half",)
    assert statement.target.paths == ("tests/unit/test_cart.py",)
    assert (failed.lifecycle.status, failed.epistemic.cls) == ("blocked", "fact")
    assert failed.epistemic.basis == ("junit_report",)
    assert failed.observedAt == "2026-03-01T10:00:00.500000+01:00"
    assert (failed.metadata["message"], failed.metadata["commit"]) == ("assert 3 == 4", COMMIT)
    assert failed.id.startswith("INT-TEST-")


def test_junit_of_pytest() -> None:
    reading = fixture("pytest.xml")
    assert counts(reading) == {"passed": 2, "failed": 1, "error": 1, "skipped": 1}
    run = run_of(reading)
    assert run.metadata["passRate"] == {"numerator": 2, "denominator": 4}
    assert (run.metadata["duration"], run.status, run.polarity) == ("1.250", "blocked", "negative")
    assert {d.object: d.status for d in reading.records if d.kind == "test_result"} == {
        "tests.unit.test_cart.TestRounding.test_half[2.5-2]": "verified",
        "tests.unit.test_cart.TestRounding.test_half[3.5-4]": "blocked",
        "tests.unit.test_cart.test_import": "blocked",
        "tests.unit.test_cart.test_total": "verified",
        "tests.unit.test_cart.test_windows": "unknown",
    }
    assert reading.complete
    assert reading.warnings == ()


def test_junit_of_surefire() -> None:
    reading = fixture("surefire.xml")
    adds = one(reading, "org.acme.cart.CartTest.addsUp")
    assert (adds.paths, adds.trail) == (("java/src/test/java/org/acme/cart/CartTest.java",), ())
    assert one(reading, "org.acme.cart.CartTest.rounds(int)[1]").symbols == ("org.acme.cart.CartTest.rounds",)
    assert one(reading, "org.acme.cart.CartTest$Inner.sometimes").metadata["flaky"] is True
    run = run_of(reading)
    assert (run.metadata["duration"], run.metadata["flaky"], run.observed_at) == ("1002.5", 1, None)
    assert run.metadata["commit"] == "89abcdef0123"


def test_junit_of_jest_and_go() -> None:
    jest = fixture("jest.xml")
    assert results(jest) == {
        "cart adds up": ("passed", ("cart",)),
        "cart rounds": ("failed", ("cart",)),
        "order.ships": ("passed", ("order", "nested")),
    }
    assert (one(jest, "cart adds up").paths, one(jest, "cart adds up").symbols) == (
        ("web/src/cart.test.ts",),
        (),
    )
    go = fixture("gotestsum.xml")
    assert one(go, "example.org/acme/cart.TestRound/half_up").symbols == ("cart.TestRound",)
    assert counts(go) == {"passed": 1, "failed": 1, "skipped": 1}


def test_junit_of_linters_and_of_node() -> None:
    linter = (
        "<testsuites><testsuite name='/home/r/shop/web/src/cart.ts'><testcase name='org.lint.E1' "
        "classname='/home/r/shop/web/src/cart'><failure/></testcase></testsuite></testsuites>"
    )
    (case,) = (d for d in read(linter).records if d.kind == "test_result")
    assert (case.object, case.trail, case.paths) == (
        "org.lint.E1",
        ("web/src/cart.ts",),
        ("web/src/cart.ts",),
    )
    node = "<testsuites><testcase name='adds' classname='test'/><testcase name='a' classname='test'><skipped type='todo'/></testcase></testsuites>"
    assert results(read(node)) == {"adds": ("passed", ()), "a": ("todo", ())}
    assert one(read(node), "adds").symbols == ()


def test_what_pytest_prints() -> None:
    reading = fixture("pytest.txt")
    assert {name: outcome for name, (outcome, _) in results(reading).items()} == {
        "tests.unit.test_cart.TestRounding.test_half[3.5-4]": "failed",
        "tests.unit.test_cart.test_total": "passed",
        "tests.unit.test_cart.test_windows": "skipped",
        "tests.unit.test_gone": "error",
        "tests.unit.test_order.test_refund": "skipped",
        "tests.unit.test_order.test_ships": "passed",
    }
    assert counts(reading) == {"passed": 3, "failed": 1, "error": 1, "skipped": 2}
    assert run_of(reading).metadata["duration"] == "1.25"
    assert noted(reading) == {"test_cases_unnamed": 1}
    assert one(reading, "tests.unit.test_gone").metadata["message"] == "ImportError: no cart"


def test_pytest_in_quiet_and_in_colour() -> None:
    quiet = read("....\n4 passed, 1 warning in 0.12s\n")
    assert (counts(quiet), noted(quiet), run_of(quiet).status) == (
        {"passed": 4},
        {"test_cases_unnamed": 4},
        "verified",
    )
    colour = read(
        "\x1b[31mFAILED\x1b[0m a/test_b.py::\x1b[1mtest_c\x1b[0m - x\n\x1b[31m== \x1b[1m1 failed\x1b[0m in 1.00s ==\x1b[0m\n"
    )
    assert (results(colour), counts(colour)) == ({"a.test_b.test_c": ("failed", ())}, {"failed": 1})
    cut = read("=== test session starts ===\na/test_b.py::test_c PASSED\n")
    assert noted(cut) == {"report_totals_missing": 1}


def test_tap() -> None:
    reading = fixture("node13.tap")
    assert results(reading) == {
        "adds up": ("passed", ("cart",)),
        "rounds": ("failed", ("cart",)),
        "cart": ("failed", ()),
        "ships": ("skipped", ()),
        "refunds": ("todo", ()),
        "hash # in name": ("passed", ()),
    }
    assert counts(reading) == {"passed": 2, "failed": 1, "skipped": 1, "todo": 1}
    assert one(reading, "rounds").metadata["message"] == "error: 'expected 3'\ncode: 'ERR_ASSERTION'"
    assert noted(reading) == {"plan_mismatch": 1}
    tap14 = fixture("tap14.tap")
    assert (results(tap14)["rounds"], noted(tap14)) == (("passed", ("cart",)), {})
    bailed = read("TAP version 13\n1..2\nok 1\nBail out! no disk\n")
    assert noted(bailed) == {"plan_mismatch": 1, "run_bailed_out": 1}
    assert "test 1" in results(bailed)


def test_a_subtest_without_a_name_takes_none_from_its_neighbour() -> None:
    reading = read("TAP version 13\n# Subtest: x\nok 1 - x\n    ok 1 - inner\n    1..1\nok 2 - y\n1..2\n")
    assert results(reading) == {"x": ("passed", ()), "inner": ("passed", ()), "y": ("passed", ())}


def test_what_went_wrong_stands() -> None:
    content = "<testsuite><testcase name='a'><failure message='x'/><skipped/></testcase></testsuite>"
    assert results(read(content)) == {"a": ("failed", ())}
    printed = read("a.py::b ERROR\na.py::b PASSED\n=== 1 passed, 1 error in 0.1s ===\n")
    assert results(printed) == {"a.b": ("error", ())}


def test_a_commit_is_a_hash() -> None:
    content = "<testsuite><properties><property name='commit' value='HEAD'/></properties><testcase name='a'/></testsuite>"
    assert run_of(read(content)).metadata["commit"] is None


def test_names_that_differ_in_case_alone_keep_their_ids_in_any_order() -> None:
    def by_name(*names: str) -> dict[str, str]:
        cases = "".join(f"<testcase name='{name}'/>" for name in names)
        reading = read(f"<testsuite>{cases}</testsuite>")
        return {d.object: f.id for d, f in zip(reading.records, materialise(reading), strict=True)}

    assert by_name("t[a]", "t[A]", "b") == by_name("b", "t[A]", "t[a]")


def test_cobertura() -> None:
    reading = fixture("cobertura.xml")
    cart = one(reading, "src/shop/cart.py")
    assert (cart.paths, cart.status, cart.lines) == (("src/shop/cart.py",), "verified", (6, 14))
    assert cart.metadata["lines"] == {"covered": 3, "total": 3}
    assert cart.metadata["branches"] == {"covered": 1, "total": 2}
    gone = one(reading, "shop/gone.py")
    assert (gone.paths, gone.status, gone.metadata["lines"]) == ((), "unknown", {"covered": 0, "total": 2})
    assert noted(reading) == {"coverage_file_unknown": 1}


def test_lcov_and_coverage_json() -> None:
    lcov = fixture("lcov.info")
    assert one(lcov, "web/src/cart.ts").metadata["lines"] == {"covered": 2, "total": 3}
    assert one(lcov, "web/src/cart.ts").metadata["branches"] == {"covered": 3, "total": 4}
    assert one(lcov, "web/src/order.ts").metadata["lines"] == {"covered": 7, "total": 10}
    told = fixture("coverage.json")
    assert one(told, "src/shop/cart.py").metadata["lines"] == {"covered": 2, "total": 3}
    assert noted(told) == {"coverage_line_unread": 1}


def test_a_path_relative_to_the_folder_of_the_report() -> None:
    content = "TN:\nSF:src/cart.ts\nDA:1,1\nend_of_record\n"
    assert [d.paths for d in read(content, "web/coverage/lcov.info").records] == [("web/src/cart.ts",)]


def test_sarif() -> None:
    reading = fixture("findings.sarif")
    first, second, third = reading.records
    assert (first.text, first.paths, first.action) == (
        "finding no-eval in web/src/cart.ts",
        ("web/src/cart.ts",),
        "analyze",
    )
    assert (first.metadata["level"], first.metadata["message"]) == ("error", "eval of x on line 12")
    assert first.metadata["location"] == {"path": "web/src/cart.ts", "line": 12, "endLine": 13}
    assert first.trail == ("Lint", "primaryLocationLineHash=39fa2ee980eb94b0:1")
    assert (first.metadata["commit"], first.observed_at) == (COMMIT, "2026-03-01T10:00:00.000Z")
    assert (second.paths, second.metadata["suppressed"], second.polarity) == (
        ("src/shop/cart.py",),
        True,
        "positive",
    )
    assert (third.metadata["suppressed"], third.polarity, third.paths) == (False, "negative", ())
    assert noted(reading) == {"result_passed": 1}


def ids(reading: Reading) -> list[str]:
    return [found.id for found in materialise(reading)]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pytest.xml", "assert 3 == 4", "assert 5 == 4"),
        ("pytest.xml", "2026-03-01T10", "2026-03-02T11"),
        ("pytest.xml", "<testcase classname=\"tests.unit.test_cart\" name=\"test_import\"", "\n\n<testcase classname=\"tests.unit.test_cart\" name=\"test_import\""),
        ("pytest.txt", " - assert 3 == 4", " - assert 5 == 4"),
        ("pytest.txt", "in 1.25s", "in 7.75s"),
        ("node13.tap", "'expected 3'", "'expected 4'"),
        ("node13.tap", "ok 4 -", "ok 9 -"),
        ("cobertura.xml", 'number="3" hits="4"', 'number="3" hits="0"'),
        ("lcov.info", "DA:2,1,md5", "DA:2,0"),
        ("findings.sarif", '"startLine": 4', '"startLine": 44'),
        ("findings.sarif", "3 imports", "12 imports"),
    ],
)  # fmt: skip
def test_what_differs_from_run_to_run_is_no_identity(name: str, old: str, new: str) -> None:
    content = (FIXTURES / name).read_text()
    assert old in content
    assert ids(read(content.replace(old, new))) == ids(read(content))


def test_a_case_that_passes_again_is_the_same_record() -> None:
    failing = "<testsuite><testcase classname='a' name='b'><failure message='3'/></testcase></testsuite>"
    passing = "<testsuite><testcase classname='a' name='b'/></testsuite>"
    assert ids(read(failing)) == ids(read(passing))
    at = "<testsuite><testcase classname='a' name='b[obj at 0x7f00aa11]'/></testsuite>"
    assert ids(read(at)) == ids(read(at.replace("0x7f00aa11", "0x7fffaa99")))


@pytest.mark.parametrize("path", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_line_ends_change_no_id_and_every_record_is_valid(path: Path) -> None:
    content = path.read_bytes()
    found = list(materialise(read(content)))
    for record in found:
        Record.model_validate_json(record.body)
    assert ids(read(content.replace(b"\n", b"\r\n"))) == [record.id for record in found]


def test_binding_to_a_commit_changes_no_id() -> None:
    reading = fixture("lcov.info")
    assert all(d.metadata["commit"] is None and "commit_unknown" in d.basis for d in reading.records)
    tied = bound(reading, COMMIT)
    assert ids(tied) == ids(reading)
    assert all(d.metadata["commit"] == COMMIT for d in tied.records)
    assert all("commit_unknown" not in d.basis and "commit_given" in d.basis for d in tied.records)
    other = bound(fixture("pytest.xml"), "f" * 40)
    assert {(d.metadata["commit"], d.metadata["reportedCommit"]) for d in other.records} == {
        ("f" * 40, COMMIT)
    }
    same = bound(fixture("surefire.xml"), "89abcdef0123" + "0" * 28)
    assert all("reportedCommit" not in d.metadata for d in same.records)


def test_totals_that_do_not_fit_and_commits_that_differ_are_noted() -> None:
    content = (
        "<testsuite tests='3' failures='0'><properties><property name='commit' value='aaaaaaa'/>"
        "<property name='GIT_COMMIT' value='bbbbbbb'/></properties><testcase name='x'/><testcase name=''/></testsuite>"
    )
    assert noted(read(content)) == {"commits_differ": 1, "report_totals_differ": 1, "test_case_unnamed": 1}


def test_instants_need_an_offset() -> None:
    assert instant("2026-03-01T10:00:00") is None
    assert instant("2026-03-01 10:00:00.123456789012 +0200") == "2026-03-01T10:00:00.123456789+02:00"
    assert instant("2026-03-01T10:00:00Z") == "2026-03-01T10:00:00Z"
    assert instant("yesterday") is None
    assert instant(None) is None


def test_symbols_are_names_and_no_sentences() -> None:
    given: dict[str, Any] = {
        "a.b.test_c[x/y]": "a.b.test_c", "adds up": None, "h.org/p/q.TestA": "q.TestA", "h.org/p/q.TestA/sub/x": "q.TestA",
        "A$B.c(int)": "A$B.c", "top": None, "test_top": "test_top", "addsUp": "addsUp", "x/y": None, "1.2": None,
    }  # fmt: skip
    assert {name: symbol_of(name) for name in given} == given


def test_findings_of_t2c_itself_are_counted_and_not_taken_in() -> None:
    log = (
        '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t2c"}}, "results": [{"ruleId": "X", "message":'
        ' {"text": "a"}}, {"ruleId": "X", "message": {"text": "b"}}]}, {"tool": {"driver": {"name": "lint"}},'
        ' "results": [{"ruleId": "Y", "message": {"text": "c"}}]}]}'
    )
    reading = read(log)
    assert [draft.metadata["framework"] for draft in reading.records] == ["lint"]
    assert [(one.reason, one.count) for one in reading.warnings if one.reason == "own_report"] == [
        ("own_report", 2)
    ]
