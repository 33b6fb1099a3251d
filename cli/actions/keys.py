"""`t2c ledger key`: which keys may sign for the ledger. Private halves stay in the user's state folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import to_come
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import Registered, every_key, expired, register
from t2c.ledger.errors import Refused, Usage

__all__ = ["KeyInfo", "KeyList", "PublicKey", "export_key", "list_keys", "new_key"]


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A registered key. `id` is 8 hex of its public half, `public` the text that checks its signatures.

    `private` says if its private half is in this user's state folder, `expired` if its time is over, `foreign` if it
    came with an event of another ledger or bears another's name: then nothing here is signed or checked with it.
    """

    schema: ClassVar[str] = "t2c.key/v1"
    ledger: str
    id: str
    algorithm: str
    public: str
    participant: str | None
    seq: int
    registered: str
    expires: str | None
    expired: bool
    private: bool
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class KeyList:
    """The keys of this ledger, the oldest first, and after them those of others that were registered here."""

    schema: ClassVar[str] = "t2c.key-list/v1"
    ledger: str
    keys: Sequence[KeyInfo]


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public half: `public` as `--key` takes it, `pem` as openssl does."""

    schema: ClassVar[str] = "t2c.public-key/v1"
    ledger: str
    id: str
    public: str
    pem: str


def new_key(context: Context, state: Path, participant: str | None, expires: str | None) -> KeyInfo:
    """Make a key and register its public half. Raises Usage if `expires` is no time to come."""
    now = context.clock.now()
    until = None if expires is None else to_come(expires, now, option="--expires", safe="no key was made")
    if participant is not None and not 1 <= len(participant) <= 200:
        raise Usage("the name of the participant must have 1 to 200 characters", safe="no key was made")
    with open_ledger(context) as ledger:
        keyring = Keyring(state, ledger.id())
        if participant is not None and ledger.funnel.mask(participant).removed:
            raise Refused(
                "the participant's name holds a secret",
                safe="no key was made",
                remedy="name the participant otherwise; if it is no secret, allow it: redact.allow in t2c.toml",
            )
        made = register(ledger, keyring, participant=participant, expires=until)
        return _info(ledger.id(), made, keyring, now)


def list_keys(context: Context, state: Path) -> KeyList:
    """The registered keys."""
    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        keyring, now = Keyring(state, ledger_id), context.clock.now()
        keys = sorted(every_key(ledger), key=lambda key: (key.foreign, key.seq))
        return KeyList(ledger_id, [_info(ledger_id, key, keyring, now) for key in keys])


def export_key(context: Context, state: Path, wanted: str | None) -> PublicKey:
    """The public half of a key, by id; if none is wanted, of the newest of this ledger's that can sign here.

    If none of them can, it is the newest. Raises Usage if there is none.
    """
    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        keyring, now = Keyring(state, ledger_id), context.clock.now()
        keys = [
            (not key.foreign, keyring.holds(verifier) and not expired(key, now), key.seq, verifier)
            for key in every_key(ledger)
            if (verifier := key.verifier()) is not None
        ]
        fitting = [key for key in keys if (key[3].id == wanted if wanted is not None else key[0])]
        if fitting:
            key = max(fitting)[3]
            return PublicKey(ledger_id, key.id, key.text(), key.pem())
    what = "no key is registered" if wanted is None else f"no key {wanted[:80]!r} is registered"
    raise Usage(what, remedy="`t2c ledger key list` shows those that are; `t2c ledger key new` makes one")


def _info(ledger: str, key: Registered, keyring: Keyring, now: datetime) -> KeyInfo:
    verifier = key.verifier()
    return KeyInfo(
        ledger,
        key.id,
        key.algorithm,
        key.public,
        key.participant,
        key.seq,
        key.ts,
        key.expires,
        expired(key, now),
        verifier is not None and not key.foreign and keyring.holds(verifier),
        key.foreign,
    )
