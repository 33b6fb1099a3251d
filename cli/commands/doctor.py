"""`t2c doctor`: is everything here that a ledger needs?"""

from __future__ import annotations

import typer

from t2c.cli.actions import doctor as action
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style

__all__ = ["doctor"]


def doctor(ctx: typer.Context, json: Json = False) -> None:
    """Look at the machine, the root and the ledger, and say what needs attention. Changes nothing.

    Exit code 0 if work can go on, else that of the gravest fault (5 damage, 6 environment).

    Examples:

        t2c doctor
        t2c doctor --json
    """
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.doctor(context)
    invocation.emit(found, lambda style: _text(found, style))
    if found.code:
        raise typer.Exit(found.code)


def _text(found: action.DoctorResult, style: Style) -> str:
    marks = {"ok": style.good("ok   "), "note": style.doubtful("note "), "fault": style.bad("FAULT")}
    lines = []
    for check in found.checks:
        lines.append(f"{marks[check.status]} {check.name}: {check.detail}")
        if check.status != "ok" and check.remedy:
            lines.append(f"      next: {check.remedy}")
    return "\n".join(lines)
