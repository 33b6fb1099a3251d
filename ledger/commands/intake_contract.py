"""The envelopes of governed intake, its commands and queries, and the codes of what it refuses (intent-evidence §10.5).

Published shapes: `t2c.intake-envelope/v1`, `t2c.intake-command/v1`, `t2c.intake-query/v1`.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from t2c.ledger.events.base import Count, Hex64, Timestamp, Value
from t2c.ledger.events.intake import MAX_MESSAGE, Reference
from t2c.ledger.events.participants import (
    Capability,
    GovernanceRole,
    ParticipantId,
    ParticipantV2,
    Principal,
    TicketId,
)
from t2c.ledger.kernel import canon

__all__ = [
    "CODES",
    "MAX_INPUT",
    "AssignRole",
    "BindExternalIdentity",
    "CaptureMessage",
    "Code",
    "Command",
    "CommandEnvelope",
    "Envelope",
    "GetCommandStatus",
    "GetRole",
    "GetTicketConversation",
    "Query",
    "QueryEnvelope",
    "RebuildProjection",
    "RegisterParticipant",
    "Rejection",
    "ResolveParticipant",
    "Rule",
    "ValidateProjection",
    "VerifyEventStream",
    "command_of",
    "hash_of",
    "query_of",
    "value_of",
]

MAX_INPUT: Final = 4 << 20
"""Bytes of one envelope: a message of 256 KiB, escaped as badly as can be, and room."""

Code = Literal[
    "T2C-INTAKE-UNKNOWN-ACTOR",
    "T2C-INTAKE-UNVERIFIED-ACTOR",
    "T2C-INTAKE-ROLE-MISMATCH",
    "T2C-INTAKE-UNAUTHORIZED",
    "T2C-INTAKE-FILENAME-MISMATCH",
    "T2C-INTAKE-VERSION-CONFLICT",
    "T2C-INTAKE-DUPLICATE",
    "T2C-INTAKE-BROKEN-CHAIN",
    "T2C-INTAKE-INVALID-SCHEMA",
    "T2C-INTAKE-INVALID-WIRE",
    "T2C-INTAKE-SECRET-INPUT",
    "T2C-INTAKE-UNSAFE-PATH",
    "T2C-INTAKE-PROJECTION-DRIFT",
    "T2C-INTAKE-STORAGE-FAILURE",
]


class Rule(NamedTuple):
    """What follows from a code: how the command ends, whether the same request may be sent again, what to do."""

    exit: int
    retryable: bool
    remedy: str


CODES: Final[dict[Code, Rule]] = {
    "T2C-INTAKE-UNKNOWN-ACTOR": Rule(
        3, False, "have a manager register the participant and bind this principal"
    ),
    "T2C-INTAKE-UNVERIFIED-ACTOR": Rule(
        3, False, "use a principal that is verified and bound to nobody else"
    ),
    "T2C-INTAKE-ROLE-MISMATCH": Rule(3, False, "use the assigned role, or have it changed with AssignRole"),
    "T2C-INTAKE-UNAUTHORIZED": Rule(3, False, "use a principal whose participant has this right and ticket"),
    "T2C-INTAKE-FILENAME-MISMATCH": Rule(3, False, "move the file of the other role away, then rebuild"),
    "T2C-INTAKE-VERSION-CONFLICT": Rule(4, True, "read the version of the stream and send the command again"),
    "T2C-INTAKE-DUPLICATE": Rule(4, False, "use a new idempotency key, or ask for what is there already"),
    "T2C-INTAKE-BROKEN-CHAIN": Rule(
        5, False, "run `t2c ledger verify` and restore the journal from a good copy"
    ),
    "T2C-INTAKE-INVALID-SCHEMA": Rule(2, False, "send an envelope of schema t2c.intake-envelope/v1"),
    "T2C-INTAKE-INVALID-WIRE": Rule(2, False, "send one JSON object in UTF-8"),
    "T2C-INTAKE-SECRET-INPUT": Rule(3, False, "take the secret out and have it changed where it is in use"),
    "T2C-INTAKE-UNSAFE-PATH": Rule(
        3, False, "replace the symbolic link by a folder or file inside the repository"
    ),
    "T2C-INTAKE-PROJECTION-DRIFT": Rule(4, False, "move the changed file away, then send RebuildProjection"),
    "T2C-INTAKE-STORAGE-FAILURE": Rule(6, True, "make the folder writable, then send the command again"),
}


class Rejection(Exception):
    """Why intake does not accept a request; `message` says what of it, the code's row what to do."""

    def __init__(self, code: Code, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message
        self.remedy = remedy or CODES[code].remedy


class _Command(Value):
    schemaVersion: Literal["t2c.intake-command/v1"]


class RegisterParticipant(_Command):
    """Admit a participant. The first one may register itself."""

    type: Literal["RegisterParticipant"]
    participant: ParticipantV2


class BindExternalIdentity(_Command):
    """Bind one more account to a participant."""

    type: Literal["BindExternalIdentity"]
    participantId: ParticipantId
    principal: Principal


class AssignRole(_Command):
    """Give a person a role, tickets and rights in place of the present ones."""

    type: Literal["AssignRole"]
    participantId: ParticipantId
    governanceRole: GovernanceRole
    ticketIds: tuple[TicketId, ...]
    capabilities: tuple[Capability, ...]


class CaptureMessage(_Command):
    """Take in a person's own message about a ticket."""

    type: Literal["CaptureMessage"]
    participantId: ParticipantId
    governanceRole: GovernanceRole
    ticketId: TicketId
    message: str


class RebuildProjection(_Command):
    """Make the file of a person's messages about a ticket again."""

    type: Literal["RebuildProjection"]
    participantId: ParticipantId
    ticketId: TicketId


class VerifyEventStream(_Command):
    """Prove the journal and the stream in it."""

    type: Literal["VerifyEventStream"]


class _Query(Value):
    schemaVersion: Literal["t2c.intake-query/v1"]


class ResolveParticipant(_Query):
    """Whose account `provider:subject` is."""

    type: Literal["ResolveParticipant"]
    principal: str


class GetRole(_Query):
    """A participant with role, tickets and rights."""

    type: Literal["GetRole"]
    participantId: ParticipantId


class GetTicketConversation(_Query):
    """Every message about a ticket, in order."""

    type: Literal["GetTicketConversation"]
    ticketId: TicketId


class GetCommandStatus(_Query):
    """What became of the command with this key."""

    type: Literal["GetCommandStatus"]
    idempotencyKey: str


class ValidateProjection(_Query):
    """Whether a projected file is what the events say."""

    type: Literal["ValidateProjection"]
    participantId: ParticipantId
    ticketId: TicketId


Command = Annotated[
    RegisterParticipant
    | BindExternalIdentity
    | AssignRole
    | CaptureMessage
    | RebuildProjection
    | VerifyEventStream,
    Field(discriminator="type"),
]
Query = Annotated[
    ResolveParticipant | GetRole | GetTicketConversation | GetCommandStatus | ValidateProjection,
    Field(discriminator="type"),
]


class Envelope(Value):
    """What every request carries. `authenticatedPrincipal` is `provider:subject`, vouched for by the transport."""

    schemaVersion: Literal["t2c.intake-envelope/v1"]
    messageId: Reference
    correlationId: Reference
    causationId: Reference | None
    idempotencyKey: Reference
    authenticatedPrincipal: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}:\S", max_length=500)
    ]
    expectedVersion: Count | None
    timestamp: Timestamp
    payloadHash: Hex64
    unknownFields: tuple[str, ...] = ()


