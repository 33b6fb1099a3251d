"""What happened, told from the first event on: a chapter for each run, and for each day of what no run did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from t2c.ledger.journal.entry import Entry

__all__ = ["MOST", "Chapter", "Notable", "Story"]

MOST: Final = 100
"""Notable events that one chapter tells one by one; `more` counts those beyond."""


@dataclass(frozen=True, slots=True)
class Notable:
    """An event that a reader of the story should not miss, in words."""

    seq: int
    type: str
    what: str


@dataclass(slots=True)
class Chapter:
    """The events of one run, or of one day outside any run (`run` is None), in a ledger's own time.

    `actors` counts them by who recorded them and by type, `retracted` the records that went, by why. `verb`,
    `requested_by` and `status` are what the run said of itself.
    """

    run: str | None
    first: int
    last: int
    began: str
    ended: str
    events: int = 0
    verb: str | None = None
    requested_by: str | None = None
    status: str | None = None
    actors: dict[str, dict[str, int]] = field(default_factory=dict)
    retracted: dict[str, int] = field(default_factory=dict)
    notable: list[Notable] = field(default_factory=list)
    more: int = 0


class Story:
    """Takes events in order; memory grows with the number of runs and days."""

    def __init__(self) -> None:
        self._chapters: dict[tuple[str, str], Chapter] = {}

    def add(self, entry: Entry) -> None:
        """Take the next event in."""
        key = ("run", entry.run) if entry.run is not None else ("day", entry.ts[:10])
        chapter = self._chapters.get(key)
        if chapter is None:
            chapter = self._chapters[key] = Chapter(entry.run, entry.seq, entry.seq, entry.ts, entry.ts)
        chapter.last, chapter.ended = entry.seq, entry.ts
        chapter.events += 1
        types = chapter.actors.setdefault(str(entry.actor), {})
        types[entry.type] = types.get(entry.type, 0) + 1
        if entry.type in _READ:
            self._read(chapter, entry, _object(bytes(entry.data)))

    def _read(self, chapter: Chapter, entry: Entry, data: dict[str, Any]) -> None:
        if entry.type == "record.retracted":
            why = str(data.get("why"))
            chapter.retracted[why] = chapter.retracted.get(why, 0) + 1
            return
        if entry.type == "run.started":
            chapter.verb, chapter.requested_by = _text(data, "verb"), _text(data, "requested_by")
            return
        if entry.type == "run.finished":
            chapter.status = _text(data, "status")
        what = _TOLD[entry.type](data)
        if what is None:
            return
        if len(chapter.notable) < MOST:
            chapter.notable.append(Notable(entry.seq, entry.type, what))
        else:
            chapter.more += 1

    def chapters(self) -> list[Chapter]:
        """All chapters, in the order in which they began."""
        return sorted(self._chapters.values(), key=lambda chapter: chapter.first)


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(data: dict[str, Any], name: str) -> str | None:
    value = data.get(name)
    return value if isinstance(value, str) else None


def _stage(data: dict[str, Any]) -> str | None:
    if data.get("status") in ("succeeded", "skipped"):
        return None
    return f"stage {data.get('stage')} {data.get('status')}" + _because(data)


def _finished(data: dict[str, Any]) -> str | None:
    return (
        None if data.get("status") == "succeeded" else f"the run ended {data.get('status')}" + _because(data)
    )


def _because(data: dict[str, Any]) -> str:
    return f": {data['detail']}" if data.get("detail") else ""


def _ledger(data: dict[str, Any]) -> str:
    return str(data.get("ledger"))[:8]


_TOLD: Final[dict[str, Callable[[dict[str, Any]], str | None]]] = {
    "journal.opened": lambda data: f"ledger {data.get('ledger')} opened by {data.get('tool')}",
    "journal.repaired": lambda data: (
        f"an unfinished end was set aside ({data.get('cause')}, {data.get('length')} bytes)"
    ),
    "journal.merged": lambda data: (
        f"{data.get('events')} events of ledger {_ledger(data)} taken in, {data.get('known')} known already"
    ),
    "checkpoint.signed": lambda data: (
        f"checkpoint over {data.get('size')} events signed by {data.get('key')}"
    ),
    "bundle.exported": lambda data: f"events {data.get('first')} to {data.get('last')} left in a bundle",
    "bundle.imported": lambda data: (
        f"a bundle read in: events {data.get('first')} to {data.get('last')} of ledger {_ledger(data)}"
    ),
    "payload.redacted": lambda data: f"the payload of {data.get('event')} deleted: {data.get('reason')}",
    "key.registered": lambda data: f"key {data.get('key')} registered",
    "participant.registered": lambda data: f"{data.get('kind')} {data.get('participant')} registered",
    "degradation.noted": lambda data: (
        f"{data.get('stage')}: {data.get('asked')} asked, {data.get('done')} done: {data.get('reason')}"
    ),
    "refusal.noted": lambda data: f"refused: {data.get('reason') or data.get('detail') or 'no reason given'}",
    "relation.judged": lambda data: f"{data.get('relation')} judged {data.get('verdict')}",
    "stage.finished": _stage,
    "run.finished": _finished,
}
_READ: Final = frozenset({*_TOLD, "record.retracted", "run.started"})
