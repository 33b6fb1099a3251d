"""Claims: our notes and keys are those of C2SP signed notes, byte for byte, as another implementation has them.

`signed-by-t2c.txt` was opened, and `signed-by-go.txt` signed, by golang.org/x/mod/sumdb/note with the key of
`key.txt`, whose private half is SHA-256("t2c golden note key"). `go-example.txt` is that package's own example, the
files named c2sp are the examples of the specifications.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint, parse_note
from t2c.ledger.journal.signature import VerifierKey, check, parse_key, public_of, sign

NOTES = Path(__file__).parent / "notes"
SEED = sha256(b"t2c golden note key").digest()


def key(name: str) -> VerifierKey:
    return parse_key((NOTES / name).read_text().strip())


def test_the_note_that_the_other_implementation_opened_is_still_what_we_sign() -> None:
    ours = key("key.txt")
    assert ours == VerifierKey(origin_of("0123456789abcdef" * 2), public_of(SEED))
    checkpoint = Checkpoint(ours.name, 1041, sha256(b"t2c golden root").digest())
    signed = SignedNote.of(checkpoint, [sign(SEED, ours.name, checkpoint.body())])
    assert signed.note.encode() == (NOTES / "signed-by-t2c.txt").read_bytes()


def test_we_accept_what_the_other_implementation_signed_and_keep_what_we_do_not_know() -> None:
    ours, content = key("key.txt"), (NOTES / "signed-by-go.txt").read_bytes()
    note = parse_checkpoint(content)
    assert note.note.encode() == content
    assert note.checkpoint.size == 2048
    assert note.checkpoint.extension == ("an extension line",)
    assert [signature.name for signature in note.signatures] == ["witness.example/w1", ours.name]
    assert check(note.text, note.signatures, [ours]) == ((ours,), ())


@pytest.mark.parametrize("name", ["signed-by-t2c.txt", "signed-by-go.txt", "c2sp-checkpoint.txt"])
def test_a_checkpoint_is_written_as_it_was_read(name: str) -> None:
    content = (NOTES / name).read_bytes()
    assert parse_checkpoint(content).note.encode() == content
    assert SignedNote.of(*parse_checkpoint(content)[1:]).note.encode() == content


def test_the_checkpoint_of_the_specification_is_read() -> None:
    note = parse_checkpoint((NOTES / "c2sp-checkpoint.txt").read_bytes())
    assert note.checkpoint.origin == "example.com/behind-the-sofa"
    assert (note.checkpoint.size, note.checkpoint.ledger) == (20852163, None)
    assert [len(signature.signature) for signature in note.signatures] == [64]


def test_the_text_of_a_note_may_hold_empty_lines() -> None:
    text, signatures = parse_note((NOTES / "c2sp-note.txt").read_bytes())
    assert text.endswith("di sole:\n\ned è subito sera.\n")
    assert [signature.name for signature in signatures] == ["quasimodo.example/salvatore"]


def test_the_other_implementations_own_example_verifies() -> None:
    theirs = key("go-example-key.txt")
    text, signatures = parse_note((NOTES / "go-example.txt").read_bytes())
    assert (theirs.name, theirs.id) == ("PeterNeumann", "c74f20a3")
    assert check(text, signatures, [theirs]).good
    assert not check(text.replace("answer", "question"), signatures, [theirs]).good
