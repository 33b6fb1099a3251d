"""The analysis of any conversation: the same for every order, symmetric, addressed, and never about itself."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.communication import Analysis, analysed
from t2c.projections.communication.conflicts import opposed
from t2c.projections.communication.matching import Index, Meaning, conflicting, matches
from t2c.projections.communication.model import CODES
from t2c.projections.communication.people import statements
from t2c.projections.facts import Facts
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

WORDS = st.sampled_from(("lock", "account", "mail", "invoice", "retry", "cache", "login", "5", "src"))
NAMES = st.frozensets(st.sampled_from(("a.py", "b.py", "src/c.py")), max_size=2)
MEANINGS = st.builds(
    Meaning,
    st.frozensets(WORDS, max_size=8),
    NAMES,
    st.frozensets(st.sampled_from("xy"), max_size=1),
    st.just("add"),
)
TEXTS = st.sampled_from(
    (
        "Lock the account.", "Do not lock the account.", "All tests pass.", "Added a lock in `src/a.py`.",
        "The owner approved the lock.", "Fixed the mail.", "Never print it.", "Thanks.", "Usunięto pamięć.", "x" * 40,
    )
)  # fmt: skip


@st.composite
def drafts(draw: st.DrawFn) -> tuple[str, Draft]:
    role = draw(st.sampled_from(("human", "agent", "unknown")))
    who = draw(st.sampled_from(("ada", "bob", "codex", "agent:codex", "unknown:x")))
    kind = draw(st.sampled_from(("request", "plan", "decision", "message", "report", "result", "claim")))
    ticket = draw(st.sampled_from(("T-1", "T-2", None)))
    text = draw(TEXTS)
    return f"project/{ticket}/{role}.{who.replace(':', '_')}.{kind}.md", Draft(
        kind=f"communication_{kind}", text=text, object=text, action=draw(st.sampled_from(("add", "unknown", "fix"))),
        cls="claim", status="implemented", confidence=0.9, basis=("made",), lines=(1, 1),
        polarity=draw(st.sampled_from(("positive", "negative"))), actor=who,
        paths=draw(st.sampled_from(((), ("src/a.py",), ("src/b.py",)))), tickets=(ticket,) if ticket else (),
        metadata={
            "participant": who, "participantRole": role, "messageType": kind, "ticket": ticket, "displayName": who,
            "identityResolved": draw(st.booleans()), "gitAuthors": draw(st.sampled_from(([], ["bot"]))),
        },
    )  # fmt: skip


def made(new_journal: Any, said: Sequence[tuple[str, Draft]]) -> tuple[Analysis, Facts]:
    with tempfile.TemporaryDirectory() as folder:
        chain = new_journal(Path(folder) / "journal.ndjson")
        for path, draft in said:
            chain.observe("agent_log", path, draft)
        folded = fold(chain.journal, ALL, ["communication"])
        inputs = Inputs(folded.ts or "", folded.states, folded.made)
        return msgspec.structs.replace(analysed(inputs), generatedAt=""), Facts.of(inputs)


@settings(max_examples=60, deadline=None)
@given(said=st.lists(drafts(), max_size=8, unique_by=lambda one: (one[0], one[1].text)), data=st.data())
def test_the_order_in_which_things_were_said_changes_nothing(
    new_journal: Any, said: Any, data: st.DataObject
) -> None:
    first, _ = made(new_journal, said)
    second, _ = made(new_journal, data.draw(st.permutations(said)))
    assert first == second


@settings(max_examples=60, deadline=None)
@given(said=st.lists(drafts(), max_size=8, unique_by=lambda one: (one[0], one[1].text)))
def test_every_issue_is_addressed_and_about_what_stands(new_journal: Any, said: Any) -> None:
    analysis, facts = made(new_journal, said)
    rows = {row.participant for row in analysis.participants}
    unknown = {one.id for one in statements(facts) if one.role == "unknown"}
    assert len({one.id for one in analysis.issues}) == len(analysis.issues)
    for issue in analysis.issues:
        assert issue.code in CODES
        assert issue.responseRequiredFrom
        assert set(issue.responseRequiredFrom) <= rows | {"unresolved:human", "unresolved:agent"}
        assert not any(one.startswith("unknown:") for one in issue.responseRequiredFrom)
        assert set(issue.recordIds) <= set(facts.records)
        assert set(issue.participantIds) <= rows
        assert issue.ticket in analysis.tickets
        if issue.code != "PARTICIPANT_IDENTITY_UNRESOLVED":
            assert unknown.isdisjoint(issue.recordIds)
    assert sum(row.communicationRecords for row in analysis.participants) == len(list(statements(facts)))


@settings(max_examples=60, deadline=None)
@given(said=st.lists(drafts(), max_size=8, unique_by=lambda one: (one[0], one[1].text)))
def test_every_denial_that_stands_against_somebody_is_in_a_conflict_and_nothing_else_is(
    new_journal: Any, said: Any
) -> None:
    analysis, facts = made(new_journal, said)
    all_said = {one.id: one for one in statements(facts)}
    against = {
        (one.id, other.role, other.participant)
        for one in all_said.values()
        for other in all_said.values()
        if not one.positive and opposed(one, other)
    }
    raised = set()
    for issue in analysis.issues:
        if issue.code.endswith("CONFLICT"):
            one, other = (all_said[record] for record in issue.recordIds)
            assert opposed(one, other)
            assert opposed(other, one)
            denied, positive = (other, one) if one.positive else (one, other)
            raised.add((denied.id, positive.role, positive.participant))
    assert raised == against


@given(one=MEANINGS, other=MEANINGS)
def test_matching_and_conflict_are_symmetric(one: Meaning, other: Meaning) -> None:
    assert matches(one, other) is matches(other, one)
    assert conflicting(one, other) is conflicting(other, one)


@given(pool=st.lists(MEANINGS, max_size=12), about=MEANINGS)
def test_the_index_finds_what_comparing_all_pairs_finds(pool: list[Meaning], about: Meaning) -> None:
    entries = [(f"{place:02}", one) for place, one in enumerate(pool)]
    assert set(Index(entries).matching(about)) == {name for name, one in entries if matches(about, one)}
    opposing = Index(entries, 0.45)
    found = {name for name in opposing.candidates(about) if conflicting(about, opposing.meanings[name])}
    assert found == {name for name, one in entries if conflicting(about, one)}
