"""Claims: what was asked for vouches, or the answer is no: anchors that are not there, keys that signed nothing, caches.

The journal's writer may change the ledger's folder, the notes and the trailers; he has no key of the ledger and nothing
that was kept elsewhere.

Mutations seen to fail: an unsigned checkpoint weighed although a key was given; a key of another ledger counted; a kind
of anchors without one passed over; a cache asked although something was given to compare with.
"""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any

import msgspec
import pytest

from t2c.ledger.journal.note import Checkpoint, SignedNote, parse_checkpoint
from t2c.ledger.journal.signature import VerifierKey, public_of, sign

SEED = b"\x05" * 32


def say(t2c: Any, *texts: str) -> None:
    body = "".join(
        json.dumps({"type": "observation.noted", "data": {"statement": text}}) + "\n" for text in texts
    )
    assert t2c("ledger", "append", "--jsonl", input=body.encode()).code == 0


def path(t2c: Any) -> Path:
    found: Path = t2c.root / ".t2c" / "journal.ndjson"
    return found


def verify(t2c: Any, *arguments: str | Path) -> tuple[int, Any]:
    ran = t2c("ledger", "verify", "--json", *arguments)
    assert "Traceback" not in ran.err
    return ran.code, ran.document


def kinds(document: Any) -> set[str]:
    return {fault["kind"] for fault in document["faults"]}


@pytest.fixture
def git(t2c: Any) -> Callable[..., str]:
    """Git in the root, which becomes a repository with one commit."""
    (t2c.root / ".git").rmdir()

    def call(*arguments: str, input: bytes | None = None) -> str:
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
        done = run(command, cwd=t2c.root, env=t2c.environ, check=True, capture_output=True, input=input)
        return done.stdout.decode().strip()

    call("init", "-q", "-b", "main")
    call("commit", "-q", "--allow-empty", "-m", "first")
    return call


@pytest.fixture
def kept(t2c: Any, git: Any, tmp_path: Path) -> Path:
    """A ledger whose head was signed and anchored; returns the folder elsewhere with its key and checkpoint."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    say(t2c, "a", "b", "c")
    assert t2c("ledger", "key", "new").code == 0
    (elsewhere / "ledger.key").write_bytes(t2c("ledger", "key", "export").stdout)
    (elsewhere / "checkpoint.txt").write_bytes(t2c("ledger", "checkpoint", "--sign").stdout)
    assert t2c("ledger", "anchor", "git").code == 0
    return elsewhere


def forge(t2c: Any, oracle: Any, ledger: str | None = None) -> None:
    """Make the chain anew with another statement in its middle, and take away what lies beside it."""
    events = [json.loads(line) for line in path(t2c).read_bytes().splitlines()]
    events[2]["data"]["statement"] = "never said"
    if ledger is not None:
        events[0]["data"]["ledger"] = ledger
    path(t2c).write_bytes(oracle.mint(events))
    for name in ("cache", "checkpoints"):
        shutil.rmtree(t2c.root / ".t2c" / name, ignore_errors=True)


def unsigned(t2c: Any, oracle: Any, size: int, target: Path) -> str:
    """The true checkpoint of the journal as it stands, which nobody signed."""
    lines = path(t2c).read_bytes().splitlines()[:size]
    root = oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines])
    ledger = json.loads(lines[0])["data"]["ledger"]
    target.write_text(f"t2c/{ledger}\n{size}\n{b64encode(root).decode()}\n")
    return target.read_text()


def test_with_a_key_what_nobody_signed_counts_for_nothing(t2c: Any, kept: Path, oracle: Any) -> None:
    forge(t2c, oracle)
    unsigned(t2c, oracle, 4, kept / "forged.txt")
    key = kept / "ledger.key"
    for arguments in (("--checkpoint", kept / "forged.txt", "--key", key), ("--key", key)):
        code, found = verify(t2c, *arguments)
        assert (code, found["verdict"], kinds(found)) == (1, "faulty", {"unsigned"}), arguments
    code, found = verify(t2c, "--key", key, "--checkpoint", kept / "checkpoint.txt")
    assert (code, found["verdict"]) == (5, "forked")


def test_an_unsigned_file_beside_a_signed_one_is_a_fault_of_its_own(
    t2c: Any, kept: Path, oracle: Any
) -> None:
    unsigned(t2c, oracle, 4, kept / "bare.txt")
    given = ("--checkpoint", kept / "checkpoint.txt", "--checkpoint", kept / "bare.txt")
    assert verify(t2c, *given)[0] == 0
    code, found = verify(t2c, *given, "--key", kept / "ledger.key")
    assert (code, kinds(found)) == (1, {"unsigned"})
    assert "bare.txt" in found["faults"][0]["detail"]


def test_a_key_counts_for_the_ledger_that_it_is_named_after_alone(t2c: Any, kept: Path, oracle: Any) -> None:
    """Somebody signs a forged history of this ledger with his own ledger's key, which the auditor holds as well."""
    forge(t2c, oracle)
    lines = path(t2c).read_bytes().splitlines()
    root = oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines])
    checkpoint = Checkpoint(
        parse_checkpoint((kept / "checkpoint.txt").read_bytes()).checkpoint.origin, len(lines), root
    )
    theirs = VerifierKey(f"t2c/{'b' * 32}", public_of(SEED))
    note = SignedNote.of(checkpoint, [sign(SEED, theirs.name, checkpoint.body())])
    (kept / "forged.txt").write_text(note.note)
    (kept / "ring.key").write_text(f"{(kept / 'ledger.key').read_text()}{theirs.text()}\n")
    for key in (theirs.text(), kept / "ring.key"):
        code, found = verify(t2c, "--checkpoint", kept / "forged.txt", "--key", key)
        assert (code, kinds(found)) == (1, {"unsigned"})
    proof = {
        "schema": "t2c.proof/v1",
        "kind": "consistency",
        "ledger": checkpoint.ledger,
        "tree_size": checkpoint.size,
        "hashes": [],
        "checkpoint": note.note,
        "old_checkpoint": note.note,
        "signed": True,
    }
    (kept / "proof.json").write_text(json.dumps(proof))
    assert t2c("ledger", "verify-proof", kept / "proof.json", "--key", kept / "ring.key").code == 1
    assert t2c("ledger", "verify-proof", kept / "proof.json").code == 0


