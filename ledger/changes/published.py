"""The published contracts of code changes and TODO patches as types, from which their JSON Schemas are made.

They are what is checked of a document that comes from outside; nothing that folds or renders loads them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from t2c.ledger.changes.contract import Action
from t2c.ledger.events.base import Count, Hex64, RecordRef, Text, Timestamp, Value
from t2c.ledger.llm.synthesis.contract import Priority
from t2c.ledger.llm.synthesis.published import (
    ConclusionRef,
    DiagnosticRef,
    GroundedGeneration,
    ProposalRef,
    ProposalTarget,
)

__all__ = [
    "Acceptance", "CloseResult", "Plan", "PlanSet", "Review", "SourcePatch", "SourcePatchSet", "SourceReceipt", "TodoPatch",
    "TodoReceipt",
]  # fmt: skip

PlanRef = Annotated[str, Field(pattern=r"^CPLAN-[0-9a-f]{20}$")]
PatchRef = Annotated[str, Field(pattern=r"^SPATCH-[0-9a-f]{20}$")]
_Said = Annotated[str, Field(pattern=r"\S")]
_Criteria = Annotated[tuple[_Said, ...], Field(min_length=1)]
_Portion = Annotated[float, Field(ge=0, le=1)]


class PlannedChange(Value):
    """What is meant to be done to one file, and why."""

    path: Text
    action: Action
    symbols: tuple[Text, ...]
    rationale: _Said


class PlannedRisk(Value):
    """How much can go wrong, and why that is so."""

    level: Literal["low", "medium", "high"]
    reasons: _Criteria


class PlanEvidence(Value):
    """What a plan rests on."""

    graphFingerprint: Hex64
    recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    diagnosticIds: Annotated[tuple[DiagnosticRef, ...], Field(min_length=1)]
    conclusionIds: tuple[ConclusionRef, ...]
    proposalIds: tuple[ProposalRef, ...]


class Plan(Value):
    """What would settle a finding: which files, how it is judged, what can go wrong and how it is taken back."""

    schemaVersion: Literal["t2c.code-change-plan/v1"]
    id: PlanRef
    planHash: Hex64
    status: Literal["proposed"]
    createdAt: Timestamp
    title: _Said
    description: _Said
    priority: Priority
    target: ProposalTarget
    acceptanceCriteria: _Criteria
    changes: Annotated[tuple[PlannedChange, ...], Field(min_length=1)]
    risk: PlannedRisk
    rollback: _Said
    evidence: PlanEvidence
    confidence: _Portion
    generation: GroundedGeneration


class PlanSet(Value):
    """The plans that stand, and of how many findings plans can be drawn."""

    schemaVersion: Literal["t2c.code-change-plan-set/v1"]
    plans: tuple[Plan, ...]
    generatedAt: Timestamp
    graphFingerprint: Hex64
    sourceDiagnosticCount: Count
    generation: GroundedGeneration


class Review(Value):
    """The brief of plans that a person reads; `renderedPatchHash` is the SHA-256 of its Markdown."""

    schemaVersion: Literal["t2c.code-change-review/v1"]
    createdAt: Timestamp
    graphFingerprint: Hex64
    planIds: tuple[PlanRef, ...]
    planHashes: tuple[Hex64, ...]
    renderedPatchHash: Hex64
    generation: GroundedGeneration


class SourceEdit(Value):
    """What is done to one file; `unifiedDiff` is null where there is only an instruction."""

    path: Text
    action: Action
    symbols: tuple[Text, ...]
    instruction: _Said
    unifiedDiff: str | None


class SourcePatch(Value):
    """The edits that carry out a plan, bound to exactly that plan."""

    schemaVersion: Literal["t2c.code-change-source-patch/v1"]
    id: PatchRef
    patchHash: Hex64
    status: Literal["proposed"]
    createdAt: Timestamp
    planId: PlanRef
    planHash: Hex64
    graphFingerprint: Hex64
    diagnosticIds: Annotated[tuple[DiagnosticRef, ...], Field(min_length=1)]
    recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    edits: Annotated[tuple[SourceEdit, ...], Field(min_length=1)]
    acceptanceCriteria: _Criteria
    generation: GroundedGeneration


class SourcePatchSet(Value):
    """Source patches of plans that were drawn from one graph."""

    schemaVersion: Literal["t2c.code-change-source-patch-set/v1"]
    generatedAt: Timestamp
    graphFingerprint: Hex64
    patches: tuple[SourcePatch, ...]
    generation: GroundedGeneration


class SourceReceipt(Value):
    """That a source patch was applied, under whose approval, and the SHA-256 of each file that is there after it."""

    schemaVersion: Literal["t2c.code-change-source-apply-receipt/v1"]
    patchId: PatchRef
    patchHash: Hex64
    planId: PlanRef
    approvedBy: Text
    approvedAt: Timestamp
    appliedAt: Timestamp
    appliedPaths: Annotated[tuple[Text, ...], Field(min_length=1)]
    fileHashesAfter: dict[str, Hex64]
    generation: GroundedGeneration


class Acceptance(Value):
    """A plan held against what is there: which of its findings are settled, and whether new ones block."""

    schemaVersion: Literal["t2c.code-change-acceptance/v1"]
    planId: PlanRef
    planHash: Hex64
    beforeGraphFingerprint: Hex64
    afterGraphFingerprint: Hex64
    beforeDiagnosticIds: tuple[DiagnosticRef, ...]
    afterDiagnosticIds: tuple[DiagnosticRef, ...]
    clearedDiagnosticIds: tuple[DiagnosticRef, ...]
    remainingDiagnosticIds: tuple[DiagnosticRef, ...]
    newBlockingDiagnosticIds: tuple[DiagnosticRef, ...]
    accepted: bool
    reasons: _Criteria
    evaluatedAt: Timestamp
    generation: GroundedGeneration


class CloseResult(Value):
    """Several plans held against what is there; all are accepted, or nothing is closed."""

    schemaVersion: Literal["t2c.code-change-close-result/v1"]
    evaluatedAt: Timestamp
    graphFingerprintBefore: Hex64
    graphFingerprintAfter: Hex64
    planCount: Count
    acceptedCount: Count
    rejectedCount: Count
    allAccepted: bool
    acceptances: tuple[Acceptance, ...]
    generation: GroundedGeneration


class SourceTodo(Value):
    """The task file that a patch was made for, and its SHA-256 then."""

    path: Text
    contentHash: Hex64


class TodoDuplicate(Value):
    """A proposal that the task file has already, and what shows it."""

    proposalId: ProposalRef
    existingRecordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
    basis: Annotated[tuple[Text, ...], Field(min_length=1)]


class TodoPatch(Value):
    """Proposed tasks as Markdown that is appended to a task file; `renderedPatchHash` is its SHA-256."""

    schemaVersion: Literal["t2c.todo-patch/v1"]
    createdAt: Timestamp
    sourceTodo: SourceTodo
    graphFingerprint: Hex64
    diagnosticsFingerprint: Hex64
    selectedProposalIds: tuple[ProposalRef, ...]
    duplicateProposalIds: tuple[ProposalRef, ...]
    duplicates: tuple[TodoDuplicate, ...]
    synthesisAudit: dict[str, Any]
    renderedPatchHash: Hex64


class TodoReceipt(Value):
    """That a TODO patch was applied, under whose approval, and the SHA-256 of the task file before and after."""

    schemaVersion: Literal["t2c.todo-apply-receipt/v1"]
    patchHash: Hex64
    sourceTodoHash: Hex64
    resultTodoHash: Hex64
    selectedProposalIds: tuple[ProposalRef, ...]
    approvedBy: Text
    approvedAt: Timestamp
    appliedAt: Timestamp
