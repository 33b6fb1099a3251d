"""Task files: which lines are tasks, what they say, and what keeps their identity."""

from __future__ import annotations

import codecs
import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.todo import TodoExtractor


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


def read(text: str | bytes, *held: str, path: str = "TODO.md") -> Reading:
    content = text.encode() if isinstance(text, str) else text
    return TodoExtractor().read(path, content, Files(*held))


def tasks(text: str, *held: str) -> list[Draft]:
    return list(read(text, *held).records)


def ids(text: str | bytes) -> list[str]:
    return [found.id for found in materialise(read(text))]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("TODO", True), ("TODO.md", True), ("todo.txt", True), ("docs/Todo.MD", True), ("TODOS.md", True),
        ("a/tasks.md", True), ("TODO.rst", True), ("tasks.txt", False), ("TODO.py", False), ("my-todo.md", False),
        ("TODO.md/x", False), ("todo-list.md", False), ("TODO.org", True), ("x/todo.adoc", True), ("tasks.org", True),
    ],
)  # fmt: skip
def test_which_files_are_task_files(path: str, wanted: bool) -> None:
    assert TodoExtractor().wants(path) is wanted


def test_the_record_of_a_checkbox() -> None:
    text = "# TODO\n\n## Metrics\n\n- [x] Add retry backoff in `src/metrics.py` for ACME-7, see #12\n"
    reading = read(text, "src/metrics.py")
    (found,) = materialise(reading)
    record = Record.model_validate_json(found.body)
    assert record.statement.kind == "todo_item"
    assert record.statement.text == "Add retry backoff in `src/metrics.py` for ACME-7, see #12"
    assert record.statement.object == "retry backoff in `src/metrics.py` for ACME-7, see #12"
    assert record.statement.target.model_dump() == {
        "paths": ("src/metrics.py",), "symbols": (), "tickets": ("#12", "ACME-7"), "versions": (),
    }  # fmt: skip
    assert (record.statement.action, record.statement.modality, record.statement.polarity) == (
        "add", "required", "positive",
    )  # fmt: skip
    assert record.lifecycle.status == "completed"
    assert record.source.lines is not None
    assert (record.source.lines.start, record.source.lines.end) == (5, 5)
    assert record.source.rawExcerpt == "- [x] Add retry backoff in `src/metrics.py` for ACME-7, see #12"
    assert record.source.extractor == "t2c/markdown-todo@3"
    assert (record.epistemic.cls, record.epistemic.confidence) == ("plan", 0.9)
    assert record.epistemic.basis == ("heading_context", "heuristic_action_dictionary", "markdown_checkbox")
    assert record.metadata["checked"] is True
    assert record.metadata["headingPath"] == ["TODO", "Metrics"]
    assert record.metadata["anchor"] == {"trail": ["TODO", "Metrics"], "ordinal": 1}
    assert reading.complete


def test_confidence_follows_the_shape_and_the_known_action() -> None:
    drafts = tasks("- [ ] Add x\n- [ ] whatever\n- Add y\n- whatever else\n")
    assert [round(draft.confidence, 3) for draft in drafts] == [0.9, 0.57, 0.7, 0.37]
    assert [draft.basis[1] for draft in drafts] == ["markdown_checkbox"] * 2 + ["markdown_bullet"] * 2


def test_a_bullet_beside_checkboxes_says_so() -> None:
    assert "beside_checkboxes" in tasks("- a\n- [ ] b\n")[0].basis
    assert "beside_checkboxes" not in tasks("- a\n- [ ] b\n")[1].basis
    assert "beside_checkboxes" not in tasks("- a\n- b\n")[0].basis


def test_every_marker_and_both_ticks() -> None:
    drafts = tasks("- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e\n")
    assert [(draft.text, draft.status) for draft in drafts] == [
        ("a", "planned"), ("b", "completed"), ("c", "completed"), ("d", "planned"), ("e", "completed"),
    ]  # fmt: skip


def test_nested_items_know_their_parents() -> None:
    drafts = tasks("# T\n- [ ] login\n  - [ ] with passkey\n    * on iOS\n- [ ] mail\n")
    assert [(draft.metadata["parent"], draft.trail) for draft in drafts] == [
        (None, ("T",)),
        ("login", ("T", "login")),
        ("with passkey", ("T", "login", "with passkey")),
        (None, ("T",)),
    ]


def test_continuation_lines_belong_to_the_item_and_later_paragraphs_only_name_things() -> None:
    (draft,) = tasks("- [ ] Add a\n  retry\n\n  touches `src/net.py` for ACME-9\n")
    assert (draft.text, draft.lines, draft.excerpt) == ("Add a retry", (1, 2), "- [ ] Add a\n  retry")
    assert (draft.paths, draft.tickets) == (("src/net.py",), ("ACME-9",))


