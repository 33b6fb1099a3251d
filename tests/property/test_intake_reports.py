"""For any report: reading never raises, records are valid and unique, order is no identity."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.cycle import CYCLE_SCHEMA, CycleExtractor
from t2c.ledger.intake.reports.extractor import TestReportExtractor, bound

HEADS = st.sampled_from((
    "<testsuite>", "<testsuites>", "<coverage>", "TAP version 13\n", "TN:\n", "1 passed in 0.1s\n",
    '{"version": "2.1.0", "runs": [{"results": [', '{"meta": {"branch_coverage": true}, "files": {', "",
    '{"schema": "subactor.autonom-cycle/v1", "results": [',
))  # fmt: skip
PIECES = st.sampled_from((
    "<testcase name='a'", " classname='b.c'", "/>", ">", "</testcase>", "<failure message='x'/>", "<skipped/>", "</testsuite>",
    "<class filename='a.py'>", "<line number='1' hits='2'/>", "</class>", "&amp;", "&x;", "<![CDATA[", "]]>", "\n", "    ",
    "ok 1 - a", "not ok", "1..3", "# SKIP", "# Subtest: x", "  ---", "  ...", "Bail out!", "SF:a.py", "DA:1,1", "LF:3",
    "end_of_record", "a.py::b PASSED", "FAILED a.py::b - c", "= 1 failed in 2s =", '{"ruleId": "x"}', '"a.py": {"summary": {}}',
    '{"id": "p", "ok": true}', ",", "]", "}", "]}", "]}]}", '"', "0", "ż", "\0", "\x1b[1m",
))  # fmt: skip
ANY_BYTES = st.one_of(
    st.binary(max_size=80),
    st.tuples(HEADS, st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=25)).map(
        lambda parts: (parts[0] + "".join(parts[1])).encode("utf-8", "replace")
    ),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from((
    "id", "ok", "error", "facts", "violations", "watches", "tags", "note", "fact", "probe", "kind", "evidence", "was", "acts",
    "ruleId", "message", "locations", "partialFingerprints", "suppressions", "level", "text", "physicalLocation", "rule", "x",
))  # fmt: skip
ITEMS = st.lists(st.one_of(JSON, st.dictionaries(FIELDS, JSON, max_size=6)), max_size=4)
NAMES = st.lists(st.text("abcXYZ_[]0", min_size=1, max_size=6), min_size=1, max_size=8, unique=True)


class Nothing:
    """A tree with one file."""

    def __contains__(self, path: str) -> bool:
        return path == "a.py"

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def check(reader: TestReportExtractor | CycleExtractor, content: bytes) -> None:
    reading = reader.read("a/r.json", content, Nothing())
    found = list(materialise(reading))
    assert len({record.id for record in found}) == len(found)
    for record in found:
        Record.model_validate_json(record.body)
    assert reading.complete or reading.warnings
    assert [record.id for record in materialise(bound(reading, "a" * 40))] == [record.id for record in found]


@given(ANY_BYTES)
@settings(max_examples=500)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(content: bytes) -> None:
    check(TestReportExtractor(), content)
    check(CycleExtractor(), content)


@given(ITEMS, ITEMS, ITEMS, JSON)
@settings(max_examples=200)
def test_documents_of_any_shape(
    first: list[object], second: list[object], third: list[object], odd: object
) -> None:
    cycle = {"schema": CYCLE_SCHEMA, "results": first, "drift": second, "proposals": third, "host": odd}
    check(
        CycleExtractor(),
        json.dumps(cycle, allow_nan=False, default=str).encode() if _finite(cycle) else b"{}",
    )
    sarif = {"version": "2.1.0", "runs": [{"results": first, "tool": odd, "invocations": second}, odd]}
    check(TestReportExtractor(), json.dumps(sarif, allow_nan=False).encode() if _finite(sarif) else b"{}")


def _finite(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


@given(NAMES, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_cases_in_another_order_are_the_same_records(names: list[str], chance: object) -> None:
    shuffled = list(names)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ids(names) == ids(shuffled)


def ids(names: list[str]) -> dict[str, str]:
    """The id of each case by its name, letters of both sizes told apart."""
    cases = "".join(f"<testcase classname='m' name='{name}'/>" for name in names)
    reading = TestReportExtractor().read("r", f"<testsuite>{cases}</testsuite>".encode(), Nothing())
    return {d.object: f.id for d, f in zip(reading.records, materialise(reading), strict=True)}
