"""The event log `t2c.event-log/v1` (logs.dsl.txt): its values, its exact text, its faults (intent-evidence §10.3).

`parse(render(log)) == log`, and `render` gives the only text that `parse` takes for a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson
from msgspec import Struct, structs

from t2c.ledger.errors import Usage
from t2c.ledger.interop.event_fact import (
    DIGEST,
    FIELDS,
    NULLABLE,
    SEQUENCE,
    STRUCTURE,
    VALUE,
    Fact,
    instant,
    objection,
    plain,
)

__all__ = [
    "GENESIS",
    "MAX_EVENTS",
    "SCHEMA",
    "Event",
    "EventLog",
    "chained",
    "digest_of",
    "event_line",
    "parse",
    "render",
    "written",
]

SCHEMA: Final = "t2c.event-log/v1"
GENESIS: Final = "sha256:" + "0" * 64
MAX_EVENTS: Final = 10_000


class Event(Struct, frozen=True):
    """A fact in its place: `event_digest` is over all lines before it, `previous_digest` is the event's before."""

    sequence: int
    fact: Fact
    previous_digest: str
    event_digest: str


class EventLog(Struct, frozen=True):
    """A whole log. `stream_digest` is the last event's digest, GENESIS if there is none."""

    stream_id: str
    generated_at: str
    events: tuple[Event, ...]

    @property
    def stream_digest(self) -> str:
        return self.events[-1].event_digest if self.events else GENESIS


_HEADER: Final = 8
_LINES: Final = 22
"""Lines of the header, and of one event with its `EVENT` and `END_EVENT`."""
_integer: Final = re.compile(r"0|[1-9][0-9]{0,15}").fullmatch


def event_line(sequence: int) -> int:
    """The line on which the event of that sequence starts, from 1."""
    return _HEADER + (sequence - 1) * _LINES + 1


def digest_of(content: bytes) -> str:
    """`sha256:` and 64 hex, as logs write it."""
    return "sha256:" + sha256(content).hexdigest()


def chained(facts: Iterable[Fact], stream_id: str, generated_at: str) -> EventLog:
    """A log of these facts in the order of RECORDED_AT, SOURCE, EVENT_ID (UTF-8 bytes).

    Raises Usage, with the code of the format, for a fact or name that a log cannot hold.
    """
    events: list[Event] = []
    previous = GENESIS
    for sequence, fact in enumerate(sorted(facts, key=_by_bytes), 1):
        digest = _sealed(_payload(sequence, fact, previous))
        events.append(Event(sequence, fact, previous, digest))
        previous = digest
    log = EventLog(stream_id, generated_at, tuple(events))
    _check(log, "the event log")
    return log


def render(log: EventLog) -> bytes:
    """The one text of a log that `chained` or `parse` made."""
    parts = [_header(log.stream_id, log.generated_at, len(log.events), log.stream_digest)]
    for event in log.events:
        parts.append(_block(_payload(event.sequence, event.fact, event.previous_digest), event.event_digest))
    return "".join(parts).encode()


def written(facts: Iterable[Fact], stream_id: str, generated_at: str) -> tuple[bytes, str]:
    """`render(chained(...))` and the log's STREAM_DIGEST, for facts and names that are known to be right.

    At most MAX_EVENTS facts, none of which `objection` has anything against and no two with one `event_id`.
    """
    parts: list[str] = []
    previous = GENESIS
    for sequence, fact in enumerate(sorted(facts, key=_by_bytes), 1):
        payload = _payload(sequence, fact, previous)
        previous = _sealed(payload)
        parts.append(_block(payload, previous))
    return (_header(stream_id, generated_at, len(parts), previous) + "".join(parts)).encode(), previous


def parse(content: bytes, name: str = "logs.dsl.txt") -> EventLog:
    """Read a log and prove it: structure, values, order, the chain of digests, the one spelling.

    Raises Usage naming `name` and the line, with the code of the format in front and as detail `log_code`.
    """
    reader = _Reader(content, name)
    log = reader.log()
    _check(log, name, reader.stream_digest)
    if render(log) != content:
        raise _fault(STRUCTURE, "it is not written the one way in which this log is written", f"{name}:1")
    return log


