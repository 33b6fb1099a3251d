"""`t2c ledger checkpoint`, `key`, `prove` and `verify-proof` as a user types them."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.journal.note import parse_checkpoint


def say(t2c: Any, text: str = "said") -> None:
    assert t2c("ledger", "append", "--statement", text).code == 0


def journal(t2c: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (t2c.root / ".t2c" / "journal.ndjson").read_bytes().splitlines()]


def error(ran: Any, code: int) -> dict[str, Any]:
    assert ran.code == code, (ran.code, ran.out, ran.err)
    assert "Traceback" not in ran.err
    found: dict[str, Any] = ran.document["error"]
    assert found["remedy"]
    return found


def only(root: Path, size: int) -> Path:
    """The kept checkpoint of a size."""
    (found,) = (root / ".t2c" / "checkpoints").glob(f"{size:012d}-????????.txt")
    return found


@pytest.fixture
def signed(t2c: Any) -> Any:
    """A ledger of two events and a registered key."""
    say(t2c)
    assert t2c("ledger", "key", "new").code == 0
    return t2c


def test_an_unsigned_checkpoint_writes_nothing(t2c: Any, oracle: Any) -> None:
    say(t2c)
    before = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    ran = t2c("ledger", "checkpoint")
    note = parse_checkpoint(ran.stdout)
    lines = before.splitlines()
    assert note.checkpoint.root == oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines])
    assert (note.checkpoint.size, note.signatures) == (2, ())
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == before
    assert not (t2c.root / ".t2c" / "checkpoints").exists()
    document = t2c("ledger", "checkpoint", "--json").document
    assert (document["schema"], document["signed"], document["note"]) == ("t2c.checkpoint/v1", False, ran.out)


def test_a_signed_checkpoint_is_recorded_kept_and_checked_with_openssl(signed: Any) -> None:
    ran = signed("ledger", "checkpoint", "--sign")
    note = parse_checkpoint(ran.stdout)
    assert only(signed.root, 3).read_bytes() == ran.stdout
    (local,) = (signed.home / ".local" / "state" / "t2c" / "anchors").iterdir()
    assert local.read_bytes() == ran.stdout
    assert re.fullmatch(rf"{note.checkpoint.ledger}-[0-9a-f]{{8}}\.txt", local.name)
    event = journal(signed)[-1]
    assert (event["type"], event["data"]["size"], event["data"]["note"]) == ("checkpoint.signed", 3, ran.out)
    assert signed("ledger", "checkpoint", "--sign").stdout == ran.stdout
    assert len(journal(signed)) == 4
    pem = signed("ledger", "key", "export", "--pem")
    (signed.root / "key.pem").write_bytes(pem.stdout)
    (signed.root / "text").write_text(note.text)
    (signed.root / "sig").write_bytes(note.signatures[0].signature)
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "text"]
    done = subprocess.run([*command, "-sigfile", "sig"], cwd=signed.root, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_a_kill_between_record_and_file_left_out_is_made_up_for(signed: Any) -> None:
    ran = signed("ledger", "checkpoint", "--sign")
    kept = only(signed.root, 3)
    kept.unlink()
    assert signed("ledger", "checkpoint", "--sign").stdout == ran.stdout
    assert kept.read_bytes() == ran.stdout
    assert len(journal(signed)) == 4


def test_nobody_signs_without_a_key_or_over_a_loss(t2c: Any) -> None:
    say(t2c)
    assert "key new" in error(t2c("ledger", "checkpoint", "--sign", "--json"), 2)["remedy"]
    assert error(t2c("ledger", "checkpoint", "--key", "00000000", "--json"), 2)
    assert t2c("ledger", "key", "new").code == 0
    say(t2c)
    assert t2c("ledger", "checkpoint", "--sign").code == 0
    path = t2c.root / ".t2c" / "journal.ndjson"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    found = error(t2c("ledger", "checkpoint", "--sign", "--json"), 5)
    assert "missing at the end" in found["message"]
    (anchor,) = (t2c.home / ".local" / "state" / "t2c" / "anchors").iterdir()
    assert found["remedy"].startswith("restore the journal")
    assert str(anchor) in found["remedy"]


def test_keys_are_listed_exported_and_never_shown(t2c: Any) -> None:
    say(t2c)
    made = t2c("ledger", "key", "new", "--participant", "ada", "--expires", "2999-01-01", "--json").document
    assert (made["schema"], made["participant"], made["private"], made["expired"]) == (
        "t2c.key/v1",
        "ada",
        True,
        False,
    )
    assert made["expires"] == "2999-01-01T00:00:00.000Z"
    event = journal(t2c)[-1]
    assert (event["type"], event["data"]["public"]) == ("key.registered", made["public"])
    (file,) = (t2c.home / ".local" / "state" / "t2c" / "keys").rglob("*.pem")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secret = file.read_text().splitlines()[1]
    listed = t2c("ledger", "key", "list")
    assert "can sign here" in listed.out and made["id"] in listed.out
    exported = t2c("ledger", "key", "export", made["id"])
    assert exported.out == made["public"] + "\n"
    everything = b"".join(path.read_bytes() for path in (t2c.root / ".t2c").rglob("*") if path.is_file())
    for shown in (listed.out, exported.out, everything.decode("latin-1")):
        assert secret not in shown
    elsewhere = {"XDG_STATE_HOME": str(t2c.home / "other")}
    assert t2c("ledger", "key", "list", "--json", env=elsewhere).document["keys"][0]["private"] is False
    relative = {"XDG_STATE_HOME": "other"}
    assert t2c("ledger", "key", "list", "--json", env=relative).document["keys"][0]["private"] is True


def test_wrong_keys_and_times_are_refused_by_name(t2c: Any) -> None:
    say(t2c)
    for given in ("yesterday", "2001-01-01", "2026-02-30", "9999-12-31T23:59:59-23:00"):
        ran = t2c("ledger", "key", "new", "--expires", given, "--json")
        assert error(ran, 2)["where"] == "--expires"
    assert error(t2c("ledger", "key", "export", "--json"), 2)
    assert error(t2c("ledger", "key", "export", "nobody", "--json"), 2)
    assert t2c("ledger", "key", "list").out == "no key is registered\n"
    assert len(journal(t2c)) == 2


@pytest.fixture
def proof(signed: Any, tmp_path: Path) -> Any:
    """A proof of event 2 to a signed checkpoint, with key and checkpoint, in a folder without a ledger."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "checkpoint.txt").write_bytes(signed("ledger", "checkpoint", "--sign").stdout)
    (folder / "ledger.key").write_bytes(signed("ledger", "key", "export").stdout)
    (folder / "proof.json").write_bytes(signed("ledger", "prove", "inclusion", "2").stdout)
    return folder


