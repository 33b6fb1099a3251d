"""Governed intake: who takes part, what each may do, and which event a command calls for (intent-evidence §10.5).

Pure: `decide` looks at the state and the command alone.
"""

from __future__ import annotations

from typing import NamedTuple

from t2c.ledger.commands.intake_contract import (
    AssignRole,
    BindExternalIdentity,
    CaptureMessage,
    CommandEnvelope,
    RebuildProjection,
    RegisterParticipant,
    Rejection,
    VerifyEventStream,
)
from t2c.ledger.commands.intake_stream import Done, IntakeState, Member, resolve
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.intake import (
    Bound,
    Captured,
    IdentityBound,
    IntakePayload,
    Issue,
    MessageCaptured,
    Messages,
    ParticipantAdmitted,
    ProjectionRebuilt,
    Registration,
    RoleAssigned,
    StreamVerified,
    Verified,
)
from t2c.ledger.events.participants import ParticipantV2, Principal, principal_key, unfit
from t2c.ledger.kernel.actor import SCANNER, Actor

__all__ = ["Decision", "decide", "member", "repeated"]


class Decision(NamedTuple):
    """The event that a command calls for, and the person and ticket whose file it changes."""

    draft: EventDraft
    changes: tuple[str, str] | None = None
    registry: bool = False


def repeated(state: IntakeState, envelope: CommandEnvelope) -> Done | None:
    """The command that this one repeats. Raises Rejection DUPLICATE if its key stands for another payload."""
    done = state.done.get(envelope.idempotencyKey)
    if done is not None and done.hash != envelope.payloadHash:
        raise Rejection(
            "T2C-INTAKE-DUPLICATE",
            f"the idempotency key stands for another payload since version {done.version}",
            "use a new idempotency key",
        )
    return done


def member(state: IntakeState, identity: str) -> Member:
    """A participant by id. Raises Rejection UNKNOWN-ACTOR."""
    found = state.members.get(identity)
    if found is None:
        raise Rejection(
            "T2C-INTAKE-UNKNOWN-ACTOR",
            f"no participant {identity} is registered",
            "register the participant first",
        )
    return found


def decide(state: IntakeState, envelope: CommandEnvelope, head: str) -> Decision:
    """The event that a command calls for, as the rules stand. `head` is the hash of the journal's last event.

    Raises Rejection with the code of the rule that forbids it; what may be written where, and whether it holds a
    secret, is for the caller to see.
    """
    command = envelope.payload
    if envelope.expectedVersion is not None and envelope.expectedVersion != state.version:
        raise Rejection(
            "T2C-INTAKE-VERSION-CONFLICT",
            f"version {envelope.expectedVersion} was expected, the stream is at {state.version}",
        )
    actor = resolve(state, envelope.authenticatedPrincipal)
    match command:
        case RegisterParticipant():
            return _register(state, envelope, command.participant, actor)
        case VerifyEventStream():
            _may(envelope, actor, "verify_event_stream")
            payload = Verified(verifiedVersion=state.version, verifiedHash=head)
            return Decision(_draft(StreamVerified, envelope, None, payload))
        case BindExternalIdentity():
            by = _may(envelope, actor, "assign_participant")
            target = member(state, command.participantId)
            _free(state, command.principal, target.id)
            bound = Bound(participantId=target.id, principal=command.principal)
            return Decision(_draft(IdentityBound, envelope, by, bound), registry=True)
        case AssignRole():
            return _role(state, envelope, command, actor)
        case CaptureMessage():
            return _capture(state, envelope, command, actor)
        case RebuildProjection():
            _may(envelope, actor, "rebuild_projection")
            target = _person(state, command.participantId, command.ticketId)
            asked = Messages(participantId=target.id, ticketId=command.ticketId)
            return Decision(
                _draft(ProjectionRebuilt, envelope, None, asked), (target.id, command.ticketId), registry=True
            )


def _register(
    state: IntakeState, envelope: CommandEnvelope, new: ParticipantV2, actor: Member | None
) -> Decision:
    for _, what in unfit([new]):
        raise Rejection("T2C-INTAKE-INVALID-SCHEMA", what)
    own = {principal_key(principal.provider, principal.subject) for principal in new.principals}
    by = Actor.parse(new.id)
    if state.members:
        who = _may(envelope, actor, "assign_participant")
        if who.governanceRole != "manager":
            raise Rejection("T2C-INTAKE-UNAUTHORIZED", f"{who.id} is no manager and registers nobody")
        by = Actor.parse(who.id)
    else:
        provider, _, subject = envelope.authenticatedPrincipal.partition(":")
        if principal_key(provider, subject) not in own:
            raise Rejection(
                "T2C-INTAKE-UNAUTHORIZED",
                "the first participant registers itself, and the principal is none of its own",
                "let the first participant be the one who sends the command",
            )
        if new.governanceRole != "manager" or "assign_participant" not in new.capabilities:
            raise Rejection(
                "T2C-INTAKE-UNAUTHORIZED",
                "the first participant registers all others, and this one may not",
                "make it a human of governanceRole manager with the capability assign_participant",
            )
    if new.id in state.members:
        raise Rejection("T2C-INTAKE-DUPLICATE", f"{new.id} is registered already")
    for principal in new.principals:
        _free(state, principal, new.id)
    registration = Registration(participant=new)
    return Decision(_drafted(ParticipantAdmitted, envelope, by, registration), registry=True)


