"""`t2c ledger stats`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.stats import Amount, StatsResult

__all__ = ["stats"]

_DAYS: Final = 14
"""Days that the text shows; JSON has all."""


def stats(ctx: typer.Context, at: At = None, json: Json = False) -> None:
    """Count what the journal is made of: by type, actor, trust and day, and what lies on disk.

    One pass over the journal. --json has every day and every file.

    Examples:

        t2c ledger stats
        t2c ledger stats --at 1000
        t2c ledger stats --json | jq .types
    """
    from t2c.cli.actions import stats as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.stats(context, at)
    invocation.emit(found, lambda style: _text(found, style))


def _text(found: StatsResult, style: Style) -> str:
    days = dict(list(found.days.items())[-_DAYS:])
    sections = [
        _table("type", found.types, style),
        _table("actor", found.actors, style),
        _table("trust", found.trust, style),
        _table("day (UTC)" if len(days) == len(found.days) else f"day (UTC), the last {_DAYS}", days, style),
    ]
    if found.origins:
        sections.append(_table("taken in from ledger", found.origins, style))
    return "\n".join([_summary(found), *sections])


def _summary(found: StatsResult) -> str:
    segments, active = found.files[:-1], found.files[-1]
    rows = [
        ("ledger", found.ledger),
        ("events", f"{found.total.events:,} in {found.total.bytes:,} bytes, {found.first} to {found.last}"),
        ("head", f"seq {found.seq} {found.head}"),
        ("largest line", f"{found.largest.bytes:,} bytes, seq {found.largest.seq}"),
        ("runs", f"{found.runs.runs:,} with {found.runs.events:,} events"),
        ("batches", f"{found.batches.batches:,} with {found.batches.events:,} events"),
        ("payloads apart", f"{found.payloads.apart:,}, withheld {found.payloads.withheld:,}"),
        ("segments", f"{len(segments):,} in {sum(file.bytes for file in segments):,} bytes"),
        ("active file", f"{active.bytes:,} bytes"),
        ("objects", f"{found.objects.objects:,} in {found.objects.bytes:,} bytes"),
    ]
    if found.live is not None:
        rows.append(("live", f"{found.live.records:,} records, {found.live.relations:,} relations"))
    rows += [("unknown type", f"{name}: {events:,} events") for name, events in found.unknown.items()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _table(title: str, amounts: Mapping[str, Amount], style: Style) -> str:
    rows = [(name, f"{amount.events:,}", f"{amount.bytes:,}") for name, amount in amounts.items()]
    head = (title, "events", "bytes")
    name, events, size = (max(len(row[column]) for row in [head, *rows]) for column in range(3))
    lines = [f"{row[0]:<{name}}  {row[1]:>{events}}  {row[2]:>{size}}" for row in [head, *rows]]
    return "\n".join(["", style.faint(lines[0]), *lines[1:]])
