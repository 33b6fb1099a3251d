"""What a document of a code change must be beyond its keys: itself by its hash, inside the repository, and of its plan.

Nobody's id or hash is believed: each is made anew of the content (intent-evidence §7.4-7.6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from t2c.ledger.changes.contract import (
    ACCEPTANCE,
    CLOSE,
    PLAN,
    PLAN_SET,
    REVIEW,
    SOURCE_PATCH,
    SOURCE_PATCH_SET,
    SOURCE_RECEIPT,
    TODO_PATCH,
    TODO_RECEIPT,
    generation,
)
from t2c.ledger.kernel.change_ids import patch_hash, patch_id, plan_hash, plan_id

__all__ = ["check", "check_patch_of", "check_path"]

_TYPES: Final = {
    PLAN: "Plan",
    PLAN_SET: "PlanSet",
    REVIEW: "Review",
    SOURCE_PATCH: "SourcePatch",
    SOURCE_PATCH_SET: "SourcePatchSet",
    SOURCE_RECEIPT: "SourceReceipt",
    ACCEPTANCE: "Acceptance",
    CLOSE: "CloseResult",
    TODO_PATCH: "TodoPatch",
    TODO_RECEIPT: "TodoReceipt",
}
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def check(document: object, *, graph: str | None = None) -> str:
    """The schema of a document that is what it says it is, published with its times.

    `graph` is the fingerprint that it must be of, where one is given. Raises ValueError that says what is wrong.
    """
    if not isinstance(document, dict) or not isinstance(document.get("schemaVersion"), str):
        raise ValueError("it is no object with a schemaVersion")  # noqa: TRY004
    schema: str = document["schemaVersion"]
    if schema not in _TYPES:
        raise ValueError(f"{schema!r} is no contract of code changes; there are {', '.join(sorted(_TYPES))}")
    _shape(document, schema)
    _meaning(document, schema)
    found = _fingerprints(document, schema)
    if graph is not None and found and found != {graph}:
        raise ValueError(f"it is of the graph {', '.join(sorted(found))}, not of {graph}")
    return schema


def check_path(path: str) -> None:
    """Raises ValueError for what is no path inside the repository as plans write it: relative, with `/`, nothing skipped."""
    if not path or path != path.strip() or "\\" in path or "\0" in path:
        raise ValueError(f"{path!r} is no path as plans write it")
    if path.startswith("/") or _SCHEME.match(path):
        raise ValueError(f"{path!r} is no path relative to the repository")
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} leads elsewhere or is not written plainly")


def check_patch_of(patch: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """Raises ValueError where a source patch is not of exactly this plan: each planned change once, and no other."""
    if (patch["planId"], patch["planHash"]) != (plan["id"], plan["planHash"]):
        raise ValueError(f"it is of plan {patch['planId']}, not of {plan['id']}")
    evidence = plan["evidence"]
    if patch["graphFingerprint"] != evidence["graphFingerprint"]:
        raise ValueError("it is of another graph than its plan")
    wanted = {change["path"]: change["action"] for change in plan["changes"]}
    found: dict[str, str] = {}
    for edit in patch["edits"]:
        check_path(edit["path"])
        if edit["path"] not in wanted:
            raise ValueError(f"{edit['path']} is not in plan {plan['id']}")
        if edit["action"] != wanted[edit["path"]]:
            raise ValueError(
                f"the plan wants to {wanted[edit['path']]} {edit['path']}, the patch to {edit['action']} it"
            )
        if edit["path"] in found:
            raise ValueError(f"{edit['path']} is edited twice")
        found[edit["path"]] = edit["action"]
    if missing := sorted(set(wanted) - set(found)):
        raise ValueError(f"the plan names {', '.join(missing)} too")
    for name in ("diagnosticIds", "recordIds"):
        if sorted(set(patch[name])) != sorted(set(evidence[name])):
            raise ValueError(f"its {name} are not those of its plan")
    if sorted(patch["acceptanceCriteria"]) != sorted(plan["acceptanceCriteria"]):
        raise ValueError("its acceptanceCriteria are not those of its plan")


def _shape(document: Mapping[str, Any], schema: str) -> None:
    from pydantic import ValidationError

    from t2c.ledger.changes import published
    from t2c.ledger.kernel.canon import artifact

    try:
        getattr(published, _TYPES[schema]).model_validate_json(artifact(document))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place or 'it'}: {first['msg']}") from None
    except TypeError as error:
        raise ValueError(str(error)) from None


def _meaning(document: Mapping[str, Any], schema: str) -> None:
    _distinct(document)
    if schema == PLAN:
        _plan(document)
    elif schema == SOURCE_PATCH:
        _patch(document)
    elif schema == PLAN_SET:
        _members(document["plans"], _plan, "id")
    elif schema == SOURCE_PATCH_SET:
        _members(document["patches"], _patch, "id")
    elif schema == REVIEW:
        if len(document["planIds"]) != len(document["planHashes"]):
            raise ValueError("planIds and planHashes differ in length")
        for identity, hash in zip(document["planIds"], document["planHashes"], strict=True):
            if identity != plan_id(hash):
                raise ValueError(f"{identity} is not the plan with the hash {hash}")
    elif schema == SOURCE_RECEIPT:
        _receipt(document)
    elif schema == ACCEPTANCE:
        _acceptance(document)
    elif schema == CLOSE:
        _members(document["acceptances"], _acceptance, "planId")
        _close(document)
    _made(document, schema)


def _made(document: Mapping[str, Any], schema: str) -> None:
    """What no model made says so itself, and by which rules."""
    if "generation" not in document:
        return
    told = document["generation"]
    wanted = generation(schema)
    if told["generator"] != wanted["generator"]:
        raise ValueError(f"generation.generator is {wanted['generator']}, not {told['generator']}")
    by_model = told["effectiveMode"] == "llm"
    if by_model and (told["degraded"] or not (told["model"] and told["provider"])):
        raise ValueError("generation: what a model made names it and its provider, and is not degraded")
    if not by_model and any(told[name] is not None for name in ("model", "provider", "responseId")):
        raise ValueError("generation: no model made it, and yet one is named")
    if told["requestedMode"] == "require-llm" and not by_model:
        raise ValueError("generation: a model was required")
    if told["degraded"] != (told["requestedMode"] == "prefer-llm" and not by_model):
        raise ValueError("generation: degraded is what was preferred of a model and made without")
    if told["degraded"] != (told["reason"] is not None):
        raise ValueError("generation: a reason says why it is degraded, and nothing else")
    time = next(
        document[name]
        for name in ("createdAt", "generatedAt", "evaluatedAt", "appliedAt")
        if name in document
    )
    if told["generatedAt"] != time:
        raise ValueError("generation.generatedAt is another time than the document's")


def _plan(plan: Mapping[str, Any]) -> None:
    _distinct(plan)
    allowed = set(plan["target"]["paths"])
    seen: set[str] = set()
    for path in plan["target"]["paths"]:
        check_path(path)
    for change in plan["changes"]:
        check_path(change["path"])
        if change["path"] not in allowed:
            raise ValueError(f"{change['path']} is not in target.paths")
        if change["path"] in seen:
            raise ValueError(f"{change['path']} is changed twice")
        seen.add(change["path"])
    _itself(plan["planHash"], plan["id"], plan_hash(plan), plan_id)


def _patch(patch: Mapping[str, Any]) -> None:
    _distinct(patch)
    seen: set[str] = set()
    for edit in patch["edits"]:
        check_path(edit["path"])
        if edit["path"] in seen:
            raise ValueError(f"{edit['path']} is edited twice")
        seen.add(edit["path"])
    _itself(patch["patchHash"], patch["id"], patch_hash(patch), patch_id)


def _itself(hash: str, identity: str, wanted: str, named: Any) -> None:
    if hash != wanted:
        raise ValueError(f"its content has the hash {wanted}, not {hash}")
    if identity != named(wanted):
        raise ValueError(f"its content has the id {named(wanted)}, not {identity}")


def _receipt(receipt: Mapping[str, Any]) -> None:
    for path in receipt["appliedPaths"]:
        check_path(path)
    if foreign := sorted(set(receipt["fileHashesAfter"]) - set(receipt["appliedPaths"])):
        raise ValueError(f"{', '.join(foreign)} has a hash and was not applied")
    if receipt["patchId"] != patch_id(receipt["patchHash"]):
        raise ValueError("patchId is not that of patchHash")


def _acceptance(found: Mapping[str, Any]) -> None:
    _distinct(found)
    if found["planId"] != plan_id(found["planHash"]):
        raise ValueError("planId is not that of planHash")
    if both := sorted(set(found["clearedDiagnosticIds"]) & set(found["remainingDiagnosticIds"])):
        raise ValueError(f"{', '.join(both)} is both cleared and remaining")
    settled = not found["remainingDiagnosticIds"] and not found["newBlockingDiagnosticIds"]
    if found["accepted"] != (settled and bool(found["clearedDiagnosticIds"])):
        raise ValueError("accepted is not what its findings say")


def _close(result: Mapping[str, Any]) -> None:
    accepted = sum(1 for one in result["acceptances"] if one["accepted"])
    count = len(result["acceptances"])
    told = tuple(result[name] for name in ("planCount", "acceptedCount", "rejectedCount", "allAccepted"))
    if told != (count, accepted, count - accepted, accepted == count > 0):
        raise ValueError("its counts are not those of its acceptances")


def _members(documents: Sequence[Mapping[str, Any]], checked: Any, key: str) -> None:
    seen: set[str] = set()
    for one in documents:
        checked(one)
        _made(one, one["schemaVersion"])
        if one[key] in seen:
            raise ValueError(f"{one[key]} stands in it twice")
        seen.add(one[key])


def _distinct(value: object, place: str = "") -> None:
    """Raises ValueError where a list of texts holds one twice: the contracts ask for unique items."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name not in ("planHashes", "synthesisAudit"):
                _distinct(item, f"{place}.{name}" if place else name)
    elif isinstance(value, list | tuple):
        texts = [item for item in value if isinstance(item, str)]
        if len(set(texts)) != len(texts):
            raise ValueError(f"{place} holds {_twice(texts)!r} twice")
        for item in value:
            if not isinstance(item, str):
                _distinct(item, place)


def _twice(texts: Iterable[str]) -> str:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return ""


def _fingerprints(document: Mapping[str, Any], schema: str) -> set[str]:
    """The graphs that a document and what it holds are of; they must be one in a set."""
    found = {document["graphFingerprint"]} if "graphFingerprint" in document else set()
    if schema == PLAN:
        found.add(document["evidence"]["graphFingerprint"])
    elif schema == PLAN_SET:
        found |= {one["evidence"]["graphFingerprint"] for one in document["plans"]}
    elif schema == SOURCE_PATCH_SET:
        found |= {one["graphFingerprint"] for one in document["patches"]}
    if len(found) > 1:
        raise ValueError(f"it mixes the graphs {', '.join(sorted(found))}")
    return found
