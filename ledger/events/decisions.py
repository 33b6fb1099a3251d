"""Family decisions: what was allowed, and what was not."""

from __future__ import annotations

from typing import ClassVar

from t2c.ledger.events.base import Name, Payload, Text

__all__ = ["RefusalNoted"]


class RefusalNoted(Payload):
    """A rule forbade what somebody asked for. `reference` is the key by which the request can be found again.

    What was asked is not kept: it may be what must not be written down.
    """

    type: ClassVar[str] = "refusal.noted"
    subject: Name
    code: Name
    reason: Text
    requested_by: Text | None
    reference: Text | None
