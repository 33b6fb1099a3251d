"""The guide to typed answers: every command in it runs, in its order, and shows what the guide says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from t2c.ledger.answers.roots import ROOTS

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "answers.md").read_text()


def test_every_command_of_the_guide_runs(t2c: Any, shell: Any) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("```") // 2
    said = []
    for block in blocks:
        done = shell(block)
        said.append(done.stdout)
    _, recorded, verified, sealed, revealed, asked = said
    assert "claimed" in recorded
    assert "mail.py" in verified
    assert "exit code 1" in verified
    assert "exit code 1" in sealed
    assert "tests/held_lock.py" in revealed
    assert "Does the lock end by itself?" in asked


def test_the_guide_names_every_root() -> None:
    assert set(ROOTS) <= set(re.findall(r"`([a-z_]+)`", PAGE))
