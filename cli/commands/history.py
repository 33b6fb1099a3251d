"""`t2c ledger log`, `show` and `head`: events as they were recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import orjson
import typer

from t2c.cli.actions import log as logs
from t2c.cli.actions import read
from t2c.cli.actions.filters import Asked
from t2c.cli.commands.change_gist import TOLD
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.actor import Trust

__all__ = ["head", "log", "show"]

_WIDTH = 100


def _types(incomplete: str) -> list[str]:
    return [name for name in CATALOGUE.types() if name.startswith(incomplete)]


def log(
    ctx: typer.Context,
    type: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="Only these types; record.* for all of a kind.",
            autocompletion=_types,
        ),
    ] = None,
    actor: Annotated[str | None, typer.Option(metavar="KIND:ID", help="Only of this actor.")] = None,
    trust: Annotated[
        Trust | None, typer.Option(metavar="LEVEL", help="Only observed, imported or asserted.")
    ] = None,
    run: Annotated[str | None, typer.Option(metavar="RUN", help="Only of this run.")] = None,
    subject: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="Only about this: INT-…, REL-…, EVT-…, CPLAN-…, a path or participant."
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="SEQ|TIME", help="From this event, time, age or checkpoint on.")
    ] = None,
    at: At = None,
    last: Annotated[
        int | None, typer.Option("--last", "-n", metavar="N", help="Only the last N.", min=0)
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Then wait and print what is recorded, until Ctrl-C.")
    ] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print the events just as they are stored.")] = False,
    json: Json = False,
) -> None:
    """List events, the oldest first, one a line. Options narrow the list; an event must fit all of them.

    A line shows seq, time, type, actor, trust and the gist of the payload. --json prints one document with the
    events in it, --jsonl the events byte for byte as they are stored. A date means its end for --at and its
    beginning for --since, in UTC.

    Examples:

        t2c ledger log -n 20
        t2c ledger log --type observation.noted --actor human:local
        t2c ledger log --subject TODO.md --since 2026-01-05
        t2c ledger log --subject CPLAN-0123456789abcdef0123
        t2c ledger log --follow -n 5
        t2c ledger log --jsonl | jq -r .type | sort | uniq -c
    """
    invocation = Invocation.of(ctx)
    if follow and json and not jsonl:
        raise Usage(
            "--follow never ends, so it makes no one JSON document", remedy="use --jsonl: one event a line"
        )
    asked = Asked(tuple(type or ()), actor, trust, run, subject)
    request = logs.LogRequest(asked, since, at, last, payloads=not (json or jsonl))
    output = invocation.output
    with invocation.context() as context:
        if follow:
            wait = _waiting(invocation)
            found = logs.follow(context, request, wait, output.warn)
        else:
            found = logs.log(context, request)
        if jsonl:
            output.lines(_each(found, output.flush if follow else _nothing))
        elif json:
            events = [_parsed(item.line, f"seq {item.entry.seq}") for item in found]
            invocation.emit({"schema": "t2c.log/v1", "events": events}, lambda style: "")
        else:
            none = True
            for item in found:
                none = False
                output.text(_row(item, output.style))
            if none and last != 0:
                output.say("no event fits")


def _waiting(invocation: Invocation) -> Any:
    from t2c.cli.present.waiting import Waiting

    return Waiting(invocation.output, sys.stdout)


def _nothing() -> None:
    pass


def _each(found: Iterator[logs.Logged], handed: Any) -> Iterator[bytes]:
    """The lines; `handed` is called once each of them was taken."""
    for item in found:
        yield item.line
        handed()


def _row(item: logs.Logged, style: Style) -> str:
    entry = item.entry
    what = ""
    if item.lost is None:
        where = f"seq {entry.seq}"
        data = _parsed(item.line, where).get("data") if item.kept is None else _parsed(item.kept, where)
        what = _gist(entry.type, data if isinstance(data, dict) else {})
    marks = ", ".join(_marks(item))
    marked = f"{style.doubtful(f'({marks})')} " if marks else ""
    return f"{entry.seq:>6}  {style.faint(entry.ts)}  {entry.type:<18} {entry.actor} {entry.trust}  {marked}{what}"


def _marks(item: logs.Logged) -> Iterator[str]:
    """What a reader must know of an event before believing its gist."""
    entry = item.entry
    if entry.origin is not None:
        yield f"from {entry.origin.ledger[:8]}#{entry.origin.seq}"
    if item.lost is not None:
        yield item.lost
    if entry.type not in CATALOGUE.locations:
        yield "unknown type"
    elif entry.v != 1 and not CATALOGUE.knows(entry.type, entry.v):
        yield f"unknown version {entry.v}"


def _parsed(line: bytes, where: str) -> Any:
    """A line in full. Raises Corrupt for one whose payload is no JSON text (a lone surrogate)."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise damaged(f"a line of the journal is not an event: {error}", where) from None


def _gist(type: str, data: dict[str, Any]) -> str:
    """The few words of a payload that tell it from its neighbours."""
    try:
        text = TOLD[type](data) if type in TOLD else _sentence(data)
    except (LookupError, TypeError, AttributeError):
        # A payload of another shape than its type's is listed like one of an unknown type.
        text = None
    if text is None:
        text = "  ".join(
            f"{name}={_value(value)}" for name, value in data.items() if value not in (None, "", [], {})
        )
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"


def _sentence(data: dict[str, Any]) -> str | None:
    record, relation = data.get("record"), data.get("relation")
    if isinstance(record, dict):
        return f"{record['id']}  {record['source']['path'] or ''}  {record['statement']['text']}"
    if isinstance(relation, dict):
        return f"{relation['from']} {relation['type']} {relation['to']}  by {data['rule']}"
    return str(data["statement"]) if "statement" in data else None


def _value(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) else orjson.dumps(value).decode()


def show(
    ctx: typer.Context,
    ref: Annotated[
        str, typer.Argument(metavar="SEQ|ID", help="A seq, EVT-…, or INT-… or REL-… for its last event.")
    ],
    at: At = None,
    raw: Annotated[bool, typer.Option("--raw", help="The bytes as stored, on one line.")] = False,
    json: Json = False,
) -> None:
    """Print one event. It is JSON in any case: the event itself, with nothing added.

    With --at nothing counts that came later: the last event about a record is then the last one as of that moment.

    Examples:

        t2c ledger show 1
        t2c ledger show EVT-0123456789abcdef0123
        t2c ledger show 41 --raw
        t2c ledger show 1 --at 2h
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        line = read.show(context, ref, at)
    if raw:
        invocation.output.raw(line + b"\n")
    else:
        pretty = orjson.dumps(_parsed(line, ref), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
        invocation.output.raw(pretty + b"\n")


def head(ctx: typer.Context, at: At = None, json: Json = False) -> None:
    """Print the ledger's id, the last event's seq and its hash: what to keep elsewhere as an anchor.

    With --at it is the last event as of that moment.

    Examples:

        t2c ledger head
        t2c ledger head --at 2026-01-05 --json
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = read.head(context, at)
    invocation.emit(found, lambda style: f"{found.ledger}  seq {found.seq}  {found.hash}")
    if found.unfinished and at is None:
        invocation.output.warn(
            f"an unfinished end ({found.unfinished}) follows; the next append sets it aside"
        )
