"""A commit carries out the plan whose id it cites where such ids are cited."""

from collections.abc import Callable
from hashlib import sha1
from typing import Any

import pytest

from t2c.ledger.linking.carrying import MAX_COMMITS

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    def make(text: str, identity: str, **about: Any) -> bytes:
        metadata = {"explicitId": identity} | about.pop("metadata", {})
        path = about.pop("path", f"backlog/{identity}.md")
        return stated("todo", "todo_item", text, path, cls="plan", metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def commit(stated: State) -> State:
    def make(message: str, doc_only: bool = False, **about: Any) -> bytes:
        subject = message.partition("\n")[0]
        revision = sha1(message.encode()).hexdigest()
        fields = {"excerpt": message, "revision": revision, "cls": "claim", "metadata": {"docOnly": doc_only}}
        return stated("git", "commit_intent_claim", subject, None, **fields | about)

    return make


@pytest.mark.parametrize(
    "message",
    [
        "BACK-12 - Hold the lock (#7)",
        "[BACK-12] Hold the lock",
        "fix: BACK-12 hold the lock",
        "feat(BACK-12): hold the lock",
        "feat(lock): hold it (BACK-12) (#7)",
        "TASK-12 - Hold the lock",
        "task 12: hold the lock",
        "Hold the lock\n\nCloses BACK-12",
        "Hold the lock\n\nTask: BACK-12",
        "Implement BACK-12",
    ],
)
def test_commit_that_cites_the_id_implements_the_task(
    drawn: Draw, task: State, commit: State, message: str
) -> None:
    relations = drawn(
        commit=commit(message),
        task=task("Hold it", "BACK-12"),
        longer=task("Print it", "BACK-123"),
        part=task("Read it", "BACK-12.1"),
    )
    assert list(relations) == [("commit", "implements", "task")]


@pytest.mark.parametrize(
    "message",
    [
        "Hold the lock\n\nUnlike BACK-12 this is quick",
        "Hold the lock of BACK-120",
        "Hold the lock of backlog/back-12.md",
    ],
)
def test_mention_in_passing_is_no_relation(drawn: Draw, task: State, commit: State, message: str) -> None:
    assert list(drawn(commit=commit(message), task=task("Hold it", "BACK-12"))) == []


def test_body_counts_only_where_the_subject_begins_with_no_id(
    drawn: Draw, task: State, commit: State
) -> None:
    relations = drawn(
        commit=commit("BACK-13 - Hold the lock\n\nCloses BACK-12"),
        own=task("Hold the lock", "BACK-13"),
        other=task("Read the lock", "BACK-12"),
    )
    assert list(relations) == [("commit", "implements", "own")]


def test_mention_within_a_subject_only_points(drawn: Draw, task: State, commit: State) -> None:
    relations = drawn(commit=commit("Resolve conflicts after BACK-12 again"), task=task("Hold it", "BACK-12"))
    assert list(relations) == [("commit", "related_to", "task")]


def test_documentation_only_commit_claims_what_it_says_is_done(
    drawn: Draw, task: State, commit: State
) -> None:
    plan = task("Hold the lock", "BACK-12")
    finished = commit("BACK-12 - Finalize the lock", doc_only=True)
    written = commit("BACK-12 - Hold the lock", doc_only=True)
    assert list(drawn(task=plan, commit=finished)) == [("task", "claimed_by", "commit")]
    assert list(drawn(task=plan, commit=written)) == []
    manual = task("Describe the lock", "BACK-12", action="document")
    assert list(drawn(task=manual, commit=written)) == [("task", "claimed_by", "commit")]
    assert (
        list(
            drawn(
                task=task("Show tasks that are done", "BACK-12"), commit=commit("BACK-12 - Show done", True)
            )
        )
        == []
    )


def test_reverted_commit_and_prohibition_are_only_pointed_at(drawn: Draw, task: State, commit: State) -> None:
    works = commit("BACK-12 - Hold the lock")
    revert = commit('Revert "BACK-12 - Hold the lock"')
    relations = drawn(works=works, revert=revert, task=task("Hold it", "BACK-12"))
    assert ("works", "related_to", "task") in relations
    assert "implements" not in {kind for _, kind, _ in relations}
    forbidden = task("Never hold it", "BACK-12", polarity="negative", metadata={"constraint": True})
    assert list(drawn(works=works, task=forbidden)) == [("works", "related_to", "task")]


def test_id_of_two_tasks_is_carried_out_for_neither(drawn: Draw, task: State, commit: State) -> None:
    relations = drawn(
        commit=commit("T001: hold the lock"),
        one=task("Hold the lock", "T001", path="specs/a/tasks.md"),
        other=task("Send a mail", "T001", path="specs/b/tasks.md"),
    )
    assert list(relations) == []
    assert relations.counted() == {"commit_of_ambiguous_id": 1}


def test_id_that_a_task_is_about_is_not_its_own(drawn: Draw, task: State, commit: State) -> None:
    about = task("Order roots before parts, as TASK-1 before TASK-1.1", "TASK-1")
    assert list(drawn(commit=commit("TASK-1 - Begin"), task=about)) == []


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        ("Hold the lock (#12)", "Hold it (#12)", [("commit", "implements", "asked")]),
        ("Hold the lock (#12)", "Hold it\n\nCloses #12", [("commit", "implements", "asked")]),
        ("Hold the lock (#12)", "Hold it\n\nAs in #12", []),
        ("Hold the lock, see #12", "Hold it (#12)", []),
        ("Hold the lock (#12)", "Hold it (#123)", []),
    ],
)
def test_commit_implements_what_is_asked_for_under_its_number(
    drawn: Draw, stated: State, commit: State, text: str, message: str, expected: list[tuple[str, str, str]]
) -> None:
    asked = stated("nl", "declared_intent", text, "ticket.md", tickets=("#12",))
    works = commit(message, tickets=("#123",) if "#123" in message else ("#12",))
    assert list(drawn(asked=asked, commit=works)) == expected


