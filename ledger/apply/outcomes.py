"""The events that say how an announced apply went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from t2c.ledger.apply.base import Applied
from t2c.ledger.engine import Ledger
from t2c.ledger.events.changes import ApplyFailed, ApplyFailure, ApplyReceipted, FileChange
from t2c.ledger.events.draft import draft

__all__ = ["fail", "receipt"]


def receipt(
    ledger: Ledger,
    announced: str,
    files: Sequence[FileChange],
    how: Literal["done", "recovered", "found"],
    in_place: tuple[str, ...] = (),
    run: str | None = None,
) -> Applied:
    """Record, durably, that the files are as they were wanted."""
    payload = ApplyReceipted(announced=announced, files=tuple(files), how=how, in_place=in_place)
    (told,) = ledger.append([draft(payload, cause=(announced,), run=run)])
    ledger.sync()
    return Applied(announced, told.id, told.seq, how, tuple(file.path for file in files), in_place)


def fail(
    ledger: Ledger,
    announced: str,
    outcome: ApplyFailure,
    reason: str,
    files: Sequence[FileChange],
    run: str | None = None,
) -> str:
    """Record, durably, that what was announced did not come about; the id of the event."""
    payload = ApplyFailed(announced=announced, outcome=outcome, reason=reason, files=tuple(files))
    (told,) = ledger.append([draft(payload, cause=(announced,), run=run)])
    ledger.sync()
    return told.id
