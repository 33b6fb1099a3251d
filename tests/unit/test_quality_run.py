"""Claim: a run without the repositories that it needs runs nothing, says which are missing and ends with status 6."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "tests" / "quality" / "run.py"
    return subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, check=False
    )


def test_without_a_folder_of_mirrors_nothing_is_run() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (6, "")
    assert "MIRRORS is not given" in done.stderr
    assert run("").returncode == 6


def test_each_repository_that_is_missing_is_named(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    done = run(str(tmp_path), "httpx", "flask")
    assert done.returncode == 6
    assert [line.split(" is missing")[0] for line in done.stderr.splitlines()] == [
        f"error: {tmp_path}/encode+httpx/repo", f"error: {tmp_path}/pallets+flask/repo",
    ]  # fmt: skip
