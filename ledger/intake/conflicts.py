"""Files that Git could not merge: both sides are read, and the marks between them are told (case 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from t2c.ledger.intake.lines import Notes

__all__ = ["without_marks"]

_OURS, _BASE, _MIDDLE, _THEIRS = "<<<<<<< ", "||||||| ", "=======", ">>>>>>> "


def without_marks(lines: Iterable[str], notes: Notes) -> Iterator[str]:
    """The lines with those that mark a conflict emptied and noted, so that no statement takes them in."""
    inside = False
    for number, line in enumerate(lines, 1):
        if line[:1] not in "<|=>":
            yield line
            continue
        if line.startswith(_OURS):
            inside = True
        elif not inside or not (line == _MIDDLE or line.startswith((_BASE, _THEIRS))):
            yield line
            continue
        else:
            inside = not line.startswith(_THEIRS)
        notes.add("conflict_markers", "a merge that nobody has settled: both sides were read", number)
        yield ""
