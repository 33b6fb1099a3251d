"""`t2c todo propose` end to end: tasks from a model that keep every rule, and nothing that pretends to be one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_SPAN = re.compile(r"<<<DATA ([0-9a-f]{16}) (\w+)[^\n]*\n(.*?)\n\1 DATA>>>", re.DOTALL)


def answer(body: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Two tasks from the first diagnostic shown, the second of which waits for the first."""
    spans = {label: lines for _, label, lines in _SPAN.findall(body["messages"][1]["content"])}
    first = json.loads(spans["diagnostics"].splitlines()[0])
    grounds = {"diagnosticIds": [first["id"]], "recordIds": first["records"][:1], "confidence": 0.8}
    task = {
        "title": "Write down why the fence waits",
        "description": "Say in the list what stops it.",
        "priority": "P2",
        "target": {"paths": ["./TODO.md"], "symbols": [], "tickets": [], "versions": []},
        "acceptanceCriteria": ["The list says what stops it."],
        "dependencyKeys": [],
        "conclusionKeys": ["c"],
        **grounds,
        **more,
    }
    other = {
        "title": "Paint the fence",
        "description": "Paint the fence",
        "priority": "P0",
        "dependencyKeys": ["a"],
    }
    return {
        "conclusions": [
            {
                "kind": "finding", "title": "A plan stands alone", "detail": "Nothing recorded shows it done.",
                "severity": "warning", "key": "c", **grounds,
            }
        ],
        "proposals": [{**task, "key": "a"}, {**task, **other, "key": "b"}],
    }  # fmt: skip


@pytest.fixture
def chain(t2c: Any, new_journal: Callable[[Path], Any]) -> Any:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.todo("Paint the fence", line=3)
    chain.commit("a" * 40, "Fix the door")
    return chain


@pytest.fixture
def asking(t2c: Any, chain: Any, provider: Any) -> Any:
    """Runs a command with the provider as its model."""
    env = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "acme/one", "T2C_LLM_ATTEMPTS": "1"}

    def run(*arguments: str) -> Any:
        return t2c(*arguments, env=env)

    return run


def count(t2c: Any, kind: str) -> int:
    return len(t2c("ledger", "log", "--type", kind, "--jsonl").lines)


def test_tasks_come_in_order_with_their_grounds_and_are_recorded_once(
    t2c: Any, asking: Any, provider: Any, chain: Any
) -> None:
    provider.on("t2c_grounded_task_synthesis", answer)
    ran = asking("todo", "propose", "--llm", "record", "--mode", "require-llm", "--json")
    assert ran.code == 0, ran.err
    found = ran.document
    assert found["schemaVersion"] == "t2c.task-synthesis/v1" and found["rawDiagnosticActions"] == []
    by_title = {one["title"]: one for one in found["proposals"]}
    first, second = by_title["Write down why the fence waits"], by_title["Paint the fence"]
    checked = found["validation"]
    assert checked["orderedProposalIds"] == [first["id"], second["id"]], "P0 waits for what it depends on"
    assert second["dependencies"] == [first["id"]] and first["target"]["paths"] == ["TODO.md"]
    assert (checked["duplicateProposalIds"], checked["newProposalIds"]) == ([second["id"]], [first["id"]])
    assert checked["duplicates"][0]["basis"] == "text_similarity:1.000"
    (drawn,) = found["conclusions"]
    assert first["conclusionIds"] == [drawn["id"]] and first["diagnosticIds"] == drawn["diagnosticIds"]
    assert {one["status"] for one in found["proposals"]} == {"proposed"}
    assert (found["audit"]["status"], found["audit"]["model"]) == ("succeeded", "acme/one")
    head = t2c("ledger", "head", "--json").document["seq"]
    again = asking("todo", "propose", "--llm", "replay", "--mode", "require-llm", "--json").document
    assert again == found and len(provider.requests) == 1
    assert t2c("ledger", "head", "--json").document["seq"] == head
    assert count(t2c, "proposal.raised") == 2
    text = t2c("todo", "proposals").out
    assert text.index("Write down why") < text.index("Paint the fence  TPROP-")
    assert "a task list has it already" in text and "[ ] The list says what stops it." in text
    assert t2c("todo", "proposals", "--at", str(chain.seq), "--json").document["proposals"] == []
    assert t2c("ledger", "project").code == 0 and t2c("ledger", "verify").code == 0
    made = t2c.root / ".t2c" / "projections" / "proposals"
    assert json.loads((made / "task-synthesis.json").read_text()) == found
    assert json.loads((made / "todo-validation.json").read_text()) == {
        "schema": "t2c.todo-validation/v1",
        **checked,
    }


