"""Ids, order and duplicates of what a synthesis makes: the published vectors, and what must not change an id."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.llm.synthesis.contract import (
    SUMMARY,
    TASKS,
    Generation,
    Target,
    conclusion,
    dated,
    fingerprint,
    proposal,
)
from t2c.ledger.llm.synthesis.duplicates import Existing, Proposed, duplicates, words
from t2c.ledger.llm.synthesis.order import Cycle, Waiting, ordered
from t2c.ledger.llm.synthesis.published import Conclusion, Proposal

BY_MODEL = Generation(
    SUMMARY,
    "require-llm",
    "a" * 64,
    model="qwen/qwen3.7-plus",
    provider="openrouter",
    response="generation-id",
)
FELL = Generation(TASKS, "prefer-llm", "a" * 64, reason="openrouter_timeout")


def concluded(**more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "kind": "finding",
        "title": "Brakuje dowodu implementacji",
        "detail": "Plan nie ma powiązanego rekordu Git ani AST.",
        "severity": "warning",
        "diagnostics": ["DIAG-0123456789abcdefabcd"],
        "records": ["INT-TODO-0123456789abcdefabcd"],
        "confidence": 0.94,
        "generation": BY_MODEL,
        **more,
    }
    return conclusion(**fields)


def proposed(**more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "title": "Dodać syntezę zadań",
        "description": "Wytworzyć propozycje z grafu i diagnostyki.",
        "priority": "P0",
        "target": Target(("src/synthesis/tasks.ts",), ("synthesizeTodoProposals",), ("T2C-101",)),
        "criteria": ["Niepoprawne cytowanie jest odrzucane."],
        "dependencies": [],
        "conclusions": ["CONC-56103ade87e7fd328142"],
        "diagnostics": ["DIAG-0123456789abcdefabcd"],
        "records": ["INT-TODO-0123456789abcdefabcd"],
        "confidence": 0.9,
        "generation": FELL,
        **more,
    }
    return proposal(**fields)


def test_the_two_printed_ids_are_made_again() -> None:
    assert concluded()["id"] == "CONC-56103ade87e7fd328142"
    assert proposed()["id"] == "TPROP-237b3465ea484544f906"


def test_who_said_it_and_how_surely_changes_no_id() -> None:
    other = Generation(SUMMARY, "deterministic", "b" * 64)
    same = concluded(confidence=1.0, generation=other, title=" Brakuje dowodu implementacji\n")
    assert same["id"] == concluded()["id"]
    assert (same["confidence"], type(same["confidence"])) == (1, int)
    assert concluded(severity="blocking")["id"] != concluded()["id"]
    again = proposed(priority="P3", confidence=0.1, criteria=[" Niepoprawne cytowanie jest odrzucane. "])
    assert again["id"] == proposed()["id"]
    assert proposed(criteria=["Coś innego."])["id"] != proposed()["id"]


def test_the_order_of_what_is_cited_is_nobodys() -> None:
    one, two = "DIAG-" + "1" * 20, "DIAG-" + "2" * 20
    assert concluded(diagnostics=[two, one, two]) == concluded(diagnostics=[one, two])


def test_what_is_published_fits_its_contract_with_exactly_its_keys() -> None:
    import orjson

    made = dated(concluded(), "2026-07-29T12:00:00.000Z")
    Conclusion.model_validate_json(orjson.dumps(made))
    assert set(made["generation"]) == {
        "generator", "generatorVersion", "runtimeVersion", "generatedAt", "requestedMode", "effectiveMode", "degraded",
        "model", "provider", "responseId", "configurationFingerprint", "reason",
    }  # fmt: skip
    raised = dated(proposed(), "2026-07-29T12:00:00.000Z")
    Proposal.model_validate_json(orjson.dumps(raised))
    assert raised["generation"]["degraded"] is True and raised["status"] == "proposed"


@pytest.mark.parametrize(
    "wrong",
    [
        Generation(SUMMARY, "require-llm", "a" * 64),
        Generation(SUMMARY, "prefer-llm", "a" * 64),
        Generation(SUMMARY, "deterministic", "a" * 64, reason="why"),
        Generation(SUMMARY, "deterministic", "a" * 64, model="m", provider="p"),
        Generation(SUMMARY, "prefer-llm", "a" * 64, model="m"),
        Generation(SUMMARY, "prefer-llm", "a" * 64, model="m", provider="p", reason="why"),
    ],
)
def test_nothing_pretends_to_come_about_another_way(wrong: Generation) -> None:
    with pytest.raises(ValueError, match=r"model|reason"):
        wrong.document()


def test_a_fingerprint_is_of_the_configuration_in_any_order() -> None:
    assert fingerprint({"a": 1, "b": 0.5}) == fingerprint({"b": 0.5, "a": 1.0}) != fingerprint({"a": 2})


def test_tasks_come_after_what_they_wait_for_and_the_urgent_first() -> None:
    tasks = [
        Waiting("d", "P0", ("c",)),
        Waiting("c", "P3", ()),
        Waiting("b", "P1", ()),
        Waiting("a", "P1", ("b",)),
        Waiting("e", "P0", ()),
    ]
    assert ordered(tasks) == ("e", "b", "a", "c", "d") == ordered(tasks[::-1])


def test_what_becomes_ready_later_takes_its_place_by_urgency() -> None:
    tasks = [
        Waiting("a", "P3", ()),
        Waiting("b", "P2", ("a",)),
        Waiting("c", "P1", ("a",)),
        Waiting("d", "P2", ("a",)),
    ]
    assert ordered(tasks) == ("a", "c", "b", "d")


def test_a_circle_is_named_and_not_broken() -> None:
    with pytest.raises(Cycle) as caught:
        ordered([Waiting("a", "P0", ("b",)), Waiting("b", "P0", ("a",)), Waiting("c", "P0", ())])
    assert caught.value.ids == ("a", "b")


@settings(max_examples=50)
@given(st.data())
def test_every_order_keeps_every_dependency(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 9))
    tasks = [
        Waiting(
            f"T{n}",
            data.draw(st.sampled_from(("P0", "P1", "P2", "P3"))),
            tuple(f"T{m}" for m in data.draw(st.sets(st.integers(0, n - 1)) if n else st.just(set()))),
        )
        for n in range(count)
    ]
    found = ordered(data.draw(st.permutations(tasks)))
    place = {one: at for at, one in enumerate(found)}
    assert len(found) == count
    assert all(place[other] < place[task.id] for task in tasks for other in task.dependencies)
    assert found == ordered(tasks)


def existing(text: str, **about: tuple[str, ...]) -> Existing:
    return Existing("INT-TODO-1", text, Target(**about))


TEXT = "alpha beta gamma delta"


@pytest.mark.parametrize(
    ("item", "basis"),
    [
        (existing("alpha other words here", tickets=("T-1",)), None),
        (existing("alpha beta other words", tickets=("T-1",)), "shared_ticket_and_text"),
        (existing("nothing alike", tickets=("T-1",)), None),
        (existing("alpha beta more other words", symbols=("run",)), "shared_symbol_and_text"),
        (existing("alpha beta other words", paths=("a.py",)), None),
        (existing("alpha beta gamma other", paths=("a.py",)), "shared_path_and_text"),
        (existing("Alpha beta GAMMA delta and", tickets=("T-2",)), "text_similarity:0.800"),
        (existing("alpha beta gamma other words"), None),
    ],
)
def test_a_task_is_a_duplicate_by_text_alone_or_by_a_name_with_text(
    item: Existing, basis: str | None
) -> None:
    one = Proposed("TPROP-1", TEXT, Target(("a.py",), ("run",), ("T-1",)))
    found = list(duplicates([one], [item]))
    assert [(two.proposal, two.records, two.basis) for two in found] == (
        [] if basis is None else [("TPROP-1", ("INT-TODO-1",), basis)]
    )


def test_words_are_runs_of_three_or_more() -> None:
    assert words("Do it: re-run job_7, żółw & ab") == {"re-run", "job_7", "żółw"}
