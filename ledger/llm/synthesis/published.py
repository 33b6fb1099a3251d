"""The published contracts of conclusions and proposals as types, from which their JSON Schemas are made.

Nothing that folds, asks or renders loads it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from t2c.ledger.events.base import Hex64, RecordRef, Text, Timestamp, Value
from t2c.ledger.llm.synthesis.contract import Kind, Mode, Priority, Severity

__all__ = [
    "Conclusion",
    "ConclusionRef",
    "DiagnosticRef",
    "GroundedGeneration",
    "Proposal",
    "ProposalRef",
    "ProposalTarget",
]

ConclusionRef = Annotated[str, Field(pattern=r"^CONC-[0-9a-f]{20}$")]
DiagnosticRef = Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")]
ProposalRef = Annotated[str, Field(pattern=r"^TPROP-[0-9a-f]{20}$")]
_Said = Annotated[str, Field(pattern=r"\S")]


class GroundedGeneration(Value):
    """How it came about: what was asked for, what did it, and why it was not what was asked for."""

    generator: Text
    generatorVersion: Text
    runtimeVersion: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+")]
    generatedAt: Timestamp
    requestedMode: Mode
    effectiveMode: Literal["deterministic", "llm"]
    degraded: bool
    model: Text | None
    provider: Text | None
    responseId: str | None
    configurationFingerprint: Hex64
    reason: Text | None


class Conclusion(Value):
    """What follows from findings, and the findings and records that it rests on."""

    schemaVersion: Literal["t2c.conclusion/v1"]
    id: ConclusionRef
    kind: Kind
    title: _Said
    detail: _Said
    severity: Severity
    diagnosticIds: Annotated[tuple[DiagnosticRef, ...], Field(min_length=1)]
    recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    generation: GroundedGeneration


class ProposalTarget(Value):
    """What it is about."""

    paths: tuple[Text, ...]
    symbols: tuple[Text, ...]
    tickets: tuple[Text, ...]
    versions: tuple[Text, ...]


class Proposal(Value):
    """A task that somebody may take up: what shows it done, what it waits for, and what it rests on."""

    schemaVersion: Literal["t2c.todo-proposal/v1"]
    id: ProposalRef
    title: _Said
    description: _Said
    priority: Priority
    status: Literal["proposed"]
    target: ProposalTarget
    acceptanceCriteria: Annotated[tuple[_Said, ...], Field(min_length=1)]
    dependencies: tuple[ProposalRef, ...]
    conclusionIds: Annotated[tuple[ConclusionRef, ...], Field(min_length=1)]
    diagnosticIds: Annotated[tuple[DiagnosticRef, ...], Field(min_length=1)]
    recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    generation: GroundedGeneration
