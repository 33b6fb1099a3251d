"""Cases 98 and 100 for `scan` and `extract`: one document whatever happens, one exit code for each kind of end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.intake.base import REMARKS

SOURCES = (
    "all", "changelog", "code", "comments", "communication", "config", "cycle", "docs", "git", "nl", "tags", "tests",
    "todo",
)  # fmt: skip
FILES = {
    "TODO.md": b"- [ ] Add `lock_door()`\n- [?] odd\n",
    "CHANGELOG.md": b"# Changelog\n\n## 1.0.0 - 2026-01-01\n\n- Login\n\nWords.\n",
    "README.md": b"# Door\n\nIt must lock.\n",
    "door.py": b"# TODO: handle errors [impl->req~x~1\ndef lock_door(:\n    return 1\n",
    "bad.py": b"x = 1\n" * 300_000,
    "wide.md": b"- [ ] caf\xe9 \xff\n",
    "package.json": b'{"name": "a", "version": "1.0.0",,}',
    "junit.xml": b'<testsuite name="s" tests="1"><testcase classname="a" name="b"/></testsuite>',
    "task.md": b"Dodaj ponawianie do eksportu.\nIt must not fail.\n",
    "project/7/human.ada.md": b"We will add it.\n",
    "odd.weird": b"x",
}
NAMED = {"nl": "task.md", "cycle": "cycle.json"}


def strictly(ran: Any) -> Any:
    """The one document of an answer, read by a strict reader; what is said beside it is no JSON."""
    document = ran.document
    assert isinstance(document, dict) and document["schema"].startswith("t2c.")
    assert "Traceback" not in ran.err
    return document


def sound(t2c: Any) -> None:
    for level in ("chain", "domain"):
        verified = t2c("ledger", "verify", "--level", level, "--json")
        assert verified.code == 0, verified.out


@pytest.fixture
def repo(t2c: Any) -> Path:
    root: Path = t2c.root
    subprocess.run(["git", "init", "-q", "-b", "main", root], env=t2c.environ, check=True)
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


@pytest.mark.parametrize("source", SOURCES)
def test_case_98_each_source_gives_one_document(t2c: Any, repo: Path, source: str) -> None:
    given = [NAMED[source]] if source in NAMED else []
    (repo / "cycle.json").write_text("{broken")
    ran = t2c("extract", source, *given, "--json")
    assert ran.code == 0, ran.err
    document = strictly(ran)
    assert set(document) == {"schema", "records", "warnings", "audit"}
    assert t2c("extract", source, *given, "--json").stdout == ran.stdout, (
        "the same input gives the same bytes"
    )
    lines = t2c("extract", source, *given, "--jsonl")
    assert lines.code == 0
    assert [json.loads(line) for line in lines.out.splitlines()] == document["records"]
    left_out = [item for item in document["warnings"] if item["reason"] not in REMARKS]
    strict = t2c("extract", source, *given, "--json", "--strict")
    assert strict.code == (1 if left_out else 0)
    assert strictly(strict) == document
    for wrong in (("--nope",), ("missing.md",), ("../outside.md",), ("--commit", "abc", "junit.xml")):
        failed = t2c("extract", source, *wrong, "--json")
        assert failed.code in (2, 3), (wrong, failed.code)
        assert strictly(failed)["schema"] == "t2c.error/v1"
        assert strictly(failed)["error"]["code"] == failed.code
        assert strictly(failed)["error"]["message"]
    assert not (repo / ".t2c").exists(), "an extraction writes nothing"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 0),
        (("--strict",), 1),
        (("--nope",), 2),
        (("--commits", "many"), 2),
        (("--commits", "-1"), 2),
        (("missing",), 2),
        (("--task", "missing.md"), 2),
        (("--report", "README"), 2),
        (("--report", "junit.xml", "--commit", "abc"), 2),
        (("--commit", "a" * 40), 2),
        (("--task", "task.md", "--report", "junit.xml"), 0),
        (("--task", "../outside.md"), 2),
    ],
)
def test_case_100_a_scan_has_one_code_for_each_end_and_one_document(
    t2c: Any, repo: Path, arguments: tuple[str, ...], code: int
) -> None:
    (repo.parent / "outside.md").write_text("x")
    ran = t2c("scan", *arguments, "--json")
    assert ran.code == code, ran.out
    document = strictly(ran)
    if code in (0, 1):
        assert document["schema"] == "t2c.scan/v1"
        assert sum(document["omissions"].values()) >= 5
        sound(t2c)
    else:
        assert document["error"]["code"] == code
        assert not (repo / ".t2c" / "journal.ndjson").exists(), "a command that was wrong made a ledger"
    plain = t2c("scan", *arguments)
    assert plain.code == code
    assert ("error:" in plain.err) == (code != 0)


def test_case_98_an_unwritable_place_is_one_error_document(t2c: Any, repo: Path) -> None:
    (repo / ".t2c").write_text("in the way")
    ran = t2c("scan", "--json")
    assert ran.code == 6
    assert strictly(ran)["error"]["class"] == "Environment"
    assert t2c("extract", "todo", "--json").code == 0


def test_case_100_a_clean_tree_is_no_finding(t2c: Any) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", t2c.root], env=t2c.environ, check=True)
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    (t2c.root / "TODO.md").write_text("- [ ] Add the lock\n")
    for arguments in (["add", "-A"], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *arguments], cwd=t2c.root, env=t2c.environ, check=True)
    assert t2c("scan", "--strict", "--json").code == 0
    assert t2c("extract", "all", "--strict", "--json").code == 0


def children_of(session: int) -> list[int]:
    """Processes that live in a session: what a command that was interrupted left behind."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


