"""The index of ids and keys on disk, compared with one that is made anew from the journal.

Both are looked at outside the workspace, since even a reader of the file leaves traces beside it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import msgspec

from t2c.cli.actions.ondisk import Compared
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.index import EventIndex
from t2c.ledger.journal.position import Position

if TYPE_CHECKING:
    import sqlite3

__all__ = ["compare_index"]

_FILE: Final = ".t2c/cache/index.sqlite"
_PARTS: Final = ("", "-wal", "-journal")
_TRIES: Final = 3
_TABLES: Final = (("ids", "id"), ("keys", "key"))


def compare_index(ledger: Ledger, target: Position) -> list[Compared]:
    """How the index on disk differs from the journal; nothing if there is none. Writes outside the workspace alone."""
    import sqlite3

    source = ledger.cache / "index.sqlite"
    if not source.exists():
        return []
    try:
        with TemporaryDirectory(prefix="t2c-") as folder:
            copy = Path(folder) / "kept.sqlite"
            if not _copied(source, copy):
                return [Compared(_FILE, None, "skipped", "somebody is writing to it")]
            anew = Path(folder) / "anew.sqlite"
            index = EventIndex(anew, ledger.journal, ledger.objects)
            index.offset("EVT-" + "0" * 20)
            index.close()
            return _compared(ledger, copy, anew, target)
    except sqlite3.Error as error:
        return [Compared(_FILE, None, "differs", f"cannot be read as an index: {error}")]
    except OSError as error:
        return [Compared(_FILE, None, "skipped", f"it cannot be copied: {error.strerror}")]


def _copied(source: Path, copy: Path) -> bool:
    """Copy a database with its log, as of one moment; False if it does not stand still."""
    for _ in range(_TRIES):
        before = _states(source)
        for part in _PARTS:
            beside, target = source.with_name(source.name + part), copy.with_name(copy.name + part)
            target.unlink(missing_ok=True)
            if beside.exists():
                shutil.copyfile(beside, target)
        if _states(source) == before:
            return True
    return False


def _states(source: Path) -> list[tuple[int, int, int] | None]:
    found: list[tuple[int, int, int] | None] = []
    for part in _PARTS:
        try:
            state = source.with_name(source.name + part).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((state.st_ino, state.st_size, state.st_mtime_ns))
    return found


def _compared(ledger: Ledger, copy: Path, anew: Path, target: Position) -> list[Compared]:
    import sqlite3

    database = sqlite3.connect(copy)
    try:
        database.execute("ATTACH ? AS anew", (str(anew),))
        formats = [
            database.execute(f"PRAGMA {schema}.user_version").fetchone() for schema in ("main", "anew")
        ]
        if formats[0] != formats[1]:
            return [
                Compared(_FILE, None, "stale", f"of format {formats[0][0]}, which this version makes anew")
            ]
        row = database.execute("SELECT seq, hash, offset FROM main.place").fetchone()
        if row is None:
            return [Compared(_FILE, None, "stale", "it names no place in the journal")]
        place = Position(*row)
        if not ledger.journal.holds(place):
            return [Compared(_FILE, None, "stale", f"as of an event {place.seq} that is not in this journal")]
        if place.seq > target.seq:
            return [Compared(_FILE, None, "skipped", f"as of seq {place.seq}, after the end of this replay")]
        differences = [
            text for table, name in _TABLES for text in _rows(ledger, database, table, name, place)
        ]
        if not differences:
            return [Compared(_FILE, place.seq, "equal", "")]
        return [Compared(_FILE, place.seq, "differs", text) for text in differences]
    finally:
        database.close()


def _rows(ledger: Ledger, database: sqlite3.Connection, table: str, name: str, place: Position) -> list[str]:
    """What one table holds too much and too little, each with its number and its first."""
    columns = f"{name}, offset"
    extra = database.execute(
        f"SELECT {columns} FROM main.{table} EXCEPT SELECT {columns} FROM anew.{table} ORDER BY 1, 2"
    ).fetchall()
    lacking = database.execute(
        f"SELECT {columns} FROM anew.{table} WHERE offset < ? EXCEPT SELECT {columns} FROM main.{table} ORDER BY 1, 2",
        (place.offset,),
    ).fetchall()
    # A name that a later merge gave to an earlier event is not to be known yet.
    lacking = [row for row in lacking if table != "ids" or _names(ledger, row[0], row[1])]
    found = []
    for words, rows in (("that the journal does not hold so", extra), ("missing", lacking)):
        if rows:
            first = rows[0][0].hex() if isinstance(rows[0][0], bytes) else rows[0][0]
            found.append(f"{table}: {len(rows):,} {words}, the first {first} at byte {rows[0][1]}")
    return found


def _names(ledger: Ledger, packed: bytes, offset: int) -> bool:
    """True if the event whose line starts at `offset` has this id, or had it elsewhere."""
    try:
        entry = decode_entry(ledger.journal.line_at(offset))
    except msgspec.DecodeError:
        return True
    former = () if entry.origin is None else entry.origin.places
    return f"EVT-{packed.hex()}" in (entry.id, *(place.id for place in former))
