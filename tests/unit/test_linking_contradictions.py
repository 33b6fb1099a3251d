"""Statements contradict each other about one thing; code contradicts what forbids what it does."""

from collections.abc import Callable
from typing import Any

import pytest

from t2c.ledger.linking.contradictions import MAX_OPPOSED

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def requirement(stated: State) -> State:
    def make(text: str, *, denies: bool = False, path: str = "docs/spec.md", **about: Any) -> bytes:
        metadata = {"constraint": denies} | about.pop("metadata", {})
        fields = {"symbols": ("login.lock",), "polarity": "negative" if denies else "positive"} | about
        return stated("document", "requirement", text, path, cls="plan", metadata=metadata, **fields)

    return make


@pytest.fixture(scope="module")
def task(stated: State) -> State:
    def make(text: str, **about: Any) -> bytes:
        fields = {"cls": "plan", "status": "planned", "tickets": ("ABC-1",)} | about
        return stated("todo", "todo_item", text, "TODO.md", **fields)

    return make


def pairs(relations: Any) -> list[tuple[str, ...]]:
    assert {kind for _, kind, _ in relations} <= {"contradicts"}
    return sorted(tuple(sorted((one, other))) for one, _, other in relations)


SAYS = "`login.lock` must write the password to the log"
DENIES = "`login.lock` must not write any password to the log"


def test_one_denies_what_the_other_says_of_one_symbol(drawn: Draw, requirement: State) -> None:
    relations = drawn(says=requirement(SAYS), denies=requirement(DENIES, denies=True))
    assert pairs(relations) == [("denies", "says")]
    source, _, target = next(iter(relations))
    labels = {label: identity for identity, label in relations.labels.items()}
    assert labels[source] < labels[target]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (SAYS, {"symbols": ("mail.send",)}),
        ("`login.lock` must count failures within one hour", {}),
        (SAYS + " 7 times", {}),
        (SAYS, {"metadata": {"sample": True}}),
    ],
)
def test_nothing_contradicts_a_statement_about_something_else(
    drawn: Draw, requirement: State, text: str, about: dict[str, Any]
) -> None:
    assert list(drawn(says=requirement(text, **about), denies=requirement(DENIES, denies=True))) == []


def test_sharing_the_name_is_not_sharing_the_statement(drawn: Draw, requirement: State) -> None:
    says = requirement("TaskMaster validates: tests should fail", symbols=("TaskMaster",))
    denies = requirement("No test execution by TaskMaster", denies=True, symbols=("TaskMaster",))
    assert list(drawn(says=says, denies=denies)) == []


def test_denial_in_both_is_no_contradiction(drawn: Draw, requirement: State) -> None:
    one = requirement("`login.lock` must not write any password to the log")
    assert list(drawn(one=one, other=requirement(DENIES + "s", denies=True, path="docs/b.md"))) == []


def test_condition_must_be_the_same(drawn: Draw, requirement: State) -> None:
    denies = requirement("`login.lock` must not lock accounts when the network is down", denies=True)
    same = requirement("`login.lock` must lock accounts when the network is down")
    other = requirement("`login.lock` must lock accounts when five logins fail in the network")
    assert pairs(drawn(denies=denies, same=same)) == [("denies", "same")]
    assert list(drawn(denies=denies, other=other)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Allow logins from unknown addresses", "Forbid logins from unknown addresses"),
        ("Enable the mail after failed logins", "Disable the mail after failed logins"),
        ("Keep the old format of logs", "Drop the old format of logs"),
    ],
)
def test_opposite_actions_of_one_ticket(drawn: Draw, task: State, one: str, other: str) -> None:
    assert pairs(drawn(one=task(one), other=task(other))) == [("one", "other")]
    assert list(drawn(one=task(one), other=task(other, tickets=("ABC-2",)))) == []
    assert list(drawn(one=task(one), other=task(other, status="completed"))) == []


def test_add_and_remove_of_one_thing(drawn: Draw, task: State) -> None:
    one, other = (
        task("Add the captcha to the login", action="add"),
        task("Remove the captcha from the login", action="remove"),
    )
    assert pairs(drawn(one=one, other=other)) == [("one", "other")]


@pytest.mark.parametrize("kind", ["changelog_entry", "commit_intent_claim"])
def test_history_is_no_contradiction(drawn: Draw, stated: State, kind: str) -> None:
    source = "changelog" if kind == "changelog_entry" else "git"
    bodies = {
        name: stated(
            source, kind, f"{verb} the captcha of the login", "C.md" if source == "changelog" else None,
            cls="claim", action=name, symbols=("login.captcha",), trail=(name,) if source == "changelog" else (),
            revision=None if source == "changelog" else name,
        )
        for name, verb in (("add", "Allow"), ("remove", "Forbid"))
    }  # fmt: skip
    assert "contradicts" not in {kind for _, kind, _ in drawn(**bodies)}


def test_common_target_is_not_compared(drawn: Draw, requirement: State) -> None:
    many = {f"n{n}": requirement(f"`login.lock` must do part {n}") for n in range(MAX_OPPOSED + 1)}
    relations = drawn(**many, says=requirement(SAYS), denies=requirement(DENIES, denies=True))
    assert "contradicts" not in {kind for _, kind, _ in relations}
    assert relations.counted() == {"target_too_common": 1}


@pytest.fixture(scope="module")
def function(stated: State) -> State:
    def make(name: str, calls: list[str], path: str = "src/shop/run.py", **metadata: Any) -> bytes:
        return stated(
            "ast", "symbol_fact", f"function {name}", path, action="declare", cls="fact", symbol=name,
            metadata={"calls": calls, "test": False} | metadata,
        )  # fmt: skip

    return make


@pytest.mark.parametrize(
    "text",
    ["Code must not call eval.", "The shop must never use `eval`", "Nobody may call the function `eval()`"],
)
def test_code_that_calls_what_is_forbidden(
    drawn: Draw, requirement: State, function: State, text: str
) -> None:
    relations = drawn(
        rule=requirement(text, denies=True, symbols=()),
        does=function("run", ["eval", "print"]),
        does_not=function("walk", ["literal_eval"]),
        test=function("test_run", ["eval"], "tests/test_run.py", test=True),
    )
    assert pairs(relations) == [("does", "rule")]


@pytest.mark.parametrize(
    ("text", "about", "reasons"),
    [
        ("Code must call eval.", {"denies": False}, {}),
        ("Code outside the shell must not call eval.", {"denies": True}, {"prohibition_with_exception": 1}),
        ("Code must not call eval.", {"denies": True, "paths": ("src/mail",)}, {}),
        ("Code must not call it.", {"denies": True}, {}),
    ],
)
def test_code_that_is_allowed(
    drawn: Draw,
    requirement: State,
    function: State,
    text: str,
    about: dict[str, Any],
    reasons: dict[str, int],
) -> None:
    relations = drawn(rule=requirement(text, symbols=(), **about), does=function("run", ["eval", "it"]))
    assert (list(relations), relations.counted()) == ([], reasons)


def test_module_that_imports_what_is_forbidden(drawn: Draw, requirement: State, stated: State) -> None:
    module = stated(
        "ast", "module_fact", "module src/a.py", "src/a.py", action="declare", cls="fact", symbol="a",
        metadata={"imports": ["pickle"], "test": False},
    )  # fmt: skip
    rule = requirement("Code must not import pickle.", denies=True, symbols=())
    assert pairs(drawn(rule=rule, module=module)) == [("module", "rule")]
