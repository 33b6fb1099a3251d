"""Tasks with a file or an object of their own, and what a change of one does to its identity."""

from __future__ import annotations

import json
from typing import Any

import pytest

from t2c.ledger.commands.lineage import lineage
from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, FileExtractor, Reading, materialise
from t2c.ledger.intake.nl.extractor import NlExtractor
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.tasks.states import state_of
from t2c.ledger.intake.todo import TodoExtractor

BACKLOG = "backlog/tasks/task-12 - Fix-sorting.md"
MASTER = ".taskmaster/tasks/tasks.json"


class Files:
    """A tree that is a set of paths."""

    def __init__(self, *held: str) -> None:
        self._held = frozenset(held)

    def __contains__(self, path: str) -> bool:
        return path in self._held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self._held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return None


def read(text: str | bytes, path: str = BACKLOG) -> Reading:
    content = text.encode() if isinstance(text, str) else text
    return TaskRecordExtractor().read(path, content, Files())


def drafts(text: str, path: str = BACKLOG) -> list[Draft]:
    return list(read(text, path).records)


def ids(text: str, path: str = BACKLOG) -> list[str]:
    return [found.id for found in materialise(read(text, path))]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (BACKLOG, True), ("backlog/completed/back-1.2 - x.md", True), ("backlog/drafts/draft-1 - x.md", True),
        ("kitty-specs/a/tasks/WP01-x.md", True), ("a/tasks/planned/WP01.md", True), (MASTER, True), ("tasks/tasks.json", True),
        (".task/pending.data", True), (".vscode/tasks.json", False), ("tasks.json", False), ("backlog/tasks/readme.md", False),
        ("docs/task-12 - x.md", False), ("tasks/notes.md", False), ("src/pending.data", False), ("WP01.md", False),
        ("tasks/WP01review.md", False), ("tasks/a/b/WP01.md", False),
    ],
)  # fmt: skip
def test_which_files_are_records_of_tasks(path: str, wanted: bool) -> None:
    assert TaskRecordExtractor().wants(path) is wanted
    assert not (wanted and TodoExtractor().wants(path))


TASK = """---
id: task-12
title: 'Fix sorting of subtasks: dotted ids'
status: In Progress
assignee:
  - '@ada'
labels: [web, "ui"]
dependencies:
  - task-3
modified_files:
  - src/sort.py
  - src/list.py:12-40
parent_task_id: task-2
priority: high
---

## Description

The list sorts by the suffix, see #734 and `compareTaskIds` in `lib/ids.ts`.

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 Sorting is hierarchical
- [ ] #2 Add a test
  - a note
<!-- AC:END -->

## Plan

1. Reproduce it
"""


def test_the_record_of_a_task_with_front_matter() -> None:
    reading = read(TASK)
    found = [Record.model_validate_json(one.body) for one in materialise(reading)]
    first, done, open_ = found
    assert first.statement.text == "Fix sorting of subtasks: dotted ids"
    assert (first.statement.kind, first.statement.action, first.statement.actor) == (
        "todo_item",
        "fix",
        "ada",
    )
    assert first.lifecycle.status == "in_progress"
    assert first.statement.target.paths == ("lib/ids.ts", "src/list.py", "src/sort.py")
    assert (first.statement.target.tickets, first.statement.target.symbols) == (
        ("#734",),
        ("compareTaskIds",),
    )
    assert first.source.extractor == "t2c/task-record@3"
    assert first.metadata["explicitId"] == "task-12"
    assert (first.metadata["state"], first.metadata["priority"]) == ("in progress", "high")
    assert (first.metadata["dependencies"], first.metadata["labels"]) == (["task-3"], ["web", "ui"])
    assert first.metadata["parentTask"] == "task-2"
    assert first.source.lines is not None
    assert first.source.lines.start == 3
    assert (done.statement.text, done.lifecycle.status) == ("Sorting is hierarchical", "completed")
    assert (done.statement.target.tickets, done.metadata["parentTask"]) == ((), "task-12")
    assert done.metadata["anchor"]["trail"] == ["task-12", "Acceptance Criteria"]
    assert (open_.statement.text, open_.lifecycle.status) == ("Add a test", "planned")
    assert (reading.complete, noted(reading)) == (True, {})