def _check(log: EventLog, name: str, stream_digest: str | None = None) -> None:
    header = [(4, plain("STREAM_ID", log.stream_id)), (5, instant("GENERATED_AT", log.generated_at))]
    for line, found in header:
        if found is not None:
            raise _fault(found.code, f"{found.field}: {found.why}", f"{name}:{line}")
    if len(log.events) > MAX_EVENTS:
        raise _fault(VALUE, f"EVENT_COUNT is above {MAX_EVENTS:,}", f"{name}:6")
    previous, seen = GENESIS, set[str]()
    for index, event in enumerate(log.events):
        fact, where = event.fact, f"{name}:{event_line(index + 1)}"
        wrong = objection(fact)
        if wrong is not None:
            raise _fault(wrong.code, f"event {index + 1}: {wrong.field}: {wrong.why}", where)
        if event.sequence != index + 1:
            raise _fault(SEQUENCE, f"event {index + 1} says SEQUENCE {event.sequence}", where)
        if fact.event_id in seen:
            raise _fault(SEQUENCE, f"EVENT_ID {fact.event_id} stands twice", where)
        seen.add(fact.event_id)
        if event.previous_digest != previous:
            raise _fault(DIGEST, f"event {index + 1} does not follow from the one before it", where)
        if event.event_digest != _sealed(_payload(event.sequence, fact, previous)):
            raise _fault(DIGEST, f"event {index + 1} does not hash to its EVENT_DIGEST", where)
        previous = event.event_digest
    _check_order([event.fact for event in log.events], name)
    if stream_digest is not None and stream_digest != previous:
        raise _fault(DIGEST, "STREAM_DIGEST is not the last event's", f"{name}:8")


def _check_order(facts: Sequence[Fact], name: str) -> None:
    """In order by bytes, or by the collation of the reference's writer, which sorts letters before their case."""
    late: list[int] = []
    for key in (_by_bytes, _by_collation):
        keys = [key(fact) for fact in facts]
        at = next((at for at in range(1, len(keys)) if keys[at - 1] > keys[at]), None)
        if at is None:
            return
        late.append(at)
    raise _fault(
        SEQUENCE,
        f"event {late[0] + 1} was recorded before the one above it",
        f"{name}:{event_line(late[0] + 1)}",
    )


def _by_bytes(fact: Fact) -> tuple[str, str, str]:
    return fact.recorded_at, fact.source, fact.event_id


def _by_collation(fact: Fact) -> tuple[object, ...]:
    return tuple(_collated(text) for text in _by_bytes(fact))


_ORDER: Final = {
    char: place
    for place, char in enumerate(" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz")
}


def _collated(text: str) -> tuple[list[int], list[bool]]:
    """A key that sorts ASCII as the root collation does: letters by themselves first, lower case before upper."""
    return [_ORDER.get(char.lower(), 100 + ord(char)) for char in text], [char.isupper() for char in text]


def _json(value: str | None) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # a lone surrogate, which `plain` then objects to
        return '""'


def _payload(sequence: int, fact: Fact, previous: str) -> str:
    """The lines that EVENT_DIGEST is over."""
    values = "".join(
        [f"{name} {_json(value)}\n" for name, value in zip(FIELDS, structs.astuple(fact), strict=True)]
    )
    return f'SEQUENCE {sequence}\n{values}PREVIOUS_DIGEST "{previous}"\n'


def _sealed(payload: str) -> str:
    return digest_of(payload.encode())


def _block(payload: str, digest: str) -> str:
    return f'EVENT\n{payload}EVENT_DIGEST "{digest}"\nEND_EVENT\n'


