"""`t2c change try`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.change_try import CheckTried, Tried

__all__ = ["tried"]

_PATCH = "SPATCH-…, a hash, or the first digits of it; of a CPLAN-… its last patch."


def tried(
    ctx: typer.Context,
    patch: Annotated[str, typer.Argument(metavar="PATCH", help=_PATCH)],
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="CMD", help="A command that passes if it is good, run without a shell."),
    ] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Only see if the patch fits.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Run the checks without the patch, too: do they tell?")
    ] = False,
    as_is: Annotated[
        bool, typer.Option("--as-is/--at-head", help="Try it on a copy of the tree, not on the last commit.")
    ] = False,
    timeout: Annotated[
        int, typer.Option(metavar="S", min=1, max=86_400, help="Seconds for each check.")
    ] = 600,
    json: Json = False,
) -> None:
    """Try a patch beside your tree: lay it over the last commit in a folder of its own and run the checks there.

    Your files, index and branches stay as they are. Each check is announced and recorded with its output. A check is
    not a shell line: for one write "sh -c '…'". What is ignored by Git is not there, and a package that is installed
    from your tree is found there and not in the folder: then set its path, as in "env PYTHONPATH=src pytest -q".
    --compare shows a check that would pass without the patch as well. Exit code 1 if it does not fit or a check does not pass.

    Examples:

        t2c change try SPATCH-0123456789abcdef0123 --check "pytest -q"
        t2c change try SPATCH-01234567 --check "pytest -q tests/test_door.py" --compare
        t2c change try SPATCH-01234567 --no-check --as-is --json
    """
    from t2c.cli.actions import change_try as action
    from t2c.ledger.errors import Findings

    invocation = Invocation.of(ctx)
    request = action.TryRequest(check or (), no_check, as_is, compare, timeout)
    with invocation.context() as context:
        found = action.tried(context, patch, request, invocation.environ)
    if found.dirty and found.tree == "worktree":
        invocation.output.warn(
            "your tree has changes that are in no commit; it was tried without them (--as-is has them)"
        )
    if found.changed_meanwhile:
        invocation.output.warn("your tree was changed while this ran")
    invocation.output.recorded = f"the trial is recorded as seq {found.seq}"
    invocation.emit(found, lambda style: joined(_text(found, style)))
    if not found.passed:
        raise typer.Exit(Findings.code)


def _text(found: Tried, style: Style) -> Iterator[str]:
    where = "a copy of your tree" if found.tree == "copy" else f"commit {found.revision[:12]}"
    mark = style.good if found.passed else style.bad
    verdict = "does not fit" if not found.applied else "passed" if found.passed else "did not pass"
    yield mark(f"{found.patch} {verdict} on {where}, seq {found.seq}")
    if not found.applied:
        yield f"  {found.detail}"
    for one in found.checks:
        yield from _check(one, style)
    if found.applied and not found.checks:
        yield "  it fits; nothing was run"
    yield style.faint("  your tree is as it was")


def _check(one: CheckTried, style: Style) -> Iterator[str]:
    how = f"exit code {one.exit_code}" if one.outcome == "exited" else one.outcome.replace("_", " ")
    mark = style.good("passed") if one.passed else style.bad("failed")
    yield f"  {mark}  {one.command}  ({how}, {one.seconds} s)"
    if one.base is not None:
        if one.base == one.passed:
            yield style.doubtful("    it goes the same without the patch, so it says nothing of it")
        else:
            yield f"    without the patch it {'passes' if one.base else 'fails'}"
    if one.detail:
        yield f"    {one.detail}"
    for line in one.tail.split("\n") if one.tail else ():
        yield style.faint(f"    | {line}")
