"""From a finding to its close, all from the command line as a new user would: diagnose, plan, patch, try, approve,
apply, scan, evaluate, close.

Seen to fail: where the work was not committed before it was scanned.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

TODO = "# To do\n\n- [ ] Add `lock_door` in `door.py` so that the door can be locked\n"
DOOR = "def open_door():\n    return 'open'\n"
LOCKED = DOOR + "\n\ndef lock_door():\n    return 'locked'\n"
TEST = "from door import lock_door\n\n\ndef test_it_locks():\n    assert lock_door() == 'locked'\n"
CODER = {"T2C_ACTOR": "agent:coder"}
ADA = {"T2C_ACTOR": "human:ada"}


def git(root: Path, *words: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *settings, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


def test_from_the_finding_to_the_close(t2c: Any) -> None:
    root = t2c.root
    (root / ".git").rmdir()
    git(root, "init", "-q", "-b", "main")
    (root / "door.py").write_text(DOOR)
    (root / "TODO.md").write_text(TODO)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin with a door")

    def ran(*words: str, code: int = 0, env: dict[str, str] = CODER, input: bytes | None = None) -> Any:
        found = t2c(*words, env=env, input=input)
        assert found.code == code, (words, found.out, found.err)
        return found

    ran("scan")
    findings = ran("diagnose", "--json", "--code", "PLANNED_NOT_IMPLEMENTED").document
    (finding,) = [one["id"] for group in findings["groups"] for one in group["findings"]]
    paths = ("--path", "door.py:modify", "--path", "test_door.py:create")
    ran("change", "plan", finding, *paths)
    (plan,) = [one["id"] for one in ran("change", "list", "--json").document["plans"]]

    # Written by hand elsewhere, as a person or an agent would, and given as Git tells of it.
    other = root.parent / "elsewhere"
    git(root.parent, "clone", "-q", str(root), str(other))
    (other / "door.py").write_text(LOCKED)
    (other / "test_door.py").write_text(TEST)
    git(other, "add", "-A")
    diff = git(other, "diff", "--cached").encode()
    patch = ran("change", "patch", plan, "--diff", "-", "--json", input=diff).document

    check = "python -c 'import test_door; test_door.test_it_locks()'"
    tried = ran("change", "try", patch["id"], "--check", check, "--compare", "--json").document
    assert tried["passed"] and tried["checks"][0]["base"] is False
    assert (root / "door.py").read_text() == DOOR and git(root, "status", "--porcelain") == ""

    ran("change", "apply", patch["id"], code=3)
    ran("approve", patch["hash"], code=3)
    ran("approve", patch["hash"], env=ADA)
    done = ran("change", "apply", patch["id"], "--json").document
    assert (root / "door.py").read_text() == LOCKED and (root / "test_door.py").read_text() == TEST

    ran("change", "evaluate", plan, code=4)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Let the door be locked")
    ran("scan")
    accepted = ran("change", "evaluate", plan, "--json").document
    assert accepted["accepted"]
    ran("change", "close", plan)
    assert "[ ]" in (root / "TODO.md").read_text(), "no task is ticked by it"
    assert ran("ledger", "verify", "--level", "domain").code == 0

    # The whole of it stands in the ledger, in order.
    told = [event["type"] for event in ran("ledger", "log", "--subject", plan, "--jsonl").lines]
    story = [
        "change.planned", "patch.rendered", "change.tried", "approval.granted", "apply.announced", "apply.receipted",
        "change.evaluated", "change.closed",
    ]  # fmt: skip
    order = [told.index(type) for type in story]
    assert order == sorted(order), told

    # And back again, under an approval of its own.
    shown = ran("change", "revert", done["event"], "--json", code=3).document
    ran("approve", shown["hash"], env=ADA)
    ran("change", "revert", done["event"])
    assert git(root, "diff", "HEAD~1", "--stat") == ""