def test_documentation_prohibition_and_many_commits_implement_nothing(
    drawn: Draw, stated: State, commit: State
) -> None:
    asked = stated("nl", "declared_intent", "Hold the lock (#12)", "ticket.md", tickets=("#12",))
    forbidden = stated(
        "nl", "declared_intent", "Never hold it (#12)", "t.md", tickets=("#12",), polarity="negative"
    )
    works = commit("Begin (#12)", tickets=("#12",))
    assert list(drawn(asked=asked, commit=commit("Tell (#12)", True, tickets=("#12",)))) == []
    assert list(drawn(asked=forbidden, commit=works)) == []
    many = {f"c{n}": commit(f"Part {n} (#12)", tickets=("#12",)) for n in range(MAX_COMMITS + 1)}
    relations = drawn(asked=asked, **many)
    assert "implements" not in {kind for _, kind, _ in relations}
    assert relations.counted() == {"commits_of_key": 1}


def test_commit_implements_the_plan_of_its_conversation(drawn: Draw, stated: State, commit: State) -> None:
    plan = stated(
        "agent_log", "communication_plan", "Count the failed logins.", "project/abc-4/plan.md",
        cls="plan", metadata={"ticket": "ABC-4"}, paths=("src/login.py",),
    )  # fmt: skip
    near = commit("ABC-4 Count failed logins", tickets=("ABC-4",))
    far = commit("ABC-4 Update pins", tickets=("ABC-4",))
    touches = commit("ABC-4 Begin", tickets=("ABC-4",), paths=("src/login.py",))
    assert list(drawn(plan=plan, near=near, far=far)) == [("near", "implements", "plan")]
    assert list(drawn(plan=plan, far=far)) == []
    assert ("touches", "implements", "plan") in drawn(plan=plan, touches=touches, far=far)
