"""`t2c diagnose`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.diagnose import Diagnosis
    from t2c.projections.findings.model import Group, Shown

__all__ = ["diagnose"]

_FORMATS: Final = ("text", "json", "markdown", "sarif", "github", "diagnostics")
_JSON_OF: Final[dict[str, str]] = dict.fromkeys(
    ("sarif", "diagnostics"), "without --json this format is JSON already"
)
_SEVEREST_FIRST: Final = ("blocking", "review_required", "warning", "info")
_MEMBERS: Final = 3
_WIDTH: Final = 80
_NARROWEST: Final = 30
_INDENT: Final = "    "


def _codes(incomplete: str) -> list[str]:
    from t2c.projections.diagnostics.model import CODES

    return [code for code in CODES if code.startswith(incomplete.upper())]


def _severities(incomplete: str) -> list[str]:
    from t2c.projections.facts import SEVERITIES

    return [severity for severity in SEVERITIES if severity.startswith(incomplete)]


def _formats(incomplete: str) -> list[str]:
    return [name for name in _FORMATS if name.startswith(incomplete)]


def diagnose(
    ctx: typer.Context,
    path: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Only findings in these files or folders.")
    ] = None,
    code: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only of this code.", autocompletion=_codes)
    ] = None,
    severity: Annotated[
        str, typer.Option(metavar="LEVEL", help="Only from this severity up.", autocompletion=_severities)
    ] = "info",
    new_since: Annotated[
        str | None,
        typer.Option("--new-since", metavar="SEQ|TIME|CHECKPOINT", help="Only what was not found then."),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=", ".join(_FORMATS), autocompletion=_formats)
    ] = "text",
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write it to FILE instead of printing it.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="LEVEL",
            help="Exit with 1 if something so severe is found.",
            autocompletion=_severities,
        ),
    ] = None,
    page: Annotated[int, typer.Option(metavar="N", help="Which page of 20 groups.", min=1)] = 1,
    all: Annotated[bool, typer.Option("--all", help="Every group and member, not a page.")] = False,
    suppressed: Annotated[bool, typer.Option("--suppressed", help="Only what somebody suppressed.")] = False,
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help="en or pl.")] = "en",
    at: At = None,
    json: Json = False,
) -> None:
    """Show what does not fit together: grouped by cause, the gravest first, each with what to do next.

    Findings alone do not fail the command; --fail-on does. `t2c suppress` takes one away, with a reason.

    Examples:

        t2c diagnose
        t2c diagnose src --severity warning
        t2c diagnose --new-since checkpoint:latest --fail-on review_required
        t2c diagnose --format sarif --out t2c.sarif
        t2c diagnose --format github
        t2c diagnose --json
    """
    from t2c.cli.actions import diagnose as action
    from t2c.ledger.errors import Findings, Usage
    from t2c.projections.facts import SEVERITIES

    if format not in _FORMATS:
        raise Usage(f"there is no format {format!r}", remedy=f"there are {', '.join(_FORMATS)}")
    if fail_on is not None and fail_on not in SEVERITIES:
        raise Usage(f"there is no severity {fail_on!r}", remedy=f"there are {', '.join(SEVERITIES)}")
    if out is not None and format == "text" and not json:
        raise Usage("--out writes a document", remedy=f"add --format {', '.join(_FORMATS[1:])}")
    if json and format not in ("text", "json"):
        raise Usage(
            "--json and another --format exclude each other",
            remedy=f"give one of them: {_JSON_OF.get(format, 'without --format, --json prints the findings')}",
        )
    invocation = Invocation.of(ctx)
    request = action.DiagnosisRequest(
        at, new_since, tuple(code or ()), severity, tuple(path or ()), suppressed, language
    )
    with invocation.context() as context:
        place = None if out is None else action.place(context, out, format)
        found = action.diagnose(context, request)
        _check_page(found, page)
        shown = None if place is None else action.keep(context, place, _made(format, found, page, all))
    if shown is not None:
        invocation.output.say(f"wrote {shown}")
    elif json or format in ("text", "json"):
        invocation.output.json = json or format == "json"
        width = _width(invocation.environ)
        invocation.emit(found.result(), lambda style: joined(_text(found, style, page, all, width)))
    elif format in ("markdown", "github"):
        invocation.output.text(_made(format, found, page, all).decode())
    else:
        invocation.output.raw(_made(format, found, page, all))
    if fail_on is not None and found.reaches(fail_on):
        raise typer.Exit(Findings.code)


def _check_page(found: Diagnosis, page: int) -> None:
    from t2c.ledger.errors import Usage
    from t2c.projections.render.findings_markdown import PAGE

    pages = max(1, -(-len(found.groups) // PAGE))
    if page > pages:
        raise Usage(f"there is no page {page}", remedy=f"there are {pages}" if pages > 1 else "there is one")


def _width(environ: Mapping[str, str]) -> int:
    """The columns that text fills: those that COLUMNS asks for or the terminal has, at most 80."""
    asked = environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit():
        columns = int(asked[:4])
    else:
        try:
            columns = os.get_terminal_size(1).columns
        except OSError:
            columns = _WIDTH
    return max(_NARROWEST, min(columns or _WIDTH, _WIDTH))


def _made(format: str, found: Diagnosis, page: int, whole: bool) -> bytes:
    from t2c import __version__
    from t2c.cli.present.output import document
    from t2c.projections.base import pretty
    from t2c.projections.interop.sarif import sarif
    from t2c.projections.render.findings_github import workflow_commands
    from t2c.projections.render.findings_markdown import PAGE, page_of

    match format:
        case "text" | "json":
            return pretty(document(found.result()))
        case "diagnostics":
            return pretty(found.document())
        case "sarif":
            return pretty(sarif(found.groups, found.suppressed, found.titles, __version__, found.revision))
        case "github":
            return workflow_commands(found.groups).encode()
        case _:
            first, most = (0, len(found.groups)) if whole else ((page - 1) * PAGE, PAGE)
            return page_of(found.groups, found.counts, first, most, whole=whole).encode()


def _text(found: Diagnosis, style: Style, page: int, whole: bool, width: int) -> Iterator[str]:
    from t2c.projections.render.findings_markdown import PAGE

    counts = found.counts
    told = ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in _SEVEREST_FIRST if counts[name])
    since = "" if found.since is None else f", new since seq {found.since}"
    yield from _wrapped(f"{told or 'nothing found'}{since}, as of seq {found.seq}", width, first="")
    if counts["suppressed"]:
        yield style.faint(f"{counts['suppressed']:,} suppressed: t2c diagnose --suppressed")
    first = 0 if whole else (page - 1) * PAGE
    shown = found.groups[first:] if whole else found.groups[first : first + PAGE]
    for group in shown:
        yield ""
        yield from _group(group, style, whole, width)
    left = len(found.groups) - first - len(shown)
    if left > 0:
        yield ""
        more = "1 more group" if left == 1 else f"{left:,} more groups"
        for line in _wrapped(f"… and {more} (--page {page + 1}, --all, or --json)", width, first=""):
            yield style.faint(line)


def _group(group: Group, style: Style, whole: bool, width: int) -> Iterator[str]:
    mark = {"blocking": style.bad, "review_required": style.bad, "warning": style.doubtful}.get(
        group.severity, style.faint
    )
    lead, *others = group.findings
    severity = group.severity.replace("_", " ")
    first, *more = _wrapped(f"{severity}  {lead.title}", width, first="")
    yield mark(severity) + first.removeprefix(severity)
    yield from more
    yield from _wrapped(lead.detail, width)
    yield from _wrapped(f"→ {lead.action}", width)
    if lead.suppressed is not None:
        granted = lead.suppressed
        until = "" if granted.expires is None else f" until {granted.expires}"
        yield from _wrapped(f"suppressed{until} by {granted.by}: {granted.reason} ({granted.event})", width)
    for line in _where(lead, f"{lead.code}  {lead.id}", _INDENT, width):
        yield style.faint(line)
    shown = others if whole else others[: _MEMBERS - 1]
    for other in shown:
        yield from _wrapped(f"also  {other.title}", width, after=_INDENT * 2)
        for line in _where(other, other.id, _INDENT * 2, width):
            yield style.faint(line)
    if len(others) > len(shown):
        yield style.faint(f"{_INDENT}… and {len(others) - len(shown):,} more of this cause (--all)")
    if others:
        yield style.faint(f"{_INDENT}cause {group.cause}")


def _where(finding: Shown, name: str, indent: str, width: int) -> Sequence[str]:
    """Where it stands and how it is called: on one line if that fits, and always whole, to be copied."""
    if not finding.places:
        return [f"{indent}{name}"]
    place = str(finding.places[0])
    line = f"{indent}{place}  {name}"
    return [line] if len(line) <= width else [f"{indent}{place}", f"{indent}{name}"]


def _wrapped(text: str, width: int, *, first: str = _INDENT, after: str = _INDENT) -> Sequence[str]:
    from textwrap import wrap

    return wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )
