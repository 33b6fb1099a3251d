"""`t2c todo render` and `t2c todo apply`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined
from t2c.ledger.errors import Usage

if TYPE_CHECKING:
    from t2c.cli.actions.todo_apply import TodoApplied, TodoPreview
    from t2c.cli.actions.todo_render import TodoRendered

__all__ = ["apply", "render"]


def render(
    ctx: typer.Context,
    todo: Annotated[
        str | None, typer.Option(metavar="PATH", help="The task file; TODO.md at the root without it.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Write TODO.patch, TODO.patch.json and TODO.diff there, too."
        ),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print the patch as a unified diff.")] = False,
    json: Json = False,
) -> None:
    """Write the new proposals as Markdown that a task file would get at its end, and record it to be approved.

    The task file is not changed. The unified diff (--diff, TODO.diff) is the same change: `git apply` and `patch` make of
    it what t2c todo apply makes. A file that is not there would be made. What a task list has already is left out.
    --json prints t2c.todo-rendered/v1, which holds t2c.todo-patch/v1.

    Examples:

        t2c todo render
        t2c todo render --todo docs/TODO.md --out build/
        t2c todo render --diff
    """
    from t2c.cli.actions import todo_render as action

    if diff and json:
        raise Usage("--diff and --json are two forms of one answer", remedy="--json holds the diff as well")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.render(context, todo, out)
    if diff:
        invocation.emit(found, lambda style: found.diff)
        return
    invocation.emit(found, lambda style: joined(_rendered(found, style)))


def apply(
    ctx: typer.Context,
    patch: Annotated[
        str | None,
        typer.Argument(
            metavar="HASH", help="The hash of a patch or its first digits; the last one without it."
        ),
    ] = None,
    receipt: Annotated[
        str | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt to FILE, too.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be appended, and change nothing.")
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", help="Write over a file that cannot be replaced in one step, as one mounted alone."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Append an approved TODO patch to its task file, whole and once; nothing that stands there is changed.

    It needs an approval of exactly this patch, by a person who did not propose it (t2c approve). It is announced before
    and receipted after. A file that changed since the patch was rendered is a conflict: render it again. A patch that
    is applied already is not applied again. --json prints t2c.todo-applied/v1, which holds the receipt.

    Examples:

        t2c todo apply
        t2c todo apply 0123456789ab --dry-run
        t2c todo apply 0123456789ab --receipt build/TODO.receipt.json --json
    """
    from t2c.cli.actions import todo_apply as action

    if dry_run and receipt is not None:
        raise Usage("--dry-run has no receipt to write", remedy="leave out --receipt")
    invocation = Invocation.of(ctx)
    if dry_run:
        with invocation.context() as context:
            seen = action.preview(context, patch)
        invocation.emit(seen, lambda style: joined(_preview(seen)))
        return
    with invocation.context() as context:
        found = action.apply(context, patch, in_place=in_place, receipt=receipt)
    for one in found.recovered:
        why = f" ({one.why})" if one.why else ""
        invocation.output.warn(f"an earlier apply, seq {one.seq}, was interrupted: {one.outcome}{why}")
    invocation.output.recorded = f"the patch is applied, and its receipt is seq {found.seq}"
    invocation.emit(found, lambda style: joined(_applied(found, style)))


def _rendered(found: TodoRendered, style: Style) -> Iterator[str]:
    if found.hash is None:
        known = f"; {found.duplicates:,} stand in a task list already" if found.duplicates else ""
        yield f"there are no new proposals{known}; nothing was recorded"
        return
    yield found.markdown
    yield f"{found.path} would get this at its end{'' if found.exists else ' and is not there: it would be made'}"
    if found.duplicates:
        yield f"left out, since a task list has them: {found.duplicates:,}"
    for path in found.written:
        yield f"  wrote {path}"
    again = "was recorded before" if found.repeated else "is recorded"
    yield f"hash {found.hash}, proposed by {', '.join(found.proposed_by) or 'nobody that is known'}; {again}, seq {found.seq}"
    yield style.faint(f"  next: t2c approve {found.hash}, then t2c todo apply")


def _preview(found: TodoPreview) -> Iterator[str]:
    if not found.bytes_appended:
        yield f"{found.path} ends with the patch already; nothing was written"
        return
    yield f"{found.path} would get {found.bytes_appended:,} bytes at its end; nothing was written"
    yield f"  {(found.before or 'no file')[:12]} → {found.after[:12]}"


def _applied(found: TodoApplied, style: Style) -> Iterator[str]:
    tasks = len(found.receipt["selectedProposalIds"])
    said = f"{tasks:,} task{'' if tasks == 1 else 's'}"
    if found.again:
        yield f"the patch was applied already, {found.receipt['appliedAt']}; {found.path} is as it left it"
    elif found.how == "done":
        yield style.good(f"{found.path} has {said} more")
    else:
        yield style.good(f"{found.path} ended with the {said} already; that is recorded now")
    for path in found.in_place:
        yield style.doubtful(f"  {path} was written over where it is, not replaced")
    yield f"  approved by {found.receipt['approvedBy']}, {found.receipt['approvedAt']}"
    yield f"  receipt {found.event}, seq {found.seq}"
    if not found.again:
        yield style.faint("  next: t2c scan")
        yield style.faint(f"  to take it back: t2c change revert {found.event}")
