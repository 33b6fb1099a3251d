"""`t2c ledger log`, `show` and `head`: events as they were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import orjson
import typer

from t2c.cli.actions import read
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.actor import Trust

__all__ = ["head", "log", "show"]

_WIDTH = 100


def _types(incomplete: str) -> list[str]:
    from t2c.ledger.events.catalogue import CATALOGUE

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
    since: Annotated[int, typer.Option(metavar="SEQ", help="From this event on.", min=1)] = 1,
    at: Annotated[int | None, typer.Option(metavar="SEQ", help="Up to and with this event.", min=1)] = None,
    last: Annotated[
        int | None, typer.Option("--last", "-n", metavar="N", help="Only the last N.", min=0)
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print the events just as they are stored.")] = False,
    json: Json = False,
) -> None:
    """List events, the oldest first, one a line. Options narrow the list; an event must fit all of them.

    A line shows seq, time, type, actor, trust and the gist of the payload. --json prints one document with the
    events in it, --jsonl the events byte for byte as they are stored.

    Examples:

        t2c ledger log -n 20
        t2c ledger log --type observation.noted --actor human:local
        t2c ledger log --jsonl | jq -r .type | sort | uniq -c
    """
    invocation = Invocation.of(ctx)
    request = read.LogRequest(tuple(type or ()), actor, trust, run, since, at, last)
    with invocation.context() as context:
        found = read.log(context, request)
        if jsonl:
            invocation.output.lines(line for line, _ in found)
        elif json:
            events = [_parsed(line, f"seq {entry.seq}") for line, entry in found]
            invocation.emit({"schema": "t2c.log/v1", "events": events}, lambda style: "")
        else:
            style = invocation.output.style
            for text in _rows(found, style):
                invocation.output.text(text)


def _rows(found: Iterator[tuple[bytes, Any]], style: Style) -> Iterator[str]:
    for line, entry in found:
        data = _parsed(line, f"seq {entry.seq}").get("data")
        what = _gist(data if isinstance(data, dict) else {})
        yield f"{entry.seq:>6}  {style.faint(entry.ts)}  {entry.type:<18} {entry.actor} {entry.trust}  {what}"


def _parsed(line: bytes, where: str) -> Any:
    """A line in full. Raises Corrupt for one whose payload is no JSON text (a lone surrogate)."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise damaged(f"a line of the journal is not an event: {error}", where) from None


def _gist(data: dict[str, Any]) -> str:
    """The few words of a payload that tell it from its neighbours."""
    try:
        text = _sentence(data)
    except (LookupError, TypeError):
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
    raw: Annotated[bool, typer.Option("--raw", help="The bytes as stored, on one line.")] = False,
    json: Json = False,
) -> None:
    """Print one event. It is JSON in any case: the event itself, with nothing added.

    Examples:

        t2c ledger show 1
        t2c ledger show EVT-0123456789abcdef0123
        t2c ledger show 41 --raw
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        line = read.show(context, ref)
    if raw:
        invocation.output.raw(line + b"\n")
    else:
        pretty = orjson.dumps(_parsed(line, ref), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
        invocation.output.raw(pretty + b"\n")


def head(ctx: typer.Context, json: Json = False) -> None:
    """Print the ledger's id, the last event's seq and its hash: what to keep elsewhere as an anchor.

    Examples:

        t2c ledger head
        t2c ledger head --json
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = read.head(context)
    invocation.emit(found, lambda style: f"{found.ledger}  seq {found.seq}  {found.hash}")
    if found.unfinished:
        invocation.output.warn(
            f"an unfinished end ({found.unfinished}) follows; the next append sets it aside"
        )
