"""Evidence is graded, and only what is dated after a plan or was touched for it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from t2c.ledger.kernel.ids import relation_id
from t2c.projections.evidence import Grade, Graded, graded
from t2c.projections.facts import Fact, Facts
from t2c.projections.graph import Link, Relation, Signal

BEFORE, PLANNED, AFTER, LATER = (f"2026-0{month}-01T10:00:00Z" for month in (1, 2, 3, 4))
CHANGED: dict[str, Any] = {"names": ["retry"], "symbols": ["src/net.py::retry"]}


def fact(identity: str, kind: str, statement: str, **given: Any) -> Fact:
    body = {
        "id": identity,
        "statement": {
            "kind": statement, "actor": None, "action": given.get("action", "add"), "subject": None,
            "object": "it",
            "target": {"paths": given.get("paths", []), "symbols": given.get("symbols", []), "tickets": [], "versions": []},
            "modality": "required", "polarity": "positive", "text": given.get("text", "it"),
        },
        "lifecycle": {"status": given.get("status", "planned")},
        "source": {
            "kind": kind, "path": given.get("path"), "lines": None, "revision": given.get("revision"),
            "symbol": given.get("symbol"), "commitIndex": None, "extractor": "t2c/x@1",
        },
        "epistemic": {"class": given.get("cls", "fact"), "confidence": 1, "basis": []},
        "observedAt": given.get("at"),
        "metadata": given.get("metadata", {}),
    }  # fmt: skip
    return msgspec.convert(body, Fact)


def plan(identity: str = "P", **given: Any) -> Fact:
    return fact(identity, "todo", given.pop("statement", "todo_item"), cls="plan", **given)


def entry(identity: str = "E", **given: Any) -> Fact:
    return fact(identity, "changelog", "changelog_entry", cls="claim", status="released", **given)


def commit(identity: str, at: str, **given: Any) -> Fact:
    metadata = {"committedAt": at, **given.pop("metadata", {})}
    return fact(identity, "git", "commit_intent_claim", cls="claim", metadata=metadata, revision=identity * 8, **given)  # fmt: skip


def symbol(identity: str, name: str = "retry", path: str = "src/net.py", **metadata: Any) -> Fact:
    return fact(
        identity, "ast", "symbol_fact", action="declare", path=path, symbol=name, metadata={"public": True, **metadata}
    )  # fmt: skip


def module(identity: str, path: str = "src/net.py", **metadata: Any) -> Fact:
    return fact(identity, "ast", "module_fact", action="declare", path=path, metadata=metadata)


def result(identity: str, at: str | None, status: str = "verified") -> Fact:
    return fact(identity, "test", "test_result", action="test", status=status, at=at)


def link(
    source: str, kind: str, target: str, *signals: tuple[str, str], basis: Sequence[str] = ("x",)
) -> Link:
    relation = Relation(tuple(basis), 0.9, source, relation_id(source, target, kind), target, kind)
    return Link(relation, "x", tuple(Signal(*signal) for signal in signals))


def judged(identity: str, records: Sequence[Fact], *links: Link, **first: str) -> Graded:
    facts = Facts({one.id: one for one in sorted(records, key=lambda one: one.id)}, sorted(links, key=lambda one: one.relation.id))  # fmt: skip
    return graded(facts, first)[identity]


def test_nothing_is_no_grade() -> None:
    assert judged("P", [plan()]) == Graded(Grade.none, Grade.none, None, ())


def test_code_that_was_there_before_the_plan_only_locates() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), symbol("S"), commit("C", BEFORE)],
        link("P", "related_to", "S"),
        link("C", "modifies", "S"),
    )
    assert (found.grade, found.located) == (Grade.none, Grade.declared)
    assert [(item.record, item.dated, item.at) for item in found.items] == [("S", "before", BEFORE)]


def test_code_that_changed_after_the_plan_counts() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), symbol("S"), commit("C", AFTER), commit("B", BEFORE)],
        link("P", "related_to", "S"),
        link("C", "modifies", "S"),
        link("B", "modifies", "S"),
    )
    assert (found.grade, found.items[0].dated, found.items[0].at) == (Grade.declared, "after", AFTER)


def test_what_changed_with_the_commit_that_wrote_the_plan_came_not_after_it() -> None:
    found = judged(
        "P",
        [plan(), symbol("S"), commit("C", PLANNED)],
        link("C", "declares", "P"),
        link("P", "related_to", "S"),
        link("C", "modifies", "S"),
    )
    assert (found.grade, found.located) == (Grade.none, Grade.declared)


def test_code_of_unknown_date_only_locates() -> None:
    found = judged("P", [plan(at=PLANNED), symbol("S")], link("P", "related_to", "S"))
    assert (found.grade, found.located, found.items[0].dated) == (Grade.none, Grade.declared, "undated")


def test_a_plan_is_dated_by_the_commit_that_wrote_it_then_by_itself_then_by_the_ledger() -> None:
    written = [plan(at=BEFORE), commit("C", PLANNED), commit("D", AFTER)]
    declared = (link("C", "declares", "P"), link("D", "declares", "P"))
    assert judged("P", written, *declared, P=LATER).planned_at == PLANNED
    assert judged("P", [plan(at=BEFORE)], P=LATER).planned_at == BEFORE
    assert judged("P", [plan()], P=LATER).planned_at == LATER


def test_a_plan_that_the_ledger_saw_before_it_was_committed_is_as_old_as_that() -> None:
    """A task is often committed only with what carries it out."""
    records = [plan(), symbol("S"), commit("C", PLANNED)]
    links = (link("C", "declares", "P"), link("P", "related_to", "S"), link("C", "modifies", "S"))
    found = judged("P", records, *links, P=BEFORE)
    assert (found.planned_at, found.grade) == (BEFORE, Grade.declared)
    assert judged("P", records, *links, P=PLANNED).grade is Grade.none
    assert judged("P", records, *links, P=AFTER).grade is Grade.none


def test_the_commit_that_writes_a_plan_is_no_evidence_of_it() -> None:
    found = judged("P", [plan(), commit("C", PLANNED)], link("C", "declares", "P"))
    assert (found.grade, found.items) == (Grade.none, ())


def test_what_an_implementing_commit_touched_counts_whatever_its_date() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), symbol("S"), commit("C", BEFORE, metadata={"diff": CHANGED})],
        link("C", "implements", "P"),
    )
    assert found.grade is Grade.declared
    assert [(item.record, item.grade, item.relation is None) for item in found.items] == [
        ("S", Grade.declared, True),
        ("C", Grade.named, False),
    ]


def test_a_commit_whose_definitions_are_gone_touches_nothing_that_is_there() -> None:
    gone = commit("C", AFTER, metadata={"diff": {"symbols": ["src/net.py::gone"]}}, paths=["src/net.py"])
    found = judged("P", [plan(), module("M"), gone], link("C", "implements", "P"))
    assert [item.record for item in found.items] == ["C"]


def test_a_commit_without_known_definitions_touches_the_modules_that_it_changed() -> None:
    records = [plan(), module("M"), module("T", "tests/test_net.py", test=True)]
    paths = ["src/net.py", "tests/test_net.py", "gone.py"]
    found = judged("P", [*records, commit("C", AFTER, paths=paths)], link("C", "implements", "P"))
    assert [item.record for item in found.items] == ["M", "C"]
    many = [*paths, *(f"src/{number}.py" for number in range(30))]
    found = judged("P", [*records, commit("C", AFTER, paths=many)], link("C", "implements", "P"))
    assert [item.record for item in found.items] == ["C"]


@pytest.mark.parametrize(
    "weak",
    [
        ({"docOnly": True}, ()),
        ({}, ("documentation_only",)),
        ({}, ("reverted",)),
    ],
)
def test_a_documentation_only_or_reverted_commit_is_a_claim(
    weak: tuple[dict[str, Any], tuple[str, ...]],
) -> None:
    metadata, basis = weak
    found = judged(
        "P",
        [plan(at=PLANNED), symbol("S"), commit("C", AFTER, metadata={"diff": CHANGED, **metadata})],
        link("C", "implements", "P", basis=("number_closed", *basis)),
    )
    assert (found.grade, found.located, len(found.items)) == (Grade.none, Grade.none, 1)


def test_a_commit_that_another_superseded_is_a_claim() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), commit("C", AFTER), commit("R", LATER)],
        link("C", "implements", "P"),
        link("R", "supersedes", "C"),
    )
    assert (found.grade, found.located) == (Grade.none, Grade.none)


def test_claims_and_other_statements_never_count() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), entry(at=AFTER), plan("Q", at=AFTER)],
        link("P", "claimed_by", "E"),
        link("E", "related_to", "P"),
        link("Q", "related_to", "P"),
    )
    assert found.grade is Grade.none
    assert {item.record: item.grade for item in found.items} == {"E": Grade.none, "Q": Grade.named}


def test_used_by_another_module_or_another_symbol_of_its_own_is_called() -> None:
    around = [plan(at=PLANNED), symbol("S"), module("M"), commit("C", AFTER)]
    links = [link("P", "related_to", "S"), link("C", "modifies", "S")]

    def grade(*more: Fact, uses: Sequence[Link] = ()) -> Grade:
        return judged("P", [*around, *more], *links, *uses).grade

    other = module("N", "src/other.py")
    assert grade(other, uses=[link("N", "depends_on", "M", ("uses", "retry"))]) is Grade.called
    assert grade(other, uses=[link("N", "depends_on", "M", ("uses", "other"))]) is Grade.declared
    test = module("T", "tests/test_net.py", test=True)
    assert grade(test, uses=[link("T", "depends_on", "M", ("uses", "retry"))]) is Grade.declared
    assert grade(symbol("X", "get", calls=["retry"])) is Grade.called
    assert grade(symbol("X", "get", path="src/other.py", calls=["retry"])) is Grade.declared


def test_a_symbol_that_calls_itself_is_not_called() -> None:
    found = judged(
        "P",
        [plan(at=PLANNED), symbol("S", calls=["retry"]), commit("C", AFTER)],
        link("P", "related_to", "S"),
        link("C", "modifies", "S"),
    )
    assert found.grade is Grade.declared


def exercised(*more: Fact, links: Sequence[Link] = (), edit: str = AFTER, of_test: str = AFTER) -> Grade:
    return judged(
        "P",
        [
            plan(at=PLANNED), symbol("S"), commit("C", edit), commit("D", of_test),
            symbol("T", "test_retry", "tests/test_net.py", test=True), *more,
        ],
        link("P", "related_to", "S"), link("C", "modifies", "S"), link("D", "modifies", "T"),
        link("T", "tests", "S"), *links,
    ).grade  # fmt: skip


def test_a_test_that_exercises_it_is_tested_and_green_once_it_passed_after_the_last_edit_of_both() -> None:
    ran = [link("R", "tests", "T")]
    assert exercised() is Grade.tested
    assert exercised(result("R", LATER), links=ran) is Grade.green
    assert exercised(result("R", BEFORE), links=ran) is Grade.tested
    assert exercised(result("R", LATER), links=ran, of_test="2026-05-01T10:00:00Z") is Grade.tested
    assert exercised(result("R", None), links=ran) is Grade.tested
    assert exercised(result("R", LATER, "blocked"), links=ran) is Grade.tested


def test_a_run_that_failed_later_takes_the_green_away() -> None:
    ran = [link("R", "tests", "T"), link("Q", "tests", "T")]
    failed = result("Q", "2026-06-01T10:00:00Z", "blocked")
    assert exercised(result("R", LATER), failed, links=ran) is Grade.tested
    assert exercised(result("R", "2026-07-01T10:00:00Z"), failed, links=ran) is Grade.green


def test_a_claim_counts_its_own_commits_and_nothing_else() -> None:
    records = [
        entry(at=AFTER),
        symbol("S"),
        commit("C", BEFORE, metadata={"diff": CHANGED}),
        commit("D", LATER),
    ]
    assert judged("E", records, link("E", "releases", "C")).grade is Grade.declared
    found = judged("E", records, link("E", "related_to", "S"), link("D", "modifies", "S"))
    assert (found.grade, found.located) == (Grade.none, Grade.declared)


def test_a_description_is_shown_by_what_is_there() -> None:
    text = fact("D", "document", "documentation_statement", cls="declaration", status="proposed")
    assert judged("D", [text, symbol("S")], link("D", "documents", "S")).grade is Grade.declared


def test_a_comment_that_still_asks_is_not_answered_by_changes_around_it() -> None:
    records = [plan(at=PLANNED, statement="comment_marker"), symbol("S"), commit("C", AFTER)]
    changed = link("C", "modifies", "S")
    assert judged("P", records, link("P", "related_to", "S"), changed).grade is Grade.none
    assert judged("P", records, link("C", "implements", "P"), changed).grade is Grade.declared


def test_a_requirement_has_the_evidence_of_its_tasks_and_a_task_not_that_of_its_requirement() -> None:
    wish = fact("W", "document", "requirement", cls="plan")
    records = [plan(at=PLANNED), wish, commit("C", AFTER), commit("D", AFTER)]
    plans = link("P", "plans", "W")
    assert judged("W", records, link("C", "implements", "P"), plans).grade is Grade.named
    assert judged("P", records, link("D", "implements", "W"), plans).grade is Grade.none


@pytest.mark.parametrize(
    ("action", "symbols", "grade"),
    [("add", ["retry"], Grade.declared), ("test", [], Grade.tested), ("add", ["gone"], Grade.declared)],
)
def test_a_tag_in_the_code_counts_by_what_is_around_it(action: str, symbols: list[str], grade: Grade) -> None:
    wish = fact("W", "document", "requirement", cls="plan")
    tag = fact("G", "document", "trace_tag", cls="claim", action=action, symbols=symbols, path="src/net.py")
    assert judged("W", [wish, tag, symbol("S"), module("M")], link("G", "implements", "W")).grade is grade


WANTED = {"text": "Make `total` faster in src/net.py", "paths": ["src/net.py"]}


def named(text: str, *commits: tuple[str, str], symbols: Sequence[str] = (), to: str = "M") -> Graded:
    """A plan that is related to a module with `Cart.total`, `Cart` and `other`; commits change some of them."""
    code = [module("M"), symbol("S", "Cart.total"), symbol("K", "Cart"), symbol("O", "other")]
    made = {identity: commit(identity, AFTER) for identity, _ in commits}
    return judged(
        "P",
        [plan(at=PLANNED, text=text, paths=["src/net.py"], symbols=list(symbols)), *code, *made.values()],
        link("P", "related_to", to),
        *(link(identity, "modifies", changed) for identity, changed in commits),
    )


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("Make `total` faster in src/net.py", ()),
        ("Make `Cart.total()` faster in src/net.py", ()),
        ("Make Cart::total faster", ("Cart.total",)),
        ("Make `net.Cart.total` faster in src/net.py", ()),
        ("Make `Cart` faster", ()),
    ],
)
def test_a_plan_that_names_a_symbol_is_shown_by_a_change_of_it_and_not_by_one_of_its_file(
    text: str, symbols: Sequence[str]
) -> None:
    unrelated = named(text, ("C", "M"), ("D", "O"), symbols=symbols)
    assert (unrelated.grade, unrelated.located) == (Grade.none, Grade.declared)
    assert named(text, ("C", "M"), ("D", "S"), symbols=symbols).grade is Grade.declared


def test_a_plan_for_a_symbol_that_is_nowhere_is_shown_by_nothing() -> None:
    found = named("Add `never_written` to src/net.py", ("C", "M"), ("D", "S"), ("E", "O"))
    assert (found.grade, found.located) == (Grade.none, Grade.declared)
    assert named("Rename `gone` in src/net.py", ("D", "S"), to="S").grade is Grade.none


def test_a_change_of_the_file_that_a_plan_names_only_locates_it() -> None:
    found = named("Tidy up src/net.py", ("C", "M"))
    assert (found.grade, found.located) == (Grade.none, Grade.declared)
    assert [(item.record, item.dated) for item in found.items] == [("M", "after")]


@pytest.mark.parametrize(
    ("diff", "grade"),
    [
        ({"names": ["retry"], "symbols": ["src/net.py::retry"]}, Grade.none),
        ({"names": ["total"]}, Grade.named),
        ({"symbols": ["src/net.py::Cart::total"]}, Grade.named),
        (None, Grade.none),
    ],
)
def test_a_commit_that_only_relates_to_a_plan_shows_it_by_a_change_of_what_the_plan_names(
    diff: dict[str, Any] | None, grade: Grade
) -> None:
    made = commit("C", AFTER, metadata={} if diff is None else {"diff": diff})
    assert judged("P", [plan(at=PLANNED, **WANTED), made], link("C", "related_to", "P")).grade is grade
    carried = judged("P", [plan(at=PLANNED, **WANTED), made], link("C", "implements", "P"))
    assert carried.grade is Grade.named


def ran(*results: Fact, test_changed: str) -> Grade:
    """A test whose file alone is known to have changed, with its results."""
    return judged(
        "P",
        [
            plan(at=PLANNED), symbol("S"), symbol("T", "test_retry", "tests/t.py", test=True),
            commit("C", AFTER), commit("D", test_changed, paths=["tests/t.py"]), commit("E", BEFORE, paths=["tests/t.py"]), *results,
        ],
        link("C", "implements", "P"), link("C", "modifies", "S"), link("T", "tests", "S"),
        *(link(one.id, "tests", "T") for one in results),
    ).grade  # fmt: skip


def test_a_test_has_changed_at_the_latest_when_its_file_did() -> None:
    assert ran(result("R", LATER), test_changed=AFTER) is Grade.green
    assert ran(result("R", AFTER), test_changed=LATER) is Grade.tested
    assert ran(result("R", AFTER), result("Q", LATER, "blocked"), test_changed=AFTER) is Grade.tested
