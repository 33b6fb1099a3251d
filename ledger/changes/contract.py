"""The shapes of plans, patches, acceptances and receipts, and the one function that makes each (intent-evidence §7.3-7.6).

They are made without times: `createdAt`, `generatedAt` and `evaluatedAt` are the time of the event that records them, and
`dated` puts them in (decisions A6). What has an id has it of what it means, so the same plan made twice is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from t2c.ledger.kernel.canon import decimal3
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id
from t2c.ledger.llm.synthesis.contract import Generation, Generator, Priority, Target, fingerprint

__all__ = [
    "ACCEPTANCE", "ACTIONS", "CLOSE", "CODES", "PLAN", "PLAN_SET", "REVIEW", "SOURCE_PATCH", "SOURCE_PATCH_SET",
    "SOURCE_RECEIPT", "TODO_PATCH", "TODO_RECEIPT", "Action", "Change", "Edit", "Risk", "acceptance_document",
    "close_document", "dated", "edit_of", "generation", "in_order", "plan_document", "plan_set", "review_document",
    "source_patch_document", "source_patch_set", "source_receipt", "todo_patch_document", "todo_receipt",
]  # fmt: skip

PLAN: Final = "t2c.code-change-plan/v1"
PLAN_SET: Final = "t2c.code-change-plan-set/v1"
REVIEW: Final = "t2c.code-change-review/v1"
SOURCE_PATCH: Final = "t2c.code-change-source-patch/v1"
SOURCE_PATCH_SET: Final = "t2c.code-change-source-patch-set/v1"
SOURCE_RECEIPT: Final = "t2c.code-change-source-apply-receipt/v1"
ACCEPTANCE: Final = "t2c.code-change-acceptance/v1"
CLOSE: Final = "t2c.code-change-close-result/v1"
TODO_PATCH: Final = "t2c.todo-patch/v1"
TODO_RECEIPT: Final = "t2c.todo-apply-receipt/v1"

Action = Literal["create", "modify", "delete"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
CODES: Final = ("PLANNED_NOT_IMPLEMENTED", "CHANGELOG_WITHOUT_IMPLEMENTATION")
"""Findings that plans are drawn from, in the order in which they are (intent-evidence §7.4)."""

_GENERATORS: Final[Mapping[str, Generator]] = {
    PLAN: Generator("t2c/code-change-plan", "1"),
    PLAN_SET: Generator("t2c/code-change-plan-set", "1"),
    REVIEW: Generator("t2c/code-change-review", "1"),
    SOURCE_PATCH: Generator("t2c/code-change-source-patch", "1"),
    SOURCE_PATCH_SET: Generator("t2c/code-change-source-patch-set", "1"),
    SOURCE_RECEIPT: Generator("t2c/code-change-source-apply", "1"),
    ACCEPTANCE: Generator("t2c/code-change-acceptance", "1"),
    CLOSE: Generator("t2c/code-change-close-result", "1"),
}
_TIMES: Final[Mapping[str, str]] = {
    PLAN: "createdAt", PLAN_SET: "generatedAt", REVIEW: "createdAt", SOURCE_PATCH: "createdAt",
    SOURCE_PATCH_SET: "generatedAt", SOURCE_RECEIPT: "appliedAt", ACCEPTANCE: "evaluatedAt", CLOSE: "evaluatedAt",
    TODO_PATCH: "createdAt", TODO_RECEIPT: "appliedAt",
}  # fmt: skip
_HELD: Final = ("plans", "patches", "acceptances")
"""Keys under which a document holds others, each with a time of its own."""


class Change(NamedTuple):
    """What is meant to be done to one file, and why."""

    path: str
    action: Action
    symbols: tuple[str, ...]
    rationale: str


class Edit(NamedTuple):
    """What is done to one file; `diff` is a unified diff of it alone, None where there is only an instruction."""

    path: str
    action: Action
    symbols: tuple[str, ...]
    instruction: str
    diff: str | None = None


class Risk(NamedTuple):
    """How much can go wrong, and why that is so."""

    level: Literal["low", "medium", "high"]
    reasons: tuple[str, ...]


def generation(schema: str) -> dict[str, object]:
    """How a document of this schema comes about without a model; `dated` adds `generatedAt` (intent-evidence §1.3)."""
    made = _GENERATORS[schema]
    codes = sorted(CODES)
    configured = fingerprint({"generator": made.name, "generatorVersion": made.version, "codes": codes})
    return Generation(made, "deterministic", configured).document()


def dated(document: Mapping[str, Any], ts: str) -> dict[str, Any]:
    """The document as published: with the time at which it was recorded. What it holds and has a time keeps it."""
    found = dict(document)
    name = _TIMES[found["schemaVersion"]]
    if name in found:
        return found
    for held in _HELD:
        if held in found:
            found[held] = [dated(one, ts) for one in found[held]]
    found[name] = ts
    if "generation" in found:
        found["generation"] = {**found["generation"], "generatedAt": ts}
    return found


def plan_document(
    *,
    title: str,
    description: str,
    priority: Priority,
    target: Target,
    criteria: Iterable[str],
    changes: Iterable[Change],
    risk: Risk,
    rollback: str,
    graph: str,
    records: Iterable[str],
    diagnostics: Iterable[str],
    conclusions: Iterable[str] = (),
    proposals: Iterable[str] = (),
    confidence: float,
) -> dict[str, Any]:
    """A plan without its times. `graph` is the fingerprint of the graph that it was drawn from."""
    said: dict[str, Any] = {
        "title": title.strip(),
        "description": description.strip(),
        "priority": priority,
        "target": {name: sorted(set(values)) for name, values in target._asdict().items()},
        "acceptanceCriteria": _words(criteria),
        "changes": [
            {
                "path": one.path,
                "action": one.action,
                "symbols": _words(one.symbols),
                "rationale": one.rationale.strip(),
            }
            for one in sorted(changes, key=lambda one: (one.path, one.action))
        ],
        "risk": {"level": risk.level, "reasons": _words(risk.reasons)},
        "rollback": rollback.strip(),
        "evidence": {
            "graphFingerprint": graph,
            "recordIds": sorted(set(records)),
            "diagnosticIds": sorted(set(diagnostics)),
            "conclusionIds": sorted(set(conclusions)),
            "proposalIds": sorted(set(proposals)),
        },
    }
    hash = plan_hash(said)
    return {
        "schemaVersion": PLAN,
        "id": plan_id(hash),
        "planHash": hash,
        "status": "proposed",
        **said,
        "confidence": decimal3(confidence),
        "generation": generation(PLAN),
    }


def plan_set(plans: Iterable[Mapping[str, Any]], graph: str, diagnostics: int) -> dict[str, Any]:
    """Plans with or without times, the most urgent first. `diagnostics` counts the findings that plans can be drawn from."""
    return {
        "schemaVersion": PLAN_SET,
        "plans": [dict(one) for one in in_order(plans)],
        "graphFingerprint": graph,
        "sourceDiagnosticCount": diagnostics,
        "generation": generation(PLAN_SET),
    }


def in_order(plans: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Plans by priority, then by id (intent-evidence §7.5)."""
    return sorted(plans, key=lambda one: (one["priority"], one["id"]))


