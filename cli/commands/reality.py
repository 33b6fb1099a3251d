"""`t2c reality` and `t2c truth`: what is wanted beside what is there, and what stands behind an assertion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.reality import RealityView
    from t2c.cli.actions.truth import TruthView
    from t2c.projections.render.reality_reading import Topic

__all__ = ["reality", "truth"]

_LABEL: Final = 58
_RECORDS: Final = 8


def reality(
    ctx: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(metavar="TOPIC", help="Only this: a ticket, path, folder, name, release or record."),
    ] = None,
    gaps_only: Annotated[bool, typer.Option("--gaps-only", help="Only topics that are not aligned.")] = False,
    rows: Annotated[int, typer.Option(metavar="N", help="Topics shown and drawn.", min=1, max=500)] = 30,
    markdown: Annotated[
        str | None, typer.Option("--markdown", metavar="FILE", help="Write a Markdown page to FILE, too.")
    ] = None,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Write a picture to FILE, too.")
    ] = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page that needs nothing else to FILE, too."),
    ] = None,
    grades: Annotated[
        bool, typer.Option("--grades", help="With --json: print what reality rests on, plan by plan.")
    ] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """Show what is wanted, what is there and what is claimed, topic by topic.

    A plan counts as shown by what came after it or what a commit that implements it changed; that a file of that name
    exists shows nothing. --json prints t2c.reality/v1; with TOPIC it prints those topics and what they rest on.

    Examples:

        t2c reality
        t2c reality src/app.py
        t2c reality 2.1.0 --svg docs/release.svg
        t2c reality --gaps-only --html reality.html
        t2c reality --json --grades | jq .byGrade
    """
    from t2c.cli.actions import reality as action

    invocation = Invocation.of(ctx)
    request = action.RealityRequest(topic, at, gaps_only, rows, markdown, svg, html)
    with invocation.context() as context:
        found = action.reality(context, request)
    if json and topic is None:
        invocation.output.raw(found.grades_document if grades else found.document)
    else:
        invocation.emit(found.result(), lambda style: joined(_text(found, style, rows, topic)))
    for name in found.written:
        invocation.output.say(f"wrote {name}")


def _text(found: RealityView, style: Style, rows: int, asked: str | None) -> Iterator[str]:
    from t2c.projections.render.reality_reading import counted, share

    totals, ratios = found.reality.totals, found.grades.ratios
    if not totals.topics:
        yield "no data: nothing that is wanted and nothing that is there was found"
        return
    if asked is None:
        yield f"{counted(totals.topics, 'topic')}, {totals.aligned:,} aligned, as of seq {found.seq}"
        yield f"  wanted or described, and there  {share(ratios['implementationCoverage'])}"
        yield f"  there, and wanted or described  {share(ratios['plannedCodeCoverage'])}"
        yield ""
    shown = found.topics[:rows]
    if shown:
        head = f"{'topic':<{_LABEL}}  {'plans':>9}  {'wanted':>6}  {'there':>5}  {'claimed':>7}  status"
        yield style.faint(head)
    for topic in shown:
        yield _row(topic, style)
        if asked is not None and len(shown) <= 3:
            yield from _records(topic, style)
    if len(found.topics) > rows:
        yield style.faint(
            f"… and {counted(len(found.topics) - rows, 'more topic')} (--rows, or --json for all)"
        )
    if asked is None:
        yield from _apart(found, style)


def _row(topic: Topic, style: Style) -> str:
    from t2c.projections.render.reality_reading import plain, plans_shown, status_words, tone

    marks = {"bad": style.bad, "gap": style.doubtful, "well": style.good}
    mark = marks.get(tone(topic), style.faint)
    row = topic.row
    loud = "" if row.severity == "info" else f" ({row.severity.replace('_', ' ')})"
    label = plain(row.label, _LABEL)
    return (
        f"{label:<{_LABEL}}  {plans_shown(topic).replace(' of ', '/'):>9}  {row.declared:>6,}  {row.observed:>5,}"
        f"  {row.claimed:>7,}  {mark(status_words(topic) + loud)}"
    )


def _records(topic: Topic, style: Style) -> Iterator[str]:
    row, grade = topic
    if row.diagnosticCodes:
        yield f"  {style.doubtful('findings')}  {', '.join(row.diagnosticCodes)}"
    if grade is None:
        yield f"  {len(row.recordIds):,} records, in which nobody says anything"
        return
    for one in grade.shown[:_RECORDS]:
        note = f"  {style.faint(f'({one.note})')}" if one.note else ""
        yield f"  {one.kind:<9}  {one.text}{note}  {style.faint(one.where)}"
    if grade.hidden:
        yield style.faint(f"  … and {grade.hidden:,} more records")
    if grade.ambiguous:
        others = ", ".join(other.partition(":")[2] for other in grade.others)
        yield style.faint(f"  {grade.ambiguous:,} of them may also belong to {others}")


def _apart(found: RealityView, style: Style) -> Iterator[str]:
    from t2c.projections.render.reality_reading import EXCEPTION_WORDS, counted, read

    reading = read(found.reality, found.grades)
    files, public = (
        sum(len(folder.files) for folder in reading.folders),
        sum(folder.public for folder in reading.folders),
    )
    yield ""
    if files:
        first = ", ".join(folder.name for folder in reading.folders[:3])
        yield f"nobody asked for {counted(files, 'file')} with {counted(public, 'public symbol')}: {first}, …"
    excused = ", ".join(
        f"{count:,} {EXCEPTION_WORDS[name]}" for name, count in reading.excused.items() if count
    )
    if excused:
        yield style.faint(f"need not be planned: {excused}")
    if found.grades.commitsApart:
        yield style.faint(f"{found.grades.commitsApart:,} commits relate to no statement and make no topic")


def truth(
    ctx: typer.Context,
    record: Annotated[
        str | None, typer.Argument(metavar="RECORD", help="Only the assertion that this INT-… is part of.")
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Show so many assertions; --json has all.", min=0)
    ] = 20,
    at: At = None,
    json: Json = False,
) -> None:
    """Show what is said and seen of one thing, gathered into assertions: supported, conflicted, only claimed.

    Every record is in exactly one assertion. --json prints t2c.truth-map/v1, or the one assertion.

    Examples:

        t2c truth
        t2c truth INT-TODO-0123456789abcdef0123
        t2c truth --json | jq .stats
    """
    from t2c.cli.actions import truth as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.truth(context, record, at)
    if json and record is None:
        invocation.output.raw(found.document)
    else:
        invocation.emit(found.result, lambda style: joined(_truth(found, style, limit)))


def _truth(found: TruthView, style: Style, limit: int) -> Iterator[str]:
    marks = {"supported": style.good, "conflicted": style.bad, "mixed": style.doubtful}
    counts = ", ".join(
        f"{count:,} {name.replace('_', ' ')}" for name, count in found.by_status.items() if count
    )
    yield f"{found.total:,} assertions as of seq {found.result.seq}: {counts or 'none'}"
    shown = found.result.assertions[:limit] if found.of is None else found.result.assertions
    for one in shown:
        lanes = ", ".join(f"{len(ids):,} {name}" for name, ids in one["evidence"].items() if ids)
        status = one["status"]
        mark = marks.get(status, str)
        yield f"{one['id']}  {mark(status.replace('_', ' '))}  {lanes}, from {', '.join(one['sources'])}"
        if found.of is not None:
            for name, ids in one["evidence"].items():
                yield from (f"  {name:<9}  {identity}" for identity in ids)
    rest = len(found.result.assertions) - len(shown)
    if rest:
        yield style.faint(f"… and {rest:,} more of several records (--limit, or --json for all)")
