"""What the shipped verifier says of a part of a ledger, of keys and names, and of files that nothing looks into."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.export import export


class Ran(NamedTuple):
    code: int
    found: dict[str, Any]
    err: str

    def kinds(self) -> set[str]:
        return {fault["kind"] for fault in self.found["faults"]}

    def unproven(self) -> str:
        return " | ".join(self.found["unproven"])


def verify(bundle: Path, *arguments: str | Path) -> Ran:
    """A bundle's own verifier, with nothing else and an empty environment."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "--json", *map(str, arguments)],
        check=False, cwd=bundle, env={}, capture_output=True, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr.decode())


@pytest.fixture
def made(evidence: Any, tmp_path: Path) -> Any:
    """Makes a bundle of events `first` to `last`, of 12 that are signed up to the last but one."""
    evidence.note("later")
    evidence.newest = evidence.sign()
    evidence.note("unsigned")
    assert evidence.chain.seq == 12
    (tmp_path / "key").write_text(f"# the ledger's\n\n{evidence.signer.vkey}\n")
    (tmp_path / "newest").write_text(evidence.newest)
    (tmp_path / "later").write_text(evidence.signer.note(12, evidence.root()))

    def make(name: str, **options: Any) -> Path:
        with Ledger(evidence.workspace) as ledger:
            return export(ledger, tmp_path / name, **options).path

    return make


def change(bundle: Path, **figures: Any) -> None:
    path = bundle / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **figures}))


def test_an_honest_part_is_neither_truncated_nor_unsigned(made: Any, tmp_path: Path) -> None:
    part = made("part", first=4, last=6)
    ran = verify(part, "--key", tmp_path / "key")
    assert (ran.code, ran.found["verdict"], ran.found["partial"]) == (0, "sound", True)
    assert ran.found["proven"] == [
        "events 1 to 6 are those that the given key signed, and begin the 11 of its checkpoint"
    ]
    assert "events after 6: the sender says that this bundle is a part" in ran.unproven()
    ran = verify(part, "--checkpoint", tmp_path / "newest")
    assert ran.code == 0
    assert ran.found["proven"] == [f"events 1 to 6 begin the 11 that {tmp_path / 'newest'} vouches for"]
    ran = verify(part, "--checkpoint", tmp_path / "later")
    assert (ran.code, ran.found["verdict"], ran.found["proven"]) == (0, "sound", [])
    assert (
        "the checkpoint vouches for 12 events; the sender says that this bundle is a part that ends at 6"
        in ran.unproven()
    )


def test_a_bundle_that_claims_to_be_whole_is_truncated(made: Any, tmp_path: Path) -> None:
    part = made("part", last=6)
    change(part, partial=False)
    assert verify(part).kinds() == {"checkpoint"}, "its own later checkpoint says otherwise"
    ran = verify(part, "--checkpoint", tmp_path / "newest")
    assert (ran.code, ran.found["verdict"]) == (5, "truncated")
    ran = verify(part, "--key", tmp_path / "key")
    assert (ran.code, ran.found["verdict"]) == (5, "truncated")
    change(part, partial="yes")
    assert verify(part).kinds() == {"manifest"}


def test_a_proof_that_does_not_lead_to_the_checkpoint_proves_nothing(made: Any, tmp_path: Path) -> None:
    part = made("part", last=6)
    proof = json.loads((part / "proof.json").read_bytes())
    nodes = proof["consistency"]["nodes"]
    for consistency, kind in (
        ({"size": 11, "nodes": ["a" * 64, *nodes[1:]]}, "checkpoint"), ({"size": 11, "nodes": nodes[1:]}, "checkpoint"),
        ({"size": 10, "nodes": nodes}, "checkpoint"), ({"size": 11, "nodes": "ab"}, "consistency_proof"),
        ({"size": 11, "nodes": ["ab"]}, "consistency_proof"), ({"size": "11", "nodes": nodes}, "consistency_proof"),
        ([], "consistency_proof"), ({"size": 11, "nodes": nodes * 200}, "consistency_proof"), (None, "checkpoint"),
    ):  # fmt: skip
        (part / "proof.json").write_text(json.dumps({**proof, "consistency": consistency}))
        ran = verify(part, "--key", tmp_path / "key")
        assert (ran.code, ran.found["verdict"]) == (1, "faulty"), consistency
        assert kind in ran.kinds()
        assert not ran.found["proven"]