def review_document(plans: Iterable[Mapping[str, Any]], graph: str, markdown: bytes) -> dict[str, Any]:
    """The review brief of these plans; `markdown` is exactly what a person reads."""
    from hashlib import sha256

    ordered = in_order(plans)
    return {
        "schemaVersion": REVIEW,
        "graphFingerprint": graph,
        "planIds": [one["id"] for one in ordered],
        "planHashes": [one["planHash"] for one in ordered],
        "renderedPatchHash": sha256(markdown).hexdigest(),
        "generation": generation(REVIEW),
    }


def edit_of(change: Mapping[str, Any], instruction: str, diff: str | None = None) -> Edit:
    """The edit for a change of a published plan."""
    return Edit(change["path"], change["action"], tuple(change["symbols"]), instruction, diff)


def source_patch_document(plan: Mapping[str, Any], edits: Iterable[Edit]) -> dict[str, Any]:
    """The source patch of a plan without its time. Raises ValueError where the edits are not what the plan says."""
    from t2c.ledger.changes.checking import check_patch_of

    said: dict[str, Any] = {
        "planId": plan["id"],
        "planHash": plan["planHash"],
        "graphFingerprint": plan["evidence"]["graphFingerprint"],
        "diagnosticIds": sorted(set(plan["evidence"]["diagnosticIds"])),
        "recordIds": sorted(set(plan["evidence"]["recordIds"])),
        "edits": [
            {
                "path": one.path,
                "action": one.action,
                "symbols": _words(one.symbols),
                "instruction": one.instruction.strip(),
                "unifiedDiff": one.diff,
            }
            for one in sorted(edits, key=lambda one: (one.path, one.action))
        ],
        "acceptanceCriteria": _words(plan["acceptanceCriteria"]),
    }
    hash = patch_hash(said)
    made = {
        "schemaVersion": SOURCE_PATCH,
        "id": patch_id(hash),
        "patchHash": hash,
        "status": "proposed",
        **said,
        "generation": generation(SOURCE_PATCH),
    }
    check_patch_of(made, plan)
    return made


def source_patch_set(patches: Iterable[Mapping[str, Any]], graph: str) -> dict[str, Any]:
    """Source patches with or without times, by the plan that they are of."""
    return {
        "schemaVersion": SOURCE_PATCH_SET,
        "graphFingerprint": graph,
        "patches": [dict(one) for one in sorted(patches, key=lambda one: (one["planId"], one["id"]))],
        "generation": generation(SOURCE_PATCH_SET),
    }


