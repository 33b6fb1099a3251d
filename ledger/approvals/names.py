"""One name for an event that several ids lead to: that of its line here, those of the places it was taken in from, and
those that a merge says it stands for. Payloads keep the ids of the chain that they were written in (docs/adr/0006).
"""

from __future__ import annotations

import msgspec

from t2c.ledger.journal.entry import Entry

__all__ = ["Names"]

Alias = tuple[str, str]


class _Merged(msgspec.Struct):
    aliases: tuple[Alias, ...] = ()


_merged = msgspec.json.Decoder(_Merged).decode


class Names:
    """Ids of events and the id here that each leads to. An id that is of an event here is never taken over."""

    def __init__(self) -> None:
        self._here: dict[str, str] = {}
        self._aliases: dict[str, str] = {}

    def take(self, entry: Entry) -> None:
        """Take in one event, and the aliases of one that closes a merge."""
        self._here[entry.id] = entry.id
        if entry.origin is not None:
            for place in entry.origin.places:
                self._here.setdefault(place.id, entry.id)
        if entry.type == "journal.merged":
            try:
                for there, here in _merged(entry.data).aliases:
                    self._aliases.setdefault(there, here)
            except msgspec.MsgspecError:
                return

    def of(self, name: str) -> str:
        """The id here of the event that is meant; `name` itself where none of that name was taken in."""
        known = self._here.get(name)
        if known is None and name in self._aliases:
            known = self._here.get(self._aliases[name], self._aliases[name])
        return name if known is None else known
