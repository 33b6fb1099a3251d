"""`t2c graph`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.graph import GraphResult, GraphView

__all__ = ["graph"]

_STRUCTURE: Final = ("declares", "depends_on")
"""Relations that are many and tell least; they come last."""
_EXAMPLE: Final = 200


def graph(
    ctx: typer.Context,
    asked: Annotated[
        str | None,
        typer.Argument(
            metavar="RECORD|PATH|TICKET", help="Only what stands around this; a commit or a name, too."
        ),
    ] = None,
    depth: Annotated[int, typer.Option(metavar="N", help="How many relations away.", min=1, max=10)] = 1,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many lines at most; --json has all.", min=1)
    ] = 60,
    dot: Annotated[bool, typer.Option("--dot", help="Print the neighbourhood for Graphviz.")] = False,
    uninterpreted: Annotated[
        bool,
        typer.Option("--uninterpreted", help="Show records as they were found; only --json shows readings."),
    ] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """Show what relates to what, each relation as a sentence with its reasons and its confidence.

    Without an argument the relations are counted by type. --json prints t2c.graph/v1, or what stands around the record,
    file, ticket, commit or name that was asked for.

    Examples:

        t2c graph
        t2c graph src/app.py
        t2c graph AB-12 --depth 2
        t2c graph 3f2a1c0 --json
        t2c graph --json --uninterpreted
        t2c graph AB-12 --dot | dot -Tsvg -o ab-12.svg
    """
    from t2c.cli.actions import graph as action
    from t2c.ledger.errors import Usage

    if dot and json:
        raise Usage("--dot and --json exclude each other", remedy="give one of them")
    if dot and asked is None:
        raise Usage("--dot draws what stands around one thing", remedy="name a record, path or ticket")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.graph(context, asked, depth, at)
    if found.neighbourhood is None:
        if json:
            invocation.output.raw(action.document_of(found, interpreted=not uninterpreted))
        else:
            invocation.output.text(joined(_counts(found, invocation.output.style)))
    elif dot:
        invocation.output.text(joined(_dot(found.neighbourhood)))
    else:
        near = found.neighbourhood
        invocation.emit(near, lambda style: joined(_text(near, style, limit)))


def _counts(found: GraphView, style: Style) -> Iterator[str]:
    records, relations = len(found.facts.records), len(found.facts.relations)
    yield f"{records:,} records, {relations:,} relations, as of seq {found.seq}"
    for name, count, example in found.counts:
        yield f"{count:>8,}  {name}"
        shown = example if len(example) <= _EXAMPLE else example[: _EXAMPLE - 1] + "…"
        yield style.faint(f"          for example {shown}")


def _text(found: GraphResult, style: Style, limit: int) -> Iterator[str]:
    around: dict[str, list[tuple[Mapping[str, Any], bool]]] = {}
    for relation in found.relations:
        around.setdefault(relation["from"], []).append((relation, False))
        around.setdefault(relation["to"], []).append((relation, True))
    lines: list[str] = []
    told: set[str] = set()
    for near in found.records:
        mine = [(relation, back) for relation, back in around.get(near.id, ()) if relation["id"] not in told]
        if mine:
            lines.append(f"{near.kind}  {near.title}  {style.faint(near.id)}")
        mine.sort(key=lambda item: (item[0]["type"] in _STRUCTURE, -item[0]["confidence"], item[0]["id"]))
        for relation, back in mine:
            told.add(relation["id"])
            words = relation["reverse" if back else "forward"]
            lines.append(f"  {words}  {style.faint(_confidence(relation['confidence']))}")
    if not found.relations:
        lines = [f"{near.kind}  {near.title}  {style.faint(near.id)}" for near in found.records]
        lines.append("no relation leads to or from " + ("it" if len(lines) == 1 else "them"))
    yield from lines[:limit]
    if len(lines) > limit:
        yield style.faint(f"… and {len(lines) - limit:,} more lines (--limit, or --json for all)")
    if found.cut:
        yield style.doubtful(f"{found.cut:,} relations lead further than the records that are shown")


def _confidence(value: float) -> str:
    return f"{value:.2f}"


def _dot(found: GraphResult) -> Iterator[str]:
    """DOT of a neighbourhood; names and words of others are quoted."""
    yield "digraph {"
    yield "  rankdir=LR; node [shape=box, fontname=sans]; edge [fontname=sans];"
    for near in found.records:
        yield f"  {_quoted(near.id)} [label={_quoted(f'{near.kind}: {near.title}')}];"
    for relation in found.relations:
        yield f"  {_quoted(relation['from'])} -> {_quoted(relation['to'])} [label={_quoted(relation['type'])}];"
    yield "}"


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{flat}"'
