"""Names under which contracts were published before: each leads to our schema of the same thing, once there is one.

The files are those of the published contracts, the identifiers those that artifacts bear as
`schemaVersion` (intent-evidence §0.5; decisions A15).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["aliases", "is_published_name"]

_FILES: Final = {
    "code-change-acceptance.schema.json": "code-change-acceptance.v1",
    "code-change-close-result.schema.json": "code-change-close-result.v1",
    "code-change-plan-set.schema.json": "code-change-plan-set.v1",
    "code-change-plan.schema.json": "code-change-plan.v1",
    "code-change-review.schema.json": "code-change-review.v1",
    "code-change-source-apply-receipt.schema.json": "code-change-source-apply-receipt.v1",
    "code-change-source-patch-set.schema.json": "code-change-source-patch-set.v1",
    "code-change-source-patch.schema.json": "code-change-source-patch.v1",
    "conclusion.schema.json": "conclusion.v1",
    "document-extraction-response.schema.json": "document-extraction-response.v1",
    "event-log.schema.json": "event-log.v1",
    "gold-dataset.schema.json": "gold-dataset.v2",
    "graph.schema.json": "graph.v1",
    "intent-graph-diff.schema.json": "diff.v1",
    "intent-graph.schema.json": "graph.v1",
    "intent-record.schema.json": "intent.v1",
    "intent.schema.json": "intent.v1",
    "operation-plan.schema.json": "operation-plan.v1",
    "participant-registry.schema.json": "participant-registry.v2",
    "participant-synthesis.schema.json": "participant-synthesis.v1",
    "run.schema.json": "run.v1",
    "todo-patch.schema.json": "todo-patch.v1",
    "todo-proposal.schema.json": "todo-proposal.v1",
    "variable-contract.schema.json": "variable-contract.v1",
}
_IDENTIFIERS: Final = """
    intent/v1 graph/v1 diff/v1 diagnostics/v1 reality/v1 filediff/v1 workspace-comparison/v1 run/v1
    conclusion/v1 todo-proposal/v1 task-synthesis/v1 todo-patch/v1 todo-apply-receipt/v1
    todo-render-result/v1 code-change-plan/v1 code-change-plan-set/v1 code-change-acceptance/v1
    code-change-close-result/v1 code-change-review/v1 code-change-render-result/v1
    code-change-source-patch/v1 code-change-source-patch-set/v1 code-change-source-apply-receipt/v1
    communication-analysis/v1 communication-enrichment/v1 participant-synthesis/v1 participant-registry/v1
    participant-registry/v2 intake-envelope/v1 intake-command/v1 intake-query/v1 intake-result/v1
    intake-event/v1 intake-diagnostic/v1 gold-dataset/v1 gold-dataset/v2 gold-report/v2 event-log/v1
    truth-map/v1 branch-evidence/v1 branch/v1 workspace-preflight/v1 variable-contract/v1 operation-plan/v1
    operation-plan-compilation-receipt/v1 analysis-policy/v1 content-cache/v1 a2a-task-store/v1
    live-contract-check/v2 live-model-comparison/v1
"""
_OLD: Final[Mapping[str, str]] = {
    **_FILES,
    **{f"t2c.{name}": name.replace("/", ".") for name in _IDENTIFIERS.split()},
}
"""Published name → the name that our schema has, or would have."""


def aliases(names: Iterable[str]) -> dict[str, str]:
    """Each published name that one of our schemas (`names`) stands for → that schema's name, in byte order."""
    known = frozenset(names)
    return {old: ours for old, ours in sorted(_OLD.items()) if ours in known}


def is_published_name(name: str) -> bool:
    """True for a name that was published elsewhere, with or without `.schema.json`, whether we have it or not."""
    return name in _OLD or f"{name}.schema.json" in _OLD
