"""`t2c timeline`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.timeline import TimelineResult

__all__ = ["timeline"]

_TELLS: Final = {
    "written": "written by",
    "seen": "first seen at",
    "status": "said to be {} at",
    "retracted": "no longer said ({}):",
    "returned": "said again at",
    "implemented": "implemented by",
    "evidenced": "evidenced by",
    "located": "there is",
    "tested": "tested by",
    "contradicted": "contradicted by",
    "reverted": "taken back:",
    "unlinked": "no longer shown ({}) by",
}
_LABEL: Final = 60
_FULL: Final = 3
_PHASE: Final = 11


def timeline(
    ctx: typer.Context,
    asked: Annotated[
        str | None,
        typer.Argument(metavar="TOPIC|RECORD", help="Only this: a ticket, path, folder, name or INT-…"),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many lines at most; --json has all.", min=1)
    ] = 40,
    at: At = None,
    json: Json = False,
) -> None:
    """Show when a topic came to stand as it does, who said so, and since when it is broken.

    What has a date of its own (a commit, a test run) stands on it, though the ledger saw it later; what has none stands
    where the ledger first saw it, with its seq. Without TOPIC the topics that changed last are listed.

    Examples:

        t2c timeline
        t2c timeline src/app.py
        t2c timeline AB-12 --json
        t2c timeline AB-12 --at 2026-01-05
    """
    from t2c.cli.actions import timeline as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.timeline(context, asked, at)
    if json and asked is None:
        invocation.output.raw(found.document)
    else:
        invocation.emit(found.result, lambda style: joined(_text(found.result, style, limit, asked)))


def _text(found: TimelineResult, style: Style, limit: int, asked: str | None) -> Iterator[str]:
    if not found.topics:
        yield "no topic in which anybody says anything"
        return
    if asked is not None and len(found.topics) <= _FULL:
        for topic in found.topics:
            yield from _topic(topic, style, limit)
        return
    telling = [topic for topic in found.topics if topic["phases"] and topic["phases"][-1]["status"] != "said"]
    shown = (telling or found.topics)[:limit] if asked is None else found.topics[:limit]
    for topic in shown:
        for last in topic["phases"][-1:]:
            by = f"  by {last['by']}" if last["by"] else ""
            status = _marked(last["status"], style, _PHASE)
            yield f"{style.faint(last['since'][:10])}  {status}  {_flat(topic['label'], _LABEL)}{by}"
    if len(found.topics) > len(shown):
        rest = len(found.topics) - len(shown)
        yield style.faint(f"… and {rest:,} more topics (--limit, or --json for all)")


def _topic(topic: Mapping[str, Any], style: Style, limit: int) -> Iterator[str]:
    yield topic["label"]
    for phase in topic["phases"]:
        by = f", by {phase['by']}" if phase["by"] else ""
        source = f"  {phase['source']}" if phase["source"] else ""
        yield f"  {phase['since'][:16].replace('T', ' ')}  {_marked(phase['status'], style, 0)}{by}{source}"
    yield style.faint("  what happened:")
    lines = list(_events(topic["events"], style))
    yield from lines[:limit]
    if len(lines) > limit:
        yield style.faint(f"  … and {len(lines) - limit:,} more (--limit, or --json for all)")


def _events(events: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    """One line an event; many that one run recorded of one kind are one line."""

    def together(event: Mapping[str, Any]) -> tuple[str, str, str, str]:
        single = event["seq"] is None or event["what"] not in ("seen", "located")
        return event["at"][:16], event["what"], event["by"] or "", event["record"] if single else ""

    for (moment, what, by, _), group in groupby(events, together):
        same = list(group)
        first = same[0]
        words, detail = _TELLS.get(what, what), _flat(first["detail"] or "", 80)
        quoted = "" if "{}" in words or not detail else f" “{detail}”"
        told = f"{words.format(detail)} {first['source'] or first['record']}{quoted}"
        more = f" and {len(same) - 1:,} more" if len(same) > 1 else ""
        seq = "" if first["seq"] is None else style.faint(f"  seq {first['seq']}")
        yield f"  {moment.replace('T', ' ')}  {told}{more}{f'  by {by}' if by else ''}{seq}"


def _marked(status: str, style: Style, width: int) -> str:
    marks = {"aligned": style.good, "broken": style.bad, "conflicting": style.bad, "planned": style.doubtful}
    return marks.get(status, str)(status.ljust(width))


def _flat(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