def test_an_answer_that_breaks_a_rule_is_sent_back_once_and_then_counts_for_nothing(
    t2c: Any, asking: Any, provider: Any
) -> None:
    provider.on("t2c_grounded_task_synthesis", lambda body: answer(body, conclusionKeys=["elsewhere"]))
    failed = asking("todo", "propose", "--llm", "live", "--mode", "require-llm", "--json")
    assert failed.code == 7 and len(provider.requests) == 2
    assert "'elsewhere', which is no conclusion" in provider.requests[1].body["messages"][-1]["content"]
    audit = failed.document["error"]["details"]["audit"]
    assert (audit["status"], audit["reason"]["code"]) == ("failed", "LLM_RESPONSE_INVALID")
    assert count(t2c, "proposal.raised") == count(t2c, "conclusion.drawn") == 0
    provider.on("t2c_grounded_task_synthesis", lambda body: answer(body, acceptanceCriteria=[]))
    assert asking("todo", "propose", "--llm", "live", "--mode", "require-llm").code == 7


def test_an_endless_task_is_sent_back_and_a_made_up_name_is_left_out_with_its_reason(
    t2c: Any, asking: Any, provider: Any
) -> None:
    endless = [f"c is so number {'x' * length}" for length in range(1_500)]
    provider.on("t2c_grounded_task_synthesis", lambda body: answer(body, acceptanceCriteria=endless))
    ran = asking("todo", "propose", "--llm", "live", "--mode", "require-llm", "--json")
    assert ran.code == 7 and len(provider.requests) == 2
    assert "longer than 16,384 bytes" in ran.document["error"]["details"]["audit"]["reason"]["message"]
    provider.on("t2c_grounded_task_synthesis", lambda body: answer(body, title="Delete src/login.py"))
    ran = asking("todo", "propose", "--llm", "live", "--mode", "require-llm", "--json")
    assert ran.code == 0
    assert "src/login.py" not in json.dumps(ran.document["proposals"])
    assert any("src/login.py" in told for told in ran.document["warnings"])


def test_a_correction_that_holds_is_taken(asking: Any, provider: Any) -> None:
    def corrected(body: dict[str, Any]) -> dict[str, Any]:
        return answer(body, **({} if len(body["messages"]) > 2 else {"dependencyKeys": ["nobody"]}))

    provider.on("t2c_grounded_task_synthesis", corrected)
    ran = asking("todo", "propose", "--llm", "live", "--mode", "require-llm", "--json")
    assert ran.code == 0 and len(provider.requests) == 2 and len(ran.document["proposals"]) == 2


def test_without_an_answer_nothing_pretends_to_be_a_synthesis(t2c: Any, asking: Any, provider: Any) -> None:
    provider.stop()
    for times in (1, 2):
        ran = asking("todo", "propose", "--llm", "live", "--mode", "prefer-llm", "--json")
        assert ran.code == 0 and "deterministic fallback (LLM_UNAVAILABLE)" in ran.err
        found = ran.document
        assert found["conclusions"] == found["proposals"] == []
        actions = found["rawDiagnosticActions"]
        assert actions and set(actions[0]) == {"diagnosticId", "recordIds", "suggestedAction"}
        assert (found["audit"]["status"], found["audit"]["degraded"]) == ("fallback", True)
        assert count(t2c, "degradation.noted") == 1, f"told {times} times"
    assert "which is no proposal" in t2c("todo", "proposals").out
    assert t2c("todo", "propose", "--mode", "deterministic").code == 2


def test_a_proposal_stands_as_long_as_what_it_rests_on(
    t2c: Any, asking: Any, provider: Any, chain: Any
) -> None:
    provider.on("t2c_grounded_task_synthesis", answer)
    found = asking("todo", "propose", "--llm", "live", "--mode", "require-llm", "--json").document
    suppressed = found["proposals"][0]["diagnosticIds"][0]
    assert t2c("suppress", suppressed, "--reason", "kept on purpose").code == 0
    later = t2c("todo", "proposals", "--json").document
    assert later["proposals"] == later["conclusions"] == []
    assert any("stands no more" in warning for warning in later["warnings"])
    assert count(t2c, "proposal.raised") == 2, "what was proposed stays on record"
