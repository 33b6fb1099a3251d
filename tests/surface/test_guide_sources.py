"""The guide to sources: every command in it runs, in its order, and prints what is shown below it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from t2c.cli.sections import ScanSettings
from t2c.ledger.intake.registry import file_extractors

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guide" / "sources.md").read_text()
BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_guide_runs_and_prints_what_is_shown(t2c: Any, shell: Any) -> None:
    blocks = BLOCK.findall(PAGE)
    shown = [output for _, output in blocks if output]
    assert len(blocks) >= 10
    assert len(shown) >= 6
    assert len(blocks) + len(shown) == PAGE.count("```") // 2, "a block of another kind would not be run"
    said = []
    for block, output in blocks:
        done = shell(block)
        said.append(done.stdout)
        if output:
            assert done.stdout == output, block
    whole = "".join(said)
    ids = re.findall(r"^INT-TODO-[0-9a-f]{20}$", whole, re.MULTILINE)
    assert len(ids) == 4 and ids[:2] == ids[:1:-1], "reordered, ticked and moved, and the same records"


def test_the_guide_has_a_section_for_every_stage() -> None:
    sections = set(re.findall(r"^### `(\w+)`:", PAGE, re.MULTILINE))
    assert sections == {*file_extractors(ScanSettings()), "git"}


def test_the_guide_names_every_kind_that_is_no_message() -> None:
    kinds = set(re.findall(r"^\| \w+ \| \w+ \| `(\w+)` \|", (DOCS / "sources.md").read_text(), re.MULTILINE))
    assert len(kinds) > 30
    left = {kind for kind in kinds if f"`{kind}`" not in PAGE}
    assert {kind for kind in left if not kind.startswith("communication_")} == set()


def test_the_commands_of_the_page_on_omissions_run(t2c: Any) -> None:
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    (t2c.root / "package-lock.json").write_text("{}")
    assert t2c("scan").code == 0
    commands = re.findall(r"^t2c (.+)$", (DOCS / "omissions.md").read_text(), re.MULTILINE)
    assert [t2c(*command.split()).code for command in commands] == [0, 1, 0]
