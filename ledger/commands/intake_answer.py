"""What governed intake answers, as published: `t2c.intake-result/v1` and `t2c.intake-diagnostic/v1`."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from t2c.ledger.commands.intake_contract import Code
from t2c.ledger.events.base import Count, Text, Value

__all__ = ["Diagnostic", "Result"]


class Diagnostic(Value):
    """What went wrong, by code, and what to do. `retryable` says that the same request may succeed later."""

    schemaVersion: Literal["t2c.intake-diagnostic/v1"]
    code: Code
    message: Text
    remediation: Text
    retryable: bool


class Result(Value):
    """The answer to one request. Members of an envelope that could not be read are `unknown` or null.

    `actualVersion` is that of the stream afterwards, 0 where it was not read. An accepted command with a diagnostic is
    recorded, and its file is still owed.
    """

    schemaVersion: Literal["t2c.intake-result/v1"]
    accepted: bool
    messageId: str
    correlationId: str
    causationId: str | None
    authenticatedPrincipal: str
    aggregateId: Literal["intake"]
    expectedVersion: int | None
    actualVersion: Count
    idempotencyKey: str
    timestamp: str | None
    payloadHash: str
    diagnostic: Diagnostic | None
    data: JsonValue
