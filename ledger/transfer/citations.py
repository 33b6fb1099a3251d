"""The objects that an event cites, read from its payload's bytes without the rest of it (see verifier/citing.py)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from t2c.ledger.transfer.verifier.citing import CITING, OFFERING, objects_of, offered_by

__all__ = ["NAMING", "Payload", "cited_in", "payload_of"]

NAMING: Final = CITING.keys() | OFFERING.keys()
"""Types of events that name objects in their payloads."""


class Payload(msgspec.Struct, gc=False):
    """The members that name objects, and those that say whether they do. What is not in a payload is None."""

    objects: Any = None
    request: Any = None
    schema_digest: Any = None
    brief_digest: Any = None
    manifest: Any = None
    content: Any = None
    raw: Any = None
    output: Any = None
    files: Any = None
    digest: Any = None
    shown: Any = None
    root: Any = None
    asked: Any = None
    sealed: Any = None

    def member(self, name: str) -> Any:
        """A member by its name."""
        return getattr(self, name)


_decode: Final = msgspec.json.Decoder(Payload).decode


def cited_in(kind: str, data: bytes | msgspec.Raw) -> list[str]:
    """The objects that an event of the type `kind` names in its payload, whether they must be kept or may be."""
    if kind not in NAMING:
        return []
    member = payload_of(data).member
    return [*objects_of(kind, member), *offered_by(kind, member)]


def payload_of(data: bytes | msgspec.Raw) -> Payload:
    """The members that matter here; all of them None if it is of another shape."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError):
        return Payload()
