"""Cases 89 to 97 on real repositories: claims without receipts, approvals of what was shown, and who wrote what."""

from __future__ import annotations

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

REQUEST = "# Ada\n\n## Request\n\n- Lock the account.\n- Run all tests.\n"
JUNIT = '<testsuite name="shop" tests="1"><testcase classname="tests.test_login" name="test_lock" file="tests/test_login.py"/></testsuite>\n'


def commit(
    root: Path, message: str, files: dict[str, str], author: str = "Ada", committer: str | None = None
) -> None:
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": committer or author, "GIT_COMMITTER_EMAIL": "c@example.org",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for arguments in (["add", "--", *files], ["commit", "-q", "-m", message]):
        subprocess.run(["git", *arguments], cwd=root, env=environ, check=True, capture_output=True)


def report(*lines: str) -> dict[str, str]:
    text = "# Codex\n\n## Results\n\n" + "".join(f"- {line}\n" for line in lines)
    return {"project/ticket-1/user-ada.md": REQUEST, "project/ticket-1/ai-codex.md": text}


def claims(t2c: Any) -> list[str]:
    ran = t2c("scan")
    assert ran.code == 0, ran.err
    issues = t2c("communication", "--json").document["issues"]
    return [one["detail"] for one in issues if one["code"] == "AGENT_CLAIM_WITHOUT_EVIDENCE"]


def written(t2c: Any) -> dict[str, int]:
    rows = t2c("communication", "--json").document["participants"]
    return {row["participant"]: row["matchedGitCommits"] for row in rows}


@pytest.fixture
def repo(t2c: Any) -> Path:
    root: Path = t2c.root
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True, capture_output=True)
    assert t2c("init").code == 0
    return root


def test_case_89_tests_that_were_never_run_and_a_file_that_is_not_there(t2c: Any, repo: Path) -> None:
    commit(repo, "Talk", report("All 12 tests pass, wrote weekly.csv."))
    (told,) = claims(t2c)
    assert "a claim without receipt" in told
    assert "No record and no commit knows the file: weekly.csv." in told
    commit(repo, "Data", {"weekly.csv": "a,b\n"})
    (told,) = claims(t2c)
    assert "knows the file" not in told
    (repo / "build").mkdir()
    (repo / "build/junit.xml").write_text(JUNIT)
    assert claims(t2c) == []


def test_case_89_expected_values_of_the_same_hand_are_not_independent(t2c: Any, repo: Path) -> None:
    commit(repo, "Talk", report("All tests pass."))
    code = {
        "src/login.py": "def lock():\n    return 5\n",
        "tests/test_login.py": "def test_lock():\n    assert lock() == 5\n",
    }
    commit(repo, "Lock the account", code, author="codex")
    (repo / "build").mkdir()
    (repo / "build/junit.xml").write_text(JUNIT)
    (told,) = claims(t2c)
    assert "The evidence is not independent" in told
    commit(repo, "Check the lock", {"tests/test_login.py": "def test_lock():\n    assert lock() == 3 + 2\n"})
    assert claims(t2c) == []


def test_case_95_a_name_that_two_bear_gives_nobody_the_commit(t2c: Any, repo: Path) -> None:
    head = "---\nparticipant: {}\nrole: agent\ntype: report\ngit-authors: bot\n---\n{}\n"
    talk = {
        "project/ticket-1/user-ada.md": REQUEST,
        "project/ticket-1/a.md": head.format("codex", "Added a lock to the account."),
        "project/ticket-1/b.md": head.format("grok", "Waiting."),
    }
    commit(repo, "Talk", talk)
    commit(repo, "ticket-1 work", {"src/login.py": "x = 1\n"}, author="bot")
    (told,) = claims(t2c)
    assert "commits by bot are nobody's" in told
    assert written(t2c) == {"ada": 1, "codex": 0, "grok": 0}


def test_case_95_a_commit_of_other_files_and_matters_is_no_evidence(t2c: Any, repo: Path) -> None:
    commit(repo, "Talk", report("Added a lock to the account."))
    commit(repo, "Print invoices", {"src/invoice.py": "x = 1\n"}, author="codex")
    assert len(claims(t2c)) == 1


