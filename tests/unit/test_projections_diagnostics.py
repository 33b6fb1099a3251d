"""Each code is said when there is reason to, about the right records, and not when there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import jsonschema
import msgspec
import pytest

from t2c.ledger.events.evidence import Relation, RelationLinked, Signal
from t2c.ledger.intake.base import Draft
from t2c.ledger.kernel.ids import relation_id
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.communication import from_issues
from t2c.projections.diagnostics.messages import CATALOGUES, LANGUAGES, told
from t2c.projections.diagnostics.model import CODES, COMMUNICATION, Finding, diagnostics_model, identity
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

BEFORE, PLANNED, AFTER = (f"2026-0{month}-01T10:00:00Z" for month in (1, 2, 3))


def found(chain: Any, code: str | None = None) -> Sequence[Finding]:
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    assert all(told(one, language).detail for one in every for language in LANGUAGES)
    return every if code is None else [one for one in every if one.code == code]


def codes(chain: Any) -> set[str]:
    return {one.code for one in found(chain)}


def only(chain: Any, code: str) -> Finding:
    (one,) = found(chain, code)
    return one


def state(chain: Any, source: str, kind: str, text: str, path: str | None = "TODO.md", **members: Any) -> str:
    given = {
        "object": text, "action": "add", "cls": "plan", "status": "planned", "confidence": 0.9, "basis": ("made",),
        "lines": (3, 3), **members,
    }  # fmt: skip
    return str(chain.observe(source, path, Draft(kind=kind, text=text, **given))[0])


def plan(chain: Any, text: str, *, done: bool = False, **members: Any) -> str:
    status = members.pop("status", "completed" if done else "planned")
    return state(chain, "todo", members.pop("kind", "todo_item"), text, members.pop("path", "TODO.md"),
        status=status, modality="required", **members)  # fmt: skip


def commit(chain: Any, letter: str, subject: str = "Change it", at: str = AFTER, **members: Any) -> str:
    metadata = {"committedAt": at, "parents": members.pop("parents", []), **members.pop("metadata", {})}
    return state(chain, "git", "commit_intent_claim", subject, None, cls="claim", status="implemented",
        revision=letter * 40, observed_at=at, metadata=metadata, lines=None, **members)  # fmt: skip


def symbol(chain: Any, name: str, path: str = "src/net.py", **metadata: Any) -> str:
    return str(chain.symbol(name, path=path, kind="symbol_fact", metadata={"public": True, **metadata}))


def link(
    chain: Any, source: str, kind: str, target: str, *basis: str, confidence: float = 0.9, **signals: str
) -> str:
    identity = relation_id(source, target, kind)
    body = {
        "id": identity,
        "from": source,
        "to": target,
        "type": kind,
        "confidence": confidence,
        "basis": basis or ("x",),
    }
    seen = tuple(Signal(name=name, value=value) for name, value in signals.items())
    linked = RelationLinked(relation=Relation.model_validate(body), rule="made", signals=seen)
    chain.add("relation.linked", linked.encode())
    return str(identity)


def test_an_open_plan_that_nothing_shows_is_not_implemented(chain: Any) -> None:
    open_one, done = plan(chain, "Add retry"), plan(chain, "Add backoff", done=True)
    one = only(chain, "PLANNED_NOT_IMPLEMENTED")
    assert (one.records, one.subject, one.severity, one.message) == (
        (open_one,),
        open_one,
        "warning",
        "planned.nothing",
    )
    assert done not in one.records


def test_what_was_there_before_only_locates_an_open_plan(chain: Any) -> None:
    item = plan(chain, "Add retry to `fetch`", observed_at=PLANNED)
    link(chain, item, "related_to", symbol(chain, "fetch"))
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").message == "planned.located"
    assert "src/net.py" in told(only(chain, "PLANNED_NOT_IMPLEMENTED")).detail


def causes(chain: Any) -> dict[str, int]:
    return Counter(one.cause for one in found(chain, "PLANNED_NOT_IMPLEMENTED"))


def test_plans_that_have_a_file_each_are_one_group_by_their_folder(chain: Any) -> None:
    for number in range(2):
        plan(chain, f"Add part {number}", path=f"backlog/tasks/{number}.md")
    assert causes(chain) == {"plan:backlog/tasks/0.md": 1, "plan:backlog/tasks/1.md": 1}, "two are no custom"
    plan(chain, "Add part 2", path="backlog/tasks/2.md", done=True)
    assert causes(chain) == {"plan:backlog/tasks": 2}, "and the group does not change as tasks are done"
    plan(chain, "Add part 3", path="backlog/tasks/2.md")
    plan(chain, "Elsewhere", path="backlog/TODO.md")
    assert causes(chain) == {"plan:backlog/tasks": 3, "plan:backlog/TODO.md": 1}


def test_plans_of_lists_are_grouped_by_list(chain: Any) -> None:
    for number in range(6):
        plan(chain, f"Add part {number}", path=f"plans/{number // 2}.md")
    assert causes(chain) == {f"plan:plans/{number}.md": 2 for number in range(3)}


def test_an_open_plan_that_is_only_claimed_says_so(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)")
    note = commit(chain, "a", "Document retry (#12)", metadata={"docOnly": True})
    link(chain, note, "implements", item)
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").message == "planned.claimed"


def test_an_open_plan_that_a_changelog_claims_is_told_with_the_entry(chain: Any) -> None:
    task = plan(chain, "Add retry to `fetch`", observed_at=PLANNED, metadata={"explicitId": "T-1"})
    part = plan(chain, "It backs off", metadata={"parentTask": "T-1"})
    link(chain, part, "claimed_by", chain.entry("Retry (#12)"), "shared_number")
    one = only(chain, "PLANNED_NOT_IMPLEMENTED")
    assert (one.subject, one.message, one.confidence) == (task, "planned.claimed", 0.8)
    assert "CHANGELOG.md:1 (Retry (#12))." in told(one).detail
    link(chain, task, "related_to", symbol(chain, "fetch"))
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").message == "planned.claimed"


def test_an_open_plan_with_a_commit_of_its_own_is_no_finding(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)")
    link(chain, commit(chain, "a", "Add retry (#12)"), "implements", item)
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")


def test_a_task_and_its_criteria_are_one_plan(chain: Any) -> None:
    task = plan(chain, "Add retry", metadata={"explicitId": "T-1"})
    part = plan(chain, "It backs off", metadata={"parentTask": "T-1", "parent": "Add retry"}, trail=("T-1",))
    nested = plan(chain, "It stops", metadata={"parent": "It backs off"}, trail=("T-1", "x"))
    one = only(chain, "PLANNED_NOT_IMPLEMENTED")
    assert one.subject == task
    assert one.records == tuple(sorted((task, part, nested)))
    link(chain, commit(chain, "a"), "implements", nested)
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")


@pytest.mark.parametrize(
    "members",
    [
        {"polarity": "negative"},
        {"status": "proposed"},
        {"path": "tests/fixtures/TODO.md"},
        {"path": "examples/TODO.md"},
        {"path": ".github/PULL_REQUEST_TEMPLATE.md"},
        {"path": "backlog/archive/old.md"},
        {"path": "docs/drafts/idea.md"},
    ],
)
def test_prohibitions_proposals_samples_and_what_is_put_aside_are_no_plans(chain: Any, members: Any) -> None:
    plan(chain, "Call `eval`", **members)
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")


def test_advice_to_readers_is_no_plan(chain: Any) -> None:
    state(chain, "document", "documentation_statement", "You should call `retry`.", "README.md", cls="declaration",
        status="proposed", modality="recommended")  # fmt: skip
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")


def test_a_given_task_is_a_plan(chain: Any) -> None:
    task = state(chain, "nl", "declared_intent", "Add retry", "task.md", cls="declaration", status="proposed")
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").records == (task,)


def test_comments_of_a_folder_are_one_finding_and_those_of_small_folders_together(chain: Any) -> None:
    for number in range(5):
        plan(chain, f"mend {number}", kind="comment_marker", path=f"src/{number}.py")
    plan(chain, "later", kind="comment_marker", path="lib/a.py")
    plan(chain, "sometime", kind="comment_marker", path="bin/a.py")
    plan(chain, "never", kind="comment_marker", path="tests/a.py")
    subjects = {one.subject: len(one.records) for one in found(chain, "PLANNED_NOT_IMPLEMENTED")}
    assert subjects == {"comments:src": 5, "comments:…": 2}


@pytest.mark.parametrize("kind", ["planned.comments", "unlinked", "uncertain"])
@pytest.mark.parametrize(
    "text", ["Mend the old parser (#708).", "Does the parser need mending?", f"{'mend ' * 30}"]
)
def test_examples_that_end_a_sentence_end_it_once(chain: Any, kind: str, text: str) -> None:
    members: dict[str, Any] = {
        "planned.comments": {"kind": "comment_marker"}, "unlinked": {"done": True}, "uncertain": {"confidence": 0.1},
    }[kind]  # fmt: skip
    plan(chain, text, path="src/a.py", **members)
    (one,) = [one for one in found(chain) if one.message == kind]
    for language in LANGUAGES:
        detail = told(one, language).detail
        assert detail[-1] in ".?…"
        assert detail[-2] not in ".?…"


def requirement(chain: Any, number: int, **metadata: Any) -> str:
    return state(chain, "document", "requirement", f"It must do {number}", "specs/a.md", modality="required",
        metadata={"requirementId": f"REQ-{number}", **metadata})  # fmt: skip


def test_a_requirement_without_a_state_stands_out_only_where_its_family_is_traced(chain: Any) -> None:
    wanted = [requirement(chain, number) for number in range(6)]
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")
    for number, one in enumerate(wanted[:5]):
        link(chain, commit(chain, "abcde"[number]), "implements", one)
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").records == (wanted[5],)


def test_one_that_needs_nothing_is_not_missed_where_the_others_say_what_they_need(chain: Any) -> None:
    wanted = [requirement(chain, number, needs=["impl"]) for number in range(6)]
    requirement(chain, 7)
    for number, one in enumerate(wanted[:5]):
        link(chain, commit(chain, "abcde"[number]), "implements", one)
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").records == (wanted[5],)


def test_a_family_is_traced_when_more_than_half_of_it_and_at_least_four_are(chain: Any) -> None:
    wanted = [requirement(chain, number) for number in range(9)]
    for number, one in enumerate(wanted[:3]):
        link(chain, commit(chain, "abcdef"[number]), "implements", one)
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")
    link(chain, commit(chain, "d"), "implements", wanted[3])
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")
    link(chain, commit(chain, "e"), "implements", wanted[4])
    assert len(found(chain, "PLANNED_NOT_IMPLEMENTED")) == 4


def test_three_of_three_are_no_family_yet(chain: Any) -> None:
    for number in range(3):
        link(chain, commit(chain, "abc"[number]), "implements", requirement(chain, number))
    requirement(chain, 4)
    assert not found(chain, "PLANNED_NOT_IMPLEMENTED")


def test_a_requirement_with_an_open_box_is_a_plan(chain: Any) -> None:
    assert only_records(chain, requirement(chain, 1, checked=False))


def only_records(chain: Any, identity: str) -> bool:
    return only(chain, "PLANNED_NOT_IMPLEMENTED").records == (identity,)


@pytest.mark.parametrize(
    ("text", "status", "state"),
    [
        ("Drop the old format", "unknown", "cancelled"),
        ("Drop the old format", "unknown", "Won't do"),
        ("Drop the old format", "unknown", "odrzucone"),
        ("~~Drop the old format~~", "unknown", None),
        ("~~Drop the old format~~ (#12)", "planned", None),
    ],
)
def test_a_plan_that_is_marked_as_dropped_is_put_aside_with_its_parts(
    chain: Any, text: str, status: str, state: str | None
) -> None:
    metadata = {"explicitId": "T-1", **({} if state is None else {"state": state})}
    dropped = plan(chain, text, status=status, metadata=metadata, confidence=0.3)
    plan(chain, "Say so to everybody", metadata={"parentTask": "T-1"})
    gone = commit(chain, "a")
    link(chain, gone, "implements", dropped)
    link(chain, commit(chain, "b"), "supersedes", gone)
    assert not codes(chain) & {"PLANNED_NOT_IMPLEMENTED", "LOW_CONFIDENCE", "REGRESSION_DETECTED"}


@pytest.mark.parametrize(
    ("text", "state"), [("Add it", "triage"), ("Add it", None), ("Add ~~this~~ that", None)]
)
def test_a_plan_in_a_state_that_nobody_knows_is_still_open(chain: Any, text: str, state: str | None) -> None:
    item = plan(chain, text, status="unknown", metadata={} if state is None else {"state": state})
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").records == (item,)


def test_what_is_dropped_contradicts_and_repeats_nothing(chain: Any) -> None:
    def ends(status: str) -> tuple[str, str]:
        dropped = plan(chain, "Call it", status=status, metadata={"state": "cancelled"})
        first, second = sorted((dropped, plan(chain, "Call it", path="lib/TODO.md")))
        return first, second

    for kind in ("contradicts", "duplicates"):
        first, second = ends("planned")
        link(chain, first, kind, second)
    assert codes(chain) >= {"CONFLICTING_INTENT", "DUPLICATED_INTENT"}
    ends("unknown")
    assert not codes(chain) & {"CONFLICTING_INTENT", "DUPLICATED_INTENT"}


def test_a_dropped_part_of_an_open_plan_is_not_among_its_records(chain: Any) -> None:
    task = plan(chain, "Add retry", metadata={"explicitId": "T-1"})
    plan(chain, "It backs off", status="unknown", metadata={"parentTask": "T-1", "state": "cancelled"})
    assert only(chain, "PLANNED_NOT_IMPLEMENTED").records == (task,)


def test_done_by_a_commit_that_was_taken_back_is_a_false_completion(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)", done=True)
    gone = commit(chain, "a", "Add retry (#12)")
    link(chain, gone, "implements", item)
    assert not found(chain, "FALSE_COMPLETION")
    link(chain, commit(chain, "b", 'Revert "Add retry (#12)"'), "supersedes", gone)
    one = only(chain, "FALSE_COMPLETION")
    assert (one.severity, one.message, one.records) == ("blocking", "done.reverted", (item,))


def test_done_by_documentation_alone_is_a_false_completion_unless_documentation_was_asked_for(
    chain: Any,
) -> None:
    item = plan(chain, "Add retry (#12)", done=True)
    manual = plan(chain, "Write the manual (#13)", done=True, action="document")
    for letter, done in (("a", item), ("b", manual)):
        link(
            chain,
            commit(chain, letter, metadata={"docOnly": True}, paths=("docs/guide.md",)),
            "implements",
            done,
        )
    one = only(chain, "FALSE_COMPLETION")
    assert (one.severity, one.records) == ("review_required", (item,))


def test_a_commit_that_only_ticks_the_box_says_nothing_of_the_work(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)", done=True)
    link(chain, commit(chain, "a", metadata={"docOnly": True}, paths=("TODO.md",)), "implements", item)
    assert not found(chain, "FALSE_COMPLETION")


def test_what_is_put_aside_is_not_counted_as_loose(chain: Any) -> None:
    for number in range(6):
        plan(chain, f"Do {number}", done=True, path="backlog/archive/tasks.md")
    assert not found(chain, "UNLINKED_RECORD")


def test_ticked_off_between_two_scans_without_a_change_of_what_it_names(chain: Any) -> None:
    item = plan(chain, "Add retry to `fetch`", observed_at=PLANNED)
    fetch = symbol(chain, "fetch")
    link(chain, item, "related_to", fetch)
    link(chain, commit(chain, "a", at=BEFORE), "modifies", fetch)
    assert plan(chain, "Add retry to `fetch`", done=True, observed_at=PLANNED) == item
    assert only(chain, "FALSE_COMPLETION").message == "done.nothing"
    omission: dict[str, Any] = {
        "source": "git", "path": None, "reason": "older_commits", "count": 1, "lines": [], "detail": "",
    }  # fmt: skip
    chain.add("omission.noted", omission)
    assert only(chain, "FALSE_COMPLETION").severity == "warning", "what was not read may show it"
    chain.add("omission.cleared", {"source": "git", "path": None, "reason": "older_commits"})
    assert found(chain, "FALSE_COMPLETION")
    link(chain, commit(chain, "b", at=AFTER), "modifies", fetch)
    assert not found(chain, "FALSE_COMPLETION")


def test_done_from_the_start_and_bound_to_nothing_is_counted_and_not_called_false(chain: Any) -> None:
    for number in range(6):
        plan(chain, f"Do {number}", done=True)
    assert not found(chain, "FALSE_COMPLETION")
    one = only(chain, "UNLINKED_RECORD")
    assert (one.severity, len(one.records), one.said["of"]) == ("info", 6, "6")


def test_what_is_located_is_not_said_to_be_related_to_nothing(chain: Any) -> None:
    loose = plan(chain, "Do less", done=True)
    for number in range(2):
        located = plan(chain, f"Do {number}", done=True)
        there = symbol(chain, "fetch") if number else commit(chain, "a")
        link(chain, located, "related_to", there)
    link(chain, commit(chain, "b", metadata={"docOnly": True}), "declares", loose)
    link(chain, loose, "related_to", plan(chain, "Do more"))
    assert only(chain, "UNLINKED_RECORD").records == (loose,)


def test_done_when_it_was_first_seen_is_not_called_false_for_what_did_not_change_since(chain: Any) -> None:
    item, fetch = plan(chain, "Add retry to `fetch`", done=True, observed_at=PLANNED), symbol(chain, "fetch")
    link(chain, item, "related_to", fetch)
    link(chain, commit(chain, "a", at=BEFORE), "modifies", fetch)
    assert not found(chain, "FALSE_COMPLETION")


def ticked(chain: Any, text: str = "Write the parse_order parser", **members: Any) -> str:
    plan(chain, text, **members)
    return plan(chain, text, done=True, **members)


def test_ticked_off_without_any_work_is_a_false_completion(chain: Any) -> None:
    item = ticked(chain)
    assert not found(chain, "FALSE_COMPLETION"), "without a history nothing is said"
    commit(chain, "a", "Tick the parse_order parser off", metadata={"docOnly": True}, paths=("TODO.md",))
    one = only(chain, "FALSE_COMPLETION")
    assert (one.severity, one.message, one.records) == ("review_required", "done.ticked", (item,))
    commit(chain, "b", "Draw the parser", paths=("src/draw.py",))
    assert found(chain, "FALSE_COMPLETION"), "one word alone is an accident"
    commit(chain, "c", "Read orders in a parser", paths=("src/read.py",))
    assert not found(chain, "FALSE_COMPLETION")


def test_ticked_off_by_what_is_not_committed_is_only_a_warning(chain: Any) -> None:
    commit(chain, "a", "Start", paths=("TODO.md", "src/cart.py"))
    ticked(chain)
    assert only(chain, "FALSE_COMPLETION").severity == "warning"
    symbol(chain, "parse_order", "src/orders.py")
    assert not found(chain, "FALSE_COMPLETION"), "nor is the code, perhaps"


def test_ticked_off_together_with_a_change_of_code_is_not_false(chain: Any) -> None:
    ticked(chain)
    commit(chain, "a", "Next step", paths=("TODO.md", "src/cart.py"), metadata={"docOnly": False})
    assert not found(chain, "FALSE_COMPLETION")


def test_what_is_no_work_on_code_is_not_looked_for_there(chain: Any) -> None:
    commit(chain, "a", "Start", paths=("src/cart.py",))
    ticked(chain, "Write the manual", action="document")
    ticked(chain, "Move the boxes", path="plans/archive/TODO.md")
    assert not found(chain, "FALSE_COMPLETION")


@pytest.mark.parametrize(
    ("text", "paths", "names"),
    [
        ("Write the parse_order parser", (), "`parse_order`"),
        ("Add it to src/orders.py", ("src/orders.py",), "`src/orders.py`"),
    ],
)
def test_done_from_the_start_and_naming_what_never_was(
    chain: Any, text: str, paths: tuple[str, ...], names: str
) -> None:
    chain.observe("ast", "src/cart.py", Draft(kind="module_fact", text="module src/cart.py", object="cart",
        action="declare", cls="fact", status="implemented", confidence=1.0, basis=("made",), paths=("src/cart.py",)))  # fmt: skip
    commit(chain, "a", "Start", paths=("TODO.md", "src/cart.py"))
    plan(chain, text, done=True, paths=paths)
    one = only(chain, "FALSE_COMPLETION")
    assert (one.severity, one.message, one.said["names"]) == ("review_required", "done.absent", names)
    commit(chain, "b", "Go on", metadata={"diff": {"partial": True}})
    assert not found(chain, "FALSE_COMPLETION"), "what a commit leaves out may have been it"


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"diff": {"names": ["parse_order"]}}},
        {"paths": ("src/orders.py",)},
        {"subject": "Parse each order"},
    ],
)
def test_what_is_gone_again_once_was(chain: Any, more: Any) -> None:
    symbol(chain, "total", "src/cart.py")
    commit(chain, "a", **more)
    plan(chain, "Write the parse_order parser to src/orders.py", done=True, paths=("src/orders.py",))
    assert not found(chain, "FALSE_COMPLETION")


def drift(chain: Any, touched: str, *, done: bool = False) -> None:
    for number in range(5):
        path = f"src/part{number}.py"
        link(
            chain,
            plan(chain, f"Extend `part{number}`", observed_at=PLANNED, done=done),
            "related_to",
            symbol(chain, f"part{number}", path),
        )
    for number in range(50):
        commit(chain, f"{number:02x}" * 20, at=f"2026-03-01T10:00:{number:02d}Z", paths=(touched,))


def test_recent_work_beside_all_open_plans_is_one_finding_with_numbers(chain: Any) -> None:
    drift(chain, "src/elsewhere.py")
    one = only(chain, "DIRECTION_DRIFT")
    assert (one.said["commits"], one.said["plans"], len(one.records)) == ("50", "5", 5)


def test_work_beside_plans_that_are_done_is_no_drift(chain: Any) -> None:
    drift(chain, "src/elsewhere.py", done=True)
    assert not found(chain, "DIRECTION_DRIFT")


def test_one_commit_on_a_plan_is_no_drift(chain: Any) -> None:
    drift(chain, "src/part3.py")
    assert not found(chain, "DIRECTION_DRIFT")


def test_given_tasks_that_leave_something_open_or_name_what_several_files_declare(chain: Any) -> None:
    given = {"cls": "declaration", "status": "proposed"}
    state(
        chain,
        "nl",
        "declared_intent",
        "Do it",
        "task.md",
        metadata={"missingFields": ["object", "action"]},
        **given,
    )
    state(chain, "nl", "declared_intent", "Add retry to `fetch`", "task.md", symbols=("fetch",), **given)
    state(chain, "nl", "declared_intent", "Add retry to `send`", "task.md", symbols=("send",), **given)
    state(chain, "nl", "declared_intent", "Mend `fetch`", "task.md", symbols=("fetch",),
        metadata={"missingFields": ["trigger"]}, **given)  # fmt: skip
    for path in ("src/a.py", "src/b.py"):
        symbol(chain, "fetch", path)
    symbol(chain, "send")
    said = {one.message: one.said for one in found(chain, "AMBIGUOUS_REQUIREMENT")}
    assert set(said) == {"ambiguous.fields", "ambiguous.names", "ambiguous.both"}
    assert (said["ambiguous.fields"]["missing"], said["ambiguous.names"]["names"]) == (
        "action, object",
        "fetch",
    )


def test_what_was_read_with_little_confidence_is_counted_by_folder(chain: Any) -> None:
    for number in range(5):
        plan(chain, f"hm {number}", confidence=0.45)
    plan(chain, "clear", confidence=0.5)
    plan(chain, "over", confidence=0.45, done=True)
    plan(chain, "aside", confidence=0.45, path="archive/TODO.md")
    one = only(chain, "LOW_CONFIDENCE")
    assert told(one).title == "Statements in the top folder that were read with little confidence: 5"
    assert (one.said["count"], one.severity) == ("5", "info")


def test_statements_that_contradict_each_other_need_a_decision(chain: Any) -> None:
    wish, ban = plan(chain, "Call `eval`"), plan(chain, "Never call `eval`", polarity="negative")
    first, second = sorted((wish, ban))
    link(chain, first, "contradicts", second)
    one = only(chain, "CONFLICTING_INTENT")
    assert (one.severity, one.records, one.message) == ("blocking", (first, second), "conflict.statements")


def test_an_unsure_contradiction_blocks_nothing_and_lines_of_a_tool_are_no_intent(chain: Any) -> None:
    first, second = sorted((plan(chain, "Keep the manifest"), plan(chain, "Drop the manifest")))
    link(chain, first, "contradicts", second, confidence=0.7)
    listed = (
        plan(chain, "src/a.py:8 - Relative import"),
        plan(chain, "src/a.py:8 - Relative import not allowed"),
    )
    first, second = sorted(listed)
    link(chain, first, "contradicts", second)
    assert only(chain, "CONFLICTING_INTENT").severity == "review_required"


def test_code_that_does_what_is_forbidden_is_a_conflict(chain: Any) -> None:
    ban = plan(chain, "Never call `eval`", polarity="negative")
    first, second = sorted((ban, symbol(chain, "load", calls=["eval"])))
    link(chain, first, "contradicts", second)
    one = only(chain, "CONFLICTING_INTENT")
    assert (one.message, one.said["one"]) == ("conflict.code", "Never call `eval`")


def test_open_plans_that_say_the_same_are_one_finding(chain: Any) -> None:
    ids = [plan(chain, "Add retry", path=f"{number}/TODO.md") for number in range(3)]
    link(chain, ids[0], "duplicates", ids[1])
    link(chain, ids[2], "duplicates", ids[1])
    assert only(chain, "DUPLICATED_INTENT").records == tuple(sorted(ids))


def test_what_one_file_says_under_several_headings_is_how_it_is_built(chain: Any) -> None:
    def pair(path: str, *said: tuple[str, tuple[str, ...]]) -> tuple[str, ...]:
        ids = [plan(chain, text, path=path, trail=trail) for text, trail in said]
        link(chain, ids[0], "duplicates", ids[1])
        return tuple(sorted(ids))

    pair("a.md", ("Run the tests", ("Red",)), ("Run the tests", ("Green",)))
    pair("b.md", ("Update `a.md`", ("Tasks",)), ("Update `a.md`", ("Tasks", "Files")))
    pair("c.md", ("Run the tests of it", ("Red",)), ("Run the tests", ("Red",)))
    pair("d.md", ("Run the tests", ()), ("Run the tests", ("loop",)))
    assert not found(chain, "DUPLICATED_INTENT")
    twice = pair("e.md", ("Run the tests", ("Red",)), ("Run  the tests!", ("Red",)))
    assert only(chain, "DUPLICATED_INTENT").records == twice


def test_copies_that_are_put_aside_or_samples_are_no_duplicates(chain: Any) -> None:
    ids = [
        plan(chain, "Add retry", path=path)
        for path in ("plans/archive/a.md", "plans/b.md", "plans/history/a.md")
    ]
    sample = plan(chain, "Add retry", path="plans/c.md", metadata={"sample": True})
    for other in (ids[0], ids[2], sample):
        link(chain, other, "duplicates", ids[1])
    assert not found(chain, "DUPLICATED_INTENT")


def test_a_test_that_passed_and_fails_is_a_regression(chain: Any) -> None:
    def ran(status: str, at: str | None = None) -> str:
        return state(chain, "test", "test_result", "test test_retry", "junit.xml", cls="fact", status=status,
            object="tests.test_net.test_retry", observed_at=at)  # fmt: skip

    ran("blocked")
    assert not found(chain, "REGRESSION_DETECTED")
    identity = ran("verified", "2026-01-05T10:00:00Z")
    assert not found(chain, "REGRESSION_DETECTED")
    ran("blocked", "2026-01-05T11:30:00Z")
    one = only(chain, "REGRESSION_DETECTED")
    assert (one.severity, one.message, one.records) == ("blocking", "regression.failing", (identity,))
    assert told(one).detail == (
        "`tests.test_net.test_retry` passed in the run of 2026-01-05 10:00 and failed in the run of 2026-01-05 11:30:"
        " junit.xml:3."
    ), "the times are those of the runs and not of the scans"
    ran("blocked", "2026-01-05T10:30:00+02:00")
    assert not found(chain, "REGRESSION_DETECTED"), "an older report that is read later"
    ran("blocked")
    one = only(chain, "REGRESSION_DETECTED")
    assert one.message == "regression.undated"
    assert "names no time of its run" in told(one).detail


def test_symbols_that_lost_their_last_test_are_a_regression(chain: Any) -> None:
    fetch = symbol(chain, "fetch")
    tests = [symbol(chain, f"test_fetch{number}", "tests/test_net.py", test=True) for number in range(2)]
    links = [link(chain, test, "tests", fetch) for test in tests]
    chain.add("relation.unlinked", {"id": links[0], "why": "signal_gone"})
    assert not found(chain, "REGRESSION_DETECTED")
    chain.add("relation.unlinked", {"id": links[1], "why": "endpoint_retracted"})
    one = only(chain, "REGRESSION_DETECTED")
    assert one.records == (fetch,)
    assert told(one).title == "No test exercises these symbols of src/net.py any more: 1"
    link(chain, tests[0], "tests", fetch)
    assert not found(chain, "REGRESSION_DETECTED")


def test_a_plan_whose_commit_is_gone_or_taken_back_is_a_regression(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)")
    first = commit(chain, "a")
    shown = link(chain, first, "implements", item)
    link(chain, commit(chain, "b"), "supersedes", first)
    assert only(chain, "REGRESSION_DETECTED").message == "regression.reverted"
    chain.add("relation.unlinked", {"id": shown, "why": "endpoint_retracted"})
    assert only(chain, "REGRESSION_DETECTED").message == "regression.unshown"
    assert link(chain, first, "implements", item) == shown
    assert only(chain, "REGRESSION_DETECTED").message == "regression.reverted"


def test_an_empty_ledger_is_no_data_and_never_aligned(chain: Any) -> None:
    assert only(chain, "INSUFFICIENT_EVIDENCE").message == "insufficient.both"
    assert codes(chain) == {"INSUFFICIENT_EVIDENCE"}


def test_a_scan_that_found_nothing_is_not_told_to_be_made(chain: Any) -> None:
    assert "t2c scan" in told(only(chain, "INSUFFICIENT_EVIDENCE")).suggestedAction
    chain.add(
        "stage.finished", {"stage": "git", "status": "succeeded", "counts": {}, "detail": None}, run="r"
    )
    one = only(chain, "INSUFFICIENT_EVIDENCE")
    assert one.message == "insufficient.empty"
    shown = told(one)
    assert "commit" in shown.detail
    assert "task list" in shown.detail
    assert shown.suggestedAction.startswith("Commit code")


@pytest.mark.parametrize(
    "message", ["insufficient.observed", "insufficient.declared", "insufficient.plans", "insufficient.bound"]
)
def test_one_side_alone_or_two_that_nothing_binds_are_no_data(chain: Any, message: str) -> None:
    if message in ("insufficient.observed", "insufficient.plans"):
        plan(chain, "Add retry", done=True)
    if message == "insufficient.bound":
        state(chain, "document", "documentation_statement", "It retries.", "README.md", cls="declaration")
    if message != "insufficient.observed":
        symbol(chain, "fetch")
    assert only(chain, "INSUFFICIENT_EVIDENCE").message == message
    assert not found(chain, "ALIGNED")


def test_aligned_is_said_with_its_numbers_and_only_when_nothing_asks_for_a_review(chain: Any) -> None:
    item = plan(chain, "Add retry (#12)", done=True)
    link(chain, commit(chain, "a"), "implements", item)
    one = only(chain, "ALIGNED")
    assert (one.records, one.said["shown"], one.said["plans"]) == ((), "1", "1")
    other = plan(chain, "Never add retry", polarity="negative")
    first, second = sorted((item, other))
    link(chain, first, "contradicts", second)
    assert not found(chain, "ALIGNED")


def test_claims_alone_are_never_aligned_where_nothing_says_what_is_wanted(chain: Any) -> None:
    entry = chain.entry("Fix it")
    link(chain, entry, "releases", commit(chain, "a", "Fix it"))
    assert codes(chain) == {"INSUFFICIENT_EVIDENCE"}
    plan(chain, "Fix it", done=True)
    assert "ALIGNED" not in codes(chain), "none of the plans is shown"


def test_a_stage_that_failed_is_told_until_it_runs_again(chain: Any) -> None:
    def stage(status: str) -> None:
        body = {"stage": "git", "status": status, "counts": {}, "detail": "no answer"}
        chain.add("stage.finished", body, run="r")

    stage("failed")
    one = only(chain, "SOURCE_UNAVAILABLE")
    assert (one.severity, one.said["why"]) == ("review_required", "no answer")
    stage("succeeded")
    assert not found(chain, "SOURCE_UNAVAILABLE")


def test_a_source_that_is_missing_as_a_whole_is_told_and_a_file_of_it_is_not(chain: Any) -> None:
    for path, reason in ((None, "git_missing"), ("a.py", "too_large")):
        body: dict[str, Any] = {
            "source": "git",
            "path": path,
            "reason": reason,
            "count": 1,
            "lines": [],
            "detail": "",
        }
        chain.add("omission.noted", body)
    assert only(chain, "SOURCE_UNAVAILABLE").said["reason"] == "git_missing"
    chain.add("omission.cleared", {"source": "git", "path": None, "reason": "git_missing"})
    assert not found(chain, "SOURCE_UNAVAILABLE")


def test_a_model_that_was_asked_for_and_is_not_configured(chain: Any) -> None:
    started: dict[str, Any] = {
        "verb": "scan",
        "requested_by": "x",
        "tool": "t2c 0",
        "revision": None,
        "branch": None,
        "options": {},
    }
    degraded = {"stage": "docs", "asked": "llm", "done": "deterministic", "reason": "LLM_NOT_CONFIGURED"}
    chain.add("run.started", started, run="r1")
    chain.add("degradation.noted", degraded, run="r1")
    assert only(chain, "LLM_NOT_CONFIGURED").said["stage"] == "docs"
    chain.add("run.started", {**started, "verb": "summarize"}, run="r2")
    assert only(chain, "LLM_NOT_CONFIGURED").said["stage"] == "docs", (
        "another piece of work says nothing of it"
    )
    chain.add("run.started", started, run="r3")
    assert not found(chain, "LLM_NOT_CONFIGURED")


def issue(code: str, detail: str, action: str) -> dict[str, Any]:
    return {
        "id": "COMM-" + "0" * 20, "code": code, "severity": "blocking", "ticket": "T-1", "participantIds": ["ada"],
        "recordIds": ["INT-AGENT-" + "b" * 20, "INT-AGENT-" + "a" * 20], "responseRequiredRole": "human",
        "responseRequiredFrom": ["ada", "bo"], "detail": detail, "suggestedAction": action,
    }  # fmt: skip


@pytest.mark.parametrize("code", COMMUNICATION)
def test_issues_of_communication_are_copied_in_each_language(code: str) -> None:
    english = issue(code, "As it {is}.", "Decide.")
    (one,) = from_issues({"en": [english], "pl": [issue(code, "Jak {jest}.", "Zdecyduj.")]})
    assert (one.code, one.subject, one.severity) == (code, english["id"], "blocking")
    shown = told(one)
    assert (shown.detail, shown.recordIds) == ("As it {is}.", tuple(sorted(english["recordIds"])))
    assert shown.suggestedAction == "Decide. Response is up to: ada, bo (human)."
    polish = told(one, "pl")
    assert polish.detail == "Jak {jest}."
    assert polish.suggestedAction == "Zdecyduj. Odpowiedź należy do: ada, bo (człowiek)."


def test_an_issue_of_the_journal_is_told_in_the_language_that_is_asked_for(chain: Any) -> None:
    metadata = {"participantRole": "agent", "ticket": "T-1", "messageType": "report"}
    state(chain, "agent_log", "agent_claim", "Added retries", "work-items/T-1/report.md", cls="claim",
        status="completed", metadata=metadata)  # fmt: skip
    for one in (one for one in found(chain) if one.code in COMMUNICATION):
        english, polish = told(one), told(one, "pl")
        assert english.detail != polish.detail
        assert english.suggestedAction != polish.suggestedAction
    assert codes(chain) & set(COMMUNICATION)


def test_an_unknown_issue_is_our_own_mistake() -> None:
    unknown = {"code": "ALIGNED", "severity": "info"}
    with pytest.raises(ValueError, match="no issue"):
        list(from_issues({"en": [unknown], "pl": [unknown]}))


def test_the_document_keeps_its_contract(chain: Any) -> None:
    plan(chain, "Add retry {x} — żółw")
    plan(chain, "Never call `eval`", polarity="negative")
    content = fold(chain.journal, ALL, ["diagnostics"]).artifacts("diagnostics")["diagnostics.json"]
    assert isinstance(content, bytes)
    document = msgspec.json.decode(content)
    jsonschema.validate(document, diagnostics_model().model_json_schema())
    assert set(document) == {"schemaVersion", "generatedAt", "graphFingerprint", "diagnostics", "counts"}
    keys = {"id", "code", "severity", "title", "detail", "recordIds", "suggestedAction"}
    assert all(
        set(one) == keys and all(one[key] for key in keys - {"recordIds"}) for one in document["diagnostics"]
    )
    assert sum(document["counts"].values()) == len(document["diagnostics"]) > 1
    order = ("blocking", "review_required", "warning", "info")
    places = [(order.index(one["severity"]), one["id"]) for one in document["diagnostics"]]
    assert places == sorted(places)


def test_an_id_is_made_of_code_and_subject_and_of_no_wording(chain: Any) -> None:
    item = plan(chain, "Add retry")
    one = only(chain, "PLANNED_NOT_IMPLEMENTED")
    assert one.id == identity("PLANNED_NOT_IMPLEMENTED", item) == told(one, "pl").id == told(one, "en").id
    assert told(one, "pl").title != told(one, "en").title


def test_lines_that_move_change_no_finding_but_where_it_is(chain: Any) -> None:
    item = plan(chain, "Add retry")
    before = only(chain, "PLANNED_NOT_IMPLEMENTED")
    moves = [{"id": item, "lines": {"start": 9, "end": 9}}]
    chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})
    after = only(chain, "PLANNED_NOT_IMPLEMENTED")
    assert (after.id, after.records, after.said["at"]) == (before.id, before.records, "TODO.md:9")


def test_both_languages_tell_the_same_messages_with_the_same_members() -> None:
    english, polish = CATALOGUES["en"], CATALOGUES["pl"]
    assert english.keys() == polish.keys()
    for message in english:
        assert _members(english[message]) == _members(polish[message]), message
    assert {f"communication.{code}" for code in COMMUNICATION} <= english.keys()
    assert len(CODES) == len(set(CODES)) == 25


def _members(sentences: Sequence[str]) -> set[str]:
    from string import Formatter

    return {name for sentence in sentences for _, name, _, _ in Formatter().parse(sentence) if name}
