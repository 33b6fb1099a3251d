"""Claims: whatever branches record and in whatever order they are merged, every event is there once, every line that
one came from can be made again and hashes to its origin, references resolve, trust is as its ledger earns it, and level
domain finds no fault.

Mutations seen to fail: neighbours of two branches compared; an alias for a name that its event has already refused; a known event taken in again; an alias left out; `observed` of another ledger kept; a batch
taken apart; the second merge of the same appending a closing event.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.origin import original_line
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.kernel.digests import leaf_hash
from t2c.ledger.transfer.merge import carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import plan
from t2c.ledger.transfer.source import JournalSource

BRANCHES = 3
ADA = Actor("human", "ada")

sides = st.integers(0, BRANCHES)
"""Three branches of one ledger, and another ledger."""
appends = st.tuples(
    st.just("append"),
    sides,
    st.integers(1, 4),
    st.sampled_from(["plain", "atomic", "keyed", "said"]),
    st.integers(0, 50),
)
merges = st.tuples(st.just("merge"), sides, sides)


def quiet(stage: str, done: int, total: int) -> None:
    pass


def merge(ours: Ledger, theirs: Ledger) -> int:
    """How many events of theirs were taken in; the second time nothing may be appended."""
    source = JournalSource(theirs.journal, "other")
    with taking_turns(ours):
        found = plan(ours, source, quiet)
        carry_out(ours, source, found, merged(source, found), quiet)
        head = ours.head()
        again = plan(ours, source, quiet)
        carry_out(ours, source, again, merged(source, again), quiet)
        assert ours.head() == head
    return found.events


class World:
    def __init__(self, folder: Path, stack: ExitStack, note: Callable[..., EventDraft]) -> None:
        self.note = note
        self.statements: list[set[str]] = []
        self.ledgers: list[Ledger] = []
        self.number = 0
        first = folder / "0" / ".t2c"
        first.parent.mkdir()
        create(first)
        for side in range(BRANCHES + 1):
            workspace = folder / str(side) / ".t2c"
            if side == BRANCHES:
                workspace.parent.mkdir()
                create(workspace)
            elif side:
                shutil.copytree(first, workspace)
            self.ledgers.append(stack.enter_context(Ledger(workspace, hold=True, durability="none")))
            self.statements.append(set())

    def append(self, side: int, count: int, how: str, cause: int) -> None:
        ledger = self.ledgers[side]
        # Not the first event: that of another ledger is never taken in.
        ids = [entry.id for entry in ledger.entries()][1:]
        drafts = []
        for _ in range(count):
            self.number += 1
            text = f"statement {self.number}"
            self.statements[side].add(text)
            drafts.append(
                self.note(
                    text,
                    cause=(ids[cause % len(ids)],) if ids else (),
                    key=f"key {cause % 3} {self.number}" if how == "keyed" else None,
                    actor=ADA if how == "said" else SCANNER,
                )
            )
        ledger.append(drafts, atomic=how == "atomic")

    def merge(self, side: int, other: int) -> None:
        if side == other:
            return
        merge(self.ledgers[side], self.ledgers[other])
        self.statements[side] |= self.statements[other]

    def check(self) -> None:
        homes = {ledger.id(): side for side, ledger in enumerate(self.ledgers)}
        for side, ledger in enumerate(self.ledgers):
            assert verify_chain(ledger.journal).faults == []
            audit = DomainAudit(lambda digest: True)
            for _, line, entry in ledger.journal.lines():
                audit.visit(entry.seq, orjson.loads(line))
            audit.finish()
            assert audit.faults == [], side
            said: list[str] = []
            lines: set[str] = set()
            batch: tuple[int, int] | None = None
            for _, line, entry in ledger.journal.lines():
                data = orjson.loads(bytes(entry.data))
                if entry.type == "observation.noted":
                    said.append(data["statement"])
                for cause in entry.cause:
                    assert ledger.index.offset(cause) is not None, (side, entry.seq, cause)
                hashes = {leaf_hash(line[:-1])}
                older, origin = line[:-1], entry.origin
                if origin is not None:
                    foreign = any(
                        (homes[place.ledger] == BRANCHES) != (side == BRANCHES) for place in origin.places
                    )
                    assert entry.trust in (("imported", "asserted") if foreign else ("observed", "asserted"))
                    for place in origin.places:
                        older = original_line(older)
                        assert leaf_hash(older) == place.hash
                        assert decode_entry(older).id == place.id
                        hashes.add(place.hash)
                    assert b'"origin"' not in older
                assert lines.isdisjoint(hashes)
                lines |= hashes
                if batch is not None and batch[0] < batch[1]:
                    assert entry.batch == (batch[0] + 1, batch[1])
                batch = entry.batch
            assert len(said) == len(set(said))
            assert set(said) == self.statements[side]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.one_of(appends, merges), max_size=14))
def test_any_branches_merged_in_any_order(steps: list[Any], note: Callable[..., EventDraft]) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        world = World(Path(folder), stack, note)
        for step in steps:
            getattr(world, step[0])(*step[1:])
        world.check()


def test_a_closing_alone_and_a_third_branch_with_the_next_seq(
    tmp_path: Path, note: Callable[..., EventDraft]
) -> None:
    """Seq 4 of branch 1 and seq 5 of branch 2 come to stand next to each other, without being of one chain."""
    with ExitStack() as stack:
        world = World(tmp_path, stack, note)
        for side, count in ((1, 1), (3, 1), (2, 3)):
            world.append(side, count, "plain", 0)
        for other in (3, 1, 2):
            world.merge(0, other)
        world.merge(1, 3)
        assert [entry.seq for entry in world.ledgers[1].entries() if entry.type == "journal.merged"] == [4]
        world.merge(0, 1)
        world.append(2, 1, "plain", 0)
        world.merge(0, 2)
        *_, closing, fifth, _ = world.ledgers[0].entries()
        assert closing.origin is not None and fifth.origin is not None
        assert (closing.origin.seq, fifth.origin.seq) == (4, 5)
        for side, other in ((1, 0), (2, 1), (0, 2), (0, 1)):
            world.check()
            world.merge(side, other)
        world.check()


def test_an_event_that_both_cite_by_the_ids_of_the_other(
    tmp_path: Path, note: Callable[..., EventDraft]
) -> None:
    """Each side's closing gives the other's id to the event, under which it was taken in there."""
    with ExitStack() as stack:
        world = World(tmp_path, stack, note)
        world.append(0, 1, "plain", 0)
        for side in (1, 0, 1, 0, 2, 1, 2):
            world.merge(side, (side + 1) % 2)
            world.append(side, 1, "plain", 0)
            world.check()


def test_two_branches_come_to_rest(tmp_path: Path, note: Callable[..., EventDraft]) -> None:
    """Criss-cross: A into B, B into A, and again; the closings alone start no new round."""
    with ExitStack() as stack:
        world = World(tmp_path, stack, note)
        world.append(0, 2, "plain", 0)
        world.append(1, 2, "plain", 0)
        world.merge(0, 1)
        world.merge(1, 0)
        taken = [merge(world.ledgers[side], world.ledgers[1 - side]) for side in (0, 1, 0, 1, 0)]
        assert taken[-2:] == [0, 0]
        for side in (0, 1):
            closings = [entry for entry in world.ledgers[side].entries() if entry.type == "journal.merged"]
            assert len(closings) == 2
        world.check()