def test_what_a_task_waits_for_and_holds_up_is_kept() -> None:
    text = (
        "---\nid: task-9\ntitle: Ship it\nblocked_by:\n  - task-3\n  - task-4\nblocks: task-10, task-11\n"
        "dependencies: []\ndepends_on: [task-1]\n---\n"
    )
    (draft,) = drafts(text)
    assert draft.metadata["blockedBy"] == ["task-3", "task-4"]
    assert draft.metadata["blocks"] == ["task-10", "task-11"]
    assert draft.metadata["dependencies"] == ["task-1"]
    (hyphen,) = drafts("---\nid: task-9\ntitle: Ship it\nblocked-by: task-3\n---\n")
    assert (hyphen.metadata["blockedBy"], hyphen.metadata["dependencies"]) == (["task-3"], [])
    assert "blockedBy" not in drafts(TASK)[0].metadata


def test_an_id_within_the_words_of_a_box_is_that_of_another() -> None:
    text = TASK.replace("Sorting is hierarchical", "All ids are sorted, for example TASK-001, TASK-003.01")
    assert [draft.metadata["explicitId"] for draft in drafts(text)] == ["task-12", None, None]


def test_a_title_tells_the_id_that_the_front_matter_does_not() -> None:
    (draft,) = drafts("---\ntitle: TASK-7.1 Ship it\n---\n")
    assert draft.metadata["explicitId"] == "TASK-7.1"


def test_a_work_package_has_the_lane_of_its_history_and_lends_it_to_its_subtasks() -> None:
    text = (
        "---\nwork_package_id: WP01\ntitle: >-\n  Create the\n  manager\nhistory:\n- timestamp: '2025-11-10'\n  lane: planned\n"
        "- timestamp: '2025-11-11'\n  lane: doing\nsubtasks:\n- T001\n---\n# WP01\n\n### Subtask T001 – Create `a.py`\n- Purpose\n"
    )
    package, subtask = drafts(text, "kitty-specs/a/tasks/WP01-x.md")
    assert (package.text, package.status, package.metadata["explicitId"]) == (
        "Create the manager",
        "in_progress",
        "WP01",
    )
    assert (subtask.text, subtask.status, subtask.trail) == (
        "T001 Create `a.py`",
        "in_progress",
        ("WP01", "WP01"),
    )


def test_a_file_without_a_title_is_counted() -> None:
    for text in ("# Just prose\n", "---\nid: task-1\n---\n- [ ] a\n", "---\ntitle: x\n- [ ] never closed\n"):
        assert (drafts(text), noted(read(text))) == ([], {"task_without_title": (1, (1,))})


def tasks_json(**changed: Any) -> str:
    task = {
        "id": 3, "title": "Add the  parser", "description": "See `src/a.py`", "status": "in-progress", "dependencies": [1, "2"],
        "priority": "high", "details": "for ACME-7 {", "subtasks": [{"id": 1, "title": "Write \"tests\"", "status": "done"}],
    }  # fmt: skip
    return json.dumps(
        {"master": {"tasks": [task | changed]}, "loop": {"tasks": [{"id": 1, "title": "Fix x"}]}}, indent=2
    )


