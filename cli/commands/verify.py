"""`t2c ledger verify`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

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
    json: Json = False,
) -> None:
    """Prove the journal. Lists every fault with the first seq not proven, and what was not shown.

    Never writes. Exit code 0 if sound, 1 with faults, 6 if it could not run.

    Examples:

        t2c ledger verify
        t2c ledger verify --level domain --json
    """
    from t2c.cli.actions import verify as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.verify(context, level, published)

    def text(style: Style) -> str:
        word = style.good("sound") if found.ok else style.bad(_many(len(found.faults), "fault"))
        lines = [
            f"{word} at level {found.level}: {_many(found.events, 'event')} of ledger {found.ledger or 'unknown'}",
            f"  root  {found.root}",
            f"  head  {found.head}",
        ]
        lines += [
            f"  {style.bad('fault')} seq {fault['seq']}  {fault['kind']}: {fault['detail']}"
            for fault in found.faults
        ]
        if found.stale:
            lines.append(
                f"  stale {', '.join(found.stale)} (behind, or of another history; t2c ledger project makes them anew)"
            )
        return "\n".join(lines + [f"  not proven: {sentence}" for sentence in found.unproven])

    invocation.emit(found, text)
    if not found.ok:
        raise typer.Exit(1)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