def source_receipt(
    patch: Mapping[str, Any], *, approved_by: str, approved_at: str, files: Mapping[str, str | None]
) -> dict[str, Any]:
    """The receipt of an applied source patch without `appliedAt`.

    `files` are the SHA-256 of the files as they are after it; a deleted one (None) is applied and has no hash.
    """
    return {
        "schemaVersion": SOURCE_RECEIPT,
        "patchId": patch["id"],
        "patchHash": patch["patchHash"],
        "planId": patch["planId"],
        "approvedBy": approved_by,
        "approvedAt": approved_at,
        "appliedPaths": sorted(files),
        "fileHashesAfter": {path: hash for path, hash in sorted(files.items()) if hash is not None},
        "generation": generation(SOURCE_RECEIPT),
    }


def acceptance_document(
    plan: Mapping[str, Any],
    *,
    before: str,
    after: str,
    before_ids: Iterable[str],
    after_ids: Iterable[str],
    cleared: Iterable[str],
    new_blocking: Iterable[str],
    reasons: Sequence[str],
) -> dict[str, Any]:
    """A plan held against what is there, without `evaluatedAt`; `before` and `after` are fingerprints of graphs.

    Whatever of the plan's findings is not `cleared` remains. Accepted is what has nothing remaining and raised no new
    blocking finding (intent-evidence §7.5). Raises ValueError for no reason, and for cleared findings of another plan.
    """
    of_plan, done = set(plan["evidence"]["diagnosticIds"]), set(cleared)
    if not done <= of_plan:
        raise ValueError(f"{', '.join(sorted(done - of_plan))} is no finding of plan {plan['id']}")
    if not _words(reasons):
        raise ValueError("an acceptance says why")
    remaining, blocking = sorted(of_plan - done), sorted(set(new_blocking))
    return {
        "schemaVersion": ACCEPTANCE,
        "planId": plan["id"],
        "planHash": plan["planHash"],
        "beforeGraphFingerprint": before,
        "afterGraphFingerprint": after,
        "beforeDiagnosticIds": sorted(set(before_ids)),
        "afterDiagnosticIds": sorted(set(after_ids)),
        "clearedDiagnosticIds": sorted(done),
        "remainingDiagnosticIds": remaining,
        "newBlockingDiagnosticIds": blocking,
        "accepted": not remaining and not blocking,
        "reasons": list(dict.fromkeys(one.strip() for one in reasons if one.strip())),
        "generation": generation(ACCEPTANCE),
    }


def close_document(acceptances: Iterable[Mapping[str, Any]], *, before: str, after: str) -> dict[str, Any]:
    """The evaluation of several plans in one, without `evaluatedAt`. Of no plan at all it is not that all are accepted."""
    found = sorted(acceptances, key=lambda one: str(one["planId"]))
    accepted = sum(1 for one in found if one["accepted"])
    return {
        "schemaVersion": CLOSE,
        "graphFingerprintBefore": before,
        "graphFingerprintAfter": after,
        "planCount": len(found),
        "acceptedCount": accepted,
        "rejectedCount": len(found) - accepted,
        "allAccepted": accepted == len(found) > 0,
        "acceptances": [dict(one) for one in found],
        "generation": generation(CLOSE),
    }


def todo_patch_document(
    *,
    path: str,
    content_hash: str,
    graph: str,
    diagnostics: str,
    selected: Sequence[str],
    duplicate: Sequence[str],
    duplicates: Iterable[Mapping[str, Any]],
    audit: Mapping[str, Any],
    markdown: bytes,
) -> dict[str, Any]:
    """A TODO patch without `createdAt`: `markdown` is what is appended to the file `path`, whose SHA-256 is given.

    `selected` and `duplicate` keep their order. `graph` and `diagnostics` are fingerprints (intent-evidence §7.3).
    """
    from hashlib import sha256

    return {
        "schemaVersion": TODO_PATCH,
        "sourceTodo": {"path": path, "contentHash": content_hash},
        "graphFingerprint": graph,
        "diagnosticsFingerprint": diagnostics,
        "selectedProposalIds": list(selected),
        "duplicateProposalIds": list(duplicate),
        "duplicates": [
            {
                "proposalId": one["proposalId"],
                "existingRecordIds": list(one["existingRecordIds"]),
                "basis": [one["basis"]] if isinstance(one["basis"], str) else list(one["basis"]),
            }
            for one in duplicates
        ],
        "synthesisAudit": dict(audit),
        "renderedPatchHash": sha256(markdown).hexdigest(),
    }


def todo_receipt(
    patch: Mapping[str, Any], *, result: str, approved_by: str, approved_at: str
) -> dict[str, Any]:
    """The receipt of an applied TODO patch without `appliedAt`; `result` is the SHA-256 of the file after it."""
    return {
        "schemaVersion": TODO_RECEIPT,
        "patchHash": patch["renderedPatchHash"],
        "sourceTodoHash": patch["sourceTodo"]["contentHash"],
        "resultTodoHash": result,
        "selectedProposalIds": list(patch["selectedProposalIds"]),
        "approvedBy": approved_by,
        "approvedAt": approved_at,
    }


def _words(values: Iterable[str]) -> list[str]:
    return sorted({word for one in values if (word := one.strip())})
