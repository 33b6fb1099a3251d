"""`t2c change apply|revert|recover`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined
from t2c.ledger.errors import Conflict, Findings, Refused, Usage

if TYPE_CHECKING:
    from t2c.cli.actions.change_apply import DryRun, FileToWrite, PatchApplied
    from t2c.cli.actions.change_recover import FoundUnfinished, RecoverResult
    from t2c.cli.actions.change_revert import Reverted
    from t2c.ledger.apply.recovery import Decision

__all__ = ["apply", "recover", "revert"]

_InPlace = Annotated[
    bool,
    typer.Option(
        "--in-place", help="Write over a file that cannot be replaced in one step, as one mounted alone."
    ),
]


def apply(
    ctx: typer.Context,
    patch: Annotated[
        str,
        typer.Argument(
            metavar="PATCH", help="SPATCH-…, a hash, or the first digits; of a CPLAN-… its last patch."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")
    ] = False,
    in_place: _InPlace = False,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write the receipt to FILE, too.")
    ] = None,
    json: Json = False,
) -> None:
    """Write an approved patch into your tree: all its files, or none. Only it, its revert and its recovery change code.

    It needs an approval of exactly this patch, by a person who did not make it (t2c approve). It is announced before and
    receipted after; what a crash leaves is settled at the next start. A file that is not as the patch expects it is a
    conflict. A patch that was applied already is not applied again: its files are compared, exit code 1 if one was changed since.

    Examples:

        t2c change apply SPATCH-0123456789abcdef0123
        t2c change apply SPATCH-01234567 --dry-run
        t2c change apply SPATCH-01234567 --json --out receipt.json
    """
    from t2c.cli.actions import change_apply as action

    if dry_run and out is not None:
        raise Usage("--dry-run has no receipt to write", remedy="leave out --out")
    invocation = Invocation.of(ctx)
    if dry_run:
        with invocation.context() as context:
            seen = action.preview(context, patch)
        invocation.emit(seen, lambda style: joined(_preview(seen, style)))
        return
    with invocation.context() as context:
        found = action.apply(context, patch, in_place=in_place, out=out)
    _warn(invocation, found.recovered)
    invocation.output.recorded = f"the patch is applied, and its receipt is seq {found.seq}"
    invocation.emit(found, lambda style: joined(_applied(found, style)))
    if found.changed:
        raise typer.Exit(Findings.code)


def revert(
    ctx: typer.Context,
    receipt: Annotated[
        str,
        typer.Argument(
            metavar="RECEIPT", help="EVT-… or the seq of a receipt, latest, or the SPATCH-… that was applied."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be taken back; record nothing.")
    ] = False,
    in_place: _InPlace = False,
    json: Json = False,
) -> None:
    """Take back what an apply did, if every file of it is still as its receipt left it.

    The first call shows and records what is to be approved and changes nothing: exit code 3. Approve its hash, and call it
    again. A revert has a receipt as well, and can be taken back. What the files held lies in .t2c on the machine that
    applied it.

    Examples:

        t2c change revert EVT-0123456789abcdef0123
        t2c change revert SPATCH-0123456789abcdef0123 --dry-run
        t2c change revert latest --json
    """
    from t2c.cli.actions import change_revert as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.reverted(context, receipt, dry_run=dry_run, in_place=in_place)
    _warn(invocation, found.recovered)
    if found.seq is not None:
        invocation.output.recorded = f"it is taken back, and the receipt is seq {found.seq}"
    text = f"{found.text}\n" if found.state in ("shown", "preview") else ""
    invocation.emit(found, lambda style: text + joined(_reverted(found, style)))
    if found.state == "shown":
        raise typer.Exit(Refused.code)
    if found.state == "before" and found.stands != "as before":
        raise typer.Exit(Findings.code)


def recover(
    ctx: typer.Context,
    announced: Annotated[
        str | None, typer.Argument(metavar="EVT-…", help="The announcement to decide; without it, all.")
    ] = None,
    forward: Annotated[bool, typer.Option("--forward", help="Write what is missing.")] = False,
    back: Annotated[bool, typer.Option("--back", help="Put back what was there before.")] = False,
    leave: Annotated[bool, typer.Option("--leave", help="Leave the files as they are.")] = False,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why; it is recorded with who decided, before it is done.")
    ] = "",
    actor: Annotated[
        str | None, typer.Option(metavar="KIND:ID", help="Who decides it (setting actor); only a person can.")
    ] = None,
    json: Json = False,
) -> None:
    """Settle applies that were interrupted: what the files themselves tell is settled, and what they do not is listed.

    Where a file is neither as before nor as wanted, only a person decides: --forward, --back or --leave, with a reason.
    Every command that applies does the first part by itself. Exit code 4 while one is undecided.

    Examples:

        t2c change recover
        t2c change recover EVT-0123456789abcdef0123 --back --reason "the disk was full"
        t2c change recover EVT-0123456789abcdef0123 --leave --reason "edited by hand since" --actor human:ada
    """
    from t2c.cli.actions import change_recover as action

    if forward + back + leave > 1:
        raise Usage("decide one thing", remedy="give one of --forward, --back and --leave")
    decide: Decision | None = "forward" if forward else "back" if back else "leave" if leave else None
    if decide is None and reason:
        raise Usage("--reason belongs to a decision", remedy="give --forward, --back or --leave as well")
    invocation = Invocation.of(ctx)
    with invocation.context({"actor": actor}) as context:
        found = action.recovered(context, announced, decide, reason)
    invocation.emit(found, lambda style: joined(_recovered(found, style)))
    if found.open:
        raise typer.Exit(Conflict.code)


def _warn(invocation: Invocation, recovered: Sequence[FoundUnfinished]) -> None:
    for one in recovered:
        said = f"an earlier apply, seq {one.seq}, was interrupted: {_OUTCOMES[one.outcome]}"
        invocation.output.warn(said + (f" ({one.why})" if one.why else ""))


_OUTCOMES = {
    "recovered": "its files were all written, and it has its receipt now",
    "nothing": "no file was changed by it",
    "undone": "what it had written was put back",
    "left": "its files were left as they are",
    "undecided": "a person has to decide it: t2c change recover",
    "running": "it is still running",
}


def _preview(found: DryRun, style: Style) -> Iterator[str]:
    yield f"{found.subject} would write {_count(found.files)}; nothing was written"
    yield from _files(found.files, style)


def _applied(found: PatchApplied, style: Style) -> Iterator[str]:
    by = f"approved by {found.receipt['approvedBy']}, {found.receipt['approvedAt']}"
    if found.again:
        yield f"{found.patch} was applied already, {found.receipt['appliedAt']}; nothing was written"
        for path in found.changed:
            yield style.doubtful(f"  {path} was changed since")
        if not found.changed:
            yield "  its files are as it left them"
    else:
        verb = "stood there already" if found.how == "found" else "is applied"
        count = len(found.receipt["appliedPaths"])
        yield style.good(f"{found.patch} {verb}: {count} file{'' if count == 1 else 's'}, all of it")
        for path in found.receipt["appliedPaths"]:
            hash = found.receipt["fileHashesAfter"].get(path)
            yield f"  {path}  {style.faint('removed' if hash is None else hash[:12])}"
    for path in found.in_place:
        yield style.doubtful(f"  {path} was written over where it is, not replaced")
    yield f"  {by}"
    yield f"  receipt {found.event}, seq {found.seq}"
    if not found.again:
        yield style.faint(f"  next: commit it, then t2c scan, then t2c change evaluate {found.plan}")
        yield style.faint(f"  to take it back: t2c change revert {found.event}")


def _reverted(found: Reverted, style: Style) -> Iterator[str]:
    if found.state == "before":
        yield f"{found.receipt} was taken back already, by {found.event}"
        yield f"  its files are {found.stands}"
        return
    if found.state == "reverted":
        yield style.good(f"{found.receipt} is taken back: {_count(found.files)} as before")
        yield from _files(found.files, style)
        yield f"  receipt {found.event}, seq {found.seq}, under {found.approval}"
        yield style.faint("  next: commit it, then t2c scan")
        return
    yield f"hash {found.hash}"
    if found.state == "preview":
        yield "nothing was recorded and nothing was changed"
        return
    yield style.doubtful("nothing was changed yet: it needs an approval of exactly this")
    yield style.faint(f"  t2c approve {found.hash}")
    yield style.faint(f"  t2c change revert {found.receipt}")


def _recovered(found: RecoverResult, style: Style) -> Iterator[str]:
    if not found.applies:
        yield "every apply has its outcome"
    for one in found.applies:
        subject = "" if one.subject is None else f" of {one.subject}"
        by = "" if one.requested_by is None else f" for {one.requested_by}"
        yield f"{one.announced}, seq {one.seq}: {one.purpose}{subject}{by}"
        settled = one.event is not None
        yield f"  {(style.good if settled else style.doubtful)(_OUTCOMES[one.outcome])}"
        if one.why:
            yield f"  {one.why}"
        for file in one.files:
            how = {"before": "as before", "after": "as wanted"}.get(
                file.stands, "neither as before nor as wanted"
            )
            yield f"    {file.path}  {style.faint(how)}"
        if one.outcome == "undecided":
            yield style.faint(f'  t2c change recover {one.announced} --forward|--back|--leave --reason "…"')


def _files(files: Sequence[FileToWrite], style: Style) -> Iterator[str]:
    for file in files:
        before, after = ((hash or "no file")[:12] for hash in (file.before, file.after))
        yield f"  {file.path}  {style.faint(f'{before} → {after}')}"


def _count(files: Sequence[FileToWrite]) -> str:
    return f"{len(files):,} file{'' if len(files) == 1 else 's'}"
