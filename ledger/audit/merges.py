"""What a merge promises of the events that it took in: as many as its closing event says, in the order they had there.

Only the events that one closing event ends are known to be of one chain. Two that stand next to each other here may be
of two branches of one ledger, whose seqs fit by chance: merges of closings alone have none (docs/adr/0006).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any

from t2c.ledger.journal.entry import Place

__all__ = ["MergeAudit"]

Event = Mapping[str, Any]
Report = Callable[[int, str, str], None]


class MergeAudit:
    """Follows what was taken in since the last closing event. `report` is called with (seq, kind, detail)."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._seqs = array("Q")
        self._breaks: list[tuple[int, int, str]] = []
        self._last: Place | None = None
        self._before: Event | None = None

    def taken_in(self, seq: int, place: Place) -> None:
        """Take an event with the place that it stood in last."""
        last, self._last = self._last, place
        if last is not None and self._seqs:
            detail = _broken(last, place)
            if detail is not None:
                self._breaks.append((len(self._seqs), seq, detail))
        self._seqs.append(place.seq)

    def closed(self, seq: int, data: Event) -> None:
        """Take a closing event that was made here: it ends the last `events` of what was taken in."""
        seqs, breaks, last = self._seqs, self._breaks, self._last
        self._seqs, self._breaks, self._last = array("Q"), [], None
        before, self._before = self._before, {**data, "aliases": ()}
        if before == self._before and not seqs:
            # Aliases beyond what one line holds: the same merge goes on.
            return
        count, end = data["events"], data["last"] if "last" in data else data["seq"]
        after = max(data["common_seq"], data.get("first", 1) - 1, 1)
        skipped = data["known"] + data.get("withheld", 0)
        if count + skipped != max(0, end - after):
            self._fault(
                seq,
                f"of seq {after + 1} to {end} there it counts {count} events that came in, and {skipped} that did not",
            )
        if count > len(seqs):
            self._fault(seq, f"it took in {count} events, and {len(seqs)} stand before it")
            return
        start = len(seqs) - count
        for index, at, detail in breaks:
            if index > start:
                self._report(at, "origin", detail)
        if count and last is not None:
            self._ends(seq, last, data, end)
            if seqs[start] <= after:
                self._fault(seq, f"it begins behind seq {after} there, and seq {seqs[start]} is before it")

    def _ends(self, seq: int, last: Place, data: Event, end: int) -> None:
        """The last one that was taken in stood in the chain that the closing event names."""
        if last.ledger != data["ledger"] or last.seq > end:
            self._fault(seq, f"seq {last.seq} of {last.ledger[:8]} before it is not of what it took in")
        elif last.seq == end and last.hash != data["hash"]:
            self._fault(seq, f"seq {last.seq} of {last.ledger[:8]} before it is not the head that it names")

    def _fault(self, seq: int, detail: str) -> None:
        self._report(seq, "origin", detail)


def _broken(last: Place, here: Place) -> str | None:
    """Why `here` cannot be the next of what was taken in of one chain, None if it can."""
    if here.ledger != last.ledger:
        return f"seq {here.seq} of {here.ledger[:8]} is of another ledger than the event before it"
    if here.seq <= last.seq or (here.seq == last.seq + 1 and here.prev != last.hash):
        return f"seq {here.seq} of {here.ledger[:8]} does not follow seq {last.seq} there"
    return None
