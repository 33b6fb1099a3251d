"""`t2c extract`: print what a scan would find, without recording it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style
from t2c.ledger.errors import Findings, Usage
from t2c.ledger.intake.kinds import KINDS

if TYPE_CHECKING:
    from t2c.cli.actions.extract import Extracted

__all__ = ["extract"]

_SHOWN = 200


def extract(
    ctx: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help=f"One of {', '.join(KINDS)}; `all` for every one.",
            autocompletion=lambda incomplete: [
                (name, KINDS.get(name, "every kind"))
                for name in (*KINDS, "all")
                if name.startswith(incomplete)
            ],
        ),
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Read these files alone; - is standard input."),
    ] = None,
    commit: Annotated[
        str | None, typer.Option(metavar="SHA", help="The commit that a report of tests is about.")
    ] = None,
    path: Annotated[
        str, typer.Option("--as", metavar="PATH", help="Where the text of standard input is to stand.")
    ] = "stdin",
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print one record a line and nothing else.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was left out.")] = False,
    json: Json = False,
) -> None:
    """Print the records that one kind of source holds. Nothing is recorded, and no ledger is needed.

    With --json one document {records, warnings, audit}; with --jsonl one `t2c.intent/v1` record a line.

    Examples:

        t2c extract todo
        t2c extract docs README.md docs/guide.md
        t2c extract nl ticket.md --json
        echo "Add retry to the exporter" | t2c extract nl - --jsonl
        t2c extract tests build/junit.xml --commit "$(git rev-parse HEAD)"
    """
    from t2c.cli.actions.extract import extract as action
    from t2c.cli.actions.extract import extract_text
    from t2c.cli.actions.given import given_files
    from t2c.ledger.intake.base import REMARKS

    invocation = Invocation.of(ctx)
    output = invocation.output
    output.json = output.json or jsonl
    names = files or []
    with invocation.context() as context:
        if names == ["-"]:
            result = extract_text(context, kind, path, sys.stdin.buffer.read())
        elif "-" in names:
            raise Usage("standard input was given beside files", remedy="give - alone, or files")
        else:
            result = action(context, kind, given_files(context, kind, names, commit))
    if jsonl:
        output.lines(result.records())
        for warning in result.warnings:
            place = f"{warning['path']}: " if warning["path"] else ""
            output.warn(f"{place}{warning['reason']}: {warning['detail']}")
    else:
        invocation.emit(
            _document(result) if json else {"schema": result.schema}, lambda style: _text(result, style)
        )
    if result.failure is not None:
        raise result.failure
    left_out = sum(item["count"] for item in result.warnings if item["reason"] not in REMARKS)
    if strict and left_out:
        raise Findings(
            f"{left_out:,} thing{' was' if left_out == 1 else 's were'} left out", remedy="see the warnings"
        )


def _document(result: Extracted) -> dict[str, object]:
    return {
        "schema": result.schema,
        "records": [orjson.loads(record) for record in result.records()],
        "warnings": result.warnings,
        "audit": result.audit,
    }


def _text(result: Extracted, style: Style) -> str:
    lines = []
    for shown, body in enumerate(result.records()):
        if shown == _SHOWN:
            lines.append(f"… and {len(result.found) - shown:,} more; --jsonl prints all")
            break
        record = orjson.loads(body)
        source, statement = record["source"], record["statement"]
        place = source["path"] or (source["revision"] or "")[:12]
        if source["lines"]:
            place += f":{source['lines']['start']}"
        lines.append(f"{place}  {style.faint(statement['kind'])}  {statement['text'].splitlines()[0][:160]}")
    number = len(result.found)
    lines.append(f"{number:,} record{'' if number == 1 else 's'}")
    for warning in result.warnings:
        where = f"{warning['path']}: " if warning["path"] else ""
        lines.append(
            f"{style.doubtful('left out')} {where}{warning['count']:,} {warning['reason']}: {warning['detail']}"
        )
    return "\n".join(lines)
