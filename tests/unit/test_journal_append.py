"""Claims: an append is answered truly, or refused with nothing written (journal-engine §2).

Mutations seen to fail: expected head checked before the key; a retried batch renumbered; `durable` said without a
sync; `ts` taken from the clock alone; keys of a refused call kept; a line too long failing its whole group.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Corrupt, Environment, T2cError, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.append import Expected, Receipt, Writer
from t2c.ledger.journal.lock import HeldLock
from t2c.ledger.journal.position import Position
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import FixedClock, rfc3339

Note = Callable[..., EventDraft]


def bytes_of(ledger: Ledger) -> bytes:
    return ledger.journal.path.read_bytes()


def test_a_receipt_names_the_place_and_its_hash_is_the_next_prev(
    ledger: Ledger, note: Note, oracle: Any
) -> None:
    receipts = ledger.append([note("one"), note("two")]) + ledger.append([note("three")])
    events = oracle.check(ledger.journal.path)
    content = bytes_of(ledger)
    assert [receipt.seq for receipt in receipts] == [2, 3, 4]
    assert [receipt.id for receipt in receipts] == [event["id"] for event in events[1:]]
    assert [receipt.hash for receipt in receipts[:-1]] == [event["prev"] for event in events[2:]]
    assert all(content[receipt.offset :].startswith(b'{"actor"') for receipt in receipts)
    assert ledger.head() == Position(4, receipts[-1].hash, len(content))
    assert all(receipt.durable and not receipt.repeated for receipt in receipts)


def test_an_atomic_batch_is_numbered_and_a_batch_of_one_is_none(
    ledger: Ledger, note: Note, oracle: Any
) -> None:
    ledger.append([note(str(n)) for n in range(3)], atomic=True)
    ledger.append([note("alone")], atomic=True)
    ledger.append([note("a"), note("b")])
    batches = [event.get("batch") for event in oracle.check(ledger.journal.path)]
    assert batches == [None, [1, 3], [2, 3], [3, 3], None, None, None]


@pytest.mark.parametrize("cause", [(0,), (-1,), (5,), ("EVT-" + "0" * 20,), ("nonsense",), ("\ud800",)])
def test_a_cause_that_is_not_there_is_refused(
    cause: tuple[str | int, ...], ledger: Ledger, note: Note
) -> None:
    before = bytes_of(ledger)
    with pytest.raises(Usage, match="is no"):
        ledger.append([note("x", cause=cause)])
    assert bytes_of(ledger) == before


def test_an_expected_head_that_moved_is_a_conflict(ledger: Ledger, note: Note) -> None:
    first = ledger.append([note("one")])[0]
    ledger.append([note("two")], expected=Expected(first.seq, first.hash))
    before = bytes_of(ledger)
    for stale in (Expected(seq=first.seq), Expected(hash=first.hash), Expected(3, first.hash), Expected(99)):
        for drafts in ([note("three")], []):
            with pytest.raises(Conflict, match="not the expected one") as caught:
                ledger.append(drafts, expected=stale)
    assert caught.value.details["seq"] == 3
    assert bytes_of(ledger) == before


class TestIdempotency:
    def test_the_same_content_gets_the_first_receipt(self, ledger: Ledger, note: Note) -> None:
        first = ledger.append([note("one", key="k"), note("two")])[0]
        before = bytes_of(ledger)
        again = ledger.append([note("one", key="k", run="another run")])[0]
        assert again == structs.replace(first, repeated=True)
        assert bytes_of(ledger) == before

    @pytest.mark.parametrize("other", [{"text": "two"}, {"text": "one", "actor": Actor("agent", "a")}])
    def test_other_content_is_a_conflict(self, other: dict[str, Any], ledger: Ledger, note: Note) -> None:
        ledger.append([note("one", key="k")])
        before = bytes_of(ledger)
        with pytest.raises(Conflict, match="other content") as caught:
            ledger.append([note("zero"), note(other.pop("text"), key="k", **other)])
        assert caught.value.where == "seq 2"
        assert bytes_of(ledger) == before

    def test_a_retry_is_answered_although_its_expected_head_is_old(self, ledger: Ledger, note: Note) -> None:
        head = ledger.head()
        expected = Expected(head.seq, head.hash)
        first = ledger.append([note("one", key="k")], expected=expected)
        assert ledger.append([note("one", key="k")], expected=expected)[0].seq == first[0].seq
        with pytest.raises(Conflict, match="not the expected one"):
            ledger.append([note("one", key="k"), note("new")], expected=expected)

    def test_a_key_binds_inside_one_append_and_a_refused_one_leaves_none(
        self, ledger: Ledger, note: Note
    ) -> None:
        receipts = ledger.append([note("one", key="k"), note("one", key="k")])
        assert [receipt.repeated for receipt in receipts] == [False, True]
        assert receipts[0].seq == receipts[1].seq
        with pytest.raises(Conflict):
            ledger.append([note("new", key="n"), note("other", key="k")])
        assert not ledger.append([note("again", key="n")])[0].repeated

    def test_a_whole_batch_is_repeated_and_a_part_of_one_is_refused(
        self, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        batch = [note("one", key="a"), note("two", key="b")]
        first = ledger.append(batch, atomic=True)
        assert ledger.append(batch, atomic=True) == [
            structs.replace(receipt, repeated=True) for receipt in first
        ]
        before = bytes_of(ledger)
        for mixed in (
            [note("one", key="a"), note("new")],
            [note("new"), note("two", key="b")],
            [note("new", key="c"), note("new", key="c")],
        ):
            with pytest.raises(Conflict, match="only a part of this atomic batch"):
                ledger.append(mixed, atomic=True)
        assert bytes_of(ledger) == before
        assert len(ledger.append([note("next")])) == 1
        assert len(oracle.check(ledger.journal.path)) == 4


class TestTime:
    def test_ts_never_goes_backwards_when_the_clock_does(
        self, workspace: Path, note: Note, oracle: Any
    ) -> None:
        late = datetime(2031, 5, 6, 7, 8, 9, 123_999, tzinfo=UTC)
        clock = FixedClock(late)
        with Ledger(workspace, clock=clock) as ledger:
            ledger.append([note("one")])
            clock.instant = late - timedelta(days=3)
            ledger.append([note("two")])
        with Ledger(workspace, clock=clock) as ledger:
            ledger.append([note("three")])
            clock.instant = late + timedelta(milliseconds=1)
            ledger.append([note("four")])
        stamps = [event["ts"] for event in oracle.check(ledger.journal.path)[1:]]
        assert stamps == ["2031-05-06T07:08:09.123Z"] * 3 + ["2031-05-06T07:08:09.124Z"]

    def test_ts_is_utc_with_milliseconds(self) -> None:
        east = datetime.fromisoformat("2026-01-05T00:30:00.0009+02:00")
        assert rfc3339(east) == "2026-01-04T22:30:00.000Z"


def test_an_event_that_is_too_long_is_refused_and_its_neighbours_are_not(ledger: Ledger, note: Note) -> None:
    before = bytes_of(ledger)
    huge = EventDraft("observation.noted", 1, b'"' + b"x" * (1 << 20) + b'"', Actor("agent", "a"), "asserted")
    with pytest.raises(Usage, match="longer than a line may be"):
        ledger.append([note("first"), huge])
    assert bytes_of(ledger) == before


class CountingLock:
    """A real lock that counts its turns and lets a test hold the first one back."""

    def __init__(self, path: Path) -> None:
        self._lock = HeldLock(path)
        self.turns = 0
        self.gate = threading.Event()

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock.held():
            self.turns += 1
            self.gate.wait(20)
            yield

    def close(self) -> None:
        self._lock.close()


class TestGroupCommit:
    @pytest.fixture
    def lock(self, ledger: Ledger) -> CountingLock:
        return CountingLock(ledger.workspace / "lock")

    @pytest.fixture
    def writer(self, ledger: Ledger, lock: CountingLock) -> Iterator[Writer]:
        writer = Writer(
            ledger.journal,
            lock=lock,
            clock=FixedClock(datetime(2026, 1, 5, tzinfo=UTC)),
            index=ledger.index,
            objects=ledger.objects,
        )
        yield writer
        writer.close()

    def together(
        self, writer: Writer, lock: CountingLock, calls: list[list[EventDraft]]
    ) -> list[list[Receipt] | T2cError]:
        """Each call in a thread of its own; while the first one writes, the others come to wait."""
        answers: list[list[Receipt] | T2cError] = [[] for _ in calls]

        def call(number: int) -> None:
            try:
                answers[number] = writer.append(calls[number])
            except T2cError as refused:
                answers[number] = refused

        threads = [threading.Thread(target=call, args=(number,)) for number in range(len(calls))]
        for number, thread in enumerate(threads):
            thread.start()
            while lock.turns < 1 or len(writer._waiting) < number:
                time.sleep(0.0005)
        lock.gate.set()
        for thread in threads:
            thread.join()
        return answers

    def test_waiting_threads_share_one_write_and_one_sync(
        self,
        writer: Writer,
        lock: CountingLock,
        ledger: Ledger,
        note: Note,
        oracle: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        syncs: list[int] = []
        fdatasync = os.fdatasync
        monkeypatch.setattr(os, "fdatasync", lambda fd: (syncs.append(fd), fdatasync(fd))[1])
        answers = self.together(writer, lock, [[note(str(n))] for n in range(64)])
        assert lock.turns == len(syncs) == 2
        receipts = [answer[0] for answer in answers if isinstance(answer, list)]
        events = oracle.check(ledger.journal.path)
        assert sorted(receipt.seq for receipt in receipts) == list(range(2, 66))
        for number, receipt in enumerate(receipts):
            assert events[receipt.seq - 1]["data"]["statement"] == str(number)
            assert events[receipt.seq - 1]["id"] == receipt.id

    def test_one_that_is_refused_harms_no_other_of_its_group(
        self, writer: Writer, lock: CountingLock, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        huge = EventDraft(
            "observation.noted", 1, b'"' + b"x" * (1 << 20) + b'"', Actor("agent", "a"), "asserted"
        )
        calls = [
            [note("a", key="k")],
            [note("lost", key="taken by nobody"), huge],
            [note("b", cause=(7,))],
            [note("c", key="taken by nobody")],
            [note("d")],
        ]
        answers = self.together(writer, lock, calls)
        refused = [number for number, answer in enumerate(answers) if isinstance(answer, T2cError)]
        assert refused == [1, 2]
        said = {event["data"]["statement"] for event in oracle.check(ledger.journal.path)[1:]}
        assert said == {"a", "c", "d"}

    def test_files_may_be_synced_and_closed_while_others_append(
        self, workspace: Path, note: Note, oracle: Any
    ) -> None:
        ledger = Ledger(workspace, hold=True, durability="batch")
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for turn in range(25):
                    ledger.append([note(f"{number} {turn}")])
            except T2cError as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            ledger.sync()
            ledger.close()
        ledger.close()
        assert failures == []
        assert len(oracle.check(ledger.journal.path)) == 101

    @pytest.mark.parametrize("waits_as", ["leader", "follower"])
    def test_an_interrupted_caller_stops_nobody_else(
        self, waits_as: str, writer: Writer, lock: CountingLock, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        """Ctrl-C while this thread writes for others, or waits for another that writes."""
        answers: list[Receipt | T2cError] = []

        def call() -> None:
            try:
                answers.extend(writer.append([note("other")]))
            except T2cError as refused:
                answers.append(refused)

        other = threading.Thread(target=call)
        main = threading.main_thread().ident
        assert main is not None

        def interrupt() -> None:
            while lock.turns < 1:
                time.sleep(0.001)
            if waits_as == "leader":
                other.start()
            while len(writer._waiting) < 1:
                time.sleep(0.001)
            signal.pthread_kill(main, signal.SIGINT)
            time.sleep(0.05)
            lock.gate.set()

        interrupter = threading.Thread(target=interrupt)
        if waits_as == "follower":
            other.start()
            while lock.turns < 1:
                time.sleep(0.001)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            writer.append([note("mine")])
        interrupter.join()
        other.join()
        assert isinstance(answers[0], Receipt)
        assert writer.append([note("after")])[0].seq == 3
        assert [event["data"]["statement"] for event in oracle.check(ledger.journal.path)[1:]] == [
            "other",
            "after",
        ]

    def test_followers_of_an_interrupted_leader_are_told_that_nothing_is_known(
        self, writer: Writer, lock: CountingLock, ledger: Ledger, note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock.gate.set()
        started, follower_waits = threading.Event(), threading.Event()
        write = os.write

        def interrupted(fd: int, block: bytes) -> int:
            if b"first" in block:
                started.set()
                follower_waits.wait(10)
                return write(fd, block)
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "write", interrupted)
        answers: list[object] = []

        def call(text: str) -> None:
            try:
                answers.append(writer.append([note(text)]))
            except (T2cError, KeyboardInterrupt) as failure:
                answers.append(failure)

        threads = [threading.Thread(target=call, args=("first",))]
        threads[0].start()
        started.wait(10)
        threads += [threading.Thread(target=call, args=(text,)) for text in ("second", "third")]
        for thread in threads[1:]:
            thread.start()
        while len(writer._waiting) < 2:
            time.sleep(0.001)
        follower_waits.set()
        for thread in threads:
            thread.join()
        kinds = sorted(type(answer).__name__ for answer in answers)
        assert kinds == ["Environment", "KeyboardInterrupt", "list"]
        monkeypatch.undo()
        assert writer.append([note("after")])[0].seq == 3


class TestDurability:
    @pytest.fixture
    def syncs(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        counted: list[int] = []
        fdatasync = os.fdatasync
        monkeypatch.setattr(os, "fdatasync", lambda fd: (counted.append(fd), fdatasync(fd))[1])
        return counted

    def test_commit_syncs_before_it_answers(self, workspace: Path, note: Note, syncs: list[int]) -> None:
        with Ledger(workspace) as ledger:
            assert ledger.append([note("one"), note("two")])[0].durable
            assert len(syncs) == 1
            ledger.append([])
            assert len(syncs) == 1
        assert len(syncs) == 1

    def test_batch_answers_first_and_syncs_at_the_end(
        self, workspace: Path, note: Note, syncs: list[int]
    ) -> None:
        with Ledger(workspace, durability="batch") as ledger:
            assert not ledger.append([note("one")])[0].durable
            assert syncs == []
        assert len(syncs) == 1
        with Ledger(workspace, durability="batch") as ledger:
            for _ in range(5):
                ledger.append([note("more")] * 300)
            assert len(syncs) == 2
        assert len(syncs) == 3

    def test_none_never_syncs(self, workspace: Path, note: Note, syncs: list[int]) -> None:
        with Ledger(workspace, durability="none") as ledger:
            assert not ledger.append([note("one")] * 3000)[0].durable
        assert syncs == []

    def test_a_repeated_event_is_synced_before_it_is_called_durable(
        self, workspace: Path, note: Note, syncs: list[int]
    ) -> None:
        """The process that wrote it may have been killed before its own sync."""
        with Ledger(workspace, durability="none") as ledger:
            ledger.append([note("one", key="k")])
        with Ledger(workspace) as ledger:
            again = ledger.append([note("one", key="k")])[0]
            assert again.repeated and again.durable
            assert len(syncs) == 1
            ledger.append([note("one", key="k")])
            assert len(syncs) == 1


class TestRefusal:
    def test_a_changed_last_line_is_not_linked_onto(self, workspace: Path, note: Note) -> None:
        """One more event would make the change look sound for ever."""
        path = workspace / "journal.ndjson"
        with Ledger(workspace) as ledger:
            ledger.append([note("paid 10")])
            sound = path.read_bytes()
            path.write_bytes(sound.replace(b"paid 10", b"paid 99"))
            for opened in (ledger, Ledger(workspace)):
                with pytest.raises(Corrupt, match="does not fit its own id"):
                    opened.append([note("next")])
            assert b"paid 99" in path.read_bytes()
            path.write_bytes(sound)
            assert ledger.append([note("next")])[0].seq == 3

    def test_a_journal_with_windows_line_ends_is_named(self, workspace: Path, note: Note) -> None:
        path = workspace / "journal.ndjson"
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        with Ledger(workspace) as ledger, pytest.raises(Corrupt, match="CR LF"):
            ledger.append([note("x")])

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"\xef\xbb\xbf{}\n", "byte order mark"),
            (b"<<<<<<< HEAD\n{}\n", "conflict marker"),
            (b"\0\0\0\0\n", "zero bytes"),
            (b"\n\n", "empty line"),
            (b"hello\n", "does not begin with an event"),
            (b'{"actor":{"id":"t2c', "first event of the journal is not complete"),
            (b'{"actor":{"id":"t2c"}}\n', "does not begin with an event"),
        ],
    )
    def test_a_journal_that_does_not_begin_as_one_is_left_alone(
        self, content: bytes, said: str, workspace: Path, note: Note
    ) -> None:
        path = workspace / "journal.ndjson"
        path.write_bytes(content)
        with Ledger(workspace) as ledger:
            with pytest.raises(Corrupt, match=said):
                ledger.append([note("x")])
            with pytest.raises(Corrupt):
                ledger.id()
        assert path.read_bytes() == content

    def test_an_empty_journal_gets_no_event_before_its_genesis(self, workspace: Path, note: Note) -> None:
        (workspace / "journal.ndjson").write_bytes(b"")
        with Ledger(workspace) as ledger, pytest.raises(Usage, match="empty"):
            ledger.append([note("x")])
        assert (workspace / "journal.ndjson").read_bytes() == b""


def test_what_goes_wrong_in_one_call_goes_wrong_in_no_other(ledger: Ledger, note: Note) -> None:
    """Even a draft that t2c itself could never make."""
    broken = EventDraft("observation.noted", 1, b"{}", Actor("agent", "\ud800"), "asserted")
    with pytest.raises(TypeError):
        ledger.append([note("lost"), broken])
    assert ledger.append([note("kept")])[0].seq == 2
    assert verify_chain(ledger.journal.path).faults == []


def test_a_closed_ledger_opens_itself_again(ledger: Ledger, note: Note) -> None:
    ledger.append([note("one", key="k")])
    ledger.close()
    assert ledger.append([note("one", key="k"), note("two")])[0].repeated
    ledger.close()
    ledger.close()


def test_a_writer_that_failed_says_so_and_syncs_no_more(
    workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def broken(fd: int) -> None:
        tries.append(fd)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", broken)
    with Ledger(workspace) as ledger:
        with pytest.raises(Environment, match="refused to make the journal durable: Input/output error"):
            ledger.append([note("one")])
        with pytest.raises(Environment, match="this writer stopped after a failure"):
            ledger.append([note("two")])
    assert len(tries) == 1
    monkeypatch.undo()
    with Ledger(workspace) as ledger:
        assert ledger.append([note("three")])[0].seq == 3
