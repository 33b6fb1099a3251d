"""The story of a plan or patch: every event that names it, and what follows from these, in the order of the journal.

An approval names a hash, an apply the approval, a receipt the apply: each event of the story adds the names by which
the next ones speak of it, so the events must come in order from the first one on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from t2c.ledger.journal.entry import Entry

__all__ = ["NAMES", "Story"]

NAMES: Final = re.compile(r"(?:CPLAN|SPATCH)-[0-9a-f]{20}")
_FAMILIES: Final = ("change.", "patch.", "approval.", "apply.", "gate.", "refusal.")
"""Families whose events are spoken of by the next ones; of the others only what names the plan itself is told."""
_ASIDE: Final = ("record.", "relation.", "source.")
"""Families of what was read: that a file speaks of a plan is no step of it."""
_HASHES: Final = ("hash", "digest")


class Story:
    """Whether an event belongs to the story; to be asked of every event, in order. `payload` reads one, None if withheld."""

    def __init__(self, name: str, payload: Callable[[Entry], bytes | None]) -> None:
        self._payload = payload
        self._names: set[bytes] = {name.encode()}

    def fits(self, line: bytes, entry: Entry) -> bool:
        """True if it names the plan or patch, or something of its story."""
        if entry.type.startswith(_ASIDE):
            return False
        text = line if entry.data_hash is None else line + (self._payload(entry) or b"")
        if not any(name in text for name in self._names):
            return False
        if entry.type.startswith(_FAMILIES):
            self._names.update(name.encode() for name in self._more(entry))
        return True

    def _more(self, entry: Entry) -> Iterator[str]:
        yield entry.id
        if entry.origin is not None:
            yield from (place.id for place in entry.origin.places)
        if entry.type in ("change.planned", "patch.rendered"):
            data = _decoded(self._payload(entry))
            # A brief of several plans is of each, and its hash stands for all: an approval of it is part of the story.
            yield from (data[key] for key in _HASHES if isinstance(data.get(key), str))
            artifact = data.get("artifact")
            if isinstance(artifact, dict) and isinstance(artifact.get("id"), str):
                yield artifact["id"]


def _decoded(content: bytes | None) -> dict[str, Any]:
    try:
        found = None if content is None else orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
