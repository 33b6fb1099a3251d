"""One thing told twice is one thing; what only reads alike is not."""

from collections.abc import Callable
from typing import Any

import pytest

from t2c.ledger.linking.identities import MAX_COPIES

State = Callable[..., bytes]
Draw = Callable[..., Any]
LOCK = "Lock an account after five failed logins"


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    def make(text: str, path: str = "TODO.md", identity: str | None = None, **about: Any) -> bytes:
        metadata = {"explicitId": identity} | about.pop("metadata", {})
        return stated("todo", "todo_item", text, path, cls="plan", metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def entry(stated: State) -> State:
    def make(text: str, path: str = "CHANGELOG.md", version: str = "1.0.0", **about: Any) -> bytes:
        metadata = {"version": version, "releaseDate": "2026-01-05"} | about.pop("metadata", {})
        fields = {"trail": (version,), "cls": "claim", "metadata": metadata} | about
        return stated("changelog", "changelog_entry", text, path, **fields)

    return make


def test_task_with_one_id_in_two_folders_is_one_task(drawn: Draw, task: State) -> None:
    relations = drawn(
        done=task("Lock it", "b/done/task-12.md", "TASK-12"),
        open=task("Lock it", "b/tasks/task-12.md", "task-12"),
        other=task("Lock it", "b/tasks/task-13.md", "task-13"),
    )
    assert list(relations) == [("open", "same_as", "done")]


def test_one_id_twice_in_one_file_is_no_second_record(drawn: Draw, task: State) -> None:
    one, other = task(LOCK, "a.md", "T001", trail=("a",)), task(LOCK, "a.md", "T001", trail=("b",))
    assert list(drawn(one=one, other=other)) == []


def test_reworded_task_with_one_id_is_one_task(drawn: Draw, task: State) -> None:
    one = task(LOCK, "a/task-12.md", "TASK-12")
    assert list(drawn(one=one, two=task(LOCK + " in a day", "b/task-12.md", "TASK-12"))) == [
        ("two", "same_as", "one")
    ]


def test_one_id_of_two_tasks_is_a_collision(drawn: Draw, task: State) -> None:
    of_file = {"basis": ("task_front_matter",)}
    relations = drawn(
        one=task(LOCK, "a/task-12.md", "TASK-12", **of_file),
        other=task("Print the manual", "b/task-12.md", "TASK-12", **of_file),
    )
    assert list(relations) == []
    assert relations.counted() == {"same_id_other_statement": 1}


def test_decisions_are_one_by_number_and_not_by_day(drawn: Draw, stated: State) -> None:
    def decision(number: str, name: str, text: str = LOCK) -> bytes:
        return stated(
            "document", "architecture_decision", text, f"adr/{number}-{name}.md",
            metadata={"decisionId": number, "title": name}, symbols=(name,),
        )  # fmt: skip

    assert list(drawn(one=decision("0004", "a"), two=decision("0004", "b"))) == [("two", "same_as", "one")]
    assert list(drawn(one=decision("20260105", "a"), two=decision("20260105", "b"))) == []
    clash = drawn(one=decision("0004", "a"), two=decision("0004", "b", "We print the manual"))
    assert (list(clash), clash.counted()) == ([], {"same_id_other_statement": 1})


def test_lists_that_count_alike_do_not_collide(drawn: Draw, task: State) -> None:
    relations = drawn(one=task(LOCK, "a/tasks.md", "T001"), other=task("Print", "b/tasks.md", "T001"))
    assert (list(relations), relations.counted()) == ([], {})


def test_entry_of_one_release_in_two_changelogs_is_one_entry(drawn: Draw, entry: State) -> None:
    relations = drawn(
        one=entry(LOCK), mirrored=entry(LOCK, "docs/changelog.md"), later=entry(LOCK, version="1.1.0")
    )
    assert list(relations) == [("mirrored", "same_as", "one")]


@pytest.mark.parametrize(
    "about",
    [
        {"metadata": {"package": "shop"}},
        {"metadata": {"releaseDate": "2026-03-01"}},
        {"version": "2.0.0"},
        {"tickets": ("#8",)},
    ],
)
def test_entry_of_another_release_is_another_entry(drawn: Draw, entry: State, about: dict[str, Any]) -> None:
    assert list(drawn(one=entry(LOCK), other=entry(LOCK, "b/CHANGELOG.md", **about))) == []


def test_packages_beside_each_other_tell_of_one_change_by_its_number(drawn: Draw, entry: State) -> None:
    def of(package: str, **about: Any) -> bytes:
        return entry(LOCK, f"packages/{package}/CHANGELOG.md", **about)

    assert list(drawn(one=of("a"), other=of("b"))) == []
    assert list(drawn(one=of("a", tickets=("#7",)), other=of("b", tickets=("#8",)))) == []
    assert list(drawn(one=of("a", tickets=("#7",)), other=of("b", tickets=("#7",)))) == [
        ("other", "same_as", "one")
    ]


def test_entry_written_twice_in_one_release_is_a_duplicate(drawn: Draw, entry: State) -> None:
    trail = {"trail": ("1.0.0", "Fixed")}
    relations = drawn(
        one=entry(LOCK), again=entry(f"**{LOCK}**", **trail), of_other=entry(f"{LOCK} (#7)", tickets=("#7",))
    )
    assert [kind for _, kind, _ in relations] == ["duplicates"]
    assert "of_other" not in {label for source, _, target in relations for label in (source, target)}


def test_fragment_is_the_entry_made_of_it(drawn: Draw, entry: State, stated: State) -> None:
    fragment = stated(
        "changelog", "changelog_fragment", LOCK, "news/12.feature.md", cls="claim", tickets=("#12",)
    )
    made = entry(f"{LOCK} (#12)", tickets=("#12",))
    assert list(drawn(fragment=fragment, entry=made)) == [("fragment", "same_as", "entry")]
    assert list(drawn(fragment=fragment, entry=made, again=entry(LOCK, version="2.0.0"))) == []
    short = stated("changelog", "changelog_fragment", "Fix typo", "news/13.feature.md", cls="claim")
    assert list(drawn(fragment=short, entry=entry("Fix typo"))) == []


def test_tasks_that_say_the_same_are_duplicates_of_the_first(drawn: Draw, task: State) -> None:
    relations = drawn(
        b=task(LOCK, "b/TODO.md"), a=task(f"{LOCK}.", "TODO.md"), c=task(LOCK.upper(), "b/c/TODO.md")
    )
    assert list(relations) == [("b", "duplicates", "a"), ("c", "duplicates", "a")]


def test_lists_of_two_features_are_no_duplicates(drawn: Draw, task: State, stated: State) -> None:
    one, other = task(LOCK, "specs/a/tasks.md"), task(LOCK, "specs/b/tasks.md")
    assert list(drawn(one=one, other=other)) == []
    relations = drawn(one=one, other=other, below=task(LOCK, "specs/b/c/tasks.md"))
    assert list(relations) == [("below", "duplicates", "other")]


@pytest.mark.parametrize(
    ("form", "repeats"), [("keyword", True), ("heading", True), ("section", False), ("scenario", False)]
)
def test_requirement_that_is_stated_twice(drawn: Draw, stated: State, form: str, repeats: bool) -> None:
    one, other = (
        stated("document", "requirement", LOCK, f"specs/{name}/s.md", cls="plan", metadata={"form": form})
        for name in "ab"
    )
    assert list(drawn(one=one, other=other)) == ([("other", "duplicates", "one")] if repeats else [])


def test_sections_of_one_document_are_no_duplicates(drawn: Draw, stated: State) -> None:
    one, other = (
        stated(
            "document", "requirement", LOCK, "s.md", cls="plan", trail=(name,), metadata={"form": "keyword"}
        )
        for name in "ab"
    )
    assert list(drawn(one=one, other=other)) == []


def test_nearly_the_same_is_a_duplicate(drawn: Draw, task: State) -> None:
    long = "Lock the account of every user and every guest after five failed logins within one hour from any address or phone"
    relations = drawn(one=task(long, "a.md"), more=task(f"{long} ever", "b.md"))
    assert list(relations) == [("more", "duplicates", "one")]
    swapped = long.replace("address", "network")
    assert list(drawn(one=task(long, "a.md"), swapped=task(swapped, "b.md"))) == []
    denied = long.replace("within one", "within no")
    assert list(drawn(one=task(long, "a.md"), denied=task(denied, "b.md"))) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Add `-p` to the list of tasks and options", "Add `--parent` to the list of tasks and options"),
        ("Lock all accounts after 5 failed logins", "Lock all accounts after 6 failed logins"),
        ("Fix the typo", "Fix the typo"),
    ],
)
def test_what_reads_alike_about_other_things_is_no_duplicate(
    drawn: Draw, task: State, one: str, other: str
) -> None:
    assert list(drawn(one=task(one, "a.md"), other=task(other, "b.md"))) == []


def test_parts_of_different_tasks_are_no_duplicates(drawn: Draw, task: State) -> None:
    def part(holder: str) -> bytes:
        return task(LOCK, f"{holder}.md", trail=(holder,), metadata={"parent": holder})

    assert list(drawn(one=part("a"), other=part("b"))) == []


def test_form_is_no_duplicate(drawn: Draw, task: State) -> None:
    relations = drawn(**{f"t{n}": task(LOCK, f"{n:03}.md") for n in range(MAX_COPIES + 1)})
    assert list(relations) == []
    assert relations.counted() == {"form_repeated": 1}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("ast", "symbol_fact"),
        ("document", "documentation_statement"),
        ("todo", "comment_marker"),
        ("git", "git_tag_fact"),
    ],
)
def test_these_never_are_duplicates(drawn: Draw, stated: State, source: str, kind: str) -> None:
    one, other = (stated(source, kind, LOCK, f"{name}.x", cls="plan") for name in "ab")
    assert list(drawn(one=one, other=other)) == []
