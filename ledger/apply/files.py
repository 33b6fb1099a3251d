"""Files as they are looked at before anything is decided about them, and as events tell of their change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from t2c.ledger.apply.base import Wanted, digest
from t2c.ledger.apply.places import Tree, place_of
from t2c.ledger.errors import Environment
from t2c.ledger.events.changes import ApplyAnnounced, FileChange
from t2c.ledger.events.draft import EventDraft, draft

__all__ = ["announcement", "digest", "look", "octal", "told"]


def look(root: Path, path: str) -> bytes | None:
    """The content of a regular file below the root; None if there is none.

    Raises Refused if a part of the path is a symbolic link or the file is none, Environment if it cannot be read.
    """
    place = place_of(path)
    with Tree(root) as tree:
        try:
            seen = tree.look(place)
        except Environment as error:
            if "in_the_way" in error.details:
                return None
            raise
    return None if seen is None else seen.content


def told(wanted: Wanted, before_mode: int | None = None, after_mode: int | None = None) -> FileChange:
    """A change as events tell it."""
    return FileChange(
        path=wanted.path,
        before=digest(wanted.before),
        after=digest(wanted.after),
        before_mode=octal(before_mode),
        after_mode=octal(after_mode),
    )


def octal(mode: int | None) -> str | None:
    """Permissions as events write them."""
    return None if mode is None else f"{mode & 0o7777:04o}"


def announcement(purpose: str, wanted: Sequence[Wanted], cause: tuple[str | int, ...]) -> EventDraft:
    """The event that comes before the first write, for whoever records it together with others of their own and then
    has it carried out."""
    payload = ApplyAnnounced(purpose=purpose, files=tuple(map(told, wanted)))
    return draft(payload, cause=cause)
