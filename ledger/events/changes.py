"""Family changes: what t2c does to files of the user, announced before and receipted after (decisions A11)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from t2c.ledger.events.base import EventRef, Hex64, Name, Payload, Text, Value

__all__ = ["ApplyAnnounced", "ApplyReceipted", "FileChange"]


class FileChange(Value):
    """One file and the SHA-256 of its content before and after; null where there is none."""

    path: Text
    before: Hex64 | None
    after: Hex64 | None


Changes = Annotated[tuple[FileChange, ...], Field(min_length=1, max_length=1000)]


class ApplyAnnounced(Payload):
    """These files are about to be written, for `purpose`. Without a receipt it is not known which of them were."""

    type: ClassVar[str] = "apply.announced"
    purpose: Name
    files: Changes


class ApplyReceipted(Payload):
    """The files that were announced are written."""

    type: ClassVar[str] = "apply.receipted"
    announced: EventRef
    files: Changes
