"""Claim: whatever happens to the bytes of a journal, `verify_chain` reports the lowest seq not proven, and nothing
that a reader or writer does with it fails otherwise than by name.

Mutations seen to fail: the id of the last line not recomputed; an edit under an unreadable line not named; a fault
reported one seq too high.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.verify import ChainReport, verify_chain

EVENTS = 12


@pytest.fixture(scope="module")
def sound(note: Callable[..., EventDraft], new_journal: Callable[[Path], Any]) -> bytes:
    """A journal of t2c's own, with everything that an envelope may hold."""
    with tempfile.TemporaryDirectory() as folder:
        chain = new_journal(Path(folder) / JOURNAL)
        with Ledger(Path(folder)) as ledger:
            first = ledger.append([note("one żółć"), note("two", key="k")])
            ledger.append([note("three", cause=(first[0].id,), run="r")])
            ledger.append([note("four"), note("five"), note("six")], atomic=True)
            ledger.append([note(str(n)) for n in range(EVENTS - 7)])
        content: bytes = chain.path.read_bytes()
        assert verify_chain(chain.path).faults == []
    return content


def report_on(content: bytes, folder: str) -> ChainReport:
    path = Path(folder) / JOURNAL
    path.write_bytes(content)
    return verify_chain(path)


def seq_of(content: bytes, at: int) -> int:
    """The seq of the event whose line, LF included, holds byte `at`."""
    return content.count(b"\n", 0, at) + 1


def lowest_unproven(content: bytes, at: int) -> int:
    """What a change of byte `at` may leave unproven at the lowest: a changed `prev` speaks against the line before."""
    seq = seq_of(content, at)
    start = content.rfind(b"\n", 0, at) + 1
    prev = content.rfind(b',"prev":"', start, content.index(b"\n", at) if content[at] != 10 else at)
    in_prev = start < prev < at < prev + len(b',"prev":"') + 64
    return max(1, seq - 1) if in_prev else seq


@settings(max_examples=250)
@given(st.data())
def test_any_flipped_bit_is_found_at_its_event(sound: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sound) - 1), label="byte")
    bit = data.draw(st.integers(0, 7), label="bit")
    changed = bytearray(sound)
    changed[at] ^= 1 << bit
    with tempfile.TemporaryDirectory() as folder:
        report = report_on(bytes(changed), folder)
    assert report.faults, "a changed journal was called sound"
    assert report.faults[0].seq in (lowest_unproven(sound, at), seq_of(sound, at))


def test_every_byte_of_the_last_two_lines_counts(sound: bytes, tmp_path: Path) -> None:
    """No later line vouches for the last one; the line before it is the last that is vouched for."""
    start = sound.rfind(b"\n", 0, sound.rfind(b"\n", 0, -1)) + 1
    for at in range(start, len(sound)):
        changed = bytearray(sound)
        changed[at] ^= 1
        report = report_on(bytes(changed), str(tmp_path))
        assert report.faults, at
        assert report.faults[0].seq in (lowest_unproven(sound, at), seq_of(sound, at)), at


@given(st.data())
def test_dropped_swapped_doubled_and_strange_lines_are_found_where_the_first_stands_wrong(
    sound: bytes, data: st.DataObject
) -> None:
    lines = sound.split(b"\n")[:-1]
    at = data.draw(st.integers(0, EVENTS - 1), label="line")
    deed = data.draw(st.sampled_from(["drop", "swap", "double", "copy", "insert", "cut"]), label="deed")
    wrong_at = at + 1
    if deed == "drop":
        at = min(at, EVENTS - 2)
        wrong_at = at + 1
        del lines[at]
    elif deed == "swap":
        other = data.draw(st.integers(0, EVENTS - 1).filter(lambda n: n != at), label="other")
        lines[at], lines[other] = lines[other], lines[at]
        wrong_at = min(at, other) + 1
    elif deed == "double":
        lines.insert(at, lines[at])
        wrong_at = at + 2
    elif deed == "copy":
        to = data.draw(st.integers(0, EVENTS).filter(lambda n: n not in (at, at + 1)), label="to")
        lines.insert(to, lines[at])
        wrong_at = to + 1
    elif deed == "insert":
        lines.insert(
            at, data.draw(st.binary(max_size=60).filter(lambda line: b"\n" not in line), label="strange")
        )
    else:
        length = data.draw(st.integers(0, len(lines[at]) - 1), label="length")
        lines[at] = lines[at][:length]
    with tempfile.TemporaryDirectory() as folder:
        report = report_on(b"".join(line + b"\n" for line in lines), folder)
    assert report.faults
    assert report.faults[0].seq == wrong_at


@given(st.data())
def test_a_suffix_linked_anew_is_found_where_the_old_part_ends(
    sound: bytes, oracle: Any, data: st.DataObject
) -> None:
    """A forger who makes every later hash again, but cannot change what was there before."""
    import json

    lines = sound.split(b"\n")[:-1]
    at = data.draw(st.integers(1, EVENTS - 1), label="first forged line")
    other = data.draw(st.binary(min_size=32, max_size=32), label="another prev").hex()
    prev, forged = other, []
    for line in lines[at:]:
        event = json.loads(line) | {"prev": prev}
        event["id"] = oracle.identity(event)
        forged.append(oracle.line(event))
        prev = oracle.leaf(forged[-1])
    with tempfile.TemporaryDirectory() as folder:
        report = report_on(b"".join(line + b"\n" for line in lines[:at] + forged), folder)
    assert [(fault.seq, fault.kind) for fault in report.faults] == [(at, "edited")]


fragments = st.sampled_from([
    b"\n", b"\r\n", b"\0" * 40, b"\xef\xbb\xbf", b"\xff", b"{", b"}", b'"', b"[" * 2000, b"1e400", b"\\ud800",
    b"<<<<<<< HEAD\n", b'{"prev":"x","seq":5}\n', b'"batch":[1,2],', b"{}\n", b" ",
])  # fmt: skip


@settings(max_examples=150)
@given(st.data())
@example(data=None)
def test_nothing_fails_otherwise_than_by_name(
    sound: bytes, note: Callable[..., EventDraft], data: st.DataObject | None
) -> None:
    """Verify, readers and the writer, on bytes that were spliced, cut and filled with what is hostile."""
    content = b""
    if data is not None:
        content = sound
        for _ in range(data.draw(st.integers(1, 3), label="changes")):
            start = data.draw(st.integers(0, len(content)), label="from")
            stop = data.draw(st.integers(start, min(len(content), start + 400)), label="to")
            put = data.draw(fragments | st.binary(max_size=30), label="put")
            content = content[:start] + put + content[stop:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / JOURNAL
        report = report_on(content, folder)
        assert path.read_bytes() == content
        assert report.faults or content in (sound, sound[: report.position.offset])
        with Ledger(Path(folder)) as ledger:
            for act in (
                lambda: list(ledger.entries()),
                ledger.id,
                ledger.head,
                lambda: [ledger.journal.position(seq) for seq in range(14)],
                lambda: ledger.index.offset("EVT-" + "0" * 20),
                lambda: ledger.append([note("after", key="after")]),
            ):
                try:
                    act()
                except T2cError as refused:
                    assert refused.code in (2, 3, 4, 5)
        # Whatever the writer did, no complete line was lost: what it cut, it kept.
        kept = path.read_bytes() + b"".join(torn.read_bytes() for torn in Path(folder).glob("*.torn-*"))
        assert all(line in kept for line in content.split(b"\n"))
