"""What a statement does: it asks, it plans, or it claims. Samples do none of these."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.linking.features import Record

__all__ = ["MAX_OWN", "asks", "claims", "forbids", "is_done", "is_own", "plans"]

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
_BEFORE: Final = 40
"""Characters before a citation that say whether it is one aside."""
MAX_OWN: Final = 2
"""Numbers of one plan from which on it lists them and is about none."""
_ASIDE: Final = re.compile(
    r"\b(?:after(?: the)?|as in|before|blocked by|cf\.?|depend(?:s|ing)? on|like|related to|see|since|unlike|until)"
    r"[:\s]{1,2}(?:pull request |pr |issue )?[\[(]?\Z",
    re.IGNORECASE,
)
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


def is_own(record: Record, key: str) -> bool:
    """Whether a plan is about a number or ticket that it cites: its own words show it, and not only aside.

    What stands in its description alone, behind "see" or "after", or among more than MAX_OWN numbers is
    background.
    """
    number, text = re.split(r"[#-]", key)[-1], record.text
    if key.startswith("#") and sum(one.startswith("#") for one in record.statement.target.tickets) > MAX_OWN:
        return False
    at = text.find(number)
    while at >= 0:
        start, end = (at - 1 if text[at - 1 : at] == "#" else at), at + len(number)
        whole = not text[at - 1 : at].isdigit() and not text[end : end + 1].isdigit()
        if whole and not _ASIDE.search(text, max(0, start - _BEFORE), start):
            return True
        at = text.find(number, at + 1)
    return False


def is_done(record: Record) -> bool:
    """Whether the record itself says that it is done."""
    return record.lifecycle is not None and record.lifecycle.status in _DONE
