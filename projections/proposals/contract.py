"""The contract of `task-synthesis.json` as a pydantic model, from which its JSON Schema is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["task_synthesis_model"]


def task_synthesis_model() -> type[BaseModel]:
    """The envelope of a synthesis of tasks. Nothing that folds or renders uses it, so it is built only when asked for."""
    from typing import Annotated, Any, Literal

    from pydantic import Field, create_model

    from t2c.ledger.events.base import Count, RecordRef, Text, Value
    from t2c.ledger.llm.synthesis.contract import conclusion_model, proposal_model

    proposal_ref = Annotated[str, Field(pattern=r"^TPROP-[0-9a-f]{20}$")]
    diagnostic_ref = Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")]

    def part(name: str, doc: str, **fields: Any) -> type[BaseModel]:
        made: Any = create_model
        found: type[BaseModel] = made(
            name,
            __base__=Value,
            __doc__=doc,
            __module__=__name__,
            **{key: (kind, ...) for key, kind in fields.items()},
        )
        return found

    duplicate = part(
        "Duplicate",
        "A proposal that a task list has already, and what shows it.",
        proposalId=proposal_ref,
        existingRecordIds=Annotated[tuple[RecordRef, ...], Field(min_length=1)],
        basis=Text,
    )
    checked = part(
        "Validation",
        "The order in which the proposals can be done, and which of them are new.",
        orderedProposalIds=tuple[proposal_ref, ...],
        newProposalIds=tuple[proposal_ref, ...],
        duplicateProposalIds=tuple[proposal_ref, ...],
        duplicates=tuple[duplicate, ...],  # type: ignore[valid-type]
    )
    action = part(
        "DiagnosticAction",
        "What a finding itself asks for, which is no proposal.",
        diagnosticId=diagnostic_ref,
        recordIds=tuple[RecordRef, ...],
        suggestedAction=Text,
    )
    usage = part(
        "ResponseUsage",
        "What a response took, null where the provider does not say; cost in US dollars.",
        promptTokens=Count | None,
        completionTokens=Count | None,
        totalTokens=Count | None,
        cost=Annotated[float, Field(ge=0)] | None,
    )
    response = part(
        "Response",
        "One response of a model.",
        responseId=str | None,
        model=Text,
        provider=str | None,
        usage=usage | None,
    )
    reason = part("Reason", "Why no model answered.", code=Text, message=str)
    audit = part(
        "Audit",
        "What was asked for, what was done, why, and what it took.",
        runtimeVersion=Text,
        configuration=dict[str, Any],
        status=Literal["succeeded", "partial", "fallback", "failed", "skipped"],
        requestedMode=Literal["deterministic", "llm", "disabled"],
        effectiveMode=Literal["deterministic", "llm", "none"],
        degraded=bool,
        recordCount=Count,
        warningCount=Count,
        model=str | None,
        durationMs=Count,
        reason=reason | None,
        responses=tuple[response, ...],  # type: ignore[valid-type]
    )
    return part(
        "TaskSynthesis",
        "Conclusions and the tasks that would settle them; without a model's answer, what the findings ask for.",
        schemaVersion=Literal["t2c.task-synthesis/v1"],
        conclusions=tuple[conclusion_model(), ...],  # type: ignore[misc]
        proposals=tuple[proposal_model(), ...],  # type: ignore[misc]
        validation=checked,
        rawDiagnosticActions=tuple[action, ...],  # type: ignore[valid-type]
        warnings=tuple[str, ...],
        audit=audit,
    )
