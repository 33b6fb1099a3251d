"""Claims: `verify_chain` names each kind of damage by its kind and the lowest seq not proven, in bounded memory, and
never fails or writes.

Mutations seen to fail: block and line path disagreeing; a `prev` compared by the joined text alone; a gap kept open
for ever; recursion that reaches the caller; a long line read whole; an infinite loop when the file shrinks.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.faults import KINDS
from t2c.ledger.journal.position import START
from t2c.ledger.journal.verify import ChainReport, verify_chain

Note = Callable[..., EventDraft]
Lines = list[bytes]
EVENTS = 12


@pytest.fixture(scope="module")
def sound(oracle: Any) -> Lines:
    """A small sound journal, made without t2c: 12 lines without their LF."""
    events = [
        {
            "actor": {"id": "t2c", "kind": "helper"},
            "data": {"statement": f"event {n} żółć", "nested": {"n": n}},
            "trust": "observed",
            "ts": f"2026-01-05T10:00:{n:02}.000Z",
            "type": "observation.noted",
            "v": 1,
        }
        for n in range(1, EVENTS + 1)
    ]
    content: bytes = oracle.mint(events)
    return content.split(b"\n")[:-1]


@pytest.fixture
def verify(tmp_path: Path) -> Callable[[bytes], ChainReport]:
    """The report on a journal of these bytes, after the folder was compared with what it was."""
    path = tmp_path / "journal.ndjson"

    def report(content: bytes) -> ChainReport:
        path.write_bytes(content)
        before = path.stat()
        found = verify_chain(path)
        after = path.stat()
        assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
            before.st_ino,
            before.st_size,
            before.st_mtime_ns,
        )
        assert path.read_bytes() == content
        assert os.listdir(tmp_path) == ["journal.ndjson"]
        assert all(fault.kind in KINDS and fault.detail for fault in found.faults)
        assert found.faults == sorted(set(found.faults))
        return found

    return report


def text(lines: Lines) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def named(report: ChainReport) -> list[tuple[int, str]]:
    return [(fault.seq, fault.kind) for fault in report.faults]


def test_a_sound_journal_has_no_fault_and_the_root_of_its_lines(
    sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
) -> None:
    report = verify(text(sound))
    assert report.faults == []
    assert report.events == EVENTS
    assert report.root == oracle.root([bytes.fromhex(oracle.leaf(line)) for line in sound]).hex()
    assert report.position == (EVENTS, oracle.leaf(sound[-1]), len(text(sound)))


class TestVerdicts:
    def test_an_edited_event(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        for at in range(EVENTS):
            lines = [*sound]
            lines[at] = lines[at].replace(b"event", b"evenT")
            report = verify(text(lines))
            assert named(report) == [(at + 1, "edited")]
            assert f"seq {at + 1}" in report.faults[0].detail
            assert "so it was changed" in report.faults[0].detail

    def test_a_changed_prev(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        lines = [*sound]
        prev = orjson.loads(lines[5])["prev"]
        lines[5] = lines[5].replace(prev.encode(), b"f" * 64)
        report = verify(text(lines))
        assert named(report) == [(5, "edited"), (6, "edited")]
        assert "its prev was changed" in report.faults[0].detail

    def test_a_replaced_event_that_fits_its_own_id(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        lines = [*sound]
        event = orjson.loads(lines[5])
        event["data"]["statement"] = "forged"
        event["id"] = oracle.identity(event)
        lines[5] = oracle.line(event)
        report = verify(text(lines))
        assert named(report) == [(6, "edited")]
        assert "replaced" in report.faults[0].detail

    def test_a_dropped_event(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        for at in range(EVENTS - 1):
            assert named(verify(text(sound[:at] + sound[at + 1 :]))) == [(at + 1, "gap")]

    def test_swapped_events(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        for at in range(EVENTS - 1):
            lines = [*sound]
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
            found = named(verify(text(lines)))
            assert found[0] == (at + 1, "reordered")
            assert all(kind == "reordered" for _, kind in found)

    def test_an_event_moved_to_the_end(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        report = verify(text(sound[:3] + sound[4:] + [sound[3]]))
        assert named(report) == [(4, "reordered")]

    def test_an_event_that_stands_twice_is_reported_where_it_stands_the_second_time(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        for at in range(EVENTS):
            assert named(verify(text(sound[: at + 1] + sound[at:]))) == [(at + 2, "duplicate")]
        assert named(verify(text([*sound[:9], sound[2], *sound[9:]]))) == [(10, "duplicate")]

    def test_a_moved_event_that_stands_twice_is_named_for_both(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        found = named(verify(text(sound[:3] + sound[4:7] + [sound[3], sound[3]] + sound[7:])))
        assert found == [(4, "reordered"), (8, "duplicate")]

    def test_two_writers_that_forked_the_chain(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        other = orjson.loads(sound[5])
        other["data"]["statement"] = "the other writer"
        other["id"] = oracle.identity(other)
        rival = oracle.line(other)
        after = orjson.loads(sound[6])
        after["prev"] = oracle.leaf(rival)
        after["id"] = oracle.identity(after)
        assert named(verify(text([*sound[:6], rival, *sound[6:]]))) == [(7, "fork")]
        # The chain goes on from the second of the two.
        report = verify(text([*sound[:6], rival, oracle.line(after)]))
        assert named(report) == [(6, "fork"), (7, "fork")]
        # Each goes on for itself.
        assert named(verify(text([*sound[:7], rival, oracle.line(after), *sound[7:]])))[0] == (8, "fork")

    def test_a_union_merge_of_two_branches(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        events = [orjson.loads(line) for line in sound]
        for event in events[8:]:
            event["data"]["statement"] += " on the branch"
        branch = oracle.mint(events).split(b"\n")[8:-1]
        assert named(verify(text(sound + branch))) == [(13, "fork")]

    def test_a_chain_that_starts_elsewhere(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        event = orjson.loads(sound[0])
        event["prev"] = "a" * 64
        event["id"] = oracle.identity(event)
        assert named(verify(text([oracle.line(event), *sound[1:]])))[0] == (1, "edited")
        assert (1, "foreign_start") in named(verify(text([oracle.line(event), *sound[1:]])))
        assert named(verify(text(sound[3:]))) == [(1, "gap")]

    def test_the_last_event_is_vouched_for_by_its_own_id(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        changed = [*sound[:-1], sound[-1].replace(b"event", b"evenT")]
        report = verify(text(changed))
        assert named(report) == [(EVENTS, "edited")]
        assert "the last event" in report.faults[0].detail

    def test_a_suffix_made_anew_is_sound_by_itself_and_only_root_and_head_tell(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        events = [orjson.loads(line) for line in sound]
        events[4]["data"]["statement"] = "what the forger wants"
        forged = verify(oracle.mint(events))
        before = verify(text(sound))
        assert forged.faults == []
        assert forged.root != before.root
        assert forged.position.hash != before.position.hash

    def test_a_tail_cut_at_a_line_is_sound_by_itself_and_only_root_and_head_tell(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        cut, before = verify(text(sound[:-2])), verify(text(sound))
        assert cut.faults == []
        assert (cut.root, cut.position) != (before.root, before.position)

    def test_prevs_are_compared_one_by_one(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        """Two wrong ones whose joined text is right: the cut between them moved by a character."""
        first, second = orjson.loads(sound[5]), orjson.loads(sound[6])
        first["prev"], borrowed = first["prev"][:-1], first["prev"][-1]
        first["id"] = oracle.identity(first)
        second["prev"] = borrowed + oracle.leaf(oracle.line(first))
        second["id"] = oracle.identity(second)
        third = orjson.loads(sound[7])
        third["prev"] = oracle.leaf(oracle.line(second))
        third["id"] = oracle.identity(third)
        lines = sound[:5] + [oracle.line(each) for each in (first, second, third)]
        assert named(verify(text(lines))) == [(5, "edited"), (6, "edited")]

    @pytest.mark.parametrize(
        ("numbers", "expected"),
        [
            ([1, 2, 4, 5], [(3, "gap")]),
            ([2, 3, 4], [(1, "gap")]),
            ([1, 2, 2, 3], [(2, "fork"), (3, "fork")]),
            ([1, 2, 1, 3], [(2, "fork"), (3, "fork")]),
        ],
    )
    def test_wrong_numbers_in_a_chain_that_is_linked_right(
        self,
        numbers: list[int],
        expected: list[tuple[int, str]],
        verify: Callable[[bytes], ChainReport],
        oracle: Any,
    ) -> None:
        """What a faulty writer would leave: every prev is right, the seq is not."""
        lines, prev = [], oracle.ZERO
        for seq in numbers:
            event = {"data": {}, "prev": prev, "seq": seq}
            lines.append(oracle.line({**event, "id": oracle.identity(event)}))
            prev = oracle.leaf(lines[-1])
        assert named(verify(text(lines))) == expected

    @pytest.mark.parametrize("strange", [b"\xff", b"\xed\xa0\x80", b"\xc0\x80"])
    def test_a_line_that_is_linked_right_but_is_no_utf_8(
        self, strange: bytes, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        lines, prev = sound[:5], oracle.leaf(sound[4])
        for seq in range(6, 9):
            lines.append(b'{"data":"%b","prev":"%b","seq":%d}' % (strange * (seq == 6), prev.encode(), seq))
            prev = oracle.leaf(lines[-1])
        assert named(verify(text(lines)))[0] == (6, "not_json")

    def test_an_empty_journal_is_a_fault(self, verify: Callable[[bytes], ChainReport]) -> None:
        report = verify(b"")
        assert named(report) == [(1, "empty")]
        assert (report.events, report.position) == (0, START)

    def test_a_missing_journal_is_a_wrong_call(self, tmp_path: Path) -> None:
        with pytest.raises(Usage, match="there is no ledger"):
            verify_chain(tmp_path / "none")


class TestHostileBytes:
    DEEP = b'{"data":' + b"[" * 10_000 + b"]" * 10_000 + b',"prev":"x","seq":1}'

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            (b"", "empty_line"),
            (b"   ", "empty_line"),
            (b"\0" * 9000, "unwritten_blocks"),
            (b"<<<<<<< HEAD", "conflict_marker"),
            (b"=======", "conflict_marker"),
            (b">>>>>>> branch", "conflict_marker"),
            (b"hello", "not_json"),
            (b"[1,2]", "not_json"),
            (b"null", "not_json"),
            (b'{"prev":"x"}', "not_json"),
            (b'{"prev":"x","seq":"4"}', "not_json"),
            (b'{"prev":"x","seq":4.0}', "not_json"),
            (b'{"prev":"x","seq":1e400}', "not_json"),
            (b'{"prev":"x","seq":true}', "not_json"),
            (b'{"prev":"x","seq":-4}', "not_json"),
            (b'{"prev":"x","seq":0}', "not_json"),
            (b'{"prev":"x","seq":' + b"9" * 5000 + b"}", "not_json"),
            (b'{"prev":"\\ud800","seq":4}', "not_json"),
            (b'{"prev":"\xff","seq":4}', "not_json"),
            (b'{"data":"\xff","prev":"x","seq":4}', "not_json"),
            (b'{"data":"\xed\xa0\x80","prev":"x","seq":4}', "not_json"),
            (DEEP, "not_json"),
            (b"[" * 500_000, "not_json"),
            (b'{"prev":"x","seq":4}' + b" " * 3_000_000, "too_long"),
            (b"x" * 3_000_000, "too_long"),
            (b"x" * ((1 << 20) - 1), "not_json"),
            (b"x" * (1 << 20), "too_long"),
        ],
        ids=lambda value: repr(value[:24]) if isinstance(value, bytes) else str(value),
    )
    def test_a_line_that_is_no_event(
        self, line: bytes, kind: str, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        """In the place of an event, between two, and at the end."""
        assert named(verify(text([*sound[:3], line, *sound[4:]]))) == [(4, kind)]
        assert named(verify(text([*sound[:3], line, *sound[3:]]))) == [(4, kind)]
        assert named(verify(text([*sound, line]))) == [(EVENTS + 1, kind)]

    def test_several_lines_in_the_place_of_one(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        found = named(verify(text([*sound[:3], b"<<<<<<< a", b"=======", b"", b">>>>>>> b", *sound[4:]])))
        assert found == [(4, "conflict_marker"), (4, "empty_line"), (4, "gap")]

    def test_two_empty_lines_at_the_end(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        assert named(verify(text(sound) + b"\n\n")) == [(EVENTS + 1, "empty_line")]

    def test_a_hundred_thousand_empty_lines_are_one_fault(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        assert named(verify(text(sound) + b"\n" * 100_000)) == [(EVENTS + 1, "empty_line")]

    def test_an_edit_beside_an_empty_line_is_seen_too(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        edited = sound[3].replace(b"event", b"evenT")
        found = named(verify(text([*sound[:3], edited, b"", *sound[4:]])))
        assert found == [(4, "edited"), (5, "empty_line")]

    def test_a_byte_order_mark(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        report = verify(b"\xef\xbb\xbf" + text(sound))
        assert named(report) == [(1, "bom")]
        assert "the first bytes changed" in report.faults[0].detail

    def test_other_first_bytes(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        assert named(verify(b"x" + text(sound))) == [(1, "first_bytes")]

    def test_windows_line_ends_are_one_fault_that_hides_nothing(
        self, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        report = verify(text(sound).replace(b"\n", b"\r\n"))
        assert named(report) == [(1, "crlf")]
        assert f"{EVENTS} lines" in report.faults[0].detail
        assert report.root == verify(text(sound)).root
        lines = [line + b"\r" for line in sound]
        lines[6] = lines[6].replace(b"event", b"evenT")
        assert named(verify(text(lines))) == [(1, "crlf"), (7, "edited")]
        assert named(verify(text([*sound[:4], sound[4] + b"\r", *sound[5:]]))) == [(5, "crlf")]
        assert named(verify(text([*sound[:-1], sound[-1] + b"\r"]))) == [(EVENTS, "crlf")]

    def test_two_lines_glued_together(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        for at in range(EVENTS - 1):
            lines = [*sound[:at], sound[at] + sound[at + 1], *sound[at + 2 :]]
            assert verify(text(lines)).faults[0].seq == at + 1

    def test_one_line_broken_in_two(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        for at in range(EVENTS):
            lines = [*sound[:at], sound[at][:50], sound[at][50:], *sound[at + 1 :]]
            assert verify(text(lines)).faults[0].seq == at + 1

    def test_an_event_of_the_future_is_no_fault(
        self, sound: Lines, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        events = [orjson.loads(line) for line in sound]
        events[3] |= {"type": "some.day", "v": 99, "zeal": [1, {"x": None}]}
        assert verify(oracle.mint(events)).faults == []

    @pytest.mark.parametrize("end", [b"{", b"\0" * 143_000, b"x" * 3_000_000])
    def test_a_torn_end_behind_a_damaged_line(
        self, end: bytes, sound: Lines, verify: Callable[[bytes], ChainReport]
    ) -> None:
        report = verify(text([*sound[:-1], b"damage"]) + end)
        assert report.faults[0].seq == EVENTS
        assert [fault.kind for fault in report.faults][-1] in ("torn_tail", "not_json", "too_long")

    def test_a_torn_first_event(self, sound: Lines, verify: Callable[[bytes], ChainReport]) -> None:
        report = verify(sound[0][:40])
        assert named(report) == [(1, "torn_tail")]
        assert "restore the journal" in report.faults[0].detail

    def test_many_far_gaps_cost_no_memory_and_many_swaps_no_time(
        self, verify: Callable[[bytes], ChainReport], oracle: Any
    ) -> None:
        far = [b'{"prev":"x","seq":%d}' % (n * 100_000) for n in range(1, 20_001)]
        assert len(verify(text(far)).faults) >= 20_000
        swapped = [b'{"prev":"x","seq":%d}' % (n ^ 1) for n in range(2, 40_002)]
        started = time.process_time()
        assert len(verify(text(swapped)).faults) >= 20_000
        assert time.process_time() - started < 5


MEASURE = """
import resource, sys
from pathlib import Path
from t2c.ledger.journal.verify import verify_chain
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
report = verify_chain(Path(sys.argv[1]))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(report.faults), report.faults[0].seq, report.faults[0].kind, report.events, (after - before) // 1024)
"""


def test_a_line_of_a_hundred_megabytes_is_named_in_little_memory(
    sound: Lines, tmp_path: Path, spawn: Callable[..., Any]
) -> None:
    path = tmp_path / "journal.ndjson"
    with path.open("wb") as stream:
        stream.write(text(sound[:6]))
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
        stream.write(b"\n" + text(sound[7:]))
    child = spawn(MEASURE, path)
    faults, seq, kind, events, grown = child.communicate()[0].split()
    assert child.returncode == 0
    assert (faults, seq, kind, events) == ("1", "7", "too_long", str(EVENTS - 1))
    assert int(grown) < 20


@pytest.fixture(scope="module")
def long(oracle: Any) -> bytes:
    dice = random.Random(7)
    events = [
        {
            "actor": {"id": "t2c", "kind": "helper"},
            "data": {"pad": "ż" * dice.choice((1, 50, 400, 3000)), "n": n},
            "trust": "observed",
            "ts": "2026-01-05T10:00:00.000Z",
            "type": "observation.noted",
            "v": 1,
        }
        for n in range(900)
    ]
    events[400]["data"]["pad"] = "y" * 900_000
    events[401]["data"]["pad"] = "y" * 1_000_000
    content: bytes = oracle.mint(events)
    return content


class TestWalk:
    """Whatever the block borders, the answer is that of a walk line by line."""

    def test_a_long_journal_is_walked_whole_and_visited_in_order(
        self, long: bytes, tmp_path: Path, oracle: Any
    ) -> None:
        path = tmp_path / "journal.ndjson"
        path.write_bytes(long)
        seen: list[tuple[int, bytes]] = []
        report = verify_chain(path, visit=lambda seq, line: seen.append((seq, line)))
        lines = long.split(b"\n")[:-1]
        assert report.faults == []
        assert seen == list(enumerate(lines, 1))
        assert report.root == oracle.root([bytes.fromhex(oracle.leaf(line)) for line in lines]).hex()

    def test_damage_anywhere_is_named_and_the_rest_still_visited(self, long: bytes, tmp_path: Path) -> None:
        path = tmp_path / "journal.ndjson"
        lines = long.split(b"\n")[:-1]
        for at in (0, 57, 399, 400, 401, 402, 640, 898):
            changed = [*lines]
            changed[at] = changed[at].replace(b'"n"', b'"m"')
            path.write_bytes(text(changed))
            seen: list[int] = []
            report = verify_chain(path, visit=lambda seq, line: seen.append(seq))  # noqa: B023
            assert named(report) == [(at + 1, "edited")]
            assert seen == list(range(1, 901))

    def test_progress_is_told_in_bytes_and_never_beyond_all(self, tmp_path: Path, oracle: Any) -> None:
        path = tmp_path / "journal.ndjson"
        pad = "x" * 900_000
        path.write_bytes(oracle.mint([{"data": pad, "n": n} for n in range(45)]))
        told: list[tuple[int, int]] = []
        verify_chain(path, progress=lambda done, size: told.append((done, size)))
        size = path.stat().st_size
        assert told
        assert told == sorted(told)
        assert all(0 < done <= size == whole for done, whole in told)

    def test_a_file_that_shrinks_while_it_is_read_ends_the_walk(self, long: bytes, tmp_path: Path) -> None:
        path = tmp_path / "journal.ndjson"
        path.write_bytes(long)

        def shrink(seq: int, line: bytes) -> None:
            if seq == 1:
                os.truncate(path, 600_000)

        report = verify_chain(path, visit=shrink)
        assert report.faults[0].kind in ("shrank", "not_json", "torn_tail")
        assert "shrank" in {fault.kind for fault in report.faults}

    def test_a_writer_at_work_is_no_torn_tail(self, workspace: Path, note: Note) -> None:
        """Bytes seen half written are looked at again before they are called torn."""
        path = workspace / "journal.ndjson"
        wrong: list[Any] = []
        with Ledger(workspace, hold=True, durability="none") as ledger:
            line = b""
            ledger.append([note("one")])
            line = path.read_bytes().splitlines(keepends=True)[1]
            ledger.close()
            whole = path.read_bytes()
            path.write_bytes(whole[: -len(line) // 2])
            thread = threading.Timer(0.03, lambda: path.write_bytes(whole))
            thread.start()
            wrong = verify_chain(path).faults
            thread.join()
        assert wrong == []
