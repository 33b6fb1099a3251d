"""`t2c ledger verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style
from t2c.ledger.errors import Usage

if TYPE_CHECKING:
    from t2c.cli.actions.verify import VerifyResult

__all__ = ["verify"]


def verify(
    ctx: typer.Context,
    level: Annotated[
        Literal["chain", "schema", "domain"],
        typer.Option(metavar="LEVEL", help="chain, schema or domain; each holds the ones before it."),
    ] = "chain",
    published: Annotated[
        bool,
        typer.Option("--published", help="Also against the shipped JSON Schemas (level schema or domain)."),
    ] = False,
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Compare with this checkpoint, kept anywhere; may be given again."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY|FILE", help="Check signatures with this public key; may be given again."),
    ] = None,
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="git|local|rfc3161", help="Compare with what is kept there; may be given again."
        ),
    ] = None,
    ca: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="PEM certificates that vouch for time stamps; may lie anywhere."),
    ] = None,
    since_checkpoint: Annotated[
        bool, typer.Option("--since-checkpoint", help="Trust the checkpoint for what came before its end.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, believing no cache.")] = False,
    json: Json = False,
) -> None:
    """Prove the journal. Lists every fault with the first seq not proven, and what was not shown.

    Only a checkpoint that was kept elsewhere shows that the end was cut off (truncated), that an older state was
    put back (rolled_back), or that the journal was made anew (forked). Never writes to the journal. Exit code 0 if
    sound, 1 with faults, 2 if what it is to be compared with is not there, 5 with one of these verdicts, 6 if it
    could not run. With --key only what that key signed counts.

    Examples:

        t2c ledger verify
        t2c ledger verify --level domain --json
        t2c ledger verify --checkpoint /mnt/elsewhere/checkpoint.txt --key ledger.key
        t2c ledger verify --anchor git --anchor local --key ledger.key
        t2c ledger verify --anchor rfc3161 --ca /mnt/elsewhere/authority.pem
    """
    from t2c.cli.actions import verify as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    kinds = action.anchor_kinds(anchor or ())
    if ca is not None and "rfc3161" not in kinds:
        raise Usage("--ca says who may stamp, and no time stamp is asked for", remedy="add --anchor rfc3161")
    given = action.Given(
        checkpoints=tuple(checkpoint or ()),
        keys=tuple(key or ()),
        kinds=kinds,
        state=state_dir(invocation.environ) if "local" in kinds else None,
        ca=ca,
        since=since_checkpoint,
        full=full,
    )
    with invocation.context() as context:
        found = action.verify(context, level, published, given)

    def text(style: Style) -> str:
        word = style.good("sound") if found.ok else style.bad(_said(found))
        lines = [
            f"{word} at level {found.level}: {_many(found.events, 'event')} of ledger {found.ledger or 'unknown'}",
            f"  root  {found.root}",
            f"  head  {found.head}",
        ]
        lines += [f"  {style.bad(found.verdict)}  {reason}" for reason in found.reasons]
        lines += [
            f"  {style.bad('fault')} seq {fault['seq']}  {fault['kind']}: {fault['detail']}"
            for fault in found.faults
        ]
        fitting = sum(1 for anchor in found.anchors if anchor["state"] == "fits")
        if found.anchors:
            fit = "fits" if len(found.anchors) == 1 else "fit"
            lines.append(f"  {fitting} of {_many(len(found.anchors), 'checkpoint')} {fit}")
        if views := [name for name in found.stale if not name.startswith("cache/")]:
            lines.append(
                f"  stale {', '.join(views)} (behind, or of another history; t2c ledger project makes them anew)"
            )
        lines += [f"  note  {notice}" for notice in found.notices]
        return "\n".join(lines + [f"  not proven: {sentence}" for sentence in found.unproven])

    invocation.emit(found, text)
    if found.verdict not in ("sound", "faulty"):
        raise typer.Exit(5)
    if not found.ok:
        raise typer.Exit(1)


def _said(found: VerifyResult) -> str:
    return _many(len(found.faults), "fault") if found.verdict == "faulty" else found.verdict.replace("_", " ")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
