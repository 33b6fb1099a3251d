"""The runs projection: stage by stage, and never more finished than the journal says."""

from __future__ import annotations

from typing import Any

import orjson

from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL


def folded(chain: Any) -> Folded:
    return fold(chain.journal, ALL, ["runs"])


def document(chain: Any) -> Any:
    content = folded(chain).artifacts("runs")["runs.json"]
    assert isinstance(content, bytes)
    return orjson.loads(content)


def runs(chain: Any) -> list[Any]:
    found: list[Any] = document(chain)["runs"]
    return found


def begin(chain: Any, run: str) -> int:
    started = {
        "verb": "scan", "requested_by": "human:local", "tool": "t2c 0", "revision": "a" * 40, "branch": "main",
        "options": {},
    }  # fmt: skip
    seq: int = chain.add("run.started", started, run=run)
    return seq


def stage(chain: Any, run: str, name: str, status: str = "succeeded") -> int:
    body = {"stage": name, "status": status, "counts": {"records": 2}, "detail": None}
    seq: int = chain.add("stage.finished", body, run=run)
    return seq


def end(chain: Any, run: str, status: str = "succeeded") -> int:
    seq: int = chain.add("run.finished", {"status": status, "appended": {}, "detail": None}, run=run)
    return seq


def test_a_finished_run_is_told_whole(chain: Any) -> None:
    begun = begin(chain, "r1")
    chain.observe("todo", "TODO.md", run="r1")
    stage(chain, "r1", "todo", "partial")
    degraded = {"stage": "docs", "asked": "llm", "done": "deterministic", "reason": "no key"}
    chain.add("degradation.noted", degraded, run="r1")
    chain.add("something.unknown", {}, run="r1")
    ended = end(chain, "r1", "partial")
    assert document(chain)["schema"] == "t2c.runs/v1"
    assert runs(chain) == [
        {
            "id": "r1",
            "verb": "scan",
            "requested_by": "human:local",
            "tool": "t2c 0",
            "revision": "a" * 40,
            "branch": "main",
            "started": {"seq": begun, "ts": "2026-01-05T10:00:01.000Z"},
            "finished": {"seq": ended, "ts": "2026-01-05T10:00:05.000Z"},
            "status": "partial",
            "failed_at": None,
            "detail": None,
            "stages": [{"name": "todo", "status": "partial", "counts": {"records": 2}, "detail": None}],
            "degradations": [degraded],
            "appended": {
                "run.started": 1, "stage.finished": 1, "degradation.noted": 1, "something.unknown": 1,
            },
        }
    ]  # fmt: skip


def test_a_run_without_an_end_counts_as_failed_at_its_last_stage(chain: Any) -> None:
    begin(chain, "r1")
    assert (runs(chain)[0]["status"], runs(chain)[0]["failed_at"]) == ("failed", None)
    stage(chain, "r1", "inventory")
    stage(chain, "r1", "todo")
    assert (runs(chain)[0]["status"], runs(chain)[0]["failed_at"]) == ("failed", "todo")
    assert runs(chain)[0]["finished"] is None


def test_runs_stand_in_the_order_in_which_they_began(chain: Any) -> None:
    for run in ("b", "a", "c"):
        begin(chain, run)
    assert [run["id"] for run in runs(chain)] == ["b", "a", "c"]


def test_an_id_that_never_began_a_run_is_no_run(chain: Any) -> None:
    chain.add("observation.noted", {"statement": "x", "subject": None}, run="plan-1")
    assert runs(chain) == []


def test_withheld_events_are_counted_for_their_run(chain: Any) -> None:
    begin(chain, "r1")
    chain.withheld("observation.noted", run="r1")
    assert runs(chain)[0]["appended"] == {"run.started": 1, "observation.noted": 1}


def test_a_second_start_and_a_second_end_are_faults_and_change_nothing(chain: Any) -> None:
    begin(chain, "r1")
    end(chain, "r1")
    before = runs(chain)
    seqs = [begin(chain, "r1"), end(chain, "r1", "failed")]
    found = folded(chain).faults["runs"]
    assert [fault.seq for fault in found] == seqs
    assert "had begun at seq 2" in found[0].detail
    assert "had ended at seq 3" in found[1].detail
    assert {**runs(chain)[0], "appended": None} == {**before[0], "appended": None}


def test_a_stage_that_names_no_run_is_a_fault(chain: Any) -> None:
    body: dict[str, object] = {"stage": "todo", "status": "failed", "counts": {}, "detail": None}
    seq = chain.add("stage.finished", body)
    assert [fault.seq for fault in folded(chain).faults["runs"]] == [seq]