def test_another_ledger_in_its_place_is_no_answer(t2c: Any, kept: Path, oracle: Any) -> None:
    forge(t2c, oracle, "9" * 32)
    for kind, words in (("git", "1 is of ledger"), ("local", "no local anchor of ledger " + "9" * 32)):
        code, found = verify(t2c, "--anchor", kind, "--key", kept / "ledger.key")
        assert code == 2
        assert words in found["error"]["message"]
    code, found = verify(t2c, "--key", kept / "ledger.key")
    assert (code, kinds(found)) == (1, {"unsigned"})
    assert "no given key is of this ledger" in found["faults"][0]["detail"]


def test_anchors_that_are_not_there_are_not_passed_over(t2c: Any, kept: Path, git: Any) -> None:
    for extra in ((), ("--key", kept / "ledger.key")):
        assert verify(t2c, "--anchor", "git", "--anchor", "local", *extra)[0] == 0
        code, found = verify(t2c, "--anchor", "rfc3161", *extra)
        assert (code, "no time stamp of ledger" in found["error"]["message"]) == (2, True)
    git("update-ref", "-d", "refs/notes/t2c")
    for item in (t2c.home / ".local" / "state" / "t2c" / "anchors").iterdir():
        item.unlink()
    for kind, remedy in (("git", "git fetch"), ("local", "checkpoint --sign")):
        code, found = verify(t2c, "--anchor", kind)
        assert (code, remedy in found["error"]["remedy"]) == (2, True)


def test_a_spoilt_signature_is_a_fault(t2c: Any, kept: Path, git: Any) -> None:
    note = (kept / "checkpoint.txt").read_text()
    at = len(note) - 20
    spoilt = note[:at] + ("A" if note[at] != "A" else "B") + note[at + 1 :]
    git("notes", "--ref=t2c", "add", "-f", "-F", "-", input=spoilt.encode())
    code, found = verify(t2c, "--anchor", "git", "--key", kept / "ledger.key")
    assert (code, "signature" in kinds(found)) == (1, True)
    (kept / "spoilt.txt").write_text(spoilt)
    code, found = verify(t2c, "--checkpoint", kept / "spoilt.txt", "--key", kept / "ledger.key")
    assert (code, "signature" in kinds(found)) == (1, True)


