"""Claims: events are found by seq, offset and position; reading stops before an unfinished end and repairs nothing;
only what nobody was ever told of is set aside, and it is kept.

Mutations seen to fail: a batch cut by the word of its last line alone; reading that goes on into an incomplete batch;
`holds` without the hash, without the seq; a saved fragment recorded twice; zero bytes called a torn line.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain

Note = Callable[..., EventDraft]


@pytest.fixture
def journal(ledger: Ledger, note: Note) -> JournalFile:
    """Eight events of very different lengths: genesis, four notes, and a batch of three."""
    ledger.append([note("a"), note("b" * 9000), note("c", key="k"), note("d" * 90_000)])
    ledger.append([note("e"), note("f" * 5000), note("g")], atomic=True)
    ledger.close()
    return ledger.journal


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and the moment of its last change."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class TestFinding:
    def test_every_seq_is_found_by_bisection_and_no_other(self, journal: JournalFile) -> None:
        content = journal.path.read_bytes()
        end = 0
        for seq, line in enumerate(content.splitlines(keepends=True), 1):
            end += len(line)
            expected = Position(seq, hashlib.sha256(b"\0" + line[:-1]).hexdigest(), end)
            assert journal.position(seq) == expected
            assert journal.holds(expected)
        assert journal.position(0) == START
        assert journal.position(9) is journal.position(-1) is journal.position(10**30) is None
        assert journal.head() == journal.position(8)

    def test_a_long_journal_is_bisected_and_not_walked(self, workspace: Path, note: Note) -> None:
        with Ledger(workspace, durability="none") as ledger:
            for first in range(0, 3000, 500):
                ledger.append([note(str(n) * (1 + n % 50)) for n in range(first + 1, first + 501)])
            for seq, entry in enumerate(ledger.entries(), 1):
                if seq % 97 == 0 or seq < 4:
                    found = ledger.journal.position(seq)
                    assert found is not None
                    assert entry.seq == found.seq == seq
                    follower = next(ledger.entries(found), None)
                    assert follower is None or (follower.seq, follower.prev) == (seq + 1, found.hash)

    def test_a_position_holds_until_anything_before_it_in_its_line_changes(
        self, journal: JournalFile
    ) -> None:
        sound = journal.path.read_bytes()
        positions = [found for seq in range(1, 9) if (found := journal.position(seq))]
        for place in positions:
            for wrong in (
                place._replace(seq=place.seq + 1),
                place._replace(hash="0" * 64),
                place._replace(offset=place.offset - 1),
                place._replace(offset=place.offset + 1),
                place._replace(offset=0),
                place._replace(offset=-1),
                place._replace(offset=1 << 70),
            ):
                assert not journal.holds(wrong)
        for place in positions[1:]:
            changed = bytearray(sound)
            changed[place.offset - 40] ^= 1
            journal.path.write_bytes(changed)
            assert not journal.holds(place)
            assert journal.holds(positions[0])
        journal.path.write_bytes(sound[: positions[3].offset])
        assert [journal.holds(place) for place in positions] == [True] * 4 + [False] * 4
        journal.path.write_bytes(sound[: positions[7].offset - 1] + b"x")
        assert not journal.holds(positions[7])

    def test_events_are_read_from_a_position_up_to_a_seq(self, journal: JournalFile) -> None:
        third = journal.position(3)
        assert [entry.seq for entry in journal.entries()] == list(range(1, 9))
        assert [entry.seq for entry in journal.entries(third)] == [4, 5, 6, 7, 8]
        assert [entry.seq for entry in journal.entries(third, 5)] == [4, 5]
        assert [entry.seq for entry in journal.entries(third, 3)] == []
        assert list(journal.entries(journal.head())) == []
        for offset, line, entry in journal.lines():
            assert journal.line_at(offset) + b"\n" == line
            assert [found.id for found in journal.many([offset])] == [entry.id]
        offsets = [offset for offset, _, _ in journal.lines()]
        assert [entry.seq for entry in journal.many(reversed(offsets))] == list(range(8, 0, -1))

    def test_what_is_appended_while_reading_is_not_seen(self, ledger: Ledger, note: Note) -> None:
        ledger.append([note("a"), note("b")])
        reading = ledger.entries()
        seen = [next(reading).seq]
        ledger.append([note("c")])
        seen += [entry.seq for entry in reading]
        assert seen == [1, 2, 3]

    def test_a_missing_journal_is_a_wrong_call_and_an_unreadable_one_an_environment(
        self, tmp_path: Path
    ) -> None:
        with pytest.raises(Usage, match="there is no ledger"):
            JournalFile(tmp_path / "none").head()
        (tmp_path / "folder").mkdir()
        os.mkfifo(tmp_path / "pipe")
        for name in ("folder", "pipe"):
            with pytest.raises(Environment, match="it is not a file"):
                JournalFile(tmp_path / name).head()
            with pytest.raises(Environment, match="it is not a file"):
                verify_chain(tmp_path / name)
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(Usage, match="there is no ledger"):
            JournalFile(tmp_path / "file" / "journal").head()


class TestDamage:
    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            (lambda line: b"not json", "not an event"),
            (lambda line: line.replace(b'"seq":3', b'"seq":4'), "from seq 2 to seq 4"),
            (lambda line: line.replace(b'"seq":3', b'"seq":"3"'), "not an event"),
            (lambda line: b'{"data":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "nested too deeply"),
            (
                lambda line: line.replace(b'"data"', b'"d\xff"', 1).replace(b'"id":"t2c"', b'"id":"\xff"'),
                "not an event",
            ),
            (lambda line: line + b" " * (1 << 20), "longer than a line may be"),
        ],
    )
    def test_reading_stops_at_the_first_damaged_line(
        self, damage: Callable[[bytes], bytes], said: str, journal: JournalFile
    ) -> None:
        lines = journal.path.read_bytes().split(b"\n")
        lines[2] = damage(lines[2])
        journal.path.write_bytes(b"\n".join(lines))
        seen = []
        with pytest.raises(Corrupt, match=said) as caught:
            for entry in journal.entries():
                seen.append(entry.seq)
        assert seen == [1, 2]
        assert caught.value.where == "seq 3"
        assert caught.value.remedy is not None


TAILS = {
    "half a line": (b'{"actor":{"id":"t2c","ki', "torn_line", "torn_tail"),
    "one byte": (b"{", "torn_line", "torn_tail"),
    "zeros": (b"\0" * 9000, "unwritten_blocks", "torn_tail"),
    "half a line and zeros": (b'{"actor":{' + b"\0" * 143_000, "unwritten_blocks", "torn_tail"),
    "two megabytes": (b"x" * 2_000_000, "torn_line", "torn_tail"),
}


class TestUnfinishedEnd:
    @pytest.mark.parametrize("name", TAILS)
    def test_reading_stops_before_it_and_verify_names_it_and_neither_writes(
        self, name: str, ledger: Ledger, note: Note
    ) -> None:
        ledger.append([note("one"), note("two", key="k")])
        head = ledger.head()
        ledger.close()
        content, cause, kind = TAILS[name]
        with ledger.journal.path.open("ab") as stream:
            stream.write(content)
        before = snapshot(ledger.workspace)
        assert [entry.seq for entry in ledger.entries()] == [1, 2, 3]
        assert ledger.head() == head
        assert ledger.journal.position(3) == head
        overhang = ledger.journal.tail().overhang
        assert overhang is not None
        assert (overhang.offset, overhang.length, overhang.cause) == (head.offset, len(content), cause)
        report = verify_chain(ledger.journal.path)
        assert [(fault.seq, fault.kind) for fault in report.faults] == [(4, kind)]
        assert (report.events, report.position) == (3, head)
        assert snapshot(ledger.workspace) == before

    @pytest.mark.parametrize("name", TAILS)
    def test_the_next_append_sets_it_aside_keeps_it_and_says_so(
        self, name: str, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        ledger.append([note("one")])
        sound = ledger.journal.path.read_bytes()
        content, cause, _ = TAILS[name]
        with ledger.journal.path.open("ab") as stream:
            stream.write(content)
        receipts = ledger.append([note("two")])
        assert receipts[0].seq == 4
        events = oracle.check(ledger.journal.path)
        assert ledger.journal.path.read_bytes().startswith(sound)
        saved = f"journal.ndjson.torn-{len(sound)}"
        assert events[2]["type"] == "journal.repaired"
        assert events[2]["data"] == {
            "offset": len(sound),
            "length": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "cause": cause,
            "saved_as": saved,
        }
        assert (ledger.workspace / saved).read_bytes() == content
        assert verify_chain(ledger.journal.path).faults == []

    def test_opening_to_append_repairs_even_if_there_is_nothing_to_append(
        self, ledger: Ledger, oracle: Any
    ) -> None:
        with ledger.journal.path.open("ab") as stream:
            stream.write(b"torn")
        assert ledger.append([]) == []
        assert [event["type"] for event in oracle.check(ledger.journal.path)] == [
            "journal.opened",
            "journal.repaired",
        ]
        size = ledger.journal.path.stat().st_size
        ledger.append([])
        assert ledger.journal.path.stat().st_size == size

    def test_a_repair_makes_no_callers_head_stale(self, ledger: Ledger, note: Note) -> None:
        from t2c.ledger.journal.append import Expected

        head = ledger.head()
        with ledger.journal.path.open("ab") as stream:
            stream.write(b"torn")
        assert ledger.append([note("x")], expected=Expected(head.seq, head.hash))[0].seq == 3

    @pytest.mark.parametrize("kept", [1, 2])
    @pytest.mark.parametrize("rest", [b"", b'{"actor":{"id"', b"\0" * 500])
    def test_an_incomplete_batch_counts_for_nothing(
        self, kept: int, rest: bytes, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        ledger.append([note("before")])
        sound = ledger.journal.path.read_bytes()
        ledger.append([note("one"), note("two"), note("three")], atomic=True)
        whole = ledger.journal.path.read_bytes()
        ledger.close()
        lines = whole.splitlines(keepends=True)
        cut = b"".join(lines[: 2 + kept]) + rest
        ledger.journal.path.write_bytes(cut)
        before = snapshot(ledger.workspace)
        assert [entry.seq for entry in ledger.entries()] == [1, 2]
        report = verify_chain(ledger.journal.path)
        assert [(fault.seq, fault.kind) for fault in report.faults] == [(3, "incomplete_batch")]
        assert report.events == 2
        assert snapshot(ledger.workspace) == before
        ledger.append([note("after")])
        events = oracle.check(ledger.journal.path)
        assert [event["type"] for event in events[2:]] == ["journal.repaired", "observation.noted"]
        assert events[2]["data"]["cause"] == "incomplete_batch"
        assert (ledger.workspace / events[2]["data"]["saved_as"]).read_bytes() == cut[len(sound) :]

    def test_a_complete_batch_at_the_end_is_left_alone(self, journal: JournalFile) -> None:
        assert journal.tail().overhang is None
        assert journal.head().seq == 8

    @pytest.mark.parametrize(
        "claim", ["[1,2]", "[2,3]", "[7,9]", "[1000000000,2000000000]", "[0,5]", "[-1,4]"]
    )
    def test_the_word_of_a_last_line_alone_cuts_nothing(self, claim: str, ledger: Ledger, note: Note) -> None:
        """One changed member must not be enough to make the writer cut acknowledged events."""
        ledger.append([note(str(n)) for n in range(8)])
        ledger.close()
        lines = ledger.journal.path.read_bytes().split(b"\n")
        lines[8] = lines[8].replace(b',"data"', b',"batch":%b,"data"' % claim.encode(), 1)
        ledger.journal.path.write_bytes(b"\n".join(lines))
        before = snapshot(ledger.workspace)
        with pytest.raises(Corrupt, match="batch"):
            ledger.append([note("x")])
        assert [(fault.seq, fault.kind) for fault in verify_chain(ledger.journal.path).faults] == [
            (9, "edited")
        ]
        assert snapshot(ledger.workspace) == before

    @pytest.mark.parametrize("claim", [b'"a"', b"[1]", b"[1,2,3]", b'["a",2]', b"[1.5,2]", b"{}", b"7"])
    def test_a_batch_that_is_no_pair_is_damage(self, claim: bytes, ledger: Ledger, note: Note) -> None:
        ledger.append([note("x")])
        ledger.close()
        path = ledger.journal.path
        path.write_bytes(
            path.read_bytes().replace(b'},"data":{"about"', b'},"batch":%b,"data":{"about"' % claim)
        )
        with pytest.raises(Corrupt):
            ledger.append([note("x")])
        with pytest.raises(Corrupt):
            ledger.head()
        assert [fault.seq for fault in verify_chain(path).faults] == [2]

    def test_a_batch_that_was_forged_whole_is_the_most_that_can_be_cut(
        self, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        """Who can mint ids can write an unfinished batch: it is set aside, never lost."""
        ledger.append([note("one"), note("two")])
        events = oracle.check(ledger.journal.path)
        events[1]["batch"], events[2]["batch"] = [1, 3], [2, 3]
        forged = oracle.mint(events)
        ledger.journal.path.write_bytes(forged)
        ledger.append([note("three")])
        after = oracle.check(ledger.journal.path)
        assert (ledger.workspace / after[1]["data"]["saved_as"]).read_bytes() in forged

    @pytest.mark.parametrize("claim", [[2, 3], [3, 4], [4, 9]])
    def test_a_last_line_that_was_forged_to_be_a_part_cuts_nothing_before_it(
        self, claim: list[int], ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        """It fits its own id, but the lines before it are parts of another batch."""
        ledger.append([note("one"), note("two")], atomic=True)
        ledger.append([note("last")])
        events = oracle.check(ledger.journal.path)
        events[-1]["batch"] = claim
        forged = oracle.mint(events)
        ledger.journal.path.write_bytes(forged)
        with pytest.raises(Corrupt, match="does not hang together"):
            ledger.append([note("next")])
        assert ledger.journal.path.read_bytes() == forged

    def test_an_unfinished_batch_behind_an_unfinished_batch_is_damage(
        self, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        ledger.append([note("one"), note("two")])
        events = oracle.check(ledger.journal.path)
        events[1]["batch"], events[2]["batch"] = [1, 3], [1, 3]
        ledger.journal.path.write_bytes(oracle.mint(events))
        with pytest.raises(Corrupt, match="does not hang together"):
            ledger.append([note("three")])


class TestCrashDuringRepair:
    """The states that a crash between saving, cutting and recording leaves on disk."""

    TORN = b'{"actor":{"id":"torn'

    def finish(self, ledger: Ledger, note: Note, oracle: Any) -> list[dict[str, Any]]:
        ledger.append([note("next")])
        return [
            event["data"]
            for event in oracle.check(ledger.journal.path)
            if event["type"] == "journal.repaired"
        ]

    def test_saved_but_not_cut(self, ledger: Ledger, note: Note, oracle: Any) -> None:
        path = ledger.journal.path
        end = path.stat().st_size
        path.with_name(f"journal.ndjson.torn-{end}").write_bytes(self.TORN)
        with path.open("ab") as stream:
            stream.write(self.TORN)
        repairs = self.finish(ledger, note, oracle)
        assert [repair["saved_as"] for repair in repairs] == [f"journal.ndjson.torn-{end}"]
        assert len(list(ledger.workspace.glob("*.torn-*"))) == 1

    def test_half_saved(self, ledger: Ledger, note: Note, oracle: Any) -> None:
        path = ledger.journal.path
        end = path.stat().st_size
        path.with_name(f".journal.ndjson.torn-{end}.tmp").write_bytes(self.TORN[:5])
        with path.open("ab") as stream:
            stream.write(self.TORN)
        (repair,) = self.finish(ledger, note, oracle)
        assert (ledger.workspace / repair["saved_as"]).read_bytes() == self.TORN

    def test_cut_but_not_recorded(self, ledger: Ledger, note: Note, oracle: Any) -> None:
        path = ledger.journal.path
        end = path.stat().st_size
        path.with_name(f"journal.ndjson.torn-{end}").write_bytes(self.TORN)
        (repair,) = self.finish(ledger, note, oracle)
        assert repair == {
            "offset": end,
            "length": len(self.TORN),
            "sha256": hashlib.sha256(self.TORN).hexdigest(),
            "cause": "torn_line",
            "saved_as": f"journal.ndjson.torn-{end}",
        }
        assert self.finish(ledger, note, oracle) == [repair]

    def test_torn_again_at_the_same_byte(self, ledger: Ledger, note: Note, oracle: Any) -> None:
        """The first repair was cut but not recorded, and the line that would have recorded it was torn too."""
        path = ledger.journal.path
        end = path.stat().st_size
        path.with_name(f"journal.ndjson.torn-{end}").write_bytes(self.TORN)
        with path.open("ab") as stream:
            stream.write(b"another fragment")
        repairs = self.finish(ledger, note, oracle)
        names = [f"journal.ndjson.torn-{end}", f"journal.ndjson.torn-{end}-2"]
        assert [repair["saved_as"] for repair in repairs] == names
        assert (ledger.workspace / names[1]).read_bytes() == b"another fragment"

    def test_what_is_recorded_is_not_recorded_again(self, ledger: Ledger, note: Note, oracle: Any) -> None:
        with ledger.journal.path.open("ab") as stream:
            stream.write(self.TORN)
        assert len(self.finish(ledger, note, oracle)) == 1
        ledger.close()
        with Ledger(ledger.workspace) as again:
            assert len(self.finish(again, note, oracle)) == 1

    def test_an_empty_or_unreadable_copy_stops_nobody_for_ever(
        self, ledger: Ledger, note: Note, oracle: Any
    ) -> None:
        path = ledger.journal.path
        copy = path.with_name(f"journal.ndjson.torn-{path.stat().st_size}")
        copy.mkdir()
        with pytest.raises(Environment, match="saved fragment of the journal cannot be read"):
            ledger.append([note("x")])
        copy.rmdir()
        copy.write_bytes(b"")
        assert self.finish(ledger, note, oracle) == []

    def test_too_many_copies_of_one_byte_are_left_to_a_person(self, ledger: Ledger, note: Note) -> None:
        path = ledger.journal.path
        end = path.stat().st_size
        for suffix in ["", *(f"-{number}" for number in range(2, 10))]:
            path.with_name(f"journal.ndjson.torn-{end}{suffix}").write_bytes(b"old")
        with path.open("ab") as stream:
            stream.write(self.TORN)
        with pytest.raises(Environment, match="too many saved fragments"):
            ledger.append([note("x")])
        assert path.read_bytes().endswith(self.TORN)


def test_the_lines_of_a_journal_are_plain_json(journal: JournalFile) -> None:
    assert [orjson.loads(line)["seq"] for line in journal.path.read_bytes().splitlines()] == list(range(1, 9))
