"""`t2c approve`, `t2c withdraw`, `t2c approvals` as people type them."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.events.changes import PatchRendered
from t2c.ledger.events.draft import draft

ADA = {"T2C_ACTOR": "human:ada"}
EVE = {"T2C_ACTOR": "human:eve"}


@pytest.fixture
def render(t2c: Any) -> Callable[..., str]:
    """Renders a TODO patch in the ledger of the folder; returns its hash."""

    def made(text: bytes, by: str = "agent:bot") -> str:
        with Ledger(t2c.root / ".t2c") as ledger:
            shown = ledger.objects.put(text)
            payload = PatchRendered(
                kind="todo", hash=shown, shown=shown, artifact={"renderedPatchHash": shown}, plans=(), proposed_by=(by,)
            )  # fmt: skip
            ledger.append([draft(payload, trust="asserted")])
        return shown

    t2c("init")
    return made


def codes(t2c: Any) -> list[str]:
    return [one["data"]["code"] for one in t2c("ledger", "log", "--type", "refusal.noted", "--jsonl").lines]


def test_what_is_printed_is_what_is_approved(t2c: Any, render: Callable[..., str]) -> None:
    text = b"# Plan\n- [ ] one\n::error::no\n\x1b[2J\xe2\x80\xae hidden\n"
    digest = render(text)
    listed = t2c("approvals", "--json").document
    (waits,) = listed["waiting"]
    assert listed["schema"] == "t2c.approvals/v1"
    assert (waits["digest"], waits["next"]) == (digest, f"t2c approve {digest} --show")
    seen = t2c("approve", digest[:8], "--show")
    assert seen.code == 0 and digest in seen.out and "nothing was approved" in seen.out
    assert "\x1b" not in seen.out and "\u202e" not in seen.out and "\n::error" not in seen.out
    done = t2c("approve", digest.upper(), "--reason", "read", "--json", env=ADA)
    row = done.document
    assert row["schema"] == "t2c.approval/v1" and row["text"].encode() == text
    assert (row["digest"], row["shown"], row["by"], row["subject"]) == (
        digest,
        digest,
        "human:ada",
        "patch:todo",
    )
    (event,) = t2c("ledger", "log", "--type", "approval.granted", "--jsonl").lines
    assert event["data"]["digest"] == event["data"]["shown"] == digest
    assert event["data"]["proposed_by"] == ["agent:bot"] and event["trust"] == "asserted"
    again = t2c("approve", digest, env=ADA)
    assert again.code == 0 and "already" in again.out and f"seq {row['seq']}" in again.out
    shown = t2c("approvals").out
    assert "standing" in shown and f"t2c todo apply {digest}" in shown and "\x1b" not in shown


def test_who_may_not_is_refused_and_that_is_recorded(t2c: Any, render: Callable[..., str]) -> None:
    digest = render(b"- [ ] one\n", by="human:ada")
    for env, code in (({"T2C_ACTOR": "agent:bot"}, "APPROVER_IS_NO_PERSON"), (ADA, "APPROVER_PROPOSED_IT")):
        ran = t2c("approve", digest, env=env)
        assert (ran.code, ran.out) == (3, "") and "next:" in ran.err
        assert codes(t2c)[-1] == code
    assert t2c("approve", digest, "--actor", "human:eve", env={"T2C_ACTOR": "agent:bot"}).code == 3
    (t2c.root / "t2c.toml").write_text("[approval]\nsignature = true\n")
    assert t2c("approve", digest, env=EVE).code == 3 and codes(t2c)[-1] == "APPROVAL_SIGNATURE_REQUIRED"
    (t2c.root / "t2c.toml").write_text("[approval]\nseparation = false\n")
    assert t2c("approve", digest, env=ADA).code == 3, "no repository lets whoever wrote a patch approve it"
    assert t2c("approvals", "--all", "--json").document["approvals"] == []
    assert t2c("approve", digest, env={**ADA, "T2C_APPROVAL_SEPARATION": "false"}).code == 0
    (row,) = t2c("approvals", "--json").document["approvals"]
    assert row["state"] == "refused" and "proposed it" in row["why"]


def test_a_file_that_is_edited_later_is_stale_and_approved_anew(t2c: Any, render: Callable[..., str]) -> None:
    plan = t2c.root / "docs" / "PLAN.md"
    plan.parent.mkdir()
    plan.write_text("# Plan\n- [ ] paint 3 doors\n")
    before = sha256(plan.read_bytes()).hexdigest()
    assert before in t2c("approve", "--file", "PLAN.md", "--show", cwd=plan.parent).out
    plan.write_text("# Plan\n- [ ] paint 4 doors\n")
    ran = t2c("approve", "--file", "docs/PLAN.md", "--sha256", before, env=ADA)
    assert ran.code == 4 and "not what was shown" in ran.err and codes(t2c) == ["APPROVAL_STALE"]
    assert t2c("approve", "--file", "docs/PLAN.md", "--expires", "7d", env=ADA).code == 0
    plan.write_text("# Plan\n- [x] paint 4 doors\n")
    (row,) = t2c("approvals", "--json").document["approvals"]
    assert (row["subject"], row["state"], bool(row["expires"])) == ("file:docs/PLAN.md", "standing", True)
    plan.write_text("# Plan\n- [x] paint 5 doors\n")
    (row,) = t2c("approvals", "--stale", "--json").document["approvals"]
    assert (row["state"], row["next"]) == ("stale", "t2c approve --file docs/PLAN.md --show")
    assert t2c("approve", "--file", "docs/PLAN.md", env=ADA).code == 0
    states = [row["state"] for row in t2c("approvals", "--json").document["approvals"]]
    assert states == ["stale", "standing"], "approving anew is an event of its own"


def test_taking_it_back(t2c: Any, render: Callable[..., str]) -> None:
    digest = render(b"- [ ] one\n")
    seq = t2c("approve", digest, "--json", env=ADA).document["seq"]
    assert t2c("withdraw", str(seq), env=EVE).code == 2
    assert t2c("withdraw", str(seq), "--reason", "no", env={"T2C_ACTOR": "agent:bot"}).code == 3
    ran = t2c("withdraw", digest[:8], "--reason", "too early", "--json", env=EVE)
    row = ran.document
    assert row["schema"] == "t2c.approval-withdrawn/v1"
    assert (row["approved_seq"], row["approved_by"], row["by"]) == (seq, "human:ada", "human:eve")
    again = t2c("withdraw", str(seq), "--reason", "no", env=EVE)
    assert again.code == 4 and "withdrawn already, by human:eve" in again.err
    listed = t2c("approvals", "--json").document
    assert (listed["approvals"], listed["left_out"], len(listed["waiting"])) == ([], 1, 1)
    assert "too early" in t2c("approvals", "--all").out


def test_wrong_use_is_told_without_a_traceback(t2c: Any) -> None:
    t2c("init")
    for arguments in (
        ("approve",),
        ("approve", "12345678", "--file", "x"),
        ("approve", "--file", "../outside"),
        ("approve", "--file", "gone.md"),
        ("approve", "x", "--show", "--sha256", "0" * 64),
        ("approve", "x", "--sha256", "short"),
        ("withdraw", "44", "--reason", "no"),
        ("approvals", "--used", "--stale"),
    ):
        ran = t2c(*arguments, env=ADA)
        assert ran.code == 2 and ran.out == "" and "next:" in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(("said", "code", "states"), [("y\n", 0, ["standing"]), ("\n", 1, [])])
def test_on_a_terminal_it_asks(
    t2c: Any, render: Callable[..., str], said: str, code: int, states: list[str]
) -> None:
    digest = render(b"- [ ] one\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*t2c.command, "approve", digest[:12]],
        cwd=t2c.root,
        env={**t2c.environ, **ADA, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, said.encode())
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(30) == code
    assert seen.index(b"- [ ] one") < seen.index(b"approve exactly this") and digest.encode() in seen
    assert [row["state"] for row in t2c("approvals", "--json").document["approvals"]] == states


def test_what_was_edited_while_the_question_was_open(t2c: Any, tmp_path: Path) -> None:
    t2c("init")
    plan = t2c.root / "PLAN.md"
    plan.write_text("- paint 3 doors\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*t2c.command, "approve", "--file", "PLAN.md"],
        cwd=t2c.root,
        env={**t2c.environ, **ADA, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    while b"[y/N]" not in seen:
        seen += os.read(ours, 4096)
    plan.write_text("- paint 4 doors\n")
    os.write(ours, b"y\n")
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(30) == 4 and b"not what was shown" in seen
    assert codes(t2c) == ["APPROVAL_STALE"]
    assert t2c("approvals", "--json").document["approvals"] == []


def test_an_answer_is_approved_by_the_same_word(t2c: Any) -> None:
    t2c("init")
    shaped = {"proposal": "The door stays open.", "assumptions": [], "questions": [], "language": "en",
              "back_translation": "it stays open"}  # fmt: skip
    kept = t2c("answers", "record", "shaped", "-", "--json", input=json.dumps(shaped).encode())
    seq = str(kept.document["seq"])
    assert t2c("approve", seq, "--expires", "7d", env=ADA).code == 2
    assert "nothing was approved" in t2c("approve", seq, "--show").out
    row = t2c("approve", seq, "--json", env=ADA).document
    assert row["digest"] == sha256(shaped["proposal"].encode()).hexdigest()
    assert {one["check"]: one["result"] for one in row["checks"]}["approval"] == "supported"
    (listed,) = t2c("approvals", "--json").document["approvals"]
    assert (listed["subject"], listed["state"]) == (row["subject"], "standing")
    ran = t2c("withdraw", str(row["seq"]), "--reason", "no", env=ADA)
    assert ran.code == 2 and "not withdrawn" in ran.err


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signing with SSH keys needs ssh-keygen")
def test_signing_it(t2c: Any, render: Callable[..., str]) -> None:
    digest, asked = render(b"- [ ] one\n"), {**ADA, "T2C_APPROVAL_SIGNATURE": "true"}
    key = t2c.home / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    assert t2c("approve", digest, env=ADA).code == 0
    (row,) = t2c("approvals", "--json", env=asked).document["approvals"]
    assert (row["state"], row["signed_by"]) == ("refused", None) and "not signed" in row["why"]
    ran = t2c("approve", digest, "--ssh-key", key, env=asked)
    assert ran.code == 3 and codes(t2c) == ["APPROVAL_SIGNATURE_BAD"], "nobody registered the key"
    assert t2c("ledger", "key", "add", f"{key}.pub", "--participant", "human:ada", env=ADA).code == 0
    assert t2c("approve", digest, "--ssh-key", key, env={**asked, **EVE}).code == 3, (
        "it is the key of another"
    )
    signed = t2c(
        "approve", digest, "--ssh-key", key, "--reason", "token: tok_9f8e7d6c5b4a", "--json", env=asked
    )
    assert signed.code == 0 and signed.document["signed_by"].startswith("SHA256:")
    (row,) = t2c("approvals", "--json", env=asked).document["approvals"][1:]
    assert (row["state"], row["signed_by"]) == ("standing", signed.document["signed_by"])
    assert t2c("approve", digest, "--sign", "--ssh-key", key, env=ADA).code == 2
    assert t2c("approve", digest, "--sign", "--reason", "again", env=ADA).code == 2, (
        "there is no key of the ledger"
    )
    assert t2c("ledger", "key", "new", "--participant", "human:ada", env=ADA).code == 0
    assert t2c("approve", digest, "--sign", "--reason", "again", env=asked).code == 0
    assert [row["state"] for row in t2c("approvals", "--json", env=asked).document["approvals"]][1:] == [
        "standing"
    ] * 2


def test_approvals_do_not_wait_for_what_only_answers_need() -> None:
    """Seen to fail with the types of checks of answers loaded for an annotation."""
    code = "import sys, t2c.cli.actions.approvals; print([m for m in sys.modules if 'answers' in m])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
