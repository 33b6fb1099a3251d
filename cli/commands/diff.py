"""`t2c ledger diff`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.diff import DiffResult

__all__ = ["diff"]

_MOMENT: Final = "SEQ|TIME|CHECKPOINT"
_WIDTH: Final = 100
_NOISE: Final = ("source.contentHash", "metadata.generation")
"""Members that differ whenever another one does; they are named only where they alone do."""


def diff(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(metavar=_MOMENT, help="The moment to start from; 0 is before all.")],
    b: Annotated[str, typer.Argument(metavar=_MOMENT, help="The moment to compare with.")] = "head",
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many lines of changes at most; --json has all.", min=0)
    ] = 200,
    json: Json = False,
) -> None:
    """Show what changed between two moments: records, relations, omissions, runs, and who did it.

    + stands now and did not before, - did and does not, ~ reads otherwise, > stands on other lines. With A later
    than B the difference is shown backwards, and said to be.

    Examples:

        t2c ledger diff 40
        t2c ledger diff 2026-01-05 now
        t2c ledger diff checkpoint:latest head --json
    """
    from t2c.cli.actions import diff as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.diff(context, a, b)
    invocation.emit(found, lambda style: "\n".join(_text(found, style, limit)))


def _text(found: DiffResult, style: Style, limit: int) -> Iterator[str]:
    yield _heading(found, style)
    for actor, types in found.actors.items():
        yield f"  {actor}: {_counts(types)}"
    for run in found.runs:
        yield "  " + " ".join(_run(run).split())
    for words, counts in (("payloads of another shape", found.unusable), ("unknown types", found.unknown)):
        if counts:
            yield f"  {style.doubtful(words)}, which say nothing here: {_counts(counts)}"
    lines = [*_records(found, style), *_relations(found, style), *_omissions(found, style)]
    if not lines:
        yield "nothing stands otherwise"
    yield from lines[:limit]
    if len(lines) > limit:
        yield style.faint(f"… and {len(lines) - limit:,} more lines (--limit, or --json for all)")


def _heading(found: DiffResult, style: Style) -> str:
    total = sum(found.events.values())
    back = f", {style.doubtful('backwards')}: B is the earlier moment" if found.reversed else ""
    return f"from {_moment(found.a)} to {_moment(found.b)}: {total:,} event{'' if total == 1 else 's'}{back}"


def _moment(moment: Mapping[str, Any]) -> str:
    return f"seq {moment['seq']}" + (f" ({moment['ts']})" if moment["ts"] else "")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _run(run: Mapping[str, Any]) -> str:
    verb = run["verb"] or "events"
    asked = f" for {run['requested_by']}" if run["requested_by"] else ""
    status = f", {run['status']}" if run["status"] else ""
    return f"run {run['run']}: {verb}{asked}, seq {run['first']}–{run['last']}{status}"


def _records(found: DiffResult, style: Style) -> Iterator[str]:
    """Lines of changed records below the file that they stand in; a record and its successor are one line."""
    places: dict[str, list[str]] = {}
    standing = {row["id"]: row for row in found.records["added"]}
    leaving = {row["id"]: row for row in found.records["retracted"]}
    pairs = {
        row["superseded_by"]: row
        for row in (*leaving.values(), *standing.values())
        if row["superseded_by"] in standing or row["superseded_by"] in leaving
    }
    merged = {row["id"] for row in pairs.values()}
    for rows, one in (("retracted", "-"), ("added", "+")):
        for row in found.records[rows]:
            if row["id"] in merged:
                continue
            place = places.setdefault(str(row["path"] or row["source"]), [])
            former = pairs.get(row["id"])
            if former is not None:
                # Backwards, it is the successor that goes and the former text that comes back.
                old, new = (former, row) if one == "+" else (row, former)
                place.append(f"{style.doubtful('~')} {_said(old)} → {_said(new)}  ({former['why']})")
            else:
                why = f"  ({row['why']})" if row["why"] else ""
                mark = style.good("+") if one == "+" else style.bad("-")
                place.append(f"{mark} {_said(row)}{why}")
    for row in found.records["changed"]:
        place = places.setdefault(str(row["path"] or row["source"]), [])
        place.append(f"{style.doubtful('~')} {_said(row)}  {_fields(row['fields'])}")
    for row in found.records["moved"]:
        place = places.setdefault(str(row["path"] or row["source"]), [])
        place.append(f"> {_said(row)}  lines {_lines(row['from'])} → {_lines(row['lines'])}")
    for path in sorted(places):
        yield path.replace("\n", "\\n")
        yield from (f"  {line}" for line in places[path])


def _said(row: Mapping[str, Any]) -> str:
    return _short(str(row["text"] or row["id"]))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"


def _lines(lines: Any) -> str:
    if lines is None:
        return "none"
    return f"{lines[0]}" if lines[0] == lines[1] else f"{lines[0]}–{lines[1]}"


def _fields(fields: list[dict[str, Any]]) -> str:
    shown = [field for field in fields if field["field"] not in _NOISE] or fields
    return "; ".join(
        f"{field['field']}: {_value(field['before'])} → {_value(field['after'])}" for field in shown
    )


def _value(value: object) -> str:
    if isinstance(value, str):
        return _short(value)
    import orjson

    return _short(orjson.dumps(value).decode())


def _relations(found: DiffResult, style: Style) -> Iterator[str]:
    marks = {"linked": style.good("+"), "unlinked": style.bad("-"), "relinked": style.doubtful("~")}
    lines = [
        f"  {mark} {row.get('from')} {row.get('type')} {row.get('to')}  by {row['rule']}"
        + (f"  ({row['why']})" if row.get("why") else "")
        + (
            f"  confidence {row['former'].get('confidence')} → {row.get('confidence')}"
            if "former" in row
            else ""
        )
        for name, mark in marks.items()
        for row in found.relations[name]
    ]
    if lines:
        yield "relations"
        yield from lines


def _omissions(found: DiffResult, style: Style) -> Iterator[str]:
    marks = {"noted": style.good("+"), "cleared": style.bad("-"), "changed": style.doubtful("~")}
    lines = [
        f"  {mark} {row.get('source')} {row.get('path') or ''} {row.get('reason')}: "
        + (f"{row['former'].get('count')} → " if "former" in row else "")
        + f"{row.get('count')}"
        for name, mark in marks.items()
        for row in found.omissions[name]
    ]
    if lines:
        yield "left out"
        yield from lines
