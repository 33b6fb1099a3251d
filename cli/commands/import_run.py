"""`t2c import`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.init import warn_of_overwriting
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.import_run import ImportResult

__all__ = ["import_facts"]


def import_facts(
    ctx: typer.Context,
    path: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|FILE", help="A run folder, or its *.jsonl, *.graph.json or *.dsl.txt."
        ),
    ],
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Take what is right, count what is not; else one bad item stops all."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and count, append nothing.")] = False,
    json: Json = False,
) -> None:
    """Take in facts that another system wrote: records, relations, run manifest, event log.

    Every item is checked against its published contract. What comes in is `imported` at most; claims, and what a model
    made, stay `asserted`. Each event names its origin, so that no scan retracts it and no view counts it as ours.
    Importing the same bytes again appends nothing. Bundles of t2c are taken in by `t2c ledger import`.

    Examples:

        t2c import .intent/runs/20260105T100000Z-0a1b2c3d
        t2c import ../other/.intent --dry-run
        t2c import records.jsonl --partial
        t2c import logs.dsl.txt --json
    """
    from t2c.cli.actions import import_run as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        made = not (context.workspace / "journal.ndjson").exists()
        found = action.import_facts(context, action.ImportRequest(path, partial, dry_run))
        if not dry_run:
            invocation.output.recorded = f"{found.events:,} events are taken in, up to seq {found.last}"
            keep_up(invocation, context)
            if made:
                invocation.output.say(f"made ledger in {context.workspace}")
                warn_of_overwriting(invocation, context)
    invocation.emit(found, lambda style: _text(found, style))
    if found.masked:
        said = ", ".join(f"{count} {kind}" for kind, count in found.masked.items())
        invocation.output.warn(f"secrets were masked before they were recorded: {said}")
    if found.refused_count:
        first = found.refused[0]
        line = "" if first["line"] is None else f":{first['line']}"
        place = f"{first['file']}{line}: {first['reason']}"
        many = found.refused_count
        invocation.output.warn(
            f"1 item was not taken: {place}"
            if many == 1
            else f"{many:,} items were not taken, the first: {place}"
        )


def _text(found: ImportResult, style: Style) -> str:
    verb = "would be taken in" if found.dry_run else "taken in"
    lines = [
        f"{found.events:,} events of {found.source} {verb}, {found.known:,} known",
        f"  tool       {found.tool}, run {found.run}",
        f"  records    {found.records:,}, relations {found.relations:,}, events of a log {found.log_events:,}",
        f"  origin     {found.ledger} ({len(found.files)} files)",
    ]
    if found.asserted:
        lines.append(f"  asserted   {found.asserted:,} claims or made by a model")
    if found.differing:
        lines.append(f"  differing  {found.differing:,} records stood twice, the surer one was taken")
    if found.refused_count:
        lines.append(f"  {style.doubtful('refused')}    {found.refused_count:,}")
    if found.not_read:
        lines.append(f"  not read   {', '.join(found.not_read)}")
    if found.last:
        lines.append(f"  recorded   seq {found.first} to {found.last}")
    return "\n".join(lines)
