"""What vouches for a bundle and what it may not hold: keys, checkpoints, later ones of a part, foreign words."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt
from t2c.ledger.journal import proofs
from t2c.ledger.transfer.export import Exported, export
from t2c.ledger.transfer.layout import check, open_bundle
from t2c.ledger.transfer.verifier.notes import parse_key


def exported(evidence: Any, name: str = "bundle", **options: Any) -> tuple[Path, Exported]:
    destination = evidence.workspace.parent.parent / name
    with Ledger(evidence.workspace) as ledger:
        return destination, export(ledger, destination, **options)


def registered(evidence: Any, *texts: str) -> None:
    for number, text in enumerate(texts):
        evidence.chain.add(
            "key.registered",
            {
                "key": f"k{number}",
                "algorithm": "ed25519",
                "public": text,
                "participant": None,
                "expires": None,
            },
        )


def vkey(name: str, public: bytes) -> str:
    packed = b"\x01" + public
    number = hashlib.sha256(name.encode() + b"\n" + packed).hexdigest()[:8]
    return f"{name}+{number}+{base64.b64encode(packed).decode()}"


def test_keys_that_say_the_same_are_one_and_none_stands_in_the_way_of_another(evidence: Any) -> None:
    """Nothing that was registered once can make every later export fail."""
    one = vkey("dup", b"1" * 32)
    registered(evidence, one, f" {one}", f"{one}\n", vkey("dup", b"2" * 32), "+" * 5000, evidence.signer.vkey)
    folder, made = exported(evidence)
    keys = sorted(path.read_text() for path in (folder / "keys").iterdir())
    assert keys == sorted(f"{text}\n" for text in (one, vkey("dup", b"2" * 32), evidence.signer.vkey))
    assert check(open_bundle(folder)).verdict == "sound"
    assert any("no Ed25519 key" in sentence for sentence in made.left_out)


def test_two_keys_of_one_id_have_two_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """An id has 32 bits, so another key of the same one is a matter of an hour: here the ids are made alike."""
    from t2c.ledger.transfer import vouchers
    from t2c.ledger.transfer.verifier.notes import Key

    def parsed(text: str) -> Key:
        return Key("t2c/x", "0" * 8, text.encode())

    monkeypatch.setattr(vouchers, "parse_key", parsed)
    found = vouchers.key_files(["b", "a", "c", "a "], [])
    assert [key.name for key in found] == [
        "keys/00000000.vkey",
        "keys/00000000-2.vkey",
        "keys/00000000-3.vkey",
    ]
    assert [key.text for key in found] == ["a", "b", "c"]


HOSTILE = "x|;s/.*/PWNED/p';touch${IFS}owned;'"


def test_nothing_that_a_foreign_key_is_called_stands_in_the_page(evidence: Any, oracle: Any) -> None:
    """Whoever follows the page runs its lines, and the name of a key is anybody's text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(b"h" * 32)
    hostile = vkey(HOSTILE, private.public_key().public_bytes_raw())
    registered(evidence, hostile)
    note = evidence.sign()
    body, _, ours = note.rpartition("\n\n")
    number = bytes.fromhex(hostile.split("+")[1])
    signature = base64.b64encode(number + private.sign(f"{body}\n".encode())).decode()
    kept = evidence.workspace / "checkpoints" / f"{evidence.chain.seq}.txt"
    kept.write_text(f"{body}\n\n— {HOSTILE} {signature}\n{ours}")
    folder, made = exported(evidence)
    page = (folder / "README.md").read_text()
    for word in ("PWNED", "touch", "IFS", hostile.split("+")[1]):
        assert word not in page
    assert "pkeyutl" in page, "the ledger's own signature is there to be checked"
    assert any("PWNED" in sentence and "README.md" in sentence for sentence in made.left_out)
    assert check(open_bundle(folder)).verdict == "sound"


@pytest.mark.parametrize("ledger", ["$(touch owned)", "`id`", "0" * 31, "A" * 32, "0" * 32 + "\n"])
def test_a_journal_that_does_not_say_which_ledger_it_is_makes_no_bundle(
    evidence: Any, tmp_path: Path, oracle: Any, ledger: str
) -> None:
    events = [json.loads(line) for line in evidence.chain.path.read_bytes().splitlines()]
    events[0]["data"]["ledger"] = ledger
    evidence.chain.path.write_bytes(oracle.mint(events))
    with pytest.raises(Corrupt, match="which ledger"):
        exported(evidence)


def test_a_type_with_other_characters_is_not_written_into_the_page(evidence: Any) -> None:
    evidence.chain.add("x`touch owned`", {"sun": True})
    folder, _ = exported(evidence, withhold=("x`touch owned`",))
    page = (folder / "README.md").read_text()
    assert "touch" not in page
    assert "1 line of a type that `manifest.json` names" in page


@pytest.mark.parametrize("name", ["../../../etc/passwd", "x" * 64, "A" * 64, "", "a" * 63])
def test_what_is_no_digest_is_no_object(evidence: Any, name: str) -> None:
    evidence.note("cites nothing", objects=[name])
    evidence.chain.add("observation.noted", b'null,"data_hash":%b' % json.dumps(name).encode())
    folder, made = exported(evidence)
    assert len(made.manifest.missing) == 2, "the two that were missing before"
    assert check(open_bundle(folder)).verdict == "sound"


