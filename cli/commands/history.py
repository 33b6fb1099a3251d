"""`t2c ledger log` and `show`: events as they were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import orjson
import typer

from t2c.cli.actions import read
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

__all__ = ["log", "show"]

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
        str | None, typer.Option(metavar="LEVEL", help="Only observed, imported or asserted.")
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
    """List events in order, one a line. With --jsonl they are printed byte for byte as stored.

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
            events = [orjson.loads(line) for line, _ in found]
            invocation.emit({"schema": "t2c.log/v1", "events": events}, lambda style: "")
        else:
            style = invocation.output.style
            for text in _rows(found, style):
                invocation.output.text(text)


def _rows(found: Iterator[tuple[bytes, Any]], style: Style) -> Iterator[str]:
    for line, entry in found:
        what = _gist(orjson.loads(line).get("data") or {})
        yield f"{entry.seq:>6}  {style.faint(entry.ts)}  {entry.type:<18} {entry.actor} {entry.trust}  {what}"


def _gist(data: dict[str, Any]) -> str:
    """The few words of a payload that tell it from its neighbours."""
    record, relation = data.get("record"), data.get("relation")
    if isinstance(record, dict):
        text = f"{record['id']}  {record['source']['path'] or ''}  {record['statement']['text']}"
    elif isinstance(relation, dict):
        text = f"{relation['from']} {relation['type']} {relation['to']}  by {data['rule']}"
    elif "statement" in data:
        text = str(data["statement"])
    else:
        text = "  ".join(
            f"{name}={_value(value)}" for name, value in data.items() if value not in (None, "", [], {})
        )
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"


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
        pretty = orjson.dumps(orjson.loads(line), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
        invocation.output.raw(pretty + b"\n")
