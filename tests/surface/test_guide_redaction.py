"""The guide on secrets: every command in it runs, in its order, and what it promises holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from t2c.ledger.redaction.detectors import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "redaction.md"


def test_every_command_of_the_guide_runs(t2c: Any, tmp_path: Path) -> None:
    text = PAGE.read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == text.count("```") // 2 >= 7
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "t2c").write_text(f'#!/bin/sh\nexec {sys.executable} -m t2c.cli "$@"\n')
    (tools / "t2c").chmod(0o755)
    # The pages need one thing of jq: the value of a member.
    (tools / "jq").write_text(
        f"#!{sys.executable}\nimport json, sys\nprint(json.load(sys.stdin)[sys.argv[-1].removeprefix('.')])\n"
    )
    (tools / "jq").chmod(0o755)
    environ = {**t2c.environ, "PATH": f"{tools}:{t2c.environ['PATH']}"}
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
    whole = "".join(said)
    assert "GITHUB_TOKEN=[redacted:github_token]" in whole
    assert "secret_masked" in whole
    assert "1 payload is withheld by redaction events" in whole
    secret = b"9f3KqLz81XbVwT7rYmNc42HsDgJ6PaQe5UiO"
    for path in (t2c.root / ".t2c").rglob("*"):
        assert not path.is_file() or secret not in path.read_bytes()


def test_the_guide_names_every_kind() -> None:
    text = PAGE.read_text()
    assert {kind for kind in KINDS if f"`{kind}`" not in text} == set()
    assert len(KINDS) >= 18
