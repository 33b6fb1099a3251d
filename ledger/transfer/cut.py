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
from t2c.ledger.journal.merkle import Frontier
from t2c.ledger.journal.note import SignedNote, parse_checkpoint
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.digests import ZERO, leaf_state
from t2c.ledger.transfer.layout import Listed, Withheld
from t2c.ledger.transfer.verifier.lines import CITING

__all__ = ["Cut", "cut", "matches"]

_AT_ONCE: Final = 4096
_EVERY: Final = 65_536


class Cut(msgspec.Struct):
    """What the pass found. `nodes` cover the events before `first`, `head` is the hash of the last line.

    `objects` maps what the lines that were not withheld cite to the first seq that does, `gone` maps a `data_hash`
    to the event that redacted it. `types` are those that are in the range for all to read, `met` all up to the last
    event, in which `keys` and `notes` stand too.
    """

    first: int
    last: int
    journal: Listed = Listed("", 0)
    ledger: str = ""
    head: str = ZERO
    root: str = ""
    ts: str = ""
    nodes: list[str] = msgspec.field(default_factory=list)
    types: set[tuple[str, int]] = msgspec.field(default_factory=set)
    withheld: list[Withheld] = msgspec.field(default_factory=list)
    objects: dict[str, int] = msgspec.field(default_factory=dict)
    gone: dict[str, str] = msgspec.field(default_factory=dict)
    met: set[str] = msgspec.field(default_factory=set)
    keys: list[str] = msgspec.field(default_factory=list)
    notes: list[SignedNote] = msgspec.field(default_factory=list)


class _Cites(msgspec.Struct):
    objects: list[str] = []


class _Opened(msgspec.Struct):
    ledger: str
    key: str | None = None


class _Key(msgspec.Struct):
    public: str


class _Signed(msgspec.Struct):
    note: str


class _Redacted(msgspec.Struct):
    data_hash: str


_TOLD: Final = frozenset(
    {"journal.opened", "key.registered", "checkpoint.signed", "payload.redacted", *CITING}
)
"""Types whose payload says something that a bundle needs."""


def matches(type: str, patterns: Collection[str]) -> bool:
    """True if a type is one of `patterns`, of which `record.*` stands for all that begin with `record.`."""
    return type in patterns or any(
        pattern.endswith(".*") and type.startswith(pattern[:-1]) for pattern in patterns
    )


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
        """The bytes of the range, a few thousand lines at a time."""
        found, tree = self.found, Frontier()
        first, types = found.first, found.types
        leaves: list[bytes] = []
        lines: list[bytes] = []
        head, line = ZERO, b""
        entry = None
        for _, line, entry in journal.lines(until=found.last):
            if entry.prev != head:
                what = f"seq {entry.seq} does not follow from the line before it: one of the two was changed"
                raise damaged(what, f"seq {entry.seq}")
            state = leaf_state()
            state.update(line[:-1])
            leaf = state.digest()
            head = leaf.hex()
            seq, kind = entry.seq, entry.type
            hidden = self._hidden.get(kind)
            if hidden is None:
                hidden = self._hidden[kind] = matches(kind, self._withhold)
            if seq >= first:
                if hidden:
                    lines.append(b'{"withheld":"%b"}\n' % head.encode())
                    self._withheld(kind, seq)
                else:
                    lines.append(line)
                    types.add((kind, entry.v))
                    if entry.data_hash is not None:
                        found.objects.setdefault(entry.data_hash, seq)
            if kind in _TOLD and not hidden:
                self._told(seq, kind, entry.id, bytes(entry.data))
            leaves.append(leaf)
            if len(leaves) == _AT_ONCE or seq == first - 1:
                tree.extend(b"".join(leaves))
                if seq == first - 1:
                    found.nodes = [subtree.node.hex() for subtree in tree.subtrees()]
                leaves.clear()
                yield b"".join(lines)
                lines.clear()
                if not seq % _EVERY:
                    progress(seq, found.last)
        if entry is not None and not own_id_fits(line[:-1]):
            # No later line of the bundle vouches for it.
            raise damaged(f"seq {entry.seq} does not fit its own id, so it was changed", f"seq {entry.seq}")
        tree.extend(b"".join(leaves))
        yield b"".join(lines)
        found.head, found.root = head, tree.root().hex()
        found.met = set(self._hidden)
        found.ts = "" if entry is None else entry.ts
        found.withheld = [Withheld(kind, runs) for kind, runs in sorted(self._runs.items())]

    def _withheld(self, kind: str, seq: int) -> None:
        runs = self._runs.setdefault(kind, [])
        if runs and runs[-1][1] == seq - 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))

    def _told(self, seq: int, kind: str, event: str, data: bytes) -> None:
        """Take from a payload what a bundle needs; one of another shape than its type's says nothing."""
        found = self.found
        try:
            if kind in CITING:
                if seq >= found.first:
                    for digest in msgspec.json.decode(data, type=_Cites).objects:
                        found.objects.setdefault(digest, seq)
            elif kind == "journal.opened" and seq == 1:
                opened = msgspec.json.decode(data, type=_Opened)
                found.ledger = opened.ledger
                if opened.key is not None:
                    found.keys.append(opened.key)
            elif kind == "key.registered":
                found.keys.append(msgspec.json.decode(data, type=_Key).public)
            elif kind == "checkpoint.signed":
                found.notes.append(parse_checkpoint(msgspec.json.decode(data, type=_Signed).note))
            elif kind == "payload.redacted":
                found.gone.setdefault(msgspec.json.decode(data, type=_Redacted).data_hash, event)
        except (msgspec.DecodeError, Usage):
            return
