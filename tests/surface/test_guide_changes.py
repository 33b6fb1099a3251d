"""The guide to changes: every command in it runs, in its order, and shows what the guide says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "changes.md").read_text()


def test_every_command_of_the_guide_runs(t2c: Any, shell: Any) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("```") // 2
    said = []
    for block in blocks:
        done = shell(block)
        said.append(done.stdout + done.stderr)
    planned, tried, applied, reverted, ran = said
    assert "door.py" in planned and "CPLAN-" in planned
    assert "lock_door" in tried
    assert " M " not in tried.splitlines()[-1], "the tree of the user is as it was"
    assert "exit code 3" in applied and "approval.granted" in applied and "change.closed" in applied
    assert "exit code 3" in reverted
    assert (t2c.root / "shop" / "door.py").read_text() == 'def open_door():\n    return "open"\n'
    assert "manifest.json" in ran and "latest.json" in ran
