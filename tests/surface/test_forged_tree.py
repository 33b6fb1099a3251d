"""Claims: what is signed, printed or proven comes from the journal, whatever a kept tree says of it.

The tree is forged by somebody who may write the ledger's folder: its nodes are whole, lead to the root that its place
names, and the place names the journal's own last line.

Mutations seen to fail: the root that the place names taken for the journal's; the leaf not compared with the line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.journal.levels import Growth, write_place
from t2c.ledger.journal.note import parse_checkpoint
from t2c.ledger.journal.read import JournalFile


def path(t2c: Any) -> Path:
    found: Path = t2c.root / ".t2c" / "journal.ndjson"
    return found


def leaves(oracle: Any, lines: list[bytes]) -> list[bytes]:
    return [bytes.fromhex(oracle.leaf(line)) for line in lines]


def true_root(t2c: Any, oracle: Any, size: int | None = None) -> bytes:
    found: bytes = oracle.root(leaves(oracle, path(t2c).read_bytes().splitlines()[:size]))
    return found


@pytest.fixture
def spoken(t2c: Any) -> Any:
    """A ledger of a key, three statements and a tree that was kept of it."""
    assert t2c("ledger", "append", "--statement", "a fact").code == 0
    assert t2c("ledger", "key", "new").code == 0
    for text in ("Ada paid 7", "and more"):
        assert t2c("ledger", "append", "--statement", text).code == 0
    assert t2c("ledger", "checkpoint").code == 0
    return t2c


@pytest.fixture
def forged(spoken: Any, oracle: Any) -> bytes:
    """The tree of a journal in which something else was said, put in place of the kept one; returns its root."""
    return forge(spoken, oracle)


def forge(t2c: Any, oracle: Any) -> bytes:
    events = [json.loads(line) for line in path(t2c).read_bytes().splitlines()]
    events[3]["data"]["statement"] = "Ada owes 7"
    folder = t2c.root / ".t2c" / "cache" / "tree"
    for item in folder.iterdir():
        item.unlink()
    nodes = leaves(oracle, oracle.mint(events).splitlines())
    with Growth(folder, 0) as growth:
        growth.add(b"".join(nodes))
    root: bytes = oracle.root(nodes)
    write_place(folder, JournalFile(path(t2c)).head(), root)
    assert root != true_root(t2c, oracle)
    return root


def test_a_checkpoint_is_of_the_journal(spoken: Any, forged: bytes, oracle: Any) -> None:
    note = parse_checkpoint(spoken("ledger", "checkpoint").stdout)
    assert note.checkpoint.root == true_root(spoken, oracle) != forged


def test_no_signature_is_given_to_a_history_that_is_not_in_the_journal(
    spoken: Any, forged: bytes, oracle: Any
) -> None:
    true = true_root(spoken, oracle)
    ran = spoken("ledger", "checkpoint", "--sign")
    assert ran.code == 0, ran.err
    assert parse_checkpoint(ran.stdout).checkpoint.root == true
    assert spoken("ledger", "verify", "--level", "domain", "--anchor", "local").code == 0


def test_a_trailer_for_git_is_of_the_journal(spoken: Any, forged: bytes, oracle: Any) -> None:
    found = spoken("ledger", "anchor", "git", "--trailer", "--json").document
    assert found["root"] == true_root(spoken, oracle).hex()


@pytest.mark.parametrize("sign", [False, True])
def test_proofs_lead_from_the_line_to_a_root_of_the_journal(spoken: Any, oracle: Any, sign: bool) -> None:
    if sign:
        assert spoken("ledger", "checkpoint", "--sign").code == 0
    for arguments in (("inclusion", "4"), ("inclusion", "1"), ("consistency", "3", "5")):
        forge(spoken, oracle)
        ran = spoken("ledger", "prove", *arguments)
        assert ran.code == 0, ran.err
        note = parse_checkpoint(ran.document["checkpoint"])
        assert note.checkpoint.root == true_root(spoken, oracle, note.checkpoint.size)
        (spoken.root / "proof.json").write_bytes(ran.stdout)
        assert spoken("ledger", "verify-proof", "proof.json").code == 0, arguments


def test_one_leaf_that_is_not_the_line_does_not_get_into_a_proof(spoken: Any, oracle: Any) -> None:
    """The nodes above are right, so that the root is."""
    leaf = spoken.root / ".t2c" / "cache" / "tree" / "level-00"
    content = bytearray(leaf.read_bytes())
    content[3 * 32] ^= 1
    leaf.write_bytes(content)
    for index in ("3", "4"):
        (spoken.root / "proof.json").write_bytes(spoken("ledger", "prove", "inclusion", index).stdout)
        assert spoken("ledger", "verify-proof", "proof.json").code == 0


def test_a_checkpoint_that_leads_to_a_forged_tree_is_refused(
    spoken: Any, forged: bytes, tmp_path: Path
) -> None:
    """The forged root has a text of its own, given or put beside the journal."""
    text = spoken("ledger", "checkpoint").out.splitlines()
    import base64

    (tmp_path / "forged.txt").write_text(f"{text[0]}\n{text[1]}\n{base64.b64encode(forged).decode()}\n")
    ran = spoken("ledger", "prove", "inclusion", "4", "--checkpoint", tmp_path / "forged.txt", "--json")
    assert (ran.code, "vouches for" in ran.document["error"]["message"]) == (5, True), ran.out


@pytest.mark.parametrize(
    "arguments",
    [("checkpoint",), ("checkpoint", "--sign"), ("prove", "inclusion", "2"), ("anchor", "git", "--trailer")],
)
def test_nothing_is_signed_printed_or_proven_of_a_journal_with_faults(
    spoken: Any, arguments: tuple[str, ...]
) -> None:
    """The tree is of the journal as it was before somebody changed a line in its middle."""
    content = path(spoken).read_bytes()
    path(spoken).write_bytes(content.replace(b"Ada paid 7", b"Ada owes 7"))
    ran = spoken("ledger", *arguments, "--json")
    assert (ran.code, ran.document["error"]["where"]) == (5, "seq 4"), ran.out
    assert "t2c ledger verify" in ran.document["error"]["remedy"]


def test_files_of_the_tree_that_are_links_are_not_written_through(spoken: Any, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_bytes(b"kept")
    leaf = spoken.root / ".t2c" / "cache" / "tree" / "level-00"
    leaf.unlink()
    leaf.symlink_to(target)
    ran = spoken("ledger", "prove", "inclusion", "2")
    assert ran.code == 0, ran.err
    assert target.read_bytes() == b"kept"
