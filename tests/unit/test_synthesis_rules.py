"""What an answer must keep beyond its schema: it cites what was shown, and one fault rejects the whole."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.llm.asking import Rejected
from t2c.ledger.llm.synthesis.summary import Citable, read_summary
from t2c.ledger.llm.synthesis.tasks import read_tasks

D1, D2 = "DIAG-" + "1" * 20, "DIAG-" + "2" * 20
R1, R2, R3 = (f"INT-TODO-{digit * 20}" for digit in "123")
SHOWN = Citable({D1: (R1,), D2: (R2,)}, frozenset({R1, R2, R3}))


def said(**more: Any) -> dict[str, Any]:
    return {
        "kind": "risk",
        "title": "Nobody did it",
        "detail": "The plan stands alone.",
        "severity": "warning",
        "diagnosticIds": [D1],
        "recordIds": [R1],
        "confidence": 0.8,
        **more,
    }


def task(**more: Any) -> dict[str, Any]:
    return {
        "key": "t1",
        "title": "Do it",
        "description": "Carry out the plan.",
        "priority": "P1",
        "target": {"paths": ["./src/a.py"], "symbols": ["run()"], "tickets": ["t2c 1"], "versions": []},
        "acceptanceCriteria": ["It is done."],
        "dependencyKeys": [],
        "conclusionKeys": ["c1"],
        "diagnosticIds": [D1],
        "recordIds": [R1],
        "confidence": 0.8,
        **more,
    }


def summary(*conclusions: dict[str, Any]) -> bytes:
    return orjson.dumps({"conclusions": conclusions})


def tasks(*proposals: dict[str, Any], conclusions: tuple[dict[str, Any], ...] | None = None) -> bytes:
    made = (said(key="c1"),) if conclusions is None else conclusions
    return orjson.dumps({"conclusions": made, "proposals": proposals})


def test_records_are_narrowed_to_those_of_the_cited_diagnostics() -> None:
    (one,) = read_summary(summary(said(recordIds=[R3, R1])), SHOWN)
    assert one.records == (R1,)
    (both,) = read_summary(summary(said(diagnosticIds=[D2, D1], recordIds=[R2, R1])), SHOWN)
    assert both.records == (R1, R2)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"diagnosticIds": [D1, "DIAG-" + "9" * 20]},
            "diagnosticIds cites DIAG-99999999999999999999, which was not",
        ),
        (
            {"recordIds": [R1, "INT-GIT-" + "9" * 20]},
            "recordIds cites INT-GIT-99999999999999999999, which was not",
        ),
        ({"recordIds": [R2]}, "cites no record of the diagnostics"),
        ({"title": "  "}, "title is blank"),
        ({"detail": "\n"}, "detail is blank"),
    ],
)
def test_one_fault_rejects_all_and_says_where(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(Rejected, match=rf"response\.conclusions\[1\].*{told}"):
        read_summary(summary(said(), said(**{"title": "Another", **wrong})), SHOWN)


def test_the_same_twice_is_a_fault_and_many_faults_are_told_as_a_number() -> None:
    with pytest.raises(Rejected, match="says the same as response"):
        read_summary(summary(said(), said(confidence=0.1)), SHOWN)
    many = [said(title="", severity=level) for level in ("info", "warning", "blocking")] * 5
    with pytest.raises(Rejected, match=r"and \d+ more$"):
        read_summary(summary(*many), SHOWN)


@pytest.mark.parametrize("texts", [{"detail": "x" * 16_384}, {"title": "ż" * 8_192}])
def test_a_conclusion_that_would_be_no_event_is_a_fault(texts: dict[str, str]) -> None:
    with pytest.raises(Rejected, match=r"response\.conclusions\[1\] is longer than 16,384 bytes"):
        read_summary(summary(said(), said(**texts)), SHOWN)
    assert read_summary(summary(said(detail="x" * 16_000)), SHOWN)


@pytest.mark.parametrize(
    "texts",
    [
        {"acceptanceCriteria": [f"c is so number {'x' * length}" for length in range(200)]},
        {"description": "x" * 16_384},
        {"target": {"paths": [], "symbols": ["s" * 16_384], "tickets": [], "versions": []}},
    ],
)
def test_a_task_that_would_be_no_event_is_a_fault(texts: dict[str, Any]) -> None:
    with pytest.raises(Rejected, match=r"response\.proposals\[1\] is longer than 16,384 bytes"):
        read_tasks(tasks(task(), task(key="t2", **texts)), SHOWN)


def test_a_fault_that_quotes_an_answer_is_told_in_short() -> None:
    with pytest.raises(Rejected) as told:
        read_tasks(tasks(task(conclusionKeys=["k" * 100_000])), SHOWN)
    assert len(str(told.value)) < 1_000


def test_what_is_no_answer_of_this_kind_is_rejected_and_no_traceback() -> None:
    with pytest.raises(Rejected, match="response"):
        read_summary(b'{"conclusions":[{"kind":"verdict"}]}', SHOWN)
    with pytest.raises(Rejected, match="response"):
        read_tasks(b"[]", SHOWN)


def test_a_task_that_keeps_the_rules_is_read_in_the_spelling_of_records() -> None:
    found = read_tasks(tasks(task(), task(key="t2", title="Then this", dependencyKeys=["t1"])), SHOWN)
    assert [one.task.key for one in found.proposals] == ["t1", "t2"]
    assert found.proposals[0].target == (("src/a.py",), ("run",), ("T2C-1",), ())


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"acceptanceCriteria": []}, "acceptanceCriteria must say"),
        ({"acceptanceCriteria": ["It is done.", " "]}, "acceptanceCriteria must say"),
        ({"acceptanceCriteria": ["It is done.", "It is done. "]}, "says the same twice"),
        ({"key": " "}, "key is blank"),
        ({"title": ""}, "title is blank"),
        ({"conclusionKeys": ["c9"]}, "'c9', which is no conclusion"),
        ({"conclusionKeys": []}, "names no conclusion"),
        ({"dependencyKeys": ["t9"]}, "'t9', which is no proposal"),
        ({"dependencyKeys": ["t1"]}, "names the proposal itself"),
        ({"diagnosticIds": [D2]}, "none of its conclusions cites"),
        ({"recordIds": [R2]}, "none of its conclusions rests on"),
        (
            {"target": {"paths": ["../x"], "symbols": [], "tickets": [], "versions": []}},
            "outside the repository",
        ),
    ],
)
def test_a_task_that_breaks_a_rule_rejects_all(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(Rejected, match=rf"response\.proposals\[0\].*{told}"):
        read_tasks(tasks(task(**wrong)), SHOWN)


def test_keys_stand_once_and_tasks_do_not_wait_in_a_circle() -> None:
    with pytest.raises(Rejected, match=r"proposals\[1\]\.key 't1' stands twice"):
        read_tasks(tasks(task(), task(title="Other")), SHOWN)
    with pytest.raises(Rejected, match=r"conclusions\[1\]\.key 'c1' stands twice"):
        read_tasks(tasks(conclusions=(said(key="c1"), said(key="c1", title="Other"))), SHOWN)
    with pytest.raises(Rejected, match="wait for one another: t1, t2"):
        read_tasks(
            tasks(task(dependencyKeys=["t2"]), task(key="t2", title="Other", dependencyKeys=["t1"])), SHOWN
        )
    with pytest.raises(Rejected, match=r"proposals\[1\] says the same"):
        read_tasks(tasks(task(), task(key="t2", priority="P3")), SHOWN)
