"""`t2c summarize`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json, Llm
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.summarize import Summarized
    from t2c.cli.actions.synthesis import Preview

__all__ = ["previewed", "summarize"]

_FORMATS: Final = ("text", "markdown", "json")
_INDENTS: Final = {"item": "  ", "part": "    ", "place": "      "}


def _formats(incomplete: str) -> list[str]:
    return [name for name in _FORMATS if name.startswith(incomplete)]


def summarize(
    ctx: typer.Context,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="deterministic, prefer-llm or require-llm (llm.summary)."),
    ] = None,
    llm: Llm = None,
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="en or pl.")] = "en",
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=", ".join(_FORMATS), autocompletion=_formats)
    ] = "text",
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write it to FILE instead of printing it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what a model would be sent; send and record nothing.")
    ] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """Tell what is asked and by whom, what is really there, what changed since the last release, what does not fit.

    It needs no model. With one (--llm) its conclusions come first, each citing findings and records: an answer that
    cites anything else counts for nothing, and a conclusion that says more than what it cites is left out.

    Examples:

        t2c summarize
        t2c summarize --language pl --format markdown --out SUMMARY.md
        t2c summarize --llm record --mode require-llm
        t2c summarize --llm replay --json
        t2c summarize --dry-run
    """
    from t2c.cli.actions import summarize as action
    from t2c.cli.actions.state import state_dir
    from t2c.ledger.errors import Usage

    if format not in _FORMATS:
        raise Usage(f"there is no format {format!r}", remedy=f"there are {', '.join(_FORMATS)}")
    if json and format == "markdown":
        raise Usage("--json and --format markdown exclude each other", remedy="give one of them")
    if out is not None and format == "text" and not json:
        raise Usage("--out writes a document", remedy="add --format markdown or json")
    if dry_run and (at is not None or out is not None):
        raise Usage("--dry-run shows what would be sent now", remedy="leave out --at and --out")
    invocation = Invocation.of(ctx)
    request = action.SummaryRequest(mode, language, at)
    as_json = json or format == "json"
    with invocation.context({"llm.mode": llm}) as context:
        state = state_dir(invocation.environ)
        if dry_run:
            seen = action.preview_of(context, request, state)
            invocation.output.json = as_json
            invocation.emit(seen, lambda style: previewed(seen, style))
            return
        path = None if out is None else action.place(context, out, "json" if as_json else format)
        found = action.summarize(context, request, state)
        shown = None if path is None else action.keep(context, path, _made(found, as_json))
    for notice in found.notices:
        invocation.output.warn(notice)
    if shown is not None:
        invocation.output.say(f"wrote {shown}")
    elif as_json:
        invocation.output.json = True
        invocation.emit(found.result, lambda style: "")
    elif format == "markdown":
        invocation.output.text(_made(found, as_json).decode().rstrip("\n"))
    else:
        invocation.emit(found.result, lambda style: joined(_text(found, style)))


def _made(found: Summarized, as_json: bool) -> bytes:
    from t2c.cli.present.output import document
    from t2c.projections.base import pretty
    from t2c.projections.render.report import report_markdown

    return pretty(document(found.result)) if as_json else report_markdown(found.report, found.language)


def previewed(seen: Preview, style: Style) -> str:
    """What would be sent, first in short and then whole."""
    left = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in sorted(seen.omitted.items()))
    return "\n".join(
        [
            f"{seen.stage}: {seen.bytes:,} bytes would be sent to {seen.model}; {seen.shown:,} things shown",
            style.faint(f"left out or shortened: {left or 'nothing'}"),
            style.faint(f"request {seen.request}"),
            seen.text,
        ]
    )


def _text(found: Summarized, style: Style) -> Iterator[str]:
    from t2c.projections.render.report import lines

    for line in lines(found.report, found.language):
        where = style.faint(f"  {line.where}") if line.where else ""
        mark = f"{_marked(line.mark, style)}  " if line.mark else ""
        if line.rank == "title":
            continue
        if line.rank == "section":
            yield ""
            yield line.text
        else:
            yield f"{_INDENTS.get(line.rank, '')}{mark}{line.text}{where}"


def _marked(mark: str, style: Style) -> str:
    from t2c.projections.render.report_words import WORDS

    grave = {words[name] for words in WORDS.values() for name in ("blocking", "review_required")}
    return style.bad(mark) if mark in grave else style.doubtful(mark)