def test_another_later_checkpoint_than_the_auditor_holds_is_a_fork(
    made: Any, evidence: Any, tmp_path: Path
) -> None:
    part = made("part", last=6)
    (tmp_path / "other").write_text(evidence.signer.note(11, b"r" * 32))
    ran = verify(part, "--checkpoint", tmp_path / "other")
    assert (ran.code, ran.found["verdict"]) == (5, "forked")


def test_a_part_that_no_signature_covers_is_unsigned(made: Any, evidence: Any, tmp_path: Path) -> None:
    shutil.rmtree(evidence.workspace / "checkpoints")
    part = made("part", first=9, last=11)
    ran = verify(part, "--key", tmp_path / "key")
    assert (ran.code, ran.kinds()) == (1, {"unsigned"})


def test_the_other_bundle_that_goes_on_is_told_of(made: Any) -> None:
    part, whole = made("part", last=6), made("whole.tar.gz")
    ran = verify(part, "--against", whole)
    assert ran.code == 0
    assert f"6 events up to seq 6 are the same in {whole}" in ran.found["proven"]
    assert "the other bundle goes on to event 12; this one ends at 6" in ran.unproven()
    assert ran.found["against"] == {
        "bundle": str(whole), "same": 6, "upto": 6, "differs": None, "last": 6, "its_last": 12, "goes_on": True,
    }  # fmt: skip
    ran = verify(part, whole, "--against", part)
    assert ran.found["against"]["goes_on"] is False
    assert "goes on" not in ran.unproven()
    assert verify(part).found["against"] is None


def test_a_key_counts_for_the_ledger_of_its_name_alone(made: Any, evidence: Any, tmp_path: Path) -> None:
    """The same bytes under another name, and another ledger's key, sign nothing of this one."""
    foreign = type(evidence.signer)("1" * 32)
    bundle = made("bundle")
    ran = verify(bundle, "--key", foreign.vkey)
    assert (ran.code, ran.kinds()) == (1, {"unsigned"})
    assert "of another ledger" in ran.found["faults"][0]["detail"]
    (tmp_path / "keys").write_text(f"{foreign.vkey}\n{evidence.signer.vkey}\n")
    ran = verify(bundle, "--key", tmp_path / "keys")
    assert ran.code == 0
    assert f"what keys of other ledgers signed: {foreign.origin}+" in ran.unproven()


def test_a_foreign_name_that_signs_for_the_ledger_counts_for_nothing(
    made: Any, evidence: Any, tmp_path: Path
) -> None:
    signer = type(evidence.signer)("0" * 32, 9)
    signer.origin = "t2c/elsewhere"
    body = evidence.newest.partition("\n\n")[0] + "\n"
    packed = b"\x01" + signer._private.public_key().public_bytes_raw()
    number = hashlib.sha256(b"somebody\n" + packed).digest()[:4]
    signature = base64.b64encode(number + signer._private.sign(body.encode())).decode()
    bundle = made("bundle")
    note = next((bundle / "checkpoints").glob("11-*"))
    note.write_text(f"{body}\n— somebody {signature}\n")
    key = f"somebody+{number.hex()}+{base64.b64encode(packed).decode()}"
    ran = verify(bundle, "--key", key)
    assert "unsigned" in ran.kinds()
    assert not ran.found["proven"]


@pytest.mark.parametrize("options", [{"first": 3}, {"withhold": ("journal.opened",)}])
def test_whose_ledger_it_is_is_the_senders_word_without_the_first_line(
    made: Any, tmp_path: Path, options: dict[str, Any]
) -> None:
    bundle = made("bundle", **options)
    word = f"that it is of ledger {'0' * 32}: event 1, which names it, is not here"
    assert word in verify(bundle).unproven()
    assert word not in verify(bundle, "--key", tmp_path / "key").unproven()
    assert word not in verify(bundle, "--checkpoint", tmp_path / "newest").unproven()
    assert word not in verify(made("all")).unproven()


def test_files_that_nothing_looks_into_are_named(made: Any) -> None:
    bundle = made("bundle")
    (bundle / "projections").mkdir()
    for name in ("projections/junk.json", "notes.md"):
        (bundle / name).write_text("junk")
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    junk = {"bytes": 4, "sha256": hashlib.sha256(b"junk").hexdigest()}
    change(bundle, files={**manifest["files"], "projections/junk.json": junk, "notes.md": junk})
    ran = verify(bundle)
    assert ran.code == 0
    (said,) = [sentence for sentence in ran.found["unproven"] if "digests alone" in sentence]
    for name in ("README.md", "verify.py", "notes.md", "1 file in projections/", "files in schemas/"):
        assert name in said
    assert "journal.ndjson" not in said
