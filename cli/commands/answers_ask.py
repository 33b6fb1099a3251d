"""`t2c answers`: record, ask."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.answers import names
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json, Llm
from t2c.cli.present.style import Style, joined, one_line

if TYPE_CHECKING:
    from t2c.cli.actions.answers_ask import AnswerRecorded, CheckRow
    from t2c.cli.actions.context import Context

__all__ = ["About", "Name", "ask", "check_lines", "record"]

_MOST: Final = 16 << 20

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A kind of `t2c answers list`.", autocompletion=names)
]
About = Annotated[
    str | None, typer.Option(metavar="SUBJECT", help="What it is of: a task, a scenario, a requirement.")
]


def record(
    ctx: typer.Context,
    name: Name,
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="The answer in JSON, or - for standard input.")
    ],
    about: About = None,
    actor: Annotated[
        str | None, typer.Option(metavar="agent:NAME", help="Whose answer it is (agent:unnamed).")
    ] = None,
    json: Json = False,
) -> None:
    """Record an answer that a model gave, as its claim. It must be just what its schema says; its bytes are kept.

    It closes, completes and approves nothing. What needs nothing but itself to be checked is checked at once: paths,
    commands, blank texts, what contradicts itself. `t2c answers verify` does the rest.

    Examples:

        t2c answers record attempt_report report.json --about T012 --actor agent:coder
        t2c answers record question - < question.json
    """
    from t2c.cli.actions import answers_ask as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.recorded(context, name, _content(context, file), about, actor)
    invocation.output.recorded = f"the answer is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_recorded(found, style)))


def ask(
    ctx: typer.Context,
    name: Name,
    about: About = None,
    show: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="A file or folder that the model is shown.")
    ] = None,
    spec: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="A text of the specification that it is shown.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option(metavar="BASE", help="Show it what changed since this commit.")
    ] = None,
    text: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Words that it is shown.")] = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Who it is to be: implementer, monitor, test-writer …")
    ] = None,
    llm: Llm = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the request that would be sent; send and record nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Ask a model for one kind of answer and record it as the model's claim.

    It is held to the schema of `t2c answers schema NAME`. What it is shown stands in marked spans, in which nothing is
    an instruction; secrets are masked, and no implementer is shown a sealed test. What is too large or no text is
    left out and counted. `t2c llm show` shows afterwards what was sent and what came back.

    Examples:

        t2c answers ask monitoring --about T012 --diff main --llm record
        t2c answers ask assessment --spec spec/ --show src/ --dry-run
        t2c answers ask shaped --text "it should stay open" --llm record
    """
    from t2c.cli.actions import answers_ask as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    request = action.AskRequest(name, about, show or (), spec or (), diff, text or (), role)
    with invocation.context({"llm.mode": llm}) as context:
        state = state_dir(invocation.environ)
        if dry_run:
            seen = action.preview(context, request, state)
            invocation.emit(seen, lambda style: seen.body)
            return
        found = action.asked(context, request, state)
    invocation.output.recorded = f"the answer is recorded as seq {found.seq}"
    for reason, count in (found.omitted or {}).items():
        invocation.output.warn(f"left out of what the model was shown, {reason.replace('_', ' ')}: {count}")
    invocation.emit(found, lambda style: joined(_recorded(found, style)))


def check_lines(checks: list[CheckRow] | tuple[CheckRow, ...], style: Style) -> Iterator[str]:
    """One line a check, marked by what it showed."""
    marks = {
        "supported": style.good,
        "refuted": style.bad,
        "inconsistent": style.bad,
        "unresolvable": style.doubtful,
    }
    for row in checks:
        place = "" if row.item is None else f" {row.item}"
        yield f"  {marks[row.result](f'{row.result:<12}')}  {row.check}{one_line(place)}: {one_line(row.detail)}"


def _recorded(found: AnswerRecorded, style: Style) -> Iterator[str]:
    about = "" if found.about is None else f" about {one_line(found.about)}"
    again = ", as before" if found.again else ""
    yield f"seq {found.seq}  {found.root}{about} is recorded as a claim{again}  {style.faint(found.event)}"
    if found.model is not None:
        how = "taken from the record" if found.replayed else "asked now"
        yield f"  of {one_line(found.model)}, {how}"
    yield from check_lines(tuple(found.checks), style)
    if found.questions:
        many = "a question" if len(found.questions) == 1 else f"{len(found.questions)} questions"
        yield f"  it asks a person {many}: `t2c answers show --open`"
    then = f'reply {found.seq} "…"' if found.root == "question" else f"verify {found.seq}"
    yield style.faint(f"  next: t2c answers {then}")


def _content(context: Context, file: str) -> bytes:
    from t2c.ledger.errors import Environment, Usage

    try:
        path = None if file == "-" else context.path(file)
    except Usage as error:
        raise Usage(
            error.what,
            where=error.where,
            safe="nothing was recorded",
            remedy="pipe a file from elsewhere in: `t2c answers record NAME - < FILE`",
        ) from None
    try:
        if path is None:
            if sys.stdin is None or sys.stdin.isatty():
                raise Usage("no answer was given", remedy="name a file, or pipe JSON in")
            content = sys.stdin.buffer.read(_MOST + 1)
        else:
            with path.open("rb") as stream:
                content = stream.read(_MOST + 1)
    except FileNotFoundError:
        raise Usage(f"there is no file {file}", remedy="name a file with an answer, or - for stdin") from None
    except OSError as error:
        raise Environment(f"{file} cannot be read: {error.strerror}", where=file) from error
    if len(content) > _MOST:
        raise Usage(f"the answer has more than {_MOST:,} bytes", where=file, safe="nothing was recorded")
    return content