def test_a_proof_is_checked_by_itself_in_any_folder(signed: Any, proof: Path) -> None:
    document = json.loads((proof / "proof.json").read_text())
    assert (document["schema"], document["signed"], document["tree_size"]) == ("t2c.proof/v1", True, 3)
    ran = signed("ledger", "verify-proof", "proof.json", "--key", "ledger.key", "--json", cwd=proof)
    found = ran.document
    assert (ran.code, found["ok"], found["event"]["seq"], len(found["keys"])) == (0, True, 2, 1)
    assert not any("who signed" in sentence for sentence in found["unproven"])
    ran = signed("ledger", "verify-proof", "proof.json", cwd=proof)
    assert ran.code == 0
    assert "who signed the checkpoint of 3 events was not checked" in ran.out
    key = (proof / "ledger.key").read_text().strip()
    ran = signed(
        "ledger", "verify-proof", "proof.json", "--checkpoint", "checkpoint.txt", "--key", key, cwd=proof
    )
    assert ran.code == 0, ran.err
    assert not (proof / ".t2c").exists()


def test_a_proof_that_was_changed_is_refused(signed: Any, proof: Path) -> None:
    whole = (proof / "proof.json").read_text()
    document = json.loads(whole)

    def check(**changed: Any) -> Any:
        (proof / "changed.json").write_text(json.dumps({**document, **changed}))
        return signed("ledger", "verify-proof", "changed.json", "--key", "ledger.key", "--json", cwd=proof)

    hashes = document["hashes"]
    for changed in (
        {"line": document["line"].replace("said", "sold")},
        {"leaf_index": 0},
        {"hashes": ["0" * 64, *hashes[1:]]},
        {"hashes": hashes[:-1]},
        {"tree_size": 4},
        {"checkpoint": document["checkpoint"].replace("\n3\n", "\n4\n")},
        {"ledger": "0" * 32},
        {"line": "not an event"},
        {"checkpoint": document["checkpoint"].split("\n\n")[0] + "\n"},
    ):
        ran = check(**changed)
        assert (ran.code, ran.document["ok"]) == (1, False), changed
        assert ran.document["faults"]
    for changed in (
        {"schema": "t2c.proof/v2"},
        {"kind": "consistency"},
        {"hashes": ["zz"]},
        {"hashes": "0" * 64},
        {"more": 1},
        {"tree_size": -1},
        {"line": None},
        {"checkpoint": "nothing"},
    ):
        error(check(**changed), 2)
    for content in ("", "{", "[]", '{"a":1,"a":2}', whole + whole):
        (proof / "changed.json").write_text(content)
        error(signed("ledger", "verify-proof", "changed.json", "--json", cwd=proof), 2)
    error(signed("ledger", "verify-proof", "gone.json", "--json", cwd=proof), 2)
    for key in ("gone", "", "a" * 5000, "a" * 5000 + "+b+c", str(proof), key_with_another_id(proof)):
        error(signed("ledger", "verify-proof", "proof.json", "--key", key, "--json", cwd=proof), 2)


