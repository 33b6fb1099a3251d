"""Markers and trace tags in comments of every kind of file (cases 1, 3, 5, 7, 9, 29)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.comments.tags import TagExtractor, unread_endings
from t2c.ledger.intake.inventory import Inventory

TREE = Inventory(())


def read(path: str, text: str, *more: str) -> Reading:
    return MarkerExtractor(("TODO", "FIXME", "HACK", "XXX", *more)).read(path, text.encode(), TREE)


def markers(path: str, text: str, *more: str) -> list[tuple[str, str, tuple[int, int] | None]]:
    return [(str(d.metadata["marker"]), d.text, d.lines) for d in read(path, text, *more).records]


def one(path: str, text: str) -> Draft:
    (draft,) = read(path, text).records
    return draft


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", "package a\n\n// AutoDown limits the rate\nvar x = 1\n"),
        ("a.py", "# Todorov distance, see paper\nx = 1\n"),
        ("a.py", "todos = load()\n"),
        ("a.py", "TODO = 1\nFIXME = TODO\n"),
        ("a.py", "# mastodon and hackathon and XXXL\n"),
        ("a.py", 'x = "TODO: not a comment"  # fine\n'),
        ("a.yaml", 'x: "a # TODO: not a comment"\n'),
        ("a.ts", "const url = 'http://TODO: x';\n"),
        ("a.rs", "/// final r = get(Todo.type, 'some-todo-id-1');\nfn a() {}\n"),
        ("a.js", "// see todo-list.md\n"),
        ("a.js", "// the TODO list is kept elsewhere\n"),
        ("a.js", "// TODO list of the team\n"),
        ("a.py", "# TODOs are collected by a script\n"),
        ("a.py", "# todo is a Spanish word\n"),
        ("a.py", "# TODO.md holds the plan\n"),
        ("a.py", "# TODO_ITEMS and NO_TODO\n"),
        ("a.rs", "/// ```\n/// // TODO: in an example\n/// ```\nfn a() {}\n"),
        ("README.md", "Write `TODO: x` here.\n\n```html\n<!-- TODO: shown, not meant -->\n```\n"),
        ("notes.md", "TODO: prose of a document is no comment\n"),
    ],
)
def test_a_mention_is_no_marker(path: str, text: str) -> None:
    assert markers(path, text) == []


@pytest.mark.parametrize(
    ("path", "text", "marker", "said", "lines"),
    [
        ("a.py", "x = 1  # TODO: handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "# todo: handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "# TODO handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "# fixme(ann): handle errors\n", "FIXME", "handle errors", (1, 1)),
        ("a.py", "x = 1  # noqa; TODO: handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "#TODO:handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "# - TODO - handle errors\n", "TODO", "handle errors", (1, 1)),
        ("a.py", "# XXX\n", "XXX", "XXX", (1, 1)),
        ("a.go", "package a\n\n/*\nHACK: move the keys\n  to the vault\n*/\nvar x = 1\n", "HACK", "move the keys to the vault", (4, 5)),
        ("a.html", "<p>\n<!--\nTODO: move the keys\n  to the vault\n-->\n", "TODO", "move the keys to the vault", (3, 4)),
        ("a.j2", "{#\nTODO: move the keys\n  to the vault\n#}\n", "TODO", "move the keys to the vault", (2, 3)),
        ("a.css", "/*\n * TODO: move the keys\n *   to the vault\n */\n", "TODO", "move the keys to the vault", (2, 3)),
        ("a.py", 'def f():\n    """\n    TODO: move the keys\n      to the vault\n    """\n', "TODO", "move the keys to the vault", (3, 4)),
        ("a.py", "# TODO: move the keys\n#   to the vault\n# A new thought.\n", "TODO", "move the keys to the vault", (1, 2)),
        ("a.py", "# TODO: move the keys\n# to the vault\n", "TODO", "move the keys to the vault", (1, 2)),
        ("a.py", "# TODO: move the keys.\n# and more\n", "TODO", "move the keys.", (1, 1)),
        ("a.yml", "a: 1 # TODO: raise it\n", "TODO", "raise it", (1, 1)),
        ("a.tf", 'x = "a" // FIXME: raise it\n', "FIXME", "raise it", (1, 1)),
        ("a.sql", "select '--' -- TODO: index it\n", "TODO", "index it", (1, 1)),
        ("Dockerfile", "FROM x\n# TODO: pin it\n", "TODO", "pin it", (2, 2)),
        ("a.ini", "; TODO: raise it\n", "TODO", "raise it", (1, 1)),
        ("a.vue", "<template>\n<!-- TODO: raise it -->\n", "TODO", "raise it", (2, 2)),
        ("a.xml", "<a/>\n<!-- FIXME raise it -->\n", "FIXME", "raise it", (2, 2)),
        ("a.md", "# A\n\n<!-- TODO: write it -->\n", "TODO", "write it", (3, 3)),
        ("a.py", "# TODO: dodać ponawianie\n", "TODO", "dodać ponawianie", (1, 1)),
    ],
)  # fmt: skip
def test_a_marker_in_a_comment_is_a_plan(
    path: str, text: str, marker: str, said: str, lines: tuple[int, int]
) -> None:
    assert markers(path, text) == [(marker, said, lines)]
    assert markers(path, text.replace("\n", "\r\n")) == [(marker, said, lines)]


@pytest.mark.parametrize("path", ["a.py", "a.yaml"])
def test_comments_of_a_file_in_utf_16_are_read(path: str) -> None:
    content = "# TODO: raise it\n\n# [impl->req~a~1]\n".encode("utf-16")
    assert [draft.text for draft in MarkerExtractor().read(path, content, TREE).records] == ["raise it"]
    assert [draft.object for draft in TagExtractor().read(path, content, TREE).records] == ["req~a~1"]


def test_two_markers_of_one_block_are_two() -> None:
    text = "# TODO: one\n# FIXME: two\n#   goes on\n#\n# TODO: three\n"
    assert markers("a.py", text) == [
        ("TODO", "one", (1, 1)), ("FIXME", "two goes on", (2, 3)), ("TODO", "three", (5, 5)),
    ]  # fmt: skip


def test_markers_of_the_project() -> None:
    assert markers("a.py", "# PERF: too slow\n", "PERF") == [("PERF", "too slow", (1, 1))]
    assert markers("a.py", "# PERF: too slow\n") == []


def test_who_and_what_it_is_about() -> None:
    owned = one("a.py", "# TODO(ann): add `retry_after` (#12)\n")
    assert (owned.actor, owned.tickets, owned.symbols, owned.action) == (
        "ann",
        ("#12",),
        ("retry_after",),
        "add",
    )
    cited = one("a.py", "# TODO(PROJ-7): add it\n")
    assert (cited.actor, cited.tickets) == (None, ("PROJ-7",))
    assert one("a.py", "# TODO(#77): add it\n").tickets == ("#77",)
    assert one("a.py", "# TODO @bob add it\n").actor == "bob"
    assert one("a.py", "# FIXME: it is slow\n").action == "fix"


def test_the_definitions_around_are_its_place() -> None:
    draft = one("a.py", "class A:\n    def f(self):\n        # TODO: x y\n        pass\n")
    assert draft.trail == ("A", "f")
    assert draft.metadata["enclosing"] == "A.f"


def test_equal_markers_are_records_of_their_own() -> None:
    """Case 7: the ids of the others stay when the first goes."""
    first = "def f():\n    # TODO: handle errors\n    pass\n\n\n"
    second = "def g():\n    # TODO: handle errors\n    pass\n"
    both = [found.id for found in materialise(read("a.py", first + second))]
    other = [found.id for found in materialise(read("b.py", first))]
    assert len({*both, *other}) == 3
    assert [found.id for found in materialise(read("a.py", second))] == both[1:]


def test_a_blank_line_above_and_an_edit_beside_change_no_id() -> None:
    text = "def f():\n    a = 1\n    # TODO: handle errors\n"
    changed = "\n\n# other\ndef f():\n    a = 2\n\n    # TODO: handle errors\n"
    ids = [[found.id for found in materialise(read("a.py", source))] for source in (text, changed)]
    assert ids[0] == ids[1]


def test_a_file_without_a_marker_is_whole_and_empty() -> None:
    assert read("a.py", "def (:\n").complete
    assert read("a.py", "x = 1\n").records == ()


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("settings.xml", "<a>\n<!-- [impl->req~login-lock~1] -->\n</a>\n", 2),
        ("values.yaml", "# [impl->req~ttl~2]\nttl: 5\n", 1),
        ("a.py", "def f():\n    # [utest -> dsn~x~1, req~y~3]\n    pass\n", 2),
        ("a.java", "// [impl~lock~1->req~login-lock~1>>utest,itest]\nclass A {}\n", 1),
    ],
)
def test_tags_are_read_in_comments_of_any_text_file(path: str, text: str, line: int) -> None:
    reading = TagExtractor().read(path, text.encode(), TREE)
    assert reading.records
    assert {draft.lines for draft in reading.records} == {(line, line)}
    assert not reading.warnings


def test_what_a_tag_says() -> None:
    text = "// [impl~lock~1->req~login-lock~1, dsn~b~2>>utest,itest]\npackage a\n"
    first, second = TagExtractor().read("a.go", text.encode(), TREE).records
    assert (first.action, first.object, first.cls, first.modality) == (
        "add",
        "req~login-lock~1",
        "claim",
        "claimed",
    )
    assert first.metadata["needs"] == ["utest", "itest"]
    assert (second.object, second.metadata["requirementRevision"]) == ("dsn~b~2", 2)


def test_a_tag_that_is_none_is_counted_with_its_line() -> None:
    reading = TagExtractor().read("a.go", b"package a\n// [impl->req~login-lock]\nvar x = a[b->c~d]\n", TREE)
    assert not reading.records
    assert [(w.reason, w.count, w.lines) for w in reading.warnings] == [("malformed_tag", 1, (2,))]


def test_endings_that_are_not_read_are_listed_with_counts() -> None:
    paths = ["a.py", "b.weird", "c.weird", "logo.png", "data.json", "notes.md", "x.other", "LICENSE"]
    (warning,) = unread_endings(paths)
    assert (warning.reason, warning.count) == ("comments_not_read", 4)
    assert ".weird 2, .other 1, without an ending 1" in warning.detail


def test_records_keep_the_contract() -> None:
    from t2c.ledger.events.evidence import RecordObserved

    for reading in (
        read("a.py", "# TODO(ann): see `src/a.py` and http://x.example/api (#3)\n"),
        TagExtractor().read("a.yaml", b"# [impl->req~ttl~2]\n", TREE),
    ):
        for found in materialise(reading):
            RecordObserved.decode(found.payload)
            assert json.loads(found.body)["source"]["path"] == reading.scope.path


@given(
    st.binary(max_size=300),
    st.sampled_from(["a.py", "a.go", "a.yaml", "a.html", "a.md", "a.sql", "Dockerfile", "a.j2"]),
)
def test_any_bytes_are_read(content: bytes, path: str) -> None:
    for reading in (
        MarkerExtractor().read(path, b"# TODO: x\n" + content, TREE),
        MarkerExtractor().read(path, content + b"/* <!-- {# TODO", TREE),
        TagExtractor().read(path, content + b"[a->b~c~1]", TREE),
    ):
        found = [record.id for record in materialise(reading)]
        assert len(set(found)) == len(found)


def test_reading_comes_to_an_end_on_long_hostile_lines() -> None:
    for piece in ('"', "'", "/*", "<!--", "# TODO(", "TODO:", "[a->", "`" * 3 + "\n", "\\"):
        text = piece * 40_000
        for path in ("a.yaml", "a.scss", "a.html", "a.md", "a.sql"):
            assert read(path, text + " TODO").complete
