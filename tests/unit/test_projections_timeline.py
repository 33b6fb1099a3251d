"""The timeline says when a topic came to stand as it does, who said so, and since when it is broken."""

from __future__ import annotations

from typing import Any

import orjson

from t2c.ledger.intake.base import Draft
from t2c.projections.base import pretty
from t2c.projections.fold import fold
from t2c.projections.registry import ALL


def document(chain: Any) -> Any:
    folded = fold(chain.journal, ALL, ["timeline"])
    assert not any(folded.faults.values())
    content = folded.artifacts("timeline")["timeline.json"]
    body = content if isinstance(content, bytes) else b"".join(content)
    assert body == pretty(orjson.loads(body))
    return orjson.loads(body)


def topic(chain: Any, key: str) -> Any:
    return next(one for one in document(chain)["topics"] if one["key"] == key)


def statuses(found: Any) -> list[str]:
    return [phase["status"] for phase in found["phases"]]


def run(chain: Any, name: str, verb: str = "scan") -> None:
    asked = {"verb": verb, "requested_by": "human:ada", "tool": "t2c 0", "revision": None, "branch": None}
    chain.add("run.started", asked, run=name)


def saying(text: str, *, path: str) -> Draft:
    return Draft(
        kind="documentation_statement", text=text, object=text, action="document", cls="declaration",
        status="proposed", confidence=0.6, basis=("markdown_structure",), paths=(path,), lines=(3, 3),
    )  # fmt: skip


def declaring(name: str) -> Draft:
    return Draft(
        kind="symbol_fact", text=f"function {name}", object=name, action="declare", cls="fact",
        status="implemented", confidence=1.0, basis=("syntax_tree",), symbol=name, symbols=(name,), lines=(1, 2),
    )  # fmt: skip


def test_the_first_time_a_record_was_seen_stays_whatever_becomes_of_it(chain: Any) -> None:
    plan = chain.todo("write it")
    first = fold(chain.journal, ALL, ["timeline"]).states["timeline"].first[plan]
    chain.add("record.retracted", {"id": plan, "why": "absent", "superseded_by": None})
    assert chain.todo("write it", line=9) == plan
    state = fold(chain.journal, ALL, ["timeline"]).states["timeline"]
    assert state.first[plan] == first == "2026-01-05T10:00:01.000Z"
    assert [change.what for change in state.changes[plan]] == ["retracted", "returned"]
    chain.add("record.retracted", {"id": plan, "why": "file_gone", "superseded_by": None})
    assert [(change.what, change.value) for change in fold(chain.journal, ALL, ["timeline"]).states["timeline"].changes[plan]] == [
        ("retracted", "absent"), ("returned", None), ("retracted", "file_gone"),
    ]  # fmt: skip
    assert statuses(topic(chain, "source:TODO.md")) == ["planned", "gone", "planned", "gone"]


def test_a_plan_is_aligned_from_the_day_of_its_commit_and_by_its_author(chain: Any) -> None:
    plan = chain.todo("write it")
    commit = chain.commit("a" * 40, "Write it (#12)", at="2026-01-03T12:00:00+01:00", author="Ada")
    chain.link(commit, plan, "implements")
    found = topic(chain, "source:TODO.md")
    assert found["phases"] == [
        {"status": "aligned", "since": "2026-01-03T11:00:00.000Z", "by": "Ada", "source": "a" * 12}
    ]
    assert [(one["what"], one["seq"]) for one in found["events"]] == [("implemented", None), ("seen", 2)]


def test_what_was_planned_first_and_done_later_went_through_both(chain: Any) -> None:
    plan = chain.todo("write it")
    commit = chain.commit("a" * 40, "Write it (#12)", at="2026-02-03T12:00:00Z")
    chain.link(commit, plan, "implements")
    assert statuses(topic(chain, "source:TODO.md")) == ["planned", "aligned"]


def test_one_of_two_plans_done_leaves_the_topic_planned(chain: Any) -> None:
    done, _ = chain.todo("write it"), chain.todo("read it", line=2)
    chain.link(chain.commit("a" * 40, "Write it (#12)"), done, "implements")
    assert statuses(topic(chain, "source:TODO.md"))[-1] == "planned"


