"""One turn under the lock: drafts become lines, or answers from before.

No line is written here. The payload of a redactable draft is filed as an object, which has to last before its line.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, field

from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.chain import seal
from t2c.ledger.journal.index import EventIndex, Keyed
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.ids import fresh_salt

__all__ = ["Expected", "Receipt", "Request", "Turn"]


class Receipt(Struct, frozen=True, gc=False):
    """What an append is answered with. `hash` is what the next line's `prev` holds; `offset` its first byte.

    `repeated` says that the idempotency key had been recorded before and this is the first event's receipt;
    `masked` counts, by kind, the secrets that were masked in what was given.
    """

    seq: int
    id: str
    hash: str
    durable: bool
    offset: int = -1
    repeated: bool = False
    masked: Mapping[str, int] = MappingProxyType({})


class Expected(Struct, frozen=True):
    """The head that the caller's decision was based on."""

    seq: int | None = None
    hash: str | None = None


class Request(Struct, eq=False):
    """What one caller wants recorded, and how it was answered.

    `alone` asks for a turn to itself, with nothing to record. While the caller waits, `wake` is locked: it is
    released when the request is settled, or when the caller is the `heir` of the turn.
    """

    drafts: Sequence[EventDraft]
    expected: Expected | None
    atomic: bool
    alone: bool = False
    heir: bool = False
    wake: threading.Lock = field(default_factory=threading.Lock)
    receipts: list[Receipt] = field(default_factory=list)
    failure: Exception | None = None
    settled: bool = False

    def fail(self, failure: Exception) -> None:
        self.failure, self.settled = failure, True


class Turn:
    """The lines of one turn under the lock."""

    def __init__(self, head: Position, ts: str, index: EventIndex, objects: Objects, durable: bool) -> None:
        self.ts = ts
        self.lines: list[bytes] = []
        self.repeated = False
        self._before = self._known = head
        self._seq, self._hash, self._offset = head
        self._index = index
        self._objects = objects
        self._filed: list[str] = []
        self._durable = durable
        self._keys: dict[str, Keyed] = {}

    @property
    def head(self) -> Position:
        """The position after the last line."""
        return Position(self._seq, self._hash, self._offset)

    @property
    def count(self) -> int:
        """How many events there are to write."""
        return len(self.lines) // 2

    def repair(self, repairs: Sequence[EventDraft]) -> None:
        """Link what was repaired. It is nobody's decision, so it makes no caller's head stale."""
        for item in repairs:
            self._link(item, [], None)

    def add(self, request: Request) -> list[Receipt]:
        """Link drafts behind what is there. Leaves everything as it was if one of them is refused."""
        head = self.head
        kept, filed = len(self.lines), len(self._filed)
        try:
            receipts = self._add(request)
        except BaseException:
            self._seq, self._hash, self._offset = head
            del self.lines[kept:]
            self._keys = {key: found for key, found in self._keys.items() if found.seq <= head.seq}
            self._discard(filed)
            raise
        if len(self.lines) > kept:
            self._known = self.head
        return receipts

    def take_back(self) -> None:
        """None of the lines was written: no payload may stay behind that no event cites."""
        self._discard(0)

    def _discard(self, kept: int) -> None:
        for digest in self._filed[kept:]:
            self._objects.remove(digest)
        del self._filed[kept:]

    def _add(self, request: Request) -> list[Receipt]:
        drafts, atomic = request.drafts, request.atomic and len(request.drafts) > 1
        receipts: list[Receipt] = []
        linked = False
        for part, item in enumerate(drafts, 1):
            # What was taken in is no retry, whatever key it carries.
            receipt = None if item.key is None or item.origin is not None else self._repeat(item.key, item)
            if receipt is None:
                if not linked:
                    _check(request.expected, self._known)
                    linked = True
                receipt = self._link(item, receipts, (part, len(drafts)) if atomic else None)
            receipts.append(receipt)
        if not drafts:
            _check(request.expected, self._known)
        if atomic and linked and any(receipt.repeated for receipt in receipts):
            raise Conflict(
                "only a part of this atomic batch was recorded before",
                safe="nothing was written",
                remedy="give every event of the batch a key of its own, or none",
            )
        return receipts

    def _link(self, item: EventDraft, earlier: list[Receipt], batch: tuple[int, int] | None) -> Receipt:
        cause = self._cause(item, earlier) if item.cause else ()
        seq, offset = self._seq + 1, self._offset
        data_hash = self._file(item.data) if item.redactable else item.data_hash
        sealed = seal(
            item,
            seq=seq,
            prev=self._hash,
            ts=self.ts,
            cause=cause,
            batch=batch or item.batch,
            data_hash=data_hash,
        )
        identity, digest = sealed.id, sealed.hash
        self.lines += sealed.line, b"\n"
        self._seq, self._hash, self._offset = seq, digest, offset + len(sealed.line) + 1
        if item.key is not None and item.origin is None:
            self._keys[item.key] = Keyed(seq, identity, digest, offset, item.content())
        return Receipt(seq, identity, digest, self._durable, offset)

    def _file(self, payload: bytes) -> str:
        digest = self._objects.put_payload(fresh_salt(), payload)
        self._filed.append(digest)
        return digest

    def _cause(self, item: EventDraft, earlier: list[Receipt]) -> list[str]:
        found = []
        for ref in item.cause:
            if isinstance(ref, str):
                # What an event answered to where it came from may come in under another id, or not at all.
                if item.origin is None and self._index.offset(ref, self._before) is None:
                    raise Usage(
                        f"cause {ref} is no event of this ledger",
                        safe="nothing was written",
                        remedy="find the id with `t2c ledger log --json`",
                    )
                found.append(ref)
            elif 0 <= ref < len(earlier):
                found.append(earlier[ref].id)
            else:
                raise Usage(
                    f"cause {ref} is no earlier event of the same append",
                    safe="nothing was written",
                    remedy="count from 0, and only what comes before",
                )
        return found

    def _repeat(self, key: str, item: EventDraft) -> Receipt | None:
        known = self._keys.get(key) or self._index.keyed(key, self._before, item.content())
        if known is None:
            return None
        if known.content is None:
            # Taking the retry for the same would vouch for what nobody can compare any more, and recording it
            # again would undo the redaction.
            raise Conflict(
                f"key {key!r} belongs to an event whose payload was redacted or is missing",
                where=f"seq {known.seq}",
                safe="nothing was written",
                remedy="if it is the same statement, it is recorded and was taken back; else take a new key",
            )
        if known.content != item.content():
            raise Conflict(
                f"key {key!r} was used for other content",
                where=f"seq {known.seq}",
                safe="nothing was written",
                remedy="take a new key, or send the same content to get the first receipt again",
            )
        self.repeated = True
        return Receipt(known.seq, known.id, known.hash, self._durable, known.offset, repeated=True)


def _check(expected: Expected | None, head: Position) -> None:
    if expected is None:
        return
    if expected.seq not in (None, head.seq) or expected.hash not in (None, head.hash):
        raise Conflict(
            f"the ledger's head is seq {head.seq}, hash {head.hash}, not the expected one",
            where=f"seq {head.seq}",
            safe="nothing was written",
            remedy="read what is new (`t2c ledger log`), decide again, and give the new head",
            seq=head.seq,
            hash=head.hash,
        )
