"""For any document: reading never raises, ids are unique, every record is valid, and layout is not identity."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Found, materialise
from t2c.ledger.intake.docs.extractor import DocumentExtractor

PATHS = (
    "docs/guide.md", "openspec/changes/a/specs/b/spec.md", "specs/x.md", "docs/adr/0001-x.md", "ROADMAP.mdx",
    "docs/x.rst", "REQ001.yml", "a.sdoc", "README",
)  # fmt: skip
PIECES = st.sampled_from((
    "# ", "## ", "###", "### ", "#### ", "- ", "* ", "1. ", "- [ ] ", "[x] ", "> ", "| ", "|", "|---|---|\n", "```", "```py\n",
    "~~~", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "---\n", "...\n", "===\n", "<!--", "-->", "<p>", "</p>", "<h1>", "</h1>",
    "!!! note\n", ":::tip\n", ":::\n", "{{% a %}}", "`", "``", "**", "\\", "[a](../x.md)", "[a][b]", "[b]: x.md\n", "![p](p.png)",
    ":doc:`x`", ".. code-block:: py\n", ".. literalinclude:: a.py\n", "Requirement: ", "Scenario: ", "ADDED Requirements\n",
    "Add Requirements\n", "RENAMED Requirements\n", "FROM: a", "TO: b", "REMOVED Requirements\n", "Roadmap\n", "Done\n",
    "Requirements\n", "Status\n", "Decision\n", "Context\n", "Accepted", "Superseded by ADR-3", "Status: draft\n", "status: x\n",
    "REQ-12: ", "[SRS-1] ", "req~a~1\n", "Needs: dsn\n", "Covers:\n", "MUST ", "SHALL NOT ", "must not ", "nie wolno ",
    "As a user, I want ", "Given a when b then c", "**WHEN** a **THEN** b", "src/a.py", "`f.g()`", "#12", "ABC-1", "../../x.py",
    "text: ", "normative: true\n", "reviewed: x\n", "level: 1\n", "active: no\n", "ref: [a, b]\n", "references:\n- path: a.py\n",
    "[REQUIREMENT]\n", "STATEMENT: ", ">>>\n", "<<<\n", "[[SECTION]]\n", "TITLE: a\n", "&a ", "*a ", "ż", "\ufeff", "\u2028", "\0",
))  # fmt: skip
ANY_TEXT = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=50).map("".join)
ANY_BYTES = st.one_of(st.binary(max_size=200), ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")))

WORDS = st.lists(
    st.sampled_from(("add", "the parser", "cache of all", "`a.py`", "#12", "must", "MUST not", "ż", "never")), min_size=1, max_size=5
).map(" ".join)  # fmt: skip
SECTIONS = st.sampled_from(
    (
        "# A",
        "## Roadmap",
        "## Requirements",
        "### Requirement: Lock",
        "#### Scenario: Night",
        "## Usage",
        "## Decision",
    )
)
BLOCKS = st.one_of(
    st.builds("{}\n".format, SECTIONS),
    st.builds("{} {}\n".format, st.sampled_from(("-", "- [ ]", "- [x]", "1.")), WORDS),
    st.builds("{} and nothing else.\n".format, WORDS),
    st.builds("```py\n{}\n```\n".format, WORDS),
    st.builds("| ID | Text |\n|---|---|\n| REQ-1 | {} |\n".format, WORDS),
)
EXTRACTOR = DocumentExtractor()


class Files:
    """A tree with two files."""

    def __contains__(self, path: str) -> bool:
        return path in ("src/a.py", "a.py")

    def named(self, name: str) -> tuple[str, ...]:
        return ("src/a.py",) if name == "a.py" else ()

    def content(self, path: str) -> bytes | None:
        return b"x" if path in self else None


def found(path: str, content: bytes) -> list[Found]:
    return list(materialise(EXTRACTOR.read(path, content, Files())))


@given(st.sampled_from(PATHS), ANY_BYTES)
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(path: str, content: bytes) -> None:
    reading = EXTRACTOR.read(path, content, Files())
    records = list(materialise(reading))
    assert len({record.id for record in records}) == len(records)
    lines = content.count(b"\n") + content.count(b"\r") + 1
    for record in records:
        Record.model_validate_json(record.body)
        assert record.lines is None or 1 <= record.lines[0] <= record.lines[1] <= lines
    for warning in reading.warnings:
        assert warning.count >= 1
    assert found(path, content) == records


@given(
    st.sampled_from(PATHS[:5]),
    st.lists(BLOCKS, max_size=20),
    st.lists(st.integers(1, 3), min_size=20, max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_blank_lines_and_line_ends_change_no_id_and_no_digest(
    path: str, blocks: list[str], gaps: list[int]
) -> None:
    close = "\n".join(blocks).encode()
    wide = "".join(block + "\n" * gap for block, gap in zip(blocks, gaps, strict=False)).encode()
    once = {(record.id, record.digest) for record in found(path, close)}
    assert {(record.id, record.digest) for record in found(path, wide)} == once
    assert {record.id for record in found(path, close.replace(b"\n", b"\r\n"))} == {
        identity for identity, _ in once
    }


@given(st.lists(WORDS.filter(lambda words: "`" in words), min_size=2, max_size=8, unique=True), st.randoms())
@settings(max_examples=100, deadline=None)
def test_another_order_of_statements_changes_no_id(sentences: list[str], random: object) -> None:
    shuffled = list(sentences)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    texts = [
        "# A\n\n" + "".join(f"{words}, it says here at length.\n\n" for words in order)
        for order in (sentences, shuffled)
    ]
    one, two = ({record.id for record in found("docs/guide.md", text.encode())} for text in texts)
    assert one == two
