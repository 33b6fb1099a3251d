"""An answer as it is recorded: a claim of an agent, in its exact bytes, held at once to the rules beyond its shape."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.answers.base import Bench
from t2c.ledger.answers.checks.rules import argv_problem
from t2c.ledger.answers.history import answer, decoded, events
from t2c.ledger.answers.paths import path_problem
from t2c.ledger.answers.recording import IN_LINE, record
from t2c.ledger.answers.registry import verify
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.answers import AnswerRecorded
from t2c.ledger.events.draft import draft
from t2c.ledger.intake.base import no_progress
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.strict import schema_digest
from t2c.ledger.redaction.funnel import Funnel

REPORT = {"summary": "s", "status": "done", "files_changed": ["a.py"], "checks_run": [], "notes": []}


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c", funnel=Funnel(["hunter2hunter2"])) as made:
        yield made


def checks(ledger: Ledger) -> list[tuple[str, str, str | None]]:
    found = [decoded(entry) for entry in events(ledger, "answer.verified")]
    return [(one["check"], one["result"], one["item"]) for one in found]


def test_it_is_asserted_by_an_agent_in_its_exact_bytes(ledger: Ledger) -> None:
    content = orjson.dumps(REPORT, option=orjson.OPT_INDENT_2)
    made = record(ledger, "attempt_report", content, actor=Actor("agent", "m"), about="T1")
    (entry,) = events(ledger, "answer.recorded")
    assert (str(entry.actor), entry.trust) == ("agent:m", "asserted")
    assert ledger.objects.get(made.content) == content
    data = decoded(entry)
    assert (data["root"], data["about"], data["value"]) == ("attempt_report", "T1", REPORT)
    assert checks(ledger) == [("consistency", "supported", None)]
    (verified,) = events(ledger, "answer.verified")
    assert (verified.actor.kind, verified.trust) == ("helper", "observed")


@pytest.mark.parametrize("kind", ["human", "helper", "host_adapter"])
def test_nobody_but_an_agent_gives_one(ledger: Ledger, kind: Any) -> None:
    with pytest.raises(Refused):
        record(ledger, "attempt_report", orjson.dumps(REPORT), actor=Actor(kind, "x"))
    assert list(events(ledger, "answer.recorded")) == []


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (orjson.dumps({**REPORT, "status": "finished"}), "status"),
        (orjson.dumps({**REPORT, "verified": True}), "verified"),
        (b'{"summary": "a", "summary": "b"}', "summary"),
        (orjson.dumps(REPORT) + b" x", ""),
        (b"\xff", ""),
        (b"", ""),
    ],
)
def test_what_is_no_answer_is_refused_with_its_place(ledger: Ledger, content: bytes, place: str) -> None:
    with pytest.raises(Usage) as refused:
        record(ledger, "attempt_report", content)
    assert place in refused.value.what
    assert list(events(ledger, "answer.recorded")) == []


def test_secrets_are_masked_in_line_and_object(ledger: Ledger) -> None:
    made = record(ledger, "attempt_report", orjson.dumps({**REPORT, "summary": "it is hunter2hunter2"}))
    assert b"hunter2" not in ledger.objects.get(made.content)
    (entry,) = events(ledger, "answer.recorded")
    assert b"hunter2" not in bytes(entry.data)
    assert answer(ledger, made.event).value.summary == "it is [redacted:known_secret]"  # type: ignore[attr-defined]


def test_a_long_one_stands_in_its_object_alone(ledger: Ledger) -> None:
    made = record(ledger, "attempt_report", orjson.dumps({**REPORT, "summary": "x" * (IN_LINE + 1)}))
    (entry,) = events(ledger, "answer.recorded")
    assert decoded(entry)["value"] is None
    assert len(answer(ledger, str(made.seq)).value.summary) == IN_LINE + 1  # type: ignore[attr-defined]


def test_one_answer_of_a_model_is_recorded_once(ledger: Ledger) -> None:
    asked = record(ledger, "question", orjson.dumps({"question": "Why?"}))
    first = record(ledger, "question", orjson.dumps({"question": "How?"}), answered=asked.event)
    again = record(ledger, "question", orjson.dumps({"question": "How?"}), answered=asked.event)
    assert (first.again, again.again, again.event) == (False, True, first.event)
    assert len(list(events(ledger, "question.asked"))) == 2


def test_questions_of_one_subject_are_numbered_though_many_ask_at_once(ledger: Ledger) -> None:
    def ask(number: int) -> None:
        record(
            ledger, "question", orjson.dumps({"question": f"Why {number}?"}), about="T1" if number else None
        )

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(9)))
    asked = [decoded(entry) for entry in events(ledger, "question.asked")]
    assert sorted((one["about"] or "", one["number"]) for one in asked) == [
        ("", 1),
        *(("T1", n) for n in range(1, 9)),
    ]


def test_what_a_killed_recorder_left_undone_is_done_by_the_next(ledger: Ledger) -> None:
    content = orjson.dumps({"question": "Why?"})
    payload = AnswerRecorded(
        root="question", schema_digest=schema_digest(ROOTS["question"]), about=None, answered=None,
        content=ledger.objects.put(content), value={"question": "Why?"},
    )  # fmt: skip
    event = ledger.append([draft(payload, actor=Actor("agent", "m"))])[0].id
    bench = Bench(ledger, ledger.workspace.parent, no_progress)
    for _ in range(2):
        list(verify(answer(ledger, event), bench))
    (question,) = events(ledger, "question.asked")
    assert str(question.actor) == "agent:m"
    assert [one for one in checks(ledger) if one[0] == "consistency"] == [("consistency", "supported", None)]


def test_held_out_tests_are_not_recorded_in_the_open(ledger: Ledger) -> None:
    with pytest.raises(Refused, match="sealed"):
        record(ledger, "held_out", b"{}")


@pytest.mark.parametrize("name", ["0", "99", "EVT-" + "0" * 20, "x", "1"])
def test_what_names_no_answer_is_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(Usage):
        answer(ledger, name)


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ({"files_changed": ["/etc/passwd"]}, ["files_changed[0]"]),
        ({"files_changed": ["a/../../b"]}, ["files_changed[0]"]),
        ({"files_changed": ["a.py", "a.py"]}, ["files_changed[1]"]),
        ({"summary": "  "}, ["summary"]),
        ({"notes": [""]}, ["notes[0]"]),
        (
            {"files_changed": ["~/x", "C:\\x"], "summary": ""},
            ["files_changed[0]", "files_changed[1]", "summary"],
        ),
    ],
)
def test_rules_beyond_the_shape_are_looked_at_at_once(
    ledger: Ledger, value: dict[str, Any], items: list[str]
) -> None:
    record(ledger, "attempt_report", orjson.dumps({**REPORT, **value}))
    assert checks(ledger) == [("consistency", "inconsistent", item) for item in items]


def test_findings_that_say_the_same_count_once_and_are_all_kept(ledger: Ledger) -> None:
    one = {"kind": "other", "evidence": "x = 1", "explanation": "because"}
    value = {"suspected": True, "findings": [one, {**one, "explanation": "again"}, {**one, "evidence": "y"}]}
    made = record(ledger, "monitoring", orjson.dumps(value))
    assert checks(ledger) == [("consistency", "supported", None), ("repeated", "supported", "findings[1]")]
    assert len(answer(ledger, made.event).value.findings) == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["a.py", "src/a b.py", "żółw/x", ".github/x.yml", "a..b/c", "-x"])
def test_paths_of_a_project_are_taken(path: str) -> None:
    assert path_problem(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "/a",
        "../a",
        "a/..",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "C:/a",
        "~/a",
        ".git/config",
        "x/.t2c/journal.ndjson",
        ".GIT/hooks/pre-commit",
        "x/.T2C/journal.ndjson",
        "a/" * 100 + "b",
        "x" * 256,
        "/".join(["y" * 200] * 6),
        "a\nb",
        "a\0b",
        " a",
    ],
)
def test_other_paths_are_not(path: str) -> None:
    assert path_problem(path) is not None


@pytest.mark.parametrize(
    ("argv", "taken"),
    [
        (["pytest", "-q"], True), (["./gradlew", "test"], True), (["bin/check"], False), ([], False), ([""], False),
        (["python3.12", "-m", "pytest"], True), (["PYTHON.exe", "t.py"], True), (["uv", "run", "--", "pytest"], True),
        (["uv", "run", "tests/t.py"], True), (["poetry", "run", "python", "t.py"], True), (["npm", "-s", "test"], True),
        (["vendor/bin/phpunit"], True), (["bundle", "exec", "rspec"], True), (["cargo", "test"], True),
        (["go", "test", "./..."], True), (["curl", "x"], False), (["wget", "x"], False), (["git", "push"], False),
        (["sudo", "pytest"], False), (["rm", "-rf", "."], False), (["t2c", "answers", "reveal"], False),
        (["python3", "-m", "t2c"], False), (["python3", "-m", "pip.__main__", "install", "x"], False),
        (["uv", "run", "t2c"], False), (["uv", "run", "bash"], False), (["uv", "publish"], False), (["uv", "run"], False),
        (["uv", "run", "poetry", "run", "uv", "run", "x"], False),
        (["npm", "publish"], False), (["cargo"], False), (["cargo", "publish"], False), (["pythonx"], False),
        (["pytest -q"], False), (["/bin/rm", "-rf"], False), (["../x"], False), (["sh", "-c", "x"], False),
        (["bash"], False), (["a;b"], False), (["pytest", "a\0b"], False), (["env", "x"], False),
    ],
)  # fmt: skip
def test_commands_name_a_program_and_no_shell(argv: list[str], taken: bool) -> None:
    assert (argv_problem(argv) is None) is taken


def test_a_program_that_is_not_known_is_told_of_those_that_are() -> None:
    told = argv_problem(["curl", "http://x"])
    assert told is not None and told.startswith("'curl' neither interprets code nor runs tests")
    assert "pytest" in told and "python" in told and "cargo" in told
