"""What checkpoints say of the lines: those in the bundle, and those that the auditor kept elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from t2c.ledger.transfer.verifier.ed25519 import signature_fits
from t2c.ledger.transfer.verifier.findings import Findings
from t2c.ledger.transfer.verifier.lines import Chain
from t2c.ledger.transfer.verifier.manifest import Onward
from t2c.ledger.transfer.verifier.notes import Key, Note, Signature
from t2c.ledger.transfer.verifier.tree import extends

__all__ = ["CHECKPOINT", "Vouching"]

CHECKPOINT = "checkpoint.txt"
_MOST_UNKNOWN = 20


class Vouching:
    """Compares checkpoints with the roots that a walk has made; `proven` and `unproven` say what came of it.

    If the manifest says that the ledger went on after the bundle's last event, `onward` may lead to a checkpoint of a
    later size. `named` is True once something from elsewhere vouches for the ledger's name.
    """

    def __init__(
        self,
        chain: Chain,
        manifest: Mapping[str, Any],
        found: Findings,
        onward: Onward | None,
    ) -> None:
        self.proven: list[str] = []
        self.unproven: list[str] = []
        self.named = False
        self._chain = chain
        self._origin = "t2c/" + manifest["ledger"]
        self._first = manifest["first"]
        self._last = manifest["last"]
        self._found = found
        self._partial = manifest["partial"]
        self._onward = onward if self._partial else None
        self._later: dict[int, bytes] = {}

    def checkpoints(self, notes: Mapping[str, Note], given: Sequence[Key], inside: Sequence[Key]) -> None:
        """Each checkpoint of the bundle against the lines, and its signatures by given keys and by those inside.

        A key counts for the ledger alone whose name it bears.
        """
        known: dict[tuple[str, str], list[Key]] = {}
        for key in dict.fromkeys([*given, *inside]):
            if key.name == self._origin:
                known.setdefault((key.name, key.id), []).append(key)
        unknown: set[str] = set()
        by_given = by_any = signed = 0
        for name, note in sorted(notes.items()):
            fits = self._fits(name, note)
            if note.origin != self._origin:
                continue
            size = min(note.size, self._chain.seq)
            for signature in _first_of_each(note):
                keys = known.get((signature.name, signature.key))
                if keys is None:
                    if len(unknown) < _MOST_UNKNOWN:
                        unknown.add(f"{signature.name[:60]}+{signature.key}")
                    continue
                # Two keys may have one id: the signature is by the one that it fits.
                by = [key for key in keys if signature_fits(key.public, note.text, signature.content)]
                if not by:
                    detail = f"the signature by {signature.name}+{signature.key} does not fit"
                    self._found.add("signature", name, detail)
                elif fits:
                    by_any = max(by_any, size)
                    if by[0] in given and (size, note.size) > (by_given, signed):
                        by_given, signed = size, note.size
                elif by[0] in given:
                    self._signed_otherwise(name, note)
        self._say_who(given, by_given, signed, by_any)
        if unknown:
            self.unproven.append("signatures by keys that are not here: " + ", ".join(sorted(unknown)))

    def _say_who(self, given: Sequence[Key], by_given: int, signed: int, by_any: int) -> None:
        foreign = sorted({f"{key.name[:60]}+{key.id}" for key in given if key.name != self._origin})
        if 0 < by_given < self._first:
            detail = f"the given key signed events 1 to {by_given:,}, and none of those that are here"
            self._found.add("unsigned", "", detail)
        elif by_given:
            self.named = True
            begin = f", and begin the {signed:,} of its checkpoint" if signed > by_given else ""
            self.proven.append(f"events 1 to {by_given:,} are those that the given key signed{begin}")
        elif given and len(foreign) == len(set(given)):
            detail = f"the given key is of another ledger, not of {self._origin[:60]}: " + ", ".join(foreign)
            self._found.add("unsigned", "", detail)
        elif given:
            self._found.add("unsigned", "", "no checkpoint that fits this bundle is signed by the given key")
        if foreign and len(foreign) < len(set(given)):
            self.unproven.append("what keys of other ledgers signed: " + ", ".join(foreign))
        if self._first <= by_given < self._chain.seq:
            self.unproven.append(f"events after {by_given:,}: no signature by the given key covers them")
        if not given:
            said = f" (one of them signed events 1 to {by_any:,})" if by_any else ""
            self.unproven.append(
                "who made it: no --key was given, and the keys in the bundle prove only that it agrees "
                f"with itself{said}"
            )

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
            elif self._partial and note.size > self._last:
                self._after_the_part(source, note)
            elif note.size > self._chain.seq:
                detail = f"it vouches for {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
                self._found.diverge("truncated", source, detail)
            elif root is None:
                self._before_the_range(source, note)
            elif root == note.root:
                self.named = True
                self.proven.append(f"events 1 to {note.size:,} are those that {source} vouches for")
            elif not self._damaged_before(source, note):
                detail = f"the first {note.size:,} events of the bundle are not those that it vouches for"
                self._found.diverge("forked", source, detail)

    def _after_the_part(self, source: str, note: Note) -> None:
        """A checkpoint of more events than the sender wanted to show."""
        if self._leads_to(note):
            self.named = True
            self.proven.append(
                f"events 1 to {self._last:,} begin the {note.size:,} that {source} vouches for"
            )
        elif self._later.get(note.size, note.root) != note.root:
            detail = f"the bundle holds another checkpoint of {note.size:,} events than this one"
            self._found.diverge("forked", source, detail)
        else:
            self.unproven.append(
                f"that these are events of {source}: the checkpoint vouches for {note.size:,} events; the sender says "
                f"that this bundle is a part that ends at {self._last:,}"
            )

    def _leads_to(self, note: Note) -> bool:
        """True if the bundle proves that its events begin those of a later checkpoint."""
        root = self._chain.roots.get(self._last)
        onward = self._onward
        if onward is None or onward.size != note.size or root is None or self._chain.seq != self._last:
            return False
        return extends(self._last, root, note.size, note.root, onward.path)

    def _fits(self, name: str, note: Note) -> bool:
        """True if a checkpoint of the bundle states the root of the lines; what else it states is a fault."""
        if note.origin != self._origin:
            self._found.add("checkpoint", name, f"speaks of {note.origin[:60]}, not of this ledger")
            return False
        if name == CHECKPOINT and note.size != self._last:
            self._found.add("checkpoint", name, f"speaks of {note.size:,} events, not of {self._last:,}")
        if note.size > self._chain.seq:
            if self._leads_to(note):
                self._later[note.size] = note.root
                return True
            detail = f"speaks of {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
            if self._onward is not None and self._onward.size == note.size:
                detail += "; the proof does not lead from the one to the other"
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
            # Of a part it is a fault and proves nothing: the sender did not say that nothing follows.
            if not self._partial:
                detail = (
                    f"the given key signed {note.size:,} events, and the bundle ends at {self._chain.seq:,}"
                )
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


def _first_of_each(note: Note) -> list[Signature]:
    """A key's further signatures of one note say nothing, and checking one takes time."""
    found: dict[tuple[str, str], Signature] = {}
    for signature in note.signatures:
        found.setdefault((signature.name, signature.key), signature)
    return list(found.values())
