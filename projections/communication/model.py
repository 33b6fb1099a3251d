"""The shapes of `t2c.communication-analysis/v1`, field by field as published (intent-evidence §2.11).

An issue is raised without words; its id is made of what it is about, so that no wording and no language changes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.digests import short
from t2c.projections.facts import SEVERITIES

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "CODES",
    "SCHEMA",
    "SENTINELS",
    "UNSCOPED",
    "Analysis",
    "Issue",
    "ParticipantRow",
    "Raised",
    "Role",
    "communication_model",
    "counted",
    "identity",
    "ordered",
    "respondents",
]

_Code = Literal[
    "PARTICIPANT_IDENTITY_UNRESOLVED",
    "HUMAN_COMMUNICATION_CONFLICT",
    "AGENT_COMMUNICATION_CONFLICT",
    "HUMAN_AGENT_CONFLICT",
    "REQUEST_WITHOUT_AGENT_RESPONSE",
    "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED",
    "AGENT_CLAIM_WITHOUT_EVIDENCE",
    "AGENT_WORK_OUTSIDE_REQUEST",
]

SCHEMA: Final = "t2c.communication-analysis/v1"
UNSCOPED: Final = "UNSCOPED"
"""The ticket of what was said about none."""

Role = Literal["human", "agent", "unknown"]
Severity = Literal["info", "warning", "review_required", "blocking"]

CODES: Final[Mapping[str, Severity]] = MappingProxyType(
    {
        "PARTICIPANT_IDENTITY_UNRESOLVED": "review_required",
        "HUMAN_COMMUNICATION_CONFLICT": "blocking",
        "AGENT_COMMUNICATION_CONFLICT": "blocking",
        "HUMAN_AGENT_CONFLICT": "blocking",
        "REQUEST_WITHOUT_AGENT_RESPONSE": "warning",
        "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED": "review_required",
        "AGENT_CLAIM_WITHOUT_EVIDENCE": "review_required",
        "AGENT_WORK_OUTSIDE_REQUEST": "warning",
    }
)
"""Every code with its severity."""

SENTINELS: Final[Mapping[Role, str]] = MappingProxyType(
    {"human": "unresolved:human", "agent": "unresolved:agent", "unknown": "unresolved:human"}
)
"""Who must respond where nobody is known, by role; they are exactly two (decisions C4)."""


class Raised(msgspec.Struct, frozen=True):
    """An issue before it is put into words: `message` names them in the catalogue, `said` holds what they speak of.

    `parts` are further sentences, each a message with what it speaks of.
    """

    code: str
    ticket: str
    participants: tuple[str, ...]
    records: tuple[str, ...]
    role: Role
    respondents: tuple[str, ...]
    message: str
    said: Mapping[str, str]
    parts: tuple[tuple[str, Mapping[str, str]], ...] = ()

    @property
    def severity(self) -> Severity:
        return CODES[self.code]

    @property
    def id(self) -> str:
        return identity(self.code, self.ticket, self.participants, self.records, self.role, self.respondents)


class Issue(msgspec.Struct, frozen=True):
    """An issue as published. `participantIds`, `recordIds` and `responseRequiredFrom` are in byte order."""

    id: str
    code: str
    severity: Severity
    ticket: str
    participantIds: tuple[str, ...]
    recordIds: tuple[str, ...]
    responseRequiredRole: Role
    responseRequiredFrom: tuple[str, ...]
    detail: str
    suggestedAction: str


class ParticipantRow(msgspec.Struct, frozen=True):
    """One participant: how much was said, and how much of it something recorded stands beside.

    `matchedGitCommits` counts commits that a name of the participant and of nobody else wrote, as author, co-author or
    by a trailer for agents; whoever only committed wrote nothing. `linkedEvidenceRecords` counts records of Git,
    tests, code and configuration that relate to what was said.
    """

    participant: str
    displayName: str
    role: Role
    tickets: tuple[str, ...]
    communicationRecords: int
    declarations: int
    plans: int
    claims: int
    matchedGitCommits: int
    linkedEvidenceRecords: int
    issueIds: tuple[str, ...]


class Analysis(msgspec.Struct, frozen=True):
    """The whole document. `syntheses` are a model's words and empty without one."""

    generatedAt: str
    graphFingerprint: str
    tickets: tuple[str, ...]
    participants: tuple[ParticipantRow, ...]
    issues: tuple[Issue, ...]
    counts: dict[str, int]
    syntheses: tuple[dict[str, Any], ...] = ()
    schemaVersion: str = SCHEMA


