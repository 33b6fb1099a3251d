"""For any task file of any format: reading never raises, ids are unique, every record is valid."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import FileExtractor, Found, materialise
from t2c.ledger.intake.tasks.records import TaskRecordExtractor
from t2c.ledger.intake.todo import TodoExtractor

LISTS = ("TODO.md", "TODO.rst", "TODO.org", "TODO.adoc", "todo.txt", "TODO", "tasks.md")
RECORDS = ("tasks/task-1 - x.md", "tasks/WP01.md", ".taskmaster/tasks/tasks.json", ".task/pending.data")
PIECES = st.sampled_from(
    (
        "- ", "* ", "** ", ". ", "1. ", "[ ] ", "[x] ", "[-] ", "[/] ", "[*] ", "[?] ", "  ", "\n", "\n\n", "\r\n", "= T\n", "# T\n",
        "* TODO ", "** DONE ", "[#A] ", ":tag:", ":ID: x\n", "DEADLINE: <2026-01-01>", "#+TODO: A | B\n", "#+BEGIN_SRC\n",
        "#+END_SRC\n", "----\n", "|===\n", "|T001 |x\n", "| T001 | x |\n", "Title\n=====\n", ".. code::\n\n   x\n", "(A) ", "x ",
        "2026-01-01 ", "+p ", "@c ", "due:x ", "T001 ", "Subtasks: T001, T002\n", "---\n", "title: x\n", "id: 1\n", "status: Done\n",
        "- [ ] #1 a\n", '{"tasks": [', '{"id": 1, "title": "a"', ', "subtasks": [', "]", "}", ",", '"', "[[a][b]]", "`", "ż",
        '[description:"a" ', 'uuid:"u"]\n', "\\", "\u2028", "word ",
    )
)  # fmt: skip
ANY_TEXT = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40).map("".join)
ANY_BYTES = st.one_of(st.binary(max_size=200), ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")))
WORDS = st.lists(st.sampled_from(("add", "fix", "parser", "`a.py`", "the", "ż")), min_size=1, max_size=4).map(
    " ".join
)


class Files:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def reader_of(path: str) -> FileExtractor:
    return TodoExtractor() if path in LISTS else TaskRecordExtractor()


def found(path: str, content: bytes) -> list[Found]:
    return list(materialise(reader_of(path).read(path, content, Files())))


@pytest.mark.parametrize("path", LISTS + RECORDS)
@given(content=ANY_BYTES)
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(path: str, content: bytes) -> None:
    records = found(path, content)
    assert len({record.id for record in records}) == len(records)
    for record in records:
        Record.model_validate_json(record.body)
    assert found(path, content) == records


@pytest.mark.parametrize("path", LISTS + RECORDS)
@given(text=ANY_TEXT)
@settings(max_examples=50, deadline=None)
def test_crlf_equals_lf(path: str, text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    unix = found(path, text.encode("utf-8", "replace"))
    assert found(path, text.replace("\n", "\r\n").encode("utf-8", "replace")) == unix


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("TODO.org", "* TODO {}\n"),
        ("TODO.adoc", "* [ ] {}\n\n"),
        ("TODO.rst", "* [ ] {}\n\n"),
        ("todo.txt", "(A) {} +p\n"),
    ],
)
@given(tasks=st.lists(WORDS, min_size=1, max_size=12), gap=st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_blank_lines_and_order_change_no_id(path: str, form: str, tasks: list[str], gap: int) -> None:
    def of(chosen: list[str], between: int) -> list[str]:
        text = ("\n" * between).join(form.format(one) for one in chosen)
        return sorted(record.id for record in found(path, text.encode()))

    assert len(of(tasks, 0)) == len(tasks)
    assert of(tasks, gap) == of(tasks, 0) == of(tasks[::-1], 0)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=5), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(("tasks", "title", "id", "subtasks", "status", "dependencies", "x")),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
)


@given(VALUES, st.integers(0, 3))
@settings(max_examples=300, deadline=None)
def test_any_json_is_read_and_its_layout_is_no_identity(value: object, indent: int) -> None:
    path = ".taskmaster/tasks/tasks.json"
    tight = found(path, json.dumps({"tasks": [value]}).encode())
    wide = found(path, json.dumps({"tasks": [value]}, indent=indent).encode())
    assert [(one.id, one.digest) for one in wide] == [(one.id, one.digest) for one in tight]
