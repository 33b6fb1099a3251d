"""Documents: which files are read, what becomes a record, and where links lead."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.docs.extractor import MAX_DOCUMENT, DocumentExtractor
from t2c.ledger.intake.docs.markdown import MAX_NESTING
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
        return b"" if path in self._held else None


def read(text: str | bytes, *held: str, path: str = "docs/guide.md") -> Reading:
    content = text.encode() if isinstance(text, str) else text
    return DocumentExtractor().read(path, content, Files(*held))


def said(text: str, *held: str, path: str = "docs/guide.md", origin: str = "reference") -> list[Draft]:
    drafts = read(text, *held, path=path).records
    return [draft for draft in drafts if draft.metadata["documentationOrigin"] == origin]


def ids(text: str | bytes, path: str = "docs/guide.md") -> list[str]:
    return [found.id for found in materialise(read(text, path=path))]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("README.md", True), ("README", True), ("readme.txt", True), ("docs/a/b.md", True), ("a/MODULE.md", True),
        ("docs/index.rst", True), ("docs/x.adoc", True), ("page.mdx", True), ("reqs/REQ001.yml", True),
        ("spec.sdoc", True), ("SECURITY.md", True), ("openspec/specs/a/spec.md", True), ("README.MD", True),
        ("TODO.md", False), ("docs/todo.md", False), ("openspec/changes/a/tasks.md", False), ("CHANGELOG.md", False),
        ("project/ABC-1/user-tom.md", False), ("project/ABC-1/ai-codex.md", False), ("project/ABC-1/plan.md", True),
        ("project/x/human.tom.request.001.md", False), ("project/ABC-1/readme.md", True), ("project/notes.md", True),
        ("backlog/tasks/task-12 - Lock the door.md", False), ("newsfragments/12.feature.rst", False),
        (".changeset/odd-cats.md", False), ("README.pl.md", True), ("docs/changes/guide.md", True),
        ("src/a.py", False), ("requirements.txt", False), (".github/workflows/ci.yml", False), ("md", False),
        ("a.md/b.py", False), ("docker-compose.yml", False),
    ],
)  # fmt: skip
def test_which_files_are_documents(path: str, wanted: bool) -> None:
    assert DocumentExtractor().wants(path) is wanted


def test_a_file_with_an_envelope_below_the_project_folder_is_a_message() -> None:
    text = "---\nticket: ABC-1\nrole: human\n---\n\n# Words\n\nSee `src/a.py` for the whole.\n"
    assert read(text, path="project/notes/words.md").records == ()
    assert len(read(text, path="docs/words.md").records) == 2


def test_the_record_of_a_sentence_that_names_a_file() -> None:
    text = "# Guide\n\n## Export\n\nThe exporter must write metrics through `exportMetrics` in `src/metrics.py`.\n"
    reading = read(text, "src/metrics.py")
    found = list(materialise(reading))
    heading, _, sentence = (Record.model_validate_json(one.body) for one in found)
    assert (heading.statement.kind, heading.statement.text) == ("documentation_statement", "Guide")
    assert (heading.epistemic.confidence, heading.epistemic.basis) == (
        0.55,
        ("heading_context", "markdown_structure"),
    )
    assert heading.metadata["documentationOrigin"] == "heading"
    assert sentence.statement.kind == "documentation_statement"
    assert sentence.statement.target.paths == ("src/metrics.py",)
    assert sentence.statement.target.symbols == ("exportMetrics",)
    assert sentence.statement.modality == "required"
    assert (sentence.epistemic.cls, sentence.lifecycle.status) == ("declaration", "proposed")
    assert sentence.epistemic.confidence == 0.62
    assert sentence.epistemic.basis == ("explicit_target_reference", "heading_context", "markdown_structure")
    assert sentence.metadata["headingPath"] == ["Guide", "Export"]
    assert sentence.source.lines is not None
    assert (sentence.source.lines.start, sentence.source.extractor) == (5, "t2c/documentation@3")
    assert reading.complete


def test_code_with_a_language_is_an_example_and_its_lines_are_no_statements() -> None:
    text = "# Use\n\n```python\nimport a\nrun(`src/a.py`)\n```\n\n```\nsrc/a.py is not read, says nobody here\n```\n"
    (example,) = said(text, origin="code_block")
    assert (example.kind, example.object, example.action) == (
        "documentation_example",
        "python example",
        "document",
    )
    assert (example.confidence, example.cls, example.lines) == (0.5, "declaration", (3, 6))
    assert example.text == "python example: run(`src/a.py`)"
    assert said(text) == []


def test_a_sentence_that_names_nothing_is_no_record() -> None:
    assert said("Plain words about the weather and the town.\n\n- one more such item, long enough\n") == []


def test_a_camel_case_word_outside_code_alone_is_not_enough() -> None:
    assert said("The WidgetFactory makes widgets in the night.\n") == []
    assert len(said("The `WidgetFactory` makes widgets in the night.\n")) == 1


def test_items_rows_and_wrapped_paragraphs_are_one_record_each() -> None:
    text = (
        "- The reader is in `src/a.py`,\n  and wraps\n- Another item that names TEAM-12\n\n"
        "A paragraph that names\n`src/a.py` on its second line.\n\n"
        "| File | Meaning |\n|---|---|\n| `src/a.py` | holds the reader |\n"
    )
    drafts = said(text, "src/a.py")
    assert [draft.text for draft in drafts] == [
        "The reader is in `src/a.py`, and wraps",
        "Another item that names TEAM-12",
        "A paragraph that names `src/a.py` on its second line.",
        "`src/a.py` | holds the reader",
    ]
    assert [draft.lines for draft in drafts] == [(1, 2), (3, 3), (5, 6), (10, 10)]
    assert drafts[1].tickets == ("TEAM-12",)


def test_links_to_files_are_paths_and_broken_ones_are_told() -> None:
    text = (
        "See [the reader](../src/a.py#L3), [the plan](plan.md) and [routes](/api/x) on [the site](https://x.dev/y.md)\n\n"
        "Also [gone](missing.md), [up](../../etc/x.md), ![picture](a.png) and [page][p] of it\n\n[p]: sub/page\n"
    )
    first, second = said(text, "src/a.py", "docs/plan.md", "docs/sub/page.md", "docs/a.png")
    assert first.paths == ("docs/plan.md", "src/a.py")
    assert "brokenLinks" not in first.metadata
    assert second.paths == ("docs/sub/page.md",)
    assert second.metadata["brokenLinks"] == ["missing.md"]


def test_a_broken_link_alone_makes_a_record() -> None:
    (draft,) = said("Everything else is [told elsewhere](gone.md) in full.\n")
    assert (draft.paths, draft.metadata["brokenLinks"]) == ((), ["gone.md"])


def test_routes_hosts_and_paths_above_the_root_name_nothing() -> None:
    text = (
        "Call `/api/v1/users.json` on `api.example.com` and `docs.internal.dev` from `/etc/app.conf`.\n\n"
        "Look at `../../other/x.py` or [there](../../../x.py), whatever that is.\n"
    )
    for draft in said(text):
        assert draft.paths == ()
        assert draft.symbols == ()


def test_front_matter_comments_and_tags_are_no_statements() -> None:
    text = "---\ntitle: See `src/a.py`\nstatus: draft\n---\n\n<!-- uses `src/a.py`\n- and `src/b.py` -->\n\n<p>\nwords in `src/a.py`\n</p>\n"
    reading = read(text, "src/a.py")
    assert reading.records == ()
    assert noted(reading)["html_not_read"] == (1, (9,))


def test_remarks_in_front_matter_do_not_end_it() -> None:
    text = (
        "---\n# These are optional `src/a.py` fields, says the template.\n\nstatus: draft\n---\n\n# Title\n"
    )
    assert [draft.text for draft in read(text, "src/a.py").records] == ["Title"]


def test_a_heading_in_html_is_a_heading() -> None:
    (draft,) = said('<h1 align="center">Big <b>name</b></h1>\n', origin="heading")
    assert draft.text == "Big name"


def test_notes_of_site_generators_are_read_like_all_text() -> None:
    text = (
        '!!! note "Mind"\n    The reader is in `src/a.py` now.\n\n    ```python\n    x = 1\n    ```\n\n'
        ":::tip\nThe writer is in `src/b.py` now.\n:::\n\n{{% warning %}}\nThe other is in `src/c.py` now.\n{{% /warning %}}\n"
    )
    assert [draft.paths for draft in said(text)] == [("src/a.py",), ("src/b.py",), ("src/c.py",)]
    assert len(said(text, origin="code_block")) == 1


def test_numbers_of_headings_are_no_part_of_identity() -> None:
    one = ids("# Guide\n\n## 1. First\n\n## 2. Second\n\nSee `src/a.py` for the whole.\n")
    two = ids("# Guide\n\n## 1. Zeroth\n\n## 2. First\n\n## 3. Second\n\nSee `src/a.py` for the whole.\n")
    assert set(one) < set(two)


def test_a_neighbour_a_blank_line_and_another_example_change_no_id() -> None:
    tail = "## Use\n\n```sh\nrun a\n```\n\nSee `src/a.py` for the whole.\n"
    one = ids("# T\n\n" + tail)
    two = ids("# T\n\nNew words on `src/b.py`, quite long.\n\n\n\n## Use\n\n```sh\nother\n```\n\n" + tail[8:])
    assert set(one) < set(two)


def test_line_ends_change_no_id_and_are_noted() -> None:
    text = "# T\n\n- `src/a.py` holds\n  the reader\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| `src/a.py` | the reader is here |\n"
    assert ids(text) == ids(text.replace("\n", "\r\n"))
    assert "line_endings" in noted(read(text.replace("\n", "\r\n")))


def test_rst_gives_the_same_statements() -> None:
    text = (
        "Guide\n=====\n\nUse\n---\n\nThe reader is ``src/a.py``, see :doc:`plan` and :doc:`gone`.\n\n"
        ".. code-block:: python\n\n    run()\n\n.. literalinclude:: ../src/a.py\n   :language: python\n\n"
        "* names :class:`~app.Reader` in an item\n"
    )
    drafts = read(text, "src/a.py", "docs/plan.rst", path="docs/guide.rst").records
    assert [draft.text for draft in drafts] == [
        "Guide", "Use", "The reader is `src/a.py`, see plan and gone.", "python example: run()",
        "python example: ../src/a.py", "names `app.Reader` in an item",
    ]  # fmt: skip
    assert drafts[2].paths == ("docs/plan.rst", "src/a.py")
    assert drafts[2].metadata["brokenLinks"] == ["gone"]
    assert drafts[2].trail == ("Guide", "Use")
    assert drafts[4].paths == ("src/a.py",)
    assert drafts[5].symbols == ("app.Reader",)
    assert "rst_structure" in drafts[0].basis


def test_rows_of_rst_tables_with_and_without_a_header() -> None:
    text = (
        "===== ============================\nID    Requirement\n===== ============================\n"
        "REQ-1 The door must lock at night.\n===== ============================\n\nWords.\n\n"
        "+---------------------+----------------------+\n| ``src/a.py``        | reads all of it now  |\n+---------------------+----------------------+\n"
        "| ``src/b.py``        | writes all of it now |\n+---------------------+----------------------+\n"
    )
    drafts = read(text, "src/a.py", path="docs/a.rst").records
    assert [draft.text for draft in drafts] == [
        "REQ-1: The door must lock at night.", "`src/a.py` | reads all of it now", "`src/b.py` | writes all of it now",
    ]  # fmt: skip
    assert drafts[0].metadata["columns"] == {"ID": "REQ-1", "Requirement": "The door must lock at night."}


def test_a_plain_readme_in_rst_is_known_by_its_marks() -> None:
    (draft,) = said(
        "Tool\n====\n\n.. note::\n\n   Uses :func:`run_all` in every single case.\n", path="README"
    )
    assert "rst_structure" in draft.basis


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("docs/a.adoc", b"= Title\n", "unsupported_format"),
        ("docs/a.md", b"# a\0b", "binary_file"),
        ("docs/a.md", b"a" * (MAX_DOCUMENT + 1), "too_large"),
    ],
)
def test_what_is_not_read_is_counted_and_the_reading_incomplete(
    path: str, content: bytes, reason: str
) -> None:
    reading = read(content, path=path)
    assert (reading.records, reading.complete, list(noted(reading))) == ((), False, [reason])


def test_what_hides_the_rest_of_a_file_is_noted() -> None:
    assert noted(read("# a\n\n```py\nx\n"))["unclosed_fence"] == (1, (3,))
    assert noted(read("# a\n\n<!-- x\ny\n"))["unclosed_comment"] == (1, (3,))
    assert "unclosed_fence" not in noted(read("# a\n\n```py\nx\n```\n"))
    assert noted(read(">" * (MAX_NESTING + 5) + " deep `src/a.py` in quotes"))["nesting_capped"][0] == 1


def test_a_long_statement_is_cut_and_noted() -> None:
    reading = read("Uses `src/a.py` " + "word " * 2000)
    assert len(reading.records[0].text) <= 4000
    assert {"statement_truncated", "excerpt_truncated"} <= noted(reading).keys()


@pytest.mark.parametrize(
    "unit",
    ["[", "](", "[a](", "`", "<", "<!--", "*", "> ", "- ", "|", "# a\n", "- [ ] a\n", "[a]: b\n", "{{% ", "    !!! n\n",
     "req~a~1\n", "REQ-1: a\n", "### Requirement: a\n", "#### Scenario: a\n", "![a](b)", "<a ", "1. ", "~~~\n"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["specs/a.md", "docs/a.rst"])
def test_hostile_repetition_takes_linear_time(unit: str, path: str) -> None:
    content = (unit * (100_000 // len(unit))).encode()
    start = time.process_time()
    read(content, path=path)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("mark", ["<!-- t2c.code-change-review/v1 -->", "<!-- t2c.todo-patch/v1 -->\r"])
def test_a_page_that_t2c_wrote_is_no_evidence(mark: str) -> None:
    text = "\n# Changes\n\nThe module `src/a.py` must answer.\n"
    reading = read(mark + text, "src/a.py", path="CODE_CHANGE.review.md")
    assert reading.complete and not reading.records and noted(reading)["own_page"] == (1, (1,))
    for other in ("<!-- note -->", "", f"# A\n\n{mark}"):
        assert read(other + text, "src/a.py").records, "only the first line tells"


def test_a_task_list_that_begins_with_a_patch_is_read() -> None:
    content = b"<!-- t2c.todo-patch/v1 -->\n\n- [ ] Add `refund` in src/a.py\n"
    assert [draft.text for draft in TodoExtractor().read("TODO.md", content, Files()).records]