@pytest.mark.parametrize(
    ("author", "committer", "trailer", "wrote"),
    [
        ("codex", "Ada", "", True),
        ("Ada", "codex", "", False),
        ("Ada", "GitHub", "\n\nCo-authored-by: codex <c@example.org>", True),
        ("Ada", "GitHub", "\n\nCo-authored-by: codex <c@example.org>\n\nSigned-off-by: Ada <a@example.org>", True),
    ],
)  # fmt: skip
def test_case_97_author_committer_and_co_author_are_three_things(
    t2c: Any, repo: Path, author: str, committer: str, trailer: str, wrote: bool
) -> None:
    commit(repo, "Talk", report("Added a lock to the account."), author="Cleo")
    commit(repo, f"ticket-1 work{trailer}", {"src/login.py": "x = 1\n"}, author=author, committer=committer)
    assert bool(claims(t2c)) is not wrote
    assert written(t2c)["codex"] == int(wrote)
    assert written(t2c)["ada"] == int(author == "Ada")


def told(t2c: Any, kind: str, value: Any, *more: str) -> str:
    """The seq of an answer that an agent gave."""
    ran = t2c(
        "answers",
        "record",
        kind,
        "-",
        "--actor",
        "agent:codex",
        "--json",
        *more,
        input=json.dumps(value).encode(),
    )
    assert ran.code == 0, ran.err
    return str(ran.document["seq"])


def test_case_89_expected_values_that_the_code_under_test_made_are_not_independent(
    t2c: Any, repo: Path
) -> None:
    commit(
        repo,
        "Begin",
        {"src/report.py": "def weekly():\n    return 4\n", "spec.md": "FR-001: A week has seven days.\n"},
    )
    (repo / "src/report.py").write_text("def weekly():\n    return 5\n")
    (repo / "tests").mkdir()
    (repo / "tests/test_report.py").write_text("def test_weekly():\n    assert weekly() == 5\n")
    claim = {
        "summary": "All 12 tests pass, wrote weekly.csv.",
        "status": "done",
        "files_changed": ["src/report.py", "tests/test_report.py", "weekly.csv"],
        "checks_run": ["pytest"],
        "notes": [],
    }
    seq = told(t2c, "attempt-report", claim)
    found = t2c("answers", "verify", seq, "--json").document
    results = {row["check"]: (row["result"], row["detail"]) for row in found["checks"]}
    assert results["files_changed"][0] == "refuted" and "weekly.csv" in results["files_changed"][1]
    assert results["checks_run"][0] == "unresolvable", "a run that nobody saw is no receipt"
    assert results["status"][0] == "unresolvable" and "claim without receipt" in results["status"][1]
    assert results["independence"][0] == "unresolvable"
    assert "evidence not independent" in results["independence"][1]
    assert found["state"] == "refuted"


def test_case_91_and_93_an_approval_is_of_the_bytes_that_were_shown_and_no_hash_is_believed(
    t2c: Any, repo: Path
) -> None:
    human = {"T2C_ACTOR": "human:ada"}
    plan = repo / "plan.md"
    plan.write_text("# Plan\n\nDelete nothing.\n")
    hosted = {"summary": "It is planned.", "status": "done", "files_written": ["plan.md"], "questions": []}
    seq = told(t2c, "hosted", hosted)
    approve = ("answers", "approve", seq, "--file", "plan.md")
    shown = t2c(*approve, "--show", "--json").document["digest"]
    assert t2c(*approve, "--sha256", shown, env=human).code == 0
    # The file is edited and bears the hash that was approved.
    plan.write_text(f"# Plan\n\nDelete all.\n\nsha256: {shown}\n")
    (stale,) = t2c("answers", "show", seq, "--json").document["approvals"]
    assert (stale["digest"], stale["fits"]) == (shown, False)
    assert t2c(*approve, "--sha256", shown, env=human).code == 4
    again = sha256(plan.read_bytes()).hexdigest()
    assert t2c(*approve, "--sha256", again, env=human).code == 0, "approved again, by an event of its own"
    granted = t2c("ledger", "log", "--type", "approval.granted", "--jsonl").lines
    assert [event["data"]["digest"] for event in granted] == [shown, again]

    # An object is edited and keeps the name by which the ledger knows it.
    event = t2c("ledger", "log", "--type", "answer.recorded", "--jsonl").lines[0]
    name = event["data"]["content"]
    kept = repo / ".t2c" / "objects" / name[:2] / name[2:]
    kept.chmod(0o644)
    kept.write_bytes(kept.read_bytes().replace(b"planned", b"applied"))
    ran = t2c("answers", "verify", seq)
    assert ran.code == 5 and name[:12] in ran.err
    listed = t2c("answers", "show", seq)
    assert "applied" not in listed.out
