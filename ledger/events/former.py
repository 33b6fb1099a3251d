"""Payloads as they were written before, of which stored bytes and old schemas still speak; the catalogue lifts them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from pydantic import Field

from t2c.ledger.events.base import EventRef, Hex64, Name, Payload, Text, Value
from t2c.ledger.kernel.actor import Trust

__all__ = ["FORMER", "ApplyAnnounced1", "ApplyReceipted1", "ApprovalGranted1"]


class FileChange(Value):
    """One file and the SHA-256 of its content before and after; null where there is none."""

    path: Text
    before: Hex64 | None
    after: Hex64 | None


Changes1 = Annotated[tuple[FileChange, ...], Field(min_length=1, max_length=1000)]


class ApplyAnnounced1(Payload):
    """These files are about to be written, for `purpose`. Without a receipt it is not known which of them were."""

    type: ClassVar[str] = "apply.announced"
    purpose: Name
    files: Changes1


class ApplyReceipted1(Payload):
    """The files that were announced are written."""

    type: ClassVar[str] = "apply.receipted"
    announced: EventRef
    files: Changes1


class ApprovalGranted1(Payload):
    """Somebody approves exactly the bytes that were shown: `digest` is their SHA-256, `subject` what they are of."""

    type: ClassVar[str] = "approval.granted"
    trust: ClassVar[Trust] = "asserted"
    subject: Text
    digest: Hex64
    statement: str


FORMER: Final[tuple[type[Payload], ...]] = (ApplyAnnounced1, ApplyReceipted1, ApprovalGranted1)
"""Every former version that is published."""
