"""`t2c ledger merge`: the events of another chain, taken in behind the head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

if TYPE_CHECKING:
    from t2c.cli.actions.merge import MergeResult

__all__ = ["import_bundle", "merge", "merge_driver"]


def merge(
    ctx: typer.Context,
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="A folder with a ledger, a journal, a bundle, or git:REVISION."),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be taken in, and write nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Take in the events of another chain that are not here. Nothing is lost, nothing is there twice.

    Each event goes behind the head with its origin, from which its old line can be made again and proven. Events of
    a branch of this ledger keep their trust; those of another ledger are `imported` at most. The other side is
    verified first; with faults nothing is taken in and the exit code is 5. The same merge again appends nothing.

    Examples:

        t2c ledger merge ../other-checkout
        t2c ledger merge git:feature --dry-run
        git restore --source=HEAD --staged --worktree .t2c && t2c ledger merge git:MERGE_HEAD
    """
    from t2c.cli.actions import merge as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.merge(context, other, dry_run=dry_run)
    _told(invocation, found)


def import_bundle(
    ctx: typer.Context,
    bundle: Annotated[
        str, typer.Argument(metavar="BUNDLE", help="A folder or .tar.gz that ledger export made.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be taken in, and write nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Take in the events of a bundle that are not here, of this ledger or another.

    The bundle is checked first, as its own verify.py does it; with faults nothing is taken in and the exit code is 5.
    What another ledger observed is `imported` here. Withheld lines are counted in an omission.

    Examples:

        t2c ledger import ../handover.tar.gz
        t2c ledger import handover/ --dry-run --json
    """
    from t2c.cli.actions import merge as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.import_bundle(context, bundle, dry_run=dry_run)
    _told(invocation, found)


def _told(invocation: Invocation, found: MergeResult) -> None:
    if found.last:
        invocation.output.recorded = f"what was taken in is recorded, up to seq {found.last}"
    invocation.emit(found, lambda style: _text(found, style))
    if found.missing:
        invocation.output.warn(
            f"the other side does not hold {_many(len(found.missing), 'cited object')} either"
        )
    if found.left:
        invocation.output.warn(
            f"still here: {_many(len(found.left), 'payload')} that the other side redacted; `t2c ledger verify "
            "--level domain` says which, `t2c ledger redact` takes them out"
        )


def merge_driver(
    ctx: typer.Context,
    base: Annotated[str, typer.Argument(metavar="%O", help="The common ancestor's version; not looked at.")],
    ours: Annotated[str, typer.Argument(metavar="%A", help="Our version; the result goes here.")],
    theirs: Annotated[str, typer.Argument(metavar="%B", help="The other side's version.")],
    path: Annotated[str, typer.Argument(metavar="%P", help="Where the journal is in the work tree.")],
    json: Json = False,
) -> None:
    """Merge two versions of a tracked journal, for Git. `t2c init --git-merge-driver --write` makes Git call it.

    Exit code 0 only if the result was verified; else our version stays as it was and the merge has a conflict.

    Examples:

        t2c init --git-merge-driver --write
        git config merge.t2c.driver "t2c ledger merge-driver %O %A %B %P"
    """
    from t2c.cli.actions import git_driver as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        done = action.drive(context, ours, theirs, path)
    what = f"took in {_many(done.events, 'event')}" if done.events else "has all of the other side's events"
    invocation.emit(done, lambda style: f"{done.path}: {what}, now at seq {done.seq}")


def _text(found: MergeResult, style: Style) -> str:
    whose = f"a branch of this ledger from seq {found.common_seq} on" if found.branch else "another ledger"
    verb = "would take in" if found.dry_run else "took in"
    lines = [f"{verb} {_many(found.events, 'event')} of {found.source}: {whose} ({found.ledger})"]
    lines += [f"  {count:>6}  by {actor}" for actor, count in found.by_actor.items()]
    if found.known:
        lines.append(f"  {found.known:>6}  known here already")
    if found.withheld:
        lines.append(f"  {found.withheld:>6}  withheld by whoever sent them")
    if found.last:
        lines.append(style.faint(f"  appended as seq {found.first} to {found.last}"))
    if found.events and not found.branch:
        lines.append("  what the other ledger observed is imported here")
    if found.objects:
        lines.append(f"  copied {_many(found.objects, 'object')}")
    return "\n".join(lines)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
