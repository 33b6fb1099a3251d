"""`t2c diagnose`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.diagnose import Diagnosis
    from t2c.projections.findings.model import Group, Shown

__all__ = ["diagnose"]

_FORMATS: Final = ("text", "json", "markdown", "sarif", "github", "diagnostics")
_SEVEREST_FIRST: Final = ("blocking", "review_required", "warning", "info")
_MEMBERS: Final = 3
_WIDTH: Final = 80


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
    if json and format not in ("text", "json"):
        raise Usage("--json and another --format exclude each other", remedy="give one of them")
    invocation = Invocation.of(ctx)
    request = action.DiagnosisRequest(
        at, new_since, tuple(code or ()), severity, tuple(path or ()), suppressed, language
    )
    with invocation.context() as context:
        found = action.diagnose(context, request)
        made = None if json or format in ("text", "json") else _made(format, found, page, all)
        if out is not None:
            if made is None:
                raise Usage(
                    "--out writes a document", remedy="add --format markdown, sarif, github or diagnostics"
                )
            shown = action.keep(context, out, made)
    if out is not None:
        invocation.output.say(f"wrote {shown}")
    elif made is not None:
        invocation.output.raw(made)
    else:
        invocation.output.json = json or format == "json"
        invocation.emit(found.result(), lambda style: "\n".join(_text(found, style, page, all)))
    if fail_on is not None and found.reaches(fail_on):
        raise typer.Exit(Findings.code)


def _made(format: str, found: Diagnosis, page: int, whole: bool) -> bytes:
    from t2c import __version__
    from t2c.projections.base import pretty
    from t2c.projections.interop.sarif import sarif
    from t2c.projections.render.findings_github import workflow_commands
    from t2c.projections.render.findings_markdown import PAGE, page_of

    match format:
        case "diagnostics":
            return pretty(found.document)
        case "sarif":
            return pretty(sarif(found.groups, found.suppressed, found.titles, __version__, found.revision))
        case "github":
            return workflow_commands(found.groups).encode()
        case _:
            first, most = (0, len(found.groups)) if whole else ((page - 1) * PAGE, PAGE)
            return page_of(found.groups, found.counts, first, most).encode()


def _text(found: Diagnosis, style: Style, page: int, whole: bool) -> Iterator[str]:
    from t2c.projections.render.findings_markdown import PAGE

    counts = found.counts
    told = ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in _SEVEREST_FIRST if counts[name])
    since = "" if found.since is None else f", new since seq {found.since}"
    yield f"{told or 'nothing found'}{since}, as of seq {found.seq}"
    if counts["suppressed"]:
        yield style.faint(f"{counts['suppressed']:,} suppressed: t2c diagnose --suppressed")
    first = 0 if whole else (page - 1) * PAGE
    shown = found.groups[first:] if whole else found.groups[first : first + PAGE]
    for group in shown:
        yield ""
        yield from _group(group, style, whole)
    left = len(found.groups) - first - len(shown)
    if left > 0:
        yield ""
        yield style.faint(f"… and {left:,} more groups (--page {page + 1}, --all, or --json)")


def _group(group: Group, style: Style, whole: bool) -> Iterator[str]:
    mark = {"blocking": style.bad, "review_required": style.bad, "warning": style.doubtful}.get(
        group.severity, style.faint
    )
    lead, *others = group.findings
    yield f"{mark(group.severity.replace('_', ' '))}  {lead.title}"
    yield from _wrapped(lead.detail)
    yield from _wrapped(f"→ {lead.action}")
    if lead.suppressed is not None:
        until = "" if lead.suppressed.expires is None else f" until {lead.suppressed.expires}"
        yield from _wrapped(
            f"suppressed{until} by {lead.suppressed.by}: {lead.suppressed.reason} ({lead.suppressed.event})"
        )
    yield style.faint(f"    {_where(lead)}{lead.code}  {lead.id}")
    for other in others if whole else others[: _MEMBERS - 1]:
        yield f"    also  {other.title}"
        yield style.faint(f"          {_where(other)}{other.id}")
    if not whole and len(others) >= _MEMBERS:
        yield style.faint(f"    … and {len(others) - _MEMBERS + 1:,} more of this cause (--all)")


def _where(finding: Shown) -> str:
    return f"{finding.places[0]}  " if finding.places else ""


def _wrapped(text: str) -> Iterator[str]:
    from textwrap import wrap

    yield from wrap(
        text,
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