def _role(
    state: IntakeState, envelope: CommandEnvelope, command: AssignRole, actor: Member | None
) -> Decision:
    by = _may(envelope, actor, "assign_role")
    target = member(state, command.participantId)
    if target.kind != "human":
        raise Rejection("T2C-INTAKE-UNAUTHORIZED", f"{target.id} is an agent, which has no governance role")
    for values in (command.ticketIds, command.capabilities):
        if len(set(values)) < len(values):
            raise Rejection("T2C-INTAKE-INVALID-SCHEMA", "payload: a ticket or a capability is given twice")
    issue = Issue(
        participantId=target.id,
        governanceRole=command.governanceRole,
        ticketIds=command.ticketIds,
        capabilities=command.capabilities,
    )
    return Decision(_draft(RoleAssigned, envelope, by, issue), registry=True)


def _capture(
    state: IntakeState, envelope: CommandEnvelope, command: CaptureMessage, actor: Member | None
) -> Decision:
    by = _may(envelope, actor, "capture_own_message")
    target = member(state, command.participantId)
    if by.id != target.id or by.kind != "human":
        raise Rejection("T2C-INTAKE-UNAUTHORIZED", f"{by.id} may not speak for {target.id}")
    if target.governanceRole != command.governanceRole:
        raise Rejection(
            "T2C-INTAKE-ROLE-MISMATCH",
            f"{target.id} is {target.governanceRole}, not {command.governanceRole}",
        )
    _person(state, target.id, command.ticketId)
    captured = Captured(
        participantId=target.id,
        governanceRole=command.governanceRole,
        ticketId=command.ticketId,
        message=command.message,
    )
    return Decision(_draft(MessageCaptured, envelope, by, captured), (target.id, command.ticketId))


def _may(envelope: CommandEnvelope, actor: Member | None, capability: str) -> Member:
    if actor is None:
        raise Rejection("T2C-INTAKE-UNKNOWN-ACTOR", "the principal is bound to no registered participant")
    if capability not in actor.capabilities:
        what = f"{actor.id} has no capability {capability}"
        raise Rejection("T2C-INTAKE-UNAUTHORIZED", what, "have it given with AssignRole by somebody who may")
    return actor


def _person(state: IntakeState, identity: str, ticket: str) -> Member:
    """A human who takes part in a ticket."""
    found = member(state, identity)
    if found.kind != "human" or found.governanceRole is None:
        raise Rejection("T2C-INTAKE-UNAUTHORIZED", f"{found.id} is an agent, which has no file of messages")
    if ticket not in found.ticketIds:
        what = f"{found.id} is not assigned to {ticket}"
        raise Rejection("T2C-INTAKE-UNAUTHORIZED", what, "have the ticket assigned with AssignRole")
    return found


def _free(state: IntakeState, principal: Principal, identity: str) -> None:
    owner = state.owners.get(principal_key(principal.provider, principal.subject))
    if owner == identity:
        raise Rejection("T2C-INTAKE-DUPLICATE", f"the principal is bound to {identity} already")
    if owner is not None:
        raise Rejection("T2C-INTAKE-UNVERIFIED-ACTOR", f"the principal is bound to {owner}")


def _draft(
    kind: type[IntakePayload],
    envelope: CommandEnvelope,
    by: Member | None,
    payload: Registration | Bound | Issue | Captured | Messages | Verified,
) -> EventDraft:
    return _drafted(kind, envelope, SCANNER if by is None else Actor.parse(by.id), payload)


def _drafted(
    kind: type[IntakePayload], envelope: CommandEnvelope, actor: Actor, payload: object
) -> EventDraft:
    event = kind.model_validate(
        {
            "messageId": envelope.messageId,
            "correlationId": envelope.correlationId,
            "causationId": envelope.causationId,
            "idempotencyKey": envelope.idempotencyKey,
            "authenticatedPrincipal": envelope.authenticatedPrincipal,
            "timestamp": envelope.timestamp,
            "payloadHash": envelope.payloadHash,
            "payload": payload,
        }
    )
    return draft(event, actor=actor)
