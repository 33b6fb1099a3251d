"""`t2c ledger anchor git` and `t2c ledger anchor rfc3161`."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.cli.present.style import Style

__all__ = ["GROUP", "git", "rfc3161"]

GROUP = Branch(
    "Put a checkpoint where the journal's writer cannot take it back unseen.",
    (
        Entry("git", "t2c.cli.commands.anchor:git", "Into a Git note, or a trailer of the next commit."),
        Entry("rfc3161", "t2c.cli.commands.anchor:rfc3161", "Have it stamped by a time-stamp authority."),
    ),
)


def git(
    ctx: typer.Context,
    trailer: Annotated[
        bool, typer.Option("--trailer", help="Write nothing; print the line for the next commit's message.")
    ] = False,
    json: Json = False,
) -> None:
    """Put the newest signed checkpoint into the note of HEAD's commit, in refs/notes/t2c.

    Push the notes: the copy that others hold is what makes them an anchor. Without a signed checkpoint that covers
    the head, one that nobody signed is anchored, and that is said. The same again changes nothing.

    Examples:

        t2c ledger anchor git
        git push origin refs/notes/t2c
        git commit --trailer "$(t2c ledger anchor git --trailer)"
    """
    from t2c.cli.actions import anchor as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.trailer_for_git(context) if trailer else action.anchor_git(context)
    for warning in found.warnings:
        invocation.output.warn(warning)

    def text(style: Style) -> str:
        if found.trailer is not None:
            return found.trailer
        state = style.good("anchored") if found.new else "anchored before"
        return (
            f"{state}: {found.size:,} events, in the note of commit {found.commit}\n"
            f"  make it known: git push <remote> {found.ref}"
        )

    invocation.emit(found, text)


def rfc3161(
    ctx: typer.Context,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The authority (default: the setting `anchor.rfc3161_url`)."),
    ] = None,
    ca: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="PEM certificates that vouch for it (default: `anchor.rfc3161_ca`)."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Have the newest signed checkpoint stamped by a time-stamp authority, and keep its token.

    Only a hash leaves this machine. The token lies beside the checkpoints as SIZE.tsr, what it stamps as
    SIZE.stamped. Without a signed checkpoint that covers the head, one that nobody signed is stamped, and that is
    said. A checkpoint that has a token is not stamped again.

    Examples:

        t2c ledger anchor rfc3161 --url https://freetsa.org/tsr --ca tsa/cacert.pem
        t2c ledger verify --anchor rfc3161
    """
    from t2c.cli.actions import anchor as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.anchor_rfc3161(context, url=url, ca=ca)
    for warning in found.warnings:
        invocation.output.warn(warning)

    def text(style: Style) -> str:
        state = style.good("stamped") if found.new else "stamped before"
        by = "" if found.authority is None else f" by {found.authority}"
        return f"{state}: {found.size:,} events at {found.time}{by}\n  token {found.token}"

    invocation.emit(found, text)