def test_evidence_that_is_gone_breaks_the_topic_at_that_time(chain: Any) -> None:
    plan, commit = chain.todo("write it"), chain.commit("a" * 40, "Write it (#12)")
    relation = chain.link(commit, plan, "implements")
    chain.add("record.retracted", {"id": commit, "why": "unreachable", "superseded_by": None})
    seq = chain.add("relation.unlinked", {"id": relation, "why": "endpoint_retracted"})
    found = topic(chain, "source:TODO.md")
    assert statuses(found) == ["planned", "aligned", "broken"]
    assert found["phases"][-1]["since"] == f"2026-01-05T10:00:0{seq - 1}.000Z"
    assert ("unlinked", seq, "endpoint_retracted") in [
        (e["what"], e["seq"], e["detail"]) for e in found["events"]
    ]


def test_what_is_merely_no_longer_read_so_breaks_nothing(chain: Any) -> None:
    """The rules of linking changed, and neither plan nor commit did."""
    plan = chain.todo("write it")
    relation = chain.link(chain.commit("a" * 40, "Write it (#12)"), plan, "implements")
    chain.add("relation.unlinked", {"id": relation, "why": "signal_gone"})
    assert statuses(topic(chain, "source:TODO.md")) == ["aligned", "planned"]


def test_a_revert_breaks_it_on_its_own_day_and_by_its_own_author(chain: Any) -> None:
    plan = chain.todo("write it")
    commit = chain.commit("a" * 40, "Write it (#12)", at="2026-01-03T12:00:00Z", author="Ada")
    revert = chain.commit("b" * 40, 'Revert "Write it"', at="2026-01-04T12:00:00Z", author="Bob")
    chain.link(commit, plan, "implements")
    chain.link(revert, commit, "supersedes")
    broken = topic(chain, "source:TODO.md")["phases"][-1]
    assert broken == {
        "status": "broken", "since": "2026-01-04T12:00:00.000Z", "by": "Bob", "source": "b" * 12,
    }  # fmt: skip


def test_the_commit_that_wrote_a_plan_says_when_and_by_whom_it_was_planned(chain: Any) -> None:
    plan = chain.todo("write it")
    author = chain.commit("c" * 40, "Plan", at="2025-12-24T08:00:00Z", author="Cleo")
    chain.link(author, plan, "declares")
    chain.link(chain.commit("a" * 40, "Write it (#12)"), plan, "implements")
    first, second = topic(chain, "source:TODO.md")["phases"]
    assert (first["status"], first["since"], first["by"]) == ("planned", "2025-12-24T08:00:00.000Z", "Cleo")
    assert second["status"] == "aligned"


def test_a_ticked_plan_without_evidence_is_claimed(chain: Any) -> None:
    chain.todo("write it")
    chain.todo("write it", done=True)
    found = topic(chain, "source:TODO.md")
    assert statuses(found) == ["planned", "claimed"]
    assert [(one["what"], one["detail"]) for one in found["events"]] == [
        ("seen", None), ("status", "completed"),
    ]  # fmt: skip


def test_a_commit_that_changed_documentation_alone_shows_nothing(chain: Any) -> None:
    plan = chain.todo("write it")
    claim = Draft(
        kind="commit_intent_claim", text="Write it", object="it", action="add", cls="claim",
        status="implemented", confidence=0.5, basis=("commit_message",), revision="d" * 40,
        observed_at="2026-01-03T12:00:00Z", metadata={"docOnly": True},
    )  # fmt: skip
    chain.link(chain.observe("git", None, claim)[0], plan, "implements")
    assert statuses(topic(chain, "source:TODO.md")) == ["planned"]


def test_what_is_no_longer_asked_is_gone_and_its_topic_is_still_told(chain: Any) -> None:
    plan = chain.todo("write it")
    chain.add("record.retracted", {"id": plan, "why": "absent", "superseded_by": None})
    found = topic(chain, "source:TODO.md")
    assert statuses(found) == ["planned", "gone"]
    assert found["events"][-1]["detail"] == "absent"


def test_a_contradiction_is_told_for_as_long_as_it_holds(chain: Any) -> None:
    one, two = chain.todo("write it"), chain.todo("never write it", line=2)
    relation = chain.link(one, two, "contradicts")
    assert statuses(topic(chain, "source:TODO.md"))[-1] == "conflicting"
    chain.add("relation.unlinked", {"id": relation, "why": "signal_gone"})
    assert statuses(topic(chain, "source:TODO.md"))[-1] == "planned"


