"""What of a record decides that it is observed again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from t2c.ledger.kernel.canon import canonical

__all__ = ["content_digest"]


def content_digest(record: Mapping[str, Any]) -> bytes:
    """16 bytes over a `t2c.intent/v1` record, its locators and the runtime's version left out (decisions B1)."""
    source, metadata = record["source"], record["metadata"]
    bare = {
        **record,
        "source": {**source, "lines": None, "commitIndex": None},
        "metadata": {**metadata, "generation": {**metadata["generation"], "runtimeVersion": None}},
    }
    return sha256(canonical(bare)).digest()[:16]
