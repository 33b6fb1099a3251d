"""Hashes and ids of code-change plans and source patches: SHA-256 over what they mean, never over when they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.kernel.canon import artifact

__all__ = ["PATCH_KEYS", "PLAN_KEYS", "patch_hash", "patch_id", "plan_hash", "plan_id"]

PLAN_KEYS: Final = (
    "title", "description", "priority", "target", "acceptanceCriteria", "changes", "risk", "rollback", "evidence",
)  # fmt: skip
PATCH_KEYS: Final = (
    "planId", "planHash", "graphFingerprint", "diagnosticIds", "recordIds", "acceptanceCriteria", "edits",
)  # fmt: skip


def plan_hash(plan: Mapping[str, Any]) -> str:
    """SHA-256 in hex over the canonical content of a plan (intent-evidence §7.4). Raises KeyError, TypeError or
    AttributeError for what has not the shape of a plan."""
    target, risk, evidence = plan["target"], plan["risk"], plan["evidence"]
    changes = [
        {
            "path": one["path"].strip().replace("\\", "/"),
            "action": one["action"],
            "symbols": _words(one["symbols"]),
            "rationale": one["rationale"].strip(),
        }
        for one in plan["changes"]
    ]
    return _hash(
        {
            "title": plan["title"].strip(),
            "description": plan["description"].strip(),
            "priority": plan["priority"],
            "target": {
                name: sorted(set(target[name])) for name in ("paths", "symbols", "tickets", "versions")
            },
            "acceptanceCriteria": sorted({one.strip() for one in plan["acceptanceCriteria"]}),
            "changes": sorted(changes, key=lambda one: (one["path"], one["action"])),
            "risk": {"level": risk["level"], "reasons": _words(risk["reasons"])},
            "rollback": plan["rollback"].strip(),
            "evidence": {
                "graphFingerprint": evidence["graphFingerprint"],
                **{
                    name: sorted(set(evidence[name]))
                    for name in ("recordIds", "diagnosticIds", "conclusionIds", "proposalIds")
                },
            },
        }
    )


def plan_id(hash: str) -> str:
    """The id of the plan with this hash."""
    return f"CPLAN-{hash[:20]}"


def patch_hash(patch: Mapping[str, Any]) -> str:
    """SHA-256 in hex over the canonical content of a source patch (intent-evidence §7.6). In diffs CRLF counts as LF, so
    it does not bind line ends: what is shown of the patch has a SHA-256 of its own. Raises what `plan_hash` raises."""
    edits = [
        {
            "path": one["path"].strip().replace("\\", "/"),
            "action": one["action"],
            "symbols": _words(one["symbols"]),
            "instruction": one["instruction"].strip(),
            "unifiedDiff": None if one["unifiedDiff"] is None else one["unifiedDiff"].replace("\r\n", "\n"),
        }
        for one in patch["edits"]
    ]
    return _hash(
        {
            "planId": patch["planId"],
            "planHash": patch["planHash"],
            "graphFingerprint": patch["graphFingerprint"],
            "diagnosticIds": sorted(set(patch["diagnosticIds"])),
            "recordIds": sorted(set(patch["recordIds"])),
            "acceptanceCriteria": sorted({one.strip() for one in patch["acceptanceCriteria"]}),
            "edits": sorted(edits, key=lambda one: (one["path"], one["action"])),
        }
    )


def patch_id(hash: str) -> str:
    """The id of the source patch with this hash."""
    return f"SPATCH-{hash[:20]}"


def _words(values: Iterable[str]) -> list[str]:
    return sorted({word for one in values if (word := one.strip())})


def _hash(value: object) -> str:
    return sha256(artifact(value)).hexdigest()
