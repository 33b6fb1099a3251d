"""The parts of the shipped verifier, each against an independent implementation."""

from __future__ import annotations

import ast
import base64
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.errors import Usage
from t2c.ledger.journal import proofs
from t2c.ledger.journal.note import parse_checkpoint
from t2c.ledger.transfer import verifier
from t2c.ledger.transfer.verifier.ed25519 import signature_fits
from t2c.ledger.transfer.verifier.lines import MAX_LINE, journal_lines, withheld_leaf
from t2c.ledger.transfer.verifier.notes import NoteError, parse_key, read_note
from t2c.ledger.transfer.verifier.tree import Tree, extends, widths_before

ORDER = 2**252 + 27742317777372353535851937790883648493

RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]  # fmt: skip
"""Public key, message and signature of the first three vectors of RFC 8032 §7.1."""


@pytest.mark.parametrize(("public", "message", "signature"), RFC_8032)
def test_signatures_of_rfc_8032_fit_and_fit_nothing_else(public: str, message: str, signature: str) -> None:
    key, text, signed = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
    assert signature_fits(key, text, signed)
    assert not signature_fits(key, text + b"!", signed)
    assert not signature_fits(bytes.fromhex(RFC_8032[0][0][:-2] + "1b"), text, signed)
    raised = int.from_bytes(signed[32:], "little") + ORDER
    assert not signature_fits(key, text, signed[:32] + raised.to_bytes(32, "little")), "a second spelling"


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_signatures_fit_as_cryptography_says(seed: bytes, message: bytes, bit: int) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signature = bytearray(private.sign(message))
    assert signature_fits(public, message, bytes(signature))
    signature[bit // 8] ^= 1 << bit % 8
    assert not signature_fits(public, message, bytes(signature))


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64))
def test_any_bytes_are_judged_as_cryptography_judges_them(public: bytes, signature: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, b"text")
        fits = True
    except (InvalidSignature, ValueError):
        fits = False
    assert signature_fits(public, b"text", signature) == fits


def test_a_point_has_one_spelling() -> None:
    """RFC 8032 §5.1.3: y below 2^255 − 19, and no sign where x is 0. The key is the neutral element."""
    signature = (1).to_bytes(32, "little") + bytes(32)
    assert signature_fits((1).to_bytes(32, "little"), b"any", signature)
    assert not signature_fits((2**255 - 18).to_bytes(32, "little"), b"any", signature)
    assert not signature_fits((1 | 1 << 255).to_bytes(32, "little"), b"any", signature)


@pytest.mark.parametrize("sizes", [(0, 0), (31, 64), (33, 64), (32, 63), (32, 65)])
def test_keys_and_signatures_of_another_length_fit_nothing(sizes: tuple[int, int]) -> None:
    assert not signature_fits(b"\x01" * sizes[0], b"", b"\x01" * sizes[1])


def test_the_tree_is_that_of_rfc_6962_at_every_size_and_split(oracle: Any) -> None:
    leaves = [bytes([number]) * 32 for number in range(70)]
    for size in range(len(leaves) + 1):
        whole = Tree()
        whole.extend(leaves[:size])
        assert whole.root() == oracle.root(leaves[:size])
        parts = Tree()
        for width in widths_before(size + 1):
            parts.add(width, oracle.root(leaves[parts.size : parts.size + width]))
        assert (parts.size, parts.root()) == (size, whole.root())
        parts.extend(leaves[size:])
        assert parts.root() == oracle.root(leaves)
    with pytest.raises(ValueError, match="no subtree"):
        whole.add(64, b"x" * 32)


def test_a_consistency_proof_is_judged_as_the_ledger_judges_it(oracle: Any) -> None:
    """The verifier's own code against the ledger's, at every pair of sizes, and with every node changed or left out."""
    leaves = [bytes([number]) * 32 for number in range(20)]

    def node(level: int, index: int) -> bytes:
        found: bytes = oracle.root(leaves[index << level : (index + 1) << level])
        return found

    for new in range(2, len(leaves) + 1):
        for old in range(1, new):
            roots = oracle.root(leaves[:old]), oracle.root(leaves[:new])
            path = proofs.consistency(node, old, new)
            assert extends(old, roots[0], new, roots[1], path)
            assert not extends(old, roots[1], new, roots[1], path)
            assert not extends(old, roots[0], new, roots[0], path)
            assert not extends(old, roots[0], new, roots[1], [*path, path[0]])
            for at in range(len(path)):
                assert not extends(old, roots[0], new, roots[1], path[:at] + path[at + 1 :])
                assert not extends(old, roots[0], new, roots[1], [*path[:at], b"x" * 32, *path[at + 1 :]])
    assert not extends(3, roots[0], 3, roots[0], [])


