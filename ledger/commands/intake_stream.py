"""What governed intake has accepted: the state of its stream, event by event (intent-evidence §10.5).

The version of the stream is the number of its events. An event whose payload is of another shape changes nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec
import orjson

from t2c.ledger.commands.intake_contract import hash_of
from t2c.ledger.events.participants import principal_key

__all__ = [
    "HANDLED",
    "PURPOSE",
    "STATE_VERSION",
    "STREAM",
    "Account",
    "Done",
    "IntakeState",
    "Member",
    "Said",
    "captured_text",
    "evolve",
    "fits_its_hash",
    "of_person",
    "resolve",
]

STATE_VERSION: Final = 1
STREAM: Final = frozenset(
    {
        "participant.admitted",
        "identity.bound",
        "role.assigned",
        "message.captured",
        "projection.rebuilt",
        "stream.verified",
    }
)
"""The events whose number is the version."""
PURPOSE: Final = "trusted-intake"
"""The purpose of what intake announces."""
HANDLED: Final = STREAM | {"apply.announced", "refusal.noted"}


class Account(msgspec.Struct):
    provider: str
    subject: str
    verifiedAt: str


class Member(msgspec.Struct):
    """A participant as it stands; its members are those of ParticipantV2."""

    id: str
    kind: str
    displayName: str
    governanceRole: str | None
    capabilities: list[str]
    principals: list[Account]
    ticketIds: list[str]


class Done(msgspec.Struct):
    """A command that was accepted: the event that it became."""

    hash: str
    version: int
    type: str
    event: str
    seq: int


class Said(msgspec.Struct):
    """A message: its line in the journal starts at byte `offset`."""

    participant: str
    role: str
    ticket: str
    version: int
    offset: int
    timestamp: str


class IntakeState(msgspec.Struct):
    """All that was accepted.

    `registry` is the version at which the participants last changed, `owners` maps an account to its participant, `done`
    and `refused` a key to what became of its command. `announced` holds the hash of every content that was announced
    for a registry, by path.
    """

    version: int = 0
    registry: int = 0
    members: dict[str, Member] = {}
    owners: dict[str, str] = {}
    done: dict[str, Done] = {}
    refused: dict[str, str] = {}
    messages: list[Said] = []
    announced: dict[str, list[str]] = {}
    ledger: str | None = None


class Placed(Protocol):
    """Where an event stands."""

    @property
    def seq(self) -> int: ...
    @property
    def id(self) -> str: ...


class _Applied(msgspec.Struct):
    path: str
    after: str | None


class _Announced(msgspec.Struct):
    purpose: str
    files: list[_Applied]


class _Refused(msgspec.Struct):
    subject: str
    code: str
    reference: str | None


class _Event(msgspec.Struct):
    idempotencyKey: str
    payloadHash: str
    timestamp: str
    payload: dict[str, Any]


def evolve(state: IntakeState, type: str, data: bytes, place: Placed, offset: int) -> None:
    """Take one event in. Raises what msgspec and lookups raise for a payload of another shape."""
    if type == "apply.announced":
        announced = msgspec.json.decode(data, type=_Announced)
        if announced.purpose == PURPOSE:
            for path, after in ((file.path, file.after) for file in announced.files):
                if path.endswith(".json") and after is not None:
                    known = state.announced.setdefault(path, [])
                    if after not in known:
                        known.append(after)
        return
    if type == "refusal.noted":
        refused = msgspec.json.decode(data, type=_Refused)
        if refused.reference is not None and refused.subject.startswith("intake."):
            state.refused[refused.reference] = refused.code
        return
    event = msgspec.json.decode(data, type=_Event)
    state.version = version = state.version + 1
    state.done[event.idempotencyKey] = Done(event.payloadHash, version, type, place.id, place.seq)
    state.refused.pop(event.idempotencyKey, None)
    change = _CHANGES.get(type)
    if change is not None:
        change(state, event.payload)
        state.registry = version
    elif type == "message.captured":
        told = event.payload
        said = Said(
            told["participantId"], told["governanceRole"], told["ticketId"], version, offset, event.timestamp
        )
        state.messages.append(said)


def _admit(state: IntakeState, payload: Mapping[str, Any]) -> None:
    new = msgspec.convert(payload["participant"], Member)
    state.members[new.id] = new
    for account in new.principals:
        state.owners.setdefault(principal_key(account.provider, account.subject), new.id)


def _bind(state: IntakeState, payload: Mapping[str, Any]) -> None:
    account = msgspec.convert(payload["principal"], Account)
    state.members[payload["participantId"]].principals.append(account)
    state.owners.setdefault(principal_key(account.provider, account.subject), payload["participantId"])


def _assign(state: IntakeState, payload: Mapping[str, Any]) -> None:
    one = state.members[payload["participantId"]]
    one.governanceRole = payload["governanceRole"]
    one.ticketIds = list(payload["ticketIds"])
    one.capabilities = list(payload["capabilities"])


_CHANGES: Final = {"participant.admitted": _admit, "identity.bound": _bind, "role.assigned": _assign}


_COMMANDS: Final = {
    "participant.admitted": "RegisterParticipant",
    "identity.bound": "BindExternalIdentity",
    "role.assigned": "AssignRole",
    "message.captured": "CaptureMessage",
    "projection.rebuilt": "RebuildProjection",
    "stream.verified": "VerifyEventStream",
}


def fits_its_hash(type: str, data: bytes) -> bool:
    """True if an event of the stream says what the command said whose hash it keeps."""
    try:
        event = msgspec.json.decode(data, type=_Event)
    except msgspec.MsgspecError:
        return False
    told = {} if type == "stream.verified" else event.payload
    asked = {"schemaVersion": "t2c.intake-command/v1", "type": _COMMANDS[type], **told}
    return hash_of(asked) == event.payloadHash


def resolve(state: IntakeState, principal: str) -> Member | None:
    """The participant whose account `provider:subject` is."""
    provider, _, subject = principal.partition(":")
    owner = state.owners.get(principal_key(provider, subject))
    return None if owner is None else state.members.get(owner)


def captured_text(data: bytes) -> str:
    """The text of a `message.captured`."""
    text: str = orjson.loads(data)["payload"]["message"]
    return text


def of_person(state: IntakeState, identity: str, ticket: str) -> Sequence[Said]:
    """A person's messages about a ticket, in order."""
    return [said for said in state.messages if said.participant == identity and said.ticket == ticket]
