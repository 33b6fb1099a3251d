"""A graph diff as Markdown: what differs, by source and place, with nothing from outside that could act as markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from t2c.projections.diffs.graph_diff import SCHEMA, Change, GraphDiff
from t2c.projections.render.markdown import inline

__all__ = ["DEFAULT_LINES", "graph_markdown"]

DEFAULT_LINES: Final = 200
"""Lines of one kind of difference that are written."""


def graph_markdown(diff: GraphDiff, ends: Mapping[str, dict[str, Any]], most: int = DEFAULT_LINES) -> bytes:
    """The page: counts, then at most `most` lines of each kind; the others are counted.

    `ends` are the records at the ends of relations, by id.
    """
    return ("\n".join(_lines(diff, ends, most)) + "\n").encode()


def _lines(diff: GraphDiff, ends: Mapping[str, dict[str, Any]], most: int) -> Iterator[str]:
    summary = diff.summary
    yield "# Graph difference"
    yield ""
    yield f"<!-- {SCHEMA} -->"
    yield ""
    yield f"From `{inline(diff.beforeFingerprint[:16])}` to `{inline(diff.afterFingerprint[:16])}`."
    yield ""
    yield "| | added | removed | changed | unchanged |"
    yield "|---|--:|--:|--:|--:|"
    yield (
        f"| records | {summary.recordsAdded:,} | {summary.recordsRemoved:,} | {summary.recordsChanged:,} "
        f"| {summary.recordsUnchanged:,} |"
    )
    yield (
        f"| relations | {summary.relationsAdded:,} | {summary.relationsRemoved:,} | – "
        f"| {summary.relationsUnchanged:,} |"
    )
    names = {name: _record(record) for name, record in ends.items()}
    for title, items in (
        ("Added", [_record(record) for record in diff.records.added]),
        ("Removed", [_record(record) for record in diff.records.removed]),
        ("Changed", [_change(change) for change in diff.records.changed]),
        ("Relations added", [_relation(relation, names) for relation in diff.relations.added]),
        ("Relations removed", [_relation(relation, names) for relation in diff.relations.removed]),
    ):
        if items:
            yield from ("", f"## {title}", "")
            yield from (f"- {item}" for item in items[:most])
            if len(items) > most:
                yield f"- … and {len(items) - most:,} more"


def _record(record: dict[str, Any]) -> str:
    source = record["source"]
    path, lines = source.get("path"), source.get("lines")
    place = "" if path is None else f" ({inline(str(path))}{_line(lines)})"
    return f"{inline(source['kind'])} “{inline(record['statement']['text'])}”{place}"


def _line(lines: Any) -> str:
    return f":{lines['start']}" if isinstance(lines, dict) and isinstance(lines.get("start"), int) else ""


def _change(change: Change) -> str:
    before, after = _record(change.before), _record(change.after)
    said = before if before == after else f"{before} → {after}"
    return f"{said}: {inline(', '.join(change.changedFields), 400)}"


def _relation(relation: dict[str, Any], names: dict[str, str]) -> str:
    ends = [names.get(str(relation.get(end)), inline(str(relation.get(end)))) for end in ("from", "to")]
    basis = relation.get("basis")
    why = ", ".join(map(str, basis)) if isinstance(basis, list) else ""
    return (
        f"{ends[0]} — {inline(str(relation.get('type')))} → {ends[1]}"
        f" (confidence {inline(str(relation.get('confidence')))}, {inline(why, 200)})"
    )
