"""`t2c todo render | apply`: a task list gets what a person approved, byte for byte, once, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from hashlib import sha256
from typing import Any

import pytest

_SPAN = re.compile(r"<<<DATA ([0-9a-f]{16}) (\w+)[^\n]*\n(.*?)\n\1 DATA>>>", re.DOTALL)
ADA = {"T2C_ACTOR": "human:ada"}
TODO = "# Plans\n\n- [ ] Paint the fence\n"


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """Two new tasks from the first diagnostic shown, and one that the list has."""
    spans = {label: lines for _, label, lines in _SPAN.findall(body["messages"][1]["content"])}
    first = json.loads(spans["diagnostics"].splitlines()[0])
    task = {
        "diagnosticIds": [first["id"]],
        "recordIds": first["records"][:1],
        "confidence": 0.8,
        "title": "Write down why the fence waits",
        "description": "Say in the list what stops it.",
        "priority": "P2",
        "target": {"paths": ["TODO.md"], "symbols": [], "tickets": [], "versions": []},
        "acceptanceCriteria": ["The list says what stops it.", "Somebody read it."],
        "dependencyKeys": [],
        "conclusionKeys": ["c"],
    }
    grounds = {name: task[name] for name in ("diagnosticIds", "recordIds", "confidence")}
    drawn = {"kind": "finding", "title": "A plan stands alone", "detail": "Nothing recorded shows it done."}
    return {
        "conclusions": [{**drawn, "severity": "warning", "key": "c", **grounds}],
        "proposals": [
            {**task, "key": "a"},
            {
                **task,
                "key": "b",
                "title": "Buy red <!-- paint *now*",
                "description": "Red | paint",
                "priority": "P0",
            },
            {**task, "key": "d", "title": "Paint the fence", "description": "Paint the fence"},
        ],
    }


@pytest.fixture
def proposed(t2c: Any, provider: Any) -> Any:
    """A repository with a task list, what a scan read of it, and three proposals, one of which the list has."""
    (t2c.root / "TODO.md").write_text(TODO)
    (t2c.root / "door.py").write_text("def open_door():\n    return 1\n")
    assert t2c("scan").code == 0
    provider.on("t2c_grounded_task_synthesis", answer)
    env = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "acme/one", "T2C_LLM_ATTEMPTS": "1"}
    ran = t2c("todo", "propose", "--llm", "live", "--mode", "require-llm", env=env)
    assert ran.code == 0, ran.err
    return t2c


def run(t2c: Any, *words: str, code: int = 0) -> Any:
    ran = t2c(*words, env=ADA)
    assert ran.code == code, (words, ran.out, ran.err)
    return ran


def count(t2c: Any, kind: str) -> int:
    return len(t2c("ledger", "log", "--type", kind, "--jsonl").lines)


def test_a_patch_is_rendered_approved_applied_once_and_read_back(proposed: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    made = run(t2c, "todo", "render", "--out", "build", "--json").document
    assert file.read_text() == TODO, "rendering changes no task list"
    artifact, text = made["artifact"], made["markdown"]
    assert made["hash"] == artifact["renderedPatchHash"] == sha256(text.encode()).hexdigest()
    assert artifact["sourceTodo"] == {"path": "TODO.md", "contentHash": sha256(TODO.encode()).hexdigest()}
    assert len(artifact["selectedProposalIds"]) == 2 and len(artifact["duplicateProposalIds"]) == 1
    assert made["proposed_by"] == ["agent:acme/one"]
    assert (t2c.root / "build" / "TODO.patch").read_text() == text
    assert json.loads((t2c.root / "build" / "TODO.patch.json").read_text()) == artifact
    assert "Buy red \\<!-- paint \\*now\\*" in text and "Red \\| paint" in text
    again = run(t2c, "todo", "render", "--json").document
    assert again["repeated"] and again["seq"] == made["seq"] and count(t2c, "patch.rendered") == 1

    refused = run(t2c, "todo", "apply", code=3)
    assert file.read_text() == TODO and "not be applied" in refused.err and count(t2c, "refusal.noted") == 1
    seen = run(t2c, "todo", "apply", "--dry-run", "--json").document
    assert seen["bytes_appended"] == len(text.encode()) + 1 and file.read_text() == TODO
    run(t2c, "approve", made["hash"], "--yes")
    done = run(t2c, "todo", "apply", made["hash"][:12], "--receipt", "build/receipt.json", "--json").document
    assert file.read_text() == f"{TODO}\n{text}"
    receipt = done["receipt"]
    assert receipt == json.loads((t2c.root / "build" / "receipt.json").read_text())
    assert receipt["schemaVersion"] == "t2c.todo-apply-receipt/v1" and receipt["approvedBy"] == "human:ada"
    assert receipt["resultTodoHash"] == sha256(file.read_bytes()).hexdigest()
    same = run(t2c, "todo", "apply", "--json").document
    assert same["again"] and same["receipt"] == receipt and count(t2c, "apply.announced") == 1

    run(t2c, "scan")
    tasks = [
        entry["data"]["record"]["statement"]["text"]
        for entry in t2c("ledger", "log", "--type", "record.observed", "--jsonl").lines
        if entry["data"]["record"]["source"]["path"] == "TODO.md"
    ]
    assert sum("TPROP-" in one for one in tasks) == 2
    assert not any("Acceptance" in one or "stops it" in one or "Evidence" in one for one in tasks), tasks
    nothing = run(t2c, "todo", "render", "--json").document
    assert nothing["duplicates"] == 3, "what was applied stands in the list now"
    assert nothing["hash"] is None and count(t2c, "patch.rendered") == 1
    file.write_text(file.read_text() + "- [ ] more\n")
    run(t2c, "todo", "apply", code=4)
    assert run(t2c, "ledger", "verify", "--level", "domain").code == 0


def test_the_diff_is_the_same_change_for_git_and_for_patch(proposed: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    for before in (TODO.encode(), b"", b"a\r\nb\r\n", b"no end", "\ufeffzażółć\n".encode(), None):
        file.unlink(missing_ok=True)
        if before is not None:
            file.write_bytes(before)
        made = run(t2c, "todo", "render", "--json").document
        results = []
        for tool in (["git", "apply", "../x.diff"], ["patch", "-s", "-p1", "--binary", "-i", "../x.diff"]):
            if shutil.which(tool[0]) is None:
                continue
            tree = t2c.root / "tree"
            shutil.rmtree(tree, ignore_errors=True)
            tree.mkdir()
            if before is not None:
                (tree / "TODO.md").write_bytes(before)
            (t2c.root / "x.diff").write_bytes(made["diff"].encode())
            # Git would take the tree for a part of the repository around it and pass the file over.
            env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(t2c.root)}
            subprocess.run(tool, cwd=tree, check=True, capture_output=True, env=env)
            results.append((tree / "TODO.md").read_bytes())
        run(t2c, "approve", made["hash"], "--yes")
        run(t2c, "todo", "apply")
        assert results and all(one == file.read_bytes() for one in results), before
        assert file.read_bytes().startswith(before or b"<!--")


def test_what_changed_or_was_appended_by_hand_is_told_apart(proposed: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    made = run(t2c, "todo", "render", "--json").document
    run(t2c, "approve", made["hash"], "--yes")
    file.write_text(TODO + "- [ ] Something else\n")
    changed = run(t2c, "todo", "apply", code=4)
    assert "render it again" in changed.err and file.read_text() == TODO + "- [ ] Something else\n"
    file.rename(t2c.root / "other.md")
    file.symlink_to("other.md")
    before = count(t2c, "refusal.noted")
    assert "the refusal is recorded" in run(t2c, "todo", "apply", code=3).err
    assert count(t2c, "refusal.noted") == before + 1
    file.unlink()
    file.write_text(f"{TODO}\n{made['markdown']}")
    found = run(t2c, "todo", "apply", "--json").document
    assert (found["how"], found["again"]) == ("found", False)
    assert found["receipt"]["sourceTodoHash"] == sha256(TODO.encode()).hexdigest()


def test_a_link_is_followed_inside_the_root_and_refused_outside(proposed: Any, tmp_path_factory: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    (t2c.root / "docs").mkdir()
    file.rename(t2c.root / "docs" / "tasks.md")
    file.symlink_to("docs/tasks.md")
    made = run(t2c, "todo", "render", "--json").document
    assert made["path"] == "docs/tasks.md"
    run(t2c, "approve", made["hash"], "--yes")
    run(t2c, "todo", "apply")
    assert file.is_symlink() and made["markdown"] in (t2c.root / "docs" / "tasks.md").read_text()
    file.unlink()
    file.symlink_to(tmp_path_factory.mktemp("out") / "TODO.md")
    run(t2c, "todo", "render", code=2)
    run(t2c, "todo", "render", "--todo", "plan.org", code=2)


def test_an_altered_text_is_found(proposed: Any) -> None:
    t2c = proposed
    made = run(t2c, "todo", "render", "--json").document
    run(t2c, "approve", made["hash"], "--yes")
    (kept,) = (t2c.root / ".t2c" / "objects").rglob(f"{made['hash'][2:]}*")
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes().replace(b"fence", b"house"))
    run(t2c, "todo", "apply", code=5)
    assert (t2c.root / "TODO.md").read_text() == TODO


def test_an_apply_can_be_taken_back_and_done_again(proposed: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    made = run(t2c, "todo", "render", "--json").document
    run(t2c, "approve", made["hash"], "--yes")
    done = run(t2c, "todo", "apply", "--json").document
    bob = {"T2C_ACTOR": "human:bob"}
    shown = t2c("change", "revert", done["event"], "--json", env=bob)
    assert shown.code == 3, shown.err
    run(t2c, "approve", shown.document["hash"], "--yes")
    assert t2c("change", "revert", done["event"], env=bob).code == 0
    assert file.read_text() == TODO
    assert "taken back since" in run(t2c, "todo", "apply", code=3).err
    run(t2c, "approve", made["hash"], "--yes")
    run(t2c, "todo", "apply")
    assert file.read_text() == f"{TODO}\n{made['markdown']}"


def test_an_approval_is_of_no_other_text_of_the_file(proposed: Any) -> None:
    t2c, file = proposed, proposed.root / "TODO.md"
    made = run(t2c, "todo", "render", "--json").document
    run(t2c, "approve", made["hash"], "--yes")
    file.write_text(TODO + "- [ ] Something else\n")
    other = run(t2c, "todo", "render", "--json").document
    assert other["hash"] != made["hash"]
    run(t2c, "todo", "apply", code=3)
    run(t2c, "todo", "apply", made["hash"], code=3)
    assert file.read_text() == TODO + "- [ ] Something else\n"
