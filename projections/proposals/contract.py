"""The contract of `task-synthesis.json` as types, from which its JSON Schema is made. Nothing that folds loads it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, RecordRef, Text, Value
from t2c.ledger.llm.synthesis.published import Conclusion, DiagnosticRef, Proposal, ProposalRef

__all__ = ["TaskSynthesis"]

_Cost = Annotated[float, Field(ge=0)]


class Duplicate(Value):
    """A proposal that a task list has already, and what shows it."""

    proposalId: ProposalRef
    existingRecordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    basis: Text


class Validation(Value):
    """The order in which the proposals can be done, and which of them are new."""

    orderedProposalIds: tuple[ProposalRef, ...]
    newProposalIds: tuple[ProposalRef, ...]
    duplicateProposalIds: tuple[ProposalRef, ...]
    duplicates: tuple[Duplicate, ...]


class DiagnosticAction(Value):
    """What a finding itself asks for, which is no proposal."""

    diagnosticId: DiagnosticRef
    recordIds: tuple[RecordRef, ...]
    suggestedAction: Text


class ResponseUsage(Value):
    """What a response took, null where the provider does not say; cost in US dollars."""

    promptTokens: Count | None
    completionTokens: Count | None
    totalTokens: Count | None
    cost: _Cost | None


class Response(Value):
    """One response of a model."""

    responseId: str | None
    model: Text
    provider: str | None
    usage: ResponseUsage | None


class Reason(Value):
    """Why no model answered."""

    code: Text
    message: str


class Audit(Value):
    """What was asked for, what was done, why, and what it took."""

    runtimeVersion: Text
    configuration: dict[str, Any]
    status: Literal["succeeded", "partial", "fallback", "failed", "skipped"]
    requestedMode: Literal["deterministic", "llm", "disabled"]
    effectiveMode: Literal["deterministic", "llm", "none"]
    degraded: bool
    recordCount: Count
    warningCount: Count
    model: str | None
    durationMs: Count
    reason: Reason | None
    responses: tuple[Response, ...]


class TaskSynthesis(Value):
    """Conclusions and the tasks that would settle them; without a model's answer, what the findings ask for."""

    schemaVersion: Literal["t2c.task-synthesis/v1"]
    conclusions: tuple[Conclusion, ...]
    proposals: tuple[Proposal, ...]
    validation: Validation
    rawDiagnosticActions: tuple[DiagnosticAction, ...]
    warnings: tuple[str, ...]
    audit: Audit
