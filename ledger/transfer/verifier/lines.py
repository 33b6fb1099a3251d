"""The chain of a bundle's journal, line by line from raw bytes: nothing is encoded anew.

A line of a type that the sender withheld is replaced by `{"withheld":"<leaf hash>"}`: what it said is gone, but its
place in the chain and in the tree is proven like that of any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import Any

from t2c.ledger.transfer.verifier.approving import APPROVING, Approving
from t2c.ledger.transfer.verifier.citing import (
    CITING,
    FROM_THE_START,
    OFFERING,
    is_digest,
    objects_of,
    offered_by,
)
from t2c.ledger.transfer.verifier.tree import Tree, leaf_of

__all__ = ["MAX_LINE", "Chain", "cited", "journal_lines", "withheld_leaf"]

MAX_LINE = 1 << 20
"""Bytes of a line, its line feed included."""

_STUB = re.compile(rb'\{"withheld":"([0-9a-f]{64})"\}\Z')
_ID = sha256(b"\x02")
_AFTER_ID = (b',"key":', b',"origin":', b',"prev":')
_LEAVES = 4096
_MOST_STRANGE = 1000


def withheld_leaf(line: bytes) -> bytes | None:
    """The leaf (32 bytes) that stands in for a withheld line, None for any other line."""
    found = _STUB.match(line)
    return None if found is None else bytes.fromhex(found.group(1).decode())


def cited(event: dict[str, Any]) -> Iterator[str]:
    """The objects that an event cites, by their names."""
    payload = event.get("data_hash")
    if is_digest(payload):
        yield str(payload)
    data = event.get("data")
    if isinstance(data, dict):
        yield from objects_of(event["type"], data.get)


def journal_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without their line feeds. One that is too long is cut, one without an end comes with a NUL behind it."""
    rest, skipping = b"", False
    for piece in pieces:
        block = piece if skipping else rest + piece
        lines = block.split(b"\n")
        rest = lines.pop()
        if skipping and lines:
            lines, skipping = lines[1:], False
        elif skipping:
            rest = b""
        yield from lines
        if len(rest) >= MAX_LINE:
            yield rest[:MAX_LINE]
            rest, skipping = b"", True
    if rest:
        yield rest[: MAX_LINE - 1] + b"\0"


def _said(event: dict[str, Any], member: str) -> str:
    data = event.get("data")
    return str(data.get(member)) if isinstance(data, dict) else ""


class _Duplicate(ValueError):
    pass


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Duplicate
    return found


def _refused(name: str) -> Any:
    raise ValueError(name)


_scan = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refused).scan_once  # type: ignore[attr-defined]


