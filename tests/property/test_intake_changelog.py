"""For any changelog or fragment: reading never raises, records are valid, and layout and order are not identity."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake import rst
from t2c.ledger.intake.base import FileExtractor, Found, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.intake.changes.fragments import FragmentExtractor
from t2c.ledger.intake.changes.lines import told
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.rst_inline import markdown_of
from t2c.ledger.linking.releases import same_number

READERS: tuple[tuple[FileExtractor, str], ...] = (
    (ChangelogExtractor(), "CHANGELOG.md"),
    (ChangelogExtractor(), "docs/CHANGES.rst"),
    (ChangelogExtractor(), "NEWS"),
    (FragmentExtractor(), "newsfragments/12.feature.rst"),
    (FragmentExtractor(), "changes/+x.misc.md"),
    (FragmentExtractor(), ".changeset/two-cats.md"),
)

MARKUP = (
    "\n", "\n\n", "\r\n", "\r", "  ", "    ", "\t", "- ", "* ", "** ", "1. ", "#. ", "# ", "## ", "### ", "=====", "-----",
    "~~~~", "^^^", "```", "::", ".. ", ".. note:: ", ".. code::", ".. include:: x", ":pr:`12`", ":a:", "``", "`", "`a <b>`_", "_",
    "| ", "+---+", "+===+", "=== ===", "<!--", "-->", "---\n", ">>> ", "[1]_", "\\", "|",
)  # fmt: skip
WORDS = (
    "[1.2.0]", "1.2.0", "v2.0", "pkg@1.0.0", " - 2026-01-05", " (2026-13-45)", "[YANKED]", "Yanked", "Unreleased", "Released ",
    "Added", "Fixed:", "Roadmap", "BREAKING CHANGES", "Contributors", "Changes in x 1.0", "**core:** ", "*(cli)* ",
    "[**breaking**] ", " ([abcdef1](x))", " (@ada)", " by @ada in #12", ", closes #1", "feat(x)!: ", "abcdef1 ", "#12 ",
    "Thanks @a! - ", '"a": minor', "Add", "ż", "\ufeff", "\u2028", "\x0c", "x",
)  # fmt: skip
ANY_TEXT = st.lists(st.one_of(st.sampled_from(MARKUP + WORDS), st.text(max_size=6)), max_size=50).map("".join)
ANY_BYTES = st.one_of(st.binary(max_size=200), ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")))
CONFIGS = st.one_of(st.none(), st.binary(max_size=60), st.sampled_from((
    b"[tool.towncrier]\n", b'[tool.towncrier]\ndirectory = "changes"\n[[tool.towncrier.type]]\ndirectory = "misc"\n',
    b'[tool.towncrier]\ndirectory = ["a"]\nsection = 1\ntype = [1, {name = 2}]\n', b"# towncrier\ntool = 1\n",
)))  # fmt: skip


class Files:
    """A tree whose only file is a configuration."""

    def __init__(self, config: bytes | None = None) -> None:
        self.config = config

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return self.config if path == "pyproject.toml" else None


def found(reader: FileExtractor, path: str, text: str | bytes) -> list[Found]:
    content = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return list(materialise(reader.read(path, content, Files())))


@given(ANY_BYTES, CONFIGS)
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(content: bytes, config: bytes | None) -> None:
    for reader, path in READERS:
        reading = reader.read(path, content, Files(config))
        records = list(materialise(reading))
        assert len({record.id for record in records}) == len(records)
        for record in records:
            Record.model_validate_json(record.body)
        assert all(warning.count >= 1 and len(warning.lines) <= 20 for warning in reading.warnings)
        assert reader.read(path, content, Files(config)) == reading


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_crlf_equals_lf(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for reader, path in READERS:
        assert found(reader, path, text.replace("\n", "\r\n")) == found(reader, path, text)


LINES = st.lists(
    st.sampled_from(("Add x", "Fix y (#12)", "**core:** Add x", "**cli:** Add x", "feat: z", "w by @ada in #3", "v (@eve)")),
    min_size=1, max_size=8,
)  # fmt: skip
RELEASES = st.lists(
    st.tuples(st.integers(0, 9), LINES), min_size=1, max_size=5, unique_by=lambda pair: pair[0]
)


def markdown(releases: list[tuple[int, list[str]]], gap: str = "\n") -> str:
    return "".join(
        f"## [1.{number}.0] - 2026-01-05\n{gap}### Added\n{gap}"
        + "".join(f"- {line}\n" for line in lines)
        + gap
        for number, lines in releases
    )


def restructured(releases: list[tuple[int, list[str]]], gap: str = "\n") -> str:
    return "".join(
        f"1.{number}.0 (2026-01-05)\n==================\n{gap}Added\n-----\n\n"
        + "".join(f"* {line}\n{gap}" for line in lines)
        + "\n"
        for number, lines in releases
    )


@given(RELEASES, st.randoms(use_true_random=False), st.sampled_from(["", "\n", "\n\n\n"]))
@settings(max_examples=200, deadline=None)
def test_order_and_blank_lines_change_no_id(
    releases: list[tuple[int, list[str]]], random: object, gap: str
) -> None:
    turned = [(number, list(reversed(lines))) for number, lines in reversed(releases)]
    for write, path in ((markdown, "CHANGELOG.md"), (restructured, "CHANGES.rst")):
        reader = ChangelogExtractor()
        expected = {record.id for record in found(reader, path, write(releases))}
        assert len(expected) == sum(1 + len(lines) for _, lines in releases)
        assert {record.id for record in found(reader, path, write(releases, gap))} == expected
        assert {record.id for record in found(reader, path, write(turned))} == expected


@given(RELEASES, st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_a_neighbour_changes_no_id(releases: list[tuple[int, list[str]]], at: int) -> None:
    lines = releases[at % len(releases)][1]
    before = {record.id for record in found(ChangelogExtractor(), "CHANGELOG.md", markdown(releases))}
    lines.insert(0, "A neighbour that is new")
    after = {record.id for record in found(ChangelogExtractor(), "CHANGELOG.md", markdown(releases))}
    assert before < after
    assert len(after) == len(before) + 1


@given(RELEASES)
@settings(max_examples=100, deadline=None)
def test_both_markups_say_the_same(releases: list[tuple[int, list[str]]]) -> None:
    def said(path: str, text: str) -> list[tuple[str, tuple[str, ...], str, object]]:
        reading = ChangelogExtractor().read(path, text.encode(), Files())
        return [
            (draft.text, draft.trail, draft.action, draft.metadata.get("scope")) for draft in reading.records
        ]

    assert said("CHANGES.rst", restructured(releases)) == said("CHANGELOG.md", markdown(releases))


@given(ANY_TEXT)
@settings(max_examples=400, deadline=None)
def test_a_line_taken_apart_keeps_its_words(line: str) -> None:
    entry = told(line)
    assert told(line) == entry
    assert (not entry.text) == (not told(entry.text).text)
    assert list(entry.commits) == sorted(set(entry.commits))
    markdown_of(line)
    assert same_number(line) == same_number(line.lower())


@given(ANY_TEXT)
@settings(max_examples=400, deadline=None)
def test_blocks_of_restructured_text_stand_in_order_on_lines_of_the_file(text: str) -> None:
    lines = text.splitlines()
    last = 0
    for block in rst.blocks(lines, Notes("changelog", "x.rst")):
        match block:
            case rst.Item():
                start, end = block.start, block.end
            case rst.Paragraph():
                start, end = block.lines[0][0], block.lines[-1][0]
            case _:
                start = end = block.line
        assert 1 <= start <= end <= len(lines)
        if not isinstance(block, rst.Code):
            assert start >= last
            last = start
