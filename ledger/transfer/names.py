"""Every id that the events of the other side ever had, on disk while a merge is planned: memory stays bounded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

__all__ = ["Names"]


class Names:
    """Ids of the other side's events, each with the id that stands for it here, and the ids that events cite."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # an empty name: a file of SQLite's own
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE theirs (id BLOB PRIMARY KEY, here BLOB) WITHOUT ROWID")
        self._database.execute("CREATE TABLE cited (id BLOB PRIMARY KEY) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def claim(self, names: Iterable[bytes], here: bytes | None) -> bool:
        """Note the ids of one event and which id it has here, None where they resolve by themselves.

        False if one of them was claimed before: then the event stands there twice.
        """
        new = True
        for name in names:
            done = self._database.execute("INSERT OR IGNORE INTO theirs VALUES (?, ?)", (name, here))
            new = new and done.rowcount == 1
        return new

    def cite(self, names: Iterable[bytes]) -> None:
        """Note ids that an event cites."""
        self._database.executemany("INSERT OR IGNORE INTO cited VALUES (?)", ((name,) for name in names))

    def stands_for(self, name: bytes) -> bytes | None:
        """The id here of an event that has this id there, None if it has none or resolves by itself."""
        row = self._database.execute("SELECT here FROM theirs WHERE id = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def aliases(self) -> Iterator[tuple[bytes, bytes]]:
        """(id there, id here) of the events that are cited by an id that they do not have here, by id."""
        rows = self._database.execute(
            "SELECT id, here FROM cited JOIN theirs USING (id) WHERE here IS NOT NULL ORDER BY id"
        )
        yield from rows

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
