"""`t2c ledger key`: which keys may sign for the ledger. Private halves stay in the user's state folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import to_come
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.anchors.signing import Registered, every_key, expired, register
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.kernel.actor import Actor

if TYPE_CHECKING:
    from t2c.ledger.approvals.keys import Revoked

__all__ = [
    "KeyInfo", "KeyList", "PublicKey", "RevokedKey", "add_key", "export_key", "list_keys", "new_key", "revoke_key",
]  # fmt: skip

_MOST_PUBLIC: Final = 16 << 10


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A registered key. `id` is 8 hex of its public half, or an SSH fingerprint; `public` checks its signatures.

    `revoked` is the seq of the event since which it signs no more, null if there is none. `private` says if its private
    half is in this user's state folder, `expired` if its time is over, `foreign` if it came with an event of another
    ledger or bears another's name: then nothing here is signed or checked with it.
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
    revoked: int | None = None


@dataclass(frozen=True, slots=True)
class RevokedKey:
    """That a key signs no more, from event `seq` on; what it signed before still counts."""

    schema: ClassVar[str] = "t2c.key-revoked/v1"
    ledger: str
    id: str
    algorithm: str
    participant: str | None
    registered_seq: int
    seq: int
    by: str
    reason: str


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
    with open_ledger(context) as ledger:
        keyring = Keyring(state, ledger.id())
        actor = None
        if participant is not None:
            _check_name(ledger, participant)
            actor = _only_people(context, ledger, "key new", participant)
        made = register(ledger, keyring, participant=participant, expires=until, actor=actor)
        return _info(ledger.id(), made, keyring, now)


def add_key(context: Context, file: Path, participant: str, expires: str | None) -> KeyInfo:
    """Register the SSH key of a `.pub` file for a participant. Raises Usage for what is no such key or no time to come,
    Refused for whoever is no person, Conflict if it is registered already."""
    from t2c.ledger.approvals.keys import register_ssh
    from t2c.ledger.approvals.sshsig import parse_ssh_key

    now = context.clock.now()
    until = None if expires is None else to_come(expires, now, option="--expires", safe="no key was added")
    try:
        with (context.cwd / file).open("rb") as stream:
            content = stream.read(_MOST_PUBLIC + 1)
    except OSError as error:
        raise Usage(
            f"the key cannot be read: {error.strerror}",
            where=str(file),
            safe="no key was registered",
            remedy="name the .pub file of an SSH key",
        ) from None
    if b"PRIVATE KEY" in content:
        raise Usage(
            "this is a private key, which is shown to nobody",
            where=str(file),
            safe="no key was registered, and nothing of it is kept",
            remedy="name the .pub file beside it",
        )
    key = parse_ssh_key(content[:_MOST_PUBLIC].decode("utf-8", "replace"), str(file))
    with open_ledger(context) as ledger:
        _check_name(ledger, participant)
        actor = _only_people(context, ledger, "key add", participant)
        made = register_ssh(ledger, key, participant, until, actor)
        return _info(ledger.id(), made, None, now)


def revoke_key(context: Context, name: str, reason: str) -> RevokedKey:
    """Record that a key signs no more. Raises Usage for what is no key, Refused for whoever is no person, Conflict if it
    was revoked already."""
    from t2c.ledger.approvals.keys import revoke

    if not reason.strip():
        raise Usage("say why the key is revoked", where="--reason", safe="nothing was recorded")
    with open_ledger(context) as ledger:
        actor = _only_people(context, ledger, "key revoke", name)
        key, told = revoke(ledger, name, reason, actor)
        return RevokedKey(
            ledger.id(), key.id, key.algorithm, key.participant, key.seq, told.seq, told.by, told.reason
        )


def _check_name(ledger: Ledger, participant: str) -> None:
    if not 1 <= len(participant) <= 200 or not participant.isprintable():
        raise Usage("the name of the participant must have 1 to 200 characters", safe="no key was made")
    if ledger.funnel.mask(participant).removed:
        raise Refused(
            "the participant's name holds a secret",
            safe="no key was made",
            remedy="name the participant otherwise; if it is no secret, allow it: redact.allow in t2c.toml",
        )


def _only_people(context: Context, ledger: Ledger, verb: str, about: str) -> Actor:
    """Who speaks, if it is a person; else it is refused, and the refusal recorded."""
    from t2c.ledger.approvals.standing import note_refusal

    actor = Actor.parse(context.settings.actor)
    if actor.kind != "human":
        why = f"{actor} is no person, and only people say whose keys count"
        note_refusal(ledger, verb, "KEY_BY_NO_PERSON", why, str(actor), ledger.funnel.mask(about[:200]).text)
        raise Refused(
            f"t2c ledger {verb}: {why}",
            safe="nothing was recorded but this refusal",
            remedy="ask a person to do it; T2C_ACTOR or the setting actor says who you are",
            code="KEY_BY_NO_PERSON",
        )
    return actor


def list_keys(context: Context, state: Path) -> KeyList:
    """The registered keys."""
    from t2c.ledger.approvals.keys import key_book

    with open_ledger(context) as ledger:
        ledger_id = ledger.id()
        keyring, now = Keyring(state, ledger_id), context.clock.now()
        keys = sorted(every_key(ledger), key=lambda key: (key.foreign, key.seq))
        revoked = key_book(ledger).revoked if keys else {}
        return KeyList(
            ledger_id,
            [
                _info(ledger_id, key, keyring, now, None if key.foreign else revoked.get(key.id))
                for key in keys
            ],
        )


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


def _info(
    ledger: str, key: Registered, keyring: Keyring | None, now: datetime, revoked: Revoked | None = None
) -> KeyInfo:
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
        keyring is not None and verifier is not None and not key.foreign and keyring.holds(verifier),
        key.foreign,
        None if revoked is None else revoked.seq,
    )
