"""`t2c change try`: a patch tried beside the tree, recorded as observed, the user's files byte for byte as they were.

Seen to fail: with the checks run in the user's tree, and with `passed` said of a trial in which nothing fitted.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.changes.known import plan_named
from t2c.ledger.changes.patching import render_source
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.changes import ChangePlanned
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import Target

DOOR = "def open_door():\n    return 'closed'\n"
DIFF = """\
--- a/door.py
+++ b/door.py
@@ -1,2 +1,2 @@
 def open_door():
-    return 'closed'
+    return 'open'
"""
CHECK = "python -c 'import door; assert door.open_door() == \"open\"'"


def git(root: Path, *words: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *settings, *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repo(t2c: Any) -> Any:
    t2c.root.joinpath(".git").rmdir()
    git(t2c.root, "init", "-q", "-b", "main")
    (t2c.root / "door.py").write_text(DOOR)
    (t2c.root / "lock.py").write_text("# theirs\n")
    git(t2c.root, "add", "-A")
    git(t2c.root, "commit", "-qm", "Begin")
    create(t2c.root / ".t2c")
    return t2c


def patched(t2c: Any, diff: str | None = DIFF) -> str:
    """A plan and its patch, by hand; the id of the patch."""
    plan = plan_document(
        title="Open the door",
        description="The door should open.",
        priority="P1",
        target=Target(paths=("door.py",), symbols=(), tickets=(), versions=()),
        criteria=("open_door() says open",),
        changes=[Change("door.py", "modify", (), "it should open")],
        risk=Risk("low", ("small",)),
        rollback="take it back",
        graph="a" * 64,
        records=("INT-TODO-" + "1" * 20,),
        diagnostics=("DIAG-" + "2" * 20,),
        confidence=0.8,
    )
    payload = ChangePlanned(id=plan["id"], hash=plan["planHash"], plan=plan, proposed_by=("helper:t2c",))
    with Ledger(t2c.root / ".t2c") as ledger:
        ledger.append([draft(payload)])
        made = render_source(
            ledger, t2c.root, plan_named(ledger, plan["id"]), diff, "diff", by=Actor.parse("agent:coder")
        )
    return made.patch.id


def seen(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file of the tree and of Git, with its mode and time, but those of t2c; and what Git says of it."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and ".t2c" not in path.parts:
            status = path.lstat()
            found[path.relative_to(root).as_posix()] = path.read_bytes(), status.st_mode, status.st_mtime_ns
    return found


def last(t2c: Any, type: str) -> Any:
    with Ledger(t2c.root / ".t2c") as ledger:
        *_, entry = (one for one in ledger.entries() if one.type == type)
        return json.loads(bytes(entry.data)), entry


def test_it_is_tried_on_the_commit_and_nothing_of_the_user_changes(repo: Any) -> None:
    patch = patched(repo)
    git(repo.root, "status")
    before, head = seen(repo.root), git(repo.root, "rev-parse", "HEAD").strip()
    ran = repo("change", "try", patch, "--check", CHECK, "--compare", "--json")
    assert ran.code == 0, ran.err
    assert seen(repo.root) == before and git(repo.root, "worktree", "list").count("\n") == 1
    found = ran.document
    assert (found["schema"], found["tree"], found["revision"]) == ("t2c.change-tried/v1", "worktree", head)
    assert found["applied"] and found["passed"] and not found["dirty"]
    (check,) = found["checks"]
    assert check["passed"] and check["base"] is False, "the check tells the patch from what was there"
    data, entry = last(repo, "change.tried")
    assert data["gates"] == [check["gate"]] and data["passed"] and entry.trust == "observed"
    assert check["gate"] in entry.cause
    gate, _ = last(repo, "gate.announced")
    assert (gate["purpose"], gate["subject"], gate["tree"], gate["revision"]) == (
        "change.try",
        patch,
        "worktree",
        head,
    )


def test_a_check_that_fails_or_says_nothing_is_told_with_its_output(repo: Any) -> None:
    patch = patched(repo)
    ran = repo(
        "change", "try", patch, "--check", "true", "--check", "sh -c 'echo so it broke; exit 3'", "--compare"
    )
    assert ran.code == 1
    assert "so it broke" in ran.out and "exit code 3" in ran.out
    assert ran.out.count("the same without the patch") == 2
    assert last(repo, "change.tried")[0]["passed"] is False
    assert (repo.root / "door.py").read_text() == DOOR


def test_on_a_dirty_tree_it_says_so_and_a_copy_of_it_can_be_taken(repo: Any) -> None:
    patch = patched(repo)
    (repo.root / "lock.py").write_text("# mine\n")
    (repo.root / "new.txt").write_text("new\n")
    git(repo.root, "status")
    before = seen(repo.root)
    sees = "sh -c 'grep mine lock.py && test -e new.txt'"
    head = repo("change", "try", patch, "--check", sees, "--json")
    assert head.code == 1 and head.document["dirty"] and "--as-is" in head.err
    here = repo("change", "try", patch, "--as-is", "--check", sees, "--check", CHECK, "--json")
    assert here.code == 0 and (here.document["tree"], here.document["dirty"]) == ("copy", True), here.out
    assert seen(repo.root) == before


def test_a_patch_that_does_not_fit_is_recorded_as_that_and_nothing_runs(repo: Any) -> None:
    patch = patched(repo)
    (repo.root / "door.py").write_text("other\n")
    git(repo.root, "commit", "-qam", "Another door")
    ran = repo("change", "try", patch, "--check", "true", "--json")
    assert ran.code == 1 and not ran.document["applied"] and not ran.document["checks"]
    assert "door.py" in ran.document["detail"]
    data, _ = last(repo, "change.tried")
    assert (data["applied"], data["passed"], data["gates"]) == (False, False, [])


def test_what_is_asked_for_must_make_sense(repo: Any) -> None:
    patch = patched(repo)
    asked = (
        ((), "--no-check"),
        (("--check", "true", "--no-check"), "--check"),
        (("--check", "'"), "quotation"),
        (("--no-check", "--compare"), "--check"),
    )
    for words, told in asked:
        ran = repo("change", "try", patch, *words)
        assert ran.code == 2 and told in ran.err, ran.err
    assert repo("change", "try", "SPATCH-" + "0" * 20, "--no-check").code == 2
    fits = repo("change", "try", patch, "--no-check", "--json")
    assert fits.code == 0 and fits.document["passed"] and not fits.document["checks"]
