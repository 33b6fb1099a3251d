"""Claims: level domain holds events that were taken in to what their origin says, resolves what they cite by any id
that an event ever had, and does not blame them for what only their branch knew.

Mutations seen to fail: the old line not made again; aliases not taken; the next event's link not compared, or that of
events before the group; what came in not counted; the head that the closing names not compared.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.evidence import RecordRetracted
from t2c.ledger.events.runs import OmissionCleared, RunFinished
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.kernel.actor import SCANNER
from t2c.ledger.transfer.merge import carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import plan
from t2c.ledger.transfer.source import JournalSource

Note = Callable[..., EventDraft]
Events = list[dict[str, Any]]


def take(ours: Ledger, theirs: Ledger) -> None:
    source = JournalSource(theirs.journal, "other")
    with taking_turns(ours):
        found = plan(ours, source, lambda stage, done, total: None)
        carry_out(ours, source, found, merged(source, found), lambda stage, done, total: None)


def events(ledger: Ledger) -> Events:
    return [orjson.loads(line) for _, line, _ in ledger.journal.lines()]


def faults(found: Events) -> tuple[list[tuple[int, str]], list[str]]:
    """(seq, kind) of every fault, and what is left unproven."""
    audit = DomainAudit(lambda digest: True)
    for event in found:
        audit.visit(event["seq"], event)
    unproven = audit.finish()
    return [(fault.seq, fault.kind) for fault in audit.faults], unproven


def details(found: Events) -> list[str]:
    audit = DomainAudit(lambda digest: True)
    for event in found:
        audit.visit(event["seq"], event)
    audit.finish()
    return [fault.detail for fault in audit.faults]


@pytest.fixture
def sides(tmp_path: Path, note: Note) -> Iterator[tuple[Ledger, Ledger, Ledger]]:
    """Two branches of one ledger, and another ledger."""
    folders = [tmp_path / name / ".t2c" for name in "abc"]
    for folder in folders:
        folder.parent.mkdir()
    create(folders[0])
    shutil.copytree(folders[0], folders[1])
    create(folders[2])
    with Ledger(folders[0]) as ours, Ledger(folders[1]) as theirs, Ledger(folders[2]) as foreign:
        yield ours, theirs, foreign


@pytest.fixture
def joined(sides: tuple[Ledger, Ledger, Ledger], note: Note) -> Events:
    """seq 2: ours; 3 to 5: theirs, the last answering the first; 6: the closing."""
    ours, theirs, _ = sides
    ours.append([note("ours")])
    first = theirs.append([note("one")])[0]
    theirs.append([note("two"), note("three", cause=(first.id,))])
    take(ours, theirs)
    found = events(ours)
    assert faults(found)[0] == []
    return found


def _digit(old: str) -> str:
    return "1" if old == "0" else "0"


@pytest.mark.parametrize(
    "member", ["seq", "hash", "prev", "id", "ts"], ids=["seq", "hash", "prev", "id", "ts"]
)
def test_each_member_of_an_origin_is_vouched_for(joined: Events, member: str) -> None:
    old = joined[2]["origin"][member]
    joined[2]["origin"][member] = old + 1 if member == "seq" else f"{old[:-2]}{_digit(old[-2])}{old[-1]}"
    assert joined[2]["origin"][member] != old
    assert (3, "origin") in faults(joined)[0]


def test_the_payload_is_vouched_for_by_the_line_it_came_in(joined: Events) -> None:
    joined[3]["data"]["statement"] = "another"
    assert faults(joined)[0] == [(4, "origin")]


def test_events_of_one_merge_follow_one_another_there(joined: Events) -> None:
    joined[3]["origin"]["prev"] = "0" * 64
    assert [kind for _, kind in faults(joined)[0]] == ["origin", "origin"]
    said = details(joined)
    assert any("seq 3 of" in detail and "does not follow seq 2 there" in detail for detail in said), said


def _numbered(found: Events) -> Events:
    return [{**event, "seq": seq} for seq, event in enumerate(found, start=1)]


@pytest.mark.parametrize("gone", [2, 3, 4], ids=["first", "middle", "last"])
def test_an_event_of_a_merge_cannot_be_left_out(joined: Events, gone: int) -> None:
    """Not even by whoever makes the chain behind it anew: the closing event counts what came in."""
    rest = _numbered([event for at, event in enumerate(joined) if at != gone])
    assert "it took in 3 events, and 2 stand before it" in details(rest)


def test_nor_an_event_be_replaced_by_one_of_an_earlier_merge(
    sides: tuple[Ledger, Ledger, Ledger], note: Note
) -> None:
    """Sound by itself, but of another chain: the order, the place or the link tells."""
    ours, theirs, foreign = sides
    foreign.append([note("x"), note("y")])
    theirs.append([note("one"), note("two"), note("three")])
    take(ours, foreign)
    take(ours, theirs)
    found = events(ours)
    assert faults(found)[0] == []
    assert [event["seq"] for event in found if event["type"] == "journal.merged"] == [4, 8]
    for order in ([0, 1, 2, 3, 4, 6, 5, 7], [0, 1, 3, 2, 4, 5, 6, 7], [0, 3, 1, 2, 5, 6, 7]):
        assert "origin" in [kind for _, kind in faults(_numbered([found[at] for at in order]))[0]], order


@pytest.mark.parametrize("member", ["seq", "common_seq", "events", "known", "hash", "ledger"])
def test_what_a_closing_event_says_is_held_to_what_it_ends(joined: Events, member: str) -> None:
    said = joined[-1]["data"][member]
    joined[-1]["data"][member] = said + 1 if isinstance(said, int) else f"{said[:-1]}{_digit(said[-1])}"
    assert (6, "origin") in faults(joined)[0]


def test_neighbours_of_two_branches_need_not_follow(joined: Events) -> None:
    """A merge of closings alone ends with none: what came in before it may be of any chain."""
    *rest, closing = joined
    closing["data"].update(common_seq=3, events=1, known=0)
    rest[3]["origin"]["prev"] = "0" * 64
    found = [*rest, closing]
    assert [seq for seq, _ in faults(found)[0]] == [4]  # it is not what its own origin says
    assert "does not follow" not in details(found)[0]


def test_aliases_beyond_one_closing_event_go_on_in_the_next(joined: Events) -> None:
    again = {**joined[-1], "seq": 7, "id": "EVT-" + "0" * 20}
    assert faults([*joined, again])[0] == []


def test_observed_is_for_this_ledger_alone(sides: tuple[Ledger, Ledger, Ledger]) -> None:
    ours, _, foreign = sides
    foreign.append([draft(ObservationNoted(statement="seen"), actor=SCANNER, trust="observed")])
    take(ours, foreign)
    found = events(ours)
    assert faults(found)[0] == []
    found[1]["trust"] = "observed"
    assert (2, "trust") in faults(found)[0]


def test_an_event_that_stands_twice_is_named(joined: Events) -> None:
    again = {**joined[2], "seq": 7, "id": "EVT-" + "0" * 20}
    assert (7, "id_taken") in faults([*joined, again])[0]


class TestReferences:
    def returned(self, sides: tuple[Ledger, Ledger, Ledger], note: Note) -> Events:
        """Ours went to the other branch, whose answer cites it by the id that it has there."""
        ours, theirs, _ = sides
        ours.append([note("ours")])
        take(theirs, ours)
        there = next(entry.id for entry in theirs.entries() if entry.origin is not None)
        theirs.append([note("an answer", cause=(there,))])
        take(ours, theirs)
        return events(ours)

    def test_an_alias_resolves(self, sides: tuple[Ledger, Ledger, Ledger], note: Note) -> None:
        found = self.returned(sides, note)
        assert faults(found)[0] == []
        found[-1]["data"]["aliases"] = []
        assert [kind for _, kind in faults(found)[0]] == ["cause_unknown"]

    def test_an_alias_for_nothing_is_named(self, sides: tuple[Ledger, Ledger, Ledger], note: Note) -> None:
        found = self.returned(sides, note)
        found[-1]["data"]["aliases"][0][1] = "EVT-" + "0" * 20
        assert "alias_unknown" in [kind for _, kind in faults(found)[0]]

    def test_an_alias_that_is_an_event_already_is_named(
        self, sides: tuple[Ledger, Ledger, Ledger], note: Note
    ) -> None:
        found = self.returned(sides, note)
        found[-1]["data"]["aliases"].append([found[0]["id"], found[1]["id"]])
        assert "id_taken" in [kind for _, kind in faults(found)[0]]

    def test_a_reference_into_what_was_not_sent_is_counted(
        self, sides: tuple[Ledger, Ledger, Ledger], note: Note
    ) -> None:
        ours, _, foreign = sides
        genesis = next(entry.id for entry in foreign.entries())
        foreign.append([note("cites its first event, which is never taken in", cause=(genesis,))])
        take(ours, foreign)
        found, unproven = faults(events(ours))
        assert found == []
        assert any("not sent along" in sentence for sentence in unproven)

    def test_a_cause_of_an_own_event_stands_before_it(self, joined: Events) -> None:
        joined[1]["cause"] = [joined[2]["id"]]
        assert (2, "cause_unknown") in faults(joined)[0]


def test_what_only_the_branch_knew_is_no_fault(sides: tuple[Ledger, Ledger, Ledger]) -> None:
    """It took back what never stood here, cleared it, and ended a run that began there."""
    ours, theirs, _ = sides
    said = [
        RecordRetracted(id="INT-TODO-" + "0" * 20, why="absent", superseded_by="INT-TODO-" + "1" * 20),
        OmissionCleared(source="todo", path="TODO.md", reason="too_large"),
        RunFinished(status="succeeded", appended={}, detail=None),
    ]
    theirs.append([draft(payload, run="r") for payload in said])
    assert len(faults(events(theirs))[0]) == 4
    take(ours, theirs)
    assert faults(events(ours))[0] == []