def _header(stream_id: str, generated_at: str, count: int, stream_digest: str) -> str:
    return (
        f'DOCUMENT "T2C_EVENT_LOG"\nVERSION 1\nSCHEMA "{SCHEMA}"\nSTREAM_ID {_json(stream_id)}\n'
        f"GENERATED_AT {_json(generated_at)}\nEVENT_COUNT {count}\n"
        f'GENESIS_DIGEST "{GENESIS}"\nSTREAM_DIGEST "{stream_digest}"\n'
    )


class _Reader:
    """The lines of a log, one field after the other."""

    def __init__(self, content: bytes, name: str) -> None:
        self._name = name
        self._at = 0
        self.stream_digest = GENESIS
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise _fault(STRUCTURE, f"it is not UTF-8 at byte {error.start}", name) from None
        for sign, what in (
            ("\ufeff", "a byte order mark"),
            ("\r", "a carriage return"),
            ("\n\n", "a blank line"),
        ):
            if (at := text.find(sign)) >= 0:
                line = text.count("\n", 0, at) + 1 + (sign == "\n\n")
                raise _fault(STRUCTURE, f"it holds {what}", f"{name}:{line}")
        if not text.endswith("\n"):
            raise _fault(STRUCTURE, "it does not end with a line feed", f"{name}:{text.count(chr(10)) + 1}")
        self._lines = text[:-1].split("\n")

    def log(self) -> EventLog:
        for line in ('DOCUMENT "T2C_EVENT_LOG"', "VERSION 1", f'SCHEMA "{SCHEMA}"'):
            self._exactly(line)
        stream, generated, count = (
            self._string("STREAM_ID"),
            self._string("GENERATED_AT"),
            self._number("EVENT_COUNT"),
        )
        if self._string("GENESIS_DIGEST") != GENESIS:
            raise self._wrong(DIGEST, "GENESIS_DIGEST is not that of every log")
        self.stream_digest = self._string("STREAM_DIGEST")
        if count > MAX_EVENTS:
            raise _fault(VALUE, f"EVENT_COUNT is above {MAX_EVENTS:,}", f"{self._name}:6")
        events = tuple(self._event() for _ in range(count))
        if self._at != len(self._lines):
            self._at += 1
            raise self._wrong(STRUCTURE, f"something stands behind the last of {count:,} events")
        return EventLog(stream, generated, events)

    def _event(self) -> Event:
        self._exactly("EVENT")
        sequence = self._number("SEQUENCE")
        fact = Fact(*(self._string(name, name in NULLABLE) for name in FIELDS))
        event = Event(sequence, fact, self._string("PREVIOUS_DIGEST"), self._string("EVENT_DIGEST"))
        self._exactly("END_EVENT")
        return event

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1] if self._at <= len(self._lines) else ""

    def _exactly(self, line: str) -> None:
        if self._next() != line:
            raise self._wrong(STRUCTURE, f"here stands {line}")

    def _raw(self, name: str) -> str:
        line = self._next()
        if not line.startswith(f"{name} "):
            raise self._wrong(STRUCTURE, f"here stands the field {name}")
        return line[len(name) + 1 :]

    def _number(self, name: str) -> int:
        raw = self._raw(name)
        if not _integer(raw):
            raise self._wrong(VALUE, f"{name} is no whole number from 0 on")
        return int(raw)

    def _string(self, name: str, nullable: bool = False) -> Any:
        try:
            value = orjson.loads(self._raw(name))
        except orjson.JSONDecodeError:
            raise self._wrong(STRUCTURE, f"{name} is not JSON") from None
        if not isinstance(value, str) and not (nullable and value is None):
            raise self._wrong(VALUE, f"{name} is a JSON string{' or null' if nullable else ''}")
        return value

    def _wrong(self, code: str, what: str) -> Usage:
        return _fault(code, what, f"{self._name}:{self._at}")


def _fault(code: str, what: str, where: str) -> Usage:
    return Usage(
        f"{code}: {what}",
        where=where,
        safe="nothing was written",
        remedy="ask whoever wrote the log for another copy",
        log_code=code,
    )