def test_plain_bullets_are_planned_and_take_the_state_of_what_holds_them() -> None:
    drafts = tasks("- a\n- [x] b\n  - c\n- [ ] d\n  - e\n- ~~f~~\n\n## Done\n- g\n\n## Zrobione:\n- h\n")
    assert {draft.text: (draft.status, draft.metadata["checked"]) for draft in drafts} == {
        "a": ("planned", None), "b": ("completed", True), "c": ("completed", None), "d": ("planned", False),
        "e": ("planned", None), "~~f~~": ("unknown", None), "g": ("completed", None), "h": ("completed", None),
    }  # fmt: skip


def test_a_table_of_contents_holds_no_tasks() -> None:
    assert tasks("- [Metrics](#metrics)\n- [ ] a\n")[0].text == "a"


def test_tasks_in_a_table_in_a_line_and_in_a_list_are_seen() -> None:
    text = (
        "| ID | Task | Package | P |\n|---|---|---|---|\n| T001 | add login | WP01 | [P] |\n\n"
        "Subtasks: T002, T003\n\n- [ ] T004 write test\n"
    )
    drafts = tasks(text)
    assert [(draft.metadata["explicitId"], draft.text, draft.lines) for draft in drafts] == [
        ("T001", "T001 add login", (3, 3)),
        ("T002", "T002", (5, 5)),
        ("T003", "T003", (5, 5)),
        ("T004", "T004 write test", (7, 7)),
    ]
    assert drafts[0].metadata["columns"] == {"task": "add login", "package": "WP01", "p": "[P]"}
    assert noted(read(text)) == {}


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        ("TASK-12: do it", "TASK-12"),
        ("**TASK-12** do it", "TASK-12"),
        ("[TASK-3.1] do it", "TASK-3.1"),
        ("`T2C-5` do it", "T2C-5"),
        ("Show ids in bold, for example TASK-204", None),
        ("Do what TASK-12 left", None),
        ("TASK-12-b is no id", None),
    ],
)
def test_an_id_stands_at_the_start_of_a_task(line: str, identity: str | None) -> None:
    (draft,) = tasks(f"- [ ] {line}\n")
    assert draft.metadata["explicitId"] == identity


def test_a_listed_task_that_the_file_describes_is_no_second_task() -> None:
    assert [draft.text for draft in tasks("Tasks: T001, T002\n\n- [ ] T002 write test\n")] == [
        "T001",
        "T002 write test",
    ]


def test_rows_without_a_header_and_with_state_and_owner() -> None:
    (bare,) = tasks("| T001 | add login |\n")
    assert (bare.text, bare.status) == ("T001 add login", "planned")
    done, boxed = tasks(
        "| Who | Status | Id | What |\n|--|--|--|--|\n| @ada | Done | T001 | add login |\n| bob | [x] | T002 | x |\n"
    )
    assert (done.text, done.status, done.actor) == ("T001 add login", "completed", "ada")
    assert (boxed.text, boxed.status, boxed.actor) == ("T002 x", "completed", "bob")


def test_task_lines_go_on_until_the_next() -> None:
    drafts = tasks("T001 write\n  the test\nT002: fix it\n")
    assert [(draft.text, draft.lines, draft.basis[1]) for draft in drafts] == [
        ("T001 write the test", (1, 2), "task_line"),
        ("T002: fix it", (3, 3), "task_line"),
    ]


@pytest.mark.parametrize(
    "line",
    ["- [~] half?", "- [?] why", "- []", "[ ] no bullet", "☐ glyph", "TODO: prose", "(A) call mom",
     "Later: T010 and T011", "| [ ] | no id |"],
)  # fmt: skip
def test_task_like_lines_of_unknown_shape_are_counted(line: str) -> None:
    reading = read(f"- [ ] a\n\n{line}\n")
    assert [draft.text for draft in reading.records] == ["a"]
    assert noted(reading) == {"task_like_line": (1, (3,))}


@pytest.mark.parametrize(
    "line", ["see TODOs", "autotodo()", "some prose", "[docs](x)", "[1]: https://h.example"]
)
def test_prose_is_not_counted(line: str) -> None:
    assert noted(read(f"- [ ] a\n\n{line}\n")) == {}


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        ("Add x @ada", "ada"), ("Add x (@ada-l, @bob)", "ada-l"), ("Add x owner: ada", "ada"),
        ("Add x @owner: @ada", "ada"), ("Dodać x właściciel: ola", "ola"), ("Add x owner=ada.l", "ada.l"),
        ("Add `@decorator`", None), ("Use @scope/pkg", None), ("mail a@b.example", None), ("Use @pytest.fixture", None),
        ("Add x", None),
    ],
)  # fmt: skip
def test_who_owns_a_task(text: str, actor: str | None) -> None:
    assert tasks(f"- [ ] {text}\n")[0].actor == actor


