"""`t2c ledger anchor`: checkpoints in real repositories and at a real time-stamp authority."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import registered
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint
from t2c.ledger.journal.signature import sign


@pytest.fixture
def git(t2c: Any) -> Callable[..., str]:
    """Git in the root, which becomes a repository with one commit; returns what Git prints."""
    (t2c.root / ".git").rmdir()

    def run(*arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments],
            cwd=cwd or t2c.root,
            check=True,
            capture_output=True,
            env=t2c.environ,
        )
        return done.stdout.decode().strip()

    run("init", "-q", "-b", "main")
    run("commit", "-q", "--allow-empty", "-m", "first")
    return run


@pytest.fixture
def events(t2c: Any, oracle: Any) -> Callable[[], list[dict[str, Any]]]:
    """The events of the journal, each line checked against the format."""
    return lambda: oracle.check(t2c.root / ".t2c" / "journal.ndjson")


def say(t2c: Any, text: str) -> None:
    assert t2c("ledger", "append", "--statement", text).code == 0


def begin(t2c: Any) -> None:
    """A ledger of two events, the second of which registers its key."""
    assert t2c("init").code == 0
    assert t2c("ledger", "key", "new").code == 0


def root_at(t2c: Any, oracle: Any, size: int) -> bytes:
    lines = (t2c.root / ".t2c" / "journal.ndjson").read_bytes().splitlines()[:size]
    root: bytes = oracle.root([hashlib.sha256(b"\x00" + line).digest() for line in lines])
    return root


def signed(t2c: Any, oracle: Any, size: int) -> str:
    """A checkpoint of the first `size` events, signed by the ledger's key and kept where checkpoints are."""
    with Ledger(t2c.root / ".t2c") as ledger:
        keyring = Keyring(t2c.home / ".local" / "state" / "t2c", ledger.id())
        (key,) = [found for one in registered(ledger) if (found := one.verifier()) is not None]
    checkpoint = Checkpoint(key.name, size, root_at(t2c, oracle, size))
    note = SignedNote.of(checkpoint, [sign(keyring.seed(key), key.name, checkpoint.body())])
    folder = t2c.root / ".t2c" / "checkpoints"
    folder.mkdir(exist_ok=True)
    (folder / f"{size:012d}.txt").write_text(note.note)
    return note.note


def test_the_head_goes_into_a_note_and_it_is_said_that_nobody_signed(t2c: Any, git: Any, oracle: Any) -> None:
    say(t2c, "one")
    found = t2c("ledger", "anchor", "git", "--json")
    assert found.code == 0, found.err
    document = found.document
    assert document["schema"] == "t2c.git-anchor/v1"
    assert (document["size"], document["signed"], document["new"]) == (2, False, True)
    assert document["commit"] == git("rev-parse", "HEAD")
    assert "nobody signed" in document["warnings"][0]
    assert "nobody signed" in found.err
    note = parse_checkpoint(git("notes", "--ref=t2c", "show") + "\n")
    assert note.checkpoint.root == root_at(t2c, oracle, 2)
    assert document["root"] == note.checkpoint.root.hex()
    again = t2c("ledger", "anchor", "git")
    assert again.out.startswith("anchored before: 2 events")


def test_the_newest_signed_checkpoint_goes_into_the_note_as_it_is(t2c: Any, git: Any, oracle: Any) -> None:
    begin(t2c)
    say(t2c, "two")
    signed(t2c, oracle, 2)
    text = signed(t2c, oracle, 3)
    found = t2c("ledger", "anchor", "git", "--json").document
    assert (found["size"], found["signed"], found["warnings"]) == (3, True, [])
    assert git("notes", "--ref=t2c", "show") + "\n" == text


def test_a_signed_checkpoint_that_the_journal_has_outgrown_is_not_taken(
    t2c: Any, git: Any, oracle: Any
) -> None:
    begin(t2c)
    signed(t2c, oracle, 2)
    say(t2c, "two")
    found = t2c("ledger", "anchor", "git", "--json").document
    assert (found["size"], found["signed"]) == (3, False)


def test_a_trailer_is_of_the_head_and_writes_nothing(t2c: Any, git: Any, oracle: Any) -> None:
    begin(t2c)
    signed(t2c, oracle, 1)
    found = t2c("ledger", "anchor", "git", "--trailer")
    assert found.err == ""
    assert git("for-each-ref", "refs/notes") == ""
    git("commit", "-q", "--allow-empty", "-m", "second", "--trailer", found.out.strip())
    ledger = t2c("ledger", "head", "--json").document["ledger"]
    assert git("log", "-1", "--format=%(trailers:key=T2c-Checkpoint,valueonly)").startswith(
        f"t2c/{ledger} 2 "
    )


