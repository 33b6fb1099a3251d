"""Cases 89, 95 and 97 on real repositories: claims without receipts, and who wrote what."""

from __future__ import annotations

import os
import subprocess
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
