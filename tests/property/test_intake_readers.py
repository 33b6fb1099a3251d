"""For any file: reading never raises, ids are unique, every record is valid, and layout is not identity."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import FileExtractor, Found, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.mentions import mentions
from t2c.ledger.intake.text import action, action_and_object, fold, modality, object_of, polarity
from t2c.ledger.intake.todo import TodoExtractor

READERS: tuple[tuple[FileExtractor, str], ...] = (
    (TodoExtractor(), "TODO.md"),
    (ChangelogExtractor(), "docs/CHANGELOG.md"),
)

MARKS = (
    "- ",
    "* ",
    "+ ",
    "1. ",
    "7) ",
    "[ ] ",
    "[x] ",
    "[-] ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "# ",
)
SIGNS = (
    "## ",
    "### ",
    "=====",
    "-----",
    "---",
    "```",
    "~~~",
    "<!--",
    "-->",
    "> ",
    "| ",
    "|",
    "`",
    "``",
    "...",
    "\\",
)
NAMES = (
    "src/a.py",
    "../x.py",
    "/etc/x",
    "~/y.py",
    "C:\\x.py",
    "C:/x.py",
    "http://h/x.py",
    "#12",
    "ABC-1",
    "f.g()",
)
PARTS = (
    "[1.2.0]",
    "1.2.0",
    "v2.0",
    " - 2026-01-05",
    "[YANKED]",
    "[Unreleased]",
    "Added",
    "Fixed:",
    "**Fixed**",
    "T001 ",
)
TEXTS = (
    "Subtasks: T002, T003",
    "[a](b.md)",
    "[1.0.0]: x",
    "Add",
    "must not",
    "Dodać",
    "@ada",
    "owner: ola",
    "key: v",
)
ODDS = ("ż", "\ufeff", "\u2028", "\x0c", "\ufffd", "~~x~~")
PIECES = st.sampled_from(MARKS + SIGNS + NAMES + PARTS + TEXTS + ODDS)
ANY_TEXT = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=40).map("".join)
ANY_BYTES = st.one_of(st.binary(max_size=200), ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")))

WORDS = st.lists(
    st.sampled_from(("add", "fix", "parser", "cache", "`a.py`", "#12", "the", "of", "ż", "not")),
    min_size=1,
    max_size=5,
).map(" ".join)
TODO_BLOCKS = st.one_of(
    st.builds("{}{} {}{}\n".format, st.sampled_from(["", "  ", "    "]), st.sampled_from("-*+"),
              st.sampled_from(["", "[ ] ", "[x] "]), WORDS),
    st.builds("# {}\n".format, WORDS),
    st.builds("## {}\n".format, WORDS),
)  # fmt: skip
CHANGELOG_BLOCKS = st.one_of(
    st.builds("{}{} {}\n".format, st.sampled_from(["", "  ", "    "]), st.sampled_from("-*+"), WORDS),
    st.builds("## [{}.{}.0] - 2026-01-0{}\n".format, st.integers(0, 3), st.integers(0, 3), st.integers(1, 9)),
    st.sampled_from(["### Added\n", "### Fixed\n", "## [Unreleased]\n"]),
)
GAPS = st.lists(st.integers(0, 2), min_size=31, max_size=31)


class Files:
    """A tree with two files."""

    def __contains__(self, path: str) -> bool:
        return path in ("src/a.py", "x")

    def named(self, name: str) -> tuple[str, ...]:
        return ("src/a.py",) if name == "a.py" else ()


def found(reader: FileExtractor, path: str, content: bytes) -> list[Found]:
    return list(materialise(reader.read(path, content, Files())))


@given(ANY_BYTES)
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(content: bytes) -> None:
    for reader, path in READERS:
        reading = reader.read(path, content, Files())
        records = list(materialise(reading))
        assert len({record.id for record in records}) == len(records)
        for record in records:
            Record.model_validate_json(record.body)
        for warning in reading.warnings:
            assert warning.count >= 1
            assert len(warning.lines) <= 20
        assert found(reader, path, content) == records


def spread(blocks: list[str], gaps: list[int]) -> str:
    return "".join("\n" * gap + block for block, gap in zip(blocks, gaps, strict=False))


@given(st.lists(TODO_BLOCKS, max_size=30), st.lists(CHANGELOG_BLOCKS, max_size=30), GAPS)
@settings(max_examples=200, deadline=None)
def test_blank_lines_between_blocks_change_no_id_and_no_digest(
    todo: list[str], changelog: list[str], gaps: list[int]
) -> None:
    for (reader, path), blocks in zip(READERS, (todo, changelog), strict=True):
        tight = found(reader, path, "".join(blocks).encode())
        wide = found(reader, path, spread(blocks, gaps).encode())
        assert [(record.id, record.digest) for record in wide] == [
            (record.id, record.digest) for record in tight
        ]


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_crlf_equals_lf(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for reader, path in READERS:
        unix = found(reader, path, text.encode("utf-8", "replace"))
        assert found(reader, path, text.replace("\n", "\r\n").encode("utf-8", "replace")) == unix


@given(st.lists(TODO_BLOCKS, min_size=1, max_size=30))
@settings(max_examples=200, deadline=None)
def test_ticking_every_box_keeps_every_id(blocks: list[str]) -> None:
    text = "".join(blocks)
    before, after = (found(*READERS[0], content.encode()) for content in (text, text.replace("[ ]", "[x]")))
    assert [record.id for record in after] == [record.id for record in before]


@given(st.one_of(ANY_TEXT, st.text(max_size=80)))
@settings(max_examples=500, deadline=None)
def test_the_vocabulary_takes_any_text(text: str) -> None:
    named = mentions(text)
    for values in named:
        assert list(values) == sorted(set(values))
        assert all(values)
    for path in (*named.paths, *named.names):
        assert not path.startswith(("/", "~"))
        assert "://" not in path
        assert ".." not in path.split("/")
    chosen = action(text)
    assert action_and_object(text) == (chosen, object_of(text, chosen))
    assert object_of(text, chosen)
    assert modality(text)
    assert polarity(text) in ("positive", "negative")
    assert fold(fold(text)) == fold(text)


SENTENCES = st.lists(
    st.sampled_from(
        ("Add", "Fix", "Test", "Tests", "are", "must", "and", "the", "Parser", "to", "Usuń", "x.", "`f`")
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(SENTENCES)
@settings(max_examples=400, deadline=None)
def test_a_list_marker_before_a_statement_changes_nothing_of_it(text: str) -> None:
    assert action_and_object(f"* {text}") == action_and_object(text)
    assert polarity(f"* {text}") == polarity(text)
