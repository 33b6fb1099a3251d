"""Before a file is changed under an approval: the journal that holds the approval is read and proven, line by line.

An approval, a withdrawal or a key could be edited in the middle of a journal by anybody who can write to it; only the
chain shows that. It costs a small part of a second for tens of thousands of events.
"""

from __future__ import annotations

from typing import Final

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.verify import verify_chain

__all__ = ["check_chain"]

_UNFINISHED: Final = frozenset({"torn_tail", "incomplete_batch"})
"""What an append that was cut off leaves at the end, which the next append mends."""


def check_chain(ledger: Ledger) -> None:
    """Raise Corrupt if a complete line of the journal is not as it was written, and what reading raises."""
    faults = [fault for fault in verify_chain(ledger.journal).faults if fault.kind not in _UNFINISHED]
    if faults:
        first = min(faults)
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise Corrupt(
            f"the journal was changed after it was written, so no approval in it counts: {first.detail}{more}",
            where=f"seq {first.seq}",
            safe="no file was touched",
            remedy="see what is good with `t2c ledger verify`; restore the journal from Git, a backup or a bundle",
        )
