"""For any file of a project folder: reading never raises, ids are unique and layout is not identity."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Found, materialise
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.communication.statements import sentences

PATHS = st.sampled_from(
    ("project/ticket-004/ai-codex.md", "project/ticket-004/user-tom.md", "project/ACME-1/human.t.request.md",
     "project/x/y.txt", "project/ticket-004/manager-ada.md")
)  # fmt: skip
PIECES = st.sampled_from(
    ("---\n", "---\n", "\n", "\r\n", "role: human\n", "participant-id: human:ada\n", "type: report\n", "ticket: A-1\n",
     "timestamp: 2026-01-05T10:00:00Z\n", "paths: ../a, b/c.py\n", "paths:\n- a\n", "symbols: [\"a\", 1, null]\n",
     "projection-managed: trusted-intake\n", "key", ": ", "# ", "## Execution plan\n", "## Scope\n", "## Message 1\n",
     "- Add `a.py`. Then B\n", "Brak.\n", "e.g. X", ". Y", "| a | b |\n", "```\n", "`", "ż", "\ufeff", "\x00")
)  # fmt: skip
TEXT = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=40).map("".join)
BYTES = st.one_of(st.binary(max_size=200), TEXT.map(lambda text: text.encode("utf-8", "replace")))
REGISTRIES = st.one_of(
    st.none(),
    st.binary(max_size=60),
    st.just(
        b'{"schemaVersion": "t2c.participant-registry/v1", "participants": [{"id": "human:ada", "role": "human",'
        b' "displayName": "Ada", "gitAuthors": [], "a2aAgentIds": [], "humanAliases": []}]}'
    ),
)
BLOCKS = st.one_of(
    st.builds("- {}\n".format, st.sampled_from(("Add a", "Fix `b.py`", "Remove c", "Nie wolno d"))),
    st.builds("## {}\n".format, st.sampled_from(("Execution plan", "Actual changes", "Notes", "Zakres"))),
)


class Files:
    """A tree with perhaps a registry."""

    def __init__(self, registry: bytes | None = None) -> None:
        self.registry = registry

    def __contains__(self, path: str) -> bool:
        return path == "project/participants.json" and self.registry is not None

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return self.registry if path in self else None


def found(path: str, content: bytes, registry: bytes | None = None) -> list[Found]:
    return list(materialise(CommunicationExtractor().read(path, content, Files(registry))))


@given(PATHS, BYTES, REGISTRIES)
@settings(max_examples=500)
def test_any_bytes_are_read_into_valid_records_with_unique_ids(
    path: str, content: bytes, registry: bytes | None
) -> None:
    reading = CommunicationExtractor().read(path, content, Files(registry))
    records = list(materialise(reading))
    assert len({record.id for record in records}) == len(records)
    for record in records:
        parsed = Record.model_validate_json(record.body)
        assert parsed.epistemic.cls in ("plan", "claim", "declaration")
        assert (parsed.metadata["participantId"] is None) or registry is not None
    for warning in reading.warnings:
        assert warning.count >= 1
    assert found(path, content, registry) == records


@given(PATHS, TEXT)
@settings(max_examples=300)
def test_crlf_equals_lf(path: str, text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    unix = found(path, text.encode("utf-8", "replace"))
    assert found(path, text.replace("\n", "\r\n").encode("utf-8", "replace")) == unix


@given(st.lists(BLOCKS, max_size=20), st.lists(st.integers(0, 2), min_size=20, max_size=20))
@settings(max_examples=200)
def test_blank_lines_change_no_id_and_no_digest(blocks: list[str], gaps: list[int]) -> None:
    path = "project/ticket-004/ai-codex.md"
    wide = "".join("\n" * gap + block for block, gap in zip(blocks, gaps, strict=False))
    assert [(record.id, record.digest) for record in found(path, wide.encode())] == [
        (record.id, record.digest) for record in found(path, "".join(blocks).encode())
    ]


@given(st.lists(st.sampled_from(("Add a", "Fix b", "Remove c", "Test d")), unique=True), st.randoms())
def test_reordering_changes_no_id(items: list[str], random: object) -> None:
    path = "project/ticket-004/ai-codex.md"
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    def ids(parts: list[str]) -> set[str]:
        return {
            record.id
            for record in found(path, ("## Plan\n" + "".join(f"- {part}\n" for part in parts)).encode())
        }

    assert ids(shuffled) == ids(items)


@given(st.text(st.sampled_from('aB. !?;"`)(1e.gż\n'), max_size=60))
def test_sentences_leave_out_white_space_and_nothing_else(text: str) -> None:
    kept, end = "", 0
    for start, stop in sentences(text):
        assert end <= start < stop
        assert not text[end:start].strip()
        kept, end = kept + text[start:stop], stop
    assert "".join(kept.split()) == "".join(text.split())
