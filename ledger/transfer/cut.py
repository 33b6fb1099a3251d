"""One pass over a journal that copies a range of its lines and gathers what a bundle says of them.

The lines are copied byte for byte; the chain is checked on the way, so that nothing damaged is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from typing import BinaryIO, Final

import msgspec

from t2c.ledger.errors import Usage
from t2c.ledger.journal.chain import own_id_fits
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.merkle import Frontier, Subtree
from t2c.ledger.journal.note import SignedNote, parse_checkpoint
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import damaged
from t2c.ledger.transfer.citations import NAMING
from t2c.ledger.transfer.layout import Listed, Withheld
from t2c.ledger.transfer.proven import Block, Member, proven_blocks
from t2c.ledger.transfer.verifier.citing import is_digest, objects_of, offered_by

__all__ = ["Cut", "cut", "key_and_notes", "matches"]

_AT_ONCE: Final = 4096 * 32
_EVERY: Final = 65_536


class Cut(msgspec.Struct):
    """What the pass found. `nodes` cover the events before `first`, `end` is the position after the last line and
    `subtrees` cover all events up to it.

    `objects` maps what the lines that were not withheld cite to the first seq that does, `gone` maps a `data_hash`
    to the event that redacted it. `offered` are such as come along where they are kept. `told` maps what is cited as said
    by a model to the event that asked it, and `sealed` names all events that asked so that nothing which is said becomes
    an object. `types` are those that are in the range for all to read, `met` all up to the last event, in which `keys`
    and `notes` stand too.
    """

    first: int
    last: int
    journal: Listed = Listed("", 0)
    ledger: str = ""
    end: Position = START
    root: str = ""
    ts: str = ""
    nodes: list[str] = msgspec.field(default_factory=list)
    subtrees: list[Subtree] = msgspec.field(default_factory=list)
    types: set[tuple[str, int]] = msgspec.field(default_factory=set)
    withheld: list[Withheld] = msgspec.field(default_factory=list)
    objects: dict[str, int] = msgspec.field(default_factory=dict)
    offered: set[str] = msgspec.field(default_factory=set)
    told: dict[str, str] = msgspec.field(default_factory=dict)
    sealed: set[str] = msgspec.field(default_factory=set)
    gone: dict[str, str] = msgspec.field(default_factory=dict)
    met: set[str] = msgspec.field(default_factory=set)
    keys: list[str] = msgspec.field(default_factory=list)
    notes: list[SignedNote] = msgspec.field(default_factory=list)


class _Opened(msgspec.Struct):
    ledger: str
    key: str | None = None


class _Key(msgspec.Struct):
    public: str
    algorithm: str = "ed25519"


class _Signed(msgspec.Struct):
    note: str


class _Redacted(msgspec.Struct):
    data_hash: str


_TOLD: Final = frozenset({"journal.opened", "key.registered", "checkpoint.signed", "payload.redacted"})
"""Types whose payload says something else that a bundle needs."""


def matches(type: str, patterns: Collection[str]) -> bool:
    """True if a type is one of `patterns`, of which `record.*` stands for all that begin with `record.`."""
    return type in patterns or any(
        pattern.endswith(".*") and type.startswith(pattern[:-1]) for pattern in patterns
    )


def key_and_notes(kind: str, data: bytes, keys: list[str], notes: list[SignedNote]) -> None:
    """Add the key or the signed checkpoint that an event holds. Raises DecodeError or Usage if it holds none."""
    if kind == "key.registered":
        key = msgspec.json.decode(data, type=_Key)
        if key.algorithm == "ed25519":  # an SSH key signs approvals, never a checkpoint
            keys.append(key.public)
    elif kind == "checkpoint.signed":
        notes.append(parse_checkpoint(msgspec.json.decode(data, type=_Signed).note))


def cut(
    journal: JournalFile,
    first: int,
    last: int,
    withhold: Collection[str],
    out: BinaryIO,
    progress: Callable[[int, int], None],
) -> Cut:
    """Write events `first` to `last` to `out`, those of the types in `withhold` as stubs.

    Raises Corrupt at the first line that is no event or does not follow from the one before it.
    """
    walk = _Walk(Cut(first, last), withhold)
    digest, size = sha256(), 0
    for piece in walk.pieces(journal, progress):
        digest.update(piece)
        size += out.write(piece)
    found = walk.found
    found.journal = Listed(digest.hexdigest(), size)
    return found


class _Walk:
    def __init__(self, found: Cut, withhold: Collection[str]) -> None:
        self.found = found
        self._withhold = withhold
        self._hidden: dict[str, bool] = {}
        self._runs: dict[str, list[tuple[int, int]]] = {}

    def pieces(self, journal: JournalFile, progress: Callable[[int, int], None]) -> Iterator[bytes]:
        """The bytes of the range, some hundred lines at a time."""
        found, tree = self.found, Frontier()
        leaves = bytearray()
        shown, line = _EVERY, b""
        for block in proven_blocks(journal, START, found.last):
            start = tree.size + len(leaves) // 32 + 1
            before = found.first - start
            leaves += block.leaves
            if 0 <= before < len(block.lines):
                at = len(leaves) - len(block.leaves) + 32 * before
                tree.extend(bytes(leaves[:at]))
                found.nodes = [subtree.node.hex() for subtree in tree.subtrees()]
                del leaves[:at]
            if len(leaves) >= _AT_ONCE:
                tree.extend(bytes(leaves))
                leaves.clear()
            hidden = self._meet(block.members)
            self._seals(block)
            if before < len(block.lines):
                yield self._shown(block, max(before, 0), hidden)
            self._listen(block, hidden)
            found.end, line = block.end, block.lines[-1]
            if found.end.seq >= shown:
                progress(found.end.seq, found.last)
                shown = found.end.seq + _EVERY
        if line:
            if not own_id_fits(line):
                # No later line of the bundle vouches for it.
                what = f"seq {found.end.seq} does not fit its own id, so it was changed"
                raise damaged(what, f"seq {found.end.seq}")
            found.ts = decode_entry(line).ts
        tree.extend(bytes(leaves))
        found.subtrees, found.root = tree.subtrees(), tree.root().hex()
        found.met = set(self._hidden)
        found.withheld = [Withheld(kind, runs) for kind, runs in sorted(self._runs.items())]

    def _meet(self, members: list[Member]) -> set[str]:
        """The types among these lines that are withheld."""
        kinds = {member.type for member in members}
        for kind in kinds - self._hidden.keys():
            self._hidden[kind] = matches(kind, self._withhold)
        return {kind for kind in kinds if self._hidden[kind]}

    def _shown(self, block: Block, at: int, hidden: set[str]) -> bytes:
        """The lines of a block from the one at `at` on as the bundle shows them."""
        types = self.found.types
        members = block.members[at:] if at else block.members
        types.update({(member.type, member.v) for member in members if member.type not in hidden})
        for member in members:
            if (member.data is None or member.type in NAMING) and member.type not in hidden:
                self._cites(member)
        if not hidden:
            return b"".join(line + b"\n" for line in block.lines[at:]) if at else block.raw
        shown = []
        for index, member in enumerate(members, at):
            if member.type in hidden:
                shown.append(
                    b'{"withheld":"%b"}\n' % block.leaves[32 * index : 32 * index + 32].hex().encode()
                )
                self._withheld(member.type, member.seq)
            else:
                shown.append(block.lines[index] + b"\n")
        return b"".join(shown)

    def _cites(self, member: Member) -> None:
        found, payload = self.found, member.data
        if is_digest(member.data_hash):
            found.objects.setdefault(str(member.data_hash), member.seq)
        if payload is None:
            return
        for name in objects_of(member.type, payload.member):
            found.objects.setdefault(name, member.seq)
            if isinstance(payload.asked, str):
                found.told[name] = payload.asked
        found.offered.update(offered_by(member.type, payload.member))

    def _seals(self, block: Block) -> None:
        """Take note of questions whose answers are sealed, by all ids that they have or had elsewhere."""
        for member, line in zip(block.members, block.lines, strict=True):
            if member.type == "llm.asked" and member.data is not None and member.data.sealed is True:
                entry = decode_entry(line)
                places = () if entry.origin is None else entry.origin.places
                self.found.sealed.update((entry.id, *(place.id for place in places)))

    def _withheld(self, kind: str, seq: int) -> None:
        runs = self._runs.setdefault(kind, [])
        if runs and runs[-1][1] == seq - 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))

    def _listen(self, block: Block, hidden: set[str]) -> None:
        """Take from payloads what a bundle needs; one of another shape than its type's says nothing."""
        told = _TOLD - hidden
        if told.isdisjoint({member.type for member in block.members}):
            return
        for member, line in zip(block.members, block.lines, strict=True):
            if member.type not in told:
                continue
            try:
                entry = decode_entry(line)
                self._told(member.seq, member.type, entry.id, bytes(entry.data))
            except (msgspec.DecodeError, Usage):
                continue

    def _told(self, seq: int, kind: str, event: str, data: bytes) -> None:
        found = self.found
        if kind == "journal.opened" and seq == 1:
            opened = msgspec.json.decode(data, type=_Opened)
            found.ledger = opened.ledger
            if opened.key is not None:
                found.keys.append(opened.key)
        elif kind == "payload.redacted":
            found.gone.setdefault(msgspec.json.decode(data, type=_Redacted).data_hash, event)
        else:
            key_and_notes(kind, data, found.keys, found.notes)
