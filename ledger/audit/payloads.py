"""Payloads that are kept apart from their lines: there and right, or taken out by an event that says so.

(journal-engine §6)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from t2c.ledger.errors import Corrupt, T2cError
from t2c.ledger.journal.verify import Fault

__all__ = ["PayloadAudit"]

Event = Mapping[str, Any]


class PayloadAudit:
    """Opens the payload behind each `data_hash`, and compares what is missing with what was redacted.

    `read` gives the payload behind a hash, None if its object is not there, and raises Corrupt if it does not fit.
    """

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._hashes: dict[str, str] = {}
        self._cited: set[str] = set()
        self._present: dict[str, int] = {}
        self._missing: dict[str, tuple[int, bool]] = {}
        self._redacted: dict[str, int] = {}
        self._elsewhere: set[str] = set()
        self.faults: list[Fault] = []

    def open(self, seq: int, event: Event) -> bytes | None:
        """The payload of an event that has a `data_hash`; None if it is not there or not what the hash says."""
        digest, origin = event.get("data_hash"), event.get("origin")
        if not isinstance(digest, str):
            return None
        places = [event, origin, *origin.get("former", ())] if isinstance(origin, dict) else [event]
        self._hashes |= {place["id"]: digest for place in places if isinstance(place.get("id"), str)}
        self._cited.add(digest)
        try:
            payload = self._read(digest)
        except Corrupt:
            self._fault(seq, "object_damaged", f"object {digest} does not hold the payload of its data_hash")
        except T2cError as error:
            self._fault(seq, "object_unreadable", error.what)
        else:
            if payload is not None:
                self._present.setdefault(digest, seq)
                return payload
            self._missing.setdefault(digest, (seq, origin is not None))
        return None

    def parsed(self, seq: int, payload: bytes) -> dict[str, Any] | None:
        """The payload as an object; None, and a fault, if it is none."""
        try:
            value = orjson.loads(payload)
        except orjson.JSONDecodeError as error:
            self._fault(seq, "schema", f"the payload is not JSON: {error}")
            return None
        if not isinstance(value, dict):
            self._fault(seq, "schema", "the payload is no object")
            return None
        return value

    def taken_in(self, seq: int, data: Event, ours: bool) -> None:
        """Take a `payload.redacted` that came from elsewhere, whose event may have another id here.

        What another ledger took out explains why it is missing and obliges nobody here to delete it.
        """
        if ours:
            self._redacted.setdefault(data["data_hash"], seq)
        else:
            self._elsewhere.add(data["data_hash"])

    def redaction(self, seq: int, data: Event, known: bool, is_object: bool = False) -> None:
        """Take a `payload.redacted`; `known` says whether its event is an earlier one of this ledger.

        `is_object` says whether earlier events cite the object by a member of their payloads.
        """
        digest = data["data_hash"]
        cited = self._hashes.get(data["event"])
        if not known:
            self._fault(seq, "redaction_unknown", f"{data['event']} is redacted but is no earlier event")
        elif cited != digest and not is_object and (cited is not None or digest not in self._cited):
            what = "has its payload in the line" if cited is None else f"has the data_hash {cited}"
            self._fault(seq, "redaction_unknown", f"{data['event']} {what}, not {digest}")
        self._redacted.setdefault(digest, seq)

    def finish(self) -> list[str]:
        """What is withheld or not proven, in sentences; what is missing without a word, or left, becomes a fault."""
        withheld = absent = 0
        for digest, (seq, elsewhere) in self._missing.items():
            if digest in self._redacted or digest in self._elsewhere:
                withheld += 1
            elif elsewhere:
                absent += 1
            else:
                detail = f"the payload behind {digest} is not there and no event redacts it"
                self._fault(seq, "payload_missing", detail)
        for digest, seq in self._redacted.items():
            if digest in self._present:
                detail = (
                    f"the payload of seq {self._present[digest]} is still there though it is redacted: "
                    f"`t2c ledger redact {self._present[digest]}` deletes it"
                )
                self._fault(seq, "redaction_unfinished", detail)
        unproven = []
        if withheld:
            were = "1 payload is" if withheld == 1 else f"{withheld} payloads are"
            unproven.append(f"{were} withheld by redaction events")
        if absent:
            were = "1 payload was" if absent == 1 else f"{absent} payloads were"
            unproven.append(f"{were} not sent along with events that were taken in")
        return unproven

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        self.faults.append(Fault(seq, kind, detail))
