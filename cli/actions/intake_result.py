"""What `t2c intake` answers: the published result of a command or a query (intent-evidence §10.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from t2c.ledger.commands.intake_contract import CODES, Envelope, Rejection

__all__ = ["IntakeResult", "accepted", "rejected"]

_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class IntakeResult:
    """What became of one request. `exit` is the exit code that says the same; it is no part of the document.

    An accepted command whose file could not be written has a diagnostic too: it is recorded, and can be rebuilt.
    """

    schema: ClassVar[str] = "t2c.intake-result/v1"
    accepted: bool
    messageId: str
    correlationId: str
    causationId: str | None
    authenticatedPrincipal: str
    expectedVersion: int | None
    actualVersion: int
    idempotencyKey: str
    timestamp: str | None
    payloadHash: str
    diagnostic: Mapping[str, object] | None
    data: object
    exit: int

    def document(self) -> dict[str, object]:
        """The published shape, which keeps its own name for the schema (decisions A15)."""
        return {
            "schemaVersion": self.schema,
            "accepted": self.accepted,
            "messageId": self.messageId,
            "correlationId": self.correlationId,
            "causationId": self.causationId,
            "authenticatedPrincipal": self.authenticatedPrincipal,
            "aggregateId": "intake",
            "expectedVersion": self.expectedVersion,
            "actualVersion": self.actualVersion,
            "idempotencyKey": self.idempotencyKey,
            "timestamp": self.timestamp,
            "payloadHash": self.payloadHash,
            "diagnostic": self.diagnostic,
            "data": self.data,
        }


def accepted(
    envelope: Envelope, version: int, data: object, trouble: Rejection | None = None
) -> IntakeResult:
    """A request that was done; `trouble` is what went wrong after it was recorded."""
    return IntakeResult(
        True,
        envelope.messageId,
        envelope.correlationId,
        envelope.causationId,
        envelope.authenticatedPrincipal,
        envelope.expectedVersion,
        version,
        envelope.idempotencyKey,
        envelope.timestamp,
        envelope.payloadHash,
        None if trouble is None else _diagnostic(trouble),
        data,
        0 if trouble is None else CODES[trouble.code].exit,
    )


def rejected(value: Mapping[str, Any], rejection: Rejection, version: int) -> IntakeResult:
    """A request that was not done, with as much of its envelope as can be read."""
    expected, cause, timestamp = (
        value.get("expectedVersion"),
        value.get("causationId"),
        value.get("timestamp"),
    )
    return IntakeResult(
        False,
        _text(value, "messageId"),
        _text(value, "correlationId"),
        cause if isinstance(cause, str) else None,
        _text(value, "authenticatedPrincipal"),
        expected if type(expected) is int else None,
        version,
        _text(value, "idempotencyKey"),
        timestamp if isinstance(timestamp, str) else None,
        _text(value, "payloadHash"),
        _diagnostic(rejection),
        None,
        CODES[rejection.code].exit,
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else _UNKNOWN


def _diagnostic(rejection: Rejection) -> dict[str, object]:
    return {
        "schemaVersion": "t2c.intake-diagnostic/v1",
        "code": rejection.code,
        "message": rejection.message,
        "remediation": rejection.remedy,
        "retryable": CODES[rejection.code].retryable,
    }
