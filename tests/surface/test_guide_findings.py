"""The guide to findings and relations: every command in it runs, in its order, and prints what is shown below it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from t2c.projections.diagnostics.model import CODES
from t2c.projections.facts import SEVERITIES

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "findings.md").read_text()
BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_guide_runs_and_prints_what_is_shown(t2c: Any, shell: Any) -> None:
    blocks = BLOCK.findall(PAGE)
    shown = [output for _, output in blocks if output]
    assert len(blocks) >= 11
    assert len(shown) >= 3
    assert len(blocks) + len(shown) == PAGE.count("```") // 2, "a block of another kind would not be run"
    for block, output in blocks:
        done = shell(block)
        assert done.stdout, f"{block}says nothing"
        said, wanted = _countless(done.stdout), _countless(output)
        if wanted.startswith("…\n"):
            assert said.endswith(wanted.removeprefix("…\n")), block
        elif wanted.endswith("…\n"):
            assert said.startswith(wanted.removesuffix("…\n")), block
        elif wanted:
            assert said == wanted, block


def _countless(text: str) -> str:
    """Without the numbers of events, which differ with each thing that a scan learns to record, and what a scan says."""
    return re.sub(r"\bseq \d+", "seq N", text)


def test_the_guide_names_every_code_and_severity() -> None:
    named = set(re.findall(r"`([A-Za-z_]+)`", PAGE))
    assert {*CODES, *SEVERITIES} <= named


def test_the_guide_shows_every_option_that_is_not_the_same_everywhere(t2c: Any) -> None:
    """What somebody has to find out from the help alone is not in the tour."""
    for command in (("diagnose",), ("suppress",)):
        options = set(re.findall(r"^  (--[a-z-]+)", t2c(*command, "--help").out, re.MULTILINE))
        assert len(options) > 4
        assert options - {"--help", "--page"} <= set(re.findall(r"--[a-z-]+", PAGE)), command
