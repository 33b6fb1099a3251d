"""`t2c intake query`: what governed intake holds. Nothing is written, and no ledger is made."""

from __future__ import annotations

from typing import Any

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.intake_files import seen
from t2c.cli.actions.intake_result import IntakeResult, accepted, rejected
from t2c.cli.actions.intake_stream import load, messages
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.apply.base import digest
from t2c.ledger.commands.intake_contract import (
    GetCommandStatus,
    GetRole,
    GetTicketConversation,
    QueryEnvelope,
    Rejection,
    ResolveParticipant,
    ValidateProjection,
    query_of,
    value_of,
)
from t2c.ledger.commands.intake_stream import IntakeState, captured_text, resolve
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import Corrupt, T2cError
from t2c.ledger.intake.governed.files import ROLES, managed_of, role_file, role_path

__all__ = ["query"]


def query(context: Context, content: bytes, folder: str = "project") -> IntakeResult:
    """Answer one query in its envelope; what is wrong with it or with the journal is told in the result."""
    value: dict[str, Any] = {}
    try:
        value = value_of(content)
        envelope = query_of(value)
        if not (context.workspace / JOURNAL).exists():
            return accepted(envelope, 0, _answer(context, None, IntakeState(), envelope, folder))
        with open_ledger(context) as ledger:
            state = load(ledger).state
            return accepted(envelope, state.version, _answer(context, ledger, state, envelope, folder))
    except Rejection as rejection:
        return rejected(value, rejection, 0)
    except Corrupt as error:
        return rejected(value, Rejection("T2C-INTAKE-BROKEN-CHAIN", error.what, error.remedy), 0)
    except T2cError as error:
        return rejected(value, Rejection("T2C-INTAKE-STORAGE-FAILURE", error.what, error.remedy), 0)


def _answer(
    context: Context, ledger: Ledger | None, state: IntakeState, envelope: QueryEnvelope, folder: str
) -> object:
    match envelope.payload:
        case ResolveParticipant(principal=principal):
            return _shown(resolve(state, principal))
        case GetRole(participantId=identity):
            return _shown(state.members.get(identity))
        case GetCommandStatus(idempotencyKey=key):
            return _status(state, key)
        case GetTicketConversation(ticketId=ticket):
            return _conversation(state, ledger, ticket)
        case ValidateProjection() as asked:
            return _validation(context, ledger, state, asked, folder)


def _shown(member: object) -> object:
    return None if member is None else msgspec.to_builtins(member)


def _status(state: IntakeState, key: str) -> dict[str, object] | None:
    if (done := state.done.get(key)) is not None:
        return {
            "status": "accepted",
            "version": done.version,
            "type": done.type,
            "event": done.event,
            "seq": done.seq,
            "payloadHash": done.hash,
        }
    code = state.refused.get(key)
    return None if code is None else {"status": "rejected", "code": code}


def _conversation(state: IntakeState, ledger: Ledger | None, ticket: str) -> list[dict[str, object]]:
    told = [said for said in state.messages if said.ticket == ticket]
    if ledger is None:
        return []
    entries = ledger.journal.many(said.offset for said in told)
    return [
        {
            "participantId": said.participant,
            "governanceRole": said.role,
            "ticketId": said.ticket,
            "message": captured_text(bytes(entry.data)),
            "version": said.version,
            "timestamp": said.timestamp,
            "event": entry.id,
        }
        for said, entry in zip(told, entries, strict=True)
    ]


def _validation(
    context: Context, ledger: Ledger | None, state: IntakeState, asked: ValidateProjection, folder: str
) -> dict[str, object]:
    """Whether a file holds what the events say. `reason` is null if it does."""
    person = state.members.get(asked.participantId)
    if ledger is None or person is None:
        return {"valid": False, "reason": "participant-unknown", "path": None}
    if person.governanceRole is None:
        return {"valid": False, "reason": "participant-has-no-human-role", "path": None}
    path = role_path(folder, asked.ticketId, person.governanceRole, person.id)
    told = messages(ledger, state, person.id, asked.ticketId)
    wanted = (
        role_file(person.id, person.displayName, person.governanceRole, asked.ticketId, told)
        if told
        else None
    )
    there = seen(context.root, path)
    others = [
        beside
        for role in ROLES
        if role != person.governanceRole
        and seen(context.root, beside := role_path(folder, asked.ticketId, role, person.id)) is not None
    ]
    reason = None
    if others:
        reason = "other-role-file"
    elif there is None and wanted is not None:
        reason = "missing"
    elif there != wanted:
        reason = "outdated" if there is not None and managed_of(there, person.id) else "changed"
    return {
        "valid": reason is None,
        "reason": reason,
        "path": path,
        "expectedHash": digest(wanted),
        "actualHash": digest(there),
        "conflictingFiles": others,
    }
