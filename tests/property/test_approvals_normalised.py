"""What progress changes breaks no approval, and everything else does; no history of approvals lets another text through.

Seen to fail once, each: the tick read inside fences; a digit read as a tick; only one line end taken from the end.
Against the model: `_over`, `_withdrawn` and the order in `_stale` left out.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.granting import grant, withdraw
from t2c.ledger.approvals.normalising import normalised, without_progress
from t2c.ledger.approvals.standing import mandate_for
from t2c.ledger.approvals.things import find
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Refused
from t2c.ledger.events.changes import ApplyAnnounced, ApplyReceipted, FileChange, PatchRendered
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import rfc3339

WORDS = st.text("abc 0123#>`~*[]()x", max_size=12)
LINES = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(["```", "~~~~", "> ```", "- ```", "````", "# Plan (3/7)"]),
        st.builds("{}{} [{}] {}".format, st.sampled_from(["", "  ", "> "]), st.sampled_from("-*+"), st.sampled_from(" xX~-"), WORDS),
    ),
    max_size=12,
)  # fmt: skip
FILES = (FileChange(path="a", before=None, after="0" * 64),)
START = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.one_of(st.binary(max_size=80), LINES.map(lambda lines: "\n".join(lines).encode())))
def test_doing_it_twice_changes_nothing_more(text: bytes) -> None:
    once = without_progress(text)
    assert without_progress(once) == once


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from(" xX~-"), st.sampled_from(" xX~-"), st.text("abc 3/7", max_size=8)),
        max_size=6,
    )
)
def test_ticking_and_the_ends_of_lines_are_progress(items: list[tuple[str, str, str]]) -> None:
    before = "# Plan\n" + "".join(f"- [{tick}] {text}|\n" for tick, _, text in items)
    after = "# Plan  \r\n" + "".join(f"- [{tick}] {text}|\t\r\n" for _, tick, text in items)
    assert normalised(before.encode()) == normalised(after.encode())


@settings(max_examples=50)
@given(LINES, st.data())
def test_any_other_letter_breaks_it(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join([*lines, "the end"])
    place = data.draw(st.integers(0, len(text) - 1))
    if text[place] in " xX~-\n":
        return  # may be a tick, a blank at the end of a line, or what makes an item one
    other = text[:place] + "Q" + text[place + 1 :]
    assert normalised(text.encode()) != normalised(other.encode())
    assert normalised(text.encode()) != normalised(f"{text}\n- [ ] one more".encode())


def test_inside_a_fence_a_tick_counts() -> None:
    inside, after = "```\n- [{}] a\n```\n- [ ] b\n", "```\n- [ ] a\n```\n- [{}] b\n"
    assert normalised(inside.format(" ").encode()) != normalised(inside.format("x").encode())
    assert normalised(after.format(" ").encode()) == normalised(after.format("x").encode())
    assert normalised(b"- [1] a\n") != normalised(b"- [ ] a\n")
    assert normalised(b"## Done (3/7)\n") != normalised(b"## Done (4/7)\n"), "a number is a number"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["render", "grant", "withdraw", "expire", "apply"]),
        st.integers(0, 2),
        st.integers(0, 1),
    ),
    max_size=14,
)
TEXTS = (b"- [ ] one\n", b"- [ ] two\n", b"- [ ] three\n")
PEOPLE = (Actor("human", "ada"), Actor("human", "eve"))
POLICY = Policy()


class World:
    """A ledger beside a model of it: `held` is event → text and end; those in `stale` were overtaken by another text."""

    def __init__(self, root: Path, ledger: Ledger) -> None:
        self.root, self.ledger, self.now = root, ledger, START
        self.held: dict[str, tuple[int, datetime]] = {}
        self.stale: set[str] = set()
        self.digests = [self.render(number) for number in range(len(TEXTS))]

    def render(self, number: int) -> str:
        shown = self.ledger.objects.put(TEXTS[number])
        payload = PatchRendered(
            kind="todo", hash=shown, shown=shown, artifact={"renderedPatchHash": shown}, plans=(),
            proposed_by=("human:ada",) if number == 2 else ("agent:bot",),
        )  # fmt: skip
        self.ledger.append([draft(payload, trust="asserted")])
        self.stale = {event for event, (text, _) in self.held.items() if text != number}
        return shown

    def grant(self, number: int, who: int) -> None:
        until = self.now + timedelta(days=2)
        try:
            told = grant(
                self.ledger, find(self.ledger, self.root, self.digests[number]), PEOPLE[who], policy=POLICY,
                now=self.now, expires=rfc3339(until),
            )  # fmt: skip
        except Refused:
            assert (number, who) == (2, 0), "only a proposer is refused"
        else:
            assert (number, who) != (2, 0)
            self.held[told.event] = (number, until)

    def withdraw(self, number: int, who: int) -> None:
        mine = [event for event, (text, _) in self.held.items() if text == number]
        for event in mine[:1]:
            withdraw(self.ledger, event, PEOPLE[who], "no")
            del self.held[event]
            with pytest.raises(Conflict):
                withdraw(self.ledger, event, PEOPLE[who], "no")

    def look(self, number: int, apply: bool) -> None:
        """The mandate for a text is one of those that the model has for it, or refused where it has none."""
        thing = find(self.ledger, self.root, self.digests[number])
        good = {
            event
            for event, (text, until) in self.held.items()
            if text == number and self.now < until and event not in self.stale
        }
        try:
            mandate = mandate_for(self.ledger, thing, POLICY, self.now, "human:eve")
        except Refused:
            assert not good
            return
        assert mandate in good
        if apply:
            told = ApplyAnnounced(
                purpose="todo.apply",
                files=FILES,
                subject=thing.subject,
                digest=thing.digest,
                approval=mandate,
            )
            (announced,) = self.ledger.append([draft(told)])
            self.ledger.append([draft(ApplyReceipted(announced=announced.id, files=FILES))])


@settings(max_examples=40)
@given(STEPS)
def test_no_history_lets_through_what_was_not_approved(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        create(root / ".t2c")
        with Ledger(root / ".t2c", durability="none") as ledger:
            world = World(root, ledger)
            for what, number, who in steps:
                if what == "render":
                    world.render(number)
                elif what == "grant":
                    world.grant(number, who)
                elif what == "withdraw":
                    world.withdraw(number, who)
                elif what == "expire":
                    world.now += timedelta(days=1 + number)
                for text in range(len(TEXTS)):
                    world.look(text, what == "apply" and text == number)