def test_an_object_is_found_however_its_line_is_written(evidence: Any) -> None:
    """A member of the same name deeper in the payload, or one written with an escape, hides nothing."""
    other = evidence.keep(b"other")
    third = evidence.keep(b"third")
    for data in (
        b'{"metadata":{"objects":[]},"objects":["%b"],"statement":"x"}' % other.encode(),
        b'{"metadata":{"objects":[]},"\\u006fbjects":["%b"],"statement":"x"}' % third.encode(),
    ):
        evidence.chain.add("observation.noted", data)
    folder, _ = exported(evidence)
    for digest in (other, third):
        assert (folder / "objects" / digest[:2] / digest[2:]).is_file()
    assert check(open_bundle(folder)).verdict == "sound"


def test_a_pipe_among_the_checkpoints_is_not_waited_for(evidence: Any) -> None:
    import os

    os.mkfifo(evidence.workspace / "checkpoints" / "f.txt")
    (evidence.workspace / "checkpoints" / "g.txt").write_bytes(b"x" * 70_000)
    _, made = exported(evidence)
    assert made.left_out == (
        "checkpoints/f.txt: it is no plain file", "checkpoints/g.txt: it is longer than 65,536 bytes",
    )  # fmt: skip


def test_a_checkpoint_that_nobody_signed_for_the_ledger_is_left_out(evidence: Any) -> None:
    """It would make whoever checks the bundle call it faulty, and anybody can put one beside the journal."""
    kept = evidence.workspace / "checkpoints"
    (kept / "other.txt").write_text(type(evidence.signer)("0" * 32, 9).note(5, b"r" * 32))
    (kept / "forged.txt").write_text(evidence.signer.note(5, b"r" * 32).replace("\n5\n", "\n6\n"))
    folder, made = exported(evidence)
    assert made.left_out == (
        "a checkpoint of 6 events that no key registered up to there signed",
        "a checkpoint of 5 events that no key registered up to there signed",
    )
    assert check(open_bundle(folder)).verdict == "sound"


def test_a_checkpoint_that_a_key_of_the_ledger_signed_goes_along_though_it_speaks_against_it(
    evidence: Any,
) -> None:
    (evidence.workspace / "checkpoints" / "5.txt").write_text(evidence.signer.note(5, b"r" * 32))
    folder, _ = exported(evidence)
    assert {fault.kind for fault in check(open_bundle(folder)).faults} == {"checkpoint"}


@pytest.mark.parametrize("last", range(1, 15))
def test_a_part_takes_the_newest_later_checkpoint_along_with_a_proof(
    evidence: Any, oracle: Any, last: int
) -> None:
    for number in range(3):
        evidence.note(f"later {number}")
    evidence.sign()
    evidence.note("unsigned")
    assert evidence.chain.seq == 14
    folder, made = exported(evidence, first=max(1, last - 3), last=last)
    assert made.manifest.partial == (last < 14)
    assert made.covered == min(last, 13)
    proof = folder / "proof.json"
    if last in (13, 14):
        assert "consistency" not in (json.loads(proof.read_bytes()))
        return
    said = json.loads(proof.read_bytes())["consistency"]
    lines = evidence.chain.path.read_bytes().splitlines()
    leaves = [bytes.fromhex(oracle.leaf(line)) for line in lines]
    path = [bytes.fromhex(node) for node in said["nodes"]]
    assert said["size"] == 13
    assert proofs.extends(last, oracle.root(leaves[:last]), 13, oracle.root(leaves[:13]), path)
    key = parse_key(evidence.signer.vkey)
    found = check(open_bundle(folder), [key])
    assert (found.verdict, found.faults) == ("sound", [])
    assert (
        f"events 1 to {last} are those that the given key signed, and begin the 13 of its checkpoint"
        in found.proven
    )


def test_a_later_checkpoint_in_the_journal_alone_serves_as_well(evidence: Any) -> None:
    """Its key may have been registered after the part, too."""
    for path in (evidence.workspace / "checkpoints").iterdir():
        path.unlink()
    _, made = exported(evidence, last=5)
    assert made.covered == 5, "the event after it holds the note of event 8"
    _, made = exported(evidence, "b", last=1)
    assert made.covered == 1


def test_a_part_that_no_checkpoint_covers_says_so(evidence: Any) -> None:
    kept = evidence.workspace / "checkpoints"
    for path in kept.iterdir():
        path.unlink()
    evidence.note("later")
    root = evidence.root()
    (kept / "forged.txt").write_text(evidence.signer.note(evidence.chain.seq, b"r" * 32))
    (kept / "other.txt").write_text(type(evidence.signer)("0" * 32, 9).note(evidence.chain.seq, root))
    folder, made = exported(evidence, last=10)
    assert (made.covered, made.manifest.partial) == (8, True)
    assert not (folder / "proof.json").exists()
    assert check(open_bundle(folder)).verdict == "sound"
