"""A record as a model reads it: the reading laid over what was found, in the shape of `t2c.intent/v1` (decisions D5).

What stays is everything that says what the record is, where it comes from and how far it is known: its id, kind, text,
subject, lifecycle, source and class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.kernel.canon import canonical

__all__ = ["ACCEPTED", "ACCEPTED_CAP", "can_be_read", "group_digest", "speaker", "with_reading"]

ACCEPTED: Final = "cross_language_reranker"
"""The rule of relations that a model accepted: shown as what it claims, and weighed by no view."""
ACCEPTED_CAP: Final = 0.95
"""How sure of such a relation a model may make one (intent-evidence §1.2)."""
_LISTS: Final = ("paths", "symbols", "tickets", "versions")


def can_be_read(record: Mapping[str, Any]) -> bool:
    """False for a fact: what t2c saw itself is not for a model to read otherwise (decisions A12)."""
    return bool(record["epistemic"]["class"] != "fact")


def speaker(record: Mapping[str, Any]) -> tuple[str, str]:
    """Role and participant of a statement about a ticket; who is not known is nobody else."""
    metadata = record["metadata"]
    role, who = metadata.get("participantRole"), metadata.get("participant")
    name = who if isinstance(who, str) and who else record["statement"]["actor"]
    return role if role in ("human", "agent") else "unknown", name or f"unknown:{record['id']}"


def group_digest(records: Iterable[tuple[str, str]]) -> str:
    """32 hex digits over records, each by id and content digest: whether a synthesis is of what they say now."""
    return sha256(canonical(sorted([identity, of] for identity, of in records))).hexdigest()[:32]


def with_reading(record: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the data of a `record.interpreted` laid over it; the record itself is not changed.

    Targets and bases are those of both (intent-evidence §6.3).
    """
    statement, epistemic, metadata = record["statement"], record["epistemic"], record["metadata"]
    generation = reading["generation"]
    more: dict[str, Any] = {
        key: list(reading[key]) for key in ("acceptanceEvidence", "topics") if reading[key]
    }
    if record["source"]["kind"] == "agent_log":
        more["llmUsed"] = True
    return {
        **record,
        "statement": {
            **statement,
            "action": reading["action"],
            "actor": reading["actor"],
            "object": reading["object"],
            "target": {key: _both(statement["target"][key], reading["target"][key]) for key in _LISTS},
            "modality": reading["modality"],
            "polarity": reading["polarity"],
        },
        "source": {
            **record["source"],
            "extractor": f"{generation['generator']}@{generation['generatorVersion']}",
        },
        "epistemic": {
            **epistemic,
            "confidence": reading["confidence"],
            "basis": _both(epistemic["basis"], reading["basis"]),
        },
        "metadata": {**metadata, **more, "generation": dict(generation)},
    }


def _both(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return sorted({*first, *second})
