"""`t2c ledger head | log | show | types`: reading, which never writes the journal."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE, RESERVED
from t2c.ledger.journal.entry import Entry
from t2c.ledger.journal.position import START
from t2c.ledger.kernel.actor import Actor, Trust

__all__ = [
    "HeadResult",
    "LogRequest",
    "TypesResult",
    "example",
    "head",
    "log",
    "show",
    "types",
]


@dataclass(frozen=True, slots=True)
class HeadResult:
    """`hash` is what the next line's `prev` will hold; `unfinished` says if something hangs over the end."""

    schema: ClassVar[str] = "t2c.head/v1"
    ledger: str
    seq: int
    hash: str
    events: int
    unfinished: str | None


def head(context: Context) -> HeadResult:
    """The ledger's id and the last event that counts."""
    with open_ledger(context) as ledger:
        tail = ledger.journal.tail()
        unfinished = None if tail.overhang is None else tail.overhang.cause
        return HeadResult(ledger.id(), tail.position.seq, tail.position.hash, tail.position.seq, unfinished)


@dataclass(frozen=True, slots=True)
class LogRequest:
    """Which events: `since` is the first seq, `at` the last one; the others must match exactly."""

    types: tuple[str, ...] = ()
    actor: str | None = None
    trust: Trust | None = None
    run: str | None = None
    since: int = 1
    at: int | None = None
    last: int | None = None


def log(context: Context, request: LogRequest) -> Iterator[tuple[bytes, Entry]]:
    """(line without LF, entry) of every event asked for, in order; `at` must be an event of the ledger.

    A type may end in `.*` for a whole family. Raises Usage for what is no actor, for an `at` out of range, and
    for a type that this version does not know and of which the ledger holds no event.
    """
    if request.actor is not None:
        Actor.parse(request.actor)
    with open_ledger(context) as ledger:
        wanted = _matcher(ledger, request.types)
        if request.at is not None:
            _seq(ledger, request.at)
        after = START
        if request.since > 1:
            found = ledger.journal.position(request.since - 1)
            if found is None:
                return
            after = found
        kept: list[tuple[bytes, Entry]] = []
        for _, line, entry in ledger.journal.lines(after, request.at):
            if (
                (wanted is None or wanted(entry.type))
                and request.actor in (None, str(entry.actor))
                and request.trust in (None, entry.trust)
                and request.run in (None, entry.run)
            ):
                item = (line.rstrip(b"\n"), entry)
                if request.last is None:
                    yield item
                else:
                    kept.append(item)
                    if len(kept) > 2 * request.last:
                        del kept[: -request.last]
        if request.last is not None:
            yield from kept[-request.last :] if request.last else ()


def _matcher(ledger: Ledger, types: tuple[str, ...]) -> Callable[[str], bool] | None:
    """Whether a type is asked for; None if all are."""
    if not types:
        return None
    for name in types:
        if not re.fullmatch(r"[a-z]+(\.[a-z]+)*(\.\*)?", name):
            raise Usage(f"{name!r} is not an event type", remedy="`t2c ledger types` lists them")
    known: Collection[str] = CATALOGUE.types()
    if not all(_among(name, known) for name in types):
        # A ledger may hold events of types that only a newer version knows.
        known = sorted({*known, *(entry.type for entry in ledger.journal.entries())})
    for name in types:
        if not _among(name, known):
            raise Usage(f"there is no event type {name!r}", remedy=_near(name, known))
    exact = {name for name in types if not name.endswith(".*")}
    prefixes = tuple(name[:-1] for name in types if name.endswith(".*"))
    return lambda name: name in exact or name.startswith(prefixes or "\0")


def _among(name: str, known: Collection[str]) -> bool:
    if name.endswith(".*"):
        return any(one.startswith(name[:-1]) for one in known)
    return name in known


def _near(name: str, known: Collection[str]) -> str:
    from difflib import get_close_matches

    close = [f"{name}.*"] if _among(f"{name}.*", known) else get_close_matches(name, known, 1)
    return (f"did you mean {close[0]}? " if close else "") + "`t2c ledger types` lists them"


def _seq(ledger: Ledger, seq: int) -> None:
    last = ledger.head().seq
    if not 1 <= seq <= last:
        raise Usage(f"there is no event {seq}: the ledger goes from 1 to {last}", remedy="`t2c ledger head`")


def show(context: Context, ref: str) -> bytes:
    """The line of one event, by seq, event id, or the id of a record or relation (its last event).

    Raises Usage if there is none.
    """
    with open_ledger(context) as ledger:
        if re.fullmatch(r"[0-9]{1,18}", ref):
            _seq(ledger, int(ref))
            position = ledger.journal.position(int(ref) - 1)
            assert position is not None
            return next(line for _, line, _ in ledger.journal.lines(position, int(ref))).rstrip(b"\n")
        if re.fullmatch(r"EVT-[0-9a-f]{20}", ref):
            offset = ledger.index.offset(ref)
            if offset is not None:
                return ledger.journal.line_at(offset)
        elif re.fullmatch(r"(INT-[A-Z]+|REL)-[0-9a-f]{20}", ref):
            found = _last_about(ledger, ref)
            if found is not None:
                return found
        else:
            raise Usage(
                f"{ref!r} is neither a seq nor an id",
                remedy="give a number, EVT-…, INT-… or REL-…; `t2c ledger log` lists events",
            )
    raise Usage(f"there is no {ref} in this ledger", remedy="`t2c ledger log` lists events")


_ABOUT = frozenset(
    {
        "record.observed", "record.moved", "record.retracted", "record.interpreted", "relation.linked",
        "relation.unlinked", "relation.judged",
    }
)  # fmt: skip


def _last_about(ledger: Ledger, ref: str) -> bytes | None:
    """The last event whose payload is about this record or relation."""
    named, judged, found = f'"id":"{ref}"'.encode(), f'"relation":"{ref}"'.encode(), None
    for _, line, entry in ledger.journal.lines():
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
