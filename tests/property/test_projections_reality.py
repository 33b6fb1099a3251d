"""Whatever is recorded in whatever order: every topic has one status, sums are right, and less evidence shows no more."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.facts import Facts
from t2c.projections.fold import fold
from t2c.projections.reality import surveyed
from t2c.projections.reality.model import STATUSES, Reality
from t2c.projections.registry import ALL
from t2c.projections.timeline.history import histories
from t2c.projections.topics import Topics
from t2c.projections.truthmap import assertions

Said = tuple[str, str, str, bool]
Tie = tuple[int, int, str]

KINDS = ("todo", "document", "changelog", "git", "ast")
SAID = st.tuples(
    st.sampled_from(KINDS), st.sampled_from("abc"), st.sampled_from(["", "T-1", "T-2"]), st.booleans()
)
DISTINCT = st.lists(SAID, max_size=10, unique_by=lambda one: one[: 2 if one[0] == "git" else 3])
TIES = st.tuples(
    st.integers(0, 20),
    st.integers(0, 20),
    st.sampled_from(
        [
            "implements",
            "releases",
            "evidenced_by",
            "documents",
            "contradicts",
            "related_to",
            "tests",
            "supersedes",
        ]
    ),
)


def draft(kind: str, name: str, ticket: str, flag: bool) -> Draft:
    tickets = (ticket,) if ticket and kind != "ast" else ()
    shared: dict[str, Any] = {
        "text": f"{name} {ticket}", "object": name, "confidence": 0.5, "basis": ("x",), "tickets": tickets,
    }  # fmt: skip
    match kind:
        case "todo":
            status = "completed" if flag else "planned"
            return Draft(kind="todo_item", action="add", cls="plan", status=status, lines=(1, 1), **shared)  # type: ignore[arg-type]
        case "document":
            return Draft(
                kind="documentation_statement", action="document", cls="declaration", status="proposed",
                lines=(1, 1), polarity="negative" if flag else "positive", **shared,
            )  # fmt: skip
        case "changelog":
            return Draft(
                kind="changelog_entry", action="fix", cls="claim", status="released", lines=(1, 1), **shared
            )
        case "git":
            return Draft(
                kind="commit_intent_claim", action="fix", cls="claim", status="implemented", revision=name * 40,
                metadata={"docOnly": flag, "committedAt": "2027-01-01T00:00:00Z"}, **shared,
            )  # fmt: skip
        case _:
            return Draft(
                kind="symbol_fact", action="declare", cls="fact", status="implemented", symbol=name,
                symbols=(name,), lines=(1, 1), metadata={"public": flag}, **shared,
            )  # fmt: skip


def state(new_journal: Callable[[Path], Any], said: Sequence[Said], ties: Sequence[Tie]) -> Inputs:
    with tempfile.TemporaryDirectory() as folder:
        chain = new_journal(Path(folder) / "journal.ndjson")
        ids: dict[Said, str] = {}
        for one in said:
            path = None if one[0] == "git" else f"{one[0]}-{one[1]}.md"
            ids[one] = chain.observe(one[0], path, draft(*one))[0]
        ordered = [ids[one] for one in sorted(ids)]
        for source, target, kind in ties:
            if ordered and ordered[source % len(ordered)] != ordered[target % len(ordered)]:
                chain.link(ordered[source % len(ordered)], ordered[target % len(ordered)], kind)
        folded = fold(chain.journal, ALL, ["timeline"])
        assert not any(folded.faults.values())
        return Inputs("2027-01-05T00:00:00.000Z", folded.states, folded.made)


def reality(inputs: Inputs) -> Reality:
    return surveyed(inputs, ())[0]


def made(new_journal: Callable[[Path], Any], said: Sequence[Said], ties: Sequence[Tie]) -> Reality:
    return reality(state(new_journal, said, ties))


@settings(max_examples=30)
@given(st.lists(SAID, max_size=12), st.lists(TIES, max_size=10))
def test_sums_are_right_and_every_record_has_its_place(
    new_journal: Callable[[Path], Any], said: list[Said], ties: list[Tie]
) -> None:
    inputs = state(new_journal, said, ties)
    found, grades = surveyed(inputs, ())
    totals, facts = found.totals, Facts.of(inputs)
    assert sum(totals.byStatus.values()) == totals.topics == len(found.rows) == totals.aligned + totals.gaps
    assert set(totals.byStatus) == set(STATUSES)
    assert sum(totals.alignedByEvidence.values()) == totals.aligned
    held = [one for row in found.rows for one in row.recordIds]
    for fact in facts.records.values():
        assert fact.source.kind == "git" or fact.id in held
    commits = {fact.id for fact in facts.of_kind("git")}
    assert grades.commitsApart == len(commits - set(held))
    for row in found.rows:
        assert list(row.recordIds) == sorted(set(row.recordIds))
        assert sum(row.lanes.values()) <= len(row.recordIds)
        assert row.status != "aligned" or row.severity == "info"
        assert row.status != "implemented_not_planned" or not row.declared
    assert len({row.key for row in found.rows}) == len(found.rows)
    assert {one.record for one in grades.forward} <= facts.records.keys()
    mapped = [one for assertion in assertions(facts) for one in assertion.recordIds]
    assert sorted(mapped) == sorted(facts.records)


@settings(max_examples=30)
@given(DISTINCT, st.lists(TIES, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_events_changes_nothing(
    new_journal: Callable[[Path], Any], said: list[Said], ties: list[Tie], chance: Any
) -> None:
    first = made(new_journal, said, ties)
    chance.shuffle(said)
    chance.shuffle(ties)
    second = made(new_journal, said, ties)
    assert (second.fingerprint, second.rows, second.totals) == (first.fingerprint, first.rows, first.totals)


@settings(max_examples=30)
@given(DISTINCT, st.lists(TIES, min_size=1, max_size=8), st.integers(0, 7))
def test_a_plan_is_no_better_shown_with_less(
    new_journal: Callable[[Path], Any], said: list[Said], ties: list[Tie], place: int
) -> None:
    """A relation that says that something was done or there is taken away: no topic becomes aligned by that."""
    gone = ties[place % len(ties)]
    if gone[2] in ("contradicts", "supersedes", "related_to"):
        return
    rest = [tie for tie in ties if tie != gone]
    before = {row.key: row.status for row in made(new_journal, said, ties).rows}
    after = {row.key: row.status for row in made(new_journal, said, rest).rows}
    plans = {f"ticket:{ticket}" for kind, _, ticket, _ in said if kind == "todo" and ticket}
    assert {key for key in plans if after.get(key) == "aligned"} <= {
        key for key in plans if before.get(key) == "aligned"
    }


@settings(max_examples=30)
@given(st.lists(SAID, max_size=10), st.lists(TIES, max_size=10))
def test_phases_follow_each_other_in_time_and_differ(
    new_journal: Callable[[Path], Any], said: list[Said], ties: list[Tie]
) -> None:
    inputs = state(new_journal, said, ties)
    runs = fold_of_nothing()
    for history in histories(inputs.states["timeline"], Topics.of(inputs), runs):
        times = [phase.since for phase in history.phases]
        assert times == sorted(times)
        states = [phase.status for phase in history.phases]
        assert all(one != two for one, two in pairwise(states))
        assert states
        moments = [event.at for event in history.events]
        assert moments == sorted(moments)


def fold_of_nothing() -> Any:
    return ALL["runs"].start()
