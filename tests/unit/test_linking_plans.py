"""A plan is meant for what it cites, links to or repeats, and for nothing that only stands near."""

from collections.abc import Callable
from typing import Any

import pytest

from t2c.ledger.linking.plans import MAX_ASKED

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    return lambda text, path="TODO.md", **about: stated(
        "todo", "todo_item", text, path, **{"cls": "plan", "status": "planned"} | about
    )


@pytest.fixture(scope="module")
def requirement(stated: State) -> State:
    def make(text: str, identity: str | None = None, path: str = "docs/spec.md", **about: Any) -> bytes:
        metadata = {"requirementId": identity} | about.pop("metadata", {})
        return stated("document", "requirement", text, path, cls="plan", metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def spoken(stated: State) -> State:
    def make(kind: str, text: str, ticket: str = "TICKET-004", **about: Any) -> bytes:
        cls = "plan" if kind == "plan" else "declaration"
        path = f"project/{ticket.lower()}/{kind}.md"
        fields = {"cls": cls, "tickets": (ticket,), "metadata": {"ticket": ticket}} | about
        return stated("agent_log", f"communication_{kind}", text, path, **fields)

    return make


def test_plan_is_for_the_requirement_whose_id_it_names(drawn: Draw, task: State, requirement: State) -> None:
    relations = drawn(
        plan=task("Write the lock for FR-001"),
        asked=requirement("Accounts lock", "FR-001"),
        other=requirement("Mail goes out", "FR-0010"),
    )
    assert list(relations) == [("plan", "plans", "asked")]
    assert relations.only().signals == (("identifier", "FR-001"),)


def test_decision_is_named_by_number_of_any_width(drawn: Draw, task: State, stated: State) -> None:
    decision = stated(
        "document", "architecture_decision", "We lock accounts", "docs/adr/0004-lock.md",
        metadata={"decisionId": "0004"},
    )  # fmt: skip
    assert list(drawn(plan=task("Carry out ADR-4"), asked=decision)) == [("plan", "plans", "asked")]
    assert list(drawn(plan=task("Carry out ADR-40"), asked=decision)) == []


def test_id_means_the_requirement_of_its_own_folder(drawn: Draw, task: State, requirement: State) -> None:
    relations = drawn(
        plan=task("Write FR-001", "specs/a/tasks.md"),
        near=requirement("Accounts lock", "FR-001", "specs/a/spec.md"),
        far=requirement("Mail goes out", "FR-001", "specs/b/spec.md"),
    )
    assert list(relations) == [("plan", "plans", "near")]


def test_id_means_the_requirement_of_its_own_file(drawn: Draw, requirement: State) -> None:
    path = "specs/a/spec.md"
    relations = drawn(
        below=requirement("Count failed logins", "FR-002", path, metadata={"links": ["FR-001"]}),
        same=requirement("Accounts lock", "FR-001", path),
        beside=requirement("Mail goes out", "FR-001", "specs/a/mail.md"),
    )
    assert list(relations) == [("below", "plans", "same")]


def test_id_that_is_equally_far_from_two_is_ambiguous(drawn: Draw, task: State, requirement: State) -> None:
    relations = drawn(
        plan=task("Write FR-001"),
        one=requirement("Accounts lock", "FR-001", "specs/a/spec.md"),
        other=requirement("Mail goes out", "FR-001", "specs/b/spec.md"),
    )
    assert list(relations) == []
    assert relations.counted() == {"plan_of_ambiguous_id": 1}


def test_sample_is_meant_by_nobody_outside_its_folder(drawn: Draw, task: State, requirement: State) -> None:
    sample = requirement("Doors lock", "FR-001", "examples/spec.md", metadata={"sample": True})
    assert list(drawn(plan=task("Write FR-001"), asked=sample)) == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"covers": ["req~lock~1"]},
        {"links": ["req~lock~1"]},
        {"relations": [{"type": "Parent", "value": "req~lock~1"}]},
    ],
)
def test_requirement_says_what_it_is_derived_from(
    drawn: Draw, requirement: State, metadata: dict[str, Any]
) -> None:
    relations = drawn(
        design=requirement("Count failed logins", "dsn~count~1", metadata=metadata),
        above=requirement("Accounts lock", "req~lock~1"),
        newer=requirement("Accounts lock for an hour", "req~lock-hour~1"),
    )
    assert list(relations) == [("design", "plans", "above")]


