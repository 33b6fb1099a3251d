"""The guide on anchors: every command in it runs, in its order, in a repository with a remote and an authority."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "anchors.md"


def test_every_command_of_the_guide_runs(t2c: Any, authority: Any, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 7
    assert len(blocks) == PAGE.read_text().count("```") // 2, "a block of another kind would not be run"
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "t2c").write_text(f'#!/bin/sh\nexec {sys.executable} -m t2c.cli "$@"\n')
    (tools / "t2c").chmod(0o755)
    (t2c.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    environ = {**t2c.environ, "PATH": f"{tools}:{t2c.environ['PATH']}", "TSA": authority.url}

    def run(script: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-euo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=t2c.root, env=environ, capture_output=True, text=True, check=False)

    (t2c.root / ".git").rmdir()
    prepared = run(
        "git init -q -b main . && git commit -q --allow-empty -m first && git init -q --bare ../remote"
        " && git remote add origin ../remote && t2c init && t2c ledger append --statement begun"
    )
    assert prepared.returncode == 0, prepared.stderr
    (t2c.root / "tsa").mkdir()
    (t2c.root / "tsa" / "ca.pem").write_bytes(authority.ca.read_bytes())
    for block in blocks:
        done = run(block)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    notes = run("git --git-dir=../remote notes --ref=t2c list").stdout.split()
    assert len(notes) == 2, "what was pushed is at the remote"
