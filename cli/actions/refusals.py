"""Whatever a rule forbids of an apply is recorded, whichever part of it refuses (decisions F3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from t2c.ledger.answers.history import decoded
from t2c.ledger.approvals.standing import note_refusal
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused
from t2c.ledger.kernel.actor import Actor

__all__ = ["recording_refusals"]

_CODE: Final = "APPLY_REFUSED"
_TOLD: Final = "the refusal is recorded"


@contextmanager
def recording_refusals(ledger: Ledger, subject: str, by: Actor, reference: str | None) -> Iterator[None]:
    """Record what is refused within, unless whoever refused it did so; the error goes on and says that it is recorded.

    `reference` is the hash or event of what was to be applied.
    """
    head = ledger.head()
    try:
        yield
    except Refused as refused:
        since = (entry for entry in ledger.entries(after=head) if entry.type == "refusal.noted")
        noted = (decoded(entry) for entry in since if entry.origin is None and entry.data_hash is None)
        if not any(one["requested_by"] == str(by) for one in noted):
            code = refused.details.get("code")
            note_refusal(
                ledger, subject, code if isinstance(code, str) else _CODE, refused.what, str(by), reference
            )
        if _TOLD not in (refused.safe or ""):
            refused.safe = f"{refused.safe}; {_TOLD}" if refused.safe else _TOLD
        raise