def test_the_tasks_of_a_tagged_json_file() -> None:
    first, below, tagged = drafts(tasks_json(), MASTER)
    assert (first.text, first.status, first.lines, first.metadata["explicitId"]) == (
        "Add the parser",
        "in_progress",
        (4, 4),
        "3",
    )
    assert (first.paths, first.tickets) == (("src/a.py",), ("ACME-7",))
    assert (first.metadata["dependencies"], first.metadata["priority"]) == (["1", "2"], "high")
    assert (below.text, below.status, below.trail) == ('Write "tests"', "completed", ("Add the parser",))
    assert (below.metadata["explicitId"], below.metadata["parentTask"], below.lines) == ("3.1", "3", (16, 16))
    assert "parentTask" not in first.metadata
    assert (tagged.text, tagged.trail, tagged.metadata["explicitId"]) == ("Fix x", ("loop",), "loop:1")
    flat = json.dumps({"tasks": [{"id": "a", "title": "Fix x"}, {"id": 2}, "no"]})
    reading = read(flat, MASTER)
    assert [draft.metadata["explicitId"] for draft in reading.records] == ["a"]
    assert noted(reading) == {"task_like_line": (2, (1,))}


def test_a_state_a_priority_or_an_order_is_no_identity() -> None:
    assert ids(tasks_json(status="done", priority="low", details=""), MASTER) == ids(tasks_json(), MASTER)
    assert ids(json.dumps(json.loads(tasks_json())), MASTER) == ids(tasks_json(), MASTER)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (tasks_json().replace('"priority": "high",', '"priority": "high"'), 14),
        (tasks_json()[:200], 10), ("", 1), ('{"tasks": [NaN]}', None), ('{"tasks": [], "tasks": []}', None),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_json_that_does_not_parse_gives_no_task_and_says_where(text: str, line: int | None) -> None:
    reading = read(text, MASTER)
    assert (reading.records, reading.complete) == ((), False)
    ((reason, (count, lines)),) = noted(reading).items()
    assert (reason, count) == ("json_not_read", 1)
    assert line is None or lines == (line,)


@pytest.mark.parametrize("text", ["{}", "[]", "3", '{"master": {"tasks": 3}}', '{"version": "2.0.0"}'])
def test_json_without_a_list_of_tasks_says_so(text: str) -> None:
    reading = read(text, MASTER)
    assert (reading.records, reading.complete, noted(reading)) == ((), True, {"no_tasks_found": (1, (1,))})


def test_deep_subtasks_are_capped_and_counted() -> None:
    task: dict[str, Any] = {"id": 1, "title": "t"}
    for number in range(30):
        task = {"id": 1, "title": f"t{number}", "subtasks": [task]}
    reading = read(json.dumps({"tasks": [task]}), MASTER)
    assert len(reading.records) == 17
    assert noted(reading) == {"nesting_capped": (1, (1,))}


def test_taskwarrior_data() -> None:
    text = (
        '[description:"Fix the &open;net&close;" entry:"1700000000" project:"ops" status:"pending" start:"1700000001"'
        ' tags:"a,b" uuid:"u-1"]\n[description:"Drop it" status:"deleted" uuid:"u-2"]\n\nnonsense\n'
    )
    reading = read(text, ".task/pending.data")
    assert [(draft.text, draft.status, draft.trail, draft.metadata["explicitId"]) for draft in reading.records] == [
        ("Fix the [net]", "in_progress", ("ops",), "u-1"), ("Drop it", "unknown", (), "u-2"),
    ]  # fmt: skip
    assert reading.records[0].metadata["labels"] == ["a", "b"]
    assert noted(reading) == {"task_like_line": (1, (4,))}


@pytest.mark.parametrize(
    ("word", "status", "name"),
    [
        ("Done", "completed", "done"), ("IN_PROGRESS", "in_progress", "in_progress"), ("To Do", "planned", "to do"),
        ("Won't Do", "unknown", "won't do"), ("blocked", "blocked", "blocked"), ("Draft", "proposed", "draft"),
        ("zrobione", "completed", "zrobione"), ("", "planned", None), ("for_review", "in_progress", "for_review"),
    ],
)  # fmt: skip
def test_the_word_of_a_state(word: str, status: str, name: str | None) -> None:
    assert state_of(word) == (status, name)


