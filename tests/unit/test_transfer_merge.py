"""Claims: what the other chain has is taken in whole, provable and no more trusted than it earned; what is not sound,
or cannot be shown to be what it says, is refused by name and nothing is written.

Mutations seen to fail: `reseal` left out of the plan; a redacted payload copied back; the prefix not compared; a batch
cut between two commits; the closing event in a commit of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Corrupt, Refused, T2cError
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import PayloadRedacted
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.origin import MAX_FORMER, NoOrigin, again, original_line, reseal, taken_in
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.kernel.digests import leaf_hash
from t2c.ledger.transfer.merge import Merged, carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import Plan, plan
from t2c.ledger.transfer.source import JournalSource

Note = Callable[..., EventDraft]
ADA = Actor("human", "ada")


def quiet(stage: str, done: int, total: int) -> None:
    pass


def take(ours: Ledger, theirs: Ledger | Path) -> tuple[Plan, Merged]:
    store = theirs.objects if isinstance(theirs, Ledger) else None

    def objects(wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        for digest in wanted:
            if store is not None and store.has(digest):
                yield digest, store.get(digest)

    journal = theirs.journal if isinstance(theirs, Ledger) else JournalFile(theirs)
    source = JournalSource(journal, "other", objects=objects)
    with taking_turns(ours):
        found = plan(ours, source, quiet)
        return found, carry_out(ours, source, found, merged(source, found), quiet)


def events(ledger: Ledger) -> list[dict[str, Any]]:
    return [orjson.loads(line) for _, line, _ in ledger.journal.lines()]


@pytest.fixture
def pair(tmp_path: Path, note: Note) -> Iterator[tuple[Ledger, Ledger]]:
    """Two branches of one ledger that share two events."""
    first, second = tmp_path / "a" / ".t2c", tmp_path / "b" / ".t2c"
    first.parent.mkdir()
    create(first)
    with Ledger(first) as begun:
        begun.append([note("shared")])
    shutil.copytree(first, second)
    with Ledger(first, hold=True) as ours, Ledger(second, hold=True) as theirs:
        yield ours, theirs


@pytest.fixture
def foreign(tmp_path: Path, note: Note) -> Iterator[Ledger]:
    """Another ledger."""
    workspace = tmp_path / "c" / ".t2c"
    workspace.parent.mkdir()
    create(workspace)
    with Ledger(workspace, hold=True) as ledger:
        yield ledger


class TestOrigins:
    def test_every_member_of_a_line_is_made_again(self, pair: tuple[Ledger, Ledger], note: Note) -> None:
        ours, theirs = pair
        first = theirs.append([note("one", key="k", run="r")])[0]
        theirs.append([note("two", cause=(first.id,)), note("three", actor=ADA)], atomic=True)
        theirs.append([draft(ObservationNoted(statement="hidden"), actor=ADA, redactable=True)])
        take(ours, theirs)
        lines = {leaf_hash(line[:-1]): line[:-1] for _, line, _ in theirs.journal.lines()}
        taken = [line[:-1] for _, line, entry in ours.journal.lines() if entry.origin is not None]
        assert len(taken) == 4
        for line in taken:
            older = original_line(line)
            assert lines[leaf_hash(older)] == older
            assert reseal(decode_entry(line)).line == line
        assert [event.get("batch") for event in events(ours)[3:5]] == [[1, 2], [2, 2]]
        assert "data_hash" in events(ours)[5]

    def test_only_what_was_observed_elsewhere_is_lowered(
        self, pair: tuple[Ledger, Ledger], foreign: Ledger
    ) -> None:
        ours, theirs = pair
        for ledger in (foreign, theirs):
            ledger.append(
                [
                    draft(ObservationNoted(statement="seen"), actor=SCANNER, trust="observed"),
                    draft(ObservationNoted(statement="said"), actor=ADA),
                ]
            )
        take(ours, theirs)
        take(ours, foreign)
        found = [
            (event["trust"], event["origin"].get("trust")) for event in events(ours) if "origin" in event
        ]
        assert found == [("observed", None), ("asserted", None), ("imported", "observed"), ("asserted", None)]

    def test_a_line_that_was_recorded_here_has_none(self, ledger: Ledger) -> None:
        with pytest.raises(NoOrigin):
            original_line(ledger.journal.line_at(0))
        with pytest.raises(NoOrigin):
            original_line(b"no event")

    def test_an_event_moves_no_more_often_than_can_be_said(self, ledger: Ledger, note: Note) -> None:
        ledger.append([note("travels")])
        line = ledger.journal.line_at(next(o for o, _, e in ledger.journal.lines() if e.seq == 2))
        moves = 0
        with pytest.raises(NoOrigin):
            while True:
                moved = taken_in(decode_entry(line), leaf_hash(line), f"{moves:032x}", lowered=False)
                line = reseal_as(moved)
                moves += 1
        assert moves == MAX_FORMER + 1
        for _ in range(moves):
            line = again(decode_entry(line)).line
        assert b"origin" not in line


def reseal_as(item: EventDraft) -> bytes:
    from t2c.ledger.journal.chain import seal

    return seal(item, seq=7, prev="a" * 64, ts="2026-01-05T10:00:00.000Z", cause=(), batch=item.batch).line


class TestWhatIsKnown:
    def test_what_came_back_is_not_taken_in_and_its_other_id_resolves(
        self, pair: tuple[Ledger, Ledger], note: Note
    ) -> None:
        ours, theirs = pair
        native = ours.append([note("ours")])[0]
        take(theirs, ours)
        theirs_id = next(
            entry.id for entry in theirs.entries() if entry.origin and entry.origin.id == native.id
        )
        theirs.append([note("an answer", cause=(theirs_id,))])
        found, _ = take(ours, theirs)
        assert found.events == 2  # the answer and the closing of their merge
        assert found.aliases == [(theirs_id, native.id)]
        assert ours.index.offset(theirs_id) == ours.index.offset(native.id)
        # Who cites it by that id from now on is understood.
        ours.append([note("and another", cause=(theirs_id,))])

    def test_a_way_round_over_a_third_is_seen(
        self, pair: tuple[Ledger, Ledger], tmp_path: Path, note: Note
    ) -> None:
        """An event went from one branch over a second to a third, and now comes from the first itself."""
        first, second = pair
        workspace = tmp_path / "third" / ".t2c"
        shutil.copytree(first.workspace, workspace)
        one = first.append([note("one")])[0]
        take(second, first)
        with Ledger(workspace) as third:
            take(third, second)
            assert third.index.offset(one.id) is not None
            first.append([note("two", cause=(one.id,))])
            found, _ = take(third, first)
            assert (found.events, found.known) == (1, 1)
            said = [
                event["data"]["statement"] for event in events(third) if event["type"] == "observation.noted"
            ]
            assert said == ["shared", "one", "two"]

    def test_the_same_again_appends_nothing(self, pair: tuple[Ledger, Ledger], note: Note) -> None:
        ours, theirs = pair
        theirs.append([note("one")])
        take(ours, theirs)
        head = ours.head()
        found, done = take(ours, theirs)
        assert (found.events, found.known, done.first) == (0, 1, 0)
        assert ours.head() == head

    def test_a_side_that_is_only_behind_has_nothing_new(
        self, pair: tuple[Ledger, Ledger], note: Note
    ) -> None:
        ours, theirs = pair
        ours.append([note("ahead")])
        head = ours.head()
        found, _ = take(ours, theirs)
        assert (found.common, found.events, ours.head()) == (2, 0, head)

    def test_keys_of_a_branch_bind_and_keys_of_another_ledger_do_not(
        self, pair: tuple[Ledger, Ledger], foreign: Ledger, note: Note
    ) -> None:
        ours, theirs = pair
        ours.append([note("ours", key="k")])
        theirs.append([note("theirs", key="k")])
        foreign.append([note("foreign", key="far")])
        take(ours, theirs)
        take(ours, foreign)
        assert ours.append([note("ours", key="k")])[0].repeated
        assert ours.append([note("theirs", key="k")])[0].repeated
        with pytest.raises(Conflict):
            ours.append([note("something else", key="k")])
        assert not ours.append([note("our own", key="far")])[0].repeated


class TestCommits:
    def test_a_batch_is_in_one_commit_and_the_closing_in_the_last(
        self, pair: tuple[Ledger, Ledger], note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ours, theirs = pair
        theirs.append([note(f"single {number}") for number in range(990)])
        theirs.append([note(f"batch {number}") for number in range(1500)], atomic=True)
        theirs.append([note("last")])
        sizes: list[int] = []
        append = ours.append
        monkeypatch.setattr(ours, "append", lambda drafts: sizes.append(len(drafts)) or append(drafts))
        found, _ = take(ours, theirs)
        assert sizes == [990 + 1500, 2]
        assert found.events == 2491
        assert events(ours)[-1]["data"]["events"] == 2491

    def test_an_interrupted_merge_of_something_else_is_said(
        self, pair: tuple[Ledger, Ledger], foreign: Ledger, note: Note
    ) -> None:
        ours, theirs = pair
        theirs.append([note("one")])
        foreign.append([note("far")])
        source = JournalSource(theirs.journal, "other")
        line = next(line for line in source.lines(2))
        assert line.entry is not None
        ours.append([taken_in(line.entry, line.hash, theirs.id(), lowered=False)])
        take(ours, foreign)
        types = [event["type"] for event in events(ours)[2:]]
        assert types == ["observation.noted", "degradation.noted", "observation.noted", "journal.merged"]
        # The first merge, run again, is completed: its closing was missing.
        found, done = take(ours, theirs)
        assert (found.events, found.known, done.last) == (0, 1, 0)

    def test_a_merge_killed_before_its_closing_is_closed_by_the_next_run(
        self, pair: tuple[Ledger, Ledger], note: Note
    ) -> None:
        ours, theirs = pair
        theirs.append([note("one")])
        line = next(JournalSource(theirs.journal, "other").lines(2))
        assert line.entry is not None
        ours.append([taken_in(line.entry, line.hash, theirs.id(), lowered=False)])
        take(ours, theirs)
        closing = events(ours)[-1]
        assert closing["type"] == "journal.merged"
        assert (closing["data"]["events"], closing["data"]["known"]) == (0, 1)
        head = ours.head()
        take(ours, theirs)
        assert ours.head() == head


class TestObjects:
    def test_cited_objects_come_along_and_missing_ones_are_told(
        self, pair: tuple[Ledger, Ledger], note: Note
    ) -> None:
        ours, theirs = pair
        there, gone = theirs.objects.put(b"output"), "e" * 64
        cites = ObservationNoted(statement="ran", objects=(there, gone))
        theirs.append(
            [draft(cites, actor=ADA), draft(ObservationNoted(statement="salted"), actor=ADA, redactable=True)]
        )
        _, done = take(ours, theirs)
        assert (done.objects, done.missing) == (2, [gone])
        assert ours.objects.get(there) == b"output"
        hidden = events(ours)[-2]["data_hash"]
        assert orjson.loads(ours.objects.payload(hidden) or b"")["statement"] == "salted"

    def test_a_payload_that_was_redacted_here_does_not_come_back(self, pair: tuple[Ledger, Ledger]) -> None:
        ours, theirs = pair
        theirs.append([draft(ObservationNoted(statement="salted"), actor=ADA, redactable=True)])
        take(ours, theirs)
        event = events(ours)[-2]
        redacted = PayloadRedacted(
            event=event["id"], data_hash=event["data_hash"], reason="asked for", requested_by="human:ada"
        )
        ours.append([draft(redacted)])
        ours.objects.remove(event["data_hash"])
        take(ours, theirs)
        assert not ours.objects.has(event["data_hash"])

    def test_what_the_other_side_redacted_is_told_and_not_copied(self, pair: tuple[Ledger, Ledger]) -> None:
        ours, theirs = pair
        theirs.append([draft(ObservationNoted(statement="salted"), actor=ADA, redactable=True)])
        take(ours, theirs)
        theirs.append([draft(ObservationNoted(statement="other"), actor=ADA, redactable=True)])
        digests = []
        for event in events(theirs)[2:]:
            digests.append(event["data_hash"])
            redacted = PayloadRedacted(
                event=event["id"], data_hash=event["data_hash"], reason="asked for", requested_by="human:ada"
            )
            theirs.append([draft(redacted)])
        _, done = take(ours, theirs)
        assert done.left == [digests[0]]
        assert not ours.objects.has(digests[1])


class TestRefusals:
    def refused(self, ours: Ledger, theirs: Ledger | Path, error: type[T2cError], words: str) -> None:
        before = (ours.workspace / "journal.ndjson").read_bytes()
        with pytest.raises(error) as caught:
            take(ours, theirs)
        assert words in caught.value.what
        assert caught.value.safe is not None
        assert (ours.workspace / "journal.ndjson").read_bytes() == before

    def forged(self, theirs: Ledger, oracle: Any, change: Callable[[list[dict[str, Any]]], None]) -> Path:
        """Their journal with changed events and a chain that fits."""
        found = events(theirs)
        change(found)
        path = theirs.workspace / "journal.ndjson"
        path.write_bytes(oracle.mint(found))
        return path

    def test_a_broken_chain(self, pair: tuple[Ledger, Ledger], note: Note) -> None:
        ours, theirs = pair
        theirs.append([note("one"), note("two"), note("three")])
        path = theirs.workspace / "journal.ndjson"
        path.write_bytes(path.read_bytes().replace(b'"two"', b'"twO"'))
        self.refused(ours, path, Corrupt, "seq 4 edited")

    def test_an_event_that_its_type_does_not_allow(
        self, pair: tuple[Ledger, Ledger], note: Note, oracle: Any
    ) -> None:
        ours, theirs = pair
        theirs.append([note("one"), note("two")])
        path = self.forged(theirs, oracle, lambda found: found[2]["data"].update(statement=""))
        self.refused(ours, path, Corrupt, "seq 3 schema")

    def test_an_id_that_its_line_does_not_have(
        self, pair: tuple[Ledger, Ledger], note: Note, oracle: Any
    ) -> None:
        """Only the last event's id is looked at by level chain; here every one is."""
        ours, theirs = pair
        theirs.append([note("one"), note("two")])
        lines = (theirs.workspace / "journal.ndjson").read_bytes().splitlines()
        third, fourth = orjson.loads(lines[2]), orjson.loads(lines[3])
        third["id"] = "EVT-" + "0" * 20
        lines[2] = oracle.line(third)
        fourth["prev"] = oracle.leaf(lines[2])
        fourth["id"] = oracle.identity(fourth)
        lines[3] = oracle.line(fourth)
        path = theirs.workspace / "journal.ndjson"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        self.refused(ours, path, Corrupt, "does not fit its own id")

    def test_a_chain_that_only_says_that_it_is_this_ledger(
        self, pair: tuple[Ledger, Ledger], note: Note, oracle: Any
    ) -> None:
        ours, theirs = pair
        theirs.append([note("one")])
        path = self.forged(theirs, oracle, lambda found: found[0]["data"].update(tool="t2c 0.0.0"))
        self.refused(ours, path, Refused, "says that it is of this ledger")

    def test_an_origin_from_which_no_line_can_be_made(
        self, pair: tuple[Ledger, Ledger], foreign: Ledger, note: Note, oracle: Any
    ) -> None:
        ours, theirs = pair
        foreign.append([note("far")])
        take(theirs, foreign)
        path = self.forged(theirs, oracle, lambda found: found[2]["origin"].update(seq=9))
        self.refused(ours, path, Corrupt, "does not hash to its origin")

    def test_an_event_of_another_ledger_that_says_observed(
        self, pair: tuple[Ledger, Ledger], foreign: Ledger, oracle: Any
    ) -> None:
        ours, theirs = pair
        foreign.append([draft(ObservationNoted(statement="seen"), actor=SCANNER, trust="observed")])
        take(theirs, foreign)

        def lift(found: list[dict[str, Any]]) -> None:
            found[2]["trust"] = "observed"
            del found[2]["origin"]["trust"]

        self.refused(ours, self.forged(theirs, oracle, lift), Corrupt, "at most imported")

    def test_a_line_too_long_to_say_where_it_came_from(self, pair: tuple[Ledger, Ledger], note: Note) -> None:
        ours, theirs = pair
        theirs.append([draft(ObservationNoted(statement="long", metadata={"x": "x" * ((1 << 20) - 800)}))])
        self.refused(ours, theirs, Refused, "too long to be taken in")

    def test_a_torn_end(self, pair: tuple[Ledger, Ledger], note: Note) -> None:
        ours, theirs = pair
        theirs.append([note("one")])
        path = theirs.workspace / "journal.ndjson"
        path.write_bytes(path.read_bytes() + b'{"actor":')
        self.refused(ours, path, Corrupt, "torn_tail")
