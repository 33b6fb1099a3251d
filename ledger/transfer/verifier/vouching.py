"""What checkpoints say of the lines: those in the bundle, and those that the auditor kept elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from t2c.ledger.transfer.verifier.ed25519 import signature_fits
from t2c.ledger.transfer.verifier.findings import Findings
from t2c.ledger.transfer.verifier.lines import Chain
from t2c.ledger.transfer.verifier.notes import Key, Note, signed_by

__all__ = ["CHECKPOINT", "Vouching"]

CHECKPOINT = "checkpoint.txt"


class Vouching:
    """Compares checkpoints with the roots that a walk has made; `proven` and `unproven` say what came of it."""

    def __init__(self, chain: Chain, ledger: str, last: int, found: Findings) -> None:
        self.proven: list[str] = []
        self.unproven: list[str] = []
        self._chain = chain
        self._origin = "t2c/" + ledger
        self._last = last
        self._found = found

    def checkpoints(self, notes: Mapping[str, Note], given: Sequence[Key], inside: Sequence[Key]) -> None:
        """Each checkpoint of the bundle against the lines, and its signatures by given keys and by those inside."""
        keys = list(dict.fromkeys([*given, *inside]))
        known = {(key.name, key.id) for key in keys}
        unknown: set[str] = set()
        by_given = by_any = 0
        for name, note in sorted(notes.items()):
            fits = self._fits(name, note)
            unknown.update(
                f"{one.name}+{one.key}" for one in note.signatures if (one.name, one.key) not in known
            )
            for key in keys:
                signature = signed_by(note, key)
                if signature is None:
                    continue
                if not signature_fits(key.public, note.text, signature.content):
                    self._found.add("signature", name, f"the signature by {key.name}+{key.id} does not fit")
                elif fits:
                    by_given, by_any = max(by_given, note.size if key in given else 0), max(by_any, note.size)
                elif key in given and note.origin == self._origin:
                    self._signed_otherwise(name, note)
        if by_given:
            self.proven.append(f"events 1 to {by_given:,} are those that the given key signed")
        elif given:
            self._found.add("unsigned", "", "no checkpoint that fits this bundle is signed by the given key")
        if 0 < by_given < self._chain.seq:
            self.unproven.append(f"events after {by_given:,}: no signature by the given key covers them")
        if not given:
            said = f" (one of them signed events 1 to {by_any:,})" if by_any else ""
            self.unproven.append(
                "who made it: no --key was given, and the keys in the bundle prove only that it agrees "
                f"with itself{said}"
            )
        if unknown:
            self.unproven.append("signatures by keys that are not here: " + ", ".join(sorted(unknown)))

    def anchors(self, anchors: Sequence[tuple[str, Note]]) -> None:
        """What the auditor holds against what the bundle shows."""
        if not anchors:
            self.unproven.append(
                "that nothing was cut off its end or made anew: no --checkpoint kept elsewhere was given"
            )
        for source, note in anchors:
            root = self._chain.roots.get(note.size)
            if note.origin != self._origin:
                detail = f"the checkpoint speaks of {note.origin[:60]}, not of this ledger"
                self._found.diverge("forked", source, detail)
            elif note.size > self._chain.seq:
                detail = f"it vouches for {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
                self._found.diverge("truncated", source, detail)
            elif root is None:
                self._before_the_range(source, note)
            elif root == note.root:
                self.proven.append(f"events 1 to {note.size:,} are those that {source} vouches for")
            elif not self._damaged_before(source, note):
                detail = f"the first {note.size:,} events of the bundle are not those that it vouches for"
                self._found.diverge("forked", source, detail)

    def _fits(self, name: str, note: Note) -> bool:
        """True if a checkpoint of the bundle states the root of the lines; what else it states is a fault."""
        if note.origin != self._origin:
            self._found.add("checkpoint", name, f"speaks of {note.origin[:60]}, not of this ledger")
            return False
        if name == CHECKPOINT and note.size != self._last:
            self._found.add("checkpoint", name, f"speaks of {note.size:,} events, not of {self._last:,}")
        if note.size > self._chain.seq:
            detail = f"speaks of {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
            self._found.add("checkpoint", name, detail)
            return False
        root = self._chain.roots.get(note.size)
        if root is None:
            self._before_the_range(name, note)
        elif root != note.root:
            detail = f"the first {note.size:,} events do not have the root that it states"
            self._found.add("checkpoint", name, detail)
        return root == note.root

    def _signed_otherwise(self, name: str, note: Note) -> None:
        """The auditor's own key signed what the bundle does not show."""
        if note.size > self._chain.seq:
            detail = f"the given key signed {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
            self._found.diverge("truncated", name, detail)
        elif note.size in self._chain.roots and not self._damaged_before(name, note):
            self._found.diverge(
                "forked", name, f"the given key signed another history of {note.size:,} events"
            )

    def _damaged_before(self, source: str, note: Note) -> bool:
        """True if a damaged line explains that the root differs: no other history is proven by it."""
        first = self._found.first_line
        if first is None or first > note.size:
            return False
        self.unproven.append(f"what {source} vouches for: the lines are damaged from seq {first:,} on")
        return True

    def _before_the_range(self, source: str, note: Note) -> None:
        self.unproven.append(
            f"{source}: its {note.size:,} events end before the range, so its root cannot be made"
        )