class CommandEnvelope(Envelope):
    """An envelope around a command."""

    payload: Command


class QueryEnvelope(Envelope):
    """An envelope around a query."""

    payload: Query


_Kind = TypeVar("_Kind", bound=Envelope)
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def hash_of(payload: object) -> str:
    """The hash of a payload: SHA-256 of its published JSON form (intent-evidence §0.1)."""
    return sha256(canon.artifact(payload)).hexdigest()


def value_of(content: bytes) -> dict[str, Any]:
    """The JSON object in a request. Raises Rejection INVALID-WIRE if it is none."""
    if len(content) > MAX_INPUT:
        raise Rejection("T2C-INTAKE-INVALID-WIRE", f"the input is longer than {MAX_INPUT:,} bytes")
    try:
        value = canon.loads(content.removeprefix(b"\xef\xbb\xbf"))
        canon.check(value)
    except canon.NotCanonical as error:
        raise Rejection("T2C-INTAKE-INVALID-WIRE", str(error)) from None
    if not isinstance(value, dict):
        raise Rejection("T2C-INTAKE-INVALID-WIRE", "the input is no JSON object")
    return value


def command_of(value: dict[str, Any]) -> CommandEnvelope:
    """A command in its envelope. Raises Rejection INVALID-SCHEMA, naming the member that is wrong."""
    envelope = _checked(CommandEnvelope, value)
    payload = envelope.payload
    if isinstance(payload, CaptureMessage):
        if not payload.message.strip():
            raise Rejection("T2C-INTAKE-INVALID-SCHEMA", "payload.message is blank")
        if len(payload.message.encode()) > MAX_MESSAGE:
            raise Rejection(
                "T2C-INTAKE-INVALID-SCHEMA", f"payload.message is longer than {MAX_MESSAGE:,} bytes"
            )
        if _CONTROL.search(payload.message):
            raise Rejection("T2C-INTAKE-INVALID-SCHEMA", "payload.message holds control characters")
    return envelope


def query_of(value: dict[str, Any]) -> QueryEnvelope:
    """A query in its envelope. Raises Rejection INVALID-SCHEMA, naming the member that is wrong."""
    return _checked(QueryEnvelope, value)


def _checked(model: type[_Kind], value: dict[str, Any]) -> _Kind:
    try:
        envelope = model.model_validate_json(canon.canonical(value))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise Rejection("T2C-INTAKE-INVALID-SCHEMA", f"{place or 'the envelope'}: {problem['msg']}") from None
    if hash_of(value["payload"]) != envelope.payloadHash:
        raise Rejection("T2C-INTAKE-INVALID-SCHEMA", "payloadHash is not the hash of the payload")
    return envelope
