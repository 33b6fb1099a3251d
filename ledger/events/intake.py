"""Family intake: what governed intake accepted (intent-evidence §10.5). The version of its stream is their number.

t2c sees that a command came in, not who stands behind its principal: so these events are `asserted` by the participant
whom the principal is bound to, and what a message says stays what that person says (decisions A12). Only
`stream.verified` and `projection.rebuilt` tell what t2c did itself.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from t2c.ledger.events.base import Count, Hex64, Payload, Timestamp, Value
from t2c.ledger.events.participants import (
    Capability,
    GovernanceRole,
    ParticipantId,
    ParticipantV2,
    Principal,
    TicketId,
)
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "MAX_MESSAGE",
    "Bound",
    "Captured",
    "IdentityBound",
    "IntakePayload",
    "Issue",
    "MessageCaptured",
    "Messages",
    "ParticipantAdmitted",
    "ProjectionRebuilt",
    "Reference",
    "Registration",
    "RoleAssigned",
    "StreamVerified",
    "Verified",
]

MAX_MESSAGE = 256 << 10
"""Bytes of one message in UTF-8."""

Reference = Annotated[str, Field(min_length=1, max_length=200)]


class Registration(Value):
    """Who is admitted."""

    participant: ParticipantV2


class Bound(Value):
    """Whose account it is."""

    participantId: ParticipantId
    principal: Principal


class Issue(Value):
    """Which role a person has from here on, in which tickets and with which rights."""

    participantId: ParticipantId
    governanceRole: GovernanceRole
    ticketIds: tuple[TicketId, ...]
    capabilities: tuple[Capability, ...]


class Captured(Value):
    """What a person says about a ticket."""

    participantId: ParticipantId
    governanceRole: GovernanceRole
    ticketId: TicketId
    message: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE)]


class Messages(Value):
    """Whose messages about which ticket."""

    participantId: ParticipantId
    ticketId: TicketId


class Verified(Value):
    """How much of the stream was proven, and the head of the journal then."""

    verifiedVersion: Count
    verifiedHash: Hex64


class IntakePayload(Payload):
    """The envelope that every event of intake keeps: who asked, in which order, and the hash of what was asked."""

    messageId: Reference
    correlationId: Reference
    causationId: Reference | None
    idempotencyKey: Reference
    authenticatedPrincipal: Annotated[str, Field(min_length=1, max_length=500)]
    timestamp: Timestamp
    payloadHash: Hex64


class ParticipantAdmitted(IntakePayload):
    """A participant was admitted to governed intake by somebody who may; elsewhere `ParticipantRegistered`.

    `participant.registered` is what anybody may say by hand, and gives nobody a right.
    """

    type: ClassVar[str] = "participant.admitted"
    trust: ClassVar[Trust] = "asserted"
    payload: Registration


class IdentityBound(IntakePayload):
    """An account was bound to a participant; elsewhere `ExternalIdentityBound`."""

    type: ClassVar[str] = "identity.bound"
    trust: ClassVar[Trust] = "asserted"
    payload: Bound


class RoleAssigned(IntakePayload):
    """A person was given a role, its tickets and its rights; elsewhere `GovernanceRoleAssigned`."""

    type: ClassVar[str] = "role.assigned"
    trust: ClassVar[Trust] = "asserted"
    payload: Issue


class MessageCaptured(IntakePayload):
    """A person's message about a ticket was taken in; elsewhere `MessageCaptured`.

    What it says is what that person says.
    """

    type: ClassVar[str] = "message.captured"
    trust: ClassVar[Trust] = "asserted"
    payload: Captured


class ProjectionRebuilt(IntakePayload):
    """The file of a person's messages about a ticket was asked to be made again; elsewhere `ProjectionRebuilt`."""

    type: ClassVar[str] = "projection.rebuilt"
    payload: Messages


class StreamVerified(IntakePayload):
    """The journal and the stream of intake in it were proven for somebody; elsewhere `EventStreamVerified`."""

    type: ClassVar[str] = "stream.verified"
    payload: Verified
