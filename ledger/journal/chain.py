"""How one event becomes one line: encoded once, hashed for its id, hashed as a leaf.

The line holds the hash of the line before it, so the chain is the order. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from t2c.ledger.errors import Usage
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.digests import event_id, id_state, leaf_state

__all__ = ["MAX_LINE", "Sealed", "own_id_fits", "seal"]

MAX_LINE: Final = 1 << 20
"""Bytes of a line, LF included."""

_AFTER_ID: Final = (b',"key":', b',"origin":', b',"prev":')


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """A line with its id: `line` is without LF, `hash` what the next line's `prev` will hold."""

    id: str
    hash: str
    line: bytes


def seal(
    draft: EventDraft,
    *,
    seq: int,
    prev: str,
    ts: str,
    cause: Sequence[str],
    batch: tuple[int, int] | None,
    data_hash: str | None = None,
) -> Sealed:
    """Put a draft into the chain after the line that hashes to `prev` (journal-engine §1).

    Members stand in sorted order: actor, batch, cause, data or data_hash, id, key, origin, prev, run, seq, trust,
    ts, type, v. The payload is spliced in as it is, so it must be canonical; with a `data_hash` it stays out.
    Raises Usage if the line is too long.
    """
    front = _opening(draft.actor.kind, draft.actor.id)
    if batch is not None:
        front = b'%b,"batch":[%d,%d]' % (front, *batch)
    if cause:
        front += b',"cause":' + canonical(list(cause))
    if data_hash is None:
        front = b'%b,"data":%b' % (front, draft.data)
    else:
        front = b'%b,"data_hash":"%b"' % (front, data_hash.encode())
    before = b"" if draft.key is None else b',"key":' + canonical(draft.key)
    if draft.origin is not None:
        before += b',"origin":' + draft.origin
    closing = _closing(draft.trust, ts, draft.type, draft.v)
    back = b'%b,"prev":"%b"%b,"seq":%d%b' % (before, prev.encode(), _run(draft.run), seq, closing)
    # Both hashes are written out here: this is done for every event.
    state = id_state()
    state.update(front)
    state.update(back)
    identity = "EVT-" + state.hexdigest()[:20]
    line = b'%b,"id":"%b"%b' % (front, identity.encode(), back)
    if len(line) >= MAX_LINE:
        raise Usage(
            f"a {draft.type} event of {len(line):,} bytes is longer than a line may be ({MAX_LINE:,} bytes)",
            safe="nothing was written",
            remedy="store the large part as an object and cite its hash",
        )
    state = leaf_state()
    state.update(line)
    return Sealed(identity, state.hexdigest(), line)


# Members that neighbouring events share are encoded once.


@lru_cache(maxsize=256)
def _opening(kind: str, name: str) -> bytes:
    return b'{"actor":' + canonical({"id": name, "kind": kind})


@lru_cache(maxsize=256)
def _run(run: str | None) -> bytes:
    return b"" if run is None else b',"run":' + canonical(run)


@lru_cache(maxsize=256)
def _closing(trust: str, ts: str, type: str, v: int) -> bytes:
    parts = trust.encode(), ts.encode(), type.encode(), v
    return b',"trust":"%b","ts":"%b","type":"%b","v":%d}' % parts


class _Identified(msgspec.Struct):
    id: str


_decode_id = msgspec.json.Decoder(_Identified).decode


def own_id_fits(line: bytes) -> bool:
    """True if a line's id is that of its raw bytes with the member cut out (journal-engine §4).

    Nothing is re-encoded. The member is the last one of its text, at its sorted place: after the payload, which
    may hold the same, and right before one of the members that follow it.
    """
    try:
        claimed = _decode_id(line).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    member = b',"id":"%b"' % claimed.encode()
    at = line.rfind(member)
    rest = at + len(member)
    return at >= 0 and line.startswith(_AFTER_ID, rest) and event_id(line[:at], line[rest:]) == claimed