def test_a_note_without_its_signature_does_not_stand_for_the_one_that_had_it(
    t2c: Any, kept: Path, git: Any, oracle: Any
) -> None:
    text = unsigned(t2c, oracle, 4, kept / "bare.txt")
    git("notes", "--ref=t2c", "add", "-f", "-F", "-", input=text.encode())
    assert verify(t2c, "--anchor", "git")[0] == 0
    code, found = verify(t2c, "--anchor", "git", "--key", kept / "ledger.key")
    assert (code, kinds(found)) == (1, {"unsigned"})


@pytest.mark.parametrize("size", [3, 999_999])
def test_nobody_without_the_key_can_make_verify_fail(t2c: Any, kept: Path, git: Any, size: int) -> None:
    """A trailer, a file beside the journal and a note of somebody's own: each says another root."""
    origin = (kept / "checkpoint.txt").read_text().split("\n")[0]
    git("commit", "-q", "--allow-empty", "-m", "Fix", "-m", f"T2c-Checkpoint: {origin} {size} {'A' * 43}=")
    (t2c.root / ".t2c" / "checkpoints" / "x.txt").write_text(f"{origin}\n{size}\n{'A' * 43}=\n")
    assert verify(t2c, "--anchor", "git")[0] == 5
    code, found = verify(t2c, "--anchor", "git", "--key", kept / "ledger.key")
    assert (code, found["verdict"]) == (0, "sound")
    assert "2 checkpoints and anchors that no given key signed were not weighed" in found["notices"]


def test_a_statement_that_was_signed_elsewhere_is_weighed(t2c: Any, kept: Path, git: Any) -> None:
    origin, size, root = (kept / "checkpoint.txt").read_text().split("\n")[:3]
    git("update-ref", "-d", "refs/notes/t2c")
    git("commit", "-q", "--allow-empty", "-m", "Release", "-m", f"T2c-Checkpoint: {origin} {size} {root}")
    code, found = verify(t2c, "--anchor", "git", "--key", kept / "ledger.key")
    assert (code, found["verdict"]) == (0, "sound")
    (row,) = [row for row in found["anchors"] if row["source"].startswith("git trailer")]
    assert (row["state"], len(row["signed_by"])) == ("fits", 1)


def test_a_journal_that_is_gone_is_told_by_those_who_knew_it(t2c: Any, kept: Path, git: Any) -> None:
    key = kept / "ledger.key"
    whole = path(t2c).read_bytes()
    for lost in (path(t2c).unlink, lambda: shutil.rmtree(t2c.root / ".t2c")):
        lost()
        for arguments in (
            ("--anchor", "git"),
            ("--anchor", "local"),
            ("--anchor", "git", "--anchor", "local"),
            ("--anchor", "local", "--key", key),
        ):
            code, found = verify(t2c, *arguments)
            assert (code, found.get("verdict")) == (5, "truncated"), (arguments, found)
    git("update-ref", "-d", "refs/notes/t2c")
    code, found = verify(t2c, "--anchor", "local", "--key", key)
    assert (code, found["verdict"]) == (5, "truncated")
    for arguments in (("--anchor", "local"), ("--anchor", "git"), ("--anchor", "git", "--key", key)):
        code, found = verify(t2c, *arguments)
        assert code == 2
        assert "t2c init" not in found["error"]["remedy"]
        assert "bring the journal back" in found["error"]["remedy"]
    (t2c.root / ".t2c").mkdir(exist_ok=True)
    path(t2c).write_bytes(b"")
    code, found = verify(t2c, "--anchor", "local", "--key", key)
    assert (code, found["verdict"]) == (5, "truncated")
    path(t2c).write_bytes(whole)
    assert verify(t2c, "--anchor", "local", "--key", key)[0] == 0


