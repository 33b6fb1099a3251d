"""What of payloads that may be deleted was left behind: by a redaction that was cut off, or by an append that was."""

from __future__ import annotations

from typing import Final

import msgspec

from t2c.ledger.engine import Ledger
from t2c.ledger.kernel.digests import payload_hash

__all__ = ["Leftovers", "leftovers"]


class _Redacted(msgspec.Struct):
    data_hash: str


_decode: Final = msgspec.json.Decoder(_Redacted).decode


class Leftovers(msgspec.Struct, frozen=True):
    """`redacted` are the events whose payload is still there though an event redacts it, by seq.

    `uncited` are payload objects that no event cites: the append that filed them was killed before its line.
    """

    redacted: tuple[int, ...]
    uncited: tuple[str, ...]


def leftovers(ledger: Ledger) -> Leftovers:
    """Look for both. Reads the journal only if there are objects. Raises what reading raises."""
    there = set(ledger.objects.digests())
    if not there:
        return Leftovers((), ())
    cited: dict[str, int] = {}
    redacted: set[str] = set()
    own = ledger.journal.ledger()
    for entry in ledger.entries():
        if entry.data_hash is not None:
            cited.setdefault(entry.data_hash, entry.seq)
        elif entry.type == "payload.redacted" and entry.is_ours(own):
            try:
                redacted.add(_decode(entry.data).data_hash)
            except msgspec.DecodeError:
                continue  # `verify` names it
    uncited = (
        digest
        for digest in sorted(there - cited.keys())
        if payload_hash(ledger.objects.path(digest).read_bytes()) == digest
    )
    return Leftovers(
        tuple(sorted(cited[digest] for digest in there & redacted if digest in cited)), tuple(uncited)
    )
