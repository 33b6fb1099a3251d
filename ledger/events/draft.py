"""An event before it has a place in the chain."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from t2c.ledger.errors import Refused, Usage
from t2c.ledger.kernel.actor import SCANNER, Actor, Trust
from t2c.ledger.kernel.canon import canonical

if TYPE_CHECKING:  # pydantic is loaded by whoever makes a payload, not by whoever reads a journal
    from t2c.ledger.events.base import Payload

__all__ = ["MAX_KEY", "MAX_RUN", "EventDraft", "check_redactable", "content_key", "draft"]

MAX_RUN: Final = 200
MAX_KEY: Final = 500
"""Characters of an envelope's `run` and `key`."""


class EventDraft(Struct, frozen=True):
    """A type, its canonical payload bytes and who says it.

    `cause` holds event ids, or the index of an earlier draft of the same append, whose id the writer puts in
    under the lock. `key` is the caller's idempotency key. `origin` is the canonical origin object of an event
    that came from elsewhere; its `cause`, `batch`, `data_hash` and `key` stay what they were there. A `redactable`
    one is written as a `data_hash`, its payload kept in an object that can be deleted (journal-engine §6). Raises Usage if `run` or `key` is empty, too long or no Unicode text.
    """

    type: str
    v: int
    data: bytes
    actor: Actor
    trust: Trust
    cause: tuple[str | int, ...] = ()
    run: str | None = None
    key: str | None = None
    origin: bytes | None = None
    redactable: bool = False
    batch: tuple[int, int] | None = None
    data_hash: str | None = None

    def __post_init__(self) -> None:
        if self.run is not None:
            _check_name("run", self.run, MAX_RUN)
        if self.key is not None:
            _check_name("key", self.key, MAX_KEY)

    def content(self) -> bytes:
        """16 bytes that two drafts share if and only if a retry may stand for the other."""
        return content_key(self.type, self.v, str(self.actor), self.data)


def _check_name(member: str, text: str, longest: int) -> None:
    if not 1 <= len(text) <= longest:
        raise Usage(
            f"the {member} of an event has {len(text)} characters",
            safe="nothing was written",
            remedy=f"give one of 1 to {longest} characters",
        )
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise Usage(f"the {member} of an event is not Unicode text", safe="nothing was written")


def content_key(type: str, v: int, actor: str, data: bytes) -> bytes:
    """What an idempotency key is bound to: type, version, actor and payload."""
    return sha256(canonical([type, v, actor]) + data).digest()[:16]


def draft(
    payload: Payload,
    *,
    actor: Actor = SCANNER,
    trust: Trust | None = None,
    cause: tuple[str | int, ...] = (),
    run: str | None = None,
    key: str | None = None,
    redactable: bool = False,
) -> EventDraft:
    """Make a draft of a payload; `trust` defaults to what t2c itself claims for the type.

    Raises Refused if somebody who is not t2c's own code or a host adapter says `observed` (decisions A12), or if
    the type's payload always stands in the line though it was asked to be redactable.
    """
    if redactable:
        check_redactable(payload)
    level = payload.trust if trust is None else trust
    if level == "observed" and actor.kind not in ("helper", "host_adapter"):
        raise Refused(
            f"{actor} cannot say 'observed'",
            remedy="only t2c's own code and host adapters observe; use trust 'asserted'",
        )
    return EventDraft(
        payload.type, payload.v, payload.encode(), actor, level, cause, run, key, redactable=redactable
    )


def check_redactable(payload: Payload | type[Payload]) -> None:
    """Raise Refused if the payloads of this type cannot be kept apart from their lines."""
    if not payload.redactable:
        raise Refused(
            f"a {payload.type} event cannot be redactable: its payload stands in the line",
            safe="nothing was written",
            remedy="`t2c ledger types` marks the types that can; state it as an observation.noted",
        )
