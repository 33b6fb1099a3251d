"""For any text: reading never raises, ids are unique, every record is valid, and layout is not identity."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Found, materialise
from t2c.ledger.intake.frontmatter import front_matter
from t2c.ledger.intake.nl.extractor import NlExtractor
from t2c.ledger.intake.nl.language import language_of
from t2c.ledger.intake.nl.sentences import sentences
from t2c.ledger.intake.text import forbids, modality, polarity

READER = NlExtractor()
PIECES = st.sampled_from(
    (
        "- ", "1. ", "[x] ", "  ", "    ", "\n", "\n\n", "\r\n", "# ", "### Requirement: ", "---\n", "```\n", "> ", "> [!NOTE]",
        "| ", "|\n", "|---|", "**", "`", "``", ":", ":\n\n", ". ", "; ", "? ", "e.g. ", "np. ", "m.in. ", "A. ", "-- \n",
        "From: a\n", "Subject: x\n", "title: ", "Thanks,\n", "Pozdrawiam\n", "Hi,\n", "On Monday, Bob wrote:\n", "<tag>",
        "The exporter must not", "must", "Nie wolno", "nie", "Add", "usuń", "Never", "FR-001:", "src/a.py", "#12", "ż",
        "\ufeff", "\u2028", "\x0c", "\ufffd", "\\\n", "Added Requirements", "Der Server muss", "[a](b.md)", "(", "[", "'",
    )
)  # fmt: skip
ANY_TEXT = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=40).map("".join)
ANY_BYTES = st.one_of(st.binary(max_size=200), ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")))
WORDS = st.lists(
    st.sampled_from(("add", "Fix", "parser", "cache", "`a.py`", "#12", "the", "must", "ż", "not", "nie")),
    min_size=2,
    max_size=6,
).map(" ".join)
BLOCKS = st.one_of(
    st.builds("- {}\n\n".format, WORDS),
    st.builds("# {}\n\n".format, WORDS),
    st.builds("{}. {}\n\n".format, WORDS, WORDS),
)


class Files:
    """A tree with one file."""

    def __contains__(self, path: str) -> bool:
        return path == "src/a.py"

    def named(self, name: str) -> tuple[str, ...]:
        return ("src/a.py",) if name == "a.py" else ()

    def content(self, path: str) -> bytes | None:
        return None


def found(content: bytes) -> list[Found]:
    return list(materialise(READER.read("TASK.md", content, Files())))


@given(ANY_BYTES)
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(content: bytes) -> None:
    reading = READER.read("TASK.md", content, Files())
    records = list(materialise(reading))
    assert len({record.id for record in records}) == len(records)
    lines = content.count(b"\n") + content.count(b"\r") + 1
    for draft, record in zip(reading.records, records, strict=True):
        Record.model_validate_json(record.body)
        assert draft.lines is not None
        assert (
            content.startswith((b"\xff\xfe", b"\xfe\xff")) or 1 <= draft.lines[0] <= draft.lines[1] <= lines
        )
    for warning in reading.warnings:
        assert warning.count >= 1
    assert found(content) == records


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_crlf_equals_lf(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    unix = found(text.encode("utf-8", "replace"))
    assert found(text.replace("\n", "\r\n").encode("utf-8", "replace")) == unix


@given(st.lists(BLOCKS, min_size=1, max_size=20), st.lists(st.integers(0, 2), min_size=20, max_size=20))
@settings(max_examples=200, deadline=None)
def test_blank_lines_between_blocks_change_no_id_and_no_digest(blocks: list[str], gaps: list[int]) -> None:
    tight = found("".join(blocks).encode())
    wide = found("".join("\n" * gap + block for block, gap in zip(blocks, gaps, strict=False)).encode())
    assert [(one.id, one.digest) for one in wide] == [(one.id, one.digest) for one in tight]


@given(st.lists(st.builds("{}.\n\n".format, WORDS), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_reordering_and_a_neighbour_change_no_id(blocks: list[str]) -> None:
    before = {one.id for one in found("".join(blocks).encode())}
    assert {one.id for one in found("".join(reversed(blocks)).encode())} == before
    assert before <= {one.id for one in found("".join([*blocks, "Quite another thing.\n\n"]).encode())}


@given(st.lists(st.one_of(PIECES, st.text(max_size=8)).map(lambda text: " ".join(text.split())), max_size=12))
@settings(max_examples=400, deadline=None)
def test_sentences_lose_nothing_but_white_space(bodies: list[str]) -> None:
    lines = [(number, body) for number, body in enumerate(bodies, 1) if body]
    told = "".join("".join(one.text.split()) for one in sentences(lines))
    given_ = "".join("".join(body.rstrip("\\").split()) for _, body in lines)
    assert told.replace("\\", "") == given_.replace("\\", "")


@given(st.one_of(ANY_TEXT, st.text(max_size=80)))
@settings(max_examples=400, deadline=None)
def test_any_text_has_a_language_a_duty_and_a_sign(text: str) -> None:
    assert language_of(text) in ("en", "pl", None)
    if forbids(text):
        assert (modality(text), polarity(text)) == ("required", "negative")


@given(st.lists(st.one_of(PIECES, st.sampled_from(("key: ", "- a", "'", '"', "[a, b]", ">-"))), max_size=20))
@settings(max_examples=300, deadline=None)
def test_front_matter_is_read_without_raising(pieces: list[str]) -> None:
    lines = ["---", "id: x", *"".join(pieces).split("\n"), "---"]
    matter = front_matter(lines)
    assert matter is not None
    assert matter.text("id").startswith("x")
    for held in matter.fields.values():
        assert 2 <= held.start <= held.end <= matter.end
