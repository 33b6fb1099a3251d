"""`t2c intake`: command, query."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.checkpoint import keep_up
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.ledger.errors import Environment, Usage

if TYPE_CHECKING:
    from t2c.cli.actions.context import Context
    from t2c.cli.actions.intake_result import IntakeResult

__all__ = ["GROUP", "command", "query"]

GROUP = Branch(
    "Governed intake: who takes part, who may do what, and whose message it is. Speaks JSON only.",
    (
        Entry("command", "t2c.cli.commands.intake:command", "Handle one command; 3 if a rule forbids it."),
        Entry("query", "t2c.cli.commands.intake:query", "Answer one query."),
    ),
)

_MOST: Final = (4 << 20) + 1

File = Annotated[str, typer.Argument(metavar="FILE", help="An envelope in JSON, or - for standard input.")]
Folder = Annotated[
    str | None,
    typer.Option(
        "--project-dir", metavar="DIR", help="The project folder (default: the setting scan.communication)."
    ),
]


def command(ctx: typer.Context, file: File = "-", project_dir: Folder = None, json: Json = False) -> None:
    """Handle a t2c.intake-envelope/v1 with a t2c.intake-command/v1 and print a t2c.intake-result/v1.

    Commands: RegisterParticipant, BindExternalIdentity, AssignRole, CaptureMessage (up to 256 KiB),
    RebuildProjection, VerifyEventStream. The first participant registers itself. What is accepted is an event of the
    ledger; messages are then written to DIR/TICKET/ROLE-NAME.md, participants to DIR/participants.v2.json. A file
    that was changed by somebody else is never overwritten. Exit code 4 means another version than expected or a file
    that was changed, 6 that the disk would not take it.

    Examples:

        t2c intake command register.json
        t2c intake command - < message.json
    """
    from t2c.cli.actions import intake as action

    _answer(ctx, file, project_dir, action.command, writes=True)


def query(ctx: typer.Context, file: File = "-", project_dir: Folder = None, json: Json = False) -> None:
    """Answer a t2c.intake-envelope/v1 with a t2c.intake-query/v1 and print a t2c.intake-result/v1. Writes nothing.

    Queries: ResolveParticipant, GetRole, GetTicketConversation, GetCommandStatus, ValidateProjection.

    Examples:

        t2c intake query role.json
        t2c intake query - < status.json
    """
    from t2c.cli.actions import intake_query as action

    _answer(ctx, file, project_dir, action.query, writes=False)


def _answer(
    ctx: typer.Context,
    file: str,
    folder: str | None,
    action: Callable[[Context, bytes, str], IntakeResult],
    writes: bool,
) -> None:
    invocation = Invocation.of(ctx)
    invocation.output.json = True
    with invocation.context() as context:
        content = _content(file)
        given = context.settings.scan.communication if folder is None else folder
        place = context.path(context.root / given).relative_to(context.root).as_posix()
        found = action(context, content, place)
        if writes and found.accepted:
            invocation.output.recorded = f"the command is recorded as version {found.actualVersion}"
            keep_up(invocation, context)
    invocation.emit(found.document(), lambda style: "")
    if found.diagnostic is not None:
        invocation.output.complain(f"{found.diagnostic['code']}: {found.diagnostic['message']}")
    if found.exit:
        raise typer.Exit(found.exit)


def _content(file: str) -> bytes:
    """The input, of one that is too long no more than shows that it is."""
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise Usage("no envelope was given", remedy="name a file, or pipe JSON in")
        return sys.stdin.buffer.read(_MOST)
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - a path as typed, read only
            return stream.read(_MOST)
    except (FileNotFoundError, ValueError):
        raise Usage(
            f"there is no file {file}", remedy="name a file with an envelope, or - for stdin"
        ) from None
    except OSError as error:
        raise Environment(f"{file} cannot be read: {error.strerror}", where=file) from error
