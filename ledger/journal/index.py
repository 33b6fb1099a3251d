"""A cache beside the journal: idempotency keys and event ids → where they stand.

Trusted only for the position it names, extended by reading what is new, rebuilt when it does not fit, safe to
delete at any time. So no append ever reads the whole journal, and no event is read for it twice.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.events.draft import content_key
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["EventIndex", "Keyed"]

_FORMAT: Final = 1
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS place (format INTEGER, seq INTEGER, hash TEXT, offset INTEGER)",
    (
        "CREATE TABLE IF NOT EXISTS keys"
        " (key TEXT PRIMARY KEY, seq INTEGER, id TEXT, hash TEXT, content BLOB) WITHOUT ROWID"
    ),
    "CREATE TABLE IF NOT EXISTS ids (id TEXT PRIMARY KEY, offset INTEGER) WITHOUT ROWID",
)


class Keyed(NamedTuple):
    """The event that first carried a key: its receipt and what the key is bound to."""

    seq: int
    id: str
    hash: str
    content: bytes


class _Origin(msgspec.Struct):
    id: str


class EventIndex:
    """The index of one journal. Falls back to memory where its file cannot be used."""

    def __init__(self, path: Path, journal: JournalFile) -> None:
        self._path = path
        self._journal = journal
        self._database: sqlite3.Connection | None = None
        self._place: Position | None = None

    def keyed(self, key: str, head: Position | None = None) -> Keyed | None:
        """The event up to `head` (default: the journal's) that carries this idempotency key, if any."""
        database = self._current(head)
        row = database.execute("SELECT seq, id, hash, content FROM keys WHERE key = ?", (key,)).fetchone()
        return None if row is None else Keyed(*row)

    def offset(self, event_id: str, head: Position | None = None) -> int | None:
        """The byte at which the line of an event starts; ids before a merge (`origin.id`) resolve too."""
        database = self._current(head)
        row = database.execute("SELECT offset FROM ids WHERE id = ?", (event_id,)).fetchone()
        return None if row is None else int(row[0])

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
            self._place = None

    def _current(self, head: Position | None) -> sqlite3.Connection:
        if self._database is None:
            self._database = self._open()
        if head is None or self._place != head:
            self._place = self._extend(self._database)
        return self._database

    def _open(self) -> sqlite3.Connection:
        for target in (self._path, self._path, ":memory:"):
            database = None
            try:
                if isinstance(target, Path):
                    target.parent.mkdir(parents=True, exist_ok=True)
                # The writer hands its connection from leader to leader, one at a time.
                database = sqlite3.connect(target, timeout=30, check_same_thread=False)
                database.execute("PRAGMA synchronous = OFF")
                for statement in _TABLES:
                    database.execute(statement)
                database.commit()
            except (sqlite3.Error, OSError):
                if database is not None:
                    database.close()
                with contextlib.suppress(OSError):
                    self._path.unlink()
            else:
                return database
        raise AssertionError("a database in memory always opens")

    def _extend(self, database: sqlite3.Connection) -> Position:
        row = database.execute("SELECT format, seq, hash, offset FROM place").fetchone()
        place = Position(*row[1:]) if row is not None and row[0] == _FORMAT else START
        if place == START or not self._journal.holds(place):
            place = START
            for table in ("place", "keys", "ids"):
                database.execute(f"DELETE FROM {table}")
        ids: list[tuple[str, int]] = []
        keys: list[tuple[str, int, str, str, bytes]] = []
        last: tuple[int, bytes, int] | None = None
        for offset, line, entry in self._journal.lines(place):
            ids.append((entry.id, offset))
            if entry.origin is not None:
                ids.append((msgspec.json.decode(entry.origin, type=_Origin).id, offset))
            if entry.key is not None:
                content = content_key(entry.type, entry.v, str(entry.actor), bytes(entry.data))
                keys.append((entry.key, entry.seq, entry.id, leaf_hash(line[:-1]), content))
            last = (entry.seq, line, offset + len(line))
        if last is not None:
            place = Position(last[0], leaf_hash(last[1][:-1]), last[2])
            database.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?)", ids)
            database.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?)", keys)
            database.execute("DELETE FROM place")
            database.execute("INSERT INTO place VALUES (?, ?, ?, ?)", (_FORMAT, *place))
        database.commit()
        return place
