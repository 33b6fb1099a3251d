"""The two files of governed intake: the messages of one person about one ticket, and the registry of participants.

Both are made again from the events at any time; the extractor of communication reads them like any other file
(intent-evidence §10.5).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.events.participants import GovernanceRole
from t2c.ledger.intake.communication.attribution import MANAGED
from t2c.ledger.intake.communication.envelope import opened
from t2c.ledger.intake.communication.extractor import projection_hash
from t2c.ledger.intake.lines import Notes

__all__ = ["REGISTRY", "ROLES", "Message", "managed_of", "registry_file", "role_file", "role_path", "slug_of"]

REGISTRY: Final = "participants.v2.json"
ROLES: Final[tuple[GovernanceRole, ...]] = ("dev", "manager", "user")


class Message(NamedTuple):
    """One message, and the version of the stream at which it was captured."""

    version: int
    text: str


def slug_of(identity: str) -> str:
    """The part of a participant's id that names files: `human:ada` → `ada`."""
    return identity.partition(":")[2]


def role_path(folder: str, ticket: str, role: str, identity: str) -> str:
    """Where the messages of a person about a ticket stand."""
    return f"{folder}/{ticket}/{role}-{slug_of(identity)}.md"


def role_file(identity: str, name: str, role: str, ticket: str, messages: Iterable[Message]) -> bytes:
    """The file of a person's messages about a ticket."""
    parts = [f"# Participant: {name}\n"]
    for version, text in messages:
        plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        parts.append(f"## Message {version}\n\n{plain}\n")
    body = "\n".join(parts)
    head = {
        "participant-id": identity,
        "participant": name,
        "role": role,
        "ticket": ticket,
        "projection-managed": MANAGED,
        "projection-hash": projection_hash(body),
    }
    envelope = "".join(f"{key}: {value}\n" for key, value in head.items())
    return f"---\n{envelope}---\n{body}".encode()


def managed_of(content: bytes, identity: str | None = None) -> bool:
    """True if a file is what intake wrote for this participant (or for anyone), unchanged since.

    What it says of itself is not believed: the hash must fit what follows the envelope (case: the hash inside the file).
    """
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return False
    envelope, _ = opened(iter(text.splitlines()), Notes("agent_log", ""))
    if envelope is None or not envelope.closed or envelope.get("projection-managed") != MANAGED:
        return False
    if identity is not None and envelope.get("participant-id") != identity:
        return False
    return envelope.get("projection-hash") == projection_hash(text.partition("\n---\n")[2])


def registry_file(version: int, participants: Sequence[Mapping[str, Any]]) -> bytes:
    """The registry of participants in byte order of their ids; `version` is that of the last change to it."""
    ordered = sorted(participants, key=lambda one: str(one["id"]))
    document = {
        "schemaVersion": "t2c.participant-registry/v2",
        "version": version,
        "participants": ordered,
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
