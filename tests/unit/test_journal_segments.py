"""Sealed segments: the chain runs on over them, offsets count over all of them, and no reader sees a seam."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Corrupt, Environment
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import SealRule, listed, seal_segment
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.clock import FixedClock
from t2c.ledger.kernel.digests import leaf_hash

Note = Callable[..., Any]
RULE = SealRule(bytes=2000, events=8)


def opened(workspace: Path, **options: Any) -> Ledger:
    return Ledger(workspace, rule=RULE, durability="none", **options)


def names(workspace: Path) -> list[str]:
    return [segment.path.name for segment in listed(workspace / "segments")]


def whole(workspace: Path) -> bytes:
    parts = [segment.path.read_bytes() for segment in listed(workspace / "segments")]
    return b"".join([*parts, (workspace / "journal.ndjson").read_bytes()])


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 1, 5, 10, tzinfo=UTC))


@pytest.fixture
def sealed(workspace: Path, note: Note) -> Path:
    """A ledger of 50 events in several segments."""
    with opened(workspace, hold=True) as ledger:
        for number in range(49):
            ledger.append([note(f"n{number}")])
    return workspace


class TestSealing:
    def test_the_file_is_sealed_at_a_multiple_once_it_is_large_enough(self, sealed: Path) -> None:
        found = listed(sealed / "segments")
        assert len(found) >= 3
        assert found[0].first == 1
        for before, after in pairwise(found):
            assert after.first == before.last + 1
        for segment in found:
            assert segment.last % RULE.events == 0
            assert segment.size >= RULE.bytes
            text = segment.path.read_bytes()
            assert text.endswith(b"\n")
            assert text.count(b"\n") == segment.last - segment.first + 1

    def test_a_commit_across_the_multiple_is_cut_there(self, workspace: Path, note: Note) -> None:
        with opened(workspace, hold=True) as ledger:
            for first in range(0, 60, 5):
                receipts = ledger.append([note(f"n{first + k}") for k in range(5)])
            assert ledger.head() == Position(61, receipts[-1].hash, len(whole(workspace)))
        assert all(int(name[13:25]) % 8 == 0 for name in names(workspace))
        assert (workspace / "journal.ndjson").read_bytes()
        assert verify_chain(workspace / "journal.ndjson").faults == []

    def test_the_bytes_are_those_of_a_journal_in_one_file(
        self, tmp_path: Path, note: Note, clock: Any
    ) -> None:
        one, many = tmp_path / "one" / ".t2c", tmp_path / "many" / ".t2c"
        create(one, clock=clock)
        many.mkdir(parents=True)
        (many / "journal.ndjson").write_bytes((one / "journal.ndjson").read_bytes())
        for workspace, rule in ((one, SealRule()), (many, RULE)):
            with Ledger(workspace, clock=clock, rule=rule, durability="none") as ledger:
                for number in range(30):
                    ledger.append([note(f"n{number}")])
        assert names(many) and not names(one)
        assert whole(many) == (one / "journal.ndjson").read_bytes()

    def test_another_writer_goes_on_where_the_first_one_sealed(self, workspace: Path, note: Note) -> None:
        with opened(workspace, hold=True) as first, opened(workspace, hold=True) as second:
            for number in range(40):
                (first if number % 3 else second).append([note(f"n{number}")])
            assert first.head().seq == 41
        assert len(names(workspace)) >= 2
        assert verify_chain(workspace / "journal.ndjson").faults == []

    def test_an_empty_active_file_is_no_new_ledger(self, sealed: Path, note: Note) -> None:
        with opened(sealed) as ledger:
            known, last = ledger.id(), ledger.head().seq
            while (sealed / "journal.ndjson").stat().st_size:
                last = ledger.append([note("more")])[0].seq
            assert ledger.head().seq == last
        again = create(sealed)
        assert (again.ledger, again.made) == (known, False)
        with opened(sealed) as ledger:
            assert ledger.append([note("on")])[0].seq == last + 1
        assert verify_chain(sealed / "journal.ndjson").faults == []

    def test_a_failing_disk_leaves_the_file_for_the_next_place(
        self, workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(self: Path, *args: Any, **options: Any) -> None:
            raise OSError(28, "No space left on device")

        with opened(workspace, hold=True) as ledger:
            with monkeypatch.context() as patch:
                patch.setattr(Path, "mkdir", full)
                for number in range(15):
                    ledger.append([note(f"n{number}")])
            assert names(workspace) == []
            for number in range(15):
                ledger.append([note(f"m{number}")])
        assert names(workspace) == ["000000000001-000000000024.ndjson"]
        assert verify_chain(workspace / "journal.ndjson").events == 31

    def test_a_sync_that_fails_while_sealing_stops_the_writer(
        self, workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(fd: int) -> None:
            raise OSError(5, "Input/output error")

        with opened(workspace, hold=True) as ledger:
            ledger.append([note(f"n{number}") for number in range(6)])
            with monkeypatch.context() as patch:
                patch.setattr(os, "fdatasync", broken)
                ledger.append([note(f"m{number}") for number in range(4)])
            with pytest.raises(Environment, match="stopped after a failure"):
                ledger.append([note("more")])


class TestCutShort:
    """A crash between any two steps of sealing leaves a whole journal, and the next append ends the sealing."""

    @pytest.fixture
    def halfway(self, workspace: Path, note: Note) -> tuple[Path, bytes]:
        with Ledger(workspace, durability="none") as ledger:
            ledger.append([note(f"n{number}") for number in range(19)])
        journal = workspace / "journal.ndjson"
        text = journal.read_bytes()
        cut = sum(len(line) for line in text.splitlines(keepends=True)[:16])
        fd = os.open(journal, os.O_RDONLY)
        seal_segment(journal, fd, workspace / "segments", 1, 16, cut)
        os.close(fd)
        journal.write_bytes(text)  # as before the last step
        return workspace, text

    def test_readers_see_each_event_once(self, halfway: tuple[Path, bytes]) -> None:
        workspace, text = halfway
        journal = JournalFile(workspace / "journal.ndjson")
        assert names(workspace) == ["000000000001-000000000016.ndjson"]
        assert b"".join(line for _, line, _ in journal.lines()) == text
        assert verify_chain(journal).faults == []

    def test_the_next_append_ends_it(self, halfway: tuple[Path, bytes], note: Note) -> None:
        workspace, text = halfway
        with opened(workspace) as ledger:
            assert ledger.append([note("on")])[0].seq == 21
        assert whole(workspace).startswith(text)
        assert (workspace / "journal.ndjson").read_bytes().count(b"\n") == 5
        assert verify_chain(workspace / "journal.ndjson").faults == []

    def test_a_segment_that_holds_something_else_stops_it(
        self, halfway: tuple[Path, bytes], note: Note
    ) -> None:
        workspace, text = halfway
        (segment,) = listed(workspace / "segments")
        segment.path.write_bytes(segment.path.read_bytes().replace(b"n3", b"n4"))
        with opened(workspace) as ledger, pytest.raises(Corrupt, match="different events"):
            ledger.append([note("on")])
        assert (workspace / "journal.ndjson").read_bytes() == text

    def test_a_left_over_copy_is_stepped_over(self, workspace: Path, note: Note) -> None:
        (workspace / "segments").mkdir()
        (workspace / "segments" / ".000000000001-000000000008.ndjson.tmp").write_bytes(b"half a li")
        with opened(workspace, hold=True) as ledger:
            for number in range(20):
                ledger.append([note(f"n{number}")])
        assert names(workspace)[0] == "000000000001-000000000008.ndjson"
        assert verify_chain(workspace / "journal.ndjson").faults == []


class TestReading:
    def test_every_event_is_found_by_seq_by_byte_and_by_time(self, sealed: Path) -> None:
        journal = JournalFile(sealed / "journal.ndjson")
        text = whole(sealed)
        seen = list(journal.lines())
        assert [entry.seq for _, _, entry in seen] == list(range(1, 51))
        assert b"".join(line for _, line, _ in seen) == text
        for offset, line, entry in seen:
            after = Position(entry.seq, leaf_hash(line[:-1]), offset + len(line))
            assert text[offset : offset + len(line)] == line
            assert journal.position(entry.seq) == after
            assert journal.holds(after)
            assert journal.line_at(offset) == line[:-1]
            assert [each.seq for each in journal.entries(after)] == list(range(entry.seq + 1, 51))
        assert journal.position(51) is None
        assert journal.position(0) == START
        assert [entry.seq for entry in journal.many([offset for offset, _, _ in reversed(seen)])] == list(
            range(50, 0, -1)
        )
        assert not journal.holds(Position(8, "0" * 64, seen[7][0]))

    def test_time_is_found_as_by_looking_at_every_event(
        self, workspace: Path, note: Note, clock: Any
    ) -> None:
        with Ledger(workspace, clock=clock, rule=RULE, durability="none") as ledger:
            for number in range(40):
                clock.instant += timedelta(seconds=number % 3)
                ledger.append([note(f"n{number}")])
            every = [entry.ts for entry in ledger.entries()]
            for ts in {*every, "2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z", every[9][:-2] + "5Z"}:
                assert ledger.journal.at_time(ts).seq == sum(each <= ts for each in every), ts

    def test_an_old_reader_goes_on_over_a_sealing(self, workspace: Path, note: Note) -> None:
        with opened(workspace, hold=True) as ledger:
            ledger.append([note(f"n{number}") for number in range(10)])
            reading = ledger.journal.lines()
            assert next(reading)[2].seq == 1
            for number in range(30):
                ledger.append([note(f"m{number}")])
            assert names(workspace)
            assert [entry.seq for _, _, entry in reading] == list(range(2, 12))

    def test_readers_and_a_sealing_writer_at_once(self, workspace: Path, note: Note) -> None:
        stop = threading.Event()
        seen: list[int] = []
        wrong: list[Exception] = []

        def read() -> None:
            while not stop.is_set():
                try:
                    found = [entry.seq for entry in JournalFile(workspace / "journal.ndjson").entries()]
                    assert found == list(range(1, len(found) + 1))
                    seen.append(len(found))
                except Exception as error:  # noqa: BLE001 - shown below
                    wrong.append(error)
                    return

        reader = threading.Thread(target=read)
        reader.start()
        try:
            with opened(workspace, hold=True) as ledger:
                for number in range(200):
                    ledger.append([note(f"n{number}")])
        finally:
            stop.set()
            reader.join()
        assert wrong == []
        assert seen == sorted(seen)

    def test_a_torn_end_behind_segments_is_set_aside(self, sealed: Path, note: Note) -> None:
        journal = sealed / "journal.ndjson"
        size = len(whole(sealed))
        with journal.open("ab") as stream:
            stream.write(b'{"actor":{"id":"torn')
        report = verify_chain(journal)
        assert [(fault.seq, fault.kind) for fault in report.faults] == [(51, "torn_tail")]
        with opened(sealed) as ledger:
            ledger.append([note("on")])
            repaired = next(entry for entry in ledger.entries() if entry.type == "journal.repaired")
        assert b'"offset":%d' % size in bytes(repaired.data)
        assert (sealed / f"journal.ndjson.torn-{size}").read_bytes() == b'{"actor":{"id":"torn'
        assert verify_chain(journal).faults == []

    def test_an_active_file_that_holds_nothing_but_a_torn_end(self, sealed: Path, note: Note) -> None:
        with opened(sealed) as ledger:
            while (sealed / "journal.ndjson").stat().st_size:
                ledger.append([note("more")])
            head = ledger.head()
        (sealed / "journal.ndjson").write_bytes(b'{"actor":{"id":"t')
        with opened(sealed) as ledger:
            assert ledger.head() == head
            assert ledger.append([note("on")])[0].seq == head.seq + 2
        assert verify_chain(sealed / "journal.ndjson").faults == []


class TestVerify:
    def test_damage_in_a_segment_is_named_as_anywhere(self, sealed: Path) -> None:
        second = listed(sealed / "segments")[1]
        lines = second.path.read_bytes().splitlines(keepends=True)
        lines[2] = lines[2].replace(b'"trust":"', b'"trust":"x')
        second.path.write_bytes(b"".join(lines))
        faults = verify_chain(sealed / "journal.ndjson").faults
        assert [(fault.seq, fault.kind) for fault in faults] == [(second.first + 2, "edited")]

    def test_a_missing_segment_is_a_gap(self, sealed: Path, note: Note) -> None:
        second = listed(sealed / "segments")[1]
        second.path.unlink()
        faults = verify_chain(sealed / "journal.ndjson").faults
        assert [(fault.seq, fault.kind) for fault in faults] == [(second.first, "gap")]
        with pytest.raises(Corrupt, match=f"from seq {second.first - 1} to seq {second.last + 1}"):
            list(JournalFile(sealed / "journal.ndjson").entries())

    def test_a_segment_without_its_end(self, sealed: Path) -> None:
        first = listed(sealed / "segments")[0]
        os.truncate(first.path, first.size - 5)
        kinds = [fault.kind for fault in verify_chain(sealed / "journal.ndjson").faults]
        assert "segment_cut" in kinds

    def test_a_name_is_a_claim_like_any_other(self, sealed: Path) -> None:
        last = listed(sealed / "segments")[-1]
        last.path.rename(last.path.with_name(f"{last.first:012d}-{last.last - 1:012d}.ndjson"))
        faults = verify_chain(sealed / "journal.ndjson").faults
        assert [(fault.seq, fault.kind) for fault in faults] == [(last.first, "segment_name")]

    def test_what_was_proven_of_segments_is_not_read_again(self, sealed: Path, tmp_path: Path) -> None:
        journal, cache = sealed / "journal.ndjson", tmp_path / "proven.msgpack"
        plain = verify_chain(journal)
        first = verify_chain(journal, cache=cache)
        again = verify_chain(journal, cache=cache)
        last = listed(sealed / "segments")[-1].last
        assert (first.trusted, again.trusted) == (0, last)
        assert plain.root == first.root == again.root
        assert (plain.events, plain.position) == (again.events, again.position)
        wanted = listed(sealed / "segments")[0].last
        halfway = verify_chain(journal, cache=cache, sizes=[wanted, 49])
        assert halfway.trusted == last
        assert halfway.roots == verify_chain(journal, sizes=[wanted, 49]).roots
        inside = verify_chain(journal, cache=cache, sizes=[wanted + 1])
        assert inside.trusted == wanted
        assert inside.roots == verify_chain(journal, sizes=[wanted + 1]).roots

    def test_a_segment_that_changed_is_read_again(self, sealed: Path, tmp_path: Path) -> None:
        journal, cache = sealed / "journal.ndjson", tmp_path / "proven.msgpack"
        verify_chain(journal, cache=cache)
        second = listed(sealed / "segments")[1]
        text = second.path.read_bytes()
        second.path.write_bytes(text.replace(b'"trust":"', b'"trust":"x', 1))
        report = verify_chain(journal, cache=cache)
        assert report.trusted == listed(sealed / "segments")[0].last
        assert [fault.kind for fault in report.faults] == ["edited"]
        cache.write_bytes(b"garbage")
        assert verify_chain(journal, cache=cache).trusted == 0

    def test_roots_at_sizes_on_the_way(self, sealed: Path, oracle: Any) -> None:
        leaves = [bytes.fromhex(oracle.leaf(line)) for line in whole(sealed).split(b"\n")[:-1]]
        report = verify_chain(sealed / "journal.ndjson", sizes=[1, 7, 16, 33, 50, 99])
        assert report.roots == {size: oracle.root(leaves[:size]) for size in (1, 7, 16, 33, 50)}


class TestHalves:
    """Two processes give the answer of one."""

    @pytest.fixture
    def long(self, workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch) -> JournalFile:
        from t2c.ledger.journal import stretch

        monkeypatch.setattr(stretch, "_WORTH", 100_000)
        monkeypatch.setattr(stretch, "_ALIGNED", 256)
        with Ledger(workspace, rule=SealRule(200_000, 256), durability="none", hold=True) as ledger:
            for first in range(0, 3000, 100):
                ledger.append([note(f"n{first + k} ".ljust(100, "x")) for k in range(100)])
        assert len(names(workspace)) >= 3
        return ledger.journal

    @pytest.fixture
    def joined(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """Where a second half was taken over."""
        from t2c.ledger.journal.walk import Walk

        found: list[int] = []
        join = Walk.join

        def noted(self: Walk, line: bytes, last: Position, *rest: Any) -> None:
            found.append(self.last.seq)
            join(self, line, last, *rest)

        monkeypatch.setattr(Walk, "join", noted)
        return found

    def test_the_report_is_the_same(self, long: JournalFile, joined: list[int]) -> None:
        sizes = [1, 255, 256, 1500, 1537, 2999, 3001]
        one = verify_chain(long, sizes=sizes)
        two = verify_chain(long, sizes=sizes, processes=2)
        assert joined and 256 < joined[0] < 3000 and joined[0] % 256 == 0
        assert two == one
        assert one.faults == []

    @pytest.mark.parametrize("at", [10, 1500, 2900, 3000])
    def test_damage_in_either_half_is_named_the_same(
        self, long: JournalFile, joined: list[int], at: int
    ) -> None:
        position = long.position(at)
        assert position is not None
        parts = [segment.path for segment in listed(long.segments)] + [long.path]
        text = b"".join(path.read_bytes() for path in parts)
        for path in parts[:-1]:
            path.unlink()
        cut = position.offset
        line = text[:cut].rsplit(b"\n", 2)[1]
        long.path.write_bytes(
            text[: cut - len(line) - 1] + line.replace(b"xx", b"xy", 1) + b"\n" + text[cut:]
        )
        one = verify_chain(long)
        assert [(fault.seq, fault.kind) for fault in one.faults] == [(at, "edited")]
        assert verify_chain(long, processes=2) == one

    def test_a_second_process_that_dies_costs_only_time(
        self, long: JournalFile, joined: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.executable", "/bin/false")
        assert verify_chain(long, processes=2) == verify_chain(long)
        assert joined == []


class TestAppendAll:
    def test_every_batch_is_acknowledged_in_order(self, workspace: Path, note: Note) -> None:
        got: list[list[int]] = []
        with Ledger(workspace, hold=True, rule=RULE) as ledger:
            batches = ([note(f"n{first + k}") for k in range(7)] for first in range(0, 70, 7))
            ledger.append_all(batches, lambda receipts: got.append([receipt.seq for receipt in receipts]))
            assert ledger.append([note("after")])[0].seq == 72
        assert got == [list(range(first, first + 7)) for first in range(2, 72, 7)]
        assert len(names(workspace)) >= 2
        assert verify_chain(workspace / "journal.ndjson").faults == []

    def test_nothing_is_acknowledged_before_its_sync(
        self, workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        story: list[str] = []
        sync = os.fdatasync

        def slow(fd: int) -> None:
            sync(fd)
            story.append("synced")

        monkeypatch.setattr(os, "fdatasync", slow)
        with Ledger(workspace, hold=True) as ledger:
            ledger.append_all(([note(f"n{n}")] for n in range(5)), lambda receipts: story.append("told"))
        assert story.count("told") == 5
        for at, word in enumerate(story):
            if word == "told":
                assert story[:at].count("synced") > story[:at].count("told")

    def test_a_failed_sync_is_never_acknowledged(
        self, workspace: Path, note: Note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[int] = []
        calls: list[int] = []
        sync = os.fdatasync

        def broken(fd: int) -> None:
            calls.append(fd)
            if len(calls) == 3:
                raise OSError(5, "Input/output error")
            sync(fd)

        monkeypatch.setattr(os, "fdatasync", broken)
        with Ledger(workspace, hold=True) as ledger:
            with pytest.raises(Environment, match="refused to make the journal durable"):
                ledger.append_all(([note(f"n{n}")] for n in range(9)), lambda got: told.append(got[0].seq))
            assert told == [2, 3]
            with pytest.raises(Environment, match="stopped after a failure"):
                ledger.append([note("more")])

    def test_a_refused_batch_ends_it_and_those_before_are_told(self, workspace: Path, note: Note) -> None:
        told: list[int] = []
        with Ledger(workspace, hold=True) as ledger:
            with pytest.raises(Exception, match="other content"):
                ledger.append_all(
                    ([note(text, key="k" if text in "bd" else None)] for text in "abcde"),
                    lambda got: told.append(got[0].seq),
                )
            assert told == [2, 3, 4]
            assert ledger.head().seq == 4
            ledger.append([note("on")])
        assert verify_chain(workspace / "journal.ndjson").faults == []

    def test_other_threads_wait(self, workspace: Path, note: Note) -> None:
        with Ledger(workspace, hold=True) as ledger:
            threads = [
                threading.Thread(
                    target=ledger.append_all,
                    args=([[note(f"t{k}-{n}") for n in range(3)] for _ in range(4)],),
                )
                for k in range(6)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert ledger.head().seq == 1 + 6 * 12
        assert verify_chain(workspace / "journal.ndjson").faults == []
