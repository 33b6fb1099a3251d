"""The objects that an event cites, read from its payload's bytes without the rest of it (see verifier/citing.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from t2c.ledger.transfer.verifier.citing import CITING, OFFERING, objects_of, offered_by

__all__ = ["Payload", "asked_by", "cited_in", "offered_in", "seals"]


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
    root: Any = None
    asked: Any = None
    sealed: Any = None

    def member(self, name: str) -> Any:
        """A member by its name."""
        return getattr(self, name)


_decode: Final = msgspec.json.Decoder(Payload).decode


def cited_in(kind: str, data: bytes | msgspec.Raw) -> Iterator[str]:
    """The objects that an event of the type `kind` cites by its payload; none if that is of another shape."""
    if kind in CITING:
        yield from objects_of(kind, _read(data).member)


def offered_in(kind: str, data: bytes | msgspec.Raw) -> Iterator[str]:
    """The objects that come along with it where they are kept."""
    if kind in OFFERING:
        yield from offered_by(kind, _read(data).member)


def asked_by(kind: str, data: bytes | msgspec.Raw) -> str | None:
    """The event that asked for what this event tells of a model, by the id that its line names; None of other types."""
    asked = _read(data).asked if kind in ("llm.answered", "llm.unusable") else None
    return asked if isinstance(asked, str) else None


def seals(kind: str, data: bytes | msgspec.Raw) -> bool:
    """True of a question whose answer is no object, but a commitment."""
    return kind == "llm.asked" and _read(data).sealed is True


def _read(data: bytes | msgspec.Raw) -> Payload:
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError):
        return Payload()