def test_a_tree_of_more_leaves_than_one_block(oracle: Any) -> None:
    leaves = [number.to_bytes(32, "big") for number in range(9001)]
    tree = Tree()
    tree.extend(leaves[:5])
    tree.extend(leaves[5:8000])
    tree.extend(leaves[8000:])
    assert tree.root() == oracle.root(leaves)


@given(st.lists(st.binary(max_size=8), max_size=20), st.integers(1, 9), st.booleans())
def test_lines_come_out_as_they_went_in(found: list[bytes], size: int, ended: bool) -> None:
    wanted = [line.replace(b"\n", b"") for line in found]
    content = b"\n".join(wanted) + (b"\n" if ended and wanted else b"")
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    read = list(journal_lines(pieces))
    if not ended and wanted and wanted[-1]:
        assert read == [*wanted[:-1], wanted[-1] + b"\0"]
    else:
        assert read == content.split(b"\n")[:-1]


def test_a_line_that_is_too_long_is_cut_and_held_no_longer() -> None:
    pieces = [b"a\n" + b"x" * 1000, *([b"x" * (1 << 18)] * 20), b"xx\nb\n"]
    read = list(journal_lines(pieces))
    assert [read[0], read[2]] == [b"a", b"b"]
    assert len(read) == 3
    assert MAX_LINE <= len(read[1]) <= MAX_LINE + (1 << 18)


def test_only_a_stub_is_a_withheld_line() -> None:
    assert withheld_leaf(b'{"withheld":"' + b"ab" * 32 + b'"}') == b"\xab" * 32
    for line in (
        b'{"withheld":"ab"}',
        b'{"withheld":"' + b"AB" * 32 + b'"}',
        b'{"withheld":"' + b"ab" * 32 + b'"}\r',
    ):
        assert withheld_leaf(line) is None


def test_notes_are_read_as_the_ledger_reads_them(evidence: Any) -> None:
    ours, theirs = parse_checkpoint(evidence.head), read_note(evidence.head.encode())
    assert (theirs.origin, theirs.size, theirs.root) == ours.checkpoint[:3]
    assert theirs.text.decode() == ours.text
    key = parse_key(evidence.signer.vkey)
    (signature,) = theirs.signatures
    assert (signature.name, signature.key) == (key.name, key.id)
    assert signature_fits(key.public, theirs.text, signature.content)


@given(st.data())
def test_a_changed_note_is_read_alike_or_refused_by_both(data: st.DataObject) -> None:
    note = bytearray("t2c/00\n5\n{0}\n\n— t2c/00 {0}\n".format(base64.b64encode(b"x" * 32).decode()).encode())
    at = data.draw(st.integers(0, len(note) - 1))
    note[at] = data.draw(st.sampled_from(list(b"\n 0aZ+=\xe2\x00-")))
    try:
        ours = parse_checkpoint(bytes(note))
    except Usage:
        return  # the ledger is the stricter of the two
    assert read_note(bytes(note)).root == ours.checkpoint.root


@pytest.mark.parametrize("text", ["", "a", "a+b", "a+00000000+AQ==", "name+0123456+x", "na me+01234567+AAAA"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        parse_key(text)


def test_a_key_whose_id_is_not_its_own_is_refused(evidence: Any) -> None:
    name, number, rest = evidence.signer.vkey.split("+", 2)
    with pytest.raises(NoteError, match="id is not"):
        parse_key(f"{name}+{int(number, 16) ^ 1:08x}+{rest}")


SOURCE = verifier.script().decode()


def test_the_shipped_file_needs_python_38_and_its_standard_library() -> None:
    tree = ast.parse(SOURCE, feature_version=(3, 8))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        )
    }
    assert len(imported) > 8
    assert imported <= set(sys.stdlib_module_names)
    later = {"removeprefix", "removesuffix", "is_relative_to", "bit_count", "pairwise", "batched", "readlink"}
    assert {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & later == set()
    assert not any(isinstance(node, ast.Match) for node in ast.walk(tree))


def test_no_two_parts_use_one_name_for_two_things() -> None:
    named: Counter[str] = Counter()
    for node in ast.parse(SOURCE).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named[node.name] += 1
        elif isinstance(node, ast.Assign):
            for target in ast.walk(node):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    named[target.id] += 1
    assert len(named) > 50
    assert {name for name, count in named.items() if count > 1} == set()


def test_the_shipped_file_holds_every_part_and_nothing_of_the_package() -> None:
    assert "t2c.ledger" not in SOURCE
    folder = Path(verifier.__file__).parent
    parts = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(verifier.PARTS) == parts
