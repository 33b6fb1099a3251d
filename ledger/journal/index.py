"""A cache beside the journal: idempotency keys and event ids → the byte at which their line starts.

Trusted only for the position it names, extended by reading what is new, made again when it does not fit or is
broken, safe to delete at any time. So no append reads the whole journal, and no event is read for it twice.
"""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from t2c.ledger.events.draft import content_key
from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.digests import leaf_hash

if TYPE_CHECKING:  # loaded by whoever asks the index, which most commands never do
    import sqlite3

__all__ = ["EventIndex", "Keyed"]

_FORMAT: Final = 3
_ROWS_AT_ONCE: Final = 10_000
_BY_ID: Final = "SELECT offset FROM ids WHERE id = ?"
_BY_KEY: Final = "SELECT offset FROM keys WHERE key = ? AND offset > ? ORDER BY offset"
_WITH_ALIASES: Final = frozenset({"journal.merged", "bundle.imported"})
_EVENT_ID: Final = re.compile(r"EVT-[0-9a-f]{20}")
_TABLES: Final = {
    "place": "seq INTEGER NOT NULL, hash TEXT NOT NULL, offset INTEGER NOT NULL)",
    "keys": "key TEXT NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (key, offset)) WITHOUT ROWID",
    "ids": "id BLOB PRIMARY KEY, offset INTEGER NOT NULL) WITHOUT ROWID",
}


class Keyed(NamedTuple):
    """The event that first carried a key: its receipt and what the key is bound to.

    `content` is None if that cannot be told any more, because its payload was redacted.
    """

    seq: int
    id: str
    hash: str
    offset: int
    content: bytes | None


class _Aliases(msgspec.Struct):
    aliases: list[tuple[str, str]] = []


class EventIndex:
    """The index of one journal, safe for threads. Falls back to memory where its file cannot be used."""

    def __init__(self, path: Path, journal: JournalFile, objects: Objects) -> None:
        self._path = path
        self._journal = journal
        self._objects = objects
        self._guard = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._place: Position | None = None
        self._ledger: str | None = None
        self._failures = 0
        self.wait = 30.0
        """Seconds to wait for another process that extends the same file; after that memory serves."""

    def keyed(self, key: str, head: Position | None = None, content: bytes | None = None) -> Keyed | None:
        """The event up to `head` (default: the journal's) that carries this idempotency key, if any.

        Of several, which only a merge of branches brings together, the one with this content, else the first. The
        answer is read from the journal itself. Raises Corrupt if the journal, or the object of a redactable
        payload, is damaged.
        """
        with self._guard:
            first: Keyed | None = None
            after = -1
            while (offset := self._find(_BY_KEY, (key, after), head)) is not None:
                line = self._journal.line_at(offset)
                found: Keyed | None = None
                with contextlib.suppress(msgspec.DecodeError):
                    entry = decode_entry(line)
                    if entry.key == key:
                        found = Keyed(entry.seq, entry.id, leaf_hash(line), offset, self._content(entry))
                if found is None:
                    self._discard()
                    first, after = None, -1
                    continue
                if content in (None, found.content):
                    return found
                first, after = first or found, offset
        return first

    def offset(self, event_id: str, head: Position | None = None) -> int | None:
        """The byte at which the line of an event starts.

        Ids that it had elsewhere (`origin.id`, those of `former` places, aliases of a merge) resolve too. The line
        itself is asked whether it bears the id: a cache is never the one to say so.
        """
        if not _EVENT_ID.fullmatch(event_id):
            return None
        with self._guard:
            for _ in range(2):
                offset = self._find(_BY_ID, (_packed(event_id),), head)
                if offset is None or self._bears(offset, event_id):
                    return offset
                self._discard()
            return None

    def _bears(self, offset: int, event_id: str) -> bool:
        try:
            names = _names_of(decode_entry(self._journal.line_at(offset)))
        except msgspec.DecodeError:
            return False
        return event_id in names or any(
            there == event_id and here in names
            for entry in self._journal.entries()
            if entry.type in _WITH_ALIASES
            for there, here in _pairs_of(entry)
        )

    def _own(self) -> str | None:
        if self._ledger is None:
            self._ledger = self._journal.ledger()
        return self._ledger

    def _content(self, entry: Entry) -> bytes | None:
        data = bytes(entry.data) if entry.data_hash is None else self._objects.payload(entry.data_hash)
        return None if data is None else content_key(entry.type, entry.v, str(entry.actor), data)

    def close(self) -> None:
        """Let go of the file."""
        with self._guard:
            if self._database is not None:
                _close(self._database, self._path)
            self._database = self._place = None

    def _find(self, query: str, values: tuple[object, ...], head: Position | None) -> int | None:
        import sqlite3

        while True:
            try:
                if self._database is None:
                    self._database = self._open()
                place = self._place
                if head is None or place is None or place != head:
                    place = self._place = self._extend(self._database)
                row = self._database.execute(query, values).fetchone()
            except sqlite3.Error as error:
                if self._failures > 2:
                    raise
                self._discard(busy=getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY)
            else:
                if row is None:
                    return None
                if type(row[0]) is int and 0 <= row[0] < place.offset:
                    return row[0]
                self._discard()

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        target: str | Path = ":memory:" if self._failures > 1 else self._path
        if isinstance(target, Path):
            with contextlib.suppress(OSError):
                target.parent.mkdir(parents=True, exist_ok=True)
        # The writer hands its connection from leader to leader, one at a time.
        database = sqlite3.connect(target, timeout=self.wait, check_same_thread=False, isolation_level=None)
        try:
            # After a power failure it may be older than it was, but whole: a place never outlasts its rows.
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            _lay_out(database)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _discard(self, *, busy: bool = False) -> None:
        """Begin again: once with a new file, after that in memory."""
        self.close()
        self._failures = 2 if busy else self._failures + 1
        if not busy:
            for part in ("-wal", "-shm", ""):
                with contextlib.suppress(OSError):
                    self._path.with_name(self._path.name + part).unlink()

    def _extend(self, database: sqlite3.Connection) -> Position:
        # Two that extend at once must not leave rows behind that the place does not vouch for.
        database.execute("BEGIN IMMEDIATE")
        try:
            place = self._read_on(database, self._start(database))
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
        return place

    def _start(self, database: sqlite3.Connection) -> Position:
        row = database.execute("SELECT seq, hash, offset FROM place").fetchone()
        if (
            row is not None
            and tuple(map(type, row)) == (int, str, int)
            and self._journal.holds(Position(*row))
        ):
            return Position(*row)
        for table in ("place", "keys", "ids"):
            database.execute(f"DELETE FROM {table}")
        return START

    def _read_on(self, database: sqlite3.Connection, place: Position) -> Position:
        ids: list[tuple[bytes, int]] = []
        keys: list[tuple[str, int]] = []
        last: tuple[int, bytes, int] | None = None
        for offset, line, entry in self._journal.lines(place):
            ids += [(_packed(name), offset) for name in _names_of(entry) if _EVENT_ID.fullmatch(name)]
            # Keys of other ledgers bind nobody here.
            if entry.key is not None and (entry.origin is None or entry.is_ours(self._own())):
                keys.append((entry.key, offset))
            if entry.type in _WITH_ALIASES:
                _insert(database, ids, keys)
                ids += _aliased(database, entry)
            last = entry.seq, line, offset + len(line)
            if len(ids) >= _ROWS_AT_ONCE:
                _insert(database, ids, keys)
        if last is None:
            return place
        _insert(database, ids, keys)
        place = Position(last[0], leaf_hash(last[1][:-1]), last[2])
        database.execute("DELETE FROM place")
        database.execute("INSERT INTO place VALUES (?, ?, ?)", place)
        return place


