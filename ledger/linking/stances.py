"""What a statement does: it asks, it plans, or it claims. Samples do none of these."""

from __future__ import annotations

from typing import Final

from t2c.ledger.linking.features import Record

__all__ = ["asks", "claims", "forbids", "is_done", "plans"]

_ASKING: Final = frozenset(
    {
        "architecture_decision", "communication_decision", "communication_request", "declared_intent", "requirement",
    }
)  # fmt: skip
_CLAIMING: Final = frozenset(
    {
        "changelog_entry", "changelog_fragment", "communication_claim", "communication_report", "communication_result",
    }
)  # fmt: skip
_DONE: Final = frozenset({"completed", "implemented", "verified", "released"})


def asks(record: Record) -> bool:
    """A requirement, a request or a decision: what others plan to fulfil."""
    return record.statement.kind in _ASKING and record.metadata.sample is not True


def plans(record: Record) -> bool:
    """A task, a marked comment, a roadmap's item or a plan that somebody wrote down for a ticket."""
    return record.epistemic.cls == "plan" and record.source.kind in ("todo", "agent_log", "changelog")


def claims(record: Record) -> bool:
    """A changelog's entry or an agent's report: it says that something was done and shows nothing."""
    return record.statement.kind in _CLAIMING and record.epistemic.cls == "claim"


def forbids(record: Record) -> bool:
    """A prohibition: absence satisfies it, and nothing implements it."""
    statement = record.statement
    if statement.kind in ("comment_marker", "requirement", "todo_item"):
        return record.metadata.constraint is True
    return statement.polarity == "negative" and statement.modality == "required"


def is_done(record: Record) -> bool:
    """Whether the record itself says that it is done."""
    return record.lifecycle is not None and record.lifecycle.status in _DONE
