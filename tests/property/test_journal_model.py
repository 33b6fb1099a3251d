"""Claim: whatever is done to a ledger in whatever order, its journal holds what a plain list would hold.

Appends, batches, retries, writes that a power failure cut, older copies brought back, lost caches and reopened
engines, against a model in memory. Mutations seen to fail: the head kept after a foreign append; keys of a branch that
is gone; a fragment taken for events.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from msgspec import structs

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Expected, Receipt
from t2c.ledger.journal.verify import verify_chain

keys = st.sampled_from([None, "a", "b", "c"])
words = st.sampled_from(["x", "żółć", "y" * 300])


class Machine(RuleBasedStateMachine):
    oracle: Any
    note: Callable[..., EventDraft]

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.workspace = self.folder / ".t2c"
        create(self.workspace)
        self.path = self.workspace / "journal.ndjson"
        self.engines = [Ledger(self.workspace, hold=True), Ledger(self.workspace)]
        self.said: list[str] = []
        self.keys: dict[str, tuple[str, Receipt]] = {}
        self.copies: list[tuple[bytes, list[str], dict[str, tuple[str, Receipt]]]] = []
        self.cut = False

    def teardown(self) -> None:
        for engine in self.engines:
            engine.close()
        shutil.rmtree(self.folder)

    def settle(self) -> None:
        """What the next append does first: it records the fragment that it sets aside."""
        if self.cut:
            self.said.append("journal.repaired")
            self.cut = False

    @initialize()
    def begin(self) -> None:
        self.append(0, ["first"], None, False)

    @rule(by=st.integers(0, 1), texts=st.lists(words, min_size=1, max_size=4), key=keys, atomic=st.booleans())
    def append(self, by: int, texts: list[str], key: str | None, atomic: bool) -> None:
        drafts = [self.note(text, key=key if number == 0 else None) for number, text in enumerate(texts)]
        known = None if key is None else self.keys.get(key)
        refused = known is not None and (known[0] != texts[0] or (atomic and len(texts) > 1))
        self.settle()
        if refused:
            with pytest.raises(Conflict):
                self.engines[by].append(drafts, atomic=atomic)
            return
        receipts = self.engines[by].append(drafts, atomic=atomic)
        if known is not None:
            assert receipts[0] == structs.replace(known[1], repeated=True)
            texts, receipts = texts[1:], receipts[1:]
        elif key is not None:
            self.keys[key] = (texts[0], receipts[0])
        first = len(self.said) + 2
        assert [receipt.seq for receipt in receipts] == list(range(first, first + len(receipts)))
        self.said += texts

    @rule(by=st.integers(0, 1), text=words, behind=st.integers(1, 3))
    def append_to_an_old_head(self, by: int, text: str, behind: int) -> None:
        old = Expected(seq=len(self.said) + 1 - behind)
        self.settle()
        with pytest.raises(Conflict):
            self.engines[by].append([self.note(text)], expected=old)

    @rule(by=st.integers(0, 1), hold=st.booleans())
    def reopen(self, by: int, hold: bool) -> None:
        self.engines[by].close()
        self.engines[by] = Ledger(self.workspace, hold=hold)

    @rule()
    def lose_the_cache(self) -> None:
        for engine in self.engines:
            engine.close()
        shutil.rmtree(self.workspace / "cache", ignore_errors=True)

    @rule()
    def copy(self) -> None:
        if not self.cut:
            self.copies.append((self.path.read_bytes(), [*self.said], {**self.keys}))

    @precondition(lambda self: self.copies)
    @rule(data=st.data(), in_place=st.booleans())
    def bring_an_older_copy_back(self, data: st.DataObject, in_place: bool) -> None:
        content, said, known = data.draw(st.sampled_from(self.copies))
        if in_place:
            self.path.write_bytes(content)
        else:
            (self.folder / "copy").write_bytes(content)
            (self.folder / "copy").rename(self.path)
        self.said, self.keys, self.cut = [*said], {**known}, False
        for torn in self.workspace.glob("*.torn-*"):
            torn.unlink()

    @precondition(lambda self: not self.cut)
    @rule(garbage=st.sampled_from([b"{", b'{"actor":{"id":"t2c"', b"\0" * 700, b"x" * 5000]))
    def tear(self, garbage: bytes) -> None:
        """A write that was never acknowledged reached the disk in part."""
        with self.path.open("ab") as stream:
            stream.write(garbage)
        self.cut = True

    @invariant()
    def readers_see_what_the_model_holds(self) -> None:
        seen = [entry for engine in self.engines for entry in engine.entries()]
        assert [entry.seq for entry in seen] == 2 * list(range(1, len(self.said) + 2))

    @invariant()
    def the_journal_is_what_the_model_holds(self) -> None:
        report = verify_chain(self.path) if not self.cut else None
        if report is None:
            return
        assert report.faults == []
        events = self.oracle.check(self.path)[1:]
        assert [event["data"].get("statement", event["type"]) for event in events] == self.said


def test_a_ledger_is_a_list(
    oracle: Any, note: Callable[..., EventDraft], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a sync is for is claimed elsewhere; thousands of them only take time.
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda fd: None)
    Machine.oracle, Machine.note = oracle, staticmethod(note)
    run_state_machine_as_test(
        Machine, settings=settings(max_examples=60, stateful_step_count=40, deadline=None)
    )