def test_a_journal_that_lost_what_was_signed_is_not_anchored(t2c: Any, git: Any, oracle: Any) -> None:
    begin(t2c)
    say(t2c, "two")
    signed(t2c, oracle, 3)
    journal = t2c.root / ".t2c" / "journal.ndjson"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    for arguments in (("git",), ("git", "--trailer"), ("rfc3161", "--url", "http://127.0.0.1:1/")):
        refused = t2c("ledger", "anchor", *arguments)
        assert refused.code == 5, refused.err
        assert "nothing was anchored" in refused.err
    assert git("for-each-ref", "refs/notes") == ""


def test_a_checkpoint_that_is_none_is_named(t2c: Any, git: Any, oracle: Any) -> None:
    begin(t2c)
    signed(t2c, oracle, 2)
    (t2c.root / ".t2c" / "checkpoints" / "junk.txt").write_text("junk\n")
    found = t2c("ledger", "anchor", "git", "--json").document
    assert found["signed"]
    assert found["warnings"] == [
        "checkpoints/junk.txt: this is no checkpoint: it does not hold an origin, a size and a root, each on its line"
    ]


def test_without_a_repository_a_commit_or_a_ledger(t2c: Any) -> None:
    assert t2c("ledger", "anchor", "git").code == 2
    say(t2c, "one")
    broken = t2c("ledger", "anchor", "git")
    assert broken.code == 6
    (t2c.root / ".git").rmdir()
    bare = t2c("--root", str(t2c.root), "ledger", "anchor", "git", "--json")
    assert bare.code == 6
    assert "no Git repository" in bare.document["error"]["message"]
    subprocess.run(["git", "init", "-q"], cwd=t2c.root, check=True, env=t2c.environ)
    unborn = t2c("ledger", "anchor", "git")
    assert unborn.code == 6
    assert "no commit yet" in unborn.err


def test_an_authority_stamps_and_the_token_is_kept(t2c: Any, git: Any, oracle: Any, authority: Any) -> None:
    begin(t2c)
    signed(t2c, oracle, 2)
    (t2c.root / "ca.pem").write_bytes(authority.ca.read_bytes())
    found = t2c("ledger", "anchor", "rfc3161", "--url", authority.url, "--ca", "ca.pem", "--json")
    assert found.code == 0, found.err
    document = found.document
    assert document["schema"] == "t2c.time-stamp/v1"
    assert (document["size"], document["proven"], document["new"], document["warnings"]) == (
        2,
        True,
        True,
        [],
    )
    token = t2c.root / ".t2c" / document["token"]
    by_hand = subprocess.run(
        [
            "openssl",
            "ts",
            "-verify",
            "-data",
            token.with_suffix(".stamped"),
            "-in",
            token,
            "-CAfile",
            authority.ca,
        ],
        check=False,
        capture_output=True,
    )
    assert by_hand.returncode == 0
    again = t2c("ledger", "anchor", "rfc3161", "--url", authority.url)
    assert again.out.startswith("stamped before: 2 events at 20")
    assert "not checked" in again.err
    assert len(authority.asked) == 1


def test_a_token_that_the_certificates_do_not_vouch_for_is_not_kept(
    t2c: Any, git: Any, authority: Any, new_authority: Callable[[str], Any]
) -> None:
    say(t2c, "one")
    (t2c.root / "ca.pem").write_bytes(new_authority("other").ca.read_bytes())
    refused = t2c("ledger", "anchor", "rfc3161", "--url", authority.url, "--ca", "ca.pem")
    assert refused.code == 5
    assert not list((t2c.root / ".t2c").rglob("*.tsr"))


def test_the_settings_name_authority_and_certificates(t2c: Any, git: Any, authority: Any) -> None:
    say(t2c, "one")
    unset = t2c("ledger", "anchor", "rfc3161")
    assert unset.code == 2
    assert "anchor.rfc3161_url" in unset.err
    (t2c.root / "tsa").mkdir()
    (t2c.root / "tsa" / "ca.pem").write_bytes(authority.ca.read_bytes())
    (t2c.root / "t2c.toml").write_text(
        f'[anchor]\nrfc3161_url = "{authority.url}"\nrfc3161_ca = "tsa/ca.pem"\n'
    )
    found = t2c("ledger", "anchor", "rfc3161", "--json", cwd=t2c.root / "tsa").document
    assert found["proven"]
    outside = t2c("ledger", "anchor", "rfc3161", "--ca", str(authority.ca))
    assert outside.code == 2