FUNCTIONS = 80
"""In each of 160 files: enough for a scan that is still under way when it is interrupted."""
FUNCTION = "def f{0}():\n    # TODO: handle case {0}\n    return [x for x in range({0})]\n\n\n"


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the processes of a session are listed in /proc"
)
@pytest.mark.parametrize("wholly", [True, False], ids=["terminal", "parent"])
@pytest.mark.parametrize("delay", [0.15, 0.35, 0.7])
def test_case_100_ctrl_c_leaves_nothing_behind(t2c: Any, repo: Path, wholly: bool, delay: float) -> None:
    """To all processes, as a terminal sends it, and to the first alone; while two processes read."""
    for number in range(160):
        (repo / f"module_{number}.py").write_text("".join(FUNCTION.format(n) for n in range(FUNCTIONS)))
    process = t2c.start(
        "scan", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={"T2C_SCAN_PROCESSES": "2"},
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(children_of(process.pid)) < 3 and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(delay)
    assert process.poll() is None, "the scan was over too soon for this test"
    if wholly:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads(out)
    assert document["error"]["code"] == 130
    assert b"Traceback" not in err
    for _ in range(100):
        if not children_of(process.pid):
            break
        time.sleep(0.02)
    assert children_of(process.pid) == []
    half = [
        path for path in (repo / ".t2c").rglob("*") if path.suffix in (".tmp", ".part") or ".tmp" in path.name
    ]
    assert half == []
    journal = (repo / ".t2c" / "journal.ndjson").read_bytes()
    assert journal.endswith(b"\n")
    assert all(json.loads(line) for line in journal.splitlines())
    again = t2c("scan", "--json")
    assert again.code == 0, again.err
    assert again.document["records"]["ast"] >= 160 * FUNCTIONS
    sound(t2c)
    assert t2c("scan", "--json").document["run"] is None
    runs = t2c("ledger", "log", "--type", "run.started", "--jsonl").lines
    ends = t2c("ledger", "log", "--type", "run.finished", "--jsonl").lines
    assert len(runs) == len(ends)
