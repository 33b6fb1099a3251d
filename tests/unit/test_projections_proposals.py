"""Proposals: the envelope keeps its contract whatever there is, and nothing in it outlives what it cites."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import TASKS, Generation, Target, conclusion, proposal
from t2c.projections.fold import fold
from t2c.projections.proposals.contract import TaskSynthesis
from t2c.projections.registry import ALL

BY_MODEL = Generation(TASKS, "prefer-llm", "a" * 64, model="acme/one", provider="by", response="r1")


def made(chain: Any) -> Any:
    """The envelope, which keeps its contract."""
    content = fold(chain.journal, ALL, ["proposals"]).artifacts("proposals")["task-synthesis.json"]
    assert isinstance(content, bytes)
    TaskSynthesis.model_validate_json(content)
    return orjson.loads(content)


@pytest.fixture
def drawn(chain: Any) -> Any:
    """A synthesis with two tasks, each resting on a finding of its own; the second waits for the first."""
    records = [
        chain.todo("Paint the fence", line=3),
        chain.todo("Build a shed", line=4, path="plans/shed.md"),
    ]
    content = fold(chain.journal, ALL, ["diagnostics"]).artifacts("diagnostics")["diagnostics.json"]
    assert isinstance(content, bytes)
    findings = {
        record: next(one["id"] for one in orjson.loads(content)["diagnostics"] if record in one["recordIds"])
        for record in records
    }
    conclusions = [
        conclusion(
            kind="risk", title=f"Conclusion {n}", detail="Nobody did it.", severity="warning",
            diagnostics=[findings[record]], records=[record], confidence=0.5, generation=BY_MODEL,
        )
        for n, record in enumerate(records)
    ]  # fmt: skip
    proposals: list[Any] = []
    for n, one in enumerate(conclusions):
        proposals.append(
            proposal(
                title=f"Task {n}", description="Do it.", priority="P1", target=Target(), criteria=["Done."],
                dependencies=[former["id"] for former in proposals], conclusions=[one["id"]],
                diagnostics=one["diagnosticIds"], records=one["recordIds"], confidence=0.5, generation=BY_MODEL,
            )
        )  # fmt: skip
    told = {
        "responseId": "r1", "model": "acme/one", "provider": "by", "promptTokens": None, "completionTokens": None,
        "totalTokens": None, "costMicros": None, "durationMs": 7,
    }  # fmt: skip
    options = {
        "synthesis": "tasks-1", "mode": "prefer-llm", "configuration": {"model": "acme/one"}, "responses": [told],
        "abstained": [{"title": "Too much", "why": "no ground"}],
    }  # fmt: skip
    started = {"verb": "todo propose", "requested_by": "a", "tool": "t", "revision": None, "branch": None}
    chain.add("run.started", {**started, "options": options}, run="r1")
    who = {"actor": Actor("agent", "acme/one"), "trust": "asserted"}
    for one in conclusions:
        chain.add(
            "conclusion.drawn",
            {"id": one["id"], "synthesis": "tasks-1", "conclusion": one, "by": None},
            run="r1",
            **who,
        )
    for one in proposals:
        chain.add(
            "proposal.raised",
            {"id": one["id"], "synthesis": "tasks-1", "proposal": one, "by": None},
            run="r1",
            **who,
        )
    stage = {"stage": "task-synthesis", "status": "succeeded", "counts": {}, "detail": None}
    chain.add("stage.finished", stage, run="r1")
    return chain, records, [one["id"] for one in proposals]


def test_without_a_synthesis_there_are_none_and_the_findings_speak_for_themselves(chain: Any) -> None:
    chain.todo("Paint the fence", line=3)
    found = made(chain)
    assert found["proposals"] == found["conclusions"] == []
    assert found["audit"]["status"] == "skipped" and found["audit"]["reason"]["code"] == "STAGE_SKIPPED"
    assert found["rawDiagnosticActions"]


def test_what_was_drawn_is_shown_in_order_with_what_it_took(drawn: Any) -> None:
    chain, _, ids = drawn
    found = made(chain)
    assert found["validation"]["orderedProposalIds"] == ids == found["validation"]["newProposalIds"]
    assert found["rawDiagnosticActions"] == [] and found["audit"]["durationMs"] == 7
    assert found["audit"]["responses"][0]["usage"] is None
    assert found["warnings"] == ["left out “Too much”: no ground"]
    assert all(one["generation"]["generatedAt"] for one in (*found["proposals"], *found["conclusions"]))


def test_a_task_whose_ground_is_gone_goes_and_nothing_waits_for_it(drawn: Any) -> None:
    chain, records, ids = drawn
    chain.add("record.retracted", {"id": records[0], "why": "deleted", "superseded_by": None})
    found = made(chain)
    assert found["validation"]["orderedProposalIds"] == ids[1:]
    assert found["proposals"][0]["dependencies"] == []
    assert "2 that cite what stands no more are not shown" in found["warnings"]


def test_a_later_fallback_takes_their_place_and_says_why(drawn: Any) -> None:
    chain, _, _ = drawn
    options = {
        "synthesis": "tasks-2",
        "mode": "prefer-llm",
        "configuration": {},
        "responses": [],
        "abstained": [],
    }
    started = {"verb": "todo propose", "requested_by": "a", "tool": "t", "revision": None, "branch": None}
    chain.add("run.started", {**started, "options": options}, run="r2")
    stage = {
        "stage": "task-synthesis",
        "status": "fallback",
        "counts": {},
        "detail": "LLM_TIMEOUT: after 5 s",
    }
    chain.add("stage.finished", stage, run="r2")
    found = made(chain)
    assert found["proposals"] == found["conclusions"] == [] and found["rawDiagnosticActions"]
    assert found["audit"]["reason"] == {"code": "LLM_TIMEOUT", "message": "after 5 s"}
    assert found["warnings"] == ["task-synthesis used deterministic fallback (LLM_TIMEOUT): after 5 s"]


@pytest.mark.parametrize(
    ("type", "data"),
    [
        (
            "conclusion.drawn",
            {"id": "CONC-" + "0" * 20, "synthesis": "tasks-1", "conclusion": {}, "by": None},
        ),
        ("proposal.raised", {"id": "TPROP-" + "0" * 20, "synthesis": "tasks-1", "proposal": {}, "by": None}),
        ("run.started", {"verb": "summarize", "options": {"synthesis": "summary-1"}}),
    ],
)
def test_an_event_of_another_shape_takes_nothing_but_itself_away(
    chain: Any, drawn: Any, type: str, data: dict[str, Any]
) -> None:
    run = {
        "verb": "todo propose",
        "options": {"synthesis": "t", "mode": "prefer-llm", "configuration": {}, "responses": []},
    }
    stage = {"stage": "task-synthesis", "status": "succeeded", "counts": {}, "detail": None}
    chain.add("run.started", run, run="r2")
    chain.add(type, data, run="r3" if type == "run.started" else "r2")
    chain.add("stage.finished", stage, run="r2")
    assert made(chain)["proposals"] == []
    assert fold(chain.journal, ALL, ["conclusions"]).artifacts("conclusions")["conclusions.json"]


def test_tasks_that_wait_for_one_another_are_shown_by_nobody(drawn: Any) -> None:
    chain, _, ids = drawn
    run = {
        "verb": "todo propose",
        "options": {"synthesis": "t", "mode": "prefer-llm", "configuration": {}, "responses": []},
    }
    found = made(chain)
    chain.add("run.started", run, run="r2")
    for one in found["conclusions"]:
        chain.add("conclusion.drawn", {"conclusion": one}, run="r2")
    for one, other in zip(found["proposals"], reversed(ids), strict=True):
        chain.add("proposal.raised", {"proposal": {**one, "dependencies": [other]}}, run="r2")
    alone = {**found["proposals"][0], "id": "TPROP-" + "1" * 20, "dependencies": []}
    chain.add("proposal.raised", {"proposal": alone}, run="r2")
    stage = {"stage": "task-synthesis", "status": "succeeded", "counts": {}, "detail": None}
    chain.add("stage.finished", stage, run="r2")
    told = made(chain)
    assert told["validation"]["orderedProposalIds"] == ["TPROP-" + "1" * 20]
    assert "2 that cite what stands no more are not shown" in told["warnings"]