def test_help_has_examples(t2c: Any) -> None:
    for name in ("git", "rfc3161"):
        assert "Examples:" in t2c("ledger", "anchor", name, "--help").out
    assert json.loads(t2c("ledger", "anchor", "nope", "--json").out)["error"]


def key(t2c: Any) -> None:
    assert t2c("ledger", "key", "new").code == 0


def test_a_signed_checkpoint_is_anchored_as_the_settings_say(
    t2c: Any, git: Any, authority: Any, events: Callable[[], list[dict[str, Any]]]
) -> None:
    say(t2c, "one")
    key(t2c)
    (t2c.root / "ca.pem").write_bytes(authority.ca.read_bytes())
    (t2c.root / "t2c.toml").write_text(
        f'[anchor]\ngit = "required"\nrfc3161 = "required"\nrfc3161_url = "{authority.url}"\nrfc3161_ca = "ca.pem"\n'
    )
    found = t2c("ledger", "checkpoint", "--sign", "--json")
    assert found.code == 0, found.err
    document = found.document
    assert [anchor["size"] for anchor in document["anchors"]] == [document["size"]] * 2
    assert all(anchor["signed"] and anchor["new"] for anchor in document["anchors"])
    assert document["warnings"] == []
    assert git("notes", "--ref=t2c", "show") + "\n" == document["note"]
    assert events()[-1]["type"] == "checkpoint.signed"
    again = t2c("ledger", "checkpoint", "--sign", "--json").document
    assert not again["new"]
    assert [anchor["new"] for anchor in again["anchors"]] == [False, False]
    assert len(authority.asked) == 1


def test_best_effort_that_fails_is_a_warning_and_an_event(
    t2c: Any, git: Any, authority: Any, events: Callable[[], list[dict[str, Any]]]
) -> None:
    say(t2c, "one")
    key(t2c)
    settings = {"T2C_ANCHOR_RFC3161": "best-effort", "T2C_ANCHOR_RFC3161_URL": authority.url + "error"}
    found = t2c("ledger", "checkpoint", "--sign", "--json", env={**settings, "T2C_ANCHOR_GIT": "best-effort"})
    assert found.code == 0, found.err
    assert [anchor["ref"] for anchor in found.document["anchors"]] == ["refs/notes/t2c"]
    (warning,) = found.document["warnings"]
    assert "rfc3161" in warning
    assert "HTTP status 503" in warning
    assert warning in found.err
    noted = events()[-1]
    assert noted["type"] == "degradation.noted"
    assert noted["data"]["stage"] == "anchor"
    assert "503" in noted["data"]["reason"]
    later = t2c("ledger", "anchor", "git", "--json").document
    assert (later["signed"], later["new"]) == (True, False), "what the anchoring itself recorded is covered"


def test_a_required_anchor_that_fails_is_an_error_after_the_checkpoint_was_kept(
    t2c: Any, git: Any, events: Callable[[], list[dict[str, Any]]]
) -> None:
    say(t2c, "one")
    key(t2c)
    settings = {"T2C_ANCHOR_RFC3161": "required", "T2C_ANCHOR_RFC3161_URL": "http://127.0.0.1:1/"}
    failed = t2c(
        "ledger", "checkpoint", "--sign", "--json", env={**settings, "T2C_ANCHOR_GIT": "best-effort"}
    )
    assert failed.code == 6
    assert "is kept" in failed.document["error"]["safe"]
    assert events()[-1]["type"] == "checkpoint.signed"
    assert len(list((t2c.root / ".t2c" / "checkpoints").glob("*.txt"))) == 1
    assert git("notes", "--ref=t2c", "show"), "the other anchor was made all the same"


def test_nothing_is_anchored_unless_a_checkpoint_is_signed(t2c: Any, git: Any) -> None:
    say(t2c, "one")
    key(t2c)
    assert t2c("ledger", "checkpoint", env={"T2C_ANCHOR_GIT": "required"}).code == 0
    assert t2c("ledger", "checkpoint", "--sign").code == 0
    assert git("for-each-ref", "refs/notes") == ""


