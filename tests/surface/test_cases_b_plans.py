"""Cases 10 to 18: no task and no requirement is lost, read twice differently, or made up."""

from __future__ import annotations

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest


def git(root: Path, *arguments: str, ok: bool = True) -> str:
    identity = ["-c", "user.name=Ada Test", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, env=environ, capture_output=True, text=True, check=ok
    )
    return done.stdout


def write(t2c: Any, path: str, text: str) -> None:
    file = t2c.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def extracted(t2c: Any, source: str = "todo", *more: str) -> Any:
    ran = t2c("extract", source, "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document


def tasks(document: Any) -> list[tuple[int, str | None, str]]:
    return [
        (item["source"]["lines"]["start"], item["metadata"]["explicitId"], item["statement"]["text"])
        for item in document["records"]
    ]


def left_out(document: Any) -> dict[str, tuple[int, list[int]]]:
    return {item["reason"]: (item["count"], item["lines"]) for item in document["warnings"]}


def scan(t2c: Any, *more: str) -> Any:
    ran = t2c("scan", "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document


def events(t2c: Any, name: str) -> list[Any]:
    return [event["data"] for event in t2c("ledger", "log", "--type", name, "--jsonl").lines]


GIVEN = """\
| T001 | add login | WP01 | [P] |

Subtasks: T002, T003

- [ ] T004 write test
"""
FOUR = [
    (1, "T001", "T001 add login"),
    (3, "T002", "T002"),
    (3, "T003", "T003"),
    (5, "T004", "T004 write test"),
]
SHAPES = {
    "a/TODO.md": GIVEN,
    "b/tasks.md": GIVEN.replace("\n\n", "\n \n"),
    "c/todo.md": "|T001|add login|WP01|\n\n**Subtasks:** `T002` and T003\n\n1. [ ] T004 write test\n",
    "d/TODO": GIVEN.replace("- [ ]", "* [ ]"),
    "e/TODO.md": "| `T001` | add login |\n\n- Subtasks (2): T002, T003\n\n+ T004 write test\n",
}


def test_case_10_four_tasks_in_a_table_a_line_and_a_box(t2c: Any) -> None:
    for path, text in SHAPES.items():
        write(t2c, path, text)
        document = extracted(t2c, "todo", path)
        assert tasks(document) == FOUR, path
        assert document["warnings"] == [], path


def test_case_10_lines_that_follow_one_another_are_tasks_of_their_own(t2c: Any) -> None:
    write(
        t2c,
        "TODO.md",
        "- [ ] T001 add login\nSubtasks: T002, T003\n- [x] T004 write test\n  that goes on\n  Podzadania: T005 i T006\n"
        "- [ ] T007 tell\n\n  Subtasks: T008\n"
        "* T009 dodać\nT010: dokończyć\n**T011**: zamknąć\n",
    )
    assert tasks(extracted(t2c)) == [
        (1, "T001", "T001 add login"),
        (2, "T002", "T002"),
        (2, "T003", "T003"),
        (3, "T004", "T004 write test that goes on"),
        (5, "T005", "T005"),
        (5, "T006", "T006"),
        (6, "T007", "T007 tell"),
        (6, "T008", "T008"),
        (9, "T009", "T009 dodać"),
        (10, "T010", "T010: dokończyć"),
        (11, "T011", "**T011**: zamknąć"),
    ]


def test_case_10_a_line_of_unknown_shape_is_counted_with_its_number(t2c: Any) -> None:
    write(
        t2c,
        "TODO.md",
        "- [ ] T001 known\n- [?] odd box\n[ ] no bullet\n☐ ballot\n-[ ] glued\n\nSubtasks: T010-T012\n\n"
        "| WP01 | [ ] T027 |\n\n• T013 kropka\n\n(A) priority\n",
    )
    document = extracted(t2c)
    assert tasks(document) == [(1, "T001", "T001 known")]
    assert left_out(document) == {"task_like_line": (8, [2, 3, 4, 5, 7, 9, 11, 13])}
    scan(t2c)
    (noted,) = [item for item in events(t2c, "omission.noted") if item["reason"] == "task_like_line"]
    assert (noted["path"], noted["count"], noted["lines"]) == ("TODO.md", 8, [2, 3, 4, 5, 7, 9, 11, 13])
    assert t2c("extract", "todo", "--strict").code == 1


TASK = "---\nid: task-12\ntitle: {}\nstatus: To Do\n---\n\n## Description\n\nText.\n"
BACKLOG = "backlog/tasks/task-12 - {}.md"


@pytest.fixture
def two_branches(t2c: Any) -> Any:
    """Branches `a` and `b` of one start; the test fills them."""
    git(t2c.root, "init", "-q", "-b", "main")
    git(t2c.root, "commit", "-q", "--allow-empty", "-m", "start")

    def fill(branch: str, files: dict[str, str]) -> None:
        git(t2c.root, "checkout", "-q", "-b", branch, "main")
        for path, text in files.items():
            write(t2c, path, text)
        git(t2c.root, "add", "-A", *files)
        git(t2c.root, "commit", "-q", "-m", branch)

    return fill


SAME = {
    BACKLOG.format("Add login"): TASK.format("Add login"),
    "TODO.md": "- [ ] TASK-12 add login\n",
    ".taskmaster/tasks/tasks.json": '{"tasks": [{"id": 12, "title": "Dodać logowanie"}]}\n',
}


def test_case_12_the_same_bytes_in_two_branches_are_one_record(t2c: Any, two_branches: Any) -> None:
    two_branches("a", SAME)
    two_branches("b", SAME)
    scan(t2c)
    first = events(t2c, "record.observed")
    ids = {item["record"]["id"] for item in first if item["record"]["source"]["kind"] == "todo"}
    assert len(ids) == 3
    git(t2c.root, "checkout", "-q", "a")
    scan(t2c)
    git(t2c.root, "merge", "-q", "-m", "both", "b")
    assert scan(t2c)["records"]["todo"] == 3
    observed = [item["record"]["source"]["kind"] for item in events(t2c, "record.observed")]
    assert observed.count("todo") == 3
    assert not ids & {item["id"] for item in events(t2c, "record.retracted")}
    assert events(t2c, "record.moved") == []
    assert {item["id"] for item in extracted(t2c)["records"]} == ids


def test_case_12_two_titles_of_one_id_both_stay_and_keep_the_id(t2c: Any, two_branches: Any) -> None:
    """What a view needs to name the collision: both records with the same explicit id and their places."""
    two_branches("a", {BACKLOG.format("Add login"): TASK.format("Add login")})
    two_branches("b", {BACKLOG.format("Dodaj wylogowanie"): TASK.format("Dodaj wylogowanie")})
    scan(t2c)
    before = extracted(t2c)["records"]
    git(t2c.root, "merge", "-q", "-m", "both", "a")
    both = extracted(t2c)["records"]
    assert [(item["source"]["path"], item["metadata"]["explicitId"]) for item in both] == [
        (BACKLOG.format("Add login"), "task-12"),
        (BACKLOG.format("Dodaj wylogowanie"), "task-12"),
    ]
    assert before == both[1:]
    assert scan(t2c)["appended"]["record.observed"] == 3  # the task of a, its commit and the merge
    assert events(t2c, "record.retracted") == []


CONFLICTS = {
    "TODO.md": "- [ ] TASK-12 {}\n",
    "docs/tasks.md": "# Zadania\n\n| TASK-12 | {} | WP01 |\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- {}\n",
    "ROADMAP.md": "# Roadmap\n\nWe will {}.\n",
}


@pytest.mark.parametrize("path", CONFLICTS)
def test_case_12_a_conflict_keeps_both_sides_and_says_so(t2c: Any, two_branches: Any, path: str) -> None:
    two_branches("a", {path: CONFLICTS[path].format("add login")})
    two_branches("b", {path: CONFLICTS[path].format("dodać wylogowanie")})
    git(t2c.root, "merge", "-q", "a", ok=False)
    lines = (t2c.root / path).read_text().splitlines()
    marks = [number for number, line in enumerate(lines, 1) if line[:7] in ("<<<<<<<", "=======", ">>>>>>>")]
    assert len(marks) == 3
    document = extracted(t2c, "all")
    said = " ".join(item["statement"]["text"] for item in document["records"])
    assert "add login" in said and "dodać wylogowanie" in said
    assert not any(mark in said for mark in ("<<<<", "====", ">>>>"))
    assert left_out(document)["conflict_markers"] == (3, marks)
    assert t2c("scan", "--strict").code == 1


def test_case_12_a_conflict_inside_data_gives_no_record_and_keeps_the_old_ones(
    t2c: Any, two_branches: Any
) -> None:
    path = ".taskmaster/tasks/tasks.json"
    two_branches("a", {path: '{"tasks": [\n{"id": 12, "title": "Add login"}\n]}\n'})
    two_branches("b", {path: '{"tasks": [\n{"id": 12, "title": "Add logout"}\n]}\n'})
    scan(t2c)
    git(t2c.root, "merge", "-q", "a", ok=False)
    after = scan(t2c)
    assert after["records"]["todo"] == 1
    assert "record.retracted" not in after["appended"]
    assert after["omissions"] == {"json_not_read": 1, "not_seen_again": 1}


REQUIREMENT = "### Requirement: Lock the door\nThe system SHALL lock the door.\n"
CHANGE = "openspec/changes/lock/specs/door/spec.md"


def requirements(document: Any) -> list[tuple[str, int, list[str]]]:
    return [
        (item["metadata"]["requirement"], item["source"]["lines"]["start"], item["metadata"]["headingPath"])
        for item in document["records"]
        if item["statement"]["kind"] == "requirement"
    ]


@pytest.mark.parametrize(
    ("heading", "near"),
    [
        ("Add Requirements", "ADDED Requirements"),
        ("ADED Requirements", "ADDED Requirements"),
        ("Modify Requirements", "MODIFIED Requirements"),
        ("Remove requirement", "REMOVED Requirements"),
        ("Wymaganie", "Wymagania"),
    ],
)
def test_case_14_a_requirement_under_a_misspelt_heading(t2c: Any, heading: str, near: str) -> None:
    write(t2c, CHANGE, f"# Door\n\n## {heading}\n\n{REQUIREMENT}")
    document = extracted(t2c, "docs")
    assert requirements(document) == [("Lock the door", 6, ["Door", heading, "Requirement: Lock the door"])]
    (warning,) = document["warnings"]
    assert (warning["reason"], warning["path"], warning["lines"]) == ("unknown_section", CHANGE, [3])
    assert f"'{heading}'" in warning["detail"]
    assert near in warning["detail"].partition("near matches: ")[2].split(", ")


def test_case_14_each_of_several_headings_has_its_line_and_its_near_matches(t2c: Any) -> None:
    second = REQUIREMENT.replace("Lock", "Open").replace("lock", "open")
    third = "### Wymaganie: Zamknij drzwi\nSystem MUSI zamknąć drzwi.\n"
    write(
        t2c,
        CHANGE,
        f"# Door\n\n## Add Requirements\n\n{REQUIREMENT}\n## Modify Requirements\n\n{second}\n## Rzeczy\n\n{third}",
    )
    document = extracted(t2c, "docs")
    assert [name for name, _, _ in requirements(document)] == [
        "Lock the door",
        "Open the door",
        "Zamknij drzwi",
    ]
    (warning,) = document["warnings"]
    assert (warning["count"], warning["lines"]) == (3, [3, 8, 13])
    first, other, last = warning["detail"].split(" | ")
    assert first.startswith("line 3: 'Add Requirements'") and "ADDED Requirements" in first
    assert other.startswith("line 8: 'Modify Requirements'") and "MODIFIED Requirements" in other
    assert last.startswith("line 13: 'Rzeczy'")


@pytest.mark.parametrize("path", [CHANGE, "openspec/specs/door/spec.md", "docs/requirements.md"])
def test_case_14_nothing_after_a_stray_heading_is_lost(t2c: Any, path: str) -> None:
    parts = [REQUIREMENT.replace("Lock the door", f"Lock door {number}") for number in range(4)]
    strays = ["## Purpose\n", "## ADDED Requirements\n", "## Something else\n", "## ADDED Requirements\n"]
    write(
        t2c,
        path,
        "# Door\n\n" + "\n".join(f"{stray}\n{part}" for stray, part in zip(strays, parts, strict=True)),
    )
    assert [(name, trail[1]) for name, _, trail in requirements(extracted(t2c, "docs"))] == [
        ("Lock door 0", "Purpose"),
        ("Lock door 1", "ADDED Requirements"),
        ("Lock door 2", "Something else"),
        ("Lock door 3", "ADDED Requirements"),
    ]


def said(document: Any) -> list[Any]:
    """What the records say, whoever named the file."""
    return [
        (item["id"], item["statement"], item["lifecycle"], item["source"]["lines"])
        for item in document["records"]
    ]


SPELLINGS = """\
# Door

## Requirements

###Requirement: X
The system SHALL open.

### requirement: Y
The system SHALL close.

### Requirement: Breaker SHALL open

### Documentation Requirements

Some words on them.

###WYMAGANIE: Zamek
System MUSI się zamykać.

### **Requirement:** Bold
The system MUST NOT ring.
"""


@pytest.mark.parametrize("path", ["openspec/specs/door/spec.md", CHANGE, "specs/001-door/spec.md"])
def test_case_16_one_reading_for_every_command(t2c: Any, path: str) -> None:
    write(t2c, path, SPELLINGS)
    write(t2c, "TODO.md", GIVEN)
    documents = extracted(t2c, "docs")
    assert [name for name, _, _ in requirements(documents)] == [
        "X",
        "Y",
        "Breaker SHALL open",
        "Zamek",
        "Bold",
    ]
    headed = next(
        item
        for item in documents["records"]
        if item["metadata"].get("requirement", "") == "Breaker SHALL open"
    )
    assert headed["statement"]["modality"] == "required"
    assert said(extracted(t2c, "docs", path)) == said(documents)
    piped = t2c("extract", "docs", "-", "--as", path, "--json", input=SPELLINGS.encode())
    assert piped.document["records"] == documents["records"]
    by_line = t2c("extract", "docs", "--jsonl").lines
    assert by_line == documents["records"]
    assert t2c("extract", "docs").out.splitlines()[-1] == f"{len(by_line)} records"
    everything = extracted(t2c, "all")["records"]
    scanned = scan(t2c)
    kinds = [item["source"]["kind"] for item in everything]
    assert scanned["records"] == {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    assert {row["name"]: row["records"] for row in scanned["table"]}["docs"] == len(by_line)
    views = t2c.root / ".t2c" / "projections"
    shown = [json.loads(line) for line in (views / "records" / "records.jsonl").read_text().splitlines()]
    assert {item["id"] for item in shown} == {item["id"] for item in everything}
    assert len(shown) == len(everything)
    verified = t2c("ledger", "verify", "--level", "domain", "--json")
    assert verified.code == 0, verified.out
    assert len(events(t2c, "record.observed")) == len(everything)


def broken(at: str) -> tuple[str, int]:
    """A list of twenty tasks with a broken comma, and the line that it is in."""
    rows = [f'    {{"id": {n}, "title": "Task {n}", "details": "{"x" * 800}"}}' for n in range(1, 21)]
    match at:
        case "double":
            rows[18] += ","
        case "missing":
            rows[18] = rows[18].replace(', "title"', ' "title"')
        case "cut":
            return '{"tasks": [\n' + ",\n".join(rows)[:-400], 21
    return '{"tasks": [\n' + ",\n".join(rows) + "\n]}\n", 20


@pytest.mark.parametrize("at", ["double", "missing", "cut"])
@pytest.mark.parametrize("path", [".taskmaster/tasks/tasks.json", "tasks/tasks.json"])
def test_case_18_a_failed_parse_invents_nothing_and_says_where(t2c: Any, at: str, path: str) -> None:
    write(
        t2c, path, '{"tasks": [{"id": 1, "title": "Add login"}, {"id": 2, "title": "Dodać wylogowanie"}]}\n'
    )
    write(t2c, "TODO.md", "- [ ] beside it\n")
    before = {item["id"] for item in extracted(t2c)["records"]}
    assert scan(t2c)["records"]["todo"] == 3
    text, line = broken(at)
    assert len(text) > 16968 - 400
    write(t2c, path, text)
    document = extracted(t2c)
    assert [item["source"]["path"] for item in document["records"]] == ["TODO.md"]
    (warning,) = document["warnings"]
    assert (warning["path"], warning["reason"]) == (path, "json_not_read")
    assert abs(warning["lines"][0] - line) <= 1
    assert f"at line {warning['lines'][0]}, column " in warning["detail"]
    assert sha256(text.encode()).hexdigest() in warning["detail"]
    after = scan(t2c)
    assert after["records"]["todo"] == 3
    assert after["omissions"]["json_not_read"] == 1
    assert events(t2c, "record.retracted") == []
    (noted,) = [item for item in events(t2c, "omission.noted") if item["reason"] == "json_not_read"]
    assert (noted["detail"], noted["lines"]) == (warning["detail"], warning["lines"])
    write(
        t2c, path, '{"tasks": [{"id": 1, "title": "Add login"}, {"id": 2, "title": "Dodać wylogowanie"}]}\n'
    )
    assert "json_not_read" not in scan(t2c)["omissions"]
    assert {item["id"] for item in extracted(t2c)["records"]} == before


@pytest.mark.parametrize(
    "text",
    [
        '{"tasks": [{"id": 1, "title": "a", "title": "b"}]}',
        '{"tasks": [{"id": 1, "title": ""}, {"title": "without an id"}, 7, null]}',
        '{"answer": "I could not make the tasks"}',
        "",
        "Sure! Here are the tasks:\n```json\n[]\n```\n",
    ],
)
def test_case_18_what_is_no_task_becomes_none(t2c: Any, text: str) -> None:
    write(t2c, "tasks/tasks.json", text)
    document = extracted(t2c)
    assert document["records"] == []
    assert document["warnings"], "nobody said that the file gave nothing"
