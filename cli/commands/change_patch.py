"""`t2c change patch`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined
from t2c.ledger.errors import Environment, Usage

if TYPE_CHECKING:
    from t2c.cli.actions.change_patch import PatchMade
    from t2c.cli.actions.context import Context

__all__ = ["patch"]

_MOST: Final = 8 << 20
_SAFE: Final = "nothing was recorded and nothing was changed"


def patch(
    ctx: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="CPLAN-… or the first digits of it.")],
    diff: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A diff as `git diff` or `diff -u` give it; - for stdin."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FOLDER", help="Write the patch as JSON and its text, too.")
    ] = None,
    json: Json = False,
) -> None:
    """Make the patch of a plan: show and record exactly what is to be approved. No file of yours is changed.

    The diff must be of just the files of the plan, with what the plan says to do to each, and fit the tree as it is:
    if the change is in your tree already, set it aside first, as the first example does.
    Refused are binary files, renames, links, secrets, and places outside the root. Without --diff there are only the
    instructions of the plan, which cannot be applied. Whoever makes a patch cannot approve it (approval.separation).

    Examples:

        git diff > fix.diff; git stash; t2c change patch CPLAN-0123456789abcdef0123 --diff fix.diff
        t2c change patch CPLAN-01234567 --diff - < fix.diff
        t2c change patch CPLAN-01234567 --json
    """
    from t2c.cli.actions import change_patch as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        content = None if diff is None else _content(context, diff)
        found = action.patch(context, plan, content, "stdin" if diff == "-" else diff or "", out)
    invocation.output.recorded = f"the patch is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: _text(found, style))


def _content(context: Context, file: str) -> bytes:
    try:
        path = None if file == "-" else context.path(file)
    except Usage as error:
        raise Usage(
            error.what, where="--diff", safe=_SAFE, remedy="pipe a file from elsewhere in: --diff - < FILE"
        ) from None
    try:
        if path is None:
            if sys.stdin is None or sys.stdin.isatty():
                raise Usage("no diff was given", safe=_SAFE, remedy="name a file, or pipe a diff in")
            content = sys.stdin.buffer.read(_MOST + 1)
        else:
            with path.open("rb") as stream:
                content = stream.read(_MOST + 1)
    except FileNotFoundError:
        raise Usage(
            f"there is no file {file}", safe=_SAFE, remedy="name a file with a diff, or - for stdin"
        ) from None
    except OSError as error:
        raise Environment(f"{file} cannot be read: {error.strerror}", where=file, safe=_SAFE) from error
    if len(content) > _MOST:
        raise Usage(f"the diff has more than {_MOST:,} bytes", where=file, safe=_SAFE)
    return content


def _text(found: PatchMade, style: Style) -> str:
    # The text stands as it is: its lines are what is approved.
    return found.text + "\n" + joined(_after(found, style))


def _after(found: PatchMade, style: Style) -> Iterator[str]:
    yield f"{found.id}, hash {found.hash}"
    state = "was recorded just so before" if found.again else "is recorded"
    yield f"it {state}, seq {found.seq}, proposed by {', '.join(found.proposed_by)}"
    for path in found.written:
        yield f"written: {path}"
    if not found.appliable:
        yield style.doubtful("it has instructions alone: to apply it, give a diff")
        yield style.faint(f"  t2c change patch {found.plan} --diff FILE")
        return
    yield "it fits the tree as it is; nothing was changed. Next:"
    yield style.faint(f'  t2c change try {found.id} --check "CMD"')
    yield style.faint(f"  t2c approve {found.hash}")
    yield style.faint(f"  t2c change apply {found.id}")
