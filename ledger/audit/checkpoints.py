"""Signed checkpoints inside the chain: each is the state that the journal really had, signed by a key it knew.

A checkpoint that was taken in from another chain speaks of that one, and is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import origin_of, parse_checkpoint
from t2c.ledger.journal.signature import VerifierKey, parse_key, vouched

__all__ = ["CheckpointAudit", "Roots"]

Event = Mapping[str, Any]
Roots = Callable[[Collection[int]], Mapping[int, bytes]]
"""The journal's roots at sizes, as far as it has them."""


class CheckpointAudit:
    """Collects keys and checkpoints on the walk; `finish` compares the roots. `fault` is told (seq, kind, detail)."""

    def __init__(self, fault: Callable[[int, str, str], None]) -> None:
        self._fault = fault
        self._ledger = ""
        self._keys: dict[VerifierKey, str | None] = {}
        self._roots: list[tuple[int, int, bytes]] = []

    def opened(self, data: Event) -> None:
        """The genesis event names the ledger that checkpoints have to be of."""
        self._ledger = data["ledger"]

    def registered(self, data: Event, event: Event) -> None:
        """A key of this ledger may sign from here on, until it expires; any other signs nothing here.

        One that another ledger registered is no key of this one, whatever its name.
        """
        origin = event.get("origin")
        if data["algorithm"] == "ed25519" and (origin is None or origin["ledger"] == self._ledger):
            try:
                key = parse_key(data["public"])
            except Usage:
                return
            if key.name == origin_of(self._ledger):
                self._keys[key] = data["expires"]

    def signed(self, seq: int, data: Event, event: Event) -> None:
        """Check a checkpoint as far as events before it tell."""
        if event.get("origin") is not None:
            return
        try:
            note = parse_checkpoint(data["note"])
        except Usage as error:
            self._wrong(seq, error.what)
            return
        found = note.checkpoint
        if found.ledger != self._ledger:
            self._wrong(seq, f"it is of another ledger, {found.origin}")
            return
        if (found.size, found.root.hex()) != (data["size"], data["root"]):
            self._wrong(seq, "its text names another size or root than the event")
        if not 0 < found.size < seq:
            self._wrong(seq, f"it vouches for {found.size} events, of which it is one itself")
        else:
            self._roots.append((seq, found.size, found.root))
        checked = vouched(note, self._keys)
        key = next((key for key in checked.valid if key.id == data["key"]), None)
        if checked.bad:
            self._wrong(seq, f"its signature of key {checked.bad[0].key} is not that key's")
        elif key is None:
            self._wrong(seq, f"it is not signed by key {data['key']}, registered before it")
        elif _over(self._keys[key], event["ts"]):
            self._wrong(seq, f"key {key.id} had expired at {self._keys[key]}")

    def finish(self, roots: Roots | None) -> str | None:
        """Compare the roots; a sentence about what was not compared, if anything was not."""
        if not self._roots:
            return None
        known = {} if roots is None else roots({size for _, size, _ in self._roots})
        unknown = 0
        for seq, size, root in self._roots:
            if size not in known:
                unknown += 1
            elif known[size] != root:
                self._wrong(seq, f"its root is not the journal's after {size} events")
        if not unknown:
            return None
        of = (
            "the root of 1 signed checkpoint was"
            if unknown == 1
            else f"the roots of {unknown} signed checkpoints were"
        )
        return f"{of} not compared with the journal"

    def _wrong(self, seq: int, why: str) -> None:
        self._fault(seq, "checkpoint", f"the signed checkpoint does not hold: {why}")


def _over(expires: str | None, ts: str) -> bool:
    return expires is not None and datetime.fromisoformat(expires) <= datetime.fromisoformat(ts)
