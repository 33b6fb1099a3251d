"""SHA-256 with domain bytes, so that no digest of one kind can stand for another (journal-engine §6)."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

__all__ = ["ZERO", "event_id", "leaf_hash", "node_hash", "payload_hash", "short"]

ZERO: Final = "0" * 64
"""The `prev` of the first event."""

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
_ID: Final = b"\x02"
_PAYLOAD: Final = b"\x03"


def leaf_hash(line: bytes) -> str:
    """The chain link and Merkle leaf of one line, LF excluded: 64 hex."""
    return sha256(_LEAF + line).hexdigest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """An inner node of the RFC 6962 tree: 32 bytes."""
    return sha256(_NODE + left + right).digest()


def event_id(line_without_id: bytes) -> str:
    """`EVT-` and 20 hex of the canonical line without its `id` member (journal-engine §1)."""
    return "EVT-" + sha256(_ID + line_without_id).hexdigest()[:20]


def payload_hash(salted: bytes) -> str:
    """The commitment to a redactable payload object: 64 hex."""
    return sha256(_PAYLOAD + salted).hexdigest()


def short(content: bytes) -> str:
    """The first 20 hex of SHA-256, the length of every short id of ours."""
    return sha256(content).hexdigest()[:20]
