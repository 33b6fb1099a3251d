"""What waits, depends and replaces is what the records say themselves."""

from collections.abc import Callable
from typing import Any

import pytest

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    def make(text: str, identity: str | None = None, path: str = "tasks.md", **about: Any) -> bytes:
        metadata = {"explicitId": identity} | about.pop("metadata", {})
        return stated("todo", "todo_item", text, path, cls="plan", metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def decision(stated: State) -> State:
    def make(text: str, number: str, folder: str = "docs/adr", **metadata: Any) -> bytes:
        path = f"{folder}/{number}-x.md"
        return stated(
            "document", "architecture_decision", text, path, metadata={"decisionId": number} | metadata
        )

    return make


def test_task_depends_on_what_its_fields_name(drawn: Draw, task: State) -> None:
    relations = drawn(
        later=task("Send a mail", "BACK-2", "b/back-2.md", metadata={"dependencies": ["task-1", "BACK-9"]}),
        first=task("Write a mail", "BACK-1", "b/back-1.md"),
    )
    assert list(relations) == [("later", "depends_on", "first")]
    assert relations.only().basis == ("order_field",)


def test_part_of_a_task_depends_on_its_sibling(drawn: Draw, task: State) -> None:
    relations = drawn(
        part=task("Send it", "5.2", metadata={"dependencies": ["1"]}),
        sibling=task("Write it", "5.1"),
        stranger=task("Rotate keys", "1"),
    )
    assert list(relations) == [("part", "depends_on", "sibling")]


def test_task_of_a_list_with_a_tag_depends_within_it(drawn: Draw, task: State) -> None:
    relations = drawn(
        one=task("Send it", "web:2", metadata={"dependencies": ["1"], "tag": "web"}),
        same=task("Write it", "web:1", metadata={"tag": "web"}),
        other=task("Rotate keys", "1"),
    )
    assert list(relations) == [("one", "depends_on", "same")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Send a mail (depends on T001)", [("task", "depends_on", "first")]),
        (
            "Send a mail, needs T001 and T002",
            [("task", "depends_on", "first"), ("task", "depends_on", "second")],
        ),
        ("Send a mail (after T002)", [("task", "depends_on", "second")]),
        ("Send a mail; blocked by T001", [("first", "blocks", "task")]),
        ("Send a mail; waiting for T001, T002", [("first", "blocks", "task"), ("second", "blocks", "task")]),
        ("Send a mail; blocks T002", [("task", "blocks", "second")]),
        ("Send a mail as T001 does", []),
        ("A task that is made after T001 was archived", []),
        ("Send a mail (depends on T009)", []),
        ("Unblocks nothing near T001", []),
    ],
)
def test_words_of_order(drawn: Draw, task: State, text: str, expected: list[tuple[str, str, str]]) -> None:
    relations = drawn(task=task(text, "T003"), first=task("Write", "T001"), second=task("Print", "T002"))
    assert list(relations) == expected


def test_id_of_another_feature_is_not_waited_for(drawn: Draw, task: State) -> None:
    relations = drawn(
        task=task("Send a mail (depends on T001)", "T002", "specs/a/tasks.md"),
        one=task("Write", "T001", "specs/b/tasks.md"),
        two=task("Read", "T001", "specs/c/tasks.md"),
    )
    assert list(relations) == []
    assert relations.counted() == {"dependency_ambiguous": 1}


def test_number_means_the_one_other_task_that_cites_it(drawn: Draw, task: State) -> None:
    waits = task("Send a mail (after #3)", tickets=("#3",))
    first = task("Write it (#3)", tickets=("#3",))
    relations = drawn(task=waits, first=first)
    assert list(relations) == [("task", "depends_on", "first")]
    third = task("Read it (after #3)", tickets=("#3",))
    assert ("task", "depends_on", "first") in drawn(task=waits, first=first, third=third)
    relations = drawn(task=waits, first=first, second=task("Print it (#3)", tickets=("#3",)))
    assert list(relations) == []
    assert relations.counted() == {"dependency_ambiguous": 1}


def test_decision_supersedes_what_it_says_to_replace(drawn: Draw, decision: State) -> None:
    older, newer = decision("We lock", "0001"), decision("We mail", "0002", supersedes=["ADR-1"])
    assert list(drawn(newer=newer, older=older)) == [("newer", "supersedes", "older")]


def test_decision_says_what_replaced_it(drawn: Draw, decision: State) -> None:
    older = decision("We lock", "0001", supersededBy=["docs/adr/0002-x.md"])
    newer = decision("We mail", "0002")
    relations = drawn(newer=newer, older=older, other=decision("We print", "0002", "web/adr"))
    assert list(relations) == [("newer", "supersedes", "older")]


def test_both_sides_say_one_thing(drawn: Draw, decision: State) -> None:
    older = decision("We lock", "0001", supersededBy=["2"])
    newer = decision("We mail", "0002", supersedes=["docs/adr/0001-x.md"])
    assert list(drawn(newer=newer, older=older)) == [("newer", "supersedes", "older")]


def test_younger_decision_alone_replaces_nothing(drawn: Draw, decision: State) -> None:
    assert list(drawn(older=decision("We lock", "0001"), newer=decision("We lock twice", "0002"))) == []


def test_revision_supersedes_the_revision_before(drawn: Draw, stated: State) -> None:
    def requirement(text: str, identity: str, **metadata: Any) -> bytes:
        return stated(
            "document", "requirement", text, "docs/s.md", metadata={"requirementId": identity, **metadata}
        )

    bodies = {f"r{n}": requirement(f"Text of {n}", f"req~lock~{n}") for n in (1, 2, 10)}
    other = requirement("Another one", "req~mail~3")
    assert list(drawn(**bodies, other=other)) == [("r10", "supersedes", "r2"), ("r2", "supersedes", "r1")]


def test_fields_of_a_task_tell_what_holds_it_up_and_what_it_holds_up(drawn: Draw, task: State) -> None:
    relations = drawn(
        first=task("Lock the account", "BACK-1", "b/back-1.md", metadata={"blocks": ["BACK-3"]}),
        second=task("Send a mail", "BACK-2", "b/back-2.md", metadata={"blockedBy": ["BACK-1", "BACK-9"]}),
        third=task("Write the manual", "BACK-3", "b/back-3.md", metadata={"blocks": ["BACK-3"]}),
    )
    assert list(relations) == [("first", "blocks", "second"), ("first", "blocks", "third")]
