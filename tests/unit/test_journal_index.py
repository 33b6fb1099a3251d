"""Claims: the index is only a cache. Deleted, broken, stale or foreign, the answers stay right, and none of them
costs more of the journal than what is new.

Mutations seen to fail: the place trusted without its hash; rows kept when the place does not fit; a broken page raised
to the caller; the answer taken from the row and not from the line.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Corrupt
from t2c.ledger.events.draft import EventDraft

Note = Callable[..., EventDraft]


@pytest.fixture
def filled(workspace: Path, note: Note) -> Path:
    """A ledger of 120 keyed events, closed, with its index."""
    with Ledger(workspace) as ledger:
        ledger.append([note(f"event {n}", key=f"k{n}") for n in range(120)])
        assert ledger.append([note("event 7", key="k7")])[0].repeated
    return workspace


def index_of(workspace: Path) -> Path:
    return workspace / "cache" / "index.sqlite"


def answers_rightly(workspace: Path, note: Note) -> None:
    with Ledger(workspace) as ledger:
        again = ledger.append([note("event 7", key="k7")])[0]
        assert (again.seq, again.repeated) == (9, True)
        assert ledger.journal.line_at(again.offset).startswith(b'{"actor"')
        assert ledger.index.offset(again.id) == again.offset
        with pytest.raises(Conflict):
            ledger.append([note("other", key="k7")])
        fresh = str(ledger.head().seq)
        assert not ledger.append([note("new", key=fresh)])[0].repeated
        assert ledger.append([note("new", key=fresh)])[0].repeated


def test_the_index_answers(filled: Path, note: Note) -> None:
    answers_rightly(filled, note)


def test_it_may_be_deleted(filled: Path, note: Note) -> None:
    shutil.rmtree(filled / "cache")
    answers_rightly(filled, note)


@pytest.mark.parametrize("content", [b"", b"not a database", b"\0" * 8192, b"SQLite format 3\0" + b"x" * 500])
def test_it_may_be_garbage(content: bytes, filled: Path, note: Note) -> None:
    index_of(filled).write_bytes(content)
    answers_rightly(filled, note)


@pytest.mark.parametrize("page", [0, 1, 2, 3, 4, 5])
def test_any_page_of_it_may_be_broken(page: int, filled: Path, note: Note) -> None:
    with index_of(filled).open("r+b") as stream:
        stream.seek(page * 4096 + (100 if page == 0 else 0))
        stream.write(b"\xff" * 3000)
    answers_rightly(filled, note)


@pytest.mark.parametrize(
    "tampered",
    [
        "UPDATE keys SET offset = 0 WHERE key = 'k7'",
        "UPDATE keys SET offset = offset + 1",
        "UPDATE keys SET offset = 1 << 60",
        "UPDATE keys SET offset = (SELECT offset FROM keys WHERE key = 'k8') WHERE key = 'k7'",
        "UPDATE keys SET offset = 'x' WHERE key = 'k7'",
        "UPDATE place SET hash = '" + "0" * 64 + "'",
        "UPDATE place SET seq = seq - 1",
        "UPDATE place SET seq = 'x'",
        "UPDATE place SET hash = x'00'",
        "UPDATE place SET offset = offset - 1",
        "UPDATE place SET offset = 1 << 62",
        "UPDATE place SET offset = -5",
        "PRAGMA user_version = 1; UPDATE ids SET id = hex(id)",
        "DROP TABLE keys; CREATE TABLE other (x)",
        "DELETE FROM place",
        "DROP TABLE keys",
        "DROP TABLE ids",
        "DROP TABLE place",
        "DROP TABLE keys; CREATE TABLE keys (key TEXT PRIMARY KEY, seq INTEGER)",
        "DROP TABLE place; CREATE TABLE place (seq INTEGER)",
    ],
)
def test_its_rows_may_be_wrong(tampered: str, filled: Path, note: Note) -> None:
    database = sqlite3.connect(index_of(filled))
    database.executescript(tampered)
    database.close()
    answers_rightly(filled, note)


def test_it_may_be_of_another_ledger(filled: Path, note: Note, tmp_path: Path) -> None:
    other = tmp_path / "other" / ".t2c"
    create(other)
    with Ledger(other) as ledger:
        ledger.append([note("elsewhere", key="k7")] + [note(f"event {n}", key=f"x{n}") for n in range(200)])
        ledger.append([note("elsewhere", key="k7")])
    shutil.copy(index_of(other), index_of(filled))
    answers_rightly(filled, note)


def test_it_may_be_older_than_the_journal(filled: Path, note: Note, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copy(index_of(filled), kept)
    with Ledger(filled) as ledger:
        ledger.append([note("later", key="later")])
        ledger.append([note("later", key="later")])
    shutil.copy(kept, index_of(filled))
    with Ledger(filled) as ledger:
        assert ledger.append([note("later", key="later")])[0].repeated
    answers_rightly(filled, note)


def test_it_may_be_newer_than_the_journal(filled: Path, note: Note) -> None:
    """The journal was brought back from an older copy: what is no longer there binds no key."""
    journal = filled / "journal.ndjson"
    older = journal.read_bytes()
    with Ledger(filled) as ledger:
        lost = ledger.append([note("later", key="later")])[0]
        ledger.append([note("later", key="later")])
        assert ledger.index.offset(lost.id) is not None
    journal.write_bytes(older)
    with Ledger(filled) as ledger:
        assert ledger.index.offset(lost.id) is None
        assert not ledger.append([note("something else", key="later")])[0].repeated
    answers_rightly(filled, note)


def test_it_may_be_of_another_branch_of_the_same_ledger(filled: Path, note: Note) -> None:
    journal = filled / "journal.ndjson"
    common = journal.read_bytes()
    with Ledger(filled) as ledger:
        lost = ledger.append([note("on the other branch")])[0]
        assert ledger.index.offset(lost.id) == lost.offset
    journal.write_bytes(common)
    with Ledger(filled) as ledger:
        kept = ledger.append([note("on this branch " * 20), note("and more")])
        assert ledger.index.offset(lost.id) is None
        assert [ledger.index.offset(receipt.id) for receipt in kept] == [receipt.offset for receipt in kept]


def test_a_folder_in_its_place_or_none_that_can_be_made_costs_only_time(filled: Path, note: Note) -> None:
    shutil.rmtree(filled / "cache")
    (filled / "cache").write_bytes(b"in the way")
    answers_rightly(filled, note)
    (filled / "cache").unlink()
    index_of(filled).mkdir(parents=True)
    answers_rightly(filled, note)


def test_one_that_somebody_else_keeps_locked_costs_only_time(filled: Path, note: Note) -> None:
    busy = sqlite3.connect(index_of(filled), isolation_level=None)
    busy.execute("BEGIN EXCLUSIVE")
    try:
        with Ledger(filled) as ledger:
            ledger.index.wait = 0.05
            assert ledger.append([note("event 7", key="k7")])[0].repeated
    finally:
        busy.close()
    answers_rightly(filled, note)


def test_an_append_with_a_key_reads_only_what_is_new(filled: Path, note: Note) -> None:
    """An early line is made unreadable behind its back: reading the journal again would stumble over it."""
    journal = filled / "journal.ndjson"
    with Ledger(filled) as ledger:
        ledger.append([note("event 7", key="k7")])
        sound = journal.read_bytes()
        early = sound.index(b"event 60")
        with journal.open("r+b") as stream:
            stream.seek(early)
            stream.write(b'"' * 8)
        receipts = [ledger.append([note(f"later {n}", key=f"l{n}")])[0] for n in range(3)]
        assert ledger.append([note("later 1", key="l1")])[0] == structs.replace(receipts[1], repeated=True)
        assert ledger.append([note("event 7", key="k7")])[0].repeated
    with Ledger(filled) as ledger:
        assert ledger.append([note("later 1", key="l1")])[0].repeated
    shutil.rmtree(filled / "cache")
    with Ledger(filled) as ledger, pytest.raises(Corrupt):
        ledger.append([note("later 1", key="l1")])


def test_threads_may_ask_while_others_write(ledger: Ledger, note: Note) -> None:
    wrong: list[object] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            known = ledger.index.keyed("first")
            if known is None or known.seq != 2 or ledger.index.offset(known.id) != known.offset:
                wrong.append(known)

    ledger.append([note("first", key="first")])
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(30):
        ledger.append([note(str(n), key=str(n)), note("answer", cause=(0,))])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert ledger.index._failures == 0


def test_ids_are_found_and_nonsense_is_not(filled: Path) -> None:
    with Ledger(filled) as ledger:
        for entry, offset in zip(ledger.entries(), _offsets(filled / "journal.ndjson"), strict=True):
            assert ledger.index.offset(entry.id) == offset
        for nonsense in ("", "EVT-", "EVT-" + "g" * 20, "EVT-" + "0" * 20, "EVT-" + "0" * 21, "\udc80"):
            assert ledger.index.offset(nonsense) is None
        assert ledger.index.keyed("no such key") is None


def _offsets(journal: Path) -> list[int]:
    offsets, at = [], 0
    for line in journal.read_bytes().splitlines(keepends=True):
        offsets.append(at)
        at += len(line)
    return offsets


def test_nothing_is_left_open(filled: Path, note: Note) -> None:
    folder = Path("/proc/self/fd") if Path("/proc/self/fd").exists() else Path("/dev/fd")
    before = len(os.listdir(folder))
    for hold in (False, True):
        with Ledger(filled, hold=hold) as ledger:
            ledger.append([note("event 7", key="k7"), note("x")])
            ledger.index.offset("EVT-" + "0" * 20)
            next(iter(ledger.entries()))
    assert len(os.listdir(folder)) == before


def test_an_index_that_names_another_event_is_not_believed(ledger: Ledger, note: Note) -> None:
    first, second = ledger.append([note("a"), note("b")])
    assert ledger.index.offset(first.id) == first.offset
    ledger.index.close()
    with sqlite3.connect(ledger.cache / "index.sqlite") as database:
        database.execute("UPDATE ids SET offset = ?", (second.offset,))
    database.close()
    assert ledger.index.offset(first.id) == first.offset
    assert ledger.index.offset(second.id) == second.offset