def identity(
    code: str,
    ticket: str,
    participants: Iterable[str],
    records: Iterable[str],
    role: str,
    asked: Iterable[str],
) -> str:
    """`COMM-` and 20 hex digits of what an issue is about, its words left out (intent-evidence §0.3)."""
    seed = {
        "code": code,
        "ticket": ticket,
        "participantIds": sorted(set(participants)),
        "recordIds": sorted(set(records)),
        "responseRequiredRole": role,
        "responseRequiredFrom": sorted(set(asked)),
    }
    return "COMM-" + short(artifact(seed))


def respondents(role: Role, known: Iterable[str]) -> tuple[str, ...]:
    """Who must respond, each once, never nobody: the sentinel of the role stands for somebody not known."""
    named = {one for one in known if not one.startswith(("unknown:", "unresolved:"))}
    return tuple(sorted(named)) or (SENTINELS[role],)


def ordered(raised: Iterable[Raised]) -> tuple[Raised, ...]:
    """Each id once, the more severe first, then by id."""
    once = {one.id: one for one in raised}
    return tuple(
        one for _, one in sorted(once.items(), key=lambda item: (-_severe(item[1].severity), item[0]))
    )


def _severe(severity: str) -> int:
    return SEVERITIES.index(severity)


def counted(issues: Iterable[Raised | Issue]) -> dict[str, int]:
    """How many issues there are of each severity, those of none included."""
    found = Counter(one.severity for one in issues)
    return {severity: found[severity] for severity in SEVERITIES}


def communication_model() -> type[BaseModel]:
    """The contract of `communication.json` as a pydantic model, from which its JSON Schema is made.

    Nothing that folds or renders uses it, so it is built only when asked for.
    """
    from typing import Annotated

    from pydantic import Field

    from t2c.ledger.events.base import Count, Hex64, RecordRef, Text, Timestamp, Value

    class CommunicationIssue(Value):
        """What in the words of people and agents does not fit, and who must respond."""

        id: Annotated[str, Field(pattern=r"^COMM-[0-9a-f]{20}$")]
        code: _Code
        severity: Severity
        ticket: Text
        participantIds: Annotated[tuple[Text, ...], Field(min_length=1)]
        recordIds: Annotated[tuple[RecordRef, ...], Field(min_length=1)]
        responseRequiredRole: Role
        responseRequiredFrom: Annotated[tuple[Text, ...], Field(min_length=1)]
        detail: Text
        suggestedAction: Text

    class CommunicationParticipant(Value):
        """What one participant said, counted."""

        participant: Text
        displayName: Text
        role: Role
        tickets: tuple[Text, ...]
        communicationRecords: Count
        declarations: Count
        plans: Count
        claims: Count
        matchedGitCommits: Count
        linkedEvidenceRecords: Count
        issueIds: tuple[Annotated[str, Field(pattern=r"^COMM-[0-9a-f]{20}$")], ...]

    class CommunicationAnalysis(Value):
        """What people and agents said about tickets, held against each other and against what is recorded."""

        schemaVersion: Literal["t2c.communication-analysis/v1"]
        generatedAt: Timestamp
        graphFingerprint: Hex64
        tickets: tuple[Text, ...]
        participants: tuple[CommunicationParticipant, ...]
        syntheses: tuple[dict[str, Any], ...]
        issues: tuple[CommunicationIssue, ...]
        counts: dict[Severity, Count]

    CommunicationAnalysis.model_rebuild(_types_namespace={**globals(), **locals()})
    return CommunicationAnalysis
