"""`t2c answers`: list, schema; the verbs that record, check and try answers are in modules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.answers_contracts import AnswerKinds

__all__ = ["GROUP", "listed", "names", "schema"]

GROUP = Branch(
    "Typed answers of models: what they may say, what they said, what became of it. An answer is a claim, not a verdict.",
    (
        Entry("list", "t2c.cli.commands.answers:listed", "List the kinds of answers and what follows each."),
        Entry("schema", "t2c.cli.commands.answers:schema", "Print the schema that a model is held to."),
        Entry("seal", "t2c.cli.commands.answers_tests:seal", "Seal tests away from the implementer."),
        Entry("run", "t2c.cli.commands.answers_tests:run", "Run sealed tests against a candidate."),
        Entry(
            "leaks",
            "t2c.cli.commands.answers_tests:leaks",
            "Say if a sealed test was shown to the implementer.",
        ),
        Entry("reveal", "t2c.cli.commands.answers_tests:reveal", "Open sealed tests in the ledger."),
        Entry("frozen", "t2c.cli.commands.answers_tests:frozen", "List tests that only a person may change."),
        Entry("ask", "t2c.cli.commands.answers_ask:ask", "Ask a model for an answer and record it."),
        Entry("record", "t2c.cli.commands.answers_ask:record", "Record an answer that a model gave."),
        Entry("verify", "t2c.cli.commands.answers_verify:verify", "Check what an answer claims."),
        Entry("show", "t2c.cli.commands.answers_verify:show", "Show answers and what became of them."),
        Entry("reply", "t2c.cli.commands.answers_people:reply", "Answer a question of a model, or waive it."),
        Entry("choose", "t2c.cli.commands.answers_people:choose", "Choose an approach, or none."),
        Entry("approve", "t2c.cli.commands.answers_people:approve", "Approve exactly what is printed."),
    ),
)


def listed(ctx: typer.Context, json: Json = False) -> None:
    """List the kinds of answers: what each is, and what must be checked before it counts for anything.

    --json also has the size of each schema and its digest, as `answer.recorded` names it.

    Examples:

        t2c answers list
        t2c answers list --json
    """
    from t2c.cli.actions import answers_contracts as action

    found = action.kinds()
    Invocation.of(ctx).emit(found, lambda style: joined(_list(found, style)))


def names(incomplete: str) -> list[str]:
    """The kinds of answers that begin so, to complete what is typed."""
    from t2c.cli.actions import answers_contracts as action

    return [name for name in action.names() if name.startswith(incomplete)]


def schema(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name of `t2c answers list`.", autocompletion=names)
    ],
    tool: Annotated[bool, typer.Option("--tool", help="As the tool that a model calls to answer.")] = False,
    json: Json = False,
) -> None:
    """Print the schema that a model is held to for one kind of answer. It is JSON in any case, as it is sent.

    --json puts it into a document that names its kind and its digest.

    Examples:

        t2c answers schema attempt_report
        t2c answers schema blocked --tool
        t2c answers schema review --json
    """
    import orjson

    from t2c.cli.actions import answers_contracts as action

    found = action.shown(name, tool=tool)
    Invocation.of(ctx).emit(
        found, lambda style: orjson.dumps(found.contract, option=orjson.OPT_INDENT_2).decode()
    )


def _list(found: AnswerKinds, style: Style) -> Iterator[str]:
    for kind in found.kinds:
        called = "" if kind.tool is None else style.faint(f"  a call of {kind.tool}")
        yield f"{kind.root}{called}"
        yield f"  {kind.what}"
        yield style.faint(f"  then: {kind.follows}")
