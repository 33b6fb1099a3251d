"""Hostile reports: each is refused or bounded, counted, and soon done with."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from t2c.ledger.intake.base import Reading, materialise
from t2c.ledger.intake.reports.extractor import TestReportExtractor
from t2c.ledger.intake.reports.results import MAX_CASES


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def read(content: str | bytes) -> Reading:
    return TestReportExtractor().read(
        "r", content.encode() if isinstance(content, str) else content, Nothing()
    )


def reasons(reading: Reading) -> dict[str, int]:
    return {warning.reason: warning.count for warning in reading.warnings}


LAUGHS = '<!DOCTYPE testsuite [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
OUTSIDE = '<!DOCTYPE testsuite [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>'
PARAMETER = '<!DOCTYPE testsuite [<!ENTITY % a SYSTEM "http://h/x.dtd">%a;]><testsuite/>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (LAUGHS, "xml_entities"), (OUTSIDE, "xml_entities"), (PARAMETER, "xml_entities"),
        (LAUGHS.replace("testsuite", "coverage"), "xml_entities"),
        ("<testsuite>" * 5000, "xml_too_deep"),
        ("<coverage>" + "<class filename='a'>" * 5000, "xml_too_deep"),
        ("<testsuite><testcase name='a'/><testcase", "report_unparsed"),
        ("<testsuite><testcase name='a\0b'/></testsuite>", "report_unparsed"),
        (b"<testsuite><testcase name='\xff'/></testsuite>", "report_unparsed"),
        (b"<?xml version='1.0' encoding='no-such'?><testsuite/>", "report_unparsed"),
        (b"<?xml version='1.0' encoding='utf-16'?><testsuite/>", "report_unparsed"),
        ('{"version": "2.1.0", "runs": [' + "[" * 100_000, "report_unparsed"),
        ('{"version": "2.1.0", "runs": [{"results": [', "report_unparsed"),
        (b'{"version": "2.1.0", "runs": [], "x": "\0"}', "binary_file"),
        ('{"$schema": "sarif", "runs": {}}', "report_not_recognised"),
        ('{"meta": {"branch_coverage": true}, "files": []}', "report_not_recognised"),
        (b"TN:\nSF:a\n\0", "binary_file"),
        ("", "report_not_recognised"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_as_a_whole_gives_nothing(content: str | bytes, reason: str) -> None:
    reading = read(content)
    assert (reading.records, reading.complete) == ((), False)
    assert reasons(reading) == {reason: 1}


def test_where_a_document_breaks_is_told() -> None:
    (warning,) = read("<testsuite>\n<testcase>\n</testsuite>").warnings
    assert warning.lines == (3,)
    assert warning.detail == "no XML: mismatched tag (line 3, column 3); nothing was read"
    (warning,) = read('{"version": 1,\n"runs": [,]}').warnings
    assert warning.lines == (2,)


@pytest.mark.parametrize(
    "content",
    [
        '{"version": "2.1.0", "runs": [1, null, {"results": [1, {}, {"ruleId": 5, "rule": [], "locations": {}}]}]}',
        (
            '{"version": "2.1.0", "runs": [{"tool": 1, "results": [{"ruleIndex": 99999999999, "locations": [1, {"physicalLocation": '
            '{"artifactLocation": {"uri": "../../etc/passwd"}, "region": {"startLine": -5, "endLine": 1e400}}}]}]}]}'
        ),
        (
            '{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "{0} {99}", "arguments": [{"x": 1}]}, '
            '"partialFingerprints": {"a": 1, "": "", "b": "x"}, "suppressions": [1]}]}]}'
        ),
        '{"version": "2.1.0", "runs": [{"versionControlProvenance": [{"revisionId": "HEAD"}], "results": [{"ruleId": "'
        + "r" * 9000
        + '", "message": {"text": "'
        + "m" * 9000
        + '"}}]}]}',
    ],
)
def test_findings_of_the_wrong_shape_do_not_raise(content: str) -> None:
    reading = read(content)
    for draft in reading.records:
        assert draft.paths == ()
        assert len(draft.object) <= 200
        assert len(draft.metadata["message"] or "") <= 500
    assert list(materialise(reading)) is not None


LONG = {
    "an attribute of a megabyte": f"<testsuite><testcase classname='c' name='{'n' * 1_000_000}'/></testsuite>",
    "a text of a megabyte": f"<testsuite><testcase name='c'><failure>{'n' * 1_000_000}</failure></testcase></testsuite>",
    "a line of pytest": "1 passed in 0.1s\na.py::" + " " * 1_000_000,
    "many lines of pytest": "1 passed in 0.1s\n" + ("a.py::" + " " * 3900 + "\n") * 250,
    "dots before a summary": "1 passed in 0.1s\n" + ("FAILED " + "a.py" * 900 + "\n") * 250,
    "a point of TAP": "TAP version 13\nok 1 - " + "# " * 500_000,
    "a line of LCOV": "TN:\nSF:" + "a/" * 500_000 + "\nDA:1,1\nend_of_record\n",
    "subtests": "TAP version 13\n" + "".join(" " * (4 * depth) + "ok 1 - x\n" for depth in range(400)),
    "comments before a root": "<!--" * 250_000,
    "a document type": "<!DOCTYPE " + "a" * 1_000_000,
    "colours": "1 passed in 0.1s\n" + "\x1b[" * 500_000,
    "digits": "1 passed in 0.1s\n" + "1 passed " * 100_000,
}


@pytest.mark.parametrize("what", LONG)
def test_long_lines_end_soon(what: str) -> None:
    start = time.process_time()
    reading = read(LONG[what])
    assert time.process_time() - start < 15
    for draft in reading.records:
        assert len(draft.text) < 1000


def test_cases_above_the_cap_are_counted_and_failures_stay() -> None:
    passing = "".join(f"<testcase classname='m' name='t{n}'/>" for n in range(MAX_CASES + 10))
    content = f"<testsuite>{passing}<testcase classname='m' name='last'><failure/></testcase></testsuite>"
    reading = read(content)
    cases = [d for d in reading.records if d.kind == "test_result"]
    assert len(cases) == MAX_CASES
    assert "m.last" in {d.object for d in cases}
    assert reasons(reading) == {"test_cases_capped": 11}
    assert reading.records[0].metadata["total"] == MAX_CASES + 11


def test_memory_follows_what_is_kept() -> None:
    case = f"<testcase name='a'><system-out>{'x' * 2000}</system-out></testcase>"
    content = f"<testsuite>{case * 5000}</testsuite>".encode()
    tracemalloc.start()
    reading = TestReportExtractor().read("r", content, Nothing())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(reading.records) == 5001
    assert peak < len(content) * 1.5