@pytest.mark.parametrize("kind", ["git", "rfc3161"])
def test_verify_names_what_was_cut_put_back_or_made_anew(
    t2c: Any, git: Any, authority: Any, oracle: Any, kind: str
) -> None:
    """Six events, anchored at the sizes 2 and 5."""
    (t2c.root / "ca.pem").write_bytes(authority.ca.read_bytes())
    (t2c.root / "t2c.toml").write_text(f'[anchor]\nrfc3161_url = "{authority.url}"\nrfc3161_ca = "ca.pem"\n')
    say(t2c, "one")
    assert t2c("ledger", "anchor", kind).code == 0
    git("commit", "-q", "--allow-empty", "-m", "second")
    bodies = [{"type": "observation.noted", "data": {"statement": text}} for text in ("two", "three", "four")]
    text = "".join(json.dumps(body) + "\n" for body in bodies)
    assert t2c("ledger", "append", "--jsonl", input=text.encode()).code == 0
    assert t2c("ledger", "anchor", kind).code == 0
    say(t2c, "five")
    journal = t2c.root / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 6

    def verdict(content: bytes) -> tuple[int, str, str]:
        journal.write_bytes(content)
        found = t2c("ledger", "verify", "--anchor", kind, "--json")
        assert found.document["faults"] == []
        return found.code, found.document["verdict"], " ".join(found.document["reasons"])

    def forged(seq: int) -> bytes:
        events = [json.loads(line) for line in lines]
        events[seq - 1]["run"] = "forged"
        minted: bytes = oracle.mint(events)
        return minted

    assert verdict(b"".join(lines)) == (0, "sound", "")
    assert verdict(b"".join(lines[:5])) == (0, "sound", ""), "the end was never anchored"
    assert verdict(forged(6)) == (0, "sound", ""), "the end was never anchored"
    code, word, said = verdict(b"".join(lines[:4]))
    assert (code, word) == (5, "truncated")
    assert "1 event is missing at the end" in said
    code, word, said = verdict(b"".join(lines[:2]))
    assert (code, word) == (5, "rolled_back")
    assert "an older state was put back" in said
    code, word, said = verdict(forged(4))
    assert (code, word) == (5, "forked")
    assert "after seq 2" in said
    code, word, said = verdict(forged(2))
    assert (code, word) == (5, "forked")
    assert "still fits" not in said


def test_what_was_not_compared_is_counted_and_said(t2c: Any, git: Any) -> None:
    say(t2c, "one")
    git("checkout", "-q", "-b", "side")
    for text in ("two", "three"):
        git("commit", "-q", "--allow-empty", "-m", text)
        assert t2c("ledger", "anchor", "git").code == 0
    git("checkout", "-q", "main")
    git("commit", "-q", "--allow-empty", "-m", "four")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    refused = t2c("ledger", "verify", "--anchor", "git", "--json")
    assert refused.code == 2
    assert "a commit of a merged branch" in refused.document["error"]["message"]
    assert t2c("ledger", "anchor", "git").code == 0
    found = t2c("ledger", "verify", "--anchor", "git", "--json")
    assert found.code == 0
    (said,) = [sentence for sentence in found.document["notices"] if "merged branch" in sentence]
    assert said.endswith("(1 of 2)")


def test_what_nobody_known_signed_is_neither_anchored_nor_in_the_way(t2c: Any, git: Any, oracle: Any) -> None:
    """Somebody puts two checkpoints beside the journal: a true one with a signature of his, and one of more events."""
    begin(t2c)
    with Ledger(t2c.root / ".t2c") as ledger:
        origin = origin_of(ledger.id())
    folder = t2c.root / ".t2c" / "checkpoints"
    folder.mkdir()
    for size, root in ((2, root_at(t2c, oracle, 2)), (9, bytes(32))):
        checkpoint = Checkpoint(origin, size, root)
        note = SignedNote.of(checkpoint, [sign(b"\x07" * 32, origin, checkpoint.body())])
        (folder / f"{size:012d}.txt").write_text(note.note)
    found = t2c("ledger", "anchor", "git", "--json")
    assert (found.code, found.document["signed"], found.document["size"]) == (0, False, 2), found.err
    text = signed(t2c, oracle, 2)
    assert t2c("ledger", "anchor", "git", "--json").document["signed"] is True
    assert text in git("notes", "--ref=t2c", "show") + "\n"