def test_a_prohibition_is_required_and_negative() -> None:
    (draft,) = tasks("- [ ] Agents must not push\n")
    assert (draft.modality, draft.polarity) == ("required", "negative")


def test_a_file_name_does_not_make_the_action() -> None:
    (draft,) = tasks("- [ ] Validate the README.md and docs/guide.md examples with `checkLinks`\n")
    assert (draft.action, draft.symbols, draft.paths) == (
        "validate", ("checkLinks",), ("README.md", "docs/guide.md"),
    )  # fmt: skip


def test_paths_are_resolved_against_the_tree() -> None:
    text = "## `src/net`\n- [ ] Fix `util.py` and `once.py`, `gone.py`, `Makefile`\n"
    (draft,) = tasks(text, "src/net/util.py", "lib/util.py", "lib/once.py", "Makefile")
    assert draft.paths == ("Makefile", "gone.py", "lib/once.py", "src/net/util.py")


def test_a_blank_line_a_tick_and_a_reordering_change_no_id() -> None:
    text = "# T\n- [ ] a\n- [ ] b\n  - c\n"
    assert ids(f"\n\n{text}") == ids(text) == ids(text.replace("[ ] a", "[x] a"))
    assert sorted(ids("# T\n- [ ] b\n  - c\n- [ ] a\n")) == sorted(ids(text))
    assert ids(text.replace("# T", "# U"))[0] not in ids(text)


def test_equal_texts_are_as_many_records_and_one_deleted_leaves_the_rest() -> None:
    three = ids("- [ ] handle errors\n- [ ] handle errors\n## B\n- [ ] handle errors\n")
    assert len(set(three)) == 3
    assert set(ids("- [ ] handle errors\n## B\n- [ ] handle errors\n")) == {three[0], three[2]}


def test_line_endings_marks_and_encodings_change_no_record() -> None:
    text = "# Ż\n\n- [ ] Dodać plik `a.py`\n  i test\n- [x] b\n"
    expected = [(found.id, found.digest, found.lines) for found in materialise(read(text))]
    for content in (
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
        codecs.BOM_UTF8 + text.encode(),
        text.encode("utf-16"),
    ):
        assert [(found.id, found.digest, found.lines) for found in materialise(read(content))] == expected
    assert noted(read(text.replace("\n", "\r\n"))) == {"line_endings": (1, ())}
    assert noted(read(text.encode("utf-16"))) == {"recoded": (1, ())}


def test_what_cannot_be_read_is_noted_and_incomplete() -> None:
    for path, content, reason in (
        ("TODO.md", b"- [ ] a\0\n", "binary_file"),
        ("TODO.textile", b"* a\n", "unsupported_format"),
        ("bin/todo", b"#!/bin/sh\n- [ ] a\n", "executable_script"),
    ):
        reading = TodoExtractor().read(path, content, Files())
        assert (reading.records, reading.complete, list(noted(reading))) == ((), False, [reason])


def test_bytes_that_are_not_utf8_do_not_stop_the_file() -> None:
    reading = read(b"- [ ] caf\xe9\n- [ ] b\n")
    assert [draft.text for draft in reading.records] == ["caf\ufffd", "b"]
    assert (reading.complete, noted(reading)) == (True, {"not_utf8": (1, (1,))})


def test_a_file_without_tasks_says_so_and_an_empty_one_does_not() -> None:
    assert noted(read("# Title\n\nprose\n")) == {"no_tasks_found": (1, ())}
    assert noted(read(" \n\n")) == {}


def test_a_statement_without_end_is_cut_and_noted() -> None:
    reading = read(f"- [ ] {'word ' * 2000}\n\nT001 {'word ' * 2000}\n")
    assert all(3990 <= len(draft.text) <= 4000 for draft in reading.records)
    assert len(reading.records) == 2
    assert noted(reading)["statement_truncated"] == (2, (1, 3))
    for found in materialise(reading):
        Record.model_validate_json(found.body)


def test_many_tasks_take_time_in_proportion() -> None:
    def cost(count: int) -> float:
        content = b"- [ ] x\n" * count
        started = time.process_time()
        assert len(read(content).records) == count
        return (time.process_time() - started) / count

    cost(2_000)
    small, large = min(cost(4_000), cost(4_000)), cost(40_000)
    assert large < small * 3