# --- lineage ----------------------------------------------------------------------------------------------


def records(reader: FileExtractor, path: str, text: str) -> dict[str, dict[str, Any]]:
    found = materialise(reader.read(path, text.encode(), Files()))
    return {one.id: json.loads(one.body) for one in found}


def successors(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, tuple[str, str]]:
    """What became of the records that are gone: old text → (new text, why)."""
    gone = [record for id_, record in before.items() if id_ not in after]
    new = [record for id_, record in after.items() if id_ not in before]
    found = lineage(gone, new)
    return {
        before[old]["statement"]["text"]: (after[next_.id]["statement"]["text"], next_.why)
        for old, next_ in found.items()
    }


TODO = "# Plan\n\n## Net\n\n- [ ] Add retry with backoff to the exporter\n- [ ] Fix the lock\n\n## Disk\n\n- [ ] Test the cache\n"
OLD = "Add retry with backoff to the exporter"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (TODO.replace("[ ] Add", "[x] Add"), {}),
        (TODO.replace("[ ] Add", "[/] Add"), {}),
        (TODO.replace("backoff to the", "backoff and jitter to the"),
         {OLD: ("Add retry with backoff and jitter to the exporter", "reworded")}),
        (TODO.replace(f"- [ ] {OLD}\n", "") + f"- [ ] {OLD}\n", {OLD: (OLD, "relocated")}),
        (TODO.replace(f"- [ ] {OLD}\n", ""), {}),
        (TODO.replace(OLD, "Write a poem about the sea"), {}),
    ],
)  # fmt: skip
def test_what_became_of_a_task_that_changed(after: str, expected: dict[str, tuple[str, str]]) -> None:
    reader = TodoExtractor()
    before, now = records(reader, "TODO.md", TODO), records(reader, "TODO.md", after)
    assert successors(before, now) == expected
    if after.replace("[x]", "[ ]").replace("[/]", "[ ]") == TODO:
        assert before.keys() == now.keys()


def test_a_moved_file_takes_its_tasks_along_and_an_explicit_id_survives_new_words() -> None:
    reader = TodoExtractor()
    moved = successors(records(reader, "TODO.md", TODO), records(reader, "docs/TODO.md", TODO))
    assert {why for _, why in moved.values()} == {"relocated"}
    assert len(moved) == 3
    before = records(reader, "TODO.md", "- [ ] T001 Add login\n")
    assert successors(before, records(reader, "TODO.md", "- [ ] T001 Quite other words\n")) == {
        "T001 Add login": ("T001 Quite other words", "reworded"),
    }


def test_a_task_of_its_own_that_gets_a_new_title_and_a_new_file_is_the_same_by_its_id() -> None:
    reader = TaskRecordExtractor()
    before = records(reader, BACKLOG, TASK)
    after = records(
        reader, "backlog/completed/task-12 - Other.md", TASK.replace("Fix sorting of", "Order all")
    )
    found = successors(before, after)
    assert found["Fix sorting of subtasks: dotted ids"] == ("Order all subtasks: dotted ids", "reworded")
    assert found["Add a test"] == ("Add a test", "relocated")


def test_a_sentence_of_a_task_that_is_reworded_or_put_under_another_heading() -> None:
    reader, text = (
        NlExtractor(),
        "# Task\n\nThe exporter must write one file for each ward. It must not drop lines.\n",
    )
    before = records(reader, "TASK.md", text)
    after = records(reader, "TASK.md", text.replace("one file for each", "one file per"))
    assert successors(before, after) == {
        "The exporter must write one file for each ward.": (
            "The exporter must write one file per ward.",
            "reworded",
        ),
    }
    moved = successors(before, records(reader, "TASK.md", text.replace("# Task", "# Exports")))
    assert {why for _, why in moved.values()} == {"relocated"}
    assert len(moved) == 2
