"""Which keys may sign an approval: registered for the approver before it, neither expired nor revoked then.

Keys that came with events of other ledgers are no keys of this one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from t2c.ledger.anchors.signing import Registered, registered, revocation
from t2c.ledger.approvals.sshsig import SshKey
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor

__all__ = ["KeyBook", "Revoked", "is_for", "key_book", "over", "register_ssh", "revoke", "usable"]

_REVOKED: Final = b'"type":"key.revoked"'


class _RevokedEvent(msgspec.Struct):
    key: str
    reason: str


class Revoked(NamedTuple):
    """That a key signs no more, since `seq`."""

    seq: int
    ts: str
    by: str
    reason: str


class KeyBook(NamedTuple):
    """All keys of a ledger by id, the first registration of each, and those that were revoked."""

    keys: dict[str, Registered]
    revoked: dict[str, Revoked]

    def problem(self, key: str, actor: str, seq: int, ts: str) -> str | None:
        """Why a key cannot have signed an approval of `actor` at event `seq`; None if it can."""
        found = self.keys.get(key)
        if found is None or found.seq > seq:
            return f"key {key[:80]} was not registered before"
        if not is_for(found.participant, actor):
            return f"key {key[:80]} is registered for {found.participant or 'nobody'}, not for {actor}"
        taken = self.revoked.get(key)
        if taken is not None and taken.seq < seq:
            return f"key {key[:80]} was revoked before, at seq {taken.seq}"
        if over(found.expires, ts):
            return f"key {key[:80]} had expired at {found.expires}"
        return None


def is_for(participant: str | None, actor: str) -> bool:
    """True if a key's participant is this actor, named as `kind:id` or by the id alone."""
    return participant is not None and participant in (actor, actor.partition(":")[2])


def over(expires: str | None, ts: str) -> bool:
    """True if `ts` is not before the end, or the end is no time."""
    try:
        return expires is not None and datetime.fromisoformat(expires) <= datetime.fromisoformat(ts)
    except (ValueError, TypeError):
        return True


def key_book(ledger: Ledger) -> KeyBook:
    """The keys of this ledger."""
    keys: dict[str, Registered] = {}
    for key in registered(ledger):
        keys.setdefault(key.id, key)
    revoked: dict[str, Revoked] = {}
    own = ledger.id()
    for _, line, entry in ledger.journal.lines():
        if _REVOKED in line and entry.type == "key.revoked" and entry.is_ours(own):
            try:
                said = msgspec.json.decode(entry.data, type=_RevokedEvent)
            except msgspec.DecodeError:
                continue
            revoked.setdefault(said.key, Revoked(entry.seq, entry.ts, str(entry.actor), said.reason))
    return KeyBook(keys, revoked)


def usable(ledger: Ledger, actor: str, ts: str) -> dict[str, Registered]:
    """The keys that can sign an approval of `actor` at a time, after all events that are there, by id."""
    book, last = key_book(ledger), ledger.head().seq + 1
    return {name: key for name, key in book.keys.items() if book.problem(name, actor, last, ts) is None}


def register_ssh(
    ledger: Ledger, key: SshKey, participant: str, expires: str | None, actor: Actor
) -> Registered:
    """Record that an SSH key signs for a participant. Raises Conflict if it is registered already."""
    from t2c.ledger.events.journal import KeyRegistered

    known = key_book(ledger).keys.get(key.id)
    if known is not None:
        raise Conflict(
            f"key {key.id} is registered already, for {known.participant}",
            where=f"seq {known.seq}",
            safe="nothing was recorded",
            remedy="`t2c ledger key list` shows it; a key is of one participant and is registered once",
        )
    payload = KeyRegistered(
        key=key.id, algorithm="ssh", public=key.text(), participant=participant, expires=expires
    )
    told = draft(payload, actor=actor, trust="asserted", key=f"key.registered:{key.id}")
    (receipt,) = ledger.append([told])
    entry = next(ledger.journal.many([ledger.index.offset(receipt.id) or 0]))
    return Registered(receipt.seq, entry.ts, key.id, "ssh", key.text(), participant, expires)


def revoke(ledger: Ledger, name: str, reason: str, actor: Actor) -> tuple[Registered, Revoked]:
    """Record that a key signs no more. `name` is its id or the first 8 and more characters of it.

    Raises Usage if there is no such key, Conflict if it was revoked already.
    """
    from t2c.ledger.events.journal import KeyRevoked

    book = key_book(ledger)
    begins = [key for key in book.keys if key == name or (len(name) >= 8 and key.startswith(name))]
    if len(begins) != 1:
        raise Usage(
            f"several keys begin with {name[:80]!r}"
            if begins
            else f"there is no key {name[:80]!r} of this ledger",
            safe="nothing was recorded",
            remedy="`t2c ledger key list` shows the keys",
        )
    key = book.keys[begins[0]]
    if key.id in book.revoked:
        raise Conflict(
            f"key {key.id} was revoked already",
            where=f"seq {book.revoked[key.id].seq}",
            safe="nothing was recorded",
        )
    payload = KeyRevoked(key=key.id, reason=reason)
    (receipt,) = ledger.append([draft(payload, actor=actor, trust="asserted", key=revocation(key.id))])
    entry = next(ledger.journal.many([ledger.index.offset(receipt.id) or 0]))
    return key, Revoked(receipt.seq, entry.ts, str(actor), reason)
