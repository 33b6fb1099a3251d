"""What events that were taken in promise: their old lines can be made again, and everything they cite has a name here.

Ids count together: an event has the id of its line here, those of the places it came from, and the aliases that the
merge gave to it (docs/adr/0006).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from t2c.ledger.audit.merges import MergeAudit
from t2c.ledger.errors import Usage
from t2c.ledger.journal.entry import Origin, Place, decode_entry
from t2c.ledger.journal.origin import NoOrigin, again
from t2c.ledger.kernel.canon import canonical

__all__ = ["OriginAudit", "names_of"]

Event = Mapping[str, Any]
Report = Callable[[int, str, str], None]


def names_of(event: Event) -> tuple[str, ...]:
    """The id of an event, and those that it had where it was taken from."""
    origin = event.get("origin")
    places = () if origin is None else (origin, *origin.get("former", ()))
    return (event["id"], *(place["id"] for place in places))


class OriginAudit:
    """Follows ids and origins through a chain. `report` is called with (seq, kind, detail) of each fault."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._ids: dict[bytes, int] = {}
        self._merges = MergeAudit(report)
        self._ledger: str | None = None
        self._causes: list[tuple[int, str, bool]] = []
        self._aliases: list[tuple[int, str, str]] = []
        self._partial = False
        self.foreign = False
        """True if the event that was visited last came from another ledger."""
        self.dangling = 0
        """References of events taken in to events that were not taken in with them, known once `finish` was called."""

    def __contains__(self, identity: str) -> bool:
        """True if an event up to here has or had this id."""
        return identity.encode() in self._ids

    def visit(self, seq: int, event: Event) -> bool:
        """Take one event; True if it was taken in from elsewhere."""
        places = self._places(seq, event)
        self.foreign = any(place.ledger != self._ledger for place in places)
        if self.foreign and event["trust"] == "observed":
            self._report(seq, "trust", "an event of another ledger is at most imported")
        for cause in event.get("cause", ()):
            if cause.encode() not in self._ids:
                if places:
                    self._causes.append((seq, cause, not self.foreign))
                else:
                    self._report(seq, "cause_unknown", f"cause {cause} is no earlier event")
        for identity in dict.fromkeys((event["id"], *(place.id for place in places))):
            self._claim(seq, identity)
        if places:
            self._merges.taken_in(seq, places[0])
        return bool(places)

    def merged(self, seq: int, data: Event, *, here: bool) -> None:
        """Take a closing event: the aliases that it gave to events, and, if it was made here, what it ends."""
        self._partial = self._partial or data.get("withheld", 0) > 0
        for alias, name in data["aliases"]:
            if not self._alias(seq, alias, name):
                self._aliases.append((seq, alias, name))
        if here:
            self._merges.closed(seq, data)

    def finish(self) -> None:
        """Report what nothing resolves. What was never sent along is counted in `dangling`, no fault."""
        while True:
            left = [item for item in self._aliases if not self._alias(*item)]
            if len(left) == len(self._aliases):
                break
            self._aliases = left
        for seq, there, here in self._aliases:
            self._report(seq, "alias_unknown", f"{there} is to stand for {here}, which is no event")
        for seq, cause, ours in self._causes:
            if cause.encode() in self._ids:
                continue
            if ours and not self._partial:
                self._report(
                    seq, "cause_unknown", f"cause {cause} is no event, here or where this one came from"
                )
            else:
                self.dangling += 1

    def _claim(self, seq: int, identity: str) -> None:
        packed = identity.encode()
        if packed in self._ids:
            self._taken(seq, identity)
        self._ids[packed] = seq

    def _alias(self, seq: int, there: str, here: str) -> bool:
        """Give the event `here` the name `there`, which it may have already; False if `here` is none yet."""
        event = self._ids.get(here.encode())
        if event is not None and self._ids.setdefault(there.encode(), event) != event:
            self._taken(seq, there)
        return event is not None

    def _taken(self, seq: int, identity: str) -> None:
        self._report(seq, "id_taken", f"{identity} is claimed by two events")

    def _places(self, seq: int, event: Event) -> tuple[Place, ...]:
        if event.get("type") == "journal.opened" and seq == 1:
            self._ledger = event["data"]["ledger"]
        return () if event.get("origin") is None else self._made_again(seq, event)

    def _made_again(self, seq: int, event: Event) -> tuple[Place, ...]:
        """The places that an event came from, once its old line was made again."""
        try:
            entry = decode_entry(canonical(event))
            origin = entry.origin
            assert isinstance(origin, Origin)
            made = again(entry)
        except (msgspec.DecodeError, NoOrigin, Usage) as error:
            self._report(seq, "origin", f"where it came from cannot be told: {error}")
            return ()
        if (made.hash, made.id) != (origin.hash, origin.id):
            what = f"the line that it came from, seq {origin.seq} of {origin.ledger[:8]}, does not hash to its origin"
            self._report(seq, "origin", what)
        return origin.places
