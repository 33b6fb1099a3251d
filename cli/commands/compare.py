"""`t2c compare`: the workspace beside its base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.compare import Comparison

__all__ = ["compare"]


def compare(
    ctx: typer.Context,
    base: Annotated[
        str | None,
        typer.Argument(metavar="BASE", help="A branch, tag or commit (default: the upstream of the branch)."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FOLDER", help="Write the artefacts below FOLDER, too.")
    ] = None,
    json: Json = False,
) -> None:
    """Show whether the files as they are fulfil more of what is declared than a commit does.

    Both are scanned with the same settings into private ledgers outside the tree, so that nothing is written here;
    with --out, into FOLDER/comparisons and nowhere else. The files that are not committed are noted first.

    Examples:

        t2c compare
        t2c compare main
        t2c compare HEAD --json
        t2c compare v1.4.0 --out comparisons
    """
    from t2c.cli.actions import compare as action
    from t2c.cli.actions.comparison_files import place_of_comparisons, write_comparison

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        place = None if out is None else place_of_comparisons(context, out)
        found = action.compare(
            context, base, leave_out=None if place is None else place.left_out, keep=place is not None
        )
        document = found.document if place is None else write_comparison(context, place, found)
    for notice in found.notices:
        invocation.output.warn(notice)
    invocation.emit(document, lambda style: joined(_text(found, style, place and place.shown)))


def _text(found: Comparison, style: Style, written: str | None) -> Iterator[str]:
    from t2c.projections.render.trend_markdown import trend_lines

    document = found.document
    base, workspace = document["base"], document["workspace"]
    yield f"base       {base['ref']} ({base['commit'][:12]})"
    files = workspace["changedFiles"]
    yield (
        f"workspace  {workspace['headCommit'][:12]}, {workspace['ahead']:,} ahead, {workspace['behind']:,} behind, "
        f"{len(files):,} file{'' if len(files) == 1 else 's'} not as committed"
    )
    if document["trend"] is not None:
        direction = document["trend"]["direction"]
        mark = {"improved": style.good, "regressed": style.bad, "mixed": style.doubtful}.get(direction, str)
        yield f"trend      {mark(direction)}"
    yield ""
    rows = [("", "base", "workspace"), *trend_lines(document)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = (row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2]))
        yield f"  {'  '.join(cells)}".rstrip()
    if written is not None:
        yield ""
        yield f"  written    {written}"
