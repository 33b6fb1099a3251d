"""`t2c approve`, `t2c withdraw`, `t2c approvals`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined

if TYPE_CHECKING:
    from t2c.cli.actions.approvals import ApprovalRow, Approvals, ApprovedThing, WaitingRow

__all__ = ["approvals", "approve", "withdraw"]

_WHOLE: Final = re.compile(r"[0-9a-fA-F]{64}\Z")
_HASH: Final = re.compile(r"[0-9a-fA-F]{8,64}\Z")


def approve(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="HASH|ID|SEQ",
            help="A SHA-256 or 8 and more of its digits, CPLAN-…, SPATCH-…, EVT-…, a seq, or patch:todo.",
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file", metavar="PATH", help="A text file of the tree; with an answer, one of its files."
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print it and its SHA-256, and approve nothing.")
    ] = False,
    sha256: Annotated[
        str | None, typer.Option("--sha256", metavar="HEX", help="Only if it is still what you were shown.")
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="What you say to it.")] = "",
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when: a date, a time, or 7d (approval.days).")
    ] = None,
    sign: Annotated[
        bool, typer.Option("--sign", help="Sign it with your key of `t2c ledger key new --participant`.")
    ] = False,
    key: Annotated[
        str | None, typer.Option("--key", metavar="ID", help="With this one of them, and not the newest.")
    ] = None,
    ssh_key: Annotated[
        str | None,
        typer.Option(
            "--ssh-key", metavar="FILE", help="Sign it with an SSH key that `t2c ledger key add` registered."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask on a terminal.")] = False,
    actor: Annotated[
        str | None, typer.Option(metavar="KIND:ID", help="Who approves (setting actor); only a person can.")
    ] = None,
    json: Json = False,
) -> None:
    """Approve exactly what is printed. Only a person can, and nobody their own work (approval.separation).

    The approval holds the SHA-256 of what was shown and is one of nothing else: look with --show first, then give the
    whole hash, or --sha256, so that nothing can change in between. On a terminal you are asked. `t2c withdraw` takes it
    back.

    A patch or a revert may be applied then. Of a plan, a review, an answer or a file of the tree it is your recorded
    yes, and nothing is applied by it. A text that changes must be approved anew; in a Markdown file, ticks of a list,
    line ends and blanks at the end of a line do not count.

    Examples:

        t2c approve 5f2c7a81 --show
        t2c approve 5f2c7a81d0c0c2b1f6d1f2aa0d6b3e5f4c3b2a190817263544f5e6d7c8b9a0f1 --reason "read every line"
        t2c approve --file docs/PLAN.md --expires 30d
        t2c approve CPLAN-0123456789abcdef0123 --actor human:ada --ssh-key ~/.ssh/id_ed25519
    """
    from t2c.cli.actions import approvals as action
    from t2c.ledger.errors import Usage

    if name is None and file is None:
        raise Usage(
            "say what", remedy="name a hash, or --file PATH; `t2c approvals --waiting` lists what waits"
        )
    if show and sha256 is not None:
        raise Usage("--show approves nothing, so there is nothing to compare", remedy="leave out --sha256")
    if ssh_key is not None and (sign or key is not None):
        raise Usage("one signature is enough", remedy="give --sign or --ssh-key, and not both")
    if sha256 is not None and not _HASH.match(sha256):
        raise Usage(f"{sha256[:80]!r} is no SHA-256", where="--sha256", remedy="give its 64 hex digits")
    invocation = Invocation.of(ctx)
    with invocation.context({"actor": actor}) as context:
        signing = None
        if sign or key is not None or ssh_key is not None:
            from t2c.cli.actions.state import state_dir

            signing = action.Signing(
                None if ssh_key is not None else state_dir(invocation.environ), key,
                None if ssh_key is None else Path(ssh_key), invocation.environ, _sits(invocation),
            )  # fmt: skip
        asked = action.Asked(name, file, sha256, reason, expires, signing)
        bound = sha256 is not None or (name is not None and _WHOLE.match(name))
        if show or (not bound and not yes and _asks(invocation)):
            found = action.show(context, asked)
        else:
            found = action.approve(context, asked)
        if not show and found.event is None:
            invocation.output.text(joined(_text(found, invocation.output.style)))
            if not _agreed(found):
                invocation.output.say("nothing was approved")
                raise typer.Exit(1)
            found = action.approve(context, asked._replace(sha256=found.digest))
            _recorded(invocation, found)
            invocation.output.text(joined(_outcome(found, invocation.output.style)))
            return
    _recorded(invocation, found)
    invocation.emit(found, lambda style: joined([*_text(found, style), *_outcome(found, style)]))


def _asks(invocation: Invocation) -> bool:
    """True where somebody sits who can be asked."""
    return not invocation.output.json and _sits(invocation)


def _sits(invocation: Invocation) -> bool:
    return invocation.output.draws is not None and sys.stdin is not None and sys.stdin.isatty()


def _agreed(found: ApprovedThing) -> bool:
    return typer.confirm(
        f"approve exactly this, {found.digest[:12]}…, as {found.by}?", default=False, err=True
    )


def _recorded(invocation: Invocation, found: ApprovedThing) -> None:
    if found.seq is not None:
        invocation.output.recorded = f"your approval is recorded as seq {found.seq}"


def _text(found: ApprovedThing, style: Style) -> Iterator[str]:
    yield from found.text.removesuffix("\n").split("\n")
    yield ""
    yield f"{found.subject}  SHA-256 {found.digest}"
    if found.proposed_by:
        yield style.faint("proposed by " + ", ".join(found.proposed_by))
    if found.masked:
        yield style.doubtful("secrets are masked in it: what is approved are the bytes with them")
    if found.overtaken is not None:
        yield style.doubtful(f"a later one of {found.subject} was rendered, seq {found.overtaken}")


def _outcome(found: ApprovedThing, style: Style) -> Iterator[str]:
    from t2c.cli.commands.answers_ask import check_lines

    if found.event is None:
        yield style.faint("nothing was approved; to approve exactly this: " + _again(found))
    elif found.repeated:
        yield f"{found.by} approved it already, seq {found.seq}{_until(found.expires)}; nothing was written"
    else:
        signed = "" if found.signed_by is None else f", signed with {found.signed_by}"
        yield style.good(f"approved by {found.by}, seq {found.seq}{_until(found.expires)}{signed}")
    yield from check_lines(tuple(found.checks), style)


def _again(found: ApprovedThing) -> str:
    kind, _, rest = found.subject.partition(":")
    if kind == "file":
        return f"t2c approve --file {quote(rest)} --sha256 {found.digest}"
    if kind == "answer":
        answer, _, path = rest.partition("#")
        more = f" --file {quote(path)}" if path else ""
        return f"t2c approve {answer}{more} --sha256 {found.digest}"
    return f"t2c approve {found.digest}"


def _until(expires: str | None) -> str:
    return "" if expires is None else f", until {expires}"


def withdraw(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="SEQ|EVT-…|HASH", help="The approval, or what it is of where there is one approval."
        ),
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it stands beside the approval.")] = "",
    actor: Annotated[
        str | None,
        typer.Option(metavar="KIND:ID", help="Who withdraws it (setting actor); only a person can."),
    ] = None,
    json: Json = False,
) -> None:
    """Take an approval back: nothing is applied under it any more. What was applied stays applied.

    Examples:

        t2c withdraw 44 --reason "the door stays as it is"
        t2c withdraw 5f2c7a81 --reason "approved too early"
    """
    from t2c.cli.actions import approvals as action
    from t2c.ledger.errors import Usage

    if not reason.strip():
        raise Usage("a reason is missing", safe="nothing was recorded", remedy='add --reason "…"')
    invocation = Invocation.of(ctx)
    with invocation.context({"actor": actor}) as context:
        found = action.withdraw(context, name, reason)
    invocation.output.recorded = f"the approval is withdrawn, seq {found.seq}"
    invocation.emit(
        found,
        lambda style: joined(
            [f"the approval of {found.subject} by {found.approved_by}, seq {found.approved_seq}, is withdrawn, seq {found.seq}"]
        ),
    )  # fmt: skip


def approvals(
    ctx: typer.Context,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only what waits for an approval.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="Only those of another text, or over.")] = False,
    used: Annotated[
        bool, typer.Option("--used", help="Only those under which something was applied.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Used and withdrawn ones, too.")] = False,
    json: Json = False,
) -> None:
    """List what waits for a person, which approvals hold, and why the others do not.

    Each is judged anew: by what stands in the ledger and in the files, by the settings below `approval`, and by the
    clock.

    Examples:

        t2c approvals
        t2c approvals --stale --json
        t2c approvals --all
    """
    from t2c.cli.actions import approvals as action
    from t2c.ledger.errors import Usage

    if sum((waiting, stale, used, every)) > 1:
        raise Usage("say one of --waiting, --stale, --used, --all", remedy="leave out the others")
    wanted: action.Wanted = (
        "waiting" if waiting else "stale" if stale else "used" if used else "all" if every else "open"
    )
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.listed(context, wanted)
    invocation.emit(found, lambda style: joined(_all(found, style)))


def _all(found: Approvals, style: Style) -> Iterator[str]:
    if not found.waiting and not found.approvals:
        yield "nothing waits, and no such approval is there"
    if found.waiting:
        yield f"{len(found.waiting):,} wait{'s' if len(found.waiting) == 1 else ''} for an approval"
    for waits in found.waiting:
        yield from _waits(waits, style)
    if found.approvals:
        yield f"{len(found.approvals):,} approval{'' if len(found.approvals) == 1 else 's'}"
    for row in found.approvals:
        yield from _approval(row, style)
    if found.left_out:
        yield style.faint(f"{found.left_out:,} more: t2c approvals --all")


def _waits(row: WaitingRow, style: Style) -> Iterator[str]:
    yield f"  {row.subject}  {row.digest[:20]}…"
    by = f", proposed by {', '.join(row.proposed_by)}" if row.proposed_by else ""
    yield style.faint(f"    seq {row.seq}, {row.ts}{by}")
    yield f"    {row.next}"


def _approval(row: ApprovalRow, style: Style) -> Iterator[str]:
    mark = style.good if row.state == "standing" else style.doubtful if row.state == "used" else style.bad
    yield f"  {mark(row.state)}  {row.subject}  {row.digest[:20]}…"
    signed = "" if row.signed_by is None else f", signed with {row.signed_by}"
    yield style.faint(f"    seq {row.seq}, by {row.by}, {row.ts}{_until(row.expires)}{signed}")
    if row.statement:
        yield style.faint(f"    {row.statement}")
    if row.why:
        yield f"    {row.why}"
    if row.next is not None:
        yield f"    {row.next}"
