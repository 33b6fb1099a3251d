"""Tests as answers, from the command line: asked for and sealed, kept from the implementer, measured, frozen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(sys.executable).name
BOOT = "import sys; sys.path.insert(0, '.')\nimport code_of\n"
CODE = "def double(n):\n    return n + n\n"
TEST = BOOT + "assert code_of.double(2) == 4\n"
TELLING = "assert code_of.double(21) == 42, 'the secret question'"


@pytest.fixture
def repo(t2c: Any, tmp_path: Path) -> Any:
    t2c.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{t2c.environ['PATH']}"
    shutil.rmtree(t2c.root / ".git")
    (t2c.root / "code_of.py").write_text("def double(n):\n    raise NotImplementedError\n")
    (t2c.root / "spec.md").write_text("# Double\n\nUS1: twice two is four\n")
    git = [
        "git",
        "-C",
        str(t2c.root),
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "commit.gpgsign=false",
    ]
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "base")):
        subprocess.run([*git, *arguments], check=True)
    assert t2c("init").code == 0
    return t2c


def given(repo: Any, root: str, value: Any) -> str:
    done = repo("answers", "record", root, "-", "--about", "US1", "--json", input=json.dumps(value).encode())
    assert done.code == 0, done.err
    return str(done.document["seq"])


def everything(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


def test_tests_before_code_are_frozen_and_measured(repo: Any) -> None:
    test = {"path": "tests/test_double.py", "content": TEST, "scenarios": ["US1"]}
    seq = given(repo, "acceptance", {"files": [test], "argv": [PYTHON, test["path"]], "notes": []})
    checked = repo("answers", "verify", seq, "--base", "HEAD", "--spec", "spec.md")
    assert "base FAIL" in checked.out and checked.code == 0, checked.out + checked.err
    (repo.root / "code_of.py").write_text(CODE)
    checked = repo("answers", "verify", seq, "--base", "HEAD", "--spec", "spec.md")
    assert "discriminating" in checked.out and checked.code == 0, checked.out + checked.err

    def variant(kind: str, content: str) -> dict[str, Any]:
        files = [{"path": "code_of.py", "content": content}]
        return {"kind": kind, "scenario": "US1", "rationale": "r", "files": files}

    variants = [
        variant("wrong", CODE.replace("n + n", "n")),
        variant("wrong", CODE.replace("n + n", "n * n")),
        variant("permitted", CODE.replace("n + n", "2 * n")),
        variant("wrong", "import no_such_thing_of_ours\n"),
    ]
    measured = repo(
        "answers", "verify", given(repo, "near_miss_variants", {"variants": variants, "notes": []})
    )
    assert measured.code == 1, measured.out + measured.err
    for told in ("wrong is killed", "wrong is survived", "permitted is accepted", "wrong is invalid"):
        assert told in measured.out
    assert (repo.root / "code_of.py").read_text() == CODE and not (repo.root / "tests").exists()

    (repo.root / "tests").mkdir()
    target = repo.root / test["path"]
    target.write_text(TEST)
    assert repo("answers", "frozen").code == 0
    target.write_text("assert True\n")
    listed = repo("answers", "frozen", "--refuse", "--json")
    assert listed.code == 1 and listed.document["refused"] == [test["path"]]
    assert listed.document["files"][0]["state"] == "changed"
    assert target.read_text() == "assert True\n"
    noted = repo("ledger", "log", "--type", "refusal.noted", "--json", "--jsonl")
    assert "FROZEN_TEST_CHANGED" in noted.out
    target.unlink()
    gone = repo("answers", "frozen", "--refuse", "--json")
    assert gone.code == 1 and not gone.document["ok"] and gone.document["refused"] == [test["path"]]
    target.write_text(TEST + "assert code_of.double(3) == 6\n")
    shown = repo("answers", "approve", seq, "--file", test["path"], "--show", "--json").document
    assert shown["text"] == target.read_text() and shown["replaces"] == sha256(TEST.encode()).hexdigest()
    target.write_text(TEST + "assert code_of.double(4) == 8\n")
    stale = repo("answers", "approve", seq, "--file", test["path"], "--sha256", shown["digest"])
    assert stale.code == 4, stale.out + stale.err
    now = repo("answers", "approve", seq, "--file", test["path"])
    assert now.code == 0 and "stand in the work tree" in now.out and "double(4)" in now.out
    listed = repo("answers", "frozen", "--json")
    assert listed.code == 0 and listed.document["files"][0]["state"] == "changed by approval"
    assert repo("ledger", "verify", "--level", "domain").code == 0


def test_a_model_writes_tests_that_nobody_reads_before_they_are_revealed(repo: Any, provider: Any) -> None:
    env = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "acme/one", "T2C_LLM_MODE": "record"}
    file = {
        "path": "tests/held.py", "content": BOOT + TELLING + "\n", "scenarios": ["US1"], "argv": [PYTHON, "tests/held.py"],
        "composition": False,
    }  # fmt: skip
    provider.on("held_out", lambda body: {"files": [file], "notes": []})
    asked = repo("answers", "ask", "held_out", "--about", "US1", "--spec", "spec.md", "--json", env=env)
    assert asked.code == 0, asked.err
    assert len(provider.requests) == 1 and "secret question" not in asked.out + asked.err
    found = everything(repo.root)
    assert b"secret question" not in found and b"held.py" not in found
    again = repo("answers", "ask", "held_out", "--about", "US1", "--spec", "spec.md", "--json", env=env)
    assert again.code == 0, again.err
    assert (again.document["event"], len(provider.requests)) == (asked.document["event"], 1)
    assert repo("ledger", "verify", "--level", "domain").code == 0

    provider.on(
        "attempt_report",
        lambda body: {"summary": "s", "status": "done", "files_changed": [], "checks_run": [], "notes": []},
    )
    (repo.root / "seen.txt").write_text(f"Look:   {TELLING}\n")
    clean = repo("answers", "ask", "attempt_report", "--show", "spec.md", env=env)
    assert clean.code == 0, clean.err
    leaky = repo("answers", "ask", "attempt_report", "--show", "seen.txt", env=env)
    assert leaky.code == 3 and "shows a sealed test" in leaky.err, leaky.err
    other = repo("answers", "ask", "attempt_report", "--role", "Implementer-2", "--text", TELLING, env=env)
    assert other.code == 3, other.err
    assert len(provider.requests) == 2
    assert not [one for one in provider.requests if b"secret question" in one.raw]
    report = repo("answers", "leaks", "--json")
    assert report.code == 1
    assert [sign["sent"] for sign in report.document["tests"][0]["leaks"]] == [False, False]
    ran = repo("answers", "run", report.document["tests"][0]["sealed"], "--json").document
    assert ran["scenarios"] == {"US1": False} and not ran["files"][0]["counts"]


def test_what_a_model_says_of_sealed_tests_and_is_no_answer_stays_sealed(repo: Any, provider: Any) -> None:
    env = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "acme/one", "T2C_LLM_MODE": "record"}
    provider.on(
        "held_out", lambda body: {"files": [{"path": "secret_path.py", "content": TELLING}], "notes": []}
    )
    asked = repo("answers", "ask", "held_out", env=env)
    assert asked.code == 7 and "secret" not in asked.out + asked.err, asked.err
    provider.on("held_out", lambda body: {"files": [], "notes": []})
    empty = repo("answers", "ask", "held_out", "--text", "again", env=env)
    assert empty.code == 7 and "no usable answer" in empty.err, empty.err
    off = repo("answers", "ask", "held_out", "--text", "off", env={**env, "T2C_LLM_MODE": "off"})
    assert off.code == 7 and "--llm record" in off.err, off.err
    assert len(provider.requests) == 2  # to send it back would put it into the ledger
    assert b"secret question" not in everything(repo.root) and b"secret_path" not in everything(repo.root)
    assert repo("ledger", "verify", "--level", "domain").code == 0


def test_words_of_a_provider_about_sealed_tests_stay_sealed(repo: Any, provider: Any) -> None:
    env = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "acme/one", "T2C_LLM_MODE": "record"}
    ways: list[dict[str, Any]] = [
        {"refusal": f"I will not write {TELLING}"},
        {"status": 400, "message": f"cannot take {TELLING}"},
        {"merge": {"error": {"code": 502, "message": f"broke at {TELLING}"}, "choices": []}},
        {"body": f"<html>{TELLING}</html>"},
        {"finish": f"because {TELLING}", "content": None},
    ]
    for number, how in enumerate(ways):
        provider.queue(how)
        asked = repo("answers", "ask", "held_out", "--text", f"try {number}", env=env)
        assert asked.code == 7 and "secret question" not in asked.out + asked.err, (how, asked.err)
    log = repo("llm", "log", "--failed")
    assert "secret question" not in log.out + log.err
    assert b"secret question" not in everything(repo.root)
    (state,) = (repo.home / ".local/state/t2c/sealed").iterdir()
    assert b"secret question" in everything(state)


def test_a_review_is_signed_by_hash(repo: Any) -> None:
    file = {"path": "tests/test_double.py", "content": TEST, "scenarios": ["US1"], "argv": [PYTHON, "t"]}
    expected = [{"scenario": "US1", "given": "two", "expect": "four"}]
    value = {
        "files": [file],
        "argv": [PYTHON, file["path"]],
        "notes": [],
        "expectations": expected,
        "untestable": [],
    }
    seq = given(repo, "review", value)
    checked = repo("answers", "verify", seq, "--spec", "spec.md")
    digest = sha256(TEST.encode()).hexdigest()
    assert f"nobody has signed tests/test_double.py, SHA-256 {digest}" in checked.out
    approved = repo("answers", "approve", seq, "--file", file["path"])
    assert approved.code == 0, approved.err
    assert digest in repo("answers", "verify", seq, "--spec", "spec.md").out
    assert repo("answers", "frozen", "--about", "US1", "--json").document["files"][0]["digest"] == digest
