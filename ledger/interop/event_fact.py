"""What an event log may hold of one event: the field, its values, and what keeps a value out (intent-evidence §10.3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple, cast

from msgspec import Struct, structs

__all__ = [
    "DIGEST",
    "EVIDENCE",
    "FIELDS",
    "NULLABLE",
    "OUTCOMES",
    "SEQUENCE",
    "STRUCTURE",
    "TRUST_CLASSES",
    "TYPES",
    "VALUE",
    "Fact",
    "Objection",
    "instant",
    "objection",
    "plain",
]

_TYPES: Final = """
    ticket.created ticket.transitioned git.commit.created git.push.received pull_request.opened
    pull_request.synchronized pull_request.reviewed pull_request.merged pull_request.closed check.completed
    test.completed analysis.completed diagnostic.raised diagnostic.resolved evaluation.generated approval.attested
    branch.deleted governance.completed
"""
TYPES: Final = frozenset(_TYPES.split())
TRUST_CLASSES: Final = frozenset(
    {"SYSTEM_FACT", "HUMAN_DECISION", "TRUSTED_ATTESTATION", "ADVISORY_INFERENCE"}
)
OUTCOMES: Final = frozenset(
    {
        "CREATED", "UPDATED", "PASSED", "FAILED", "DEGRADED", "SKIPPED", "APPROVED", "CHANGES_REQUESTED", "MERGED",
        "CLOSED", "DELETED", "BLOCKED", "ALLOWED",
    }
)  # fmt: skip

STRUCTURE, VALUE, SEQUENCE = "LOG-STRUCTURE-001", "LOG-VALUE-002", "LOG-SEQUENCE-003"
DIGEST, SECRET, EVIDENCE = "LOG-DIGEST-004", "LOG-SECRET-005", "LOG-EVIDENCE-006"
"""The codes of the format."""


class Fact(Struct, frozen=True):
    """What happened, before it has a place in a log. Only `ticket_id` and the two SHAs may be None.

    `recorded_at` decides the order; `evidence_digest` is `sha256:` and 64 hex of the evidence's bytes.
    """

    event_id: str
    type: str
    trust_class: str
    occurred_at: str
    recorded_at: str
    actor_id: str
    subject_id: str
    source: str
    outcome: str
    repository: str
    ticket_id: str | None
    correlation_id: str
    base_sha: str | None
    head_sha: str | None
    evidence_kind: str
    evidence_ref: str
    evidence_digest: str


class Objection(NamedTuple):
    """What is wrong with one value: the code of the format, the field, and why in words."""

    code: str
    field: str
    why: str


FIELDS: Final = {field.name.upper(): field.name for field in structs.fields(Fact)}
"""Field of the format → member of a Fact, in the order of the format."""
NULLABLE: Final = frozenset({"TICKET_ID", "BASE_SHA", "HEAD_SHA"})
_LONGEST: Final = {"EVIDENCE_REF": 2048}
_MOST: Final = 256

_digest: Final = re.compile(r"sha256:[a-f0-9]{64}").fullmatch
_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_rfc3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
).fullmatch
_sha: Final = re.compile(r"[a-f0-9]{40}").fullmatch
_repository: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+").fullmatch
_outside: Final = re.compile(r"^(?:/|\\\\|[A-Za-z]:[\\/]|file:)|\?|(?:^|[\\/])\.\.(?:[\\/]|\Z)").search
_secret: Final = re.compile(
    r"\bbearer\s+[a-z0-9._~-]{8}"
    r"|\b(?:sk|ghp|gho|ghu|ghs|github_pat)_[a-z0-9_]{16}"
    r"|\b(?:api[_-]?key|access[_-]?token|password)\s*[=:]\s*\S",
    re.IGNORECASE,
).search


def objection(fact: Fact) -> Objection | None:
    """The first thing that keeps a fact out of a log, None if nothing does."""
    for name, member in FIELDS.items():
        value: object = getattr(fact, member)
        if value is None and name in NULLABLE:
            continue
        found = _CHECKS.get(name, plain)(name, cast(str, value))
        if found is not None:
            return found
    if fact.type == "approval.attested" and fact.trust_class == "ADVISORY_INFERENCE":
        return Objection(VALUE, "TRUST_CLASS", "an inference cannot attest an approval")
    return None


def plain(name: str, value: str) -> Objection | None:
    """The objection to a text: empty, too long, with control characters, or of the shape of a secret."""
    most = _LONGEST.get(name, _MOST)
    if not 1 <= len(value) <= most:
        return Objection(VALUE, name, f"it has {len(value)} characters, not 1 to {most}")
    if _control(value) or not _is_unicode(value):
        return Objection(VALUE, name, "it holds control characters or no Unicode text")
    return Objection(SECRET, name, "it has the shape of a secret") if _secret(value) else None


def instant(name: str, value: str) -> Objection | None:
    """The objection to what is no RFC 3339 time."""
    if _rfc3339(value):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return None
    return Objection(VALUE, name, "it is no RFC 3339 time")


def _one_of(names: frozenset[str]) -> Callable[[str, str], Objection | None]:
    def check(name: str, value: str) -> Objection | None:
        return None if value in names else Objection(VALUE, name, f"there is no {value[:40]!r}")

    return check


def _commit(name: str, value: str) -> Objection | None:
    return None if _sha(value) else Objection(VALUE, name, "it is no full lower-case SHA")


def _place(name: str, value: str) -> Objection | None:
    fits = _repository(value) and ".." not in value
    return plain(name, value) if fits else Objection(VALUE, name, "it is not owner/name")


def _reference(name: str, value: str) -> Objection | None:
    if _outside(value):
        return Objection(SECRET, name, "it leads out of the repository or holds a query")
    return plain(name, value)


def _hash(name: str, value: str) -> Objection | None:
    return None if _digest(value) else Objection(DIGEST, name, "it is no sha256: digest")


_CHECKS: Final[dict[str, Callable[[str, str], Objection | None]]] = {
    "TYPE": _one_of(TYPES),
    "TRUST_CLASS": _one_of(TRUST_CLASSES),
    "OUTCOME": _one_of(OUTCOMES),
    "OCCURRED_AT": instant,
    "RECORDED_AT": instant,
    "BASE_SHA": _commit,
    "HEAD_SHA": _commit,
    "REPOSITORY": _place,
    "EVIDENCE_REF": _reference,
    "EVIDENCE_DIGEST": _hash,
}


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