def test_a_state_that_git_and_journal_were_both_set_back_to_is_said(t2c: Any, kept: Path, git: Any) -> None:
    before = path(t2c).read_bytes()
    say(t2c, "d", "e")
    git("commit", "-q", "--allow-empty", "-m", "second")
    assert t2c("ledger", "checkpoint", "--sign").code == 0
    assert t2c("ledger", "anchor", "git").code == 0
    git("reset", "-q", "--hard", "HEAD~1")
    path(t2c).write_bytes(before)
    shutil.rmtree(t2c.root / ".t2c" / "checkpoints")
    shutil.rmtree(t2c.root / ".t2c" / "cache")
    code, found = verify(t2c, "--anchor", "git", "--key", kept / "ledger.key")
    assert (code, found["verdict"]) == (0, "sound")
    assert any("2 more than there are" in said and "set back" in said for said in found["unproven"])


def edit_behind_the_caches(t2c: Any) -> None:
    """Change a sealed segment, and let the cache say that its file is the one that was proven."""
    segment = next((t2c.root / ".t2c" / "segments").iterdir())
    segment.write_bytes(segment.read_bytes().replace(b'"statement":"fact 9"', b'"statement":"fake 9"'))
    cache = t2c.root / ".t2c" / "cache" / "sealed"
    rows = msgspec.msgpack.decode(cache.read_bytes())
    status = os.stat(segment)
    rows[0][1] = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    cache.write_bytes(msgspec.msgpack.encode(rows))


def test_what_is_compared_with_something_is_read(t2c: Any, kept: Path) -> None:
    text = "x" * 16_000
    events = [{"statement": f"fact {n}"} if n % 2 else {"statement": text + str(n)} for n in range(8400)]
    body = "".join(json.dumps({"type": "observation.noted", "data": data}) + "\n" for data in events)
    assert t2c("ledger", "append", "--jsonl", input=body.encode()).code == 0
    (kept / "later.txt").write_bytes(t2c("ledger", "checkpoint", "--sign").stdout)
    assert verify(t2c)[0] == 0
    edit_behind_the_caches(t2c)
    code, found = verify(t2c)
    assert code == 0
    assert any("were not read again: cache/sealed says" in said for said in found["unproven"])
    for arguments in (
        ("--checkpoint", kept / "later.txt"),
        ("--anchor", "local"),
        ("--key", kept / "ledger.key"),
        ("--full",),
    ):
        code, found = verify(t2c, *arguments)
        assert (code, "edited" in kinds(found)) == (1, True), arguments


def test_a_certificate_of_the_repository_itself_is_no_witness(t2c: Any, git: Any, authority: Any) -> None:
    say(t2c, "one")
    (t2c.root / "ca.pem").write_bytes(authority.ca.read_bytes())
    (t2c.root / "t2c.toml").write_text(f'[anchor]\nrfc3161_url = "{authority.url}"\nrfc3161_ca = "ca.pem"\n')
    assert t2c("ledger", "anchor", "rfc3161").code == 0
    code, found = verify(t2c, "--anchor", "rfc3161")
    assert (code, found["anchors"][0]["strength"]) == (0, "beside")
    assert any("certificates are this repository's own" in said for said in found["unproven"])
    code, found = verify(t2c, "--anchor", "rfc3161", "--ca", authority.ca)
    assert (code, found["anchors"][0]["strength"]) == (0, "witness")
    assert not any("certificates" in said for said in found["unproven"])


def test_a_certificate_from_elsewhere_decides(
    t2c: Any, git: Any, authority: Any, new_authority: Callable[[str], Any], tmp_path: Path
) -> None:
    """The token is of an authority that the ledger's writer made himself."""
    say(t2c, "one")
    (t2c.root / "t2c.toml").write_text(f'[anchor]\nrfc3161_url = "{authority.url}"\n')
    assert t2c("ledger", "anchor", "rfc3161").code == 0
    code, found = verify(t2c, "--anchor", "rfc3161", "--ca", new_authority("true").ca)
    assert (code, "do not vouch for it" in found["error"]["message"]) == (2, True)
    for arguments in (("--anchor", "rfc3161", "--ca", tmp_path / "gone.pem"), ("--ca", authority.ca)):
        assert verify(t2c, *arguments)[0] == 2
