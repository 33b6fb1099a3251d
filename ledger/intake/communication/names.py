"""What the name of a file says of who wrote it (intent-evidence §2.10).

Two conventions: `user-ada.md` and `ai-codex.md`, one file a participant, and `human.ada.request.001.md`, one file a
message; folders `humans/ada/` and `agents/codex/` say the same as the second.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, cast, get_args

__all__ = ["TYPES", "FileName", "MessageType", "Role", "is_evidence", "is_ticket", "said_by_name"]

Role = Literal["human", "agent", "unknown"]
MessageType = Literal["request", "plan", "decision", "message", "report", "result", "claim"]
TYPES: Final[frozenset[str]] = frozenset(get_args(MessageType))

_GOVERNED: Final = re.compile(r"(user|human|ai|agent)-(.+)\Z", re.IGNORECASE | re.DOTALL)
_ROLES: Final[dict[str, Role]] = {
    "agent": "agent", "agents": "agent", "ai": "agent",
    "human": "human", "humans": "human", "user": "human", "users": "human",
}  # fmt: skip
_DOTTED: Final = frozenset({"agent", "human", "user"})
_FOLDERS: Final = frozenset({"agent", "agents", "human", "humans", "user", "users"})
_EVIDENCE: Final = frozenset(
    {"readme.md", "preprompt.md", "changelog.md", "audit.md", "baseline.md", "logs.txt"}
)
_EVIDENCE_LIKE: Final = re.compile(
    r"(?:.*[._-])?(?:task|todo)\.md|iteration-\d+(?:-[a-z0-9-]+)?\.md|(?:ai|agent)-.+-logs\.txt", re.DOTALL
)
_TICKET: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*-\d+(?:[-_][A-Za-z0-9]+)*\Z", re.ASCII)


class FileName(NamedTuple):
    """`participant` as it is written there; `governed` if the whole file is one participant's and has sections."""

    role: Role = "unknown"
    participant: str | None = None
    type: MessageType | None = None
    governed: bool = False


def said_by_name(inside: str) -> FileName:
    """What a path, seen from the project folder, says of its writer."""
    *folders, base = inside.split("/")
    stem = base.rpartition(".")[0]
    match = _GOVERNED.match(stem)
    if match and not match[2].lower().endswith("-logs"):
        role = _ROLES[match[1].lower()]
        return FileName(role, match[2].lower(), "request" if role == "human" else "plan", True)
    parts = stem.split(".")
    if parts[0].lower() in _DOTTED:
        given = _type(parts[2].lower() if len(parts) > 2 else None)
        return FileName(_ROLES[parts[0].lower()], (parts[1] if len(parts) > 1 else "") or None, given)
    kind: MessageType | None = next((_type(part.lower()) for part in parts if part.lower() in TYPES), None)
    for place, folder in enumerate(folders):
        if folder.lower() in _FOLDERS:
            below = folders[place + 1] if place + 1 < len(folders) else parts[0]
            return FileName(_ROLES[folder.lower()], below or None, kind)
    return FileName(type=kind)


def _type(text: str | None) -> MessageType | None:
    return cast(MessageType, text) if text in TYPES else None


def is_evidence(base: str) -> bool:
    """True for files that stand beside a conversation and are none: logs, audits, task lists."""
    name = base.lower()
    return name in _EVIDENCE or _EVIDENCE_LIKE.fullmatch(name) is not None


def is_ticket(folder: str) -> bool:
    """True if a folder is called as tickets are: `ticket-004`, `ACME-12`."""
    return _TICKET.match(folder) is not None
