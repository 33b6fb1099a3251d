"""Claim: appends, batches, streams, retries, sealed segments, crashes, older copies brought back, forks and merges in
whatever order leave the journal that a plain list would be; and a checkpoint kept elsewhere shows every older state
that was put back and every fork, under its right name.

The list knows statements only; what a checkpoint must say is worked out from the lines by the oracle, which shares no
code with t2c. Mutations seen to fail: a segment counted twice; an unsynced end kept in part; a merge that takes in what
is here already; `truncated` said of a fork.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from t2c.ledger.anchors.base import Anchor, Judgement, judge
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.note import Checkpoint, origin_of
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import SealRule, listed
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.transfer.merge import carry_out, merged, taking_turns
from t2c.ledger.transfer.plan import plan
from t2c.ledger.transfer.source import JournalSource

SMALL = SealRule(bytes=1500, events=4)
NEVER = SealRule(bytes=1 << 40)
words = st.sampled_from(["x", "żółć", "y" * 300])


class Kept(NamedTuple):
    """A checkpoint that is kept where no writer comes, and the lines that it vouches for."""

    checkpoint: Checkpoint
    leaves: tuple[str, ...]


class Copy(NamedTuple):
    """The whole folder of a ledger as it was once, and what the model held then."""

    folder: Path
    said: list[str]
    keys: dict[str, str]


class Machine(RuleBasedStateMachine):
    oracle: Any
    note: Callable[..., EventDraft]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.workspace = self.folder / ".t2c"
        create(self.workspace)
        self.path = self.workspace / JOURNAL
        self.engines = [self.opened(hold=True), self.opened()]
        self.numbers = itertools.count(1)
        self.said: list[str] = []
        self.keys: dict[str, str] = {}
        self.copies: list[Copy] = []
        self.kept: list[Kept] = []
        self.unfinished = False

    def opened(self, *, hold: bool = False) -> Ledger:
        return Ledger(self.workspace, hold=hold, rule=SMALL)

    def teardown(self) -> None:
        for engine in self.engines:
            engine.close()
        shutil.rmtree(self.folder)

    def new(self, word: str) -> str:
        """A statement that is made once only, so that the model can tell events apart."""
        return f"{next(self.numbers)} {word}"

    def leaves(self) -> tuple[str, ...]:
        lines = [line[:-1] for _, line, _ in JournalFile(self.path).lines()]
        return tuple(self.oracle.leaf(line) for line in lines)

    @initialize()
    def begin(self) -> None:
        self.append(0, ["first"], False, False)

    @rule(
        by=st.integers(0, 1),
        texts=st.lists(words, min_size=1, max_size=6),
        keyed=st.booleans(),
        atomic=st.booleans(),
    )
    def append(self, by: int, texts: list[str], keyed: bool, atomic: bool) -> None:
        statements = [self.new(text) for text in texts]
        key = f"k{statements[0]}" if keyed else None
        drafts = [self.note(text, key=None if at else key) for at, text in enumerate(statements)]
        self.recorded(self.engines[by].append(drafts, atomic=atomic), statements)
        if key is not None:
            self.keys[key] = statements[0]

    def recorded(self, receipts: list[Receipt], statements: list[str]) -> None:
        self.said += statements
        self.unfinished = False
        seqs = [receipt.seq for receipt in receipts]
        assert seqs == list(range(seqs[0], seqs[0] + len(statements)))
        assert all(receipt.durable and not receipt.repeated for receipt in receipts)

    @rule(by=st.integers(0, 1), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4))
    def stream(self, by: int, sizes: list[int]) -> None:
        batches = [[self.new("streamed") for _ in range(size)] for size in sizes]
        told: list[Receipt] = []
        self.engines[by].append_all([[self.note(text) for text in batch] for batch in batches], told.extend)
        self.recorded(told, [text for batch in batches for text in batch])

    @precondition(lambda self: self.keys)
    @rule(by=st.integers(0, 1), data=st.data())
    def retry(self, by: int, data: st.DataObject) -> None:
        key, statement = data.draw(st.sampled_from(sorted(self.keys.items())))
        (receipt,) = self.engines[by].append([self.note(statement, key=key)])
        self.unfinished = False
        assert receipt.repeated
        (entry,) = [entry for entry in self.engines[by].entries() if entry.seq == receipt.seq]
        assert statement.encode() in bytes(entry.data)

    @precondition(lambda self: not self.unfinished)
    @rule(
        texts=st.lists(words, min_size=1, max_size=5),
        atomic=st.booleans(),
        data=st.data(),
        zeros=st.sampled_from([0, 0, 1, 512, 9000]),
    )
    def crash(self, texts: list[str], atomic: bool, data: st.DataObject, zeros: int) -> None:
        """The power fails while a write is not synced: a prefix of it is there, or zeros where it should be."""
        statements = [self.new(text) for text in texts]
        before = self.path.stat().st_size
        with Ledger(self.workspace, rule=NEVER, durability="none") as ledger:
            ledger.append([self.note(text) for text in statements], atomic=atomic)
        written = self.path.read_bytes()[before:]
        left = data.draw(st.integers(0, len(written) - 1), label="bytes that lasted")
        with self.path.open("r+b") as stream:
            stream.truncate(before + left)
            stream.seek(0, os.SEEK_END)
            stream.write(bytes(zeros))
        whole = written[:left].count(b"\n")
        if atomic and len(texts) > 1:
            whole = 0
        self.said += statements[:whole]
        end = written[:left] + bytes(zeros)
        self.unfinished = (not end.endswith(b"\n") and bool(end)) or (bool(left) and not whole)

    @rule(by=st.integers(0, 1), hold=st.booleans())
    def reopen(self, by: int, hold: bool) -> None:
        self.engines[by].close()
        self.engines[by] = self.opened(hold=hold)

    @rule()
    def lose_the_cache(self) -> None:
        for engine in self.engines:
            engine.close()
        shutil.rmtree(self.workspace / "cache", ignore_errors=True)

    @precondition(lambda self: not self.unfinished)
    @rule()
    def keep_a_checkpoint(self) -> None:
        leaves = self.leaves()
        root = self.oracle.root([bytes.fromhex(leaf) for leaf in leaves])
        origin = origin_of(self.engines[0].id())
        assert verify_chain(self.path).root == root.hex()
        self.kept.append(Kept(Checkpoint(origin, len(leaves), root), leaves))

    @precondition(lambda self: not self.unfinished)
    @rule()
    def copy(self) -> None:
        folder = self.folder / f"copy-{len(self.copies)}"
        shutil.copytree(self.workspace, folder, ignore=shutil.ignore_patterns("cache", "lock*", "*.torn-*"))
        self.copies.append(Copy(folder, [*self.said], {**self.keys}))

    @precondition(lambda self: self.copies)
    @rule(data=st.data(), more=st.integers(0, 6))
    def put_an_older_state_back(self, data: st.DataObject, more: int) -> None:
        """What was there is vouched for, then an older state comes back and may go another way from there."""
        if not self.unfinished:
            self.keep_a_checkpoint()
        self.restore(data.draw(st.sampled_from(self.copies)), more)

    def restore(self, copy: Copy, more: int) -> None:
        for engine in self.engines:
            engine.close()
        for torn in self.workspace.glob("*.torn-*"):
            torn.unlink()
        shutil.rmtree(self.workspace / "segments", ignore_errors=True)
        shutil.copytree(copy.folder, self.workspace, dirs_exist_ok=True)
        self.said, self.keys, self.unfinished = [*copy.said], {**copy.keys}, False
        for _ in range(more):
            self.append(1, ["another way"], False, False)

    @precondition(lambda self: self.copies)
    @rule(data=st.data(), more=st.integers(0, 3))
    def fork_and_merge(self, data: st.DataObject, more: int) -> None:
        """Another branch goes on from a copy, and is taken in: nothing is lost, nothing is there twice."""
        copy = data.draw(st.sampled_from(self.copies))
        statements = [self.new("on a branch") for _ in range(more)]
        with Ledger(copy.folder, rule=SMALL) as branch:
            for text in statements:
                branch.append([self.note(text, key=f"k{text}")])
        copy.said.extend(statements)
        copy.keys.update({f"k{text}": text for text in statements})
        ledger = self.engines[0]
        taken = [text for text in copy.said if text not in set(self.said)]
        for _ in range(2):  # the same again appends nothing
            source = JournalSource(JournalFile(copy.folder / JOURNAL), "a branch")
            with taking_turns(ledger):
                ledger.append(())
                found = plan(ledger, source, lambda *_: None)
                carry_out(ledger, source, found, merged(source, found), lambda *_: None)
            self.said += taken
            self.unfinished = False
            taken = []
        self.keys = {**copy.keys, **self.keys}

    @invariant()
    def the_journal_is_what_the_model_holds(self) -> None:
        for engine in self.engines:
            entries = list(engine.entries())
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        bodies = [bytes(entry.data) for entry in entries if entry.type == "observation.noted"]
        assert len(bodies) == len(self.said)
        assert all(text.encode() in body for text, body in zip(self.said, bodies, strict=True))
        kinds = {fault.kind for fault in verify_chain(self.path).faults} if not self.unfinished else set()
        assert kinds == set()

    def judged(self) -> Judgement:
        report = verify_chain(self.path, sizes={kept.checkpoint.size for kept in self.kept})
        anchors = [
            Anchor(f"kept {number}", kept.checkpoint, kept.checkpoint.body(), "given")
            for number, kept in enumerate(self.kept)
        ]
        return judge(anchors, report.events, lambda size: report.roots[size])

    @invariant()
    def every_kept_checkpoint_says_what_became_of_the_journal(self) -> None:
        if self.unfinished or not self.kept:
            return
        said = self.judged()
        now = self.leaves()
        forked = any(
            kept.leaves != now[: len(kept.leaves)] for kept in self.kept if len(kept.leaves) <= len(now)
        )
        gone = max(len(kept.leaves) for kept in self.kept) - len(now)
        at_the_end = any(kept.leaves == now for kept in self.kept)
        if forked:
            assert said.verdict == "forked"
        elif gone > 0:
            assert (said.verdict, said.missing) == ("rolled_back" if at_the_end else "truncated", gone)
        else:
            assert said.verdict == "sound"


def test_a_ledger_is_a_list_that_remembers(
    oracle: Any, note: Callable[..., EventDraft], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a sync is for is claimed elsewhere; thousands of them only take time.
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda fd: None)
    Machine.oracle, Machine.note = oracle, staticmethod(note)
    run_state_machine_as_test(
        Machine, settings=settings(max_examples=40, stateful_step_count=30, deadline=None)
    )


@pytest.mark.parametrize(
    ("witnessed", "more", "verdict"),
    [
        (False, 0, "truncated"),
        (True, 0, "rolled_back"),
        (False, 1, "forked"),
        (True, 2, "forked"),
        (True, 9, "forked"),
    ],
)
def test_another_way_from_an_older_state_is_a_fork_however_short(
    witnessed: bool, more: int, verdict: str, oracle: Any, note: Callable[..., EventDraft]
) -> None:
    """What chance seldom makes: of two checkpoints of the way that was left, one lies beyond the other way's end."""
    Machine.oracle, Machine.note = oracle, staticmethod(note)
    machine = Machine()
    try:
        machine.append(0, ["common"], False, False)
        machine.copy()
        if witnessed:
            machine.keep_a_checkpoint()
        for _ in range(2):
            machine.append(0, ["left"], False, False)
            machine.keep_a_checkpoint()
        machine.restore(machine.copies[0], more)
        machine.the_journal_is_what_the_model_holds()
        assert machine.judged().verdict == verdict
        machine.every_kept_checkpoint_says_what_became_of_the_journal()
    finally:
        machine.teardown()


@pytest.mark.parametrize("left", [bytes(512), b"\0", b"x"], ids=["zeros", "zero", "a byte"])
def test_an_unfinished_write_behind_a_fresh_seal_is_set_aside(
    left: bytes, note: Callable[..., EventDraft], tmp_path: Path
) -> None:
    workspace = tmp_path / ".t2c"
    create(workspace)
    with Ledger(workspace, rule=SMALL) as ledger:
        while (workspace / JOURNAL).stat().st_size:
            ledger.append([note("y" * 300)])
    (workspace / JOURNAL).write_bytes(left)
    with Ledger(workspace, rule=SMALL) as ledger:
        ledger.append([note("on")])
    assert verify_chain(workspace / JOURNAL).faults == []


def test_the_machine_seals_segments(note: Callable[..., EventDraft], tmp_path: Path) -> None:
    """The rule that it opens with is small enough for what it appends."""
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c", rule=SMALL) as ledger:
        for number in range(12):
            ledger.append([note(f"{number} y")])
    assert len(listed(tmp_path / ".t2c" / "segments")) >= 1