def test_requirement_names_its_children(drawn: Draw, requirement: State) -> None:
    above = requirement(
        "Accounts lock", "REQ-1", metadata={"relations": [{"type": "Child", "value": "REQ-2"}]}
    )
    relations = drawn(above=above, below=requirement("Count failed logins", "REQ-2"))
    assert list(relations) == [("below", "plans", "above")]


def test_plan_shares_a_number_with_few_requests(drawn: Draw, task: State, stated: State) -> None:
    asked = {
        f"asked{n}": stated("nl", "declared_intent", f"Wish {n}", f"w{n}.md", tickets=("#12",))
        for n in range(MAX_ASKED + 1)
    }
    plan = task("Hold the lock (#12)", tickets=("#12",))
    assert list(drawn(plan=plan, asked0=asked["asked0"])) == [("plan", "plans", "asked0")]
    relations = drawn(plan=plan, **asked)
    assert list(relations) == []
    assert relations.counted() == {"plan_of_many": 1}


def test_plan_that_cites_a_number_aside_is_not_for_its_request(
    drawn: Draw, task: State, stated: State
) -> None:
    asked = stated("nl", "declared_intent", "Wish for a lock", "w.md", tickets=("#12",))
    assert list(drawn(plan=task("Hold it after #12", tickets=("#12",)), asked=asked)) == []


def test_plan_of_a_conversation_answers_the_nearest_request(drawn: Draw, spoken: State) -> None:
    relations = drawn(
        plan=spoken("plan", "Count the failed logins of an account."),
        near=spoken("request", "Lock an account after five failed logins."),
        far=spoken("decision", "Mail is sent in the night."),
        elsewhere=spoken("request", "Count the failed logins of an account!", "TICKET-005"),
    )
    assert ("plan", "plans", "near") in relations
    assert ("plan", "plans", "far") not in relations


def test_no_plan_of_a_conversation_is_for_a_prohibition(drawn: Draw, spoken: State) -> None:
    plan = spoken("plan", "Add a database in src/db.py.")
    forbids = spoken("request", "Do not touch src/post.py.", polarity="negative")
    assert list(drawn(plan=plan, forbids=forbids)) == []


def test_task_of_a_ticket_answers_the_nearest_request(drawn: Draw, task: State, spoken: State) -> None:
    relations = drawn(
        plan=task("Count the failed logins of an account for TICKET-004", tickets=("TICKET-004",)),
        near=spoken("request", "Lock an account after five failed logins."),
        far=spoken("decision", "Mail is sent in the night."),
    )
    assert [pair for pair in relations if pair[0] == "plan"] == [("plan", "plans", "near")]


def test_plan_of_a_conversation_with_one_request_answers_it(drawn: Draw, spoken: State) -> None:
    plan = spoken("plan", "Read the table of users.")
    first = spoken("request", "Lock the account.")
    relations = drawn(plan=plan, asked=first)
    assert list(relations) == [("plan", "plans", "asked")]
    assert relations.only().basis == ("plan_only_request",)
    relations = drawn(plan=plan, asked=first, other=spoken("request", "Send a mail."))
    assert list(relations) == []
    assert relations.counted() == {"plan_without_request": 1}


def test_plan_links_to_the_file_of_a_decision(drawn: Draw, task: State, stated: State) -> None:
    path = "docs/adr/0004-lock.md"
    decision = stated("document", "architecture_decision", "We lock accounts", path)
    assert list(drawn(plan=task("As decided", paths=(path,)), asked=decision)) == [("plan", "plans", "asked")]
    assert list(drawn(plan=task("As decided", paths=("docs/adr/0005.md",)), asked=decision)) == []


def test_plan_repeats_the_requirement(drawn: Draw, task: State, requirement: State) -> None:
    asked = requirement("Locks an account after five failed logins")
    relations = drawn(plan=task("Lock accounts after five failed logins"), asked=asked)
    assert list(relations) == [("plan", "plans", "asked")]
    assert relations.only().signals == (("words_shared", "1.00"),)


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Lock an account after 6 failed logins", "positive"),
        ("Never lock an account after 5 failed logins", "negative"),
        ("Lock an account after 5 failed logins", "negative"),
        ("Mail an administrator after 5 failed logins", "positive"),
        ("Lock an account", "positive"),
    ],
)
def test_plan_of_something_else_repeats_nothing(
    drawn: Draw, task: State, requirement: State, text: str, polarity: str
) -> None:
    asked = requirement("Lock an account after 5 failed logins")
    assert list(drawn(plan=task(text, polarity=polarity), asked=asked)) == []
