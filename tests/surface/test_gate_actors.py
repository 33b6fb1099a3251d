"""Whoever runs a gate, what runs inside it speaks as an agent, and an agent stays one.

Mutations seen to fail: the variables left to the caller; the processes above not looked at; the warden without its name;
an option or a body that makes a person of an agent.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

T2C = f"{shlex.quote(sys.executable)} -m t2c.cli"
HUMAN = {"T2C_ACTOR": "human:ada"}
SAY = "ledger append --statement said"
ATTEMPTS = f"""
{T2C} answers reply 2 yes; echo end plain $?
env -i {T2C} answers reply 2 yes; echo end bare $?
T2C_ACTOR=human:boss T2C_GATE= {T2C} answers reply 2 yes; echo end named $?
T2C_ACTOR=helper:t2c {T2C} {SAY}; echo end helper $?
{T2C} {SAY} --actor human:boss; echo end option $?
env -i {T2C} ledger log >/dev/null; echo end read $?
(setsid sh -c '(env -i {T2C} {SAY}; echo end apart $?) >apart 2>&1; touch done' &)
while ! [ -e done ]; do sleep 0.05; done; cat apart
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there the processes above can be looked at")
def test_nothing_in_a_gate_speaks_as_a_person(t2c: Any) -> None:
    root: Path = t2c.root
    (root / ".git").rmdir()
    (root / "attempts.sh").write_text(ATTEMPTS)
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=root, check=True)
    assert t2c("init").code == 0
    for name, value in (
        ("question", {"question": "May it?"}),
        (
            "attempt-report",
            {"summary": "It.", "status": "done", "files_changed": [], "checks_run": [], "notes": []},
        ),
    ):
        recorded = t2c("answers", "record", name, "-", input=json.dumps(value).encode())
        assert recorded.code == 0, recorded.err
    verified = t2c("answers", "verify", "latest", "--base", "HEAD", "--gate", "sh attempts.sh", env=HUMAN)
    assert verified.code in (0, 1), verified.err
    events = list(t2c("ledger", "log", "--jsonl").lines)
    (ran,) = [one for one in events if one["type"] == "gate.ran"]
    digest = ran["data"]["output"]
    output = (root / ".t2c" / "objects" / digest[:2] / digest[2:]).read_text()
    ends = dict(line.split()[1:] for line in output.splitlines() if line.startswith("end "))
    assert ends == {
        "plain": "3", "bare": "3", "named": "3", "helper": "3", "option": "3", "read": "0", "apart": "3",
    }, output  # fmt: skip
    assert {one["actor"]["kind"] for one in events[1:]} <= {"helper", "agent"}
    assert not [one for one in events if one["type"] in ("question.answered", "observation.noted")]
    outside = t2c("answers", "reply", "2", "yes", env=HUMAN)
    assert outside.code == 0, outside.err
