"""`t2c timeline`: what happened to a topic or a record, when, and who said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from t2c.cli.actions.context import Context
from t2c.cli.actions.viewing import view
from t2c.ledger.errors import Usage

__all__ = ["TimelineResult", "TimelineView", "timeline"]

_NEAR: Final = 3
_Topic = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TimelineResult:
    """The topics asked for, or all by their latest change, the latest first. `began` is when the ledger first looked."""

    schema: ClassVar[str] = "t2c.timeline-topics/v1"
    seq: int
    began: str | None
    topics: Sequence[_Topic]


class TimelineView(NamedTuple):
    """`document` is the whole timeline as bytes."""

    document: bytes
    result: TimelineResult


def timeline(context: Context, asked: str | None = None, at: str | None = None) -> TimelineView:
    """Make the timeline as of a moment. Raises Usage for what is neither a topic nor a record of one."""
    found = view(context, "timeline", at)
    document = found.artifacts["timeline.json"]
    body = orjson.loads(document)
    topics: list[_Topic] = body["topics"]
    if asked is None:
        by_key = sorted(topics, key=lambda topic: str(topic["key"]))
        chosen: Sequence[_Topic] = sorted(by_key, key=_latest, reverse=True)
    else:
        chosen = _chosen(asked, topics)
    return TimelineView(document, TimelineResult(found.seq, body["began"], chosen))


def _latest(topic: _Topic) -> str:
    return str(topic["phases"][-1]["since"]) if topic["phases"] else ""


def _chosen(asked: str, topics: Sequence[_Topic]) -> Sequence[_Topic]:
    if asked.startswith("INT-"):
        of_record: list[_Topic] = [
            {**topic, "events": events}
            for topic in topics
            if (events := [event for event in topic["events"] if event["record"] == asked])
        ]
        if of_record:
            return of_record
    name = asked.rstrip("/") or asked
    named = [(topic, str(topic["key"]).partition(":")[2]) for topic in topics]
    for found in (
        [topic for topic in topics if topic["key"] == asked],
        [topic for topic, own in named if own == name],
        [topic for topic in topics if topic["label"].split(" ", 1)[0] == asked],
        [topic for topic, own in named if own.startswith(f"{name}/")],
    ):
        if found:
            return found
    near = get_close_matches(asked, [own for _, own in named], _NEAR)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"nothing is said of {asked!r}, and never was",
        remedy=f"{hint}`t2c timeline` lists the topics that changed last",
        near=near,
    )
