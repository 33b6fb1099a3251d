"""A claim says that a plan is done; what shows it is a commit that changed code, or a test."""

from collections.abc import Callable
from typing import Any

import pytest

State = Callable[..., bytes]
Draw = Callable[..., Any]
LOCK = "Lock an account after five failed logins"


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    def make(text: str, identity: str | None = None, **about: Any) -> bytes:
        return stated(
            "todo", "todo_item", text, "TODO.md", cls="plan", metadata={"explicitId": identity}, **about
        )

    return make


@pytest.fixture(scope="module")
def entry(stated: State) -> State:
    return lambda text, **about: stated(
        "changelog", "changelog_entry", text, "CHANGELOG.md", **{"cls": "claim"} | about
    )


@pytest.fixture(scope="module")
def spoken(stated: State) -> State:
    def make(kind: str, text: str, **about: Any) -> bytes:
        cls = "plan" if kind == "plan" else "claim"
        metadata = {"ticket": "ABC-4"}
        path = f"project/abc-4/{kind}.md"
        return stated("agent_log", f"communication_{kind}", text, path, cls=cls, metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def commit(stated: State) -> State:
    def make(message: str, doc_only: bool = False, **about: Any) -> bytes:
        fields = {"tickets": ("ABC-4",), "metadata": {"docOnly": doc_only}, "cls": "claim"} | about
        return stated("git", "commit_intent_claim", message, None, revision="0" * 40, **fields)

    return make


@pytest.mark.parametrize("text", ["T012: it locks", "It locks (T012)", "Completes T012"])
def test_task_is_claimed_by_the_entry_that_bears_its_id(
    drawn: Draw, task: State, entry: State, text: str
) -> None:
    relations = drawn(task=task("Hold it", "T012"), entry=entry(text), other=task("Print", "T013"))
    assert list(relations) == [("task", "claimed_by", "entry")]


@pytest.mark.parametrize("text", ["Parent link for T012 in the manual", "It locks (T0123)"])
def test_entry_that_mentions_an_id_claims_nothing(drawn: Draw, task: State, entry: State, text: str) -> None:
    assert list(drawn(task=task("Hold it", "T012"), entry=entry(text))) == []


def test_task_is_claimed_by_the_entry_that_says_the_same(drawn: Draw, task: State, entry: State) -> None:
    relations = drawn(
        task=task(LOCK),
        near=entry("Accounts lock after five failed logins"),
        far=entry("Mail after failed logins"),
    )
    assert list(relations) == [("task", "claimed_by", "near")]


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Accounts do not lock after five failed logins", "negative"),
        ("Accounts lock after 5 or 6 failed logins", "positive"),
        ("Accounts lock", "positive"),
    ],
)
def test_other_entries_claim_nothing(
    drawn: Draw, task: State, entry: State, text: str, polarity: str
) -> None:
    assert list(drawn(task=task(LOCK), entry=entry(text, polarity=polarity))) == []


def test_prohibition_is_claimed_by_nothing(drawn: Draw, task: State, entry: State) -> None:
    assert list(drawn(task=task(f"Never {LOCK}", polarity="negative"), entry=entry(LOCK))) == []


def test_what_denies_neither_claims_nor_is_claimed(
    drawn: Draw, task: State, entry: State, stated: State
) -> None:
    assert list(drawn(task=task(LOCK, polarity="negative"), entry=entry(LOCK))) == []
    assert list(drawn(task=task(LOCK), entry=entry(LOCK, polarity="negative"))) == []
    marked = stated("todo", "comment_marker", LOCK, "src/login.py", cls="plan")
    assert list(drawn(marked=marked, entry=entry(LOCK))) == []


def test_plan_of_a_conversation_is_claimed_by_the_nearest_report(drawn: Draw, spoken: State) -> None:
    plan = spoken("plan", "Count the failed logins.")
    near, far = spoken("report", "The failed logins are counted now."), spoken("result", "All green.")
    assert list(drawn(plan=plan, near=near, far=far)) == [("plan", "claimed_by", "near")]
    assert list(drawn(plan=plan, far=far)) == []


def test_report_is_evidenced_by_the_commit_of_its_ticket(drawn: Draw, spoken: State, commit: State) -> None:
    report = spoken("report", "The failed logins are counted now.", paths=("src/login.py",))
    code = commit("ABC-4 Count failed logins")
    assert list(drawn(report=report, commit=code)) == [("report", "evidenced_by", "commit")]
    touched = commit("ABC-4 Begin", paths=("src/login.py",))
    assert list(drawn(report=report, commit=touched)) == [("report", "evidenced_by", "commit")]


def test_report_is_not_evidenced_by_a_claim_or_by_something_else(
    drawn: Draw, spoken: State, commit: State
) -> None:
    report = spoken("report", "The failed logins are counted now.")
    assert list(drawn(report=report, commit=commit("ABC-4 Count failed logins", doc_only=True))) == []
    assert list(drawn(report=report, commit=commit("Count failed logins", tickets=("ABC-5",)))) == []
    relations = drawn(report=report, commit=commit("ABC-4 Update pins"))
    assert list(relations) == []
    assert relations.counted() == {"report_without_commit": 1}


def test_report_is_evidenced_by_the_test_of_its_ticket(drawn: Draw, spoken: State, stated: State) -> None:
    def result(name: str) -> bytes:
        return stated("test", "test_result", f"test {name}", "junit.xml", cls="fact", symbol=name)

    report = spoken("report", "The failed logins are counted now.")
    relations = drawn(report=report, own=result("tests.test_abc_4_lock"), other=result("tests.test_abc_41"))
    assert list(relations) == [("report", "evidenced_by", "own")]