def _close(database: sqlite3.Connection, path: Path) -> None:
    """Close without the two syncs of moving the log into the file, which whoever closes last would have to wait for.

    The log is moved when it has grown. A connection that may only read moves nothing, so it is let be the last.
    """
    import sqlite3

    with contextlib.suppress(sqlite3.Error, OSError):
        (name,) = database.execute("SELECT file FROM pragma_database_list").fetchone()
        if name:
            last = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            try:
                last.execute("SELECT 1 FROM place").fetchone()
                database.close()
            finally:
                last.close()
    database.close()


def _lay_out(database: sqlite3.Connection) -> None:
    """Make the tables, anew if they are of another format."""
    database.execute("BEGIN IMMEDIATE")
    if database.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            database.execute(f'DROP TABLE "{name}"')
        for name, columns in _TABLES.items():
            database.execute(f"CREATE TABLE {name} ({columns}")
        database.execute(f"PRAGMA user_version = {_FORMAT}")
    database.execute("COMMIT")


def _insert(database: sqlite3.Connection, ids: list[tuple[bytes, int]], keys: list[tuple[str, int]]) -> None:
    # The first event that claims a name keeps it; in order, the rows go in faster.
    database.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?)", sorted(ids))
    database.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?)", sorted(keys))
    ids.clear()
    keys.clear()


def _packed(event_id: str) -> bytes:
    return bytes.fromhex(event_id[4:])


def _names_of(entry: Entry) -> tuple[str, ...]:
    """Every id that an event has or had."""
    if entry.origin is None:
        return (entry.id,)
    return (entry.id, *(place.id for place in entry.origin.places))


def _pairs_of(entry: Entry) -> list[tuple[str, str]]:
    """The aliases that the closing event of a merge holds: [id in the other chain, id here]."""
    try:
        return msgspec.json.decode(entry.data, type=_Aliases).aliases
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def _aliased(database: sqlite3.Connection, entry: Entry) -> list[tuple[bytes, int]]:
    """The ids that events taken in cite, and the events here that they stand for."""
    found = []
    for there, here in _pairs_of(entry):
        if _EVENT_ID.fullmatch(there) and _EVENT_ID.fullmatch(here):
            row = database.execute(_BY_ID, (_packed(here),)).fetchone()
            if row is not None:
                found.append((_packed(there), row[0]))
    return found
