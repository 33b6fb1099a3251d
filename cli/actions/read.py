"""`t2c ledger head | show | types`: reading, which never writes the journal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import place_of, resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE, RESERVED
from t2c.ledger.journal.position import Position

__all__ = [
    "HeadResult",
    "TypesResult",
    "example",
    "head",
    "show",
    "types",
]


@dataclass(frozen=True, slots=True)
class HeadResult:
    """`hash` is what the next line's `prev` will hold; `unfinished` says if something hangs over the end.

    `ts` is the time of event `seq`, `how` what was asked for.
    """

    schema: ClassVar[str] = "t2c.head/v1"
    ledger: str
    seq: int
    hash: str
    events: int
    ts: str
    how: str
    unfinished: str | None


def head(context: Context, at: str | None = None) -> HeadResult:
    """The ledger's id and the last event that counts, now or as of a moment.

    Raises Usage for what is no moment, Corrupt if not even the first event is complete.
    """
    with open_ledger(context) as ledger:
        identity = ledger.id()
        tail = ledger.journal.tail()
        unfinished = None if tail.overhang is None else tail.overhang.cause
        if at is None:
            return _head(identity, tail.position, tail.ts, "the last event", unfinished)
        moment = resolve(context, ledger, at)
        return _head(identity, moment.position, moment.ts or "", moment.how, unfinished)


def _head(ledger: str, position: Position, ts: str, how: str, unfinished: str | None) -> HeadResult:
    return HeadResult(ledger, position.seq, position.hash, position.seq, ts, how, unfinished)


def show(context: Context, ref: str, at: str | None = None) -> bytes:
    """The line of one event, by seq, event id, or the id of a record or relation (its last event).

    With `at` nothing that came later counts. Raises Usage if there is none, or for what is no moment.
    """
    with open_ledger(context) as ledger:
        last = with_events(ledger) if at is None else resolve(context, ledger, at).position
        as_of = "" if at is None else f" as of seq {last.seq}"
        if re.fullmatch(r"[0-9]{1,18}", ref):
            if not 1 <= int(ref) <= last.seq:
                raise Usage(
                    f"there is no event {ref}{as_of}: the ledger goes from 1 to {last.seq}",
                    remedy="`t2c ledger head`",
                )
            before = place_of(ledger, int(ref) - 1)
            return next(line for _, line, _ in ledger.journal.lines(before, int(ref))).rstrip(b"\n")
        if re.fullmatch(r"EVT-[0-9a-f]{20}", ref):
            offset = ledger.index.offset(ref)
            if offset is not None and offset < last.offset:
                return ledger.journal.line_at(offset)
        elif re.fullmatch(r"(INT-[A-Z]+|REL)-[0-9a-f]{20}", ref):
            found = _last_about(ledger, ref, last.seq)
            if found is not None:
                return found
        else:
            raise Usage(
                f"{ref!r} is neither a seq nor an id",
                remedy="give a number, EVT-…, INT-… or REL-…; `t2c ledger log` lists events",
            )
    raise Usage(f"there is no {ref} in this ledger{as_of}", remedy="`t2c ledger log` lists events")


_ABOUT = frozenset(
    {
        "record.observed", "record.moved", "record.retracted", "record.interpreted", "relation.linked",
        "relation.unlinked", "relation.judged",
    }
)  # fmt: skip


def _last_about(ledger: Ledger, ref: str, until: int) -> bytes | None:
    """The last event up to seq `until` whose payload is about this record or relation."""
    named, judged, found = f'"id":"{ref}"'.encode(), f'"relation":"{ref}"'.encode(), None
    for _, line, entry in ledger.journal.lines(until=until):
        if entry.type in _ABOUT and (judged if entry.type == "relation.judged" else named) in line:
            found = line
    return None if found is None else found.rstrip(b"\n")


@dataclass(frozen=True, slots=True)
class TypesResult:
    """The catalogue: each type with its family, version, whether hands may append it, and its meaning."""

    schema: ClassVar[str] = "t2c.types/v1"
    types: tuple[dict[str, Any], ...]


def types(*, by_hand_only: bool = False) -> TypesResult:
    """The event types that this version knows."""
    rows = []
    for name in CATALOGUE.types():
        payload = CATALOGUE.payload(name)
        if payload.by_hand or not by_hand_only:
            rows.append(
                {
                    "type": name,
                    "v": payload.v,
                    "family": CATALOGUE.families[name],
                    "by_hand": payload.by_hand,
                    "redactable": payload.redactable,
                    "trust": payload.trust,
                    "meaning": payload.meaning().split("\n\n")[0],
                    "written": name not in RESERVED,
                }
            )
    return TypesResult(tuple(rows))


def example(name: str) -> bytes:
    """A complete body of a type open to hands, to start from. Raises Usage for any other."""
    if name not in CATALOGUE.locations or not CATALOGUE.payload(name).by_hand:
        opens = ", ".join(row["type"] for row in types(by_hand_only=True).types)
        raise Usage(f"{name!r} is not appended by hand", remedy=f"open to hands: {opens}")
    body = {"type": name, "data": CATALOGUE.payload(name).example}
    return orjson.dumps(body, option=orjson.OPT_INDENT_2)
