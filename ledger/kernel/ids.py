"""Ids come from content and structure; only the ledger id, keys and salts are random (decisions A5).

This is the one module that may draw random bytes.
"""

from __future__ import annotations

import secrets
import unicodedata
from typing import NewType

from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.digests import short

__all__ = [
    "RECORD_PREFIX",
    "SALT_BYTES",
    "EventId",
    "LedgerId",
    "RecordId",
    "RelationId",
    "RunId",
    "fresh_ledger_id",
    "fresh_salt",
    "fresh_seed",
    "normalised",
    "record_id",
    "relation_id",
    "run_id",
]

EventId = NewType("EventId", str)
LedgerId = NewType("LedgerId", str)
RecordId = NewType("RecordId", str)
RelationId = NewType("RelationId", str)
RunId = NewType("RunId", str)

SALT_BYTES = 32

RECORD_PREFIX = {
    "nl": "INT-NL",
    "git": "INT-GIT",
    "ast": "INT-AST",
    "todo": "INT-TODO",
    "changelog": "INT-CHANGELOG",
    "document": "INT-DOC",
    "agent_log": "INT-AGENT",
    "test": "INT-TEST",
    "system": "INT-SYS",
}


def fresh_ledger_id() -> LedgerId:
    """128 random bits in hex: a chain cannot be replayed into another ledger."""
    return LedgerId(secrets.token_hex(16))


def fresh_salt() -> bytes:
    """32 random bytes, which keep a short payload from being guessed from its hash (journal-engine §6)."""
    return secrets.token_bytes(SALT_BYTES)


def fresh_seed() -> bytes:
    """32 random bytes that are a new Ed25519 private key (RFC 8032 §5.1.5)."""
    return secrets.token_bytes(32)


def normalised(text: str) -> str:
    """A statement as far as identity cares: NFC, one space for any white space, case folded, no final dot."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold().rstrip(" .")


def record_id(
    source: str,
    path: str | None,
    kind: str,
    trail: tuple[str, ...] | list[str],
    key: str,
    ordinal: int,
) -> RecordId:
    """Identity of a record: where it stands in the structure and what it says, never line numbers.

    `trail` is the heading trail or the enclosing symbols, `key` the revision, the qualified symbol or the
    normalised statement, `ordinal` its place among equals, from 1 (architecture §4).
    """
    seed = canonical([source, path, kind, [normalised(step) for step in trail], key, ordinal])
    return RecordId(f"{RECORD_PREFIX[source]}-{short(seed)}")


def relation_id(source: str, target: str, kind: str) -> RelationId:
    """Identity of a relation is (from, to, type): a new signal renames nothing (architecture §4)."""
    return RelationId("REL-" + short(canonical([source, target, kind])))


def run_id(head: str, ts: str) -> RunId:
    """`<UTC yyyymmddThhmmssZ>-<8 hex of SHA-256(head ‖ ts)>` (decisions A5)."""
    stamp = ts[:19].replace("-", "").replace(":", "")
    return RunId(f"{stamp}Z-{short((head + ts).encode())[:8]}")
