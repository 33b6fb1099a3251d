"""A moment of the ledger, as people write it: a seq, a time, a checkpoint or an event → a place in the journal."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.journal.position import START, Position
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.digests import leaf_hash

__all__ = ["FORMS", "Moment", "at_seq", "place_of", "resolve", "since", "to_come", "with_events"]

FORMS: Final = (
    "a seq, a time (2026-01-05, 2026-01-05T10:00Z, 2h, now), checkpoint:latest, a checkpoint file, or EVT-…"
)
"""What is accepted, in the words of every message about it."""

_SEQ: Final = re.compile(r"[0-9]{1,18}")
_AGE: Final = re.compile(r"([0-9]{1,9})([smhdw])")
_TIME: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,12}))?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_EVENT: Final = re.compile(r"EVT-[0-9a-f]{20}")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_TICK: Final = timedelta(milliseconds=1)


class Moment(NamedTuple):
    """`position` is after the last event that counts; `ts` is that event's time, None before the first event.

    `how` says in words how the text was understood, for example `the last event at or before …`.
    """

    position: Position
    ts: str | None
    how: str

    @property
    def seq(self) -> int:
        """The last event that counts, 0 before the first one."""
        return self.position.seq


class _Instant(NamedTuple):
    """A point in time in whole milliseconds; `exact` is False if the text names a later point within this one.

    `day` is True if a whole day was named.
    """

    at: datetime
    exact: bool
    day: bool


def with_events(ledger: Ledger) -> Position:
    """The head of a ledger that has at least its first event.

    Raises Corrupt if not even that is complete, Usage if the journal is empty.
    """
    head = ledger.head()
    if head == START:
        ledger.id()
    return head


def resolve(
    context: Context, ledger: Ledger, text: str, *, start: bool = False, cached: bool = True
) -> Moment:
    """The moment that `text` names: everything up to and with its event counts.

    A date means the end of that day in UTC, a time without a zone is UTC, an age (`90s`, `15m`, `2h`, `3d`, `1w`)
    is counted back from the clock, `head` is the last event. With `start`, seq 0 is the moment before the first
    event. `cached=False` leaves the index aside, which is kept on disk. Raises Usage for anything else and for
    what is not in the ledger, Corrupt if the journal does not hold what a checkpoint vouches for.
    """
    head = with_events(ledger)
    if text == "head":
        return at_seq(ledger, head.seq, "the last event")
    if _SEQ.fullmatch(text):
        return _at_number(ledger, head, int(text), start)
    if _EVENT.fullmatch(text):
        return at_seq(ledger, _seq_of(ledger, text, cached), f"event {text}")
    instant = _instant(context, text)
    if instant is not None:
        return _at_instant(ledger, instant, start)
    return _at_checkpoint(context, ledger, head, text)


def since(context: Context, ledger: Ledger, text: str, *, beyond: bool = False) -> Position:
    """The place after which everything from `text` on stands: a seq or event, and all at or after a time.

    A date means the beginning of that day in UTC; a checkpoint means what came after it. `beyond` allows the seq
    after the head. Raises as `resolve` does.
    """
    head = with_events(ledger)
    if _SEQ.fullmatch(text):
        first = max(int(text), 1)
        if first > head.seq + beyond:
            raise Usage(
                f"there is no event {first}: the ledger goes from 1 to {head.seq}", remedy="`t2c ledger head`"
            )
        return place_of(ledger, first - 1)
    if text == "head":
        return place_of(ledger, head.seq - 1)
    if _EVENT.fullmatch(text):
        return place_of(ledger, _seq_of(ledger, text, True) - 1)
    instant = _instant(context, text)
    if instant is None:
        return _at_checkpoint(context, ledger, head, text).position
    try:
        last_before = instant.at - _TICK if instant.exact else instant.at
    except OverflowError:
        return START
    return ledger.journal.at_time(rfc3339(last_before))


def to_come(text: str, now: datetime, *, option: str, safe: str) -> str:
    """A time after `now`, as RFC 3339 in UTC: a date, a time, or so long from now (30d). Raises Usage."""
    age = _AGE.fullmatch(text)
    try:
        found = now + timedelta(**{_UNITS[age[2]]: int(age[1])}) if age else datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        later = found > now
        shown = rfc3339(found)
    except (ValueError, OverflowError):
        raise Usage(
            f"{text[:80]!r} is not a time",
            where=option,
            safe=safe,
            remedy="write a date or RFC 3339, for example 2027-12-31 or 2027-12-31T12:00:00Z, or how long: 30d",
        ) from None
    if not later:
        raise Usage(f"{shown} is over already", where=option, safe=safe, remedy="give a time to come")
    return shown


def place_of(ledger: Ledger, seq: int) -> Position:
    """The position after an event that is known to be there. Raises Corrupt if the journal says otherwise."""
    found = ledger.journal.position(seq)
    if found is None:
        raise Corrupt(
            f"there is no event {seq}, though later ones are there",
            where=f"seq {seq}",
            remedy="run `t2c ledger verify`",
        )
    return found


def at_seq(ledger: Ledger, seq: int, how: str) -> Moment:
    """The moment after an event that is known to be there."""
    before = place_of(ledger, seq - 1)
    for offset, line, entry in ledger.journal.lines(before, seq):
        return Moment(Position(seq, leaf_hash(line[:-1]), offset + len(line)), entry.ts, how)
    raise Corrupt(f"event {seq} cannot be read", where=f"seq {seq}", remedy="run `t2c ledger verify`")


def _at_number(ledger: Ledger, head: Position, seq: int, start: bool) -> Moment:
    if seq == 0 and start:
        return Moment(START, None, "before the first event")
    if not 1 <= seq <= head.seq:
        raise Usage(
            f"there is no event {seq}: the ledger goes from 1 to {head.seq}", remedy="`t2c ledger head`"
        )
    return at_seq(ledger, seq, f"seq {seq}")


def _seq_of(ledger: Ledger, event: str, cached: bool) -> int:
    if cached:
        offset = ledger.index.offset(event)
        if offset is not None:
            return next(ledger.journal.many([offset])).seq
    else:
        named = event.encode()
        for _, line, entry in ledger.journal.lines():
            former = () if entry.origin is None or named not in line else entry.origin.places
            if entry.id == event or any(place.id == event for place in former):
                return entry.seq
    raise Usage(f"there is no event {event} in this ledger", remedy="`t2c ledger log` lists events")


def _instant(context: Context, text: str) -> _Instant | None:
    """The point in time that a text names; None if it has not the form of one."""
    try:
        if text == "now":
            return _milliseconds(context.clock.now(), False)
        if (age := _AGE.fullmatch(text)) is not None:
            back = timedelta(**{_UNITS[age[2]]: int(age[1])})
            return _milliseconds(context.clock.now() - back, False)
        if (found := _TIME.fullmatch(text)) is not None:
            return _written(found)
    except OverflowError:
        if _AGE.fullmatch(text):
            return _Instant(datetime.min.replace(tzinfo=UTC), True, False)
        raise Usage(f"{text} lies outside the years 1 to 9999", remedy=f"give {FORMS}") from None
    except ValueError as error:
        raise Usage(f"{text!r} is not a time: {error}", remedy=f"give {FORMS}") from None
    return None


def _written(found: re.Match[str]) -> _Instant:
    date, clock, seconds, fraction, zone = found.groups()
    day = datetime.fromisoformat(date).replace(tzinfo=UTC)
    if clock is None:
        return _Instant(day, True, True)
    digits = (fraction or "").ljust(6, "0")
    hour, minute = clock.split(":")
    local = day.replace(
        hour=int(hour),
        minute=int(minute),
        second=int(seconds or 0),
        microsecond=int(digits[:6]),
        tzinfo=_zone(zone),
    )
    return _milliseconds(local.astimezone(UTC), digits[6:].strip("0") != "")


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 23 or minutes > 59:
        raise ValueError(f"{text} is no offset from UTC")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def _milliseconds(at: datetime, later: bool) -> _Instant:
    whole = at.replace(microsecond=at.microsecond // 1000 * 1000)
    return _Instant(whole, whole == at and not later, False)


def _at_instant(ledger: Ledger, instant: _Instant, start: bool) -> Moment:
    ts = rfc3339(instant.at)
    if instant.day:
        ts = f"{ts[:10]}T23:59:59.999Z"
    position = ledger.journal.at_time(ts)
    if position != START:
        return at_seq(ledger, position.seq, f"the last event at or before {ts}")
    if start:
        return Moment(START, None, f"before the first event, at {ts}")
    first = next(ledger.entries(until=1))
    raise Usage(f"at {ts} there was no event yet: the first is of {first.ts}", remedy=f"give {FORMS}")


def _at_checkpoint(context: Context, ledger: Ledger, head: Position, text: str) -> Moment:
    from t2c.cli.actions.vouched import vouched

    size, name = vouched(context, ledger, head, text, FORMS)
    return at_seq(ledger, size, f"{name}, whose root fits; its signatures were not checked")
