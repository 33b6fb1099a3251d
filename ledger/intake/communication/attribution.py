"""Who said it: the name of the file, its envelope and the registry, and what of these does not agree.

An identity is never guessed: with a registry only an exact participant-id stands for somebody; display names,
aliases and likeness do not (intent-evidence §2.10).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from t2c.ledger.events.participants import SENTINELS
from t2c.ledger.intake.communication.envelope import Envelope, moment
from t2c.ledger.intake.communication.names import TYPES, FileName, MessageType, Role, is_ticket
from t2c.ledger.intake.communication.registry import Person, Registry
from t2c.ledger.intake.lines import Notes

__all__ = ["MANAGED", "Attribution", "attributed"]

MANAGED: Final = "trusted-intake"
"""The value of `projection-managed` in a file that governed intake wrote."""

_ROLES: Final[dict[str, Role]] = {
    "agent": "agent", "agents": "agent",
    "human": "human", "humans": "human", "user": "human", "users": "human", "person": "human",
}  # fmt: skip
_GOVERNANCE: Final = frozenset({"manager", "user", "dev"})
_UNRESOLVED: Final = SENTINELS | {"unresolved:unknown"}


class Attribution(NamedTuple):
    """Who says what a file holds, about which ticket and to whom."""

    participant: str
    role: Role
    display_name: str
    person: Person | None
    resolved: bool
    source: str
    type: MessageType
    typed: bool
    ticket: str | None
    recipient: str | None
    git_authors: tuple[str, ...]
    timestamp: str | None
    managed: bool


def attributed(
    inside: str, said: FileName, envelope: Envelope, registry: Registry | None, notes: Notes
) -> Attribution:
    """Who says what the file `inside` the project folder holds. What does not agree goes to the notes."""
    named = _participant(envelope.get("participant") or said.participant, envelope, notes)
    identity = _participant(envelope.get("participant-id"), envelope, notes)
    person = _person(identity, envelope, registry, notes)
    managed = envelope.get("projection-managed") == MANAGED
    role = _role(said, envelope, person, managed, notes)
    if person is None and identity is None and named is None:
        notes.add("participant_missing", "neither the name of the file nor its envelope says who wrote it", 1)
    participant = person.id if person else identity or named or f"unknown:{inside.rpartition('/')[2]}"
    known = role != "unknown" and not participant.startswith("unknown:")
    given = (envelope.get("type") or "").lower()
    kind: MessageType = said.type or "message"
    if given:
        kind = given if given in TYPES else "message"  # type: ignore[assignment]
        if given not in TYPES:
            notes.add(
                "type_unknown",
                f"the type is none of {', '.join(sorted(TYPES))}; read as message",
                envelope.lines["type"],
            )
    elif managed:
        kind = "message"
    return Attribution(
        participant=participant,
        role=role,
        display_name=person.display_name if person else named or participant,
        person=person,
        resolved=known if registry is None else person is not None,
        source="registry" if person else "unresolved" if registry else "legacy",
        type=kind,
        typed=bool(given) or managed,
        ticket=_ticket(inside, envelope),
        recipient=_participant(envelope.get("recipient"), envelope, notes, "recipient"),
        git_authors=_git_authors(envelope, person, notes),
        timestamp=_timestamp(envelope, notes),
        managed=managed,
    )


def _participant(name: str | None, envelope: Envelope, notes: Notes, key: str = "participant") -> str | None:
    """A name as it is given; None, with a note, for a sentinel, which is nobody."""
    if name is None or name.lower() not in _UNRESOLVED:
        return name
    line = envelope.lines.get("participant-id" if name == envelope.get("participant-id") else key, 1)
    notes.add("sentinel_participant", f"{name} says that nobody is known, and names no participant", line)
    return None


def _person(
    identity: str | None, envelope: Envelope, registry: Registry | None, notes: Notes
) -> Person | None:
    if registry is None:
        return None
    if identity is None:
        detail = f"{registry.path} is in force, so the envelope needs a participant-id"
        notes.add("participant_id_missing", detail, 1)
        return None
    person = registry.people.get(identity)
    if person is None:
        detail = f"the participant-id is not in {registry.path}"
        notes.add("participant_id_unknown", detail, envelope.lines.get("participant-id"))
        return None
    agent = envelope.get("a2a-agent-id")
    if agent is not None and agent not in person.a2a_agent_ids:
        detail = f"the a2a-agent-id is not that of {person.id} in {registry.path}"
        notes.add("a2a_agent_id_unassigned", detail, envelope.lines.get("a2a-agent-id"))
    return person


def _role(said: FileName, envelope: Envelope, person: Person | None, managed: bool, notes: Notes) -> Role:
    text, line = envelope.get("role"), envelope.lines.get("role", 1)
    given = said.role
    if text is not None:
        given = _ROLES.get(text.lower(), "unknown")
        if managed and text.lower() in _GOVERNANCE:
            given = "human"
    if person is None:
        if given == "unknown":
            notes.add("role_unknown", "the role must be human or agent", line)
        return given
    if (text is not None or given != "unknown") and given != person.role:
        notes.add(
            "role_conflict",
            f"the registry says that {person.id} is of role {person.role}, which counts",
            line,
        )
    return person.role


def _ticket(inside: str, envelope: Envelope) -> str | None:
    folder = inside.partition("/")[0]
    given = envelope.get("ticket")
    if (
        given is None
        and not is_ticket(folder)
        and folder.lower() in ("agents", "agent", "humans", "human", "users", "user")
    ):
        return None
    return "-".join((given or folder).split()).upper()


def _git_authors(envelope: Envelope, person: Person | None, notes: Notes) -> tuple[str, ...]:
    given = envelope.many("git-authors")
    if person is None:
        return given
    if given and given != person.git_authors:
        detail = f"the registry has other git authors for {person.id}, which count"
        notes.add("git_authors_ignored", detail, envelope.lines.get("git-authors"))
    return person.git_authors


def _timestamp(envelope: Envelope, notes: Notes) -> str | None:
    text = envelope.get("timestamp")
    if text is None:
        return None
    found = moment(text)
    if found is None:
        detail = "the timestamp is no RFC 3339 time with an offset"
        notes.add("invalid_timestamp", detail, envelope.lines.get("timestamp"))
    return found
