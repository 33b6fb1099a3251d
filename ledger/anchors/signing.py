"""Keys that a ledger registered, and the checkpoints that it signs with them (decisions A14).

Nothing is signed that contradicts what was signed before: two checkpoints of one ledger of which neither begins the
other would be the proof of a fork, made by ourselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from t2c.ledger.anchors.base import Anchor, judge
from t2c.ledger.anchors.branches import of_merged_branches
from t2c.ledger.anchors.files import beside
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.signature import VerifierKey, check, parse_key, sign, vouched
from t2c.ledger.journal.tree import Tree, walked
from t2c.ledger.kernel.actor import Actor

__all__ = [
    "Registered",
    "Signed",
    "every_key",
    "expired",
    "open_tree",
    "quiet_since",
    "register",
    "registered",
    "revocation",
    "sign_head",
    "signed_beside",
    "signer",
    "state_of",
]

_TYPE = b'"type":"key.registered"'
_LONGEST = 64
_LOOK_BACK = 32
"""Events at the end among which a checkpoint may stand after which nothing happened."""
_BY_ITSELF = frozenset({"checkpoint.signed", "degradation.noted"})
"""What a checkpoint and its anchoring leave behind them."""


class _Key(msgspec.Struct):
    key: str
    algorithm: str
    public: str
    participant: str | None
    expires: str | None


class _SignedEvent(msgspec.Struct):
    note: str


class Registered(NamedTuple):
    """A `key.registered` event. `public` is the key's text; `expires` None if it has no end.

    `foreign` says that it is no key of this ledger: it bears another name, or was registered elsewhere.
    """

    seq: int
    ts: str
    id: str
    algorithm: str
    public: str
    participant: str | None
    expires: str | None
    foreign: bool = False

    def verifier(self) -> VerifierKey | None:
        """The key, if it is one that checks notes."""
        try:
            found = parse_key(self.public) if self.algorithm == "ed25519" else None
        except Usage:
            return None
        return found if found is not None and found.id == self.id else None


class Signed(NamedTuple):
    """A signed checkpoint. `seq` is the event that records it; `new` is False if it stood there already."""

    note: SignedNote
    key: str
    seq: int
    new: bool


def open_tree(ledger: Ledger, progress: Callable[[str, int, int], None] | None = None) -> Tree:
    """The ledger's tree up to its head, whose root every line was read for; see `Tree.open`. Close it.

    `progress` is called with (what is done, done so far, in all). Raises Corrupt if the journal has faults.
    """
    folder, journal = ledger.cache / "tree", ledger.journal
    if progress is None:
        return Tree.open(folder, journal)
    known = walked(journal, lambda done, size: progress("verify", done, size))
    total = known[0].seq
    return Tree.open(folder, journal, lambda done: progress("tree", done, total), known=known)


def state_of(tree: Tree, ledger: str) -> Checkpoint:
    """The checkpoint of all that a tree covers."""
    return Checkpoint(origin_of(ledger), tree.size, tree.root(tree.size))


def quiet_since(journal: JournalFile, size: int) -> int:
    """The number of events before those at the end that checkpoints and their anchoring leave behind them."""
    place = journal.position(max(0, size - _LOOK_BACK))
    recent = [] if place is None else list(journal.entries(place, size))
    while recent and recent[-1].type in _BY_ITSELF:
        size = recent.pop().seq - 1
    return size


def registered(ledger: Ledger) -> Iterator[Registered]:
    """The keys of this ledger, the oldest first."""
    return (key for key in every_key(ledger) if not key.foreign)


def every_key(ledger: Ledger) -> Iterator[Registered]:
    """Every key that was registered, the oldest first; those that came with events of other ledgers are foreign."""
    identity = ledger.id()
    for _, line, entry in ledger.journal.lines():
        if _TYPE in line and (found := _registered(entry, identity)) is not None:
            yield found


def signed_beside(ledger: Ledger) -> list[Anchor]:
    """The checkpoints beside the journal that a key of this ledger signed, the smallest first."""
    keys: dict[str, VerifierKey | None] = {}
    found: list[Anchor] = []
    for anchor in beside(ledger.workspace / "checkpoints", ledger.id()).anchors:
        note = parse_checkpoint(anchor.note)
        for signature in note.signatures:
            if signature.name == note.checkpoint.origin and signature.key not in keys:
                known = _find(ledger, signature.key)
                keys[signature.key] = None if known is None else known.verifier()
        if vouched(note, [key for key in keys.values() if key is not None]).good:
            found.append(anchor)
    return found


def register(
    ledger: Ledger,
    keyring: Keyring,
    *,
    participant: str | None = None,
    expires: str | None = None,
    actor: Actor | None = None,
) -> Registered:
    """Draw a key, keep its private half and record the public one; if it cannot be recorded, nothing is kept.

    `actor` is who says whose key it is; None where it is nobody's.
    """
    from t2c.ledger.events.journal import KeyRegistered

    key = keyring.make()
    payload = KeyRegistered(
        key=key.id, algorithm="ed25519", public=key.text(), participant=participant, expires=expires
    )
    try:
        told = draft(payload, key=_idempotency(key.id))
        if actor is not None:
            told = draft(payload, actor=actor, trust="asserted", key=_idempotency(key.id))
        (receipt,) = ledger.append([told])
    except T2cError:
        keyring.forget(key)
        raise
    entry = next(ledger.journal.many([ledger.index.offset(receipt.id) or 0]))
    return Registered(receipt.seq, entry.ts, key.id, "ed25519", key.text(), participant, expires)


def expired(key: Registered, now: datetime) -> bool:
    """True if a key is past its end, or its end is no time."""
    try:
        return key.expires is not None and datetime.fromisoformat(key.expires) <= now
    except ValueError:
        return True


def signer(ledger: Ledger, keyring: Keyring, now: datetime, wanted: str | None = None) -> VerifierKey:
    """The newest registered key that has not expired and whose private half is here, or the one that is wanted.

    Raises Usage, saying what is amiss, if there is none.
    """
    here = [found for key in keyring.ids() if (found := _find(ledger, key)) is not None]
    revoked = [key for key in here if ledger.index.keyed(revocation(key.id)) is not None]
    here = [key for key in here if key not in revoked]
    if wanted is not None:
        here = [key for key in here if key.id == wanted]
    good = [key for key in here if not expired(key, now)]
    chosen = max(good, default=None)
    verifier = None if chosen is None else chosen.verifier()
    if verifier is not None:
        return verifier
    if revoked and not here:
        what = f"the key {max(revoked).id} is revoked"
    elif here:
        what = f"the key {max(here).id} expired at {max(here).expires}"
    elif wanted is not None:
        what = f"there is no registered key {wanted[:_LONGEST]!r} whose private half is here"
    else:
        what = "there is no registered key whose private half is here"
    raise Usage(
        what,
        safe="nothing was signed",
        remedy="make one with `t2c ledger key new`; `t2c ledger key list` shows what there is",
    )


def sign_head(
    ledger: Ledger,
    tree: Tree,
    keyring: Keyring,
    now: datetime,
    *,
    known: Sequence[Anchor] = (),
    wanted: str | None = None,
) -> Signed:
    """Sign the head and record it, or return what was signed if nothing happened since.

    `known` are checkpoints that this one must not contradict, besides those beside the journal that a key of the
    ledger signed. Raises Corrupt if the journal lost what one of them vouches for, and what `signer` raises.
    """
    from t2c.ledger.events.journal import CheckpointSigned

    _consistent(ledger, tree, [*known, *signed_beside(ledger)])
    key = signer(ledger, keyring, now, wanted)
    before = _standing(ledger, tree, key)
    if before is not None:
        return before
    checkpoint = state_of(tree, ledger.id())
    note = SignedNote.of(checkpoint, [sign(keyring.seed(key), key.name, checkpoint.body())])
    payload = CheckpointSigned(size=checkpoint.size, root=checkpoint.root.hex(), key=key.id, note=note.note)
    (receipt,) = ledger.append([draft(payload)])
    return Signed(note, key.id, receipt.seq, True)


def _consistent(ledger: Ledger, tree: Tree, known: Sequence[Anchor]) -> None:
    judged = judge(known, tree.size, tree.root)
    if judged.verdict != "sound":
        merged = of_merged_branches(ledger.journal, set(known) - set(judged.fitting), accidents_only=False)
        known = [anchor for anchor in known if anchor not in merged]
        judged = judge(known, tree.size, tree.root)
    if judged.verdict != "sound":
        against = [
            anchor.place or anchor.source
            for anchor in known
            if anchor not in judged.fitting and anchor not in judged.unjudged
        ]
        raise Corrupt(
            f"nothing was signed: {judged.sentences[0]}",
            where=f"seq {tree.size}",
            safe="the journal and every checkpoint that was signed before",
            remedy="restore the journal from Git, a backup or a bundle: what was signed is not in it any more, and whoever"
            " holds the old checkpoint can prove that. Only if it is to be so for ever, move away "
            + ", ".join(against),
        )


def _standing(ledger: Ledger, tree: Tree, key: VerifierKey) -> Signed | None:
    """The checkpoint of this key after which nothing happened but what checkpoints leave behind them."""
    quiet = quiet_since(ledger.journal, tree.size)
    place = ledger.journal.position(quiet) if quiet < tree.size else None
    recent = [] if place is None else list(ledger.journal.entries(place, tree.size))
    for entry in reversed(recent):
        note = _note(entry)
        if note is None or note.checkpoint.size < quiet:
            continue
        size = note.checkpoint.size
        whole = Checkpoint(key.name, size, tree.root(size))
        if note.checkpoint == whole and check(note.text, note.signatures, [key]).good:
            return Signed(note, key.id, entry.seq, False)
    return None


def _note(entry: Entry) -> SignedNote | None:
    """The checkpoint of a `checkpoint.signed` that could be about what stands before it."""
    if entry.type != "checkpoint.signed":
        return None
    try:
        note = parse_checkpoint(msgspec.json.decode(entry.data, type=_SignedEvent).note)
    except (msgspec.DecodeError, Usage):
        return None
    return note if 0 < note.checkpoint.size < entry.seq else None


def _find(ledger: Ledger, key: str) -> Registered | None:
    """The key of this ledger with an id; foreign events may bear any id, and the key that it is registered by."""
    found = ledger.index.keyed(_idempotency(key))
    if found is None:
        return None
    entry = next(ledger.journal.many([found.offset]))
    named = _registered(entry, ledger.id())
    if named is not None and not named.foreign and named.id == key:
        return named
    return next((own for own in registered(ledger) if own.id == key), None)


def _registered(entry: Entry, ledger: str) -> Registered | None:
    if entry.type != "key.registered":
        return None
    try:
        key = msgspec.json.decode(entry.data, type=_Key)
    except msgspec.DecodeError:
        return None
    found = Registered(entry.seq, entry.ts, key.key, key.algorithm, key.public, key.participant, key.expires)
    elsewhere = entry.origin is not None and entry.origin.ledger != ledger
    verifier = found.verifier()
    named = verifier is None or verifier.name == origin_of(ledger)
    return found._replace(foreign=elsewhere or not named)


def _idempotency(key: str) -> str:
    return f"key.registered:{key}"


def revocation(key: str) -> str:
    """The idempotency key under which a key is revoked, by which that is found at once."""
    return f"key.revoked:{key}"
