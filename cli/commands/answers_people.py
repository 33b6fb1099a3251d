"""`t2c answers`: reply, choose, approve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.answers_ask import check_lines
from t2c.cli.commands.answers_verify import Answer
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined, one_line

if TYPE_CHECKING:
    from t2c.cli.actions.answers_people import Approved, Chosen, Replied

__all__ = ["approve", "choose", "reply"]

Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands beside the decision.")]


def reply(
    ctx: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="SEQ|EVT-…|latest", help="The question, or an answer that asks one.")
    ],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What you say to it.")] = None,
    waive: Annotated[bool, typer.Option("--waive", help="Say that it need not be answered.")] = False,
    reason: Reason = "",
    json: Json = False,
) -> None:
    """Answer a question that a model asks, or waive it with a reason. Only a person can; it stays open until then.

    Examples:

        t2c answers reply 44 "three seconds"
        t2c answers reply 45 --waive --reason "both ways are fine"
    """
    from t2c.cli.actions import answers_people as action
    from t2c.ledger.errors import Usage

    if (text is None) != waive or (text is not None and not text.strip()):
        raise Usage(
            "say what you answer, or waive the question", remedy='give a TEXT, or --waive --reason "…"'
        )
    if waive and not reason.strip():
        raise Usage("a reason is missing", remedy='add --reason "…"')
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.replied(context, question, text, reason)
    invocation.output.recorded = f"your reply is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_replied(found, style)))


def choose(
    ctx: typer.Context,
    answer: Answer,
    title: Annotated[
        str | None, typer.Argument(metavar="TITLE", help="The approach, by its exact title.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Choose none of them.")] = False,
    reason: Reason = "",
    json: Json = False,
) -> None:
    """Choose one approach of an exploration, or none. Only a person can; nothing is executed by it.

    Examples:

        t2c answers choose 51 "A queue"
        t2c answers choose 51 --none --reason "too dear"
    """
    from t2c.cli.actions import answers_people as action
    from t2c.ledger.errors import Usage

    if (title is None) != none:
        raise Usage("choose one approach or none", remedy="give a TITLE, or --none")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.chosen(context, answer, title, reason)
    invocation.output.recorded = f"your choice is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_chosen(found, style)))


def approve(
    ctx: typer.Context,
    answer: Answer,
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="A file of the answer, instead of the answer itself.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option("--sha256", metavar="HEX", help="Only if it is still what you were shown.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print it and its SHA-256, and approve nothing.")
    ] = False,
    reason: Reason = "",
    json: Json = False,
) -> None:
    """Approve exactly the bytes that are printed. Only a person can.

    The approval holds the SHA-256 of those bytes; of anything else it is no approval. Look with --show first, then
    give --sha256, so that nothing can change in between. A text that changes later must be approved again. Of a frozen
    test that was changed since, --file shows and approves what stands in the work tree: that takes its place.

    Examples:

        t2c answers approve 48 --show
        t2c answers approve 48 --sha256 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
        t2c answers approve 52 --file tests/test_door.py
    """
    from t2c.cli.actions import answers_people as action
    from t2c.ledger.errors import Usage

    if show and sha256 is not None:
        raise Usage("--show approves nothing, so there is nothing to compare", remedy="leave out --sha256")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.approved(context, answer, file, digest=sha256, statement=reason, show=show)
    if found.seq is not None:
        invocation.output.recorded = f"your approval is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_approved(found, style)))


def _replied(found: Replied, style: Style) -> Iterator[str]:
    yield one_line(found.asked)
    yield f"  is {'waived' if found.answer is None else 'answered'} by {found.by}, seq {found.seq}"
    yield from check_lines(tuple(found.checks), style)


def _chosen(found: Chosen, style: Style) -> Iterator[str]:
    what = "none of them" if found.title is None else repr(found.title)
    yield f"{found.by} chose {one_line(what)}, seq {found.seq}"
    yield from check_lines(tuple(found.checks), style)


def _approved(found: Approved, style: Style) -> Iterator[str]:
    yield from found.text.splitlines()
    yield f"SHA-256 {found.digest}"
    if found.replaces is not None:
        will = "would take" if found.seq is None else "take"
        yield f"these bytes stand in the work tree, and not in the answer; they {will} the place of what is frozen:"
        yield style.faint(f"  SHA-256 {found.replaces}")
    if found.seq is None:
        yield style.faint("nothing was approved; to approve exactly this add: --sha256 " + found.digest)
    else:
        yield f"approved by {found.by}, seq {found.seq}"
    yield from check_lines(tuple(found.checks), style)
