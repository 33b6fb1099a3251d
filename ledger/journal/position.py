"""A place in the journal."""

from __future__ import annotations

from typing import Final, NamedTuple

from t2c.ledger.kernel.digests import ZERO

__all__ = ["START", "Position"]


class Position(NamedTuple):
    """After event `seq`, whose line hashes to `hash` (the next line's `prev`), at byte `offset`."""

    seq: int
    hash: str
    offset: int


START: Final = Position(0, ZERO, 0)
"""Before the first event."""
