"""The journal as an event log: what has a type there, and that everything else is counted."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest

from t2c.ledger.interop.event_log import EventLog, digest_of, parse
from t2c.ledger.journal.entry import Entry, Origin
from t2c.ledger.kernel.actor import Actor
from t2c.projections.fold import fold
from t2c.projections.interop.event_log import LogProjection
from t2c.projections.registry import ALL

FIRST, SECOND = "a" * 40, "b" * 40


def made(chain: Any) -> tuple[EventLog, dict[str, Any]]:
    artifacts = fold(chain.journal, ALL, ["event-log"]).artifacts("event-log")
    text, summary = artifacts["logs.dsl.txt"], artifacts["event-log.json"]
    assert isinstance(text, bytes) and isinstance(summary, bytes)
    return parse(text), orjson.loads(summary)


def finish(chain: Any, status: str, run: str = "r1") -> int:
    seq: int = chain.add("run.finished", {"status": status, "appended": {}, "detail": None}, run=run)
    return seq


def test_runs_commits_and_verdicts_have_a_type(chain: Any) -> None:
    commit = chain.commit(SECOND, "Fix it for ACME-7", parents=(FIRST,))
    assert commit.startswith("INT-GIT-")
    for status in ("succeeded", "partial", "failed"):
        finish(chain, status)
    for verdict, actor in (
        ("right", Actor("human", "ada")),
        ("wrong", Actor("agent", "bot")),
        ("unsure", Actor("human", "ada")),
    ):
        judged = {"relation": "REL-" + "0" * 20, "verdict": verdict, "reason": ""}
        chain.add("relation.judged", judged, actor=actor, trust="asserted")
    log, summary = made(chain)
    facts = [event.fact for event in log.events]
    assert [(fact.type, fact.outcome, fact.trust_class) for fact in facts] == [
        ("git.commit.created", "CREATED", "SYSTEM_FACT"),
        ("analysis.completed", "PASSED", "SYSTEM_FACT"),
        ("analysis.completed", "DEGRADED", "SYSTEM_FACT"),
        ("analysis.completed", "FAILED", "SYSTEM_FACT"),
        ("evaluation.generated", "PASSED", "HUMAN_DECISION"),
        ("evaluation.generated", "FAILED", "ADVISORY_INFERENCE"),
        ("evaluation.generated", "SKIPPED", "HUMAN_DECISION"),
    ]
    first = facts[0]
    assert (first.subject_id, first.base_sha, first.head_sha) == (f"commit:{SECOND}", FIRST, SECOND)
    assert first.occurred_at == "2026-01-03T12:00:00+01:00"
    assert first.recorded_at == "2026-01-05T10:00:01.000Z"
    assert log.generated_at == facts[-1].recorded_at
    assert summary["mapped"] == {"record.observed": 1, "relation.judged": 3, "run.finished": 3}
    assert summary["withoutType"] == {"journal.opened": 1}


def test_the_evidence_is_the_payload_of_the_event_that_it_names(chain: Any) -> None:
    finish(chain, "succeeded")
    (event,) = made(chain)[0].events
    entry = next(entry for entry in chain.journal.entries(None, None) if entry.type == "run.finished")
    assert event.fact.evidence_ref == f"journal:{entry.id}"
    assert event.fact.evidence_digest == digest_of(bytes(entry.data))


def test_what_has_no_type_is_counted_by_its_own(chain: Any) -> None:
    chain.todo("write it")
    chain.add("observation.noted", {"statement": "x"}, actor=Actor("human", "ada"), trust="asserted")
    chain.withheld("observation.noted")
    chain.add("future.thing", {"x": 1})
    log, summary = made(chain)
    assert log.events == ()
    assert summary["withoutType"] == {
        "future.thing": 1, "journal.opened": 1, "observation.noted": 2, "record.observed": 1,
    }  # fmt: skip


def test_what_the_format_refuses_is_counted_too(chain: Any) -> None:
    finish(chain, "succeeded", run="password=secret")
    finish(chain, "succeeded", run="r")
    log, summary = made(chain)
    assert len(log.events) == 1
    assert summary["unfit"] == {"run.finished": 1}
    assert "run.finished" not in summary["withoutType"]


def test_a_commit_that_is_observed_again_is_created_once(chain: Any) -> None:
    chain.commit(FIRST, "Fix it")
    chain.commit(FIRST, "Fix it better")
    log, summary = made(chain)
    assert len(log.events) == 1
    assert (summary["mapped"], summary["observedAgain"]) == ({"record.observed": 2}, 1)


def test_the_newest_facts_are_kept_and_the_others_counted(
    monkeypatch: pytest.MonkeyPatch, chain: Any
) -> None:
    monkeypatch.setattr("t2c.projections.interop.event_log.MAX_EVENTS", 3)
    monkeypatch.setattr("t2c.projections.interop.event_log._SLACK", 2)
    for number in range(11):
        finish(chain, "succeeded", run=f"r{number}")
    log, summary = made(chain)
    assert [event.fact.correlation_id for event in log.events] == ["r8", "r9", "r10"]
    assert (summary["events"], summary["earlier"], summary["mapped"]) == (3, 8, {"run.finished": 11})


def test_events_of_other_ledgers_stand_apart() -> None:
    projection = LogProjection()
    state = projection.start()
    origin = Origin("f" * 32, 2, "0" * 64, "0" * 64, "EVT-" + "0" * 20, "2026-01-05T10:00:00.000Z")
    entry = Entry(2, "", "run.finished", 1, "EVT-1", "", None, "imported", origin=origin)  # type: ignore[arg-type]
    state.ledger = "0" * 32
    projection.note(state, entry)
    assert (state.foreign, state.told) == (1, {})
    projection.note(state, msgspec.structs.replace(entry, origin=None))
    assert (state.foreign, state.told) == (1, {"run.finished": 1})


def test_a_snapshot_goes_on_to_the_same_bytes(chain: Any, tmp_path: Path) -> None:
    chain.commit(FIRST, "Fix it")
    finish(chain, "succeeded")
    cache = tmp_path / "folds"
    fold(chain.journal, ALL, ["event-log"], cache=cache, snapshot_after=1)
    chain.commit(FIRST, "Fix it otherwise")
    finish(chain, "failed", run="r2")
    resumed = fold(chain.journal, ALL, ["event-log"], cache=cache)
    assert resumed.resumed["event-log"] > 0
    with_snapshot = resumed.artifacts("event-log")
    shutil.rmtree(cache)
    assert with_snapshot == fold(chain.journal, ALL, ["event-log"]).artifacts("event-log")