def key_with_another_id(proof: Path) -> str:
    name, key, public = (proof / "ledger.key").read_text().strip().split("+", 2)
    return f"{name}+{int(key, 16) ^ 1:08x}+{public}"


def test_the_key_of_somebody_else_proves_nothing(signed: Any, proof: Path) -> None:
    assert signed("ledger", "key", "new").code == 0
    (proof / "other.key").write_bytes(signed("ledger", "key", "export").stdout)
    ran = signed("ledger", "verify-proof", "proof.json", "--key", "other.key", "--json", cwd=proof)
    assert (ran.code, ran.document["faults"]) == (1, ["no given key signed the checkpoint of 3 events"])


def test_a_proof_goes_to_the_checkpoint_that_is_given_or_says_that_nobody_signed(
    signed: Any, proof: Path
) -> None:
    say(signed)
    ran = signed("ledger", "prove", "inclusion", "5", "--json")
    assert (ran.code, ran.document["signed"], ran.document["tree_size"]) == (0, False, 5)
    assert "nobody signed" in ran.err
    event = journal(signed)[1]["id"]
    ran = signed("ledger", "prove", "inclusion", event, "--checkpoint", proof / "checkpoint.txt")
    assert (ran.document["leaf_index"], ran.document["tree_size"]) == (1, 3)
    late = signed("ledger", "prove", "inclusion", "4", "--checkpoint", proof / "checkpoint.txt", "--json")
    assert "came after" in error(late, 2)["message"]
    for ref in ("0", "6", "EVT-00000000000000000000", "nothing", "9" * 15):
        error(signed("ledger", "prove", "inclusion", ref, "--json"), 2)


def test_a_ledger_is_proven_to_have_grown_only(signed: Any, proof: Path) -> None:
    say(signed)
    assert signed("ledger", "checkpoint", "--sign").code == 0
    ran = signed("ledger", "prove", "consistency", proof / "checkpoint.txt", "5", "--out", "grown.json")
    assert ran.code == 0, ran.err
    (proof / "grown.json").write_bytes((signed.root / "grown.json").read_bytes())
    ran = signed("ledger", "verify-proof", "grown.json", "--key", "ledger.key", "--json", cwd=proof)
    assert (ran.code, ran.document["old_size"], ran.document["size"]) == (0, 3, 5)
    document = json.loads((proof / "grown.json").read_text())
    root = document["old_checkpoint"].split("\n")[2]
    for changed in (
        {"hashes": document["hashes"][1:]},
        {"old_checkpoint": document["old_checkpoint"].split("\n\n")[0].replace(root, "A" * 43 + "=") + "\n"},
    ):
        (proof / "changed.json").write_text(json.dumps({**document, **changed}))
        assert signed("ledger", "verify-proof", "changed.json", cwd=proof).code == 1
    for sides in (("5", "3"), ("0", "3"), ("3", "99")):
        error(signed("ledger", "prove", "consistency", *sides, "--json"), 2)
    before = (signed.root / ".t2c" / "journal.ndjson").read_bytes()
    for out in (proof / "x.json", "grown.json", ".t2c/journal.ndjson", ".t2c/new.json"):
        error(signed("ledger", "prove", "consistency", "3", "5", "--out", out, "--json"), 2)
    error(signed("ledger", "prove", "consistency", "3", "5", "--out", "gone/x.json", "--json"), 6)
    assert (signed.root / ".t2c" / "journal.ndjson").read_bytes() == before
    assert not (signed.root / ".t2c" / "new.json").exists()


def test_a_checkpoint_of_another_ledger_or_history_is_refused(signed: Any, proof: Path) -> None:
    text = (proof / "checkpoint.txt").read_text().split("\n\n")[0] + "\n"
    ledger, size, root, _ = text.split("\n")
    (proof / "other.txt").write_text(f"t2c/{'0' * 32}\n{size}\n{root}\n")
    ran = signed("ledger", "prove", "inclusion", "2", "--checkpoint", proof / "other.txt", "--json")
    assert "another ledger" in error(ran, 2)["message"]
    (proof / "forked.txt").write_text(f"{ledger}\n{size}\n{'A' * 43}=\n")
    error(signed("ledger", "prove", "inclusion", "2", "--checkpoint", proof / "forked.txt", "--json"), 5)


