"""Sealed tests from the command line: sealed, run, kept from the implementer, revealed, audited, verified."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(sys.executable).name
BOOT = "import sys; sys.path.insert(0, '.')\nimport code_of\n"
HELD = BOOT + "assert code_of.double(21) == 42, 'the answer to the secret question'\n"
BOTH = BOOT + "assert code_of.double(code_of.double(3)) == 12, 'both scenarios at once'\n"


def held_out() -> dict[str, Any]:
    def one(path: str, content: str, *scenarios: str, composition: bool = False) -> dict[str, Any]:
        argv = [PYTHON, path]
        return {
            "path": path, "content": content, "scenarios": scenarios, "argv": argv, "composition": composition,
        }  # fmt: skip

    files = [
        one("tests/held_1.py", HELD, "US1"),
        one("tests/held_2.py", BOTH, "US1", "US2", composition=True),
    ]
    return {"files": files, "notes": []}


@pytest.fixture
def repo(t2c: Any, tmp_path: Path) -> Any:
    t2c.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{t2c.environ['PATH']}"
    shutil.rmtree(t2c.root / ".git")
    (t2c.root / "code_of.py").write_text("def double(n):\n    return n + n\n")
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
    (tmp_path / "held.json").write_text(json.dumps(held_out()))
    return t2c


def readable(repo: Any) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(repo.root.rglob("*")) if path.is_file())


def test_a_sealed_test_from_its_sealing_to_its_audit(repo: Any, tmp_path: Path) -> None:
    done = repo("answers", "seal", tmp_path / "held.json", "--about", "story-1", "--json")
    assert done.code == 0, done.err
    sealed = done.document
    assert (sealed["schema"], sealed["files"], sealed["composed"]) == ("t2c.answers.sealed/v1", 2, True)
    state = repo.home / ".local/state/t2c/sealed"
    assert any(state.rglob("*")) and state.stat().st_mode & 0o077 == 0

    ran = repo("answers", "run", sealed["seq"], "--json")
    assert ran.code == 0, ran.err
    assert ran.document["scenarios"] == {"US1": True, "US2": True}
    assert {(row["result"], row["counts"]) for row in ran.document["files"]} == {("passed", True)}
    (repo.root / "code_of.py").write_text("def double(n):\n    return {21: 42}.get(n, 12)\n")
    worse = repo("answers", "run", sealed["sealed"])
    assert worse.code == 0 and "pass  US2" in worse.out  # twelve is twelve: these tests are weak here
    (repo.root / "code_of.py").write_text("def double(n):\n    return 12\n")
    worse = repo("answers", "run", sealed["sealed"])
    assert worse.code == 1 and "fail  US1" in worse.out and "held_1" not in worse.out + worse.err
    assert "pass  US1" in repo("answers", "run", sealed["answer"], "--candidate", "main").out

    found = readable(repo)
    assert b"secret question" not in found and b"held_1" not in found and b"both scenarios" not in found

    clean = repo("answers", "leaks", "--json")
    assert clean.code == 0 and clean.document["ok"] and clean.document["requests"] == 0
    assert "nothing was revealed" in repo("answers", "reveal", sealed["seq"]).err
    agent = {"T2C_ACTOR": "agent:coder"}
    for arguments in (("leaks",), ("leaks", "--json"), ("reveal", sealed["seq"], "--yes")):
        told = repo("answers", *arguments, env=agent)
        assert told.code == (3 if "reveal" in arguments else 0), told.err
        assert "held_" not in told.out + told.err and "US1" not in told.out, told.out
    assert "human:" not in told.err
    assert "agent:coder" in repo("ledger", "log", "--type", "refusal.noted", "--json", "--jsonl").out
    assert repo("answers", "leaks", "--json").document["tests"][0]["path"] == "tests/held_1.py"
    opened = repo("answers", "reveal", sealed["seq"], "--yes", "--json")
    assert opened.code == 0, opened.err
    assert [row["path"] for row in opened.document["files"]] == ["tests/held_1.py", "tests/held_2.py"]
    shutil.rmtree(repo.home / ".local")
    audited = repo("answers", "leaks")
    assert audited.code == 0, audited.err
    assert "it is open, and its passes count for nothing" in audited.out
    assert "tests/held_1.py" in audited.out and "shown in no request to the implementer" in audited.out
    verified = repo("ledger", "verify", "--level", "domain")
    assert verified.code == 0, verified.out + verified.err


def test_a_test_in_the_tree_is_found_and_what_is_burned_counts_for_nothing(repo: Any, tmp_path: Path) -> None:
    inside = repo.root / "mine.json"
    inside.write_text((tmp_path / "held.json").read_text())
    (repo.root / "tests").mkdir()
    (repo.root / "tests/held_1.py").write_text(HELD)
    done = repo("answers", "seal", inside)
    assert done.code == 0 and "test 0 can be read in tests/held_1.py" in done.err
    seq = done.out.split("seq ")[1].split(",")[0]
    found = repo("answers", "leaks")
    assert found.code == 1 and "lies in the work tree: tests/held_1.py" in found.out
    idle = held_out()
    idle["files"][0] |= {
        "path": "tests/idle.py",
        "content": "def test_x():\n    assert 0, 'nobody runs this test'\n",
    }
    idle["files"][0]["argv"] = [PYTHON, "tests/idle.py"]
    idle["files"].pop()
    assert repo("answers", "seal", "-", input=json.dumps(idle).encode()).code == 0
    nothing = repo("answers", "run", "latest")
    assert nothing.code == 1 and "test 0 ran nothing that is known" in nothing.out, nothing.out + nothing.err
    assert repo("answers", "reveal", seq, "--yes").code == 0
    ran = repo("answers", "run", seq, "--json").document
    assert ran["passed"] and not any(row["counts"] for row in ran["files"])


def test_what_is_wrong_is_said_and_nothing_is_recorded(repo: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"files": []}')
    before = (repo.root / ".t2c/journal.ndjson").read_bytes()
    for arguments, code, told in (
        (("seal", tmp_path / "bad.json"), 2, "notes"),
        (("seal", tmp_path / "none.json"), 2, "there is no file"),
        (("seal", tmp_path / "held.json", "--by", "human:ada"), 3, "cannot give an answer"),
        (("run", "7"), 2, "no sealed tests are named"),
        (("reveal", "7", "--yes"), 2, "no sealed tests are named"),
    ):
        ran = repo("answers", *arguments)
        assert (ran.code, told in ran.err, "Traceback" in ran.err) == (code, True, False), (
            arguments,
            ran.err,
        )
    assert repo("answers", "leaks").out == "no tests are sealed\n"
    assert repo("answers", "frozen").out == "no test is frozen\n"
    assert (repo.root / ".t2c/journal.ndjson").read_bytes() == before