@pytest.mark.parametrize(
    ("box", "status", "state", "checked"),
    [
        ("[/]", "in_progress", "half done", False), ("[>]", "planned", "deferred", False),
        ("[!]", "planned", "important", False), ("[-]", "unknown", "cancelled", False), ("[ ]", "planned", None, False),
        ("[x]", "completed", None, True),
    ],
)  # fmt: skip
def test_every_sign_of_a_box_is_a_state_and_none_is_identity(
    box: str, status: str, state: str | None, checked: bool
) -> None:
    (draft,) = tasks(f"- {box} Add login\n")
    assert (draft.text, draft.status, draft.metadata["checked"]) == ("Add login", status, checked)
    assert draft.metadata.get("state") == state
    assert ids(f"- {box} Add login\n") == ids("- [ ] Add login\n")


def test_a_heading_with_an_id_is_a_task_unless_a_line_has_that_id() -> None:
    drafts = tasks("## T012 – Write the guide\n\n- [x] T011 Fix it\n\n### Subtask T011 -- Fix it\n")
    assert [(draft.text, draft.basis[1], draft.lines) for draft in drafts] == [
        ("T012 Write the guide", "task_heading", (1, 1)),
        ("T011 Fix it", "markdown_checkbox", (3, 3)),
    ]


def test_a_prohibition_among_tasks_is_a_constraint_and_a_plan_has_no_such_key() -> None:
    ban, plan = tasks("- [ ] Nie wolno usuwać `a.py`\n- [ ] Add x\n")
    assert ban.metadata["constraint"] is True
    assert "constraint" not in plan.metadata


def test_one_id_in_two_files_is_two_records_with_that_id() -> None:
    found = [
        record
        for path in ("TODO.md", "docs/TODO.md")
        for record in materialise(TodoExtractor().read(path, b"- [ ] T001 Add login\n", Files()))
    ]
    first, second = (Record.model_validate_json(record.body) for record in found)
    assert first.id != second.id
    assert first.metadata["explicitId"] == second.metadata["explicitId"] == "T001"
    assert first.statement.text == second.statement.text


# --- other formats ----------------------------------------------------------------------------------------


def formatted(path: str, text: str) -> list[Draft]:
    return list(read(text, path=path).records)


def test_an_org_outline() -> None:
    text = (
        "#+TITLE: Plan\n#+TODO: TODO REVIEW(r) | DONE DROPPED\n* Metrics\n** TODO [#A] Add retry to [[file:a.py][the net]]  :net:io:\n"
        "   DEADLINE: <2026-02-01 Sun>\n   :PROPERTIES:\n   :CUSTOM_ID: net-7\n   :OWNER: ada\n   :END:\n   - a note\n"
        "   - [X] Fix the lock\n     - [-] on disk\n** DONE Write tests\n** DROPPED Port it\n** REVIEW [1/2] Read it\n"
        "#+BEGIN_SRC sh\n* TODO not this\n#+END_SRC\n* Ideas\n- Add dark mode\n** TODO\n"
    )
    reading = read(text, path="TODO.org")
    assert [(draft.text, draft.status, draft.lines, draft.basis[1]) for draft in reading.records] == [
        ("Add retry to the net", "planned", (4, 4), "org_heading"),
        ("Fix the lock", "completed", (11, 11), "org_checkbox"),
        ("on disk", "in_progress", (12, 12), "org_checkbox"),
        ("Write tests", "completed", (13, 13), "org_heading"),
        ("Port it", "completed", (14, 14), "org_heading"),
        ("Read it", "in_progress", (15, 15), "org_heading"),
        ("Add dark mode", "planned", (20, 20), "org_bullet"),
    ]  # fmt: skip
    first, second, third = reading.records[:3]
    assert (first.actor, first.metadata["explicitId"], first.metadata["priority"]) == ("ada", "net-7", "A")
    assert (first.metadata["labels"], first.metadata["deadline"]) == (["io", "net"], "2026-02-01")
    assert (first.trail, second.trail) == (("Metrics",), ("Metrics", "Add retry to the net"))
    assert third.metadata["parent"] == "Fix the lock"
    assert noted(reading) == {"task_like_line": (1, (21,))}


