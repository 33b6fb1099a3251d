"""What a finding is: a code about a subject, the records that show it, and what ranking and grouping need.

The id is made of code, subject and version of the rule, so no wording ever changes it (architecture §4). What is
published has exactly the keys of `t2c.diagnostics/v1` (intent-evidence §4); cause, risk and confidence stay beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.digests import short
from t2c.projections.facts import SEVERITIES

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "CODES",
    "COMMUNICATION",
    "MAX_RECORDS",
    "RULES",
    "SCHEMA",
    "Code",
    "Diagnostic",
    "Finding",
    "Severity",
    "diagnostics_model",
    "identity",
    "ordered",
    "severe",
]

SCHEMA: Final = "t2c.diagnostics/v1"

Severity = Literal["info", "warning", "review_required", "blocking"]
CommunicationCode = Literal[
    "PARTICIPANT_IDENTITY_UNRESOLVED",
    "HUMAN_COMMUNICATION_CONFLICT",
    "AGENT_COMMUNICATION_CONFLICT",
    "HUMAN_AGENT_CONFLICT",
    "REQUEST_WITHOUT_AGENT_RESPONSE",
    "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED",
    "AGENT_CLAIM_WITHOUT_EVIDENCE",
    "AGENT_WORK_OUTSIDE_REQUEST",
]
Code = Literal[
    "PLANNED_NOT_IMPLEMENTED",
    "IMPLEMENTED_NOT_PLANNED",
    "IMPLEMENTED_NOT_DOCUMENTED",
    "CHANGELOG_WITHOUT_IMPLEMENTATION",
    "AMBIGUOUS_REQUIREMENT",
    "LOW_CONFIDENCE",
    "UNLINKED_RECORD",
    "CONFLICTING_INTENT",
    "ALIGNED",
    "LLM_NOT_CONFIGURED",
    "INSUFFICIENT_EVIDENCE",
    "SOURCE_UNAVAILABLE",
    "FALSE_COMPLETION",
    "REGRESSION_DETECTED",
    "STALE_DOCUMENTATION",
    "DIRECTION_DRIFT",
    "DUPLICATED_INTENT",
    CommunicationCode,
]

COMMUNICATION: Final[tuple[str, ...]] = get_args(CommunicationCode)
"""Codes that are copied from the analysis of communication (intent-evidence §2.11)."""
CODES: Final[tuple[str, ...]] = tuple(get_args(Code))
RULES: Final[Mapping[str, int]] = MappingProxyType(dict.fromkeys(CODES, 1))
"""The version of the rule behind each code: a new one re-identifies its findings."""
MAX_RECORDS: Final = 100
"""Records that a finding about many names; its detail counts them all."""


class Finding(Struct, frozen=True):
    """One thing to look at, before it is put into words.

    `subject` is what it is about: the id of a record, or a key of content for a finding about many. `message` names the
    sentences of the catalogue that tell it and `said` holds what they speak of. `cause` is equal for findings that one
    thing explains; `risk` (0–100) says how much it matters if true, `confidence` (0–1) how sure the rule is.
    """

    code: str
    subject: str
    severity: Severity
    message: str
    said: Mapping[str, str]
    records: tuple[str, ...]
    cause: str
    risk: int
    confidence: float

    @property
    def id(self) -> str:
        return identity(self.code, self.subject)


class Diagnostic(Struct, frozen=True):
    """A finding as published."""

    id: str
    code: str
    severity: Severity
    title: str
    detail: str
    recordIds: tuple[str, ...]
    suggestedAction: str


def identity(code: str, subject: str) -> str:
    """`DIAG-` and 20 hex digits of code, subject and version of the rule."""
    return "DIAG-" + short(canonical({"code": code, "rule": RULES[code], "subject": subject}))


def severe(severity: str) -> int:
    """The place of a severity, from the least severe."""
    return SEVERITIES.index(severity)


def ordered(findings: Iterable[Finding]) -> Sequence[Finding]:
    """Each id once, the more severe first, then by id (intent-evidence §4)."""
    once: dict[str, Finding] = {}
    for finding in findings:
        known = once.get(finding.id)
        if known is None or (severe(finding.severity), finding.message) > (
            severe(known.severity),
            known.message,
        ):
            once[finding.id] = finding
    return sorted(once.values(), key=lambda finding: (-severe(finding.severity), finding.id))


def diagnostics_model() -> type[BaseModel]:
    """The contract of `diagnostics.json` as a pydantic model, from which its JSON Schema is made.

    Nothing that folds or renders uses it, so it is built only when asked for.
    """
    from typing import Annotated

    from pydantic import Field

    from t2c.ledger.events.base import Count, Hex64, RecordRef, Text, Timestamp, Value

    class PublishedDiagnostic(Value):
        """What does not fit together, about which records, and what to do next."""

        id: Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")]
        code: Code
        severity: Severity
        title: Text
        detail: Text
        recordIds: tuple[RecordRef, ...]
        suggestedAction: Text

    class Diagnostics(Value):
        """All findings, the more severe first, then by id, and how many there are of each severity."""

        schemaVersion: Literal["t2c.diagnostics/v1"]
        generatedAt: Timestamp
        graphFingerprint: Hex64
        diagnostics: tuple[PublishedDiagnostic, ...]
        counts: dict[Severity, Count]

    Diagnostics.model_rebuild(_types_namespace={**globals(), **locals()})
    return Diagnostics
