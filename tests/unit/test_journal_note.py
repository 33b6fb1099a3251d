"""Claims: a checkpoint is read strictly, written as it was read, and one bad signature of a known key spoils it.

Mutations seen to fail: base64 taken in any spelling; control characters let through; unknown signatures dropped;
bad signatures of known keys overlooked; the id of a key not compared.
"""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import (
    MAX_NOTE,
    Checkpoint,
    NoteSignature,
    SignedNote,
    origin_of,
    parse_checkpoint,
)
from t2c.ledger.journal.signature import VerifierKey, check, parse_key, public_of, sign

LEDGER = "0f" * 16
ROOT = sha256(b"root").digest()
SEED = sha256(b"seed").digest()
CHECKPOINT = Checkpoint(origin_of(LEDGER), 7, ROOT)
KEY = VerifierKey(CHECKPOINT.origin, public_of(SEED))
SIGNED = SignedNote.of(CHECKPOINT, [sign(SEED, KEY.name, CHECKPOINT.body())])
B64 = CHECKPOINT.body().split("\n")[2]


def test_a_checkpoint_names_its_ledger_and_no_other_origin_does() -> None:
    assert CHECKPOINT.ledger == LEDGER
    assert Checkpoint("example.com/log", 7, ROOT).ledger is None
    assert Checkpoint(f"t2c/{LEDGER}/more", 7, ROOT).ledger is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("a\n7\n" + B64, "line feed"),
        (f"\n7\n{B64}\n", "origin"),
        ("a\n7\n", "origin"),
        (f"a\n07\n{B64}\n", "number of events"),
        (f"a\n-7\n{B64}\n", "number of events"),
        (f"a\n+7\n{B64}\n", "number of events"),
        (f"a\n٧\n{B64}\n", "number of events"),
        (f"a\n9007199254740992\n{B64}\n", "number of events"),
        (f"a\n7\n{B64[:-1]}\n", "root"),
        (f"a\n7\n{B64[:-4]}\n", "root"),
        (f"a\n7\n{B64[:-2]}B=\n", "root"),
        (f"a\n7\n {B64}\n", "root"),
        (f"a\n7\n{B64}\r\n", "control character U+000D"),
        (f"a\n7\n{B64}\nx\ty\n", "control character U+0009"),
        (f"a\n7\n{B64}\n\x00\n", "control character U+0000"),
        (f"a\n7\n{B64}\n\n", "signatures"),
        (f"a\n7\n{B64}\n\nno dash\n", "signature line"),
        (f"a\n7\n{B64}\n\n— two words AAAAAAA=\n", "signature line"),
        (f"a\n7\n{B64}\n\n— a+b AAAAAAA=\n", "signature line"),
        (f"a\n7\n{B64}\n\n— name AAAA\n", "signature line"),
        (f"a\n7\n{B64}\n\n— name AAAAAAB=\n", "signature line"),
        (f"a\n7\n{B64}\n\nmore\n\n— name AAAAAAA=\n", "empty line"),
        (f"a\n7\n{B64}\n\n" + "— name AAAAAAA=\n" * 101, "100 signatures"),
        (f"a\n7\n{B64}\n" + "x\n" * MAX_NOTE, "longer than"),
        ("a\n7\n\ud800\n", "UTF-8"),
    ],
)
def test_what_the_format_does_not_allow_is_refused_by_name(text: str, why: str) -> None:
    with pytest.raises(Usage) as refused:
        parse_checkpoint(text, "cp.txt")
    assert why in refused.value.what
    assert refused.value.where == "cp.txt"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Usage, match="UTF-8"):
        parse_checkpoint(b"a\xff\n7\n" + B64.encode() + b"\n")


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_any_text_is_either_a_checkpoint_or_refused(text: str | bytes) -> None:
    try:
        found = parse_checkpoint(text)
    except Usage:
        return
    assert found.note == (text if isinstance(text, str) else text.decode())


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="+", exclude_categories=["Z", "C"]), min_size=1
)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1)


@given(
    LINES,
    st.integers(0, 2**53 - 1),
    st.binary(min_size=32, max_size=32),
    st.lists(LINES, max_size=3),
    st.lists(
        st.tuples(NAMES, st.binary(min_size=4, max_size=4), st.binary(min_size=1, max_size=70)), max_size=4
    ),
)
def test_what_is_written_is_what_is_read(
    origin: str, size: int, root: bytes, extension: list[str], signed: list[tuple[str, bytes, bytes]]
) -> None:
    checkpoint = Checkpoint(origin, size, root, tuple(extension))
    note = SignedNote.of(checkpoint, [NoteSignature(name, key.hex(), body) for name, key, body in signed])
    assert parse_checkpoint(note.note) == note
    assert parse_checkpoint(note.note.encode()) == note


def test_a_known_key_verifies_and_an_unknown_one_says_nothing() -> None:
    other = NoteSignature("witness.example", "00000000", b"x" * 64)
    both = SIGNED._replace(signatures=(other, *SIGNED.signatures))
    assert check(both.text, both.signatures, [KEY]) == ((KEY,), ())
    assert check(both.text, both.signatures, [KEY]).good
    stranger = VerifierKey("else", public_of(sha256(b"else").digest()))
    assert not check(both.text, both.signatures, [stranger]).good


def test_one_bad_signature_of_a_known_key_spoils_the_note() -> None:
    good = SIGNED.signatures[0]
    bad = good._replace(signature=bytes([good.signature[0] ^ 1]) + good.signature[1:])
    found = check(SIGNED.text, [good, bad], [KEY])
    assert (found.valid, found.bad, found.good) == ((KEY,), (bad,), False)
    short = good._replace(signature=b"short")
    assert check(SIGNED.text, [short], [KEY]).bad == (short,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        KEY.text() + "\n",
        KEY.text()[:-1] + "=",
        KEY.text().replace(KEY.id, "00000000"),
        KEY.text().replace("t2c/", "t3c/"),
        KEY.text().replace("+A", "+B", 1),
        "x" * 100_000,
    ],
)
def test_a_key_that_was_changed_is_refused(text: str) -> None:
    assert parse_key(KEY.text()) == KEY
    with pytest.raises(Usage):
        parse_key(text)


def test_openssl_verifies_what_we_sign(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(SIGNED.text)
    (tmp_path / "sig").write_bytes(SIGNED.signatures[0].signature)
    (tmp_path / "key.pem").write_text(KEY.pem())
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "key.pem",
        "-rawin",
        "-in",
        "text",
        "-sigfile",
        "sig",
    ]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    (tmp_path / "text").write_text(SIGNED.text.replace("7", "8"))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0
