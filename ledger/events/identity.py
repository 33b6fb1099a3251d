"""What of a record decides that it is observed again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from t2c.ledger.kernel.canon import canonical

__all__ = ["content_digest", "digest_of_bare"]


def content_digest(record: Mapping[str, Any]) -> bytes:
    """A digest over a `t2c.intent/v1` record, its locators and the runtime's version left out (decisions B1)."""
    source, metadata = record["source"], record["metadata"]
    bare = {
        **record,
        "source": {**source, "lines": None, "commitIndex": None},
        "metadata": {**metadata, "generation": {**metadata["generation"], "runtimeVersion": None}},
    }
    return digest_of_bare(canonical(bare))


def digest_of_bare(bare: bytes) -> bytes:
    """16 bytes over the canonical form of a record whose locators and runtime version are null."""
    return sha256(bare).digest()[:16]