def test_items_of_an_outline_go_on_over_lines_and_what_only_looks_like_a_task_is_counted() -> None:
    text = "- link to the docs\n  if they are there\n  - TODO: where\n\nTODO: write more\n* TODO Add x [2026-01-01]\n  - [ ] one\n    two\n"
    reading = read(text, path="TODO.org")
    assert [(draft.text, draft.lines, draft.metadata["parent"]) for draft in reading.records] == [
        ("link to the docs if they are there", (1, 2), None),
        ("TODO: where", (3, 3), "link to the docs if they are there"),
        ("Add x [2026-01-01]", (6, 6), None),
        ("one two", (7, 8), "Add x [2026-01-01]"),
    ]
    assert noted(reading) == {"task_like_line": (1, (5,))}


@pytest.mark.parametrize(
    "line",
    [
        "Replace the lexer DONE",
        "Replace the lexer (DONE)",
        "DONE: Replace the lexer",
        "Replace the lexer - DONE!",
    ],
)
def test_a_bullet_that_says_it_is_done_is_done(line: str) -> None:
    (draft,) = tasks(f"- {line}\n")
    assert (draft.text, draft.status) == ("Replace the lexer", "completed")
    assert ids(f"- {line}\n") == ids("- Replace the lexer\n")
    assert tasks("- Tell when a job is done\n")[0].status == "planned"


def test_the_state_of_an_org_heading_is_no_identity() -> None:
    def of(text: str) -> list[str]:
        return [found.id for found in materialise(read(text, path="TODO.org"))]

    assert of("* TODO Add x\n") == of("\n* DONE [#B] Add x :tag:\n  CLOSED: [2026-01-01 Thu]\n")


def test_an_asciidoc_list() -> None:
    text = (
        "= Plan\n:toc:\n\n== Net\n// - [ ] no\n* [ ] Add retry\n** [*] Fix the lock\n. [x] Test it\n\n----\n* [ ] code\n----\n\n"
        "|===\n|ID |Task\n\n|T001 |add login\n|===\n"
    )
    reading = read(text, path="TODO.adoc")
    assert [(draft.text, draft.status, draft.lines, draft.trail) for draft in reading.records] == [
        ("Add retry", "planned", (6, 6), ("Plan", "Net")),
        ("Fix the lock", "completed", (7, 7), ("Plan", "Net", "Add retry")),
        ("Test it", "completed", (8, 8), ("Plan", "Net")),
        ("T001 add login", "planned", (17, 17), ("Plan", "Net")),
    ]  # fmt: skip
    assert reading.records[1].excerpt == "** [*] Fix the lock"


def test_a_restructured_text_list() -> None:
    drafts = formatted(
        "TODO.rst", "Plan\n====\n\n* [ ] Add retry\n\n  - [x] Fix the lock\n\n.. code::\n\n   * no\n"
    )
    assert [(draft.text, draft.status, draft.trail) for draft in drafts] == [
        ("Add retry", "planned", ("Plan",)), ("Fix the lock", "completed", ("Plan", "Add retry")),
    ]  # fmt: skip


def test_todo_txt() -> None:
    text = (
        "(A) 2026-01-01 Call the ward +net @phone due:2026-02-01 id:7\nx 2026-01-03 2026-01-01 Fix https://h.example/x\n\n"
        "Add a test +net\n"
    )
    drafts = formatted("todo.txt", text)
    assert [(draft.text, draft.status, draft.lines) for draft in drafts] == [
        ("Call the ward +net @phone", "planned", (1, 1)), ("Fix https://h.example/x", "completed", (2, 2)),
        ("Add a test +net", "planned", (4, 4)),
    ]  # fmt: skip
    assert (drafts[0].actor, drafts[0].metadata["explicitId"], drafts[0].metadata["priority"]) == (
        None,
        "7",
        "A",
    )
    assert drafts[0].metadata["fields"] == {"due": "2026-02-01", "id": "7"}
    assert (drafts[0].metadata["projects"], drafts[0].metadata["contexts"]) == (["net"], ["phone"])
    assert drafts[1].metadata["completed"] == "2026-01-03"


def test_a_todo_txt_task_is_the_same_when_done_dated_or_of_another_priority() -> None:
    def of(text: str) -> list[str]:
        return [found.id for found in materialise(read(text, path="todo.txt"))]

    assert of("(A) Add a test +net\n") == of("x 2026-01-03 2026-01-01 Add a test +net due:2026-03-01\n")
    assert of("(B) Add a test +net\n") == of("(A) Add a test +net\n")


def test_a_text_file_of_bullets_is_read_as_bullets() -> None:
    assert [draft.basis[1] for draft in formatted("todo.txt", "- Add x\n- Fix y (A) +net\n")] == [
        "markdown_bullet"
    ] * 2
    assert formatted("todo.txt", "buy milk\n") == []
