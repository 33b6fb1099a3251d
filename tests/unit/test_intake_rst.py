"""reStructuredText: its sections, lists, tables and literal blocks in the shapes that Markdown gives."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import Block, Code, Heading, Item, Paragraph, Row
from t2c.ledger.intake.rst import blocks, looks_like_rst
from t2c.ledger.intake.rst_inline import markdown_of


def read(text: str) -> list[Block]:
    return list(blocks(text.splitlines(), Notes("changelog", "CHANGES.rst")))


def headings(text: str) -> list[tuple[int, str, int]]:
    return [(block.level, block.text, block.line) for block in read(text) if isinstance(block, Heading)]


def items(text: str) -> list[tuple[int, str]]:
    return [(block.depth, block.text) for block in read(text) if isinstance(block, Item)]


def prose(text: str) -> list[str]:
    return [" ".join(line for _, line in block.lines) for block in read(text) if isinstance(block, Paragraph)]


def test_levels_follow_the_order_in_which_adornments_appear() -> None:
    text = (
        "=====\nTitle\n=====\n\nOne\n===\n\nTwo\n---\n\nDeep\n~~~~\n\nThree\n---\n\n"
        " Four\n-------\n\n=======\n Over\n=======\n\nIt `x`_\n===\n"
    )
    assert headings(text) == [
        (1, "Title", 2),
        (2, "One", 5),
        (3, "Two", 8),
        (4, "Deep", 11),
        (3, "Three", 14),
        (1, "Over", 21),
        (2, "It x", 24),
    ]


def test_what_is_no_title() -> None:
    assert headings("two\nlines\n=====\n\n----------\n\ntext\n--\n\n* a\n---\n") == []
    assert headings("1. Intro\n--------\n\n- a\n\n1.2.0\n-----\n") == [(1, "1. Intro", 1), (1, "1.2.0", 6)]


def test_lists_nest_by_indentation_with_or_without_blank_lines() -> None:
    for gap in ("", "\n"):
        text = f"- login\n{gap}  - with passkey\n{gap}    * on iOS\n{gap}- mail\n"
        assert items(text) == [(0, "login"), (1, "with passkey"), (2, "on iOS"), (0, "mail")]
    assert items("-   a\n    b\n\n    more\n-   c\n\n#. one\n2. two\n\n(3) three\n") == [
        (0, "a b"), (0, "c"), (0, "one"), (0, "two"), (0, "three"),
    ]  # fmt: skip
    (first,) = read("- a\n\n  more of\n  it\n")
    assert isinstance(first, Item)
    assert (first.more.strip(), first.start, first.end) == ("more of it", 1, 1)


def test_an_item_ends_where_text_begins_at_its_own_margin() -> None:
    assert [type(block).__name__ for block in read("* a\nb\n")] == ["Item", "Paragraph"]
    assert items("Changes:\n* a\n* b\n") == [(0, "a"), (0, "b")]
    assert items("Years passed until\n1999. It was\n") == []


def test_literal_blocks_code_and_doctests_are_places_only() -> None:
    text = "Run::\n\n  - x\n\n  - y\n\n- a::\n\n      - z\n\n.. code-block:: python\n   :caption: c\n\n   - q\n\n>>> - p\n\nend\n"
    assert [block for block in read(text) if isinstance(block, Code)] == [
        Code(3),
        Code(9),
        Code(11),
        Code(16),
    ]
    assert items(text) == [(0, "a:")]
    assert prose(text) == ["Run:", "end"]


def test_comments_targets_footnotes_and_pictures_say_nothing() -> None:
    text = (
        "..\n   - hidden\n\n.. - a comment\n   - still\n\n.. _t: https://h.example\n.. [1] - note\n"
        ".. |s| replace:: text\n.. image:: a.png\n   :alt: - x\n\n- a\n"
    )
    assert items(text) == [(0, "a")]
    assert prose(text) == []


def test_the_content_of_admonitions_is_text_and_options_are_not() -> None:
    text = ".. note:: Read\n   this.\n\n.. warning::\n   :class: x\n\n   - a\n\n.. versionadded:: 2.0\n   The `f`.\n\n.. rubric:: Fixes\n"
    assert items(text) == [(0, "a")]
    assert prose(text) == ["Read this.", "The `f`."]
    assert headings(text) == [(6, "Fixes", 12)]


def test_tables_give_rows_with_their_header_marked() -> None:
    grid = "+---+-----+\n| a | b   |\n+===+=====+\n| 1 | two |\n|   | on  |\n+---+-----+\n\ntext\n"
    assert [block.cells for block in read(grid) if isinstance(block, Row)] == [
        ("a", "b"), ("---", "---"), ("1", "two on"),
    ]  # fmt: skip
    simple = "===  =====\na    b\n===  =====\n1    ``x`` y\n2    z\n===  =====\n\ntext\n"
    assert [block.cells for block in read(simple) if isinstance(block, Row)] == [
        ("a", "b"), ("---", "---"), ("1", "`x` y"), ("2", "z"),
    ]  # fmt: skip
    assert prose(grid) == prose(simple) == ["text"]


def test_what_hides_text_is_noted() -> None:
    notes = Notes("changelog", "CHANGES.rst")
    text = ".. include:: ../NEWS.rst\n\n.. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n"
    assert list(blocks(text.splitlines(), notes)) == []
    assert [(warning.reason, warning.lines) for warning in notes.warnings()] == [
        ("include_not_read", (1,)),
        ("table_not_read", (3,)),
    ]


@pytest.mark.parametrize(
    ("rst", "markdown"),
    [
        ("Drop x. :pr:`5623`", "Drop x. #5623"),
        ("x :issue:`12, 13`", "x #12, #13"),
        (":issue:`text <12>`", "text <#12>"),
        ("``a b`` and ```", "`a b` and ```"),
        ("``a`b``", "`` a`b ``"),
        ("`#12 <https://h.example/o/r/pull/12>`_", "[#12](https://h.example/o/r/pull/12)"),
        ("`the guide <guide_>`__", "the guide"),
        ("`<https://h.example>`_", "https://h.example"),
        ("`guide`_, guide_ and #12_", "guide, guide and #12"),
        (":func:`~flask.redirect` and :class:`!X`", "`flask.redirect()` and `X`"),
        (":py:meth:`f()`", "`f()`"),
        (":ref:`Guide <guide>` :doc:`/a`", "Guide /a"),
        (":pep:`517` :user:`ada` :cve:`2024-1`", "PEP 517 @ada CVE-2024-1"),
        (r"a\ b \*c", "ab *c"),
        ("snake_case_ and __init__ and a_b", "snake_case and __init__ and a_b"),
        ("see [1]_ and [#a]_", "see and"),
        ("`single`", "`single`"),
        ("**bold** stays", "**bold** stays"),
    ],
)
def test_inline_markup_reads_like_markdown(rst: str, markdown: str) -> None:
    assert markdown_of(rst) == markdown


def test_which_texts_look_like_it() -> None:
    for text in ("x\n~~~~\n", ".. _a:\n", "- x :pr:`1`\n", "1.0\n^^^^^\n"):
        assert looks_like_rst(text)
    for text in ("# x\n\n- a\n", "1.0\n===\n\n* a\n", "~~~\ncode\n~~~\n", "```\nx\n```\n"):
        assert not looks_like_rst(text)


def test_a_megabyte_takes_time_in_proportion_whatever_it_holds() -> None:
    for line in (
        "-   Fix ``the`` parser in :func:`f` when it fails. :pr:`12`\n",
        "`" * 200 + "\n",
        ":a:" * 60 + "`\n",
        "word\n====\n",
        "+---+\n| a |\n",
        "=== ===\n",
        "a_b_" * 50 + "\n",
        "- a::\n\n      b\n",
        "[#" * 80 + "\n",
        "= " * 100_000 + "=\n" + "x\n" * 100_000,
        "- a\n\n" + "  b\n" * 100_000,
        "x\n  y\n" * 100,
    ):
        text = line * max(1, (1 << 20) // len(line))
        started = time.process_time()
        read(text)
        assert time.process_time() - started < 15, line[:80]
