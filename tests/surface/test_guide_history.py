"""Every command of the guide to history does what it says there."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "history.md").read_text()
COMMANDS = [
    line for block in re.findall(r"```\n(.*?)```", GUIDE, re.DOTALL) for line in block.splitlines() if line
]


@pytest.fixture
def scanned(t2c: Any) -> Any:
    """A ledger of some events whose TODO changed, and which somebody spoke in."""
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    (t2c.root / "TODO.md").write_text("- [ ] write the manual\n- [ ] paint the fence\n")
    assert t2c("scan").code == 0
    (t2c.root / "TODO.md").write_text("- [x] write the manual\n")
    assert t2c("scan").code == 0
    assert t2c("ledger", "append", "--statement", "it was painted").code == 0
    return t2c


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 12
    assert all(command.startswith("t2c ledger ") for command in COMMANDS)


def test_every_command_of_the_guide_runs(scanned: Any) -> None:
    for command in COMMANDS:
        arguments = shlex.split(command)[1:]
        if "--at 2h" in command:  # nothing here is that old
            arguments[-1] = "0s"
        if "--follow" in arguments:
            process = scanned.start(*arguments, stdout=subprocess.PIPE)
            assert process.stdout.readline().startswith(b"{")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
            assert process.returncode == 130
            continue
        ran = scanned(*arguments)
        assert ran.code == 0, (command, ran.err)
        assert ran.out, command


def test_every_moment_of_the_table_is_understood(scanned: Any) -> None:
    """The forms themselves, with numbers that this ledger has."""
    table = re.findall(r"^\| (`.*?) \|", GUIDE, re.MULTILINE)
    forms = [form for row in table for form in re.findall(r"`([^`]+)`", row)]
    assert len(forms) > 12
    head = scanned("ledger", "head", "--json").document
    kept = scanned.root / "kept.txt"
    kept.write_bytes(scanned("ledger", "checkpoint").stdout)
    for form in forms:
        given = {"120": "5", "EVT-…": scanned("ledger", "log", "--jsonl").lines[3]["id"]}.get(form, form)
        given = given.replace("/mnt/elsewhere", str(scanned.root))
        ran = scanned("ledger", "log", "--since", given, "--jsonl")
        if given.startswith("checkpoint:"):
            assert ran.code == 2 and "records no checkpoint" in ran.err
        else:
            assert ran.code == 0, (form, ran.err)
    assert scanned("ledger", "head", "--at", "kept.txt", "--json").document["seq"] == head["seq"]