class Chain:
    """What a walk over the lines has found so far. `before` is the leaf of the line before the first, if it is known.

    `fault` is called with (kind, seq, sentence). `head` is the leaf of the last line in its place, `roots` maps the
    sizes asked for to the root there, `withheld` lists runs [first, last] of `hidden` withheld lines, `most_runs` at
    most. `objects` are those of the objects in `known` that are cited, `strange` the first ones that are cited and
    not in it, `redacted` those of `known` that an event says are gone. Those that events of other types than those in
    `citing` cite and that are not in `known` are counted in `unfollowed`. `approving` hears of keys and approvals.
    """

    def __init__(
        self,
        first: int,
        tree: Tree,
        sizes: Iterable[int],
        fault: Callable[[str, int, str], None],
        before: bytes = b"",
        known: AbstractSet[bytes] = frozenset(),
        most_runs: int = 1,
        citing: AbstractSet[str] = FROM_THE_START,
        approving: Approving | None = None,
    ) -> None:
        self.seq = first - 1
        self.lines = 0
        self.head = before
        self.ledger: str | None = None
        self.last_ts = ""
        self.roots: dict[int, bytes] = {tree.size: tree.root()}
        self.withheld: list[list[int]] = []
        self.hidden = 0
        self.objects: set[bytes] = set()
        self.strange: set[bytes] = set()
        self.redacted: set[bytes] = set()
        self.unfollowed = 0
        self._citing = citing
        self._approving = approving
        self._known = known
        self._most_runs = most_runs
        self._tree = tree
        self._sizes = sorted(size for size in set(sizes) if size > tree.size)
        self._first = first
        self._fault = fault

    def walk(self, lines: Iterable[bytes]) -> None:
        """Go over all lines."""
        leaves: list[bytes] = []
        due = self._due()
        read = self._read
        for line in lines:
            leaf = leaf_of(line)
            if line.startswith(b'{"withheld"'):
                leaf = self._stub(line, leaf)
            else:
                read(line, leaf)
            leaves.append(leaf)
            self.lines += 1
            if len(leaves) >= due:
                self._grow(leaves)
                leaves, due = [], self._due()
        self._grow(leaves)

    def _due(self) -> int:
        """How many leaves may be gathered until a root is asked for."""
        return min(self._sizes[0] - self._tree.size, _LEAVES) if self._sizes else _LEAVES

    def _grow(self, leaves: list[bytes]) -> None:
        self._tree.extend(leaves)
        if self._sizes and self._sizes[0] == self._tree.size:
            self.roots[self._sizes.pop(0)] = self._tree.root()

    def _stub(self, line: bytes, leaf: bytes) -> bytes:
        found = withheld_leaf(line)
        if found is None:
            self._fault("not_json", self.seq + 1, "the line is neither an event nor a withheld one")
            return leaf
        self.seq += 1
        self.hidden += 1
        if self.withheld and self.withheld[-1][1] == self.seq - 1:
            self.withheld[-1][1] = self.seq
        elif len(self.withheld) < self._most_runs:
            self.withheld.append([self.seq, self.seq])
        self.head = found
        return found

    def _read(self, line: bytes, leaf: bytes) -> None:
        expected = self.seq + 1
        if len(line) >= MAX_LINE:
            self._fault("too_long", expected, f"a line is longer than {MAX_LINE:,} bytes, or has no end")
            return
        try:
            text = line.decode()
            event, end = _scan(text, 0)
            seq, prev, claimed, ts = event["seq"], event["prev"], event["id"], event["ts"]
            kind = event["type"]
        except UnicodeDecodeError as error:
            self._fault("not_utf8", expected, f"the line is not UTF-8 at byte {error.start}")
            return
        except _Duplicate:
            self._fault("duplicate_key", expected, "an object in the line holds a key twice")
            return
        except (ValueError, StopIteration, LookupError, TypeError, RecursionError):
            event, end, seq = {}, -1, None
            prev = claimed = ts = kind = text = ""
        if end != len(text) or type(seq) is not int or not type(kind) is type(claimed) is type(ts) is str:
            what = "the last line has no end" if line.endswith(b"\0") else "the line is not an event in JSON"
            self._fault("not_json", expected, what)
            return
        self._own_id(line, claimed, seq)
        if "data_hash" in event or kind in CITING or kind in OFFERING:
            self._cite(event)
        if seq == expected:
            if self.head and prev != self.head.hex():
                self._fault(
                    "prev",
                    seq,
                    f"seq {seq} does not hold the hash of the line before it: one of the two was changed",
                )
            elif not self.head and expected == 1 and prev != "0" * 64:
                self._fault("prev", 1, "the first line does not start a chain: its prev is not zero")
        elif seq < expected:
            self._fault(
                "reordered", expected, f"seq {seq} stands after seq {self.seq}: moved, or there twice"
            )
            return
        else:
            self._fault(
                "gap", expected, f"seq {seq} stands where seq {expected} belongs: lines are missing or moved"
            )
        if ts < self.last_ts:
            self._fault("time", seq, f"seq {seq} says {ts[:40]}, earlier than the event before it")
        self.seq, self.head, self.last_ts = seq, leaf, ts
        if kind in APPROVING and self._approving is not None:
            self._approving.hear(seq, event)
        if kind == "payload.redacted":
            gone = _said(event, "data_hash")
            if is_digest(gone) and bytes.fromhex(gone) in self._known:
                self.redacted.add(bytes.fromhex(gone))
        elif seq == 1:
            self.ledger = _said(event, "ledger")

    def _cite(self, event: dict[str, Any]) -> None:
        kind, data = event["type"], event.get("data")
        followed = data is None or kind in self._citing
        for name in map(bytes.fromhex, cited(event)):
            if name in self._known:
                self.objects.add(name)
            elif not followed:
                self.unfollowed += 1
            elif len(self.strange) < _MOST_STRANGE:
                self.strange.add(name)
        for name in map(bytes.fromhex, offered_by(kind, data.get) if isinstance(data, dict) else ()):
            if name in self._known:
                self.objects.add(name)

    def _own_id(self, line: bytes, claimed: str, seq: int) -> None:
        """An id is that of the raw line with its own member cut out, which stands behind the payload."""
        member = b',"id":"%b"' % claimed.encode("utf-8", "replace")
        at = line.rfind(member)
        rest = at + len(member)
        state = _ID.copy()
        state.update(line[:at])
        state.update(line[rest:])
        if at < 0 or not line.startswith(_AFTER_ID, rest) or claimed != "EVT-" + state.hexdigest()[:20]:
            self._fault("id", seq, f"seq {seq} does not fit its own id: the line was changed")