def test_a_damaged_tree_is_made_anew_and_named_by_verify(signed: Any, proof: Path) -> None:
    level = signed.root / ".t2c" / "cache" / "tree" / "level-00"
    whole = level.read_bytes()
    level.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    found = signed("ledger", "verify", "--level", "domain", "--json")
    assert found.code == 0
    assert "cache/tree" in found.document["stale"]
    assert any("cache/tree is not the tree of this journal" in notice for notice in found.document["notices"])
    ran = signed("ledger", "prove", "inclusion", "2")
    assert ran.stdout == (proof / "proof.json").read_bytes()
    assert signed("ledger", "verify", "--level", "domain", "--json").document["stale"] == []


def test_the_checkpoints_beside_the_journal_are_not_contradicted_either(signed: Any) -> None:
    """The local anchor is gone, as on another machine; an unsigned file that anybody could have put there is none."""
    assert signed("ledger", "checkpoint", "--sign").code == 0
    say(signed)
    ledger = signed("ledger", "head", "--json").document["ledger"]
    folder = signed.root / ".t2c" / "checkpoints"
    (folder / "junk.txt").write_text(f"t2c/{ledger}\n2\n{'A' * 43}=\n")
    for path in (signed.home / ".local" / "state" / "t2c" / "anchors").iterdir():
        path.unlink()
    assert signed("ledger", "checkpoint", "--sign").code == 0
    for path in (signed.home / ".local" / "state" / "t2c" / "anchors").iterdir():
        path.unlink()
    path = signed.root / ".t2c" / "journal.ndjson"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    found = error(signed("ledger", "checkpoint", "--sign", "--json"), 5)
    assert "missing at the end" in found["message"]
    assert str(folder / "000000000005-") in found["remedy"]


@pytest.mark.parametrize(
    "arguments", [("checkpoint", "--sign"), ("verify",), ("verify", "--anchor", "local")]
)
def test_a_pipe_in_place_of_a_checkpoint_keeps_nobody_waiting(
    signed: Any, arguments: tuple[str, ...]
) -> None:
    assert signed("ledger", "checkpoint", "--sign").code == 0
    os.mkfifo(signed.root / ".t2c" / "checkpoints" / "f.txt")
    ran = signed("ledger", *arguments, "--json")
    assert ran.code == 0, ran.err
    if arguments[0] == "verify":
        assert any("f.txt: it is no plain file" in notice for notice in ran.document["notices"])


def test_a_pipe_in_place_of_the_local_anchor_keeps_nobody_waiting(signed: Any) -> None:
    assert signed("ledger", "checkpoint", "--sign").code == 0
    (anchor,) = (signed.home / ".local" / "state" / "t2c" / "anchors").iterdir()
    anchor.unlink()
    os.mkfifo(anchor)
    for arguments in (("verify", "--anchor", "local"), ("checkpoint", "--sign")):
        found = error(signed("ledger", *arguments, "--json"), 6)
        assert "no plain file" in found["message"]


def test_a_proof_that_says_of_itself_what_is_not_so_is_refused(signed: Any, proof: Path) -> None:
    document = json.loads((proof / "proof.json").read_text())
    bare = document["checkpoint"].split("\n\n")[0] + "\n"
    for changed in ({"signed": False}, {"checkpoint": bare}):
        (proof / "changed.json").write_text(json.dumps({**document, **changed}))
        ran = signed("ledger", "verify-proof", "changed.json", "--json", cwd=proof)
        assert (ran.code, "otherwise" in ran.document["faults"][0]) == (1, True)


def test_a_proof_is_called_proven_only_if_somebody_known_vouches_for_it(signed: Any, proof: Path) -> None:
    given: tuple[tuple[str, ...], ...] = ((), ("--key", "ledger.key"), ("--checkpoint", "checkpoint.txt"))
    for arguments in given:
        ran = signed("ledger", "verify-proof", "proof.json", *arguments, cwd=proof)
        assert (ran.code, ran.out.startswith("proven: ")) == (0, bool(arguments))
    say(signed)
    (proof / "bare.json").write_bytes(signed("ledger", "prove", "inclusion", "5").stdout)
    ran = signed("ledger", "verify-proof", "bare.json", cwd=proof)
    assert (ran.code, ran.out.startswith("fits together")) == (0, True)
    assert "nobody signed it" in ran.out


def test_a_key_as_pem_is_told_from_one_that_signatures_claim(signed: Any, proof: Path) -> None:
    (proof / "key.pem").write_bytes(signed("ledger", "key", "export", "--pem").stdout)
    ran = signed("ledger", "verify-proof", "proof.json", "--key", "key.pem", "--json", cwd=proof)
    assert "without --pem" in error(ran, 2)["remedy"]
