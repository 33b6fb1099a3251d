"""`t2c ledger verify` with something kept elsewhere: what was lost is told apart, and what is not shown is said."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def say(t2c: Any, *texts: str) -> None:
    body = "".join(
        json.dumps({"type": "observation.noted", "data": {"statement": text}}) + "\n" for text in texts
    )
    assert t2c("ledger", "append", "--jsonl", input=body.encode()).code == 0


def path(t2c: Any) -> Path:
    found: Path = t2c.root / ".t2c" / "journal.ndjson"
    return found


def verify(t2c: Any, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    ran = t2c("ledger", "verify", "--json", *arguments)
    assert "Traceback" not in ran.err
    return ran.code, ran.document


class Kept:
    """A ledger with two signed checkpoints, and what a friend keeps of it: both checkpoints, the key, a copy between."""

    def __init__(self, t2c: Any, elsewhere: Path) -> None:
        elsewhere.mkdir()
        say(t2c, "a", "b", "c")
        assert t2c("ledger", "key", "new").code == 0
        self.key = elsewhere / "ledger.key"
        self.key.write_bytes(t2c("ledger", "key", "export").stdout)
        self.first, self.second = elsewhere / "first.txt", elsewhere / "second.txt"
        self.first.write_bytes(t2c("ledger", "checkpoint", "--sign").stdout)
        self.copy = elsewhere / "copy.ndjson"
        shutil.copy(path(t2c), self.copy)
        say(t2c, "d", "e", "f")
        self.second.write_bytes(t2c("ledger", "checkpoint", "--sign").stdout)
        self.whole = path(t2c).read_bytes()
        self.size = int(self.second.read_text().split("\n")[1])


@pytest.fixture
def kept(t2c: Any, tmp_path: Path) -> Kept:
    return Kept(t2c, tmp_path / "elsewhere")


def cut(t2c: Any, kept: Kept, events: int) -> None:
    path(t2c).write_bytes(b"".join(kept.whole.splitlines(keepends=True)[:events]))


def forget(t2c: Any) -> None:
    """What somebody removes who is not to be found out."""
    shutil.rmtree(t2c.root / ".t2c" / "checkpoints")
    shutil.rmtree(t2c.root / ".t2c" / "cache")


def test_a_sound_journal_fits_and_what_came_after_is_said_not_to_be_vouched_for(t2c: Any, kept: Kept) -> None:
    code, found = verify(t2c, "--checkpoint", kept.second, "--key", kept.key)
    assert (code, found["verdict"], found["ok"]) == (0, "sound", True)
    assert {row["state"] for row in found["anchors"]} == {"fits"}
    assert all(row["signed_by"] for row in found["anchors"])
    assert any("nothing vouches for the last event" in sentence for sentence in found["unproven"])
    assert not any("no checkpoint or anchor" in sentence for sentence in found["unproven"])
    assert not any("signatures" in sentence for sentence in found["unproven"])
    _, found = verify(t2c, "--checkpoint", kept.second)
    assert any("no key was given" in sentence for sentence in found["unproven"])
    _, found = verify(t2c)
    assert any("beside the journal" in sentence for sentence in found["unproven"])


def test_without_anything_kept_elsewhere_the_loss_of_the_end_is_said_to_be_unseen(
    t2c: Any, kept: Kept
) -> None:
    cut(t2c, kept, kept.size - 2)
    forget(t2c)
    code, found = verify(t2c)
    assert (code, found["verdict"]) == (0, "sound")
    assert any("truncation of the tail" in sentence for sentence in found["unproven"])


@pytest.mark.parametrize("left", [1, 7, 8])
def test_a_cut_end_is_found_by_a_receipt_kept_elsewhere(t2c: Any, kept: Kept, left: int) -> None:
    cut(t2c, kept, left)
    forget(t2c)
    for given in (("--checkpoint", kept.second), ("--anchor", "local")):
        code, found = verify(t2c, *given)
        assert (code, found["verdict"], found["ok"]) == (5, "truncated", False)
        assert str(kept.size - left) in found["reasons"][0]


def test_an_empty_or_missing_journal_is_a_cut_end_too(t2c: Any, kept: Kept) -> None:
    path(t2c).write_bytes(b"")
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"], found["events"]) == (5, "truncated", 0)
    path(t2c).unlink()
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"]) == (5, "truncated")
    shutil.rmtree(t2c.root / ".t2c")
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"]) == (5, "truncated")


def test_an_older_state_that_was_put_back_is_told_from_a_cut(t2c: Any, kept: Kept) -> None:
    shutil.copy(kept.copy, path(t2c))
    code, found = verify(t2c, "--checkpoint", kept.first, "--checkpoint", kept.second)
    assert (code, found["verdict"]) == (5, "rolled_back")
    assert "an older state was put back" in found["reasons"][0]


def test_a_journal_made_anew_is_a_fork_between_what_fits_and_what_does_not(
    t2c: Any, kept: Kept, oracle: Any
) -> None:
    events = [json.loads(line) for line in kept.whole.splitlines()]
    events[7]["data"]["statement"] = "never said"
    forged = oracle.mint(events)
    assert forged.splitlines()[:7] == kept.whole.splitlines()[:7]
    path(t2c).write_bytes(forged)
    forget(t2c)
    assert verify(t2c)[1]["verdict"] == "sound"
    code, found = verify(t2c, "--checkpoint", kept.first, "--checkpoint", kept.second)
    assert (code, found["verdict"]) == (5, "forked")
    assert f"after seq 5, where {kept.first} still fits" in found["reasons"][0]
    # A level that reads payloads knows that the checkpoint inside the chain does not hold any more.
    _, found = verify(t2c, "--level", "domain")
    assert ("checkpoint", len(events)) in {(fault["kind"], fault["seq"]) for fault in found["faults"]}


def test_a_fork_is_told_before_what_is_missing(t2c: Any, kept: Kept, oracle: Any) -> None:
    events = [json.loads(line) for line in kept.copy.read_bytes().splitlines()][:5]
    events[2]["data"]["statement"] = "never said"
    path(t2c).write_bytes(oracle.mint(events))
    code, found = verify(t2c, "--checkpoint", kept.first, "--checkpoint", kept.second)
    assert (code, found["verdict"], len(found["reasons"])) == (5, "forked", 3)


def test_damage_is_a_fault_and_not_called_a_fork(t2c: Any, kept: Kept) -> None:
    path(t2c).write_bytes(kept.whole.replace(b'"statement":"b"', b'"statement":"B"'))
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"], found["reasons"]) == (1, "faulty", [])
    assert {row["state"] for row in found["anchors"]} == {"unjudged"}
    assert any("could not be compared because of faults" in sentence for sentence in found["unproven"])
    path(t2c).write_bytes(kept.whole[:-1])
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"], found["faults"][0]["kind"]) == (1, "faulty", "torn_tail")


def test_a_cut_inside_a_line_is_a_torn_end_and_a_loss(t2c: Any, kept: Kept) -> None:
    path(t2c).write_bytes(b"".join(kept.whole.splitlines(keepends=True)[:7]) + b'{"actor"')
    code, found = verify(t2c, "--checkpoint", kept.second)
    assert (code, found["verdict"], found["faults"][0]["kind"]) == (5, "truncated", "torn_tail")


def test_what_is_no_checkpoint_of_this_ledger_is_refused(t2c: Any, kept: Kept, tmp_path: Path) -> None:
    text = kept.second.read_text()
    ledger, key = text.split("\n")[0], kept.key
    for name, content, words in (
        ("other.txt", text.replace(ledger, f"t2c/{'0' * 32}", 1), "another ledger"),
        ("foreign.txt", text.replace(ledger, "example.com/log", 1), "another ledger"),
        ("torn.txt", text[:60], "this is no checkpoint"),
    ):
        (tmp_path / name).write_text(content)
        ran = t2c("ledger", "verify", "--checkpoint", tmp_path / name, "--key", key, "--json")
        assert (ran.code, words in ran.document["error"]["message"]) == (2, True), ran.out
    for arguments in (
        ("--checkpoint", tmp_path / "gone.txt"),
        ("--key", "nothing"),
        ("--anchor", "moon"),
        ("--since-checkpoint",),
        ("--since-checkpoint", "--checkpoint", kept.second, "--level", "domain"),
    ):
        assert t2c("ledger", "verify", *arguments, "--json").code == 2


def test_only_what_came_after_a_checkpoint_is_read_if_it_is_trusted(t2c: Any, kept: Kept) -> None:
    arguments = ("--checkpoint", kept.second, "--since-checkpoint")
    code, found = verify(t2c, *arguments)
    assert (code, found["trusted"], found["events"]) == (0, kept.size, kept.size + 1)
    _, whole = verify(t2c, "--full")
    assert (found["root"], found["head"]) == (whole["root"], whole["head"])
    assert any(f"up to seq {kept.size} were not read" in sentence for sentence in found["unproven"])
    path(t2c).write_bytes(kept.whole.replace(b'"statement":"b"', b'"statement":"B"'))
    assert verify(t2c, *arguments)[0] == 0
    assert verify(t2c)[0] == 1
    path(t2c).write_bytes(kept.whole.replace(b'"statement":"f"', b'"statement":"F"'))
    shutil.rmtree(t2c.root / ".t2c" / "cache")
    code, found = verify(t2c, *arguments)
    assert (code, found["trusted"]) == (1, 0)
    assert any("so everything was read" in notice for notice in found["notices"])


def test_git_holds_what_the_journal_lost(t2c: Any, kept: Kept) -> None:
    (t2c.root / ".git").rmdir()
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *arguments], cwd=t2c.root, env=t2c.environ, check=True)
    assert t2c("ledger", "anchor", "git").code == 0
    assert verify(t2c, "--anchor", "git")[1]["verdict"] == "sound"
    cut(t2c, kept, 7)
    forget(t2c)
    code, found = verify(t2c, "--anchor", "git")
    assert (code, found["verdict"], found["anchors"][0]["strength"]) == (5, "truncated", "git")
