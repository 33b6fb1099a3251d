"""The guide to communication: every command in it runs, in its order, and prints what is shown below it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

from t2c.ledger.commands.intake_contract import Command, Query
from t2c.ledger.events.participants import SENTINELS
from t2c.ledger.intake.communication.names import TYPES

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "communication.md").read_text()
BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_guide_runs_and_prints_what_is_shown(t2c: Any, shell: Any) -> None:
    blocks = BLOCK.findall(PAGE)
    shown = [output for _, output in blocks if output]
    assert len(blocks) >= 9
    assert len(shown) >= 6
    assert len(blocks) + len(shown) == PAGE.count("```") // 2, "a block of another kind would not be run"
    for block, output in blocks:
        done = shell(block)
        if output.endswith("…\n"):
            assert done.stdout.startswith(output.removesuffix("…\n")), block
        elif output:
            assert done.stdout == output, block
    assert "fifty" in (t2c.root.parent / "changed.md").read_text()
    assert "after five failures" in (t2c.root / "project/ticket-004/user-bob.md").read_text()


def test_the_guide_names_every_type_command_query_and_sentinel() -> None:
    assert {kind for kind in TYPES if f"`communication_{kind}`" not in PAGE} == set()
    names = {kind.__name__ for union in (Command, Query) for kind in get_args(get_args(union)[0])}
    assert len(names) == 11
    assert {name for name in names if name not in PAGE} == set()
    assert {name for name in SENTINELS if f"`{name}`" not in PAGE} == set()
