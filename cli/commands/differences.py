"""`t2c diff graph`, `t2c diff files` and `t2c diff git`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined, one_line

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context
    from t2c.cli.actions.file_diff import FileDiffs
    from t2c.ledger.intake.base import Warning
    from t2c.projections.diffs.file_diff import FileDiff
    from t2c.projections.diffs.graph_diff import GraphDiff

__all__ = ["GROUP", "files", "git", "graph"]

GROUP = Branch(
    "What differs: between two graphs, two files, or a revision and the work tree. Nothing is recorded.",
    (
        Entry("graph", "t2c.cli.commands.differences:graph", "Between two graphs, or moments of the ledger."),
        Entry("files", "t2c.cli.commands.differences:files", "Between two files, line by line."),
        Entry("git", "t2c.cli.commands.differences:git", "Between a revision and the work tree."),
    ),
)

_WIDTH = 100
_SVG = typer.Option("--svg", metavar="FILE", help="Write a picture to FILE, too.")
_OUT = typer.Option("--out", metavar="FILE", help="Write the JSON document to FILE, too.")
_HTML = typer.Option("--html", metavar="FILE", help="Write a page that needs nothing else to FILE, too.")
_PATCH = typer.Option("--patch", metavar="FILE", help="Write the unified diff to FILE, too, byte for byte.")
_CONTEXT = typer.Option("--context", metavar="N", help="Lines kept around each change.", min=0, max=100)
_LINES = typer.Option(
    "--max-lines",
    metavar="N",
    help="Lines compared one by one; a longer middle is one block.",
    min=64,
    max=1_000_000,
)
_ROWS = typer.Option("--max-rows", metavar="N", help="Rows of the picture and the page.", min=1, max=4000)

Svg = Annotated[str | None, _SVG]
Out = Annotated[str | None, _OUT]
Html = Annotated[str | None, _HTML]
Patch = Annotated[str | None, _PATCH]
Around = Annotated[int, _CONTEXT]
Lines = Annotated[int, _LINES]
Rows = Annotated[int, _ROWS]


def graph(
    ctx: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="A graph.json, a folder with .t2c, a moment, or now.")
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The same; the present without it.")] = "now",
    participant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only what this participant said.")
    ] = None,
    role: Annotated[str | None, typer.Option(metavar="ROLE", help="Only what this role said.")] = None,
    ticket: Annotated[str | None, typer.Option(metavar="ID", help="Only what names this ticket.")] = None,
    severity: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Only what findings of LEVEL and above cite.")
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many lines at most; --json has all.", min=0)
    ] = 200,
    out: Out = None,
    svg: Svg = None,
    md: Annotated[
        str | None, typer.Option("--md", metavar="FILE", help="Write a Markdown page to FILE, too.")
    ] = None,
    max_items: Annotated[
        int,
        typer.Option("--max-items", metavar="N", help="Records of a kind in the picture.", min=1, max=100),
    ] = 18,
    json: Json = False,
) -> None:
    """Show what two graphs say otherwise: records and relations added, removed and changed (t2c.diff/v1).

    A side is a graph.json below the root, a folder with a ledger, or a moment of this ledger: a seq, a time, an age,
    a checkpoint. Records are paired by id, then by what became of them, then by where they stand, never by lines.

    Examples:

        t2c diff graph 40 now
        t2c diff graph 2026-01-05 --ticket T-12
        t2c diff graph old/graph.json new/graph.json --svg diff.svg --json
    """
    from t2c.cli.actions import artefacts
    from t2c.cli.actions import graph_diff as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        schema = action.GraphDifference.schema
        places = artefacts.places_of_artefacts(
            context,
            {
                "--out": (out, artefacts.json_document(schema)),
                "--svg": (svg, artefacts.svg_picture(schema)),
                "--md": (md, artefacts.markdown_page(schema)),
            },
        )
        found = action.graph_diff_of(
            context, before, after, participant=participant, role=role, ticket=ticket, severity=severity
        )
        document = found.document
        if out is not None:
            from t2c.projections.base import pretty

            artefacts.write_artefact(places["--out"], pretty(document))
        if svg is not None:
            from t2c.projections.render.diff_svg import graph_svg

            picture = graph_svg(found.diff, f"From {before} to {after}", max_items)
            artefacts.write_artefact(places["--svg"], picture)
        if md is not None:
            from t2c.projections.render.diff_markdown import graph_markdown

            artefacts.write_artefact(places["--md"], graph_markdown(found.diff, found.ends))
    invocation.emit(document, lambda style: joined(_graph_text(found.diff, found.ends, style, limit)))


def _graph_text(
    found: GraphDiff, ends: Mapping[str, dict[str, Any]], style: Style, limit: int
) -> Iterator[str]:
    summary = found.summary
    yield (
        f"records: {summary.recordsAdded:,} added, {summary.recordsRemoved:,} removed, {summary.recordsChanged:,} "
        f"changed, {summary.recordsUnchanged:,} unchanged"
    )
    yield (
        f"relations: {summary.relationsAdded:,} added, {summary.relationsRemoved:,} removed, "
        f"{summary.relationsUnchanged:,} unchanged"
    )
    names = {name: _said(record) for name, record in ends.items()}
    lines = [
        f"{style.good('+')} {_said(record)}{_where(record)}" for record in _by_place(found.records.added)
    ]
    lines += [
        f"{style.bad('-')} {_said(record)}{_where(record)}" for record in _by_place(found.records.removed)
    ]
    for change in sorted(found.records.changed, key=lambda one: _place(one.after)):
        old, new = _said(change.before), _said(change.after)
        said = new if old == new else f"{old} → {new}"
        left = str(change.before["source"].get("path"))
        moved = f"  {_short(left)} →" if "source.path" in change.changedFields else ""
        fields = ", ".join(change.changedFields)
        lines.append(f"{style.doubtful('~')} {said}{moved}{_where(change.after)}  {fields}")
    for relations, mark in (
        (found.relations.added, style.good("+")),
        (found.relations.removed, style.bad("-")),
    ):
        for relation in relations:
            both = [names.get(relation[end], str(relation[end])) for end in ("from", "to")]
            lines.append(
                f"{mark} {both[0]} {relation['type']} {both[1]}  (confidence {relation['confidence']})"
            )
    yield from lines[:limit]
    if len(lines) > limit:
        yield style.faint(f"… and {len(lines) - limit:,} more lines (--limit, or --json for all)")


def _by_place(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(records, key=_place)


def _place(record: dict[str, Any]) -> tuple[str, int, str]:
    lines = record["source"].get("lines")
    return str(record["source"].get("path") or ""), lines["start"] if lines else 0, str(record["id"])


def _said(record: dict[str, Any]) -> str:
    return f"{record['source']['kind']}: {_short(str(record['statement']['text']))}"


def _where(record: dict[str, Any]) -> str:
    path, lines = record["source"].get("path"), record["source"].get("lines")
    if path is None:
        return ""
    return f"  {_short(str(path))}" + (f":{lines['start']}" if lines else "")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"


def files(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help="A file below the root.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    context: Around = 3,
    max_lines: Lines = 40_000,
    out: Out = None,
    patch: Patch = None,
    svg: Svg = None,
    html: Html = None,
    max_rows: Rows = 400,
    json: Json = False,
) -> None:
    """Show what differs between two files as a unified diff (t2c.filediff/v1). Line endings do not count.

    Examples:

        t2c diff files TODO.md TODO.new.md
        t2c diff files a.py b.py --context 10 --html diff.html
        t2c diff files a.py b.py --json
    """
    from t2c.cli.actions import file_diff as action

    invocation = Invocation.of(ctx)
    with invocation.context() as surroundings:
        written = _Written(surroundings, out, patch, svg, html, max_rows)
        made = action.diff_files(surroundings, a, b, lines=context, most_lines=max_lines)
        found = made.found
        written.write([found] if found.hunks else [], f"From {a} to {b}", _builtins(found), made.patch)
    if patch is not None:
        _warn(invocation, made.left_out)
    same = f"{a} and {b} hold the same lines"
    invocation.emit(_builtins(found), lambda style: "\n".join(_lines(found, style)) if found.hunks else same)


def git(
    ctx: typer.Context,
    rev: Annotated[str, typer.Argument(metavar="REV", help="A commit, branch or tag.")] = "HEAD",
    staged: Annotated[
        bool, typer.Option("--staged", help="Compare with what is staged, not with the files.")
    ] = False,
    max_files: Annotated[
        int, typer.Option("--max-files", metavar="N", help="Files compared at most.", min=1, max=500)
    ] = 50,
    context: Around = 3,
    max_lines: Lines = 40_000,
    out: Out = None,
    patch: Patch = None,
    svg: Svg = None,
    html: Html = None,
    max_rows: Rows = 400,
    json: Json = False,
) -> None:
    """Show what differs between a revision and the tracked files as they are, or as they are staged.

    Renames are followed. Binary and very large files are named and not compared; no filter or external tool runs.

    Examples:

        t2c diff git
        t2c diff git main --html diff.html
        t2c diff git HEAD~3 --staged --json
    """
    from t2c.cli.actions import file_diff as action

    invocation = Invocation.of(ctx)
    with invocation.context() as surroundings:
        written = _Written(surroundings, out, patch, svg, html, max_rows)
        made = action.diff_git(
            surroundings, rev, staged=staged, most=max_files, lines=context, most_lines=max_lines
        )
        found = made.found
        written.write(found.files, f"From {found.before} to {found.after}", _plain(found), made.patch)
    _warn(invocation, [*found.warnings, *(made.left_out if patch is not None else ())])
    invocation.emit(_plain(found), lambda style: "\n".join(_files_text(found, style)))


def _warn(invocation: Invocation, warnings: Sequence[Warning]) -> None:
    for warning in warnings:
        invocation.output.warn(one_line(f"{warning.path or 'files'}: {warning.reason}: {warning.detail}"))


class _Written:
    """The files asked for beside the answer; where they go is proven before any work is done."""

    def __init__(
        self,
        context: Context,
        out: str | None,
        patch: str | None,
        svg: str | None,
        html: str | None,
        rows: int,
    ) -> None:
        from t2c.cli.actions import artefacts
        from t2c.cli.actions.file_diff import FileDiffs
        from t2c.projections.diffs.file_diff import SCHEMA

        self._rows = rows
        self._places = artefacts.places_of_artefacts(
            context,
            {
                "--out": (out, artefacts.json_document(SCHEMA, FileDiffs.schema)),
                "--patch": (patch, artefacts.PATCH),
                "--svg": (svg, artefacts.svg_picture(SCHEMA)),
                "--html": (html, artefacts.html_page(SCHEMA)),
            },
        )

    def write(self, files: Sequence[FileDiff], title: str, document: dict[str, Any], patch: str) -> None:
        from t2c.cli.actions.artefacts import write_artefact

        for kind, place in self._places.items():
            write_artefact(place, self._content(kind, files, title, document, patch))

    def _content(
        self, kind: str, files: Sequence[FileDiff], title: str, document: dict[str, Any], patch: str
    ) -> str | bytes:
        if kind == "--out":
            from t2c.cli.present.output import encode

            return encode(document, indent=True) + b"\n"
        if kind == "--patch":
            return f"# t2c: {' '.join(title.split())}\n{patch}"
        if kind == "--svg":
            from t2c.projections.render.diff_svg import file_svg

            return file_svg(files, title, self._rows)
        from t2c.projections.render.diff_html import file_html

        return file_html(files, title, self._rows)


def _plain(found: FileDiffs) -> dict[str, Any]:
    """The document: values as JSON has them."""
    parts = {name: _builtins(getattr(found, name)) for name in found.__dataclass_fields__}
    return {"schema": found.schema, **parts}


def _builtins(value: object) -> Any:
    import msgspec

    return msgspec.to_builtins(value)


def _files_text(found: FileDiffs, style: Style) -> Iterator[str]:
    for diff in found.files:
        yield from _lines(diff, style)
    if not found.files and not found.warnings:
        alone = ", but for line endings" if found.files_differing else ""
        yield f"nothing differs between {found.before} and {found.after}{alone}"


def _lines(diff: FileDiff, style: Style) -> Iterator[str]:
    from t2c.projections.diffs.unified import ABSENT, unified

    marks = {"+": style.good, "-": style.bad, "@": style.faint}
    if diff.truncated:
        yield style.doubtful(
            one_line(f"{diff.path}: too long to compare line by line; the middle is one block")
        )
    if not diff.hunks and ABSENT in (diff.beforePath, diff.afterPath):
        yield one_line(f"{diff.path}: {'new' if diff.beforePath == ABSENT else 'deleted'}, and empty")
    elif not diff.hunks and diff.beforePath != diff.afterPath:
        yield one_line(f"{diff.beforePath} → {diff.afterPath}: the same content")
    elif not diff.hunks:
        yield one_line(f"{diff.path}: other rights, the same content")
    for number, line in enumerate(unified(diff).split("\n")[:-1]):
        yield marks[line[0]](line) if number > 1 and line[:1] in marks else line
