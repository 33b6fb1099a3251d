"""What an earlier scan read of each file, so that a file which has not changed is not read again.

Only what decides that is kept here, no record: what was recorded stands in the ledger, and this is trusted only for
the position of the journal that it names. Whoever finds no such position, or anything else, reads everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from msgspec import Struct, field

from t2c.ledger.intake.base import Warning
from t2c.ledger.intake.inventory import FileEntry
from t2c.ledger.intake.questions import Question

__all__ = ["VERSION", "Hidden", "Kept", "KeptFile", "KeptReading", "names_digest", "settled"]

VERSION: Final = 3
"""Of the shapes below: another one is not read."""
_GRAIN: Final = 2_000_000_000
"""Nanoseconds within which a file may change again and look the same."""


class KeptReading(Struct, array_like=True):
    """How one stage read a file: whether wholly, and how many records and omissions there were.

    `elsewhere` are warnings about other places than the file, which others may share.
    """

    complete: bool
    records: int
    omissions: int
    elsewhere: list[Warning]


class KeptFile(Struct, array_like=True):
    """A file as it was: what the system said of it (None if it may have changed since), its digest, and its readings
    by stage."""

    stat: tuple[int, int] | None
    digest: bytes
    stages: tuple[str, ...]
    readings: tuple[KeptReading, ...]
    questions: list[Question]

    def looks_like(self, entry: FileEntry) -> bool:
        """True if the system says of the file what it said before."""
        return self.stat == (entry.size, entry.stamp)


class Hidden(Struct, array_like=True):
    """Warnings about tracked files that a rule hides, and a digest of everything that decided them."""

    mark: bytes = b""
    warnings: list[Warning] = field(default_factory=list)


class Kept(Struct, array_like=True):
    """All files of one scan. `stamp` stands for how they were read, `names` for the paths of the inventory.

    `position` is that of the journal once everything was recorded. `history` is what is known of Git.
    """

    stamp: bytes
    position: tuple[int, str, int]
    names: bytes
    files: dict[str, KeptFile]
    history: bytes = b""
    hidden: Hidden = field(default_factory=Hidden)


def names_digest(paths: Iterable[str]) -> bytes:
    """A digest of the names of all files."""
    return sha256("\0".join(paths).encode("utf-8", "surrogateescape")).digest()[:16]


def settled(entry: FileEntry, started: int) -> tuple[int, int] | None:
    """What identifies a state of the file, None if it changed so late that it may change again unseen.

    `started` is when the reading began, in nanoseconds of the file system's clock.
    """
    return (entry.size, entry.stamp) if entry.changed < started - _GRAIN else None
