"""Who takes part: the participants of governed intake and the two published registries of them (intent-evidence §2.10,
§10.5).

What a JSON Schema can say of them, the types say; `unfit` says the rest. Both the reader of a registry and the
decider of intake hold participants to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from t2c.ledger.events.base import Count, Name, Timestamp, Value

__all__ = [
    "SENTINELS",
    "Capability",
    "GovernanceRole",
    "Kind",
    "KnownParticipant",
    "ParticipantId",
    "ParticipantRegistryV1",
    "ParticipantRegistryV2",
    "ParticipantV2",
    "Principal",
    "TicketId",
    "Unfit",
    "principal_key",
    "unfit",
]

SENTINELS: Final = frozenset({"unresolved:human", "unresolved:agent"})
"""What stands where nobody is known: never a participant, never an address (decisions C4)."""

Kind = Literal["human", "agent"]
GovernanceRole = Literal["manager", "user", "dev"]
Capability = Literal[
    "assign_participant", "assign_role", "capture_own_message", "rebuild_projection", "verify_event_stream"
]
ParticipantId = Annotated[str, Field(pattern=r"^(human|agent):[a-z0-9][a-z0-9._-]{0,99}$")]
TicketId = Annotated[str, Field(pattern=r"^ticket-[0-9]{3,9}$")]


_LINE: Final = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\s\x00-\x1f\x7f-\x9f])?$"
"""One line, with no white space at its ends: it stands in the envelope of a file."""


class Principal(Value):
    """One account of a participant elsewhere, for example `github` and `ada`, and when that was verified."""

    provider: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    subject: Annotated[str, Field(pattern=_LINE, max_length=400)]
    verifiedAt: Timestamp


class ParticipantV2(Value):
    """A participant of governed intake. `governanceRole` is null for agents."""

    id: ParticipantId
    kind: Kind
    displayName: Annotated[str, Field(pattern=_LINE, max_length=200)]
    governanceRole: GovernanceRole | None
    capabilities: tuple[Capability, ...]
    principals: tuple[Principal, ...]
    ticketIds: tuple[TicketId, ...]


class KnownParticipant(Value):
    """A participant as the first registry has it."""

    id: ParticipantId
    role: Kind
    displayName: Name
    gitAuthors: tuple[Name, ...]
    a2aAgentIds: tuple[Name, ...]
    humanAliases: tuple[Name, ...]


class ParticipantRegistryV1(Value):
    """`participants.json`: written by hand."""

    schemaVersion: Literal["t2c.participant-registry/v1"]
    participants: tuple[KnownParticipant, ...]


class ParticipantRegistryV2(Value):
    """`participants.v2.json`: made by governed intake; `version` is that of its stream of events."""

    schemaVersion: Literal["t2c.participant-registry/v2"]
    version: Count
    participants: tuple[ParticipantV2, ...]


class Unfit(NamedTuple):
    """A rule that a registry breaks: which participant of the list, from 0, and how."""

    place: int
    what: str


def principal_key(provider: str, subject: str) -> str:
    """What an account is known by, `provider:subject`: the same account is never two participants'."""
    return f"{provider.lower()}:{subject}"


def unfit(participants: Sequence[ParticipantV2 | KnownParticipant]) -> Iterator[Unfit]:
    """Every rule that the participants break and no schema can say (intent-evidence §2.10, §10.5)."""
    ids: set[str] = set()
    accounts: dict[str, str] = {}
    for index, one in enumerate(participants):
        if one.id in ids:
            yield Unfit(index, f"{one.id} is listed twice")
        ids.add(one.id)
        for problem in _alone(one):
            yield Unfit(index, f"{one.id}: {problem}")
        for account in _accounts(one):
            owner = accounts.setdefault(account.casefold(), one.id)
            if owner != one.id:
                yield Unfit(index, f"{one.id}: {account!r} belongs to {owner} already")


def _alone(one: ParticipantV2 | KnownParticipant) -> Iterator[str]:
    kind = one.kind if isinstance(one, ParticipantV2) else one.role
    if not one.id.startswith(kind + ":"):
        yield f"the id does not begin with {kind}:"
    if isinstance(one, KnownParticipant):
        if kind == "human" and one.a2aAgentIds:
            yield "a human has no a2aAgentIds"
        if kind == "agent" and one.humanAliases:
            yield "an agent has no humanAliases"
        return
    if (one.governanceRole is None) == (kind == "human"):
        yield "a human has a governanceRole" if kind == "human" else "the governanceRole of an agent is null"
    if kind == "agent" and "capture_own_message" in one.capabilities:
        yield "an agent cannot have capture_own_message"
    for member, values in (("capabilities", one.capabilities), ("ticketIds", one.ticketIds)):
        if len(set(values)) < len(values):
            yield f"{member} repeats a value"


def _accounts(one: ParticipantV2 | KnownParticipant) -> Iterator[str]:
    if isinstance(one, ParticipantV2):
        yield from (principal_key(principal.provider, principal.subject) for principal in one.principals)
    else:
        yield from (f"git:{name}" for name in one.gitAuthors)
        yield from (f"a2a:{name}" for name in one.a2aAgentIds)
        yield from (f"alias:{name}" for name in one.humanAliases)
