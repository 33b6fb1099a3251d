"""`t2c ledger project`."""

from __future__ import annotations

from typing import Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style

__all__ = ["project"]


def _names(incomplete: str) -> list[str]:
    from t2c.projections.registry import ALL

    return [name for name in ALL if name.startswith(incomplete)]


def project(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Views to make; all without one.", autocompletion=_names),
    ] = None,
    at: At = None,
    full: Annotated[
        bool, typer.Option("--full", help="Fold from the first event; make the kept snapshots anew.")
    ] = False,
    json: Json = False,
) -> None:
    """Make the views again from the journal, in .t2c/projections. Deleting them loses nothing.

    Examples:

        t2c ledger project
        t2c ledger project summary graph
        t2c ledger project --full
        t2c ledger project --at 120
        t2c ledger project summary --at 2026-01-05
    """
    from t2c.cli.actions import project as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        made = action.project(context, names or (), at, full)

    def text(style: Style) -> str:
        lines = [
            f"views as of seq {made.seq}" + (" (t2c ledger project brings back the present)" if at else "")
        ]
        for view in made.projections:
            new = ", ".join(view["written"]) or "nothing new"
            lines.append(f"  {view['folder']}: {new}")
        for fault in made.faults:
            lines.append(
                f"  {style.bad('fault')} {fault['projection']} at seq {fault['seq']}: {fault['detail']}"
            )
        if made.unknown:
            unknown = ", ".join(f"{number} {name}" for name, number in made.unknown.items())
            lines.append(f"  {style.doubtful('unknown')} events kept and not read: {unknown}")
        if made.foreign:
            number = sum(made.foreign.values())
            lines.append(f"  {number:,} events of other ledgers stand in the journal and in no view")
        return "\n".join(lines)

    invocation.emit(made, text)
