"""Whatever stands around checkpoints in a note, they are found whole and in order."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.anchors import git
from t2c.ledger.journal.note import Checkpoint, NoteSignature, SignedNote, origin_of, parse_checkpoint

roots = st.binary(min_size=32, max_size=32)
signatures = st.lists(
    st.builds(NoteSignature, st.just("name"), st.just("0a0b0c0d"), st.binary(min_size=1, max_size=70)),
    max_size=3,
)
extensions = st.lists(st.from_regex(r"[a-z]{1,20} [0-9]{1,5}", fullmatch=True), max_size=2).map(tuple)
notes = st.builds(
    lambda ledger, size, root, extension, signed: (
        SignedNote.of(Checkpoint(origin_of(ledger), size, root, extension), signed).note
    ),
    st.from_regex(r"[0-9a-f]{32}", fullmatch=True),
    st.integers(0, 2**53 - 1),
    roots,
    extensions,
    signatures,
)
lines = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30)
foreign = st.lists(
    lines.filter(lambda line: not line.startswith("t2c/") and not line.startswith("— ")), min_size=1
).map(lambda found: "".join(f"{line}\n" for line in found))


@given(
    st.lists(
        st.one_of(notes.map(lambda note: (True, note)), foreign.map(lambda text: (False, text))), max_size=6
    )
)
def test_checkpoints_are_found_among_anything(parts: list[tuple[bool, str]]) -> None:
    content = "\n".join(text for _, text in parts).encode()
    assert list(git.checkpoints_in(content)) == [text for ours, text in parts if ours]


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd(content: bytes) -> None:
    for text in git.checkpoints_in(b"t2c/" + content):
        assert text.startswith("t2c/")


@given(st.lists(notes, min_size=1, max_size=3, unique=True))
@settings(max_examples=5)
def test_git_gives_back_what_it_was_given(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    root = tmp_path_factory.mktemp("repo")
    for command in (
        ("init", "-q"),
        ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    for text in texts:
        git.write_note(root, text)
    for text in texts:
        ledger = parse_checkpoint(text).checkpoint.ledger
        assert text in [anchor.note for anchor in git.read(root, str(ledger)).anchors]
