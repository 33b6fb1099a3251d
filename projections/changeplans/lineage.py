"""Which record stands now for one that stood before, by what was recorded of each and never by its id alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from t2c.projections.timeline.state import Timeline

__all__ = ["Heir", "Lineage"]

_RECORD: Final = re.compile(r"INT-[A-Z]+-[0-9a-f]{20}")


class Heir(NamedTuple):
    """The record that stands for another one now; None where none does, `why` then says what became of it."""

    id: str | None
    why: str


class Lineage:
    """Which record stands now for one that stood at event `seq`: by what was recorded of each, not by its id.

    The id of a statement that was reworded may be taken by a new statement; that is another subject.
    """

    def __init__(self, history: Timeline, standing: Collection[str], seq: int) -> None:
        self._history = history
        self._standing = standing
        self._seq = seq

    def follow(self, identity: str) -> Heir:
        at, one, trail = self._seq, identity, set[tuple[str, int]]()
        while (one, at) not in trail:
            trail.add((one, at))
            changes = [
                (self._history.moments[change.at].seq, change)
                for change in self._history.changes.get(one, ())
                if self._history.moments[change.at].seq > at and change.what in ("retracted", "returned")
            ]
            lost = next(((seq, change) for seq, change in changes if change.what == "retracted"), None)
            if lost is None:
                return Heir(one, "") if one in self._standing else Heir(None, "absent")
            seq, change = lost
            back = next((later for later, other in changes if later > seq and other.what == "returned"), None)
            if change.heir is not None:
                one, at = change.heir, seq
            elif back is not None:
                at = back
            else:
                return Heir(None, change.value or "absent")
        return Heir(None, "absent")

    def subject(self, text: str) -> str:
        """The subject of a finding with each record that it names replaced by its heir."""
        return "|".join(
            sorted(_RECORD.sub(lambda found: self._named(found[0]), part) for part in text.split("|"))
        )

    def records(self, identities: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self._named, identities))

    def _named(self, identity: str) -> str:
        return self.follow(identity).id or f"gone:{identity}"