def test_within_a_scan_nothing_counts_before_its_end_and_who_only_scanned_said_nothing(chain: Any) -> None:
    run(chain, "r1")
    chain.observe("document", "README.md", saying("`app.fix` fixes", path="src/app.py"), run="r1")
    chain.observe("ast", "src/app.py", declaring("app.fix"), run="r1")
    only = topic(chain, "path:src/app.py")["phases"]
    assert [(phase["status"], phase["by"]) for phase in only] == [("aligned", None)]


def test_what_a_scan_saw_is_by_nobody_who_is_known(chain: Any) -> None:
    run(chain, "r1")
    plan, gone = saying("it fixes", path="src/app.py"), saying("it breaks", path="src/app.py")
    identity = chain.observe("document", "README.md", plan, gone, run="r1")[1]
    chain.add("record.retracted", {"id": identity, "why": "absent", "superseded_by": None}, run="r1")
    events = topic(chain, "path:src/app.py")["events"]
    assert sorted((one["what"], one["by"]) for one in events) == [
        ("retracted", None), ("seen", None), ("seen", None),
    ]  # fmt: skip


def test_what_a_participant_said_is_by_the_participant(chain: Any) -> None:
    run(chain, "r1")
    said = Draft(
        kind="agent_claim", text="Added retries", object="retries", action="add", cls="claim", status="completed",
        confidence=0.5, basis=("made",), lines=(1, 1), metadata={"participant": "agent:codex"},
    )  # fmt: skip
    chain.observe("agent_log", "log.md", said, run="r1")
    assert [one["by"] for one in topic(chain, "source:log.md")["events"]] == ["agent:codex"]


def test_what_was_taken_in_from_elsewhere_is_by_who_asked_for_it(chain: Any) -> None:
    run(chain, "r1", verb="import")
    chain.observe("document", "README.md", saying("it fixes", path="src/app.py"), run="r1")
    assert [one["by"] for one in topic(chain, "path:src/app.py")["events"]] == ["human:ada"]


def test_what_somebody_recorded_in_no_run_is_by_that_actor(chain: Any) -> None:
    chain.todo("write it")
    (event,) = topic(chain, "source:TODO.md")["events"]
    assert event["by"] == topic(chain, "source:TODO.md")["phases"][0]["by"] == "helper:t2c"


def test_two_runs_are_two_times(chain: Any) -> None:
    for name, reading in (
        ("r1", ("document", "README.md", saying("`app.fix` fixes", path="src/app.py"))),
        ("r2", ("ast", "src/app.py", declaring("app.fix"))),
    ):
        run(chain, name)
        chain.observe(*reading, run=name)
    assert statuses(topic(chain, "path:src/app.py")) == ["said", "aligned"]


def test_what_a_task_shows_it_shows_for_the_requirement_that_it_fulfils(chain: Any) -> None:
    whole, part = chain.todo("write it", path="A.md"), chain.todo("write a part", path="B.md")
    chain.link(part, whole, "plans")
    chain.link(chain.commit("a" * 40, "Write it (#12)"), part, "implements")
    assert statuses(topic(chain, "source:A.md")) == ["aligned"]


def test_criteria_of_a_task_are_open_or_not_as_the_task_is(chain: Any) -> None:
    shared: dict[str, Any] = {"kind": "todo_item", "action": "add", "cls": "plan", "confidence": 0.9}
    task = Draft(
        text="Add retries", object="retries", basis=("task_front_matter",), lines=(1, 1), status="completed",
        metadata={"explicitId": "T-1"}, **shared,
    )  # fmt: skip
    criterion = Draft(
        text="it retries", object="it", basis=("markdown_checkbox",), lines=(9, 9), status="planned", **shared
    )
    done = chain.observe("todo", "tasks/t-1.md", task, criterion)[0]
    chain.link(chain.commit("a" * 40, "Add retries"), done, "implements")
    assert statuses(topic(chain, "ticket:T-1")) == ["aligned"]


def test_the_order_of_events_in_one_run_changes_no_phase(new_journal: Any, tmp_path: Any) -> None:
    def phases(name: str, swapped: bool) -> Any:
        chain = new_journal(tmp_path / name / "journal.ndjson")
        commit = chain.commit("a" * 40, "Write it (#12)") if swapped else None
        plan = chain.todo("write it")
        chain.link(commit or chain.commit("a" * 40, "Write it (#12)"), plan, "implements")
        return topic(chain, "source:TODO.md")["phases"]

    assert phases("one", swapped=False) == phases("two", swapped=True)
