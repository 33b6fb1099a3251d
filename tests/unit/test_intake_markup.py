"""Bytes to lines to blocks: what is an item, a heading, a row, and what is hidden."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.base import MAX_EXCERPT
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.inline import blanked, code_spans, plain
from t2c.ledger.intake.lines import Notes, text_lines
from t2c.ledger.intake.markup import MAX_DEPTH, MAX_STATEMENT, Block, Heading, Item, Paragraph, Row, blocks
from t2c.ledger.intake.todo import TodoExtractor


def read(text: str) -> list[Block]:
    return read_noting(text)[0]


def read_noting(text: str) -> tuple[list[Block], Notes]:
    notes = Notes("todo", "TODO.md")
    return list(
        blocks(text.split("\n"), notes),
    ), notes


def items(text: str) -> list[tuple[int, str]]:
    return [(block.depth, block.text) for block in read(text) if isinstance(block, Item)]


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in read(text) if isinstance(block, Heading)]


def reasons(notes: Notes) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in notes.warnings()}


# --- lines ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        ("ż\nb".encode("utf-16"), ["ż", "b"]),
        ("ż\nb".encode("utf-32"), ["ż", "b"]),
        ("a\x0b\x0c\u2028\x85b\nc".encode(), ["a\x0b\x0c\u2028\x85b", "c"]),
        (b"", []),
    ],
)
def test_lines_end_where_editors_end_them(content: bytes, expected: list[str]) -> None:
    lines = text_lines(content, Notes("todo", "TODO.md"))
    assert lines is not None
    assert list(lines) == expected


def test_bytes_that_are_not_utf8_are_replaced_and_each_line_is_noted() -> None:
    notes = Notes("todo", "TODO.md")
    lines = text_lines(b"ok\ncaf\xe9\nok\n\xe2\x82 \xff\n", notes)
    assert lines is not None
    assert list(lines) == ["ok", "caf\ufffd", "ok", "\ufffd \ufffd"]
    assert reasons(notes) == {"not_utf8": (2, (2, 4))}


def test_zero_bytes_mean_binary() -> None:
    notes = Notes("todo", "TODO.md")
    assert text_lines(b"- [ ] a\n\0", notes) is None
    assert reasons(notes) == {"binary_file": (1, ())}


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"a\r\nb\r\n", "CRLF, read as LF"),
        (b"a\rb\r", "CR, read as LF"),
        (b"a\r\nb\n", "mixed line endings (CRLF, LF), read as LF"),
        (b"a\rb\n", "mixed line endings (CR, LF), read as LF"),
        (b"a\r\nb\rc\n", "mixed line endings (CRLF, CR, LF), read as LF"),
        (b"a\nb\n", None),
    ],
)
def test_the_line_ending_is_noted_once(content: bytes, detail: str | None) -> None:
    notes = Notes("todo", "TODO.md")
    text_lines(content, notes)
    assert [(warning.detail, warning.count) for warning in notes.warnings()] == (
        [(detail, 1)] if detail else []
    )


def test_a_warning_keeps_the_first_twenty_places_and_counts_all() -> None:
    notes = Notes("todo", "TODO.md")
    for line in range(1, 51):
        notes.add("x", "why", line)
    (warning,) = notes.warnings()
    assert (warning.count, warning.lines) == (50, tuple(range(1, 21)))


# --- inline -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` c", ["`b`"]),
        ("``a ` b`` `c`", ["``a ` b``", "`c`"]),
        ("a ` b", []),
        ("`` a `b`", ["`b`"]),
        ("`a` `b", ["`a`"]),
    ],
)
def test_code_spans_close_with_as_many_backticks(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end, _ in code_spans(text)] == expected
    assert len(blanked(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [the guide](docs/guide.md).", "see the guide."),
        ("([#1](https://h.example/(x)/1)) [`a`](u 'v')", "(#1) [`a`](u 'v')"),
        ('[`a`](u "title") ![alt](pic.png)', "`a` alt"),
        ("`[a](b)` and [c](d)", "`[a](b)` and c"),
        ("a <!-- hidden\nstill --> b", "a b"),
        ("a\t b  c", "a b c"),
        ("[a] [b](", "[a] [b]("),
    ],
)
def test_plain_text_keeps_what_is_said(text: str, expected: str) -> None:
    assert plain(text) == expected


# --- blocks -----------------------------------------------------------------------------------------------


def test_markers_and_nesting_by_any_indentation() -> None:
    text = "- login\n  - with passkey\n    * on iOS\n- mail\n    + by pigeon\n1. one\n   - sub\n 2) two\n"
    assert items(text) == [
        (0, "login"), (1, "with passkey"), (2, "on iOS"), (0, "mail"), (1, "by pigeon"), (0, "one"), (1, "sub"),
        (0, "two"),
    ]  # fmt: skip


def test_an_item_goes_on_with_indented_and_lazy_lines_and_spans_them() -> None:
    first, second = (
        block for block in read("- a\n  b\nc\n\n- d\n\n  more\n      code\n") if isinstance(block, Item)
    )
    assert (first.text, first.raw, first.start, first.end) == ("a b c", "- a\n  b\nc", 1, 3)
    assert (second.text, second.more.strip(), second.end) == ("d", "more", 5)


def test_a_number_in_running_text_is_no_item() -> None:
    assert items("- released in\n  2019. It was late\n") == [(0, "released in 2019. It was late")]


def test_headings_of_both_kinds() -> None:
    text = "# A #\n## B\n###C\n#d\n\nE\n===\n\nF\nG\n---\n\n####### no\n"
    assert headings(text) == [(1, "A"), (2, "B"), (3, "C"), (1, "E"), (2, "F G")]


def test_a_rule_is_neither_an_item_nor_an_underline() -> None:
    assert items("- a\n---\n- - -\n* * *\n***\n___\n- b\n") == [(0, "a"), (0, "b")]
    assert headings("- a\n---\n") == []


def test_rows_of_tables() -> None:
    rows = [block.cells for block in read("| a | b |\n|---|:-:|\n| x \\| y |  |\n") if isinstance(block, Row)]
    assert rows == [("a", "b"), ("---", ":-:"), ("x \\| y", "")]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n- x\n# x\n```",
        "~~~text\n- x\n~~~",
        "````\n```\n- x\n````",
        "- a\n  ```\n  - x\n  ```",
        "<!-- - x\n- x\n-->",
        "    - x",
        "[1.0.0]: https://h.example/- x",
    ],
)
def test_code_comments_and_definitions_are_hidden(hidden: str) -> None:
    assert [text for _, text in items(f"{hidden}\n\n- seen\n") if "x" in text] == []
    assert (0, "seen") in items(f"{hidden}\n\n- seen\n")


def test_a_definition_right_below_an_item_is_not_part_of_it() -> None:
    assert items("- a\n[1.0.0]: https://h.example/1\n") == [(0, "a")]


def test_a_fence_inside_an_item_ends_with_the_item() -> None:
    assert items("- a\n  ```\n  code\n- b\n") == [(0, "a"), (0, "b")]


def test_a_fence_or_comment_that_never_ends_is_noted() -> None:
    found, notes = read_noting("- a\n\n```\n- b\n")
    assert [block.text for block in found if isinstance(block, Item)] == ["a"]
    assert reasons(notes) == {"unclosed_fence": (1, (3,))}
    assert reasons(read_noting("<!-- a\n- b\n")[1]) == {"unclosed_comment": (1, (1,))}


def test_front_matter_is_hidden_and_a_rule_at_the_top_is_not_front_matter() -> None:
    assert items("---\ntitle: x\ntags:\n  - x\n---\n- a\n") == [(0, "a")]
    assert items("---\n\n- a\n\n---\n- b\n") == [(0, "a"), (0, "b")]
    assert items("---\ntitle: x\n- a\n") == [(0, "a")]


def test_paragraphs_keep_their_lines() -> None:
    found = [block.lines for block in read("a\n b\n\n> c\n") if isinstance(block, Paragraph)]
    assert found == [((1, "a"), (2, "b")), ((4, "> c"),)]


def test_long_statements_and_excerpts_are_cut_and_noted() -> None:
    found, notes = read_noting(f"- {'a ' * 3000}\n  b\n- c\n")
    first = found[0]
    assert isinstance(first, Item)
    assert (len(first.text), len(first.raw), first.end) == (MAX_STATEMENT - 1, MAX_EXCERPT - 1, 2)
    assert reasons(notes) == {"statement_truncated": (1, (1,)), "excerpt_truncated": (1, (1,))}


def test_deep_nesting_is_capped_and_noted() -> None:
    found, notes = read_noting("\n".join(f"{'  ' * depth}- {depth}" for depth in range(MAX_DEPTH + 3)))
    assert max(block.depth for block in found if isinstance(block, Item)) == MAX_DEPTH - 1
    assert len(found) == MAX_DEPTH + 3
    assert reasons(notes)["nesting_capped"][0] == 3


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "[",
        "[a",
        "![",
        "(",
        "a.",
        "- ",
        "``` ",
        "<!-- ",
        "**",
        "\\",
        "/",
        "#1",
        "a-1",
        "[x](",
        "&",
        "T001 ",
        "| ",
        "://",
        "/pull/1",
        "not ",
        "when ",
        "must not ",
        "Dodać ",
        "a@b ",
        "**a** ",
        "v1.2 ",
    ],
)
def test_hostile_lines_take_linear_time(unit: str) -> None:
    """No pattern backtracks: 2 MB of one sign in one line, and the same in items, in well under a second each."""

    class Nothing:
        def __contains__(self, path: str) -> bool:
            return False

        def named(self, name: str) -> tuple[str, ...]:
            return ()

    line = unit * (1_000_000 // len(unit))
    wide = "".join(f"- {line[:3990]}\n" for _ in range(50))
    started = time.process_time()
    for text in (line, f"- [ ] {line}", f"# {line}", wide):
        TodoExtractor().read("TODO.md", text.encode(), Nothing())
        ChangelogExtractor().read("CHANGELOG.md", f"## 1.0.0\n\n{text}".encode(), Nothing())
    assert time.process_time() - started < 4
