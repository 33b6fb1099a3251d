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
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, T2cError, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of, parse_checkpoint
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.signature import VerifierKey, check, parse_key, sign
from t2c.ledger.journal.tree import Tree

__all__ = [
    "Registered",
    "Signed",
    "expired",
    "open_tree",
    "quiet_since",
    "register",
    "registered",
    "sign_head",
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
    """A `key.registered` event. `public` is the key's text; `expires` None if it has no end."""

    seq: int
    ts: str
    id: str
    algorithm: str
    public: str
    participant: str | None
    expires: str | None

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


def open_tree(ledger: Ledger, progress: Callable[[str, int, int], object] | None = None) -> Tree:
    """The ledger's tree up to its head; see `Tree.open`. Close it.

    `progress` is called with (what is done, events done, events in all).
    """
    if progress is None:
        return Tree.open(ledger.cache / "tree", ledger.journal)
    total = ledger.head().seq
    return Tree.open(ledger.cache / "tree", ledger.journal, lambda done: progress("tree", done, total))


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
    """Every key that the ledger registered, the oldest first."""
    for _, line, entry in ledger.journal.lines():
        if _TYPE in line and (found := _registered(entry)) is not None:
            yield found


def register(
    ledger: Ledger, keyring: Keyring, *, participant: str | None = None, expires: str | None = None
) -> Registered:
    """Draw a key, keep its private half and record the public one; if it cannot be recorded, nothing is kept."""
    from t2c.ledger.events.journal import KeyRegistered

    key = keyring.make()
    payload = KeyRegistered(
        key=key.id, algorithm="ed25519", public=key.text(), participant=participant, expires=expires
    )
    try:
        (receipt,) = ledger.append([draft(payload, key=_idempotency(key.id))])
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
    if wanted is not None:
        here = [key for key in here if key.id == wanted]
    good = [key for key in here if not expired(key, now)]
    chosen = max(good, default=None)
    verifier = None if chosen is None else chosen.verifier()
    if verifier is not None:
        return verifier
    if here:
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

    `known` are checkpoints that this one must not contradict. Raises Corrupt if the journal lost what one of them
    vouches for, and what `signer` raises.
    """
    from t2c.ledger.events.journal import CheckpointSigned

    _consistent(tree, known)
    key = signer(ledger, keyring, now, wanted)
    before = _standing(ledger, tree, key)
    if before is not None:
        return before
    checkpoint = state_of(tree, ledger.id())
    note = SignedNote.of(checkpoint, [sign(keyring.seed(key), key.name, checkpoint.body())])
    payload = CheckpointSigned(size=checkpoint.size, root=checkpoint.root.hex(), key=key.id, note=note.note)
    (receipt,) = ledger.append([draft(payload)])
    return Signed(note, key.id, receipt.seq, True)


def _consistent(tree: Tree, known: Sequence[Anchor]) -> None:
    judged = judge(known, tree.size, tree.root)
    if judged.verdict != "sound":
        raise Corrupt(
            f"nothing was signed: {judged.sentences[0]}",
            where=f"seq {tree.size}",
            safe="the journal and every checkpoint that was signed before",
            remedy="restore the journal; if this state is meant, delete the anchor that it contradicts",
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
    found = ledger.index.keyed(_idempotency(key))
    entry = None if found is None else next(ledger.journal.many([found.offset]))
    return None if entry is None or entry.type != "key.registered" else _registered(entry)


def _registered(entry: Entry) -> Registered | None:
    if entry.type != "key.registered":
        return None
    try:
        key = msgspec.json.decode(entry.data, type=_Key)
    except msgspec.DecodeError:
        return None
    return Registered(entry.seq, entry.ts, key.key, key.algorithm, key.public, key.participant, key.expires)


def _idempotency(key: str) -> str:
    return f"key.registered:{key}"
