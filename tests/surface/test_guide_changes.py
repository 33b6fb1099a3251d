"""The guide to changes: every command in it runs, in its order, and shows what the guide says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "changes.md").read_text()


def test_every_command_of_the_guide_runs(t2c: Any, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("```") // 2
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "t2c").write_text(f'#!/bin/sh\nexec {sys.executable} -m t2c.cli "$@"\n')
    (tools / "t2c").chmod(0o755)
    (t2c.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    environ = {**t2c.environ, "PATH": f"{tools}:{t2c.environ['PATH']}"}
    (t2c.root / ".git").rmdir()
    said = []
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            check=False,
            cwd=t2c.root,
            env=environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        said.append(done.stdout + done.stderr)
    planned, tried, applied, reverted, ran = said
    assert "door.py" in planned and "CPLAN-" in planned
    assert "lock_door" in tried
    assert " M " not in tried.splitlines()[-1], "the tree of the user is as it was"
    assert "exit code 3" in applied and "approval.granted" in applied and "change.closed" in applied
    assert "exit code 3" in reverted
    assert (t2c.root / "shop" / "door.py").read_text() == 'def open_door():\n    return "open"\n'
    assert "manifest.json" in ran and "latest.json" in ran
