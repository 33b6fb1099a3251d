"""What was read of another system's files: facts in the shapes of our events, and what could not be taken, with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.interop.event_log import EventLog
from t2c.ledger.journal.chain import MAX_LINE

if TYPE_CHECKING:
    from t2c.ledger.interop.run_manifest import RunManifest

__all__ = ["MAX_PAYLOAD", "Foreign", "ForeignRecord", "Refusal"]

MAX_PAYLOAD: Final = MAX_LINE - (16 << 10)
"""Bytes of a payload that still has room for its envelope and origin."""


class Refusal(NamedTuple):
    """Something that was not taken: in which file, on which line (None if unknown), and why."""

    file: str
    line: int | None
    reason: str

    @property
    def where(self) -> str:
        """`file:line`."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class ForeignRecord(NamedTuple):
    """A record by the canonical payload of the `record.observed` that would tell of it, and where it was found.

    `model` made it, None if no model did; `said` is True for what a person or a model merely says.
    """

    payload: bytes
    model: str | None
    said: bool
    confidence: float
    file: str
    line: int | None


class Foreign(Struct):
    """Everything that was read. `files` maps the name of each file to the SHA-256 of its bytes.

    `differing` counts records that stood in several files with different content, of which one was kept; `not_read`
    are files of the folder that hold nothing a ledger takes.
    """

    files: dict[str, str] = field(default_factory=dict)
    records: dict[str, ForeignRecord] = field(default_factory=dict)
    relations: list[bytes] = field(default_factory=list)
    log: EventLog | None = None
    manifest: RunManifest | None = None
    generated_at: str | None = None
    fingerprint: str | None = None
    refused: list[Refusal] = field(default_factory=list)
    differing: int = 0
    not_read: list[str] = field(default_factory=list)

    def refuse(self, file: str, line: int | None, reason: str) -> None:
        """Note something that is not taken."""
        self.refused.append(Refusal(file, line, reason))

    def add(self, identity: str, record: ForeignRecord) -> None:
        """Take a record. Of several with one id the surest is kept, the one read first among equals."""
        known = self.records.get(identity)
        if known is None:
            self.records[identity] = record
        elif known.payload != record.payload:
            self.differing += 1
            if record.confidence > known.confidence:
                self.records[identity] = record
